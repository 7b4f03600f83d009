/**
 * Writes a company's rows in Empresas (with its share capital), Simples, and Socios (its partners).
 * Invariant: rows agree with the company's establishments. Oddities copied from the real registry
 * occur in the rows that `quirks.ts` selects. Capitals have the registry's quantiles: 20% are zero,
 * p25 is 100, p50 2,000, p75 10,000, p95 100,000, and a few are billions.
 */

import { writeCnpj, writeRoot } from "./cnpj.ts";
import {
  type Company,
  CompanyMaker,
  isBusiness,
  newCompany,
  type SampleContext,
  STREAMS,
} from "./company.ts";
import { any, type Names, person } from "./names.ts";
import type { CompanyQuirk, SimplesQuirk } from "./quirks.ts";
import { Random } from "./random.ts";
import { latin1, type RowBytes, words } from "./zip/bytes.ts";

const TOWNS = words("MACEIO_-_AL RECIFE_-_PE BRASIL SAO_PAULO_-_SP CURITIBA_-_PR BAHIA");
const COMMA = 44;
const YES = 83;
const NO = 78;
const AGE_BANDS = 9;
/** ASCII digits for the kind of a partner that is a company, and for its age band. */
const COMPANY = 49;
const NO_AGE = 48;
/** Share of business companies for which a corporate partner is drawn. */
const CORPORATE = 0.2;
const STARS = latin1("***");
const HIDDEN = latin1("**");

/** The text in the capital column for each quirk that concerns it. */
const CAPITALS: ReadonlyMap<CompanyQuirk, string> = new Map([
  ["capital_thousands_dots", "1.234,56"],
  ["capital_sentinel", "999999999999,00"],
  ["capital_bank", "120000000000,00"],
]);

/** Makes a company's rows outside Estabelecimentos. */
export class CompanyRows {
  private readonly context: SampleContext;
  private readonly names: Names;
  private readonly random: Random;
  private readonly maker: CompanyMaker;
  private readonly owner = newCompany();

  constructor(context: SampleContext, names: Names) {
    this.context = context;
    this.names = names;
    this.maker = new CompanyMaker(context);
    this.random = new Random(context.seed);
  }

  /**
   * Appends the company's rows of Empresas. Usually this is one row. Depending on the quirk there
   * is no row, two equal rows, or a second row without a name (a phantom).
   */
  writeCompany(row: RowBytes, company: Company): void {
    const { quirk } = company;
    if (quirk === "company_missing") return;
    if (quirk === "phantom_before") this.writePhantom(row, company);
    const start = row.length;
    this.writeOne(row, company);
    if (quirk === "company_twice") row.repeat(start, row.length);
    if (quirk === "phantom_after") this.writePhantom(row, company);
  }

  private writeOne(row: RowBytes, company: Company): void {
    const { quirk, nature } = company;
    const random = this.random.place(STREAMS.companyName, company.index);
    row.open();
    writeRoot(row, company.root);
    row.next();
    this.names.legal(row, random, company);
    row.next();
    row.digits(quirk === "nature_not_informed" ? 0 : nature, 4);
    row.next();
    row.digits(quirk === "qualification_unknown" ? 36 : qualificationOf(nature), 2);
    row.next();
    this.writeCapital(row, company);
    row.next();
    if (quirk !== "size_empty") row.digits(company.size, 2);
    row.next();
    if (quirk === "entity_single_space") row.byte(32);
    else if (nature < 2000) row.word(any(random, TOWNS));
    row.close();
  }

  private writeCapital(row: RowBytes, company: Company): void {
    const fixed = company.quirk === null ? undefined : CAPITALS.get(company.quirk);
    if (fixed !== undefined) {
      row.quoted(fixed);
      return;
    }
    const isOdd = this.random.chance(0.02);
    const reais = isBusiness(company.nature) ? drawCapital(this.random, company.isMei) : 0;
    row.integer(reais);
    row.byte(COMMA);
    row.digits(isOdd && reais > 0 ? this.random.below(100) : 0, 2);
  }

  /** Writes a second row without a name, as some companies have in the registry. */
  private writePhantom(row: RowBytes, company: Company): void {
    row.open();
    writeRoot(row, company.root);
    row.next();
    row.next();
    row.digits(0, 4);
    row.next();
    row.digits(0, 2);
    row.next();
    row.quoted("0,00");
    row.next();
    row.digits(0, 2);
    row.next();
    row.close();
  }

  /** Appends the company's row of Simples; `root` may belong to no company. */
  writeSimples(row: RowBytes, company: Company, root: number, quirk: SimplesQuirk | null): void {
    const { simples, start } = company;
    const random = this.random.place(STREAMS.simples, company.index);
    const end = start + Math.floor(random.unit() * (this.context.snapshot - start));
    const isBlank = quirk === "flags_blank";
    row.open();
    writeRoot(row, root);
    row.next();
    row.byte(isBlank ? 32 : simples >= 2 ? YES : NO);
    row.next();
    row.date(start);
    row.next();
    if (simples >= 2) row.digits(0, 8);
    else row.date(end);
    row.next();
    row.byte(isBlank ? 32 : simples === 3 ? YES : NO);
    row.next();
    // Some companies were a MEI before.
    const wasMei = simples < 3 && random.chance(simples === 2 ? 0.12 : 0.4);
    if (quirk !== "mei_date_empty") {
      if (simples === 3 || wasMei) row.date(start);
      else row.digits(0, 8);
    }
    row.next();
    if (wasMei && quirk === null) row.date(start + Math.floor(random.unit() * (end - start)));
    else row.digits(0, 8);
    row.close();
  }

