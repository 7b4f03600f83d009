/**
 * The slow twin of the addon's query side. What comes in: fixture rows by row id, clauses, sort
 * keys, output fields. What goes out: matching rows, their order, their JSON.
 * Invariant: one plain loop per question over decoded rows; nothing of the addon is used but the
 * seeded position of a row, which test/support/twin.ts checks on its own.
 */
import type { Clause, OrderKey } from "../../../native-index/napi/engine.ts";
import { feistel } from "../../../native-index/napi/engine.ts";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { codesOf } from "./region-twin.ts";

/** Whether a row meets a clause. */
export function meets(row: FixtureRow, clause: Clause): boolean {
  if (clause.kind === "posting") {
    const held = clause.any.some(({ dimension, codes }) =>
      codesOf(row, dimension).some((code) => codes.includes(code)),
    );
    return held !== clause.negated;
  }
  if (clause.kind === "words") {
    const words = wordsOf(row);
    return clause.hints.some((hint) => hint.every((word) => words.includes(word)));
  }
  const value = row[clause.column];
  return value !== null && clause.ranges.some(([low, high]) => value >= low && value <= high);
}

const knownWords = new WeakMap<FixtureRow, readonly string[]>();

/** Words of both names; remembered, because every test asks again. */
function wordsOf(row: FixtureRow): readonly string[] {
  const known = knownWords.get(row);
  if (known !== undefined) return known;
  const words = [row.legal_name, row.trade_name].flatMap((name) => analyzeWords(name ?? ""));
  knownWords.set(row, words);
  return words;
}

/** Row ids that meet all clauses, ascending. */
export function matchesOf(rows: readonly FixtureRow[], clauses: readonly Clause[]): number[] {
  return rows.flatMap((row, id) => (clauses.every((clause) => meets(row, clause)) ? [id] : []));
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

function compareValues(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const less = Buffer.isBuffer(a) && Buffer.isBuffer(b) ? Buffer.compare(a, b) < 0 : a < b;
  const equal = Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;
  if (equal) return 0;
  return less !== descending ? -1 : 1;
}

/** Sorts row ids by the keys, then by cnpj ascending; missing values come last. */
export function sorted(
  rows: readonly FixtureRow[],
  ids: readonly number[],
  order: readonly OrderKey[],
  seed: bigint,
): number[] {
  const keyOf = (id: number, key: OrderKey): Value =>
    key.key === "random" ? feistel(rows.length, seed, id) : sortValue(rows[id] as FixtureRow, key);
  const keys = [...order, { key: "cnpj", descending: false } as const];
  const keyed = ids.map((id) => ({ id, values: keys.map((key) => keyOf(id, key)) }));
  keyed.sort((a, b) => {
    for (const [i, key] of keys.entries()) {
      const [x, y] = [a.values[i] ?? null, b.values[i] ?? null];
      const result = compareValues(x, y, key.descending);
      if (result !== 0) return result;
    }
    return 0;
  });
  return keyed.map(({ id }) => id);
}

function dateOf(days: number | null): string | null {
  return days === null ? null : new Date(days * 86_400_000).toISOString().slice(0, 10);
}

/** The output fields of a row as plain values, in the order of the public field list. */
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
    score_contactable: row.score_contactable,
    score_newest: row.score_newest,
    score_established: row.score_established,
  };
}
