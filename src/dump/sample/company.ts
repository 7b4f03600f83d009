/**
 * A company of a sample, and the person who represents it: an accountant's office, or an owner of
 * several companies. Input: the number of a company. Output: the data common to its rows in
 * Empresas, Estabelecimentos, Simples, and Socios. Also 32 bits for its representative's e-mail and
 * phone, or 0 without a representative.
 * Invariant: a company is a function of (seed, number), so the four files are made independently
 * but agree. Shares are within two points of the real registry's. The representative depends only
 * on seed, company, and municipality, so only each municipality's number of offices is stored.
 * An office's number of clients falls with the square root of its rank. In a municipality with n
 * offices, the smallest office has half the mean number of clients, and the largest has the mean
 * times half the square root of n. So the largest office of all has thousands of clients, as in the
 * registry.
 */
import { BRANCHES } from "../cnpj.ts";
import { type Activities, CNAE_CAMPAIGN } from "./activities.ts";
import type { Cities } from "./cities.ts";
import { OpeningDates } from "./dates.ts";
import { COMPANY_QUIRKS, type CompanyQuirk, quirkAt } from "./quirks.ts";
import { hash, Random, remainder, Weighted } from "./random.ts";

/** Values shared by all rows of a sample. */
export interface SampleContext {
  readonly seed: number;
  /** Days since 1970-01-01 of the date in the member names. */
  readonly snapshot: number;
  readonly companies: number;
  readonly cities: Cities;
  readonly activities: Activities;
}

/** Streams of random numbers, one per purpose. */
export const STREAMS = {
  company: 1,
  companyName: 2,
  establishment: 3,
  simples: 4,
  partners: 5,
  branches: 6,
  order: 7,
  letters: 8,
  owners: 9,
} as const;

/** Max branches of a company: all numbers of four digits except the head office's. */
const BRANCHES_MAX = 9_998;
/** Max companies: the prime below the number of 8-digit roots. */
const ROOTS = 99_999_989;
/** First day with alphanumeric roots, 31 July 2026, in days since 1970-01-01. */
const ALPHANUMERIC_FROM = 20665;
/** Maps a number of four decimal digits to the value of the same digits in base 36. */
const DECIMALS = Int32Array.from({ length: 10_000 }, (_, n) =>
  Number.parseInt(String(n).padStart(4, "0"), 36),
);

/** A company. The object is reused from row to row. */
export interface Company {
  index: number;
  quirk: CompanyQuirk | null;
  /** Base-36 number of the 8 characters. */
  root: number;
  start: number;
  /** Registration status: 1, 2, 3, 4 or 8. */
  status: number;
  city: number;
  activity: number;
  nature: number;
  /** Company size: 1, 3 or 5. */
  size: number;
  /** The root's digits as a number; meaningless if it has letters. */
  decimal: number;
  isMei: boolean;
  /** True if its root has letters. */
  isAlphanumeric: boolean;
  /** 0 no row, 1 `N,N`, 2 `S,N`, 3 `S,S`. */
  simples: 0 | 1 | 2 | 3;
}

interface Nature {
  readonly code: number;
  readonly active: number;
  readonly inactive: number;
  /** Usual activity of such a company; 0 for any. */
  readonly cnae: number;
}

function nature(code: number, active: number, inactive: number, cnae = 0): Nature {
  return { code, active, inactive, cnae };
}

/** Legal natures with their shares among active and other companies, MEIs excluded. */
const NATURES: readonly Nature[] = [
  nature(2135, 30, 66),
  nature(2062, 53, 25.6),
  nature(4090, 0, 5.0, CNAE_CAMPAIGN),
  nature(2240, 4.2, 0.8),
  nature(3999, 3.4, 0.4, 9430800),
  nature(4120, 2.6, 0.1, 111302),
  nature(2127, 0.8, 0.5),
  nature(3085, 1.7, 0.1, 8112500),
  nature(2321, 1.6, 0.1),
  nature(3220, 0.9, 0.1, 9491000),
  nature(2054, 0.8, 0.1, 6462000),
  nature(2143, 0.2, 0.1),
  nature(2305, 0.3, 0.9),
  nature(1244, 0.15, 0.02, 8411600),
  nature(1031, 0.1, 0.03, 8411600),
  nature(2216, 0.1, 0.05, 6462000),
];

