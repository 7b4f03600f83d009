/**
 * The slow reference implementation of the addon's queries. Input: fixture rows by row id, clauses,
 * sort keys, and output fields. Output: the matching rows, their order, and their JSON.
 * Invariant: each query is one plain loop over decoded rows. It uses only one function of the
 * addon, the seeded position of a row, which test/support/twin.ts checks independently.
 */
import type { DimensionName } from "../../../native-index/format/columns.ts";
import type { Clause, OrderKey } from "../../../native-index/napi/engine.ts";
import { feistel } from "../../../native-index/napi/engine.ts";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { kindOfPhone, whatsappOf } from "../twin.ts";
import { FIXTURE_NUMBERS, FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { codesOf } from "./region-twin.ts";
import { rowsIn } from "./row-lists.ts";

/** Returns a function that is true if the row of an id meets a clause. */
function meeting(rows: readonly FixtureRow[], clause: Clause): (id: number) => boolean {
  if (clause.kind === "posting") {
    const parts = clause.any.map(({ dimension, codes }) => {
      const wanted = new Set(codes);
      const held = allCodes(rows, dimension);
      return (id: number) => held[id]?.some((code) => wanted.has(code)) === true;
    });
    return (id) => parts.some((holds) => holds(id)) !== clause.negated;
  }
  if (clause.kind === "words") {
    return (id) => {
      const words = wordsOf(rows[id] as FixtureRow);
      return clause.hints.some((hint) => hint.every((word) => words.includes(word)));
    };
  }
  if (clause.kind === "rows") {
    const sets = clause.lists.map(rowsIn);
    return (id) => sets.some((set) => set.has(id)) !== clause.negated;
  }
  const columns = [clause.column, clause.or ?? clause.column];
  const values = columns.map((column) => allNumbers(rows, column));
  return (id) =>
    values.some((numbers) => {
      const value = numbers[id] as number;
      return clause.ranges.some(([low, high]) => value >= low && value <= high);
    });
}

type RangeColumn = Extract<Clause, { kind: "range" }>["column"];
const knownNumbers = new WeakMap<readonly FixtureRow[], Map<RangeColumn, Float64Array>>();

/**
 * Returns the numbers of every row in a column, with NaN for a missing value. They are cached,
 * because every test needs them.
 */
function allNumbers(rows: readonly FixtureRow[], column: RangeColumn): Float64Array {
  const known = knownNumbers.get(rows) ?? new Map<RangeColumn, Float64Array>();
  knownNumbers.set(rows, known);
  const numbers = known.get(column) ?? Float64Array.from(rows, (row) => exactly(row[column]));
  known.set(column, numbers);
  return numbers;
}

function exactly(value: number | bigint | boolean | null): number {
  if (value === null) return Number.NaN;
  if (!Number.isSafeInteger(Number(value))) throw new Error(`${value} is no exact number`);
  return Number(value);
}

type Codes = readonly (readonly number[])[];
const knownCodes = new WeakMap<readonly FixtureRow[], Map<DimensionName, Codes>>();

/** Returns the codes of every row in a dimension. They are cached, as every test needs them. */
function allCodes(rows: readonly FixtureRow[], dimension: DimensionName): Codes {
  const known = knownCodes.get(rows) ?? new Map<DimensionName, Codes>();
  knownCodes.set(rows, known);
  const codes = known.get(dimension) ?? rows.map((row) => codesOf(row, dimension));
  known.set(dimension, codes);
  return codes;
}

const knownWords = new WeakMap<FixtureRow, readonly string[]>();

/** Returns the words of both names of a row. They are cached, because every test needs them. */
function wordsOf(row: FixtureRow): readonly string[] {
  const known = knownWords.get(row);
  if (known !== undefined) return known;
  const words = [row.legal_name, row.trade_name].flatMap((name) => analyzeWords(name ?? ""));
  knownWords.set(row, words);
  return words;
}

/** Returns the ids of the rows that satisfy all clauses, ascending. */
export function matchesOf(rows: readonly FixtureRow[], clauses: readonly Clause[]): number[] {
  const all = rows.map((_, id) => id);
  return clauses.reduce((ids, clause) => ids.filter(meeting(rows, clause)), all);
}

type Value = number | bigint | Buffer | null;

function sortValue(row: FixtureRow, { key }: OrderKey): Value {
  switch (key) {
    case "cnpj":
      return Buffer.from(row.cnpj);
    case "legal_name":
      return row.legal_name === null ? null : Buffer.from(row.legal_name);
    case "share_capital":
      return row.share_capital_cents;
    case "company_size":
      return row.company_size_code;
    case "municipality_population":
      return populationOf(row);
    case "random":
      throw new Error("the seeded position needs the row id");
    default:
      return row[key];
  }
}

function populationOf(row: FixtureRow): number | null {
  const code = row.municipality_ibge;
  const text = code === null ? "" : FIXTURE_TABLES.municipality_population[code];
  return text === "" ? null : Number(text);
}

function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  return a < b ? -1 : Number(a > b);
}

type Places = readonly (number | null)[];
const knownPlaces = new WeakMap<readonly FixtureRow[], Map<OrderKey["key"], Places>>();

/**
 * Returns the rank of every row's value among all rows, with null for a missing value. The ranks
 * are cached, because every test needs them.
 */
