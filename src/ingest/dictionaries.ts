/**
 * Dictionaries of codes, and the code tables of a snapshot. While a task reads rows, it gives each
 * new code a provisional number, in order of appearance. Input: numeric codes of the rows; then the
 * tables of the release, and populations. Output: sorted dictionaries; for each task, a map from
 * its provisional numbers to positions in the dictionary; `dictionaries` and `lookups` of the
 * metadata.
 * Invariant: a dictionary is the ascending union of the release's table and the codes in use, so
 * the order of rows, files, and threads has no effect.
 */
import { RECORD_NULL } from "../../native-index/builder/record.ts";
import { isPrintable, printable } from "../../native-index/format/printable.ts";
import {
  type CodeName,
  numberTexts,
  type SnapshotMeta,
} from "../../native-index/format/snapshot/meta.ts";
import { NAME_LENGTH_MAX } from "../../native-index/format/snapshot/meta-schema.ts";
import { CommandError } from "../errors.ts";
import { COMPANY_SIZE_CODES, UFS } from "../spec/fields.ts";

/** Kinds of codes that rows contain as numbers, each with its number of digits. */
export const CODE_WIDTHS = { cnae: 7, nature: 4, reason: 2, tom: 4, country: 3, ibge: 7 } as const;

/** A kind of code. */
export type CodeKind = keyof typeof CODE_WIDTHS;

/** All kinds, in a fixed order. */
export const CODE_KINDS = Object.keys(CODE_WIDTHS) as readonly CodeKind[];

/**
 * The codes that one task found, and the number of rows with each. Both arrays are indexed by the
 * provisional number of the code. Can be sent between threads.
 */
interface CodesInUse {
  readonly codes: Uint32Array;
  readonly counts: Float64Array;
}

/** Assigns provisional numbers to the codes of one kind, in order of appearance. */
export class CodeCounter {
  /**
   * Each code's provisional number plus 1, indexed by the code; 0 if the code has no number yet. An
   * array needs one read for a lookup, and a Map several. Memory pages without a code are never
   * allocated.
   */
  private readonly numbers: Uint16Array;
  private readonly codes: number[] = [];
  private readonly counts: number[] = [];

  /** `width` is the maximum number of digits of a code. */
  constructor(width: number) {
    this.numbers = new Uint16Array(10 ** width);
  }

  /** Returns a code's provisional number and counts a use. @throws CommandError for over 65,534. */
  numberOf(code: number): number {
    let number = (this.numbers[code] as number) - 1;
    if (number < 0) number = this.add(code);
    this.counts[number] = (this.counts[number] as number) + 1;
    return number;
  }

  private add(code: number): number {
    const number = this.codes.length;
    if (number === RECORD_NULL.u16 - 1) {
      throw new CommandError(`over ${number} different codes in one column; it holds no codes`);
    }
    this.numbers[code] = number + 1;
    this.codes.push(code);
    this.counts.push(0);
    return number;
  }

  /** The codes so far. */
  result(): CodesInUse {
    return { codes: Uint32Array.from(this.codes), counts: Float64Array.from(this.counts) };
  }
}

/** The codes that rows contain, for each kind. */
export type AllCodes = Readonly<Record<CodeKind, CodesInUse>>;

/** A counter for every kind. */
export type AllCounters = Readonly<Record<CodeKind, CodeCounter>>;

/** Returns a new counter for each kind of code. */
export function newCounters(): AllCounters {
  const entries = CODE_KINDS.map((kind) => [kind, new CodeCounter(CODE_WIDTHS[kind])]);
  return Object.fromEntries(entries) as unknown as AllCounters;
}

/** Returns the codes that each counter has found. */
export function codesInUse(counters: AllCounters): AllCodes {
  const entries = CODE_KINDS.map((kind) => [kind, counters[kind].result()]);
  return Object.fromEntries(entries) as unknown as AllCodes;
}

