/**
 * What surrounds the accounts of a page's answer: its text, and the cursors. What comes in: a
 * request, and what was found. What goes out: the text before and after the accounts, the row that
 * a page begins after, and the cursor of the next one.
 * Invariant: nothing in the text needs escaping, for ids are checked, cursors are base64url, and
 * facets come as JSON. A cursor continues only the spec, fields, snapshot, tenant and route that it
 * was made for; if a list of the spec changed, the refusal says so.
 */

import type { Plan } from "../../../access/plans.ts";
import { AppError } from "../../../errors.ts";
import type { Facets } from "../../../search/facet.ts";
import type { SearchAnswer } from "../../../search/searcher.ts";
import type { Segment } from "../../../search/segment.ts";
import {
  type CursorScope,
  type CursorSecrets,
  decodeCursor,
  encodeCursor,
  type PagesScope,
} from "../../../spec/cursor.ts";
import { fieldsHash } from "../../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { Question } from "../../server/service.ts";

/** How every page begins. A request id is checked: it needs no escaping. */
export function headOf(requestId: string): string {
  return `{"request_id":"${requestId}"`;
}

/** The time since a request came as answers tell it, in milliseconds with three decimals. */
export function tookMs(clock: { monotonicMs(): number }, startMs: number): number {
  return Math.round((clock.monotonicMs() - startMs) * 1000) / 1000;
}

/** The pieces of the tail that was made last; an empty one says nothing. */
const tail: string[] = new Array(7).fill("");

/** What follows the accounts, in pieces, until the next one is made. */
export function tailOf(
  { more, total }: Pick<SearchAnswer, "more" | "total">,
  next: string | null,
  counted: Facets | null,
  took: number,
): readonly string[] {
  // A cursor is base64url: it needs no escaping.
  tail[0] = next === null ? ',"next_cursor":null' : ',"next_cursor":"';
  tail[1] = next ?? "";
  tail[2] = foundText(next !== null, more, total);
  tail[3] = counted === null ? "" : `,"facets":${JSON.stringify(counted)}`;
  tail[4] = ',"took_ms":';
  tail[5] = String(took);
  tail[6] = "}";
  return tail;
}

/** What was found last, as text: the pages of a search say the same. */
const last = { quoted: false, more: false, total: Number.NaN, text: "" };

/** Whether there is more, and how much in all; behind the quotation mark that ends a cursor. */
function foundText(quoted: boolean, more: boolean, total: number): string {
  if (last.quoted !== quoted || last.more !== more || last.total !== total) {
    Object.assign(last, { quoted, more, total });
    last.text = `${quoted ? '"' : ""},"has_more":${more},"total":${total}`;
  }
  return last.text;
}

/** The text of an answer from the snapshot on up to where the list of `name` begins. */
export function prefixText(segment: Segment, members: object, name: string): string {
  return `,${snapshotText(segment)},${membersOf(members)},"${name}":`;
}

/** The same of a search, as bytes; and those of its spec in them, of which the JSON is there. */
export function searchPrefix(
  segment: Segment,
  spec: string,
): { readonly prefix: Buffer; readonly specText: Buffer } {
  const start = `,${snapshotText(segment)},"spec":`;
  const prefix = Buffer.from(`${start}${spec}${ACCOUNTS}`);
  const from = Buffer.byteLength(start);
  return { prefix, specText: prefix.subarray(from, prefix.byteLength - ACCOUNTS.length) };
}

const ACCOUNTS = ',"accounts":';

/** What an answer says of its snapshot. */
function snapshotText(segment: Segment): string {
  let text = texts.get(segment);
  if (text === undefined) {
    const { label: snapshot, snapshotDate: snapshot_date, provenance } = segment;
    text = membersOf({ snapshot, snapshot_date, provenance });
    texts.set(segment, text);
  }
  return text;
}

const texts = new WeakMap<Segment, string>();

/** The members of an object as JSON, without its braces; there is at least one. */
function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

/** A page that is asked for, as far as its cursors say. */
interface AskedPage {
  readonly segment: Segment;
  readonly prepared: {
    readonly spec: AccountQuerySpec;
    readonly cursor: string | null;
    readonly resultHash: string;
  };
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

/** As `decodeCursor`; of a spec with lists a mismatch says that one of them may have changed. */
export function decodeListed(
  spec: AccountQuerySpec,
  cursor: string,
  scope: CursorScope,
  secrets: CursorSecrets,
): number {
  try {
    return decodeCursor(cursor, scope, secrets);
  } catch (error) {
    if (spec.filters.lists === undefined) throw error;
    if (!(error instanceof AppError) || error.code !== "cursor_mismatch") throw error;
    const detail =
      "The spec is another one than that of this cursor, or a list that it names has changed " +
      "since. Begin again without a cursor.";
    const errors = [{ pointer: "/cursor", code: "cursor_mismatch", detail }];
    throw new AppError("cursor_mismatch", detail, { errors });
  }
}
