/**
 * The versions of the snapshot file. What comes in: a version that a file says it has. What goes
 * out: whether this program opens it, and the words where it does not.
 * Invariant: a file of other columns is a file of another version. One version back is opened, and
 * no more: a snapshot is made of a public dump and can be made again. What is added outside of the
 * directory and named in further members of the footer's JSON needs no version: who does not know
 * it passes over it, as the digests (`identity.ts`) were added to version 1.
 */

import { COLUMNS, type Column, TABLES, type TableName } from "../columns.ts";
import { quoted } from "../printable.ts";

/** Version of the file format that is written; `format.h` has the same number. */
export const FORMAT_VERSION = 2;

/**
 * The versions that are opened, each with the fingerprint of the columns its files have. A column,
 * dimension, order or table that is added, removed or moved changes the fingerprint and takes a new
 * version, here and in `format.h`; the row of the version before it stays for one release, with
 * what its reader needs: version 1 lacks the last columns and the last table of `columns.ts`.
 */
export const ADMITTED: ReadonlyMap<number, bigint> = new Map([
  [1, 0x6422f1659f2dba30n],
  [2, 0xb8df1319d2ff3433n],
]);

/** Columns that a version lacks: those that came after it. */
const LATER_COLUMNS: ReadonlyMap<number, number> = new Map([[1, 5]]);

/** The columns of a version; all of them of the present one. */
export function columnsOf(version: number): readonly Column[] {
  return COLUMNS.slice(0, COLUMNS.length - (LATER_COLUMNS.get(version) ?? 0));
}

/** The string tables of a version. */
export function tablesOf(version: number): readonly TableName[] {
  return version === 1 ? TABLES.filter((name) => name !== "number") : TABLES;
}

/** Why a version is not opened. Of a newer file the program must change, of an older the file. */
export function versionRefusal(version: unknown): string {
  const known = [...ADMITTED.keys()].join(" and ");
  if (typeof version === "number" && version > FORMAT_VERSION) {
    return (
      `it has index format ${version}, which is of a newer version of Peneira (this one reads ` +
      `${known}); use that version, or import the dump again with this one`
    );
  }
  const other = `it has index format ${quoted(version)}, this program reads ${known}`;
  return `${other}; import the dump again with this version`;
}
