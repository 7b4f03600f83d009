/**
 * The metadata of a snapshot: the JSON of its META section and Arrow schema.
 * Input: codes, names, and dates gathered by an import. Output: the shape of the JSON, and the
 * string tables derived from it.
 * Invariant: nothing depends on the clock or the machine, so the same dump gives the same bytes.
 */
import { COLUMNS, type TableName } from "../columns.ts";

/** Names of the dictionaries. A code of a dictionary column is an ordinal in this sorted list. */
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
 * abroad and if unknown), state (`EX` abroad, null if unknown), population.
 */
export type SnapshotMunicipality = readonly [
  tom: string,
  name: string,
  ibge: string | null,
  uf: string | null,
  population: number | null,
];

/**
 * A municipality with its location: IBGE code; ordinals in `names` of its mesoregion, its
 * microregion, its intermediate region, and its immediate region; seat (latitude, longitude). Each
 * is null if unknown.
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

/** Statistical regions and municipal seats, supplied by an operator. */
export interface SnapshotPlaces {
  /** Names of regions, ascending; several regions may share one. */
  readonly names: readonly string[];
  /** Ascending by code. */
  readonly municipalities: readonly PlacedMunicipality[];
}

/**
 * A municipality that was not joined by its name alone: TOM code, name in the dump's table (empty
 * if it has none), IBGE code chosen (null if none).
 */
export type OddSnapshotMunicipality = readonly [tom: string, name: string, ibge: string | null];

/** Where a month's files came from, and which data they lacked. */
export interface SnapshotOrigin {
  /** Host from which the files were downloaded; null if unknown. */
  readonly host: string | null;
  /** True if some parts were missing or empty, and the import accepted that. */
  readonly partial: boolean;
  /** Malformed rows that were skipped. */
  readonly rows_left_out: number;
}

/** The JSON of the META section and the schema metadata; independent of the clock. */
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
    /** Since format 3: day of the list, `YYYY-MM-DD`. */
    readonly cnep_as_of_date?: string;
    readonly cepim_as_of_date?: string;
    /** Since format 3: month of PGFN's list of debts, `YYYY-MM`. */
    readonly pgfn_as_of_month?: string;
    /** Since format 3: month of the files from which corporate partners were read. */
    readonly partners_snapshot?: string;
  };
  /** Notes on the files; absent if there are none. */
  readonly origin?: SnapshotOrigin;
  /** Regions and seats; absent if the import had none. */
  readonly places?: SnapshotPlaces;
  /** In ascending order of code; absent if all municipalities were matched by name. */
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
   * Values in ascending order. A value's index is its stored code. `cnae_secondary` uses the
   * dictionary of `cnae_primary`. Columns that contain counts use `number`, which snapshots of
   * version 1 lack.
   */
  readonly dictionaries: Readonly<Record<DictionaryName, readonly string[]>>;
}

/** Columns whose values are numbers. They share one dictionary. */
const NUMBERS: readonly string[] = COLUMNS.flatMap(({ name, type }) =>
  type === "dictionary16_uint32" ? [name] : [],
);

/** Digits to which numbers are padded in the dictionary, so that texts are sorted like numbers. */
const NUMBER_DIGITS = 10;

/** Returns the dictionary of numbers that are given in ascending order. */
export function numberTexts(numbers: Iterable<number>): string[] {
  return Array.from(numbers, (number) => String(number).padStart(NUMBER_DIGITS, "0"));
}

/** Returns the name of the dictionary that a dictionary column uses. */
export function dictionaryOf(column: string): DictionaryName {
  if (NUMBERS.includes(column)) return "number";
  return column === "cnae_secondary" ? "cnae_primary" : (column as DictionaryName);
}

/** Returns the values of a string table: a dictionary, or texts derived from one. */
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
 * Returns names in the order of the codes. Both inputs ascend; a code without a name gets an empty
 * text. This runs each time a snapshot is opened, and destructuring the rows would cost
 * milliseconds.
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

/** Returns the populations in the order of IBGE codes, unlike the metadata. */
function populations(
  codes: readonly string[],
  municipalities: readonly SnapshotMunicipality[],
): string[] {
  const people = new Map<string | null, number | null>();
  for (const place of municipalities) people.set(place[2], place[4]);
  return codes.map((code) => String(people.get(code) ?? ""));
}

/** Encodes a string table section: u32 count, u32 offsets[count + 1], bytes. */
export function encodeTable(values: readonly string[]): Buffer {
  // Joins the texts before copying them, which is faster. The tables are built again each time a
  // snapshot is opened.
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
