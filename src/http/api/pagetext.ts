/**
 * The text of a page's answer around its accounts. What comes in: the id of a request, and what was
 * found. What goes out: what stands before the accounts, and what follows them.
 * Invariant: nothing here needs escaping, for ids are checked, cursors are base64url, and facets
 * come as JSON. Apart because answers from memory have the same head and end in the same time.
 */
import type { Facets } from "../../search/facet.ts";
import type { SearchAnswer } from "../../search/searcher.ts";

/** How every page begins. A request id is checked: it needs no escaping. */
export function headOf(requestId: string): string {
  return `{"request_id":"${requestId}"`;
}

/** The time since a request came as answers tell it, in milliseconds with three decimals. */
export function tookMs(clock: { monotonicMs(): number }, startMs: number): number {
  return Math.round((clock.monotonicMs() - startMs) * 1000) / 1000;
}

/** The pieces of the tail that was made last; an empty one says nothing. */
const tail: string[] = new Array(9).fill("");

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
  tail[2] = next === null ? "" : '"';
  tail[3] = more ? ',"has_more":true,"total":' : ',"has_more":false,"total":';
  tail[4] = String(total);
  tail[5] = counted === null ? "" : `,"facets":${JSON.stringify(counted)}`;
  tail[6] = ',"took_ms":';
  tail[7] = String(took);
  tail[8] = "}";
  return tail;
}
