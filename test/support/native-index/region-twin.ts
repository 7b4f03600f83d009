/**
 * Computes the expected content of the index region in the simplest way. Input: fixture rows by row
 * id. Output: posting lists, sort orders, name ranks, words, and CUBE, the section with the number
 * of accounts by activity, state, and status.
 * Invariant: it consists of plain loops, maps, and sorts over decoded rows. It shares only the
 * TypeScript analyzer with the addon, which has its own tests.
 */
import {
  type DimensionName,
  FLAG_CODES,
  type OrderName,
} from "../../../native-index/format/columns.ts";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { kindOfPhone } from "../twin.ts";
import { FIXTURE_NUMBERS, FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";

/** Returns the codes of a row in a dimension, or an empty list if it has none. */
export function codesOf(row: FixtureRow, dimension: DimensionName): number[] {
  switch (dimension) {
    case "cnae_secondary":
      return [...new Set(row.cnae_secondary)];
    case "flag":
      return flagsOf(row);
    case "area_code":
      return [...new Set([row.phone_1, row.phone_2].filter((p) => p !== null).map(areaOf))];
    case "started_year":
      return row.started_on === null ? [] : [yearOf(row.started_on) - 1800];
    default: {
      const code = row[dimension];
      return code === null ? [] : [code];
    }
  }
}

function flagsOf(row: FixtureRow): number[] {
  const holds: Record<keyof typeof FLAG_CODES, boolean> = {
    headquarters: row.headquarters,
    simples_opt_in: row.simples_opt_in,
    mei_opt_in: row.mei_opt_in,
    has_email: row.email !== null,
    has_phone: row.phone_1 !== null || row.phone_2 !== null,
    sanctioned: row.sanctioned === true,
    has_mobile: kindsOf(row).includes("mobile"),
    has_landline: kindsOf(row).includes("landline"),
    own_domain: row.email_own_domain === true,
    in_cnep: row.in_cnep === true,
    in_cepim: row.in_cepim === true,
    federal_debt: row.federal_debt === true,
    email_and_phone: row.email !== null && (row.phone_1 !== null || row.phone_2 !== null),
    email_and_mobile: row.email !== null && kindsOf(row).includes("mobile"),
    own_email: row.email_shared !== null && FIXTURE_NUMBERS[row.email_shared] === 1,
  };
  const names = Object.keys(FLAG_CODES) as (keyof typeof FLAG_CODES)[];
  return names.filter((name) => holds[name]).map((name) => FLAG_CODES[name]);
}

function kindsOf(row: FixtureRow): (string | null)[] {
  return [row.phone_1, row.phone_2].map((phone) =>
    kindOfPhone(phone === null ? null : `+${phone}`),
  );
}

function areaOf(phone: bigint): number {
  return Number(`${phone}`.slice(2, 4));
}

function yearOf(days: number): number {
  return new Date(days * 86_400_000).getUTCFullYear();
}

/** Rows of every code of a dimension, ascending. */
export function postingsOf(rows: readonly FixtureRow[], dimension: DimensionName) {
  const lists = new Map<number, number[]>();
  rows.forEach((row, id) => {
    for (const code of codesOf(row, dimension)) {
      const list = lists.get(code);
      if (list === undefined) lists.set(code, [id]);
      else list.push(id);
    }
  });
  return lists;
}

type SortValue = number | bigint | Buffer | null;

function sortValue(row: FixtureRow, order: OrderName): SortValue {
  switch (order) {
    case "cnpj":
      return Buffer.from(row.cnpj);
    case "share_capital":
      return row.share_capital_cents;
    case "legal_name":
      return row.legal_name === null ? null : Buffer.from(row.legal_name);
    case "company_size":
      return row.company_size_code;
    case "municipality_population": {
      const code = row.municipality_ibge;
      const text = code === null ? "" : FIXTURE_TABLES.municipality_population[code];
      return text === "" ? null : Number(text);
    }
    default:
      return row[order];
  }
}

function compare(a: SortValue, b: SortValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  return a < b ? -1 : Number(a > b);
}

/** Sorts row ids by value and by CNPJ, both ascending. Missing values come last. */
export function orderOf(rows: readonly FixtureRow[], order: OrderName): number[] {
  const keyed = rows.map((row, id) => ({ id, value: sortValue(row, order), cnpj: row.cnpj }));
  keyed.sort((a, b) => compare(a.value, b.value) || (a.cnpj < b.cnpj ? -1 : 1));
  return keyed.map(({ id }) => id);
}

/**
 * Ranks the legal names by their bytes, without gaps. Returns the rank of each row, or 2^32 - 1 if
 * it has no legal name.
 */
export function nameRanksOf(rows: readonly FixtureRow[]): number[] {
  const names = [...new Set(rows.flatMap((row) => row.legal_name ?? []))];
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const ranks = new Map(names.map((name, rank) => [name, rank]));
  return rows.map((row) =>
    row.legal_name === null ? 0xffffffff : (ranks.get(row.legal_name) ?? -1),
  );
}

/** Returns the ascending rows of every word in the names, in the order of the words' bytes. */
export function termsOf(rows: readonly FixtureRow[]): Map<string, number[]> {
  const lists = new Map<string, number[]>();
  rows.forEach((row, id) => {
    const names = [row.legal_name, row.trade_name].map((name) => name ?? "");
    for (const word of new Set(names.flatMap(analyzeWords))) {
      const list = lists.get(word);
      if (list === undefined) lists.set(word, [id]);
      else list.push(id);
    }
  });
  const bytes = (word: string) => Buffer.from(word);
  return new Map([...lists].sort(([a], [b]) => Buffer.compare(bytes(a), bytes(b))));
}

/** Returns the words of CUBE, which counts accounts by activity, state, and status. */
export function cubeOf(rows: readonly FixtureRow[]): number[] {
  const [cnaes, ufs] = [FIXTURE_TABLES.cnae_primary.length, FIXTURE_TABLES.uf.length];
  const cells = new Array<number>((cnaes + 1) * (ufs + 1) * 9).fill(0);
  for (const row of rows) {
    const [x, y] = [row.cnae_primary ?? cnaes, row.uf ?? ufs];
    const cell = (x * (ufs + 1) + y) * 9 + (row.registration_status ?? 0);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  return [cnaes, ufs, 9, 0, ...cells];
}

/** CRC-32C, bit by bit. */
export function slowCrc32c(bytes: Uint8Array): number {
  let state = 0xffffffff;
  for (const byte of bytes) {
    state ^= byte;
    for (let bit = 0; bit < 8; bit++) state = (state >>> 1) ^ (state & 1 ? 0x82f63b78 : 0);
  }
  return ~state >>> 0;
}
