/**
 * The text of a page's answer around its accounts. What comes in: the id of a request, and what was
 * found. What goes out: what stands before the accounts, and what follows them.
 * Invariant: nothing here needs escaping, for ids are checked, cursors are base64url, and facets
 * come as JSON. Apart because answers from memory have the same head and end in the same time.
 */
import type { Facets } from "../../../search/facet.ts";
import type { SearchAnswer } from "../../../search/searcher.ts";
import type { Segment } from "../../../search/segment.ts";

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
