/**
 * The versions of the snapshot file. What comes in: a version that a file says it has. What goes
 * out: whether this program opens it, and the words where it does not.
 * Invariant: a file of other columns is a file of another version. One version back is opened, and
 * no more: a snapshot is made of a public dump and can be made again. What is added outside of the
 * directory and named in further members of the footer's JSON needs no version: who does not know
 * it passes over it, as the digests (`identity.ts`) were added to version 1.
 */

import { quoted } from "./printable.ts";

/** Version of the file format that is written; `format.h` has the same number. */
export const FORMAT_VERSION = 1;

/**
 * The versions that are opened, each with the fingerprint of the columns its files have. A column,
 * dimension, order or table that is added, removed or moved changes the fingerprint and takes a new
 * version, here and in `format.h`; the row of the version before it stays for one release, with
 * what its reader needs. There has been one version so far.
 */
export const ADMITTED: ReadonlyMap<number, bigint> = new Map([[1, 0x6422f1659f2dba30n]]);

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
