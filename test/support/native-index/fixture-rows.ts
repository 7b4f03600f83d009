/**
 * Synthetic accounts for tests of the addon: plain rows with dictionary codes, the string tables of
 * those codes, and their row records (native-index/builder/record.ts).
 * Invariant: the same seed makes the same rows. CNPJs are unique, and every code has its string.
 */

import {
  LIST_FLAGS,
  RECORD,
  RECORD_FLAGS,
  RECORD_NULL,
  RECORD_STRINGS,
  SLOTS,
} from "../../../native-index/builder/record.ts";
import type { TableName } from "../../../native-index/format/columns.ts";
import { numberTexts } from "../../../native-index/format/snapshot/meta.ts";

/** One account. Codes are positions in FIXTURE_TABLES, dates are days, null is missing. */
export interface FixtureRow {
  readonly cnpj: string;
  readonly legal_name: string | null;
  readonly trade_name: string | null;
  readonly district: string | null;
  readonly street: string | null;
  readonly street_number: string | null;
  readonly address_complement: string | null;
  readonly foreign_city: string | null;
  readonly email: string | null;
  readonly headquarters: boolean;
  readonly simples_opt_in: boolean;
  readonly mei_opt_in: boolean;
  readonly sanctioned: boolean | null;
  readonly registration_status: number | null;
  readonly registration_status_reason: number | null;
  readonly registration_status_date: number | null;
  readonly started_on: number | null;
  readonly cnae_primary: number | null;
  readonly cnae_secondary: readonly number[];
  readonly legal_nature: number | null;
  readonly company_size_code: number | null;
  readonly share_capital_cents: bigint | null;
  readonly uf: number | null;
  readonly municipality_ibge: number | null;
  readonly municipality_tom: number | null;
  readonly postal_code: number | null;
  readonly country_code: number | null;
  readonly phone_1: bigint | null;
  readonly phone_2: bigint | null;
  readonly score: number;
  readonly score_contactable: number;
  readonly score_newest: number;
  readonly score_established: number;
  readonly email_shared: number | null;
  readonly phone_1_shared: number | null;
  readonly phone_2_shared: number | null;
  readonly establishments: number;
  readonly email_own_domain: boolean | null;
  readonly simples_excluded_on: number | null;
  readonly mei_excluded_on: number | null;
  readonly in_cnep: boolean | null;
  readonly in_cepim: boolean | null;
  readonly federal_debt: boolean | null;
  readonly federal_debt_cents: bigint | null;
  readonly federal_debt_fgts: boolean | null;
  readonly federal_debt_social_security: boolean | null;
  readonly federal_debt_other: boolean | null;
}

/** The number that each code of a counted column stands for. */
export const FIXTURE_NUMBERS = Uint32Array.of(0, 1, 2, 3, 7, 12, 150, 70_000);

/** The string tables: sorted dictionaries, then tables derived from their codes. */
export const FIXTURE_TABLES: Readonly<Record<TableName, readonly string[]>> = {
  registration_status_reason: numbered(5, 2),
  // Four activities to a division.
  cnae_primary: Array.from({ length: 40 }, (_, i) => `${i * 25_000}`.padStart(7, "0")),
  legal_nature: numbered(7, 4),
  company_size_code: ["00", "01", "03", "05"],
  uf: ["BA", "EX", "MG", "RJ", "RS", "SP"],
  municipality_ibge: numbered(60, 7),
  municipality_tom: numbered(64, 4),
  country_code: numbered(9, 3),
  cnae_description: numbered(40, 7).map((code) => `Atividade ${code} "é"`),
  legal_nature_description: numbered(7, 4).map((code) => `Natureza ${code}`),
  municipality_name: numbered(64, 4).map((code) => `Cidade ${code}`),
  municipality_population: numbered(60, 7).map((_, i) => (i % 9 === 4 ? "" : `${(i % 13) ** 5}`)),
  number: numberTexts(FIXTURE_NUMBERS),
};

/** Ascending codes with gaps, `width` digits each. */
function numbered(count: number, width: number): string[] {
  return Array.from({ length: count }, (_, i) => `${(i + 1) * 7}`.padStart(width, "0"));
}

