/**
 * The cursors of pages. What comes in: a request, and the row that a page ends with. What goes out:
 * the row that its page begins after, and the cursor of the next one.
 * Invariant: a cursor continues only the spec, fields, snapshot, tenant and route that it was made
 * for. Apart because search.ts is about pages, whoever continues them.
 */
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";
import { CursorTemplate, type PagesScope } from "../../spec/cursor.ts";
import { fieldsHash } from "../../spec/identity.ts";
import type { Question } from "../server/service.ts";
import { decodeListed } from "./listedcursor.ts";
import type { SearchRequest } from "./search-request.ts";

/** A page that is asked for, as far as its cursors say. */
interface AskedPage {
  readonly segment: Segment;
  readonly prepared: SearchRequest;
  /** Name of the route that cursors are bound to. */
  readonly kind: { readonly endpoint: string };
}

/** The row that the page begins after, by the cursor of the request; -1 for the first page. */
export function rowAfter(call: Question<"secrets">, question: AskedPage): number {
  const { cursor } = question.prepared;
  if (cursor === null) return -1;
  const binding = bindingOf(call, question);
  const scope = { ...pagesScope(call, question), binding };
  return decodeListed(question.prepared.spec, cursor, scope, call.service.secrets.cursor);
}

/** One for each request that is kept; those are kept by segment and plan. */
const templates = new WeakMap<SearchRequest, CursorTemplate>();

function templateOf(call: Question, question: AskedPage, kept: boolean): CursorTemplate {
  const { prepared } = question;
  const known = kept ? templates.get(prepared) : undefined;
  const template = known ?? new CursorTemplate(pagesScope(call, question));
  if (kept && known === undefined) templates.set(prepared, template);
  return template;
}

/** The cursor of the page behind another. */
export function cursorAfter(
  call: Question<"secrets">,
  question: AskedPage,
  { lastRow }: { readonly lastRow: number },
  { kept }: { readonly kept: boolean },
): string {
  const template = templateOf(call, question, kept);
  return template.after(lastRow, bindingOf(call, question), call.service.secrets.cursor);
}

/** What the cursors of a request say. */
function pagesScope({ plan }: Question, { segment, prepared }: AskedPage): PagesScope {
  return {
    snapshotId: segment.snapshotId,
    specHash: prepared.resultHash,
    fieldsHash: allowedFieldsHash(plan),
  };
}

/** What the cursors of the question before were bound to: mostly it is the same tenant. */
let lastBinding: readonly string[] = [];

/** What they are bound to besides. */
function bindingOf({ identity }: Question, { kind }: AskedPage): readonly string[] {
  const { tenantId } = identity;
  if (lastBinding[0] !== tenantId || lastBinding[1] !== kind.endpoint) {
    lastBinding = [tenantId, kind.endpoint];
  }
  return lastBinding;
}

const fieldHashes = new WeakMap<Plan, string>();

/** The hash of what a plan allows, made once. */
export function allowedFieldsHash(plan: Plan): string {
  const hash = fieldHashes.get(plan) ?? fieldsHash(plan.fields);
  fieldHashes.set(plan, hash);
  return hash;
}
