/**
 * Invented names of a sample: persons, companies, trade names.
 * Invariant: all words are upper case without accents. Invented CPFs always have wrong check
 * digits, so that they belong to no person.
 */

import type { Company, SampleContext } from "./company.ts";
import type { Random } from "./random.ts";
import * as lists from "./words.ts";
import { writeCompanyWord, writeSurname } from "./words.ts";
import { latin1, type RowBytes, words } from "./zip/bytes.ts";

const SPACE = 32;
const DASH = 45;
const DOT = 46;
const LTDA = latin1("LTDA");
const AND = latin1("&");
const ME = latin1("ME");
const CAMPAIGN = latin1("ELEICAO");
const OFFICES = words("VEREADOR PREFEITO DEPUTADO_ESTADUAL DEPUTADO_FEDERAL VICE-PREFEITO");
const SOCIETIES = words(`ASSOCIACAO_DE_MORADORES ASSOCIACAO_BENEFICENTE CONDOMINIO_EDIFICIO
  IGREJA_EVANGELICA FUNDACAO COOPERATIVA FUNDO_MUNICIPAL_DE_SAUDE CAIXA_ESCOLAR SINDICATO`);

/** Picks an element of a list. */
export function any<T>(random: Random, list: readonly T[]): T {
  return list[random.below(list.length)] as T;
}

/** Percentage of company words, and of surnames, that come from a list of common ones. */
const COMMON_BRANDS = 35;
const COMMON_SURNAMES = 88;

/** Writes a brand word of a company. */
export function brand(row: RowBytes, random: Random): void {
  if (random.peek(100) < COMMON_BRANDS) row.word(any(random, lists.BRANDS));
  else writeCompanyWord(row, random);
}

/** Writes a surname, usually a common one. */
export function surname(row: RowBytes, random: Random): void {
  if (random.peek(100) < COMMON_SURNAMES) row.word(any(random, lists.SURNAMES));
  else writeSurname(row, random);
}

/** Writes a person's name of two to four parts. */
export function person(row: RowBytes, random: Random): void {
  row.word(any(random, lists.GIVEN_NAMES));
  if (random.chance(0.4)) row.spaced(any(random, lists.GIVEN_NAMES));
  if (random.chance(0.75)) row.spaced(any(random, lists.MIDDLE_NAMES));
  row.byte(SPACE);
  surname(row, random);
}

/** Writes eleven digits that look like a CPF, with wrong check digits. */
function writeCpf(row: RowBytes, random: Random, isFormatted: boolean): void {
  const base = random.below(1_000_000_000);
  const check = (cpfCheck(base) + 1 + random.below(98)) % 100;
  if (isFormatted) {
    row.digits(base / 1e6, 3);
    row.byte(DOT);
    row.digits(base / 1e3, 3);
    row.byte(DOT);
    row.digits(base, 3);
    row.byte(DASH);
  } else row.digits(base, 9);
  row.digits(check, 2);
}

/**
 * Returns the right check digits for nine digits of a CPF. The weights are 2 to 10 from the right
 * for the first check digit, and 3 to 11 for the second.
 */
function cpfCheck(base: number): number {
  let first = 0;
  let second = 0;
  let rest = base | 0;
  for (let weight = 2; weight <= 10; weight++) {
    const tenth = (rest / 10) | 0;
    const digit = rest - tenth * 10;
    first += digit * weight;
    second += digit * (weight + 1);
    rest = tenth;
  }
  const one = ((first * 10) % 11) % 10;
  return one * 10 + ((((second + one * 2) * 10) % 11) % 10);
}

/** The names of companies. */
export class Names {
  private readonly trades: readonly (readonly Uint8Array[])[];

  constructor({ activities }: SampleContext) {
    this.trades = activities.list.map(({ code }) => {
      const text = String(code).padStart(7, "0");
      const found = lists.TRADE_WORDS[text] ?? lists.TRADE_WORDS[text.slice(0, 2)];
      return words(found ?? lists.TRADE_WORDS_OTHER);
    });
  }

  /** Writes the legal name. A sole trader's may start with the root or end with a CPF. */
  legal(row: RowBytes, random: Random, company: Company): void {
    if (company.quirk === "name_empty") return;
    if (company.quirk === "name_quotes") row.quoted('COMERCIO "C" ');
    if (company.nature === 2135) this.trader(row, random, company);
    else if (company.nature === 4090) this.candidate(row, random);
    else if (company.nature < 2000 || company.nature >= 3000) this.society(row, random);
    else this.limited(row, random, company);
    if (company.quirk === "name_backslash") row.byte(92);
  }

  private trader(row: RowBytes, random: Random, company: Company): void {
    const u = random.unit();
    const isDecimal = !company.isAlphanumeric;
    if (company.quirk !== "cpf_formatted" && u < 0.62 && isDecimal) {
      const root = company.decimal;
      row.digits(root / 1e6, 2);
      row.byte(DOT);
      row.digits(root / 1e3, 3);
      row.byte(DOT);
      row.digits(root, 3);
      row.byte(32);
    }
    person(row, random);
    if (company.quirk === "cpf_formatted" || (u >= 0.62 && u < 0.85)) {
      row.byte(32);
      writeCpf(row, random, company.quirk === "cpf_formatted");
    } else if (u > 0.97) row.spaced(ME);
  }

  private candidate(row: RowBytes, random: Random): void {
    row.word(CAMPAIGN);
    row.byte(32);
    row.digits(2004 + 2 * random.below(11), 4);
    row.byte(32);
    person(row, random);
    row.spaced(any(random, OFFICES));
  }

  private society(row: RowBytes, random: Random): void {
    row.word(any(random, SOCIETIES));
    row.byte(SPACE);
    brand(row, random);
    if (random.chance(0.5)) row.spaced(any(random, lists.STREETS));
  }

  private limited(row: RowBytes, random: Random, company: Company): void {
    const u = random.unit();
    if (u < 0.3) {
      surname(row, random);
      row.spaced(AND);
      row.byte(SPACE);
      surname(row, random);
    } else if (u < 0.8) {
      brand(row, random);
      this.sometimesSurname(row, random);
    } else {
      row.word(any(random, lists.GIVEN_NAMES));
      row.byte(SPACE);
      surname(row, random);
    }
    if (random.chance(0.6)) row.spaced(any(random, this.trades[company.activity] ?? []));
    if (random.chance(0.6)) row.spaced(any(random, lists.TRADES));
    row.spaced(LTDA);
  }

  private sometimesSurname(row: RowBytes, random: Random): void {
    if (!random.chance(0.3)) return;
    row.byte(SPACE);
    surname(row, random);
  }

  /** Writes a trade name that fits the activity. */
  trade(row: RowBytes, random: Random, activity: number): void {
    const u = random.unit();
    if (u < 0.75) {
      row.word(any(random, this.trades[activity] as readonly Uint8Array[]));
      row.byte(32);
    }
    if (u < 0.5) brand(row, random);
    else if (u < 0.62) row.word(any(random, lists.GIVEN_NAMES));
    else surname(row, random);
    this.sometimesSurname(row, random);
    if (random.chance(0.12)) row.spaced(any(random, lists.TRADES));
  }
}