/** A seeded source of numbers in [0, 1): mulberry32 (Tommy Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = [
  "LTDA",
  "COMÉRCIO",
  "DE",
  "AÇÃO",
  "SÃO",
  "JOSÉ",
  "MARIA",
  "BAR",
  "E",
  "41.273",
  "ŒUVRE",
];

class Dice {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /**
   * Returns a number below `count`. Small numbers are more frequent, because real codes are
   * distributed in this way.
   */
  skewed(count: number): number {
    return Math.floor(this.random() ** 3 * count);
  }

  maybe<T>(probability: number, value: () => T): T | null {
    return this.chance(probability) ? value() : null;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.skewed(values.length)] as T;
  }

  name(): string {
    const words = Array.from({ length: 1 + this.below(5) }, () =>
      this.chance(0.2) ? `W${this.skewed(400)}` : this.pick(WORDS),
    );
    return words.join(this.chance(0.1) ? " - " : " ");
  }

  phone(): bigint {
    const area = [11, 11, 21, 31, 71, 99][this.below(6)] as number;
    const digits = 7 + this.below(3);
    const number = 10 ** (digits - 1) + this.below(10 ** (digits - 1));
    // The addition turns most numbers of nine digits into mobiles.
    return BigInt(`55${area}${digits === 9 && area > 11 ? number + 8e8 : number}`);
  }
}

/** `count` random rows, in no order. */
export function randomRows(seed: number, count: number): FixtureRow[] {
  const dice = new Dice(seed);
  const seen = new Set<string>();
  return Array.from({ length: count }, () => {
    let cnpj = randomCnpj(dice);
    while (seen.has(cnpj)) cnpj = randomCnpj(dice);
    seen.add(cnpj);
    const drawn = { ...randomTexts(dice), ...randomCodes(dice), ...randomNumbers(dice) };
    return { cnpj, ...drawn, ...countsOf(cnpj, drawn), ...recordOf(cnpj) };
  });
}

type Contacts = Pick<FixtureRow, "email" | "phone_1" | "phone_2">;

/**
 * Returns the codes of the row's counts. They come from the CNPJ and not from random numbers, so
 * the other values of a seed stay the same.
 */
function countsOf(cnpj: string, { email, phone_1, phone_2 }: Contacts) {
  const code = (at: number) => 1 + (cnpj.charCodeAt(at) % (FIXTURE_NUMBERS.length - 1));
  return {
    email_shared: email === null ? null : code(7),
    phone_1_shared: phone_1 === null ? null : code(6),
    phone_2_shared: phone_2 === null ? null : code(5),
    establishments: code(4) - 1,
    email_own_domain: email === null ? null : cnpj.charCodeAt(3) % 3 === 0,
  };
}

/** Returns dates and flags of public lists, also computed from the CNPJ. */
function recordOf(cnpj: string) {
  const at = (place: number) => cnpj.charCodeAt(place);
  const known = at(6) % 7 !== 0;
  const kind = (place: number) => (known ? at(place) % 4 === 0 : null);
  const [fgts, social, other] = [kind(5), kind(6), kind(7)];
  const isDebtor = fgts === true || social === true || other === true;
  return {
    simples_excluded_on: at(7) % 3 === 0 ? 14_000 + 40 * at(6) : null,
    mei_excluded_on: at(6) % 3 === 0 ? 14_500 + 40 * at(7) : null,
    in_cnep: at(5) % 7 === 0 ? null : at(7) % 5 === 0,
    in_cepim: at(7) % 7 === 0 ? null : at(5) % 5 === 0,
    federal_debt: known ? isDebtor : null,
    federal_debt_cents: isDebtor ? BigInt(at(5) * at(6)) ** BigInt(1 + (at(7) % 3)) : null,
    federal_debt_fgts: fgts,
    federal_debt_social_security: social,
    federal_debt_other: other,
  };
}

/**
 * Returns `count` random rows that repeat a smaller number of rows, as in a large registry. Except
 * for its CNPJ and names, each row equals one of `kinds` rows. Half of the rows equal one of a few.
 */
export function rowsOfKinds(seed: number, count: number, kinds: number): FixtureRow[] {
  const dice = new Dice(seed);
  const known = randomRows(seed + 1, kinds);
  return randomRows(seed, count).map((row) => {
    const kind = known[
      dice.chance(0.5) ? dice.below(Math.min(9, kinds)) : dice.below(kinds)
    ] as FixtureRow;
    const { cnpj, legal_name, trade_name, postal_code } = row;
    return { ...kind, cnpj, legal_name, trade_name, postal_code };
  });
}

function randomCnpj(dice: Dice): string {
  const characters = dice.chance(0.1) ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789";
  const character = () => characters.charAt(dice.below(characters.length));
  const root = dice.chance(0.2)
    ? `0000000${dice.below(10)}`
    : Array.from({ length: 8 }, character).join("");
  const branch = dice.chance(0.5) ? "0001" : Array.from({ length: 4 }, character).join("");
  return `${root}${branch}${`${dice.below(100)}`.padStart(2, "0")}`;
}

