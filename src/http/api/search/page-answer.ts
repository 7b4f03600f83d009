/**
 * The text around the accounts of a page, and its cursors. Input: a request, and its result.
 * Output: the text before and after the accounts, a page's start row, and the next cursor.
 * Invariant: the text needs no escaping, because ids are checked, cursors are base64url, and facets
 * come as JSON. A cursor is valid only for its spec, fields, snapshot, tenant, and route. If a list
 * of the spec changed, the error says so.
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
import type { QueryContext } from "../../server/service.ts";

/** Returns the start of a page. Request ids are checked, so they need no escaping. */
export function headOf(requestId: string): string {
  return `{"request_id":"${requestId}"`;
}

/** Returns the time since a request arrived, in milliseconds with three decimals. */
export function tookMs(clock: { monotonicMs(): number }, startMs: number): number {
  return Math.round((clock.monotonicMs() - startMs) * 1000) / 1000;
}

/** Returns JSON with these members, the JSON text `bytes` as the member `name`, and the time. */
export function withBytes(members: object, name: string, bytes: Uint8Array, took: number): Buffer {
  const head = JSON.stringify(members).slice(0, -1);
  const tail = `,"took_ms":${took}}`;
  return Buffer.concat([Buffer.from(`${head},"${name}":`), bytes, Buffer.from(tail)]);
}

/** Reused array for the parts of a tail. */
const tail: string[] = new Array(7).fill("");

/** Returns the text after the accounts in parts, valid until the next call. */
export function tailOf(
  { more, total }: Pick<SearchAnswer, "more" | "total">,
  next: string | null,
  counted: Facets | null,
  took: number,
): readonly string[] {
  // Base64url cursors need no escaping.
  tail[0] = next === null ? ',"next_cursor":null' : ',"next_cursor":"';
  tail[1] = next ?? "";
  tail[2] = foundText(next !== null, more, total);
  tail[3] = counted === null ? "" : `,"facets":${JSON.stringify(counted)}`;
  tail[4] = ',"took_ms":';
  tail[5] = String(took);
  tail[6] = "}";
  return tail;
}

/** Text of the latest result, because the pages of one search have the same text. */
const last = { quoted: false, more: false, total: Number.NaN, text: "" };

/** Returns `has_more` and `total` as JSON text. If `quoted`, starts with the cursor's end quote. */
function foundText(quoted: boolean, more: boolean, total: number): string {
  if (last.quoted !== quoted || last.more !== more || last.total !== total) {
    Object.assign(last, { quoted, more, total });
    last.text = `${quoted ? '"' : ""},"has_more":${more},"total":${total}`;
  }
  return last.text;
}

/** Returns the text of an answer from the snapshot to the start of the list `name`. */
export function prefixText(segment: Segment, members: object, name: string): string {
  return `,${snapshotText(segment)},${membersOf(members)},"${name}":`;
}

/** Like `prefixText` for a search, as bytes; `specText` is the part with the spec. */
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

/** Returns the snapshot members of an answer. */
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

/** Returns the members of a non-empty object as JSON without braces. */
function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

interface PageOfSearch {
  readonly segment: Segment;
  readonly prepared: {
    readonly spec: AccountQuerySpec;
    readonly cursor: string | null;
    readonly resultHash: string;
  };
  /** Name of the route that cursors are bound to. */
  readonly kind: { readonly endpoint: string };
}

/** Returns the row after which the page begins, as the cursor states, or -1 for the first page. */
export function rowAfter(call: QueryContext<"secrets">, question: PageOfSearch): number {
  const { cursor } = question.prepared;
  if (cursor === null) return -1;
  const binding = bindingOf(call, question);
  const scope = { ...pagesScope(call, question), binding };
  return decodeListed(question.prepared.spec, cursor, scope, call.service.secrets.cursor);
}

/** Returns the cursor of the page that follows `lastRow`. */
export function cursorAfter(
  call: QueryContext<"secrets">,
  question: PageOfSearch,
  { lastRow }: { readonly lastRow: number },
): string {
  const binding = bindingOf(call, question);
  return encodeCursor(
    { ...pagesScope(call, question), lastRow, binding },
    call.service.secrets.cursor,
  );
}

/** Returns the scope of a request's cursors. */
function pagesScope({ plan }: QueryContext, { segment, prepared }: PageOfSearch): PagesScope {
  return {
    snapshotId: segment.snapshotId,
    specHash: prepared.resultHash,
    fieldsHash: allowedFieldsHash(plan),
  };
}

/** Returns the other values that a cursor is bound to: the tenant and the route. */
function bindingOf({ identity }: QueryContext, { kind }: PageOfSearch): readonly string[] {
  return [identity.tenantId, kind.endpoint];
}

const fieldHashes = new WeakMap<Plan, string>();

/** Returns the cached hash of a plan's fields. */
export function allowedFieldsHash(plan: Plan): string {
  const hash = fieldHashes.get(plan) ?? fieldsHash(plan.fields);
  fieldHashes.set(plan, hash);
  return hash;
}

/** Like `decodeCursor`, but the error for a mismatch mentions lists that may have changed. */
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
