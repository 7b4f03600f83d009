/**
 * Makes lists of rows for tests. It opens a list in the addon from a portable bitmap of the
 * `roaring` package, and remembers the rows of each list. Invariant: the remembered rows are never
 * read from the addon.
 */
import { type NativeRowList, openRowList } from "../../../native-index/napi/engine.ts";
import { portableBytes } from "./roaring-oracle.ts";

const made = new WeakMap<NativeRowList, ReadonlySet<number>>();

/** Opens a list of these rows in the addon. */
export function rowListOf(rows: Iterable<number>): NativeRowList {
  const set = new Set(rows);
  const list = openRowList(portableBytes(set));
  made.set(list, set);
  return list;
}

/** The rows that a list was made of. */
export function rowsIn(list: NativeRowList): ReadonlySet<number> {
  const rows = made.get(list);
  if (rows === undefined) throw new Error("the list was made elsewhere");
  return rows;
}

/**
 * Returns random rows below `count` in one of the shapes of containers: few rows, many rows, runs,
 * all rows, or none.
 */
export function randomRowSet(random: () => number, count: number): number[] {
  const shape = random();
  if (shape < 0.1 || count === 0) return [];
  if (shape < 0.2) return Array.from({ length: count }, (_, row) => row);
  if (shape < 0.5) {
    return Array.from({ length: 1 + random() * 300 }, () => Math.floor(random() * count));
  }
  const rows: number[] = [];
  if (shape < 0.75) {
    for (let row = Math.floor(random() * 900); row < count; row += Math.floor(random() * 900)) {
      for (const end = row + random() * 600; row < Math.min(end, count); row++) rows.push(row);
      row++;
    }
    return rows;
  }
  const density = random();
  for (let row = 0; row < count; row++) if (random() < density) rows.push(row);
  return rows;
}