function randomTexts(dice: Dice) {
  return {
    legal_name: dice.maybe(0.95, () => dice.name()),
    trade_name: dice.maybe(0.4, () => dice.name()),
    district: dice.maybe(0.9, () => "CENTRO"),
    street: dice.maybe(0.9, () => `RUA "${dice.below(50)}" \\ fundos`),
    street_number: dice.maybe(0.9, () => `${dice.below(3000)}`),
    address_complement: dice.maybe(0.3, () => "SALA\t2"),
    foreign_city: dice.maybe(0.02, () => "MONTEVIDÉU"),
    email: dice.maybe(0.7, () => `caixa${dice.below(9)}@exemplo.com.br`),
  };
}

function randomCodes(dice: Dice) {
  const code = (table: TableName) => dice.skewed(FIXTURE_TABLES[table].length);
  return {
    registration_status: dice.maybe(0.98, () => dice.pick([2, 8, 4, 3, 1, 0])),
    registration_status_reason: dice.maybe(0.6, () => code("registration_status_reason")),
    cnae_primary: dice.maybe(0.97, () => code("cnae_primary")),
    cnae_secondary: dice.chance(0.5)
      ? Array.from({ length: dice.below(8) }, () => code("cnae_primary"))
      : [],
    legal_nature: dice.maybe(0.95, () => code("legal_nature")),
    company_size_code: dice.maybe(0.9, () => code("company_size_code")),
    uf: dice.maybe(0.98, () => code("uf")),
    municipality_ibge: dice.maybe(0.95, () => code("municipality_ibge")),
    municipality_tom: dice.maybe(0.97, () => code("municipality_tom")),
    country_code: dice.maybe(0.02, () => code("country_code")),
  };
}

function randomNumbers(dice: Dice) {
  return {
    headquarters: dice.chance(0.9),
    simples_opt_in: dice.chance(0.4),
    mei_opt_in: dice.chance(0.3),
    sanctioned: dice.maybe(0.8, () => dice.chance(0.05)),
    registration_status_date: dice.maybe(0.9, () => dice.below(20_000)),
    started_on: dice.maybe(0.95, () => -62_091 + dice.below(82_000)),
    share_capital_cents: dice.maybe(0.9, () =>
      dice.chance(0.3) ? 0n : BigInt(dice.below(9) + 1) * 10n ** BigInt(dice.below(15)),
    ),
    postal_code: dice.maybe(0.95, () => dice.below(100_000_000)),
    phone_1: dice.maybe(0.8, () => dice.phone()),
    phone_2: dice.maybe(0.2, () => dice.phone()),
    score: dice.skewed(60),
    score_contactable: dice.skewed(1000),
    score_newest: dice.below(3),
    score_established: dice.below(65_536),
  };
}

/** Returns the row records of the rows, one after another in the same order. */
export function encodeRecords(
  rows: readonly FixtureRow[],
  numbers: Uint32Array = FIXTURE_NUMBERS,
): Buffer {
  return Buffer.concat(rows.map((row) => encodeRecord(row, numbers)));
}

function encodeRecord(row: FixtureRow, numbers: Uint32Array): Buffer {
  const texts = RECORD_STRINGS.map((name) => {
    const text = row[name];
    return text === null ? null : Buffer.from(text);
  });
  const used = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  const stringsAt = RECORD.fixedLength + 2 * row.cnae_secondary.length;
  const record = Buffer.alloc(Math.ceil((stringsAt + used) / 8) * 8);
  record.writeUInt32LE(record.length, RECORD.length);
  writeScores(record, row);
  writeCodes(record, row);
  writeNumbers(record, row);
  writeCounts(record, row, numbers);
  row.cnae_secondary.forEach((code, i) => {
    record.writeUInt16LE(code, RECORD.fixedLength + 2 * i);
  });
  let at = stringsAt;
  texts.forEach((text, i) => {
    const length = text?.length ?? RECORD_NULL.stringLength;
    record.writeUInt16LE(length, RECORD.stringLengths + 2 * i);
    at += text?.copy(record, at) ?? 0;
  });
  return record;
}