  /** Appends the company's partners. Returns their number. Sole traders and campaigns have none. */
  writePartners(row: RowBytes, company: Company): number {
    if (company.nature === 2135 || company.nature === 4090) return 0;
    const random = this.random.place(STREAMS.partners, company.index);
    const count = 1 + random.below(2) + (random.chance(0.15) ? random.below(4) : 0);
    for (let i = 0; i < count; i++) this.writePartner(row, random, company);
    return count + this.writeCorporatePartner(row, company);
  }

  /** For some companies, adds a company as partner. Returns the number of partners added. */
  private writeCorporatePartner(row: RowBytes, company: Company): number {
    const random = this.random.place(STREAMS.owners, company.index);
    if (!isBusiness(company.nature) || !random.chance(CORPORATE)) return 0;
    const { companies } = this.context;
    // A few companies own many others.
    this.maker.make(Math.floor(random.unit() ** 3 * companies), this.owner);
    const { owner } = this;
    const isSole = owner.nature === 2135 || !isBusiness(owner.nature);
    if (isSole || owner.quirk !== null || owner.index === company.index) return 0;
    row.open();
    writeRoot(row, company.root);
    row.next();
    row.byte(COMPANY);
    row.next();
    this.names.legal(row, this.random.place(STREAMS.companyName, owner.index), owner);
    row.next();
    writeCnpj(row, owner.root);
    row.next();
    row.digits(22, 2);
    row.next();
    row.date(Math.max(company.start, owner.start));
    row.next();
    row.next();
    this.writeRepresentative(row, this.random.place(STREAMS.owners, company.index, 1));
    row.byte(NO_AGE);
    row.close();
    return 1;
  }

  /** Writes the person who represents a company: masked CPF, name, qualification. */
  private writeRepresentative(row: RowBytes, random: Random): void {
    row.word(STARS);
    row.digits(random.below(1_000_000), 6);
    row.word(HIDDEN);
    row.next();
    person(row, random);
    row.next();
    row.digits(5, 2);
    row.next();
  }

  private writePartner(row: RowBytes, random: Random, company: Company): void {
    row.open();
    writeRoot(row, company.root);
    row.next();
    row.byte(50);
    row.next();
    person(row, random);
    row.next();
    row.word(STARS);
    row.digits(random.below(1_000_000), 6);
    row.word(HIDDEN);
    row.next();
    row.digits(random.chance(0.6) ? 49 : 22, 2);
    row.next();
    row.date(company.start);
    row.next();
    row.next();
    row.word(STARS);
    row.digits(0, 6);
    row.word(HIDDEN);
    row.next();
    row.next();
    row.digits(0, 2);
    row.next();
    row.byte(49 + random.below(AGE_BANDS));
    row.close();
  }
}

function qualificationOf(nature: number): number {
  if (nature === 2135) return 50;
  if (nature === 4090) return 51;
  if (nature >= 2000 && nature < 3000) return 49;
  return 16;
}

/** Capitals in reais by quantile; interpolated logarithmically. */
const QUANTILES: readonly (readonly [at: number, reais: number])[] = [
  [0.165, 1],
  [0.2, 100],
  [0.43, 2000],
  [0.7, 10_000],
  [0.946, 100_000],
  [0.995, 2_000_000],
  [0.9999, 100_000_000],
  [1, 20_000_000_000],
];
const STEPS = 4096;
const TABLE = Float64Array.from({ length: STEPS }, (_, step) => capitalAt((step + 0.5) / STEPS));
/** The capitals of micro-entrepreneurs (MEI) are drawn only from the quantiles up to this one. */
const MEI_SHARE = 0.88;

/** Draws a capital; a micro-entrepreneur's is never large. */
function drawCapital(random: Random, isMei: boolean): number {
  const u = random.unit() * (isMei ? MEI_SHARE : 1);
  // The last step spans millions to billions, so it is computed, not read from the table.
  return u * STEPS >= STEPS - 1 ? capitalAt(u) : (TABLE[(u * STEPS) | 0] as number);
}

function capitalAt(u: number): number {
  for (let i = 1; i < QUANTILES.length; i++) {
    const [to, high] = QUANTILES[i] as readonly [number, number];
    const [from, low] = QUANTILES[i - 1] as readonly [number, number];
    if (u < from) return 0;
    if (u <= to) return roundReais(low * (high / low) ** ((u - from) / (to - from)));
  }
  return 0;
}

/** Rounds a capital, because the registry's capitals are round sums. */
function roundReais(value: number): number {
  const step = value < 20 ? 1 : 10 ** Math.floor(Math.log10(value / 2));
  return Math.round(value / step) * step;
}