function allPlaces(rows: readonly FixtureRow[], key: OrderKey): Places {
  const known = knownPlaces.get(rows) ?? new Map<OrderKey["key"], Places>();
  knownPlaces.set(rows, known);
  const places = known.get(key.key) ?? placesOf(rows.map((row) => sortValue(row, key)));
  known.set(key.key, places);
  return places;
}

function seededPlaces(rows: readonly FixtureRow[], ids: readonly number[], seed: bigint): Places {
  const places: (number | null)[] = rows.map(() => null);
  for (const id of ids) places[id] = feistel(rows.length, seed, id);
  return places;
}

function placesOf(values: readonly Value[]): Places {
  const ids = values.map((_, id) => id);
  ids.sort((a, b) => compareValues(values[a] as Value, values[b] as Value));
  const places: (number | null)[] = values.map(() => null);
  let place = 0;
  ids.forEach((id, i) => {
    const value = values[id] as Value;
    if (i > 0 && compareValues(values[ids[i - 1] as number] as Value, value) !== 0) place++;
    if (value !== null) places[id] = place;
  });
  return places;
}

/** Sorts row ids by the keys and by CNPJ, ascending. Missing values come last. */
export function sorted(
  rows: readonly FixtureRow[],
  ids: readonly number[],
  order: readonly OrderKey[],
  seed: bigint,
): number[] {
  const keys = [...order, { key: "cnpj", descending: false } as const].map((key) => {
    const places = key.key === "random" ? seededPlaces(rows, ids, seed) : allPlaces(rows, key);
    return { places, sign: key.descending ? -1 : 1 };
  });
  return [...ids].sort((a, b) => {
    for (const { places, sign } of keys) {
      const [x, y] = [places[a] as number | null, places[b] as number | null];
      if (x === null && y === null) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      if (x !== y) return sign * (x - y);
    }
    return 0;
  });
}

function dateOf(days: number | null): string | null {
  return days === null ? null : new Date(days * 86_400_000).toISOString().slice(0, 10);
}

function numberAt(code: number | null): number | null {
  return code === null ? null : (FIXTURE_NUMBERS[code] as number);
}

/** Returns the output fields of a row as plain values, in the order of the public field list. */
export function accountOf(row: FixtureRow): Record<string, unknown> {
  const tables = FIXTURE_TABLES;
  const at = (table: readonly string[], code: number | null) =>
    code === null ? null : table[code] || null;
  const phone = (number: bigint | null) => (number === null ? null : `+${number}`);
  const { share_capital_cents: cents, postal_code: postal } = row;
  return {
    cnpj: row.cnpj,
    cnpj_root: row.cnpj.slice(0, 8),
    legal_name: row.legal_name,
    trade_name: row.trade_name,
    headquarters: row.headquarters,
    registration_status: row.registration_status,
    registration_status_date: dateOf(row.registration_status_date),
    registration_status_reason: at(
      tables.registration_status_reason,
      row.registration_status_reason,
    ),
    started_on: dateOf(row.started_on),
    cnae_primary: at(tables.cnae_primary, row.cnae_primary),
    cnae_primary_description: at(tables.cnae_description, row.cnae_primary),
    cnae_secondary: row.cnae_secondary.map((code) => tables.cnae_primary[code]),
    legal_nature: at(tables.legal_nature, row.legal_nature),
    legal_nature_description: at(tables.legal_nature_description, row.legal_nature),
    company_size_code: at(tables.company_size_code, row.company_size_code),
    share_capital: cents === null ? null : Number(cents) / 100,
    simples_opt_in: row.simples_opt_in,
    mei_opt_in: row.mei_opt_in,
    uf: at(tables.uf, row.uf),
    municipality_ibge: at(tables.municipality_ibge, row.municipality_ibge),
    municipality_tom: at(tables.municipality_tom, row.municipality_tom),
    municipality_name: at(tables.municipality_name, row.municipality_tom),
    municipality_population: populationOf(row),
    district: row.district,
    street: row.street,
    street_number: row.street_number,
    address_complement: row.address_complement,
    postal_code: postal === null ? null : String(postal).padStart(8, "0"),
    country_code: at(tables.country_code, row.country_code),
    foreign_city: row.foreign_city,
    email: row.email,
    phone_1: phone(row.phone_1),
    phone_2: phone(row.phone_2),
    sanctioned: row.sanctioned,
    score: row.score,
    phone_1_kind: kindOfPhone(phone(row.phone_1)),
    phone_2_kind: kindOfPhone(phone(row.phone_2)),
    email_shared: numberAt(row.email_shared),
    phone_1_shared: numberAt(row.phone_1_shared),
    phone_2_shared: numberAt(row.phone_2_shared),
    establishments: numberAt(row.establishments),
    email_own_domain: row.email_own_domain,
    whatsapp: whatsappOf(phone(row.phone_1), phone(row.phone_2)),
    simples_excluded_on: dateOf(row.simples_excluded_on),
    mei_excluded_on: dateOf(row.mei_excluded_on),
    in_cnep: row.in_cnep,
    in_cepim: row.in_cepim,
    federal_debt: row.federal_debt,
    federal_debt_total:
      row.federal_debt_cents === null ? null : Number(row.federal_debt_cents) / 100,
    federal_debt_fgts: row.federal_debt_fgts,
    federal_debt_social_security: row.federal_debt_social_security,
    federal_debt_other: row.federal_debt_other,
    owned_companies: null,
    owner_companies: null,
    score_contactable: row.score_contactable,
    score_newest: row.score_newest,
    score_established: row.score_established,
  };
}
