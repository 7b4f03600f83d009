/**
 * Dictionaries and code tables of a snapshot.
 * What comes in: the tables of a release, the codes in use, populations.
 * What goes out: the `dictionaries` and `lookups` of the metadata.
 * Invariant: everything is ascending by code, so the order of files and threads leaves no trace.
 */

import { isPrintable, printable } from "../../native-index/format/printable.ts";
import {
  type CodeName,
  numberTexts,
  type SnapshotMeta,
} from "../../native-index/format/snapshot/meta.ts";
import { NAME_LENGTH_MAX } from "../../native-index/format/snapshot/meta-schema.ts";
import { COMPANY_SIZE_CODES, UFS } from "../spec/fields.ts";
import { type AllCodes, buildDictionary, CODE_KINDS, CODE_WIDTHS, type CodeKind } from "./codes.ts";

/** Code to description, by kind of code; the codes have their leading zeros. */
export type KnownCodes = Readonly<Record<Exclude<CodeKind, "ibge">, ReadonlyMap<string, string>>>;

/** Dictionaries of every kind of code. */
export type KindDictionaries = Readonly<Record<CodeKind, readonly string[]>>;

/** A table of a release as a snapshot may hold it, and what was odd about it. */
interface PaddedTable {
  readonly codes: Map<string, string>;
  /** Codes that are no numbers of their kind; left out. */
  readonly odd: readonly string[];
  /** How many names were no printable line, or too long for one. */
  readonly mended: number;
}

/** Gives codes of a table their leading zeros, and makes names printable that are not. */
export function padCodes(kind: CodeKind, table: ReadonlyMap<string, string>): PaddedTable {
  const codes = new Map<string, string>();
  const odd: string[] = [];
  let mended = 0;
  for (const [code, name] of table) {
    if (/^\d+$/.test(code) && code.length <= CODE_WIDTHS[kind]) {
      const line = lineOf(name);
      if (line !== name) mended++;
      codes.set(code.padStart(CODE_WIDTHS[kind], "0"), line);
    } else odd.push(code);
  }
  return { codes, odd, mended };
}

/** A name as the metadata may hold it; the rest of one that is too long is an ellipsis. */
function lineOf(name: string): string {
  const line = isPrintable(name) ? name : printable(name);
  if (line.length <= NAME_LENGTH_MAX) return line;
  // Half of a character at the end is not printable, and goes too.
  return `${printable(line.slice(0, NAME_LENGTH_MAX - 1))}…`;
}

/** Sorted union of the known codes and those in use, for every kind. */
export function buildDictionaries(
  known: KnownCodes,
  ibgeCodes: Iterable<string>,
  used: readonly AllCodes[],
): KindDictionaries {
  const entries = CODE_KINDS.map((kind) => {
    const codes = kind === "ibge" ? ibgeCodes : known[kind].keys();
    return [
      kind,
      buildDictionary(
        kind,
        codes,
        used.map((task) => task[kind]),
      ),
    ];
  });
  return Object.fromEntries(entries) as KindDictionaries;
}

/** The dictionaries as the metadata name them. */
export function metaDictionaries(
  kinds: KindDictionaries,
  numbers: Uint32Array,
): SnapshotMeta["dictionaries"] {
  return {
    number: numberTexts(numbers),
    registration_status_reason: kinds.reason,
    cnae_primary: kinds.cnae,
    legal_nature: kinds.nature,
    company_size_code: COMPANY_SIZE_CODES,
    uf: UFS,
    municipality_ibge: kinds.ibge,
    municipality_tom: kinds.tom,
    country_code: kinds.country,
  };
}

/** A table of code and description, ascending by code. */
export function codeNames(table: ReadonlyMap<string, string>): CodeName[] {
  return [...table].sort(([a], [b]) => (a < b ? -1 : 1));
}