/** True for business entities. Other natures have no capital, and their size is "other". */
export function isBusiness(code: number): boolean {
  return code >= 2000 && code < 3000;
}

/** A blank company to fill with `CompanyMaker.make`. */
export function newCompany(): Company {
  return {
    index: 0,
    quirk: null,
    root: 0,
    start: 0,
    status: 2,
    city: 0,
    activity: 0,
    nature: 2135,
    size: 1,
    decimal: 0,
    isMei: false,
    isAlphanumeric: false,
    simples: 0,
  };
}

/** Makes companies by number. */
export class CompanyMaker {
  private readonly context: SampleContext;
  private readonly random: Random;
  private readonly factor: number;
  private readonly shift: number;
  private readonly dates: OpeningDates;
  private readonly activeNatures = new Weighted(NATURES.map(({ active }) => active));
  private readonly otherNatures = new Weighted(NATURES.map(({ inactive }) => inactive));
  private readonly usual: readonly number[];

  constructor(context: SampleContext) {
    this.context = context;
    this.random = new Random(context.seed);
    // The factor is chosen so that index * factor stays below 2^53. The remainder is then exact.
    this.factor = 60_000_000 + (hash(context.seed, STREAMS.order, 1) % 29_000_000);
    this.shift = hash(context.seed, STREAMS.order, 2) % ROOTS;
    this.dates = new OpeningDates(context.snapshot);
    this.usual = NATURES.map(({ cnae }) =>
      context.activities.list.findIndex(({ code }) => code === cnae),
    );
  }

  /** Returns the root for a company number. Numbers from `context.companies` on are unused. */
  rootOf(index: number, isAlphanumeric: boolean): number {
    return rootAt(this.position(index), isAlphanumeric);
  }

  private position(index: number): number {
    return remainder(index * this.factor + this.shift, ROOTS);
  }

  /** Fills `company` with company number `index`. */
  make(index: number, company: Company): void {
    const { context, random } = this;
    const quirk = quirkAt(index, context.companies, COMPANY_QUIRKS.length);
    company.index = index;
    company.quirk = quirk < 0 ? null : (COMPANY_QUIRKS[quirk] as CompanyQuirk);
    const isLate = company.quirk === "root_alphanumeric";
    random.place(STREAMS.company, index);
    company.decimal = this.position(index);
    company.start = this.dates.at(company.decimal / ROOTS, random);
    if (isLate) {
      const newest = Math.min(39, Math.max(0, context.snapshot - ALPHANUMERIC_FROM));
      company.start = context.snapshot - random.below(newest + 1);
    }
    this.drawRoot(company);
    this.drawStatus(company, isLate);
    this.drawForm(company);
    this.drawPlace(company);
    this.drawSimples(company);
  }

  /** Changes the opening day of a made company. */
  open(company: Company, start: number): void {
    company.start = start;
    this.drawRoot(company);
  }

  /** Draws the root. Half of the companies that are new enough get a root with letters. */
  private drawRoot(company: Company): void {
    const isNew = company.start >= ALPHANUMERIC_FROM;
    const isDrawn = isNew && hash(this.context.seed, STREAMS.letters, company.index) % 2 === 1;
    company.isAlphanumeric = isDrawn || company.quirk === "root_alphanumeric";
    company.root = rootAt(company.decimal, company.isAlphanumeric);
  }

  private drawStatus(company: Company, isNew: boolean): void {
    const { random } = this;
    const { start } = company;
    const active = start >= 18262 ? 0.55 : start >= 14610 ? 0.36 : 0.26;
    const u = random.unit();
    if (u < active || isNew) company.status = 2;
    else {
      const v = (u - active) / (1 - active);
      company.status = v < 0.789 ? 8 : v < 0.99 ? 4 : v < 0.998 ? 3 : 1;
    }
    const isActive = company.status === 2;
    const old = start < 14245;
    const share = isActive ? (old ? 0.1 : 0.66) : company.status === 4 ? 0.15 : 0.03;
    company.isMei = random.chance(share);
  }

  private drawForm(company: Company): void {
    const { random } = this;
    const natures = company.status === 2 ? this.activeNatures : this.otherNatures;
    const which = company.isMei ? 0 : natures.pick(random);
    company.nature = (NATURES[which] as Nature).code;
    company.activity = this.usual[which] as number;
    if (company.quirk === "cpf_formatted") company.nature = 2135;
    const business = isBusiness(company.nature);
    const u = random.unit();
    company.size = company.isMei ? 1 : !business ? 5 : u < 0.768 ? 1 : u < 0.812 ? 3 : 5;
  }

