/**
 * Row lists of a snapshot that stand for values, such as districts. Input: a key, and what finds
 * the rows. Output: the list.
 * Invariant: the rows of a key are one object while they are cached, so that the kernel finds again
 * what it cached for them; as many are cached as few megabytes hold.
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { Segment } from "./segment.ts";

/** Bytes of row lists that are kept for a snapshot; one that is larger is kept alone. */
const KEPT_BYTES_MAX = 32 * 2 ** 20;
/** Lists that are kept, so that many small ones end as well. */
const KEPT_LISTS_MAX = 1_000;
/** Bytes of a list, at most: two for each row, and no more than a bit for every row there is. */
const bytesOf = ({ size, end }: NativeRowList) => Math.min(2 * size, end / 8 + 8_192);

const kept = new WeakMap<Segment, Map<string, NativeRowList>>();

/** Returns the rows of a key; finds them if they are not cached. */
export function keptRows(segment: Segment, key: string, find: () => NativeRowList): NativeRowList {
  const lists = kept.get(segment) ?? new Map<string, NativeRowList>();
  kept.set(segment, lists);
  const list = lists.get(key) ?? find();
  // The one that was asked for last goes last.
  lists.delete(key);
  lists.set(key, list);
  let bytes = 0;
  for (const one of lists.values()) bytes += bytesOf(one);
  for (const [oldest, one] of lists) {
    if ((bytes <= KEPT_BYTES_MAX && lists.size <= KEPT_LISTS_MAX) || oldest === key) break;
    lists.delete(oldest);
    bytes -= bytesOf(one);
  }
  return list;
}

/** Forgets the rows of a segment, for the file that they were read from may have changed. */
export function forgetRows(segment: Segment): void {
  kept.delete(segment);
}
