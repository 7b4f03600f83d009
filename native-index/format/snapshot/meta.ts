/**
 * The metadata of a snapshot: what its META section and its Arrow schema carry as JSON.
 * What comes in: codes, names, dates gathered by an import. What goes out: the JSON's shape, and
 * the string tables derived from it.
 * Invariant: it holds nothing of the clock or the machine, so the same dump gives the same bytes.
 */
import { COLUMNS, type TableName } from "../columns.ts";

/** Dictionary columns: their codes are ordinals in the sorted list of this name. */
export type DictionaryName =
  | "registration_status_reason"
  | "cnae_primary"
  | "legal_nature"
  | "company_size_code"
  | "uf"
  | "municipality_ibge"
  | "municipality_tom"
  | "country_code"
  | "number";

/** Code and description. */
export type CodeName = readonly [code: string, name: string];

/**
 * A municipality of the registry's table: TOM code (4 digits), name, IBGE code (7 digits; null
 * abroad and where unknown), state (`EX` abroad, null where unknown), population.
 */
export type SnapshotMunicipality = readonly [
  tom: string,
  name: string,
  ibge: string | null,
  uf: string | null,
  population: number | null,
];

/**
 * A municipality with its place: IBGE code, ordinals of its mesoregion, microregion, intermediate
 * and immediate region among `names`, latitude and longitude of its seat; null where unknown.
 */
export type PlacedMunicipality = readonly [
  ibge: string,
  mesoregion: number | null,
  microregion: number | null,
  intermediate: number | null,
  immediate: number | null,
  latitude: number | null,
  longitude: number | null,
];

/** Regions of the statistics and seats, as an operator gave them to an import. */
export interface SnapshotPlaces {
  /** Names of regions, ascending; one may be that of several regions. */
  readonly names: readonly string[];
  /** Ascending by code. */
  readonly municipalities: readonly PlacedMunicipality[];
}

/**
 * A municipality that was not joined by its name alone: TOM code, name in the dump's table (empty
 * if it has none), IBGE code that was taken (null if none was).
 */
export type OddSnapshotMunicipality = readonly [tom: string, name: string, ibge: string | null];

/** Where the files of a month came from, and what of it the snapshot lacks. */
export interface SnapshotOrigin {
  /** Host that they were downloaded from; null where nobody says. */
  readonly host: string | null;
  /** Whether parts were missing, or had no rows, and that was allowed. */
  readonly partial: boolean;
  /** Malformed rows that were left out. */
  readonly rows_left_out: number;
}

/** The JSON of the META section and of the schema metadata; holds nothing of the clock. */
export interface SnapshotMeta {
  readonly format: number;
  /** Release label `YYYY-MM`. */
  readonly label: string;
  /** `YYYY-MM-DD`. */
  readonly snapshot_date: string;
  readonly provenance: {
    readonly rfb_snapshot: string;
    readonly ibge_population_year: string;
    readonly ceis_as_of_date: string;
  };
  /** What is to be known of the files; absent where nothing is. */
  readonly origin?: SnapshotOrigin;
  /** Absent where an import was given none. */
  readonly places?: SnapshotPlaces;
  /** Ascending by code; absent where all were joined by their names. */
  readonly odd_municipalities?: readonly OddSnapshotMunicipality[];
  readonly accounts: number;
  readonly score_version: number;
  readonly created_by: string;
  /** Ascending by code. */
  readonly lookups: {
    readonly cnaes: readonly CodeName[];
    readonly legal_natures: readonly CodeName[];
    readonly reasons: readonly CodeName[];
    readonly countries: readonly CodeName[];
    readonly municipalities: readonly SnapshotMunicipality[];
  };
  /**
   * Ascending; the ordinal is the stored code. `cnae_secondary` uses that of `cnae_primary`; what
   * was counted uses `number`, of which a snapshot of version 1 has none.
   */
  readonly dictionaries: Readonly<Record<DictionaryName, readonly string[]>>;
}

/** Columns of numbers, which share a dictionary. */
const NUMBERS: readonly string[] = COLUMNS.flatMap(({ name, type }) =>
  type === "dictionary16_uint32" ? [name] : [],
);

/** Digits of a number in the dictionary, so that texts ascend as the numbers do. */
const NUMBER_DIGITS = 10;

/** A dictionary of numbers, which ascend. */
export function numberTexts(numbers: Iterable<number>): string[] {
  return Array.from(numbers, (number) => String(number).padStart(NUMBER_DIGITS, "0"));
}

/** The dictionary that a dictionary column uses. */
export function dictionaryOf(column: string): DictionaryName {
  if (NUMBERS.includes(column)) return "number";
  return column === "cnae_secondary" ? "cnae_primary" : (column as DictionaryName);
}

/** Values of a string table: a dictionary, or what is derived from one. */
export function tableValues(meta: SnapshotMeta, name: TableName): readonly string[] {
  const { dictionaries, lookups } = meta;
  switch (name) {
    case "cnae_description":
      return aligned(dictionaries.cnae_primary, lookups.cnaes);
    case "legal_nature_description":
      return aligned(dictionaries.legal_nature, lookups.legal_natures);
    case "municipality_name":
      return aligned(dictionaries.municipality_tom, lookups.municipalities);
    case "municipality_population":
      return populations(dictionaries.municipality_ibge, lookups.municipalities);
    default:
      return dictionaries[name];
  }
}

/**
 * Names in the order of the codes, both ascending; empty where a code has none. Like all of this
 * file it is part of every opening, where taking rows apart by patterns would cost milliseconds.
 */
function aligned(
  codes: readonly string[],
  rows: readonly (CodeName | SnapshotMunicipality)[],
): string[] {
  let at = 0;
  return codes.map((code) => {
    let row = rows[at];
    while (row !== undefined && row[0] < code) row = rows[++at];
    return row?.[0] === code ? row[1] : "";
  });
}

/** By IBGE code, which the municipalities are not in the order of. */
function populations(
  codes: readonly string[],
  municipalities: readonly SnapshotMunicipality[],
): string[] {
  const people = new Map<string | null, number | null>();
  for (const place of municipalities) people.set(place[2], place[4]);
  return codes.map((code) => String(people.get(code) ?? ""));
}

/** Bytes of a string table section: u32 count, u32 offsets[count + 1], bytes. */
export function encodeTable(values: readonly string[]): Buffer {
  // One copy of all texts: the tables are made again whenever a snapshot is opened.
  const text = values.join("");
  const head = new Uint32Array(values.length + 2);
  head[0] = values.length;
  const isAscii = Buffer.byteLength(text) === text.length;
  let offset = 0;
  values.forEach((value, i) => {
    offset += isAscii ? value.length : Buffer.byteLength(value);
    head[i + 2] = offset;
  });
  return Buffer.concat([Buffer.from(head.buffer), Buffer.from(text)]);
}
