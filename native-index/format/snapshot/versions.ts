/**
 * The versions of the snapshot file. Input: the version of a file. Output: whether this program
 * opens it, or the reason why not.
 * Invariant: a change of the columns needs a new version. Only versions since the last release are
 * opened, because a snapshot can be rebuilt from a public dump. Data outside of the directory needs
 * no new version: an additional member of the footer's JSON names it, and older readers skip this
 * member. The digests (`identity.ts`) were added to version 1 in this way.
 */

import { COLUMNS, type Column, TABLES, type TableName } from "../columns.ts";
import { quoted } from "../printable.ts";

/** Version of the file format that is written; `format.h` has the same number. */
export const FORMAT_VERSION = 3;

/**
 * The versions that are opened, each with the fingerprint of its columns. Adding, removing, or
 * moving a column, dimension, order, or table changes the fingerprint and needs a new version, here
 * and in `format.h`. The row of a version is deleted in the second release after it, together with
 * the data that its reader needs. Versions 1 and 2 lack the last columns of `columns.ts`, and
 * version 1 also lacks the last table.
 */
export const ADMITTED: ReadonlyMap<number, bigint> = new Map([
  [1, 0x6422f1659f2dba30n],
  [2, 0xb8df1319d2ff3433n],
  [3, 0xfa5294af7b79187an],
]);

/** For each version, how many of the last columns it lacks because they were added later. */
const LATER_COLUMNS: ReadonlyMap<number, number> = new Map([
  [1, 14],
  [2, 9],
]);

/** Returns the columns of a version. */
export function columnsOf(version: number): readonly Column[] {
  return COLUMNS.slice(0, COLUMNS.length - (LATER_COLUMNS.get(version) ?? 0));
}

/** Returns the string tables of a version. */
export function tablesOf(version: number): readonly TableName[] {
  return version === 1 ? TABLES.filter((name) => name !== "number") : TABLES;
}

/**
 * Returns the reason why a version is not opened: the file is too old for this program, or the
 * program is too old for the file.
 */
export function versionRefusal(version: unknown): string {
  const known = [...ADMITTED.keys()].join(", ");
  if (typeof version === "number" && version > FORMAT_VERSION) {
    return (
      `it has index format ${version}, which is of a newer version of Peneira (this one reads ` +
      `${known}); use that version, or import the dump again with this one`
    );
  }
  const other = `it has index format ${quoted(version)}, this program reads ${known}`;
  return `${other}; import the dump again with this version`;
}
