/**
 * Dictionaries and code tables of a snapshot.
 * What comes in: the tables of a release, the codes in use, populations.
 * What goes out: the `dictionaries` and `lookups` of the metadata.
 * Invariant: everything is ascending by code, so the order of files and threads leaves no trace.
 */
import type { CodeName, SnapshotMeta } from "../../native-index/meta.ts";
import { COMPANY_SIZE_CODES, UFS } from "../spec/fields.ts";
import { type AllCodes, buildDictionary, CODE_KINDS, CODE_WIDTHS, type CodeKind } from "./codes.ts";

/** Code to description, by kind of code; the codes have their leading zeros. */
export type KnownCodes = Readonly<Record<Exclude<CodeKind, "ibge">, ReadonlyMap<string, string>>>;

/** Dictionaries of every kind of code. */
export type KindDictionaries = Readonly<Record<CodeKind, readonly string[]>>;

/** Gives codes of a table their leading zeros; codes that are no such number are left out. */
export function padCodes(
  kind: CodeKind,
  table: ReadonlyMap<string, string>,
): { readonly codes: Map<string, string>; readonly odd: readonly string[] } {
  const codes = new Map<string, string>();
  const odd: string[] = [];
  for (const [code, name] of table) {
    if (/^\d+$/.test(code) && code.length <= CODE_WIDTHS[kind]) {
      codes.set(code.padStart(CODE_WIDTHS[kind], "0"), name);
    } else odd.push(code);
  }
  return { codes, odd };
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
export function metaDictionaries(kinds: KindDictionaries): SnapshotMeta["dictionaries"] {
  return {
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