/** A code as text with its leading zeros. */
function codeText(kind: CodeKind, code: number): string {
  return String(code).padStart(CODE_WIDTHS[kind], "0");
}

/** Max entries of a dictionary. Codes have 8 or 16 bits, and the highest value means null. */
const ENTRIES_MAX: Readonly<Record<CodeKind, number>> = {
  cnae: 0xffff,
  nature: 0xffff,
  reason: 0xff,
  tom: 0xffff,
  country: 0xffff,
  ibge: 0xffff,
};

/**
 * Returns the dictionary of a kind: its known codes and the codes that rows contain, in ascending
 * order.
 * @throws CommandError if there are more codes than its 8 or 16 bits can number.
 */
export function buildDictionary(
  kind: CodeKind,
  known: Iterable<string>,
  used: readonly CodesInUse[],
): string[] {
  const codes = new Set<string>();
  for (const code of known) codes.add(code.padStart(CODE_WIDTHS[kind], "0"));
  for (const { codes: met } of used) for (const code of met) codes.add(codeText(kind, code));
  if (codes.size > ENTRIES_MAX[kind]) {
    throw new CommandError(`${codes.size} different ${kind} codes; ${ENTRIES_MAX[kind]} fit`);
  }
  return [...codes].sort();
}

/** Returns a map from each code of a dictionary to its position (ordinal). */
export function ordinalsOf(dictionary: readonly string[]): ReadonlyMap<string, number> {
  return new Map(dictionary.map((code, ordinal) => [code, ordinal]));
}

/**
 * Returns an array that maps the provisional numbers of a task to positions in the dictionary.
 * `ordinals` has the positions for this kind of code.
 */
export function remapTable(
  kind: CodeKind,
  ordinals: ReadonlyMap<string, number>,
  used: CodesInUse,
): Uint16Array {
  return Uint16Array.from(used.codes, (code) => {
    return ordinals.get(codeText(kind, code)) ?? RECORD_NULL.u16;
  });
}

/** For each kind of code, the table that `remapTable` returns. */
export type AllRemaps = Readonly<Record<CodeKind, Uint16Array>>;

/** For each kind of code, the known codes (with leading zeros) and their descriptions. */
export type KnownCodes = Readonly<Record<Exclude<CodeKind, "ibge">, ReadonlyMap<string, string>>>;

/** The dictionary of each kind of code. */
export type KindDictionaries = Readonly<Record<CodeKind, readonly string[]>>;

/** A table of the release in the form that snapshots use, and the irregularities found in it. */
interface PaddedTable {
  readonly codes: Map<string, string>;
  /** Codes that were dropped because they are not numbers of their kind. */
  readonly odd: readonly string[];
  /** Number of names that were changed because they were unprintable or too long. */
  readonly corrected: number;
}

/** Pads codes of a table with zeros, and makes names printable. */
export function padCodes(kind: CodeKind, table: ReadonlyMap<string, string>): PaddedTable {
  const codes = new Map<string, string>();
  const odd: string[] = [];
  let corrected = 0;
  for (const [code, name] of table) {
    if (/^\d+$/.test(code) && code.length <= CODE_WIDTHS[kind]) {
      const line = lineOf(name);
      if (line !== name) corrected++;
      codes.set(code.padStart(CODE_WIDTHS[kind], "0"), line);
    } else odd.push(code);
  }
  return { codes, odd, corrected };
}

/** Returns a name as one printable line; truncates long names with an ellipsis. */
function lineOf(name: string): string {
  const line = isPrintable(name) ? name : printable(name);
  if (line.length <= NAME_LENGTH_MAX) return line;
  // Truncation may leave a lone surrogate, which is unprintable and therefore removed too.
  return `${printable(line.slice(0, NAME_LENGTH_MAX - 1))}…`;
}

/** Returns a dictionary for each kind: the known codes and the codes that rows contain, sorted. */
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

/** Returns the dictionaries under their names in the metadata. */
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
