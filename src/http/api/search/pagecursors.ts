/**
 * The cursors of pages. What comes in: a request, and the row that a page ends with. What goes out:
 * the row that its page begins after, and the cursor of the next one.
 * Invariant: a cursor continues only the spec, fields, snapshot, tenant and route that it was made
 * for. Apart because search.ts is about pages, whoever continues them.
 */
import type { Plan } from "../../../access/plans.ts";
import type { Segment } from "../../../search/segment.ts";
import { encodeCursor, type PagesScope } from "../../../spec/cursor.ts";
import { fieldsHash } from "../../../spec/identity.ts";
import type { Question } from "../../server/service.ts";
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

/** Returns the cursor of the page after the one that ends with `lastRow`. */
export function cursorAfter(
  call: Question<"secrets">,
  question: AskedPage,
  { lastRow }: { readonly lastRow: number },
): string {
  const binding = bindingOf(call, question);
  return encodeCursor(
    { ...pagesScope(call, question), lastRow, binding },
    call.service.secrets.cursor,
  );
}

/** What the cursors of a request say. */
function pagesScope({ plan }: Question, { segment, prepared }: AskedPage): PagesScope {
  return {
    snapshotId: segment.snapshotId,
    specHash: prepared.resultHash,
    fieldsHash: allowedFieldsHash(plan),
  };
}

/** Returns what a cursor is bound to besides: the tenant and the route. */
function bindingOf({ identity }: Question, { kind }: AskedPage): readonly string[] {
  return [identity.tenantId, kind.endpoint];
}

const fieldHashes = new WeakMap<Plan, string>();

/** The hash of what a plan allows, made once. */
export function allowedFieldsHash(plan: Plan): string {
  const hash = fieldHashes.get(plan) ?? fieldsHash(plan.fields);
  fieldHashes.set(plan, hash);
  return hash;
}