  private drawPlace(company: Company): void {
    const { random, context } = this;
    company.city = context.cities.spread.pick(random);
    if (company.city === context.cities.foreign && company.isMei) {
      company.city = (random.unit() * context.cities.foreign) | 0;
    }
    if (company.activity < 0) {
      company.activity = context.activities.pick(random, company.city, company.status === 2);
    }
  }

  private drawSimples(company: Company): void {
    const { random } = this;
    const isActive = company.status === 2;
    const u = random.unit();
    if (company.isMei) company.simples = 3;
    else if (!isBusiness(company.nature)) company.simples = u < 0.02 ? 1 : 0;
    else if (u < (isActive ? 0.57 : 0.065)) company.simples = 2;
    else company.simples = random.chance(isActive ? 0.38 : 0.63) ? 1 : 0;
  }
}

function rootAt(position: number, isAlphanumeric: boolean): number {
  if (isAlphanumeric) return alphanumericRoot(position);
  const high = (position / 10_000) | 0;
  return (DECIMALS[high] as number) * BRANCHES + (DECIMALS[position - high * 10_000] as number);
}

/** Returns an alphanumeric root: two digits, three letters, three digits; unique per position. */
function alphanumericRoot(position: number): number {
  const letters = Math.floor(position / 100_000);
  const text =
    String(position % 100).padStart(2, "0") +
    String.fromCharCode(
      65 + Math.floor(letters / 100),
      65 + ((letters % 100) % 26),
      65 + Math.floor((letters % 100) / 26),
    ) +
    String(Math.floor(position / 100) % 1000).padStart(3, "0");
  return Number.parseInt(text.slice(0, 4), 36) * BRANCHES + Number.parseInt(text.slice(4), 36);
}

/**
 * Returns the number of branches, not counting the head office. 1.5% of companies have branches.
 * Their numbers have a heavy tail, and branches are 4.2% of all establishments.
 */
export function branchCount(seed: number, index: number): number {
  const h = hash(seed, STREAMS.branches, index);
  if (h > 64_424_509) return 0;
  const u = (hash(seed, STREAMS.branches + 100, index) + 1) / 4294967297;
  return Math.min(BRANCHES_MAX, Math.floor(1.35 * u ** -0.62));
}

/** Shares of companies with an accountant's office, and with an owner of several companies. */
const CLIENTS = 0.2;
const OWNED = 0.1;
/** Mean number of companies per office, and per such owner. */
const CLIENTS_MEAN = 24;
const OWNED_MEAN = 2.2;
/** Numbers of the random streams for representatives. They follow those in `STREAMS`. */
const OFFICE_STREAMS = { kind: 11, rank: 12, office: 13, owner: 14 } as const;
const BITS = 2 ** 32;

/** The lowest bit of a representative: set for an office. */
export const IS_OFFICE = 1;

/** The offices and owners of a sample. */
export class Offices {
  private readonly seed: number;
  private readonly offices: Float64Array;
  private readonly owners: Float64Array;

  constructor({ seed, companies, cities }: SampleContext) {
    this.seed = seed;
    const many = (share: number, mean: number) =>
      cities.shares.map((part) => Math.max(1, Math.round((companies * part * share) / mean)));
    this.offices = many(CLIENTS, CLIENTS_MEAN);
    this.owners = many(OWNED, OWNED_MEAN);
  }

  /** Returns the representative of company `company` in municipality `city`. */
  of(company: number, city: number): number {
    const kind = hash(this.seed, OFFICE_STREAMS.kind, company) / BITS;
    if (kind >= CLIENTS + OWNED) return 0;
    const unit = hash(this.seed, OFFICE_STREAMS.rank, company) / BITS;
    if (kind < CLIENTS) {
      const rank = Math.floor((this.offices[city] as number) * unit * unit);
      return (hash(this.seed + city, OFFICE_STREAMS.office, rank) | IS_OFFICE) >>> 0;
    }
    const rank = Math.floor((this.owners[city] as number) * unit);
    // Bit 1 is set, so the result is never 0, which would mean that there is no representative.
    return ((hash(this.seed + city, OFFICE_STREAMS.owner, rank) & ~IS_OFFICE) | 2) >>> 0;
  }
}