function writeScores(record: Buffer, row: FixtureRow): void {
  record.writeUInt16LE(row.score, SLOTS.score);
  record.writeUInt16LE(row.score_contactable, SLOTS.score_contactable);
  record.writeUInt16LE(row.score_newest, SLOTS.score_newest);
  record.writeUInt16LE(row.score_established, SLOTS.score_established);
  record.write(row.cnpj, SLOTS.cnpj, "latin1");
}

function writeCodes(record: Buffer, row: FixtureRow): void {
  const { u8, u16 } = RECORD_NULL;
  record.writeUInt8(row.registration_status ?? u8, SLOTS.registration_status);
  record.writeUInt8(row.company_size_code ?? u8, SLOTS.company_size_code);
  record.writeUInt8(row.uf ?? u8, SLOTS.uf);
  record.writeUInt8(row.registration_status_reason ?? u8, SLOTS.registration_status_reason);
  record.writeUInt8(flagsOf(row), RECORD.flags);
  record.writeUInt8(listFlagsOf(row), RECORD.listFlags);
  record.writeUInt16LE(row.legal_nature ?? u16, SLOTS.legal_nature);
  record.writeUInt16LE(row.municipality_tom ?? u16, SLOTS.municipality_tom);
  record.writeUInt16LE(row.municipality_ibge ?? u16, SLOTS.municipality_ibge);
  record.writeUInt16LE(row.country_code ?? u16, SLOTS.country_code);
  record.writeUInt16LE(row.cnae_primary ?? u16, SLOTS.cnae_primary);
  record.writeUInt16LE(row.cnae_secondary.length, RECORD.secondaryCount);
}

/** Writes the counts into a record, which contains the numbers themselves and not their codes. */
function writeCounts(record: Buffer, row: FixtureRow, numbers: Uint32Array): void {
  for (const name of COUNTED) {
    const code = row[name];
    record.writeUInt32LE(code === null ? RECORD_NULL.u32 : (numbers[code] as number), SLOTS[name]);
  }
}

const COUNTED = ["email_shared", "phone_1_shared", "phone_2_shared", "establishments"] as const;

function flagsOf(row: FixtureRow): number {
  return (
    (row.email_own_domain ? RECORD_FLAGS.ownDomain : 0) |
    (row.headquarters ? RECORD_FLAGS.headquarters : 0) |
    (row.simples_opt_in ? RECORD_FLAGS.simples : 0) |
    (row.mei_opt_in ? RECORD_FLAGS.mei : 0) |
    (row.sanctioned === true ? RECORD_FLAGS.sanctioned : 0) |
    (row.sanctioned === null ? 0 : RECORD_FLAGS.sanctionKnown)
  );
}

function listFlagsOf(row: FixtureRow): number {
  const { in_cnep: cnep, in_cepim: cepim, federal_debt: debt } = row;
  return (
    (cnep === null ? 0 : LIST_FLAGS.cnepKnown) |
    (cnep === true ? LIST_FLAGS.cnep : 0) |
    (cepim === null ? 0 : LIST_FLAGS.cepimKnown) |
    (cepim === true ? LIST_FLAGS.cepim : 0) |
    (debt === null ? 0 : LIST_FLAGS.debtKnown) |
    (row.federal_debt_fgts === true ? LIST_FLAGS.debtFgts : 0) |
    (row.federal_debt_social_security === true ? LIST_FLAGS.debtSocialSecurity : 0) |
    (row.federal_debt_other === true ? LIST_FLAGS.debtOther : 0)
  );
}

function writeNumbers(record: Buffer, row: FixtureRow): void {
  record.writeInt32LE(row.simples_excluded_on ?? RECORD_NULL.days, SLOTS.simples_excluded_on);
  record.writeInt32LE(row.mei_excluded_on ?? RECORD_NULL.days, SLOTS.mei_excluded_on);
  record.writeBigInt64LE(row.federal_debt_cents ?? RECORD_NULL.i64, SLOTS.federal_debt_cents);
  record.writeInt32LE(row.started_on ?? RECORD_NULL.days, SLOTS.started_on);
  record.writeInt32LE(
    row.registration_status_date ?? RECORD_NULL.days,
    SLOTS.registration_status_date,
  );
  record.writeUInt32LE(row.postal_code ?? RECORD_NULL.u32, SLOTS.postal_code);
  record.writeBigInt64LE(row.share_capital_cents ?? RECORD_NULL.i64, SLOTS.share_capital_cents);
  record.writeBigInt64LE(row.phone_1 ?? RECORD_NULL.i64, SLOTS.phone_1);
  record.writeBigInt64LE(row.phone_2 ?? RECORD_NULL.i64, SLOTS.phone_2);
}
