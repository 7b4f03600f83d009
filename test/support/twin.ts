/**
 * The reference implementation of searches. Input: all accounts of a snapshot as plain decoded
 * values. It computes the exact answer of a normalized spec (total, complete order, pages) by
 * testing every account against one filter after the other.
 * Invariant: slow and obvious. It shares only the name analyzer with the engine, and derives row
 * ids by sorting the accounts itself.
 */
import assert from "node:assert/strict";
import { type OwnerPair, rootText } from "../../native-index/format/snapshot/owners.ts";
import { analyzeWords } from "../../src/spec/analyzer.ts";
import { cnaeDigits } from "../../src/spec/catalog.ts";
import type { OutputField, SortField } from "../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";

/** The value of a field. Only `cnae_secondary` is an array. */
export type TwinValue = string | number | boolean | readonly string[] | null;

/** An account with all output fields and stored scores. `score` is the balanced score. */
export type TwinRow = Readonly<Record<OutputField, TwinValue>> & {
  readonly score_contactable: number;
  readonly score_newest: number;
  readonly score_established: number;
};

/** One page of an answer. */
export interface TwinPage {
  readonly rows: readonly number[];
  readonly total: number;
  readonly more: boolean;
}

const MASK64 = (1n << 64n) - 1n;

/** 64-bit finalizer of MurmurHash3 (Austin Appleby, public domain). */
function fmix64(value: bigint): bigint {
  let k = value & MASK64;
  k ^= k >> 33n;
  k = (k * 0xff51afd7ed558ccdn) & MASK64;
  k ^= k >> 33n;
  k = (k * 0xc4ceb9fe1a85ec53n) & MASK64;
  return k ^ (k >> 33n);
}

/**
 * Returns the seeded order, which is a permutation of the rows 0 to rowCount-1. It is a balanced
 * Feistel network of four rounds over the smallest sufficient even number of bits. It is applied
 * repeatedly until the result is a row.
 */
export function feistelOf(rowCount: number, seed: number): (row: number) => number {
  let bits = 2;
  while (2 ** bits < rowCount) bits += 2;
  const half = BigInt(bits / 2);
  const mask = (1n << half) - 1n;
  const keys = [1n, 2n, 3n, 4n].map((i) => fmix64(BigInt(seed) + i * 0x9e3779b97f4a7c15n));
  return (row) => {
    let state = BigInt(row);
    do {
      let left = state >> half;
      let right = state & mask;
      for (const key of keys) [left, right] = [right, left ^ (fmix64(right ^ key) & mask)];
      state = (left << half) | right;
    } while (state >= BigInt(rowCount));
    return Number(state);
  };
}

/** True if no list is given, or if the list contains the value. */
function inList(list: readonly TwinValue[] | undefined, value: TwinValue): boolean {
  return list === undefined || list.length === 0 || list.includes(value);
}

function text(value: TwinValue): string | null {
  return value === null ? null : String(value);
}

function cents(reais: number): number {
  return Math.round(reais * 100);
}

function meetsGeo(row: TwinRow, geo: AccountQuerySpec["filters"]["geo"]): boolean {
  if (!inList(geo.uf_any_of, row.uf)) return false;
  const { municipality_ibge_any_of: ibge, municipality_tom_any_of: tom } = geo;
  const anywhere = ibge.length === 0 && tom.length === 0;
  const here = (code: TwinValue, codes: readonly TwinValue[]) => codes.includes(code);
  if (!anywhere && !here(row.municipality_ibge, ibge) && !here(row.municipality_tom, tom)) {
    return false;
  }
  const prefixes = geo.postal_code_prefix_any_of;
  if (prefixes && !prefixes.some((prefix) => text(row.postal_code)?.startsWith(prefix))) {
    return false;
  }
  const { district_any_of: districts } = geo;
  const named = districts?.some(
    ({ municipality_ibge: code, name }) =>
      code === row.municipality_ibge && name === plainDistrict(row.district),
  );
  if (named === false) return false;
  if (!geo.area_code_any_of) return true;
  const areas = [row.phone_1, row.phone_2].map((phone) => text(phone)?.slice(3, 5));
  return geo.area_code_any_of.some((area) => areas.includes(area));
}

/**
 * Normalizes a district name for comparison, in another way than the product. It is sufficient for
 * Brazilian names.
 */
export function plainDistrict(name: TwinValue): string | null {
  if (name === null) return null;
  const plain = String(name).normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/\s+/gu, " ").trim();
}

function meetsCompany(row: TwinRow, company: AccountQuerySpec["filters"]["company"]): boolean {
  if (!inList(company.registration_status_any_of, row.registration_status)) return false;
  if (!inList(company.company_size_code_any_of, row.company_size_code)) return false;
  if (!inList(company.legal_nature_any_of, row.legal_nature)) return false;
  if (company.headquarters_only && row.headquarters !== true) return false;
  const { establishments_min: from = 0, establishments_max: to = Infinity } = company;
  if (Number(row.establishments ?? 0) < from || Number(row.establishments ?? 0) > to) return false;
  if (company.branches_only && row.headquarters !== false) return false;
  for (const flag of ["simples_opt_in", "mei_opt_in"] as const) {
    if (company[flag] !== null && company[flag] !== (row[flag] === true)) return false;
  }
  const { started_after: after, started_before: before } = company;
  const started = text(row.started_on);
  if ((after !== null || before !== null) && started === null) return false;
  if (after !== null && started !== null && started < after) return false;
  if (before !== null && started !== null && started >= before) return false;
  if (!meetsRecord(row, company)) return false;
  const { share_capital_min: min, share_capital_max: max } = company;
  const capital = row.share_capital === null ? Number.NaN : cents(Number(row.share_capital));
  if (min !== undefined && !(capital >= cents(min))) return false;
  return max === undefined || capital <= cents(max);
}

/** True if a day is in [since, before). Without either bound, it is also true for a missing day. */
function isBetween(day: TwinValue, since?: string, before?: string): boolean {
  if (since === undefined && before === undefined) return true;
  if (day === null) return false;
  return (since === undefined || day >= since) && (before === undefined || day < before);
}

const LISTED = { ceis: "sanctioned", cnep: "in_cnep", cepim: "in_cepim" } as const;

function meetsRecord(row: TwinRow, company: AccountQuerySpec["filters"]["company"]): boolean {
  const { status_since: since, status_before: before, has_federal_debt: debt } = company;
  if (!isBetween(row.registration_status_date, since, before)) return false;
  const { simples_excluded_since: left, simples_excluded_before: leftBefore } = company;
  if (!isBetween(row.simples_excluded_on, left, leftBefore)) return false;
  const { mei_excluded_since: ended, mei_excluded_before: endedBefore } = company;
  if (!isBetween(row.mei_excluded_on, ended, endedBefore)) return false;
  if (!inList(company.status_reason_any_of, row.registration_status_reason)) return false;
  const { sanction_any_of: lists } = company;
  if (lists && !lists.some((list) => row[LISTED[list]] === true)) return false;
  if (!meetsDebt(row, company)) return false;
  const { federal_debt_any_of: kinds } = company;
  if (kinds && !kinds.some((kind) => row[`federal_debt_${kind}`] === true)) return false;
  return debt === undefined || debt === (row.federal_debt === true);
}

function meetsDebt(row: TwinRow, company: AccountQuerySpec["filters"]["company"]): boolean {
  const { federal_debt_min: min, federal_debt_max: max } = company;
  if (min === undefined && max === undefined) return true;
  if (row.federal_debt_total === null || row.federal_debt !== true) return false;
  const debt = cents(Number(row.federal_debt_total));
  return (min === undefined || debt >= cents(min)) && (max === undefined || debt <= cents(max));
}

function isWithin(countOf: () => number, min?: number, max?: number): boolean {
  if (min === undefined && max === undefined) return true;
  const count = countOf();
  return count >= (min ?? 0) && count <= (max ?? Number.POSITIVE_INFINITY);
}

/**
 * Adds to each row the number of companies that its company owns, and the number of companies that
 * own it.
 */
export function withPartnerships(
  rows: readonly TwinRow[],
  pairs: readonly OwnerPair[],
): readonly TwinRow[] {
  return rows.map((row) => {
    const root = String(row.cnpj).slice(0, 8);
    const count = (end: "owner" | "owned") =>
      pairs.filter((pair) => rootText(pair[end]) === root).length;
    return { ...row, owned_companies: count("owner"), owner_companies: count("owned") };
  });
}

/** Returns the roots that the given roots own in 1 to `depth` steps. Scans all pairs each time. */
export function ownedTwin(
  pairs: readonly OwnerPair[],
  roots: readonly string[],
  depth: number,
): ReadonlySet<string> {
  const found = new Set<string>();
  let last = new Set(roots);
  for (let step = 0; step < depth; step++) {
    const next = new Set<string>();
    for (const { owner, owned } of pairs) if (last.has(rootText(owner))) next.add(rootText(owned));
    for (const root of next) found.add(root);
    last = next;
  }
  return found;
}

/** True if the account lacks at least one of the kinds of contact. */
function lacks(row: TwinRow, kinds: readonly string[]): boolean {
  const phones = [row.phone_1, row.phone_2];
  const noPhone = phones.every((phone) => phone === null);
  const lacked: Readonly<Record<string, boolean>> = {
    email: row.email === null,
    phone: noPhone,
    mobile: !phones.map(kindOfPhone).includes("mobile"),
    any: row.email === null && noPhone,
  };
  return kinds.some((kind) => lacked[kind]);
}

function meetsContact(row: TwinRow, contact: AccountQuerySpec["filters"]["contact"]): boolean {
  const email = row.email !== null;
  const phone = row.phone_1 !== null || row.phone_2 !== null;
  if (contact.missing_any_of && !lacks(row, contact.missing_any_of)) return false;
  if (contact.require_email && !email) return false;
  if (contact.require_phone && !phone) return false;
  if (contact.require_any_contact && !email && !phone) return false;
  const phones = [row.phone_1, row.phone_2].map(String);
  if (contact.phone_any_of?.some((wanted) => phones.includes(wanted)) === false) return false;
  const address = String(row.email).toLowerCase();
  if (contact.email_any_of?.includes(address) === false) return false;
  const kinds = [row.phone_1, row.phone_2].map(kindOfPhone);
  if (contact.require_mobile && !kinds.includes("mobile")) return false;
  if (contact.require_landline && !kinds.includes("landline")) return false;
  if (contact.require_own_domain && row.email_own_domain !== true) return false;
  return (
    isShared(contact.email_shared_max, [row.email_shared]) &&
    isShared(contact.phone_shared_max, [row.phone_1_shared, row.phone_2_shared])
  );
}

/** True if there is no bound, or if at least one of the numbers exists and is not above it. */
function isShared(most: number | undefined, numbers: readonly TwinValue[]): boolean {
  return most === undefined || numbers.some((one) => one !== null && Number(one) <= most);
}

/** Returns the kind of a phone, by the digits after +55 and the area code. */
export function kindOfPhone(phone: TwinValue): "mobile" | "landline" | null {
  const [, number = ""] = /^\+55(?:1[1-9]|[2-9]\d)(\d+)$/.exec(String(phone)) ?? [];
  if (/^9\d{8}$/.test(number)) return "mobile";
  return /^\d{7,8}$/.test(number) ? "landline" : null;
}

/**
 * The activity codes that a spec requires and excludes, as digits. If `both` is true, secondary
 * activities count too.
 */
interface Codes {
  readonly any: ReadonlySet<string>;
  readonly none: ReadonlySet<string>;
  readonly both: boolean;
}

function codesOf({ filters: { industry } }: AccountQuerySpec): Codes {
  return {
    any: new Set(industry.cnae_any_of.map(cnaeDigits)),
    none: new Set(industry.cnae_exclude.map(cnaeDigits)),
    both: industry.secondary_cnae_mode !== "off",
  };
}

/**
 * Returns a string with one character for each UTF-8 byte of a text. Comparing such strings with
 * `<` compares the bytes.
 */
function utf8Key(value: TwinValue): string | null {
  return value === null ? null : Buffer.from(String(value)).toString("latin1");
}

/** Compares optional values, null last. Strings must be ASCII or come from `utf8Key`. */
function compareValues(left: TwinValue, right: TwinValue, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order = Number(left > right) - Number(left < right);
  return descending ? -order : order;
}

type Scoring = AccountQuerySpec["scoring"];

/** Answers specs by testing every account. */
export class Twin {
  /** The accounts in the order of their row ids: balanced score descending, CNPJ ascending. */
  readonly rows: readonly TwinRow[];
  readonly #words: readonly ReadonlySet<string>[];
  readonly #secondary: readonly (readonly string[])[];
  readonly #legalNames: readonly (string | null)[];
  readonly #placesBySeed = new Map<number, (row: number) => number>();
  readonly #pairs: readonly OwnerPair[];
  readonly #ownedBy = new Map<string, ReadonlySet<string>>();
  readonly #columns = new Map<string, readonly TwinValue[]>();
  readonly #counts = new Map<string, Map<string, number>>();

  /** `pairs` are the ownership relations between companies in the snapshot. */
  constructor(rows: readonly TwinRow[], pairs: readonly OwnerPair[] = []) {
    this.#pairs = pairs;
    this.rows = [...rows].sort((left, right) => {
      const byScore = compareValues(left.score, right.score, true);
      return byScore !== 0 ? byScore : compareValues(left.cnpj, right.cnpj, false);
    });
    this.#words = this.rows.map(
      (row) => new Set(analyzeWords(`${row.legal_name ?? ""} ${row.trade_name ?? ""}`)),
    );
    this.#legalNames = this.rows.map((row) => utf8Key(row.legal_name));
    this.#secondary = this.rows.map((row) => (row.cnae_secondary ?? []) as string[]);
  }

  /** Returns all matching rows in the order of the spec. Their number is the exact total. */
  answer(spec: AccountQuerySpec): number[] {
    const order = this.#order(spec);
    const all = this.rows.map((_, row) => row);
    const rest = all.filter((row) => this.#meetsOthers(row, spec));
    const codes = codesOf(spec);
    const mode = spec.filters.industry.secondary_cnae_mode;
    const matches = (primaryOnly: boolean) =>
      rest.filter((row) => this.#meetsActivity(row, codes, primaryOnly)).sort(order);
    if (mode === "full") return matches(false);
    const primary = matches(true);
    if (mode === "off") return primary;
    const either = matches(false);
    if (primary.length >= spec.limit) return primary;
    const first = new Set(primary);
    return [...primary, ...either.filter((row) => !first.has(row))];
  }

  /**
   * Returns the page of up to `spec.limit` rows after a row of the answer. If `afterRow` is -1, it
   * is the first page.
   */
  page(spec: AccountQuerySpec, afterRow: number): TwinPage {
    const answer = this.answer(spec);
    const start = afterRow < 0 ? 0 : answer.indexOf(afterRow) + 1;
    assert(afterRow < 0 || start > 0, "a page begins after a row of the answer");
    const rows = answer.slice(start, start + spec.limit);
    return { rows, total: answer.length, more: start + rows.length < answer.length };
  }

  /** True if a row satisfies all filters except those by activity code. */
  #meetsOthers(row: number, spec: AccountQuerySpec): boolean {
    const account = this.rows[row] as TwinRow;
    const { industry, geo, company, contact } = spec.filters;
    if (!meetsGeo(account, geo) || !meetsCompany(account, company)) return false;
    if (!meetsContact(account, contact)) return false;
    const { owned_by_any_of: owners, owned_by_depth: depth = 1 } = company;
    const root = String(account.cnpj).slice(0, 8);
    if (owners && !this.#owned(owners, depth).has(root)) return false;
    const words = this.#words[row] as ReadonlySet<string>;
    const { owned_companies_min: ownsMin, owned_companies_max: ownsMax } = company;
    const owned = () => this.#partners("owner").get(root) ?? 0;
    if (!isWithin(owned, ownsMin, ownsMax)) return false;
    const { owner_companies_min: ownersMin, owner_companies_max: ownersMax } = company;
    if (!isWithin(() => this.#partners("owned").get(root) ?? 0, ownersMin, ownersMax)) return false;
    const { text_hints: hints, cnae_secondary_any_of: wanted } = industry;
    const secondary = this.#secondary[row] as readonly string[];
    if (wanted && !secondary.some((code) => wanted.map(cnaeDigits).includes(code))) return false;
    return hints.length === 0 || hints.some((hint) => hint.split(" ").every((w) => words.has(w)));
  }

  /** Returns the number of pairs in which each company is the owner, or the owned one. */
  #partners(end: "owner" | "owned"): ReadonlyMap<string, number> {
    const counts = this.#counts.get(end) ?? new Map<string, number>();
    if (!this.#counts.has(end)) {
      for (const pair of this.#pairs) {
        const root = rootText(pair[end]);
        counts.set(root, (counts.get(root) ?? 0) + 1);
      }
      this.#counts.set(end, counts);
    }
    return counts;
  }

  /** Returns the roots that these companies own, cached because every row needs it. */
  #owned(owners: readonly string[], depth: number): ReadonlySet<string> {
    const key = `${depth} ${owners.join(" ")}`;
    const known = this.#ownedBy.get(key) ?? ownedTwin(this.#pairs, owners, depth);
    this.#ownedBy.set(key, known);
    return known;
  }

  /** True if a row satisfies the activity filters. `primaryOnly` ignores secondary activities. */
  #meetsActivity(row: number, { any, none, both }: Codes, primaryOnly: boolean): boolean {
    const primary = String((this.rows[row] as TwinRow).cnae_primary);
    if (none.has(primary)) return false;
    const secondary = this.#secondary[row] as readonly string[];
    if (both && secondary.some((code) => none.has(code))) return false;
    if (any.size === 0 || any.has(primary)) return true;
    return !primaryOnly && secondary.some((code) => any.has(code));
  }

  /** Returns the random order of a seed. It is cached, because random specs share a few seeds. */
  #places(seed: number): (row: number) => number {
    const known = this.#placesBySeed.get(seed) ?? memoized(feistelOf(this.rows.length, seed));
    this.#placesBySeed.set(seed, known);
    return known;
  }

  /**
   * Returns a function that compares two rows by sort, strategy, and seed. The result is never 0
   * for different rows.
   */
  #order(spec: AccountQuerySpec): (left: number, right: number) => number {
    const { random_seed: seed } = spec.scoring;
    const place = seed === null ? null : this.#places(seed);
    const shuffles = place !== null && spec.sort.some(({ field }) => field === "score");
    const keys = spec.sort.map(({ field, direction }) => {
      return { values: this.#column(field, spec.scoring), descending: direction === "desc" };
    });
    const cnpjs = this.#column("cnpj", spec.scoring);
    return (left, right) => {
      for (const { values, descending } of keys) {
        const [one, other] = [values[left] as TwinValue, values[right] as TwinValue];
        const order = compareValues(one, other, descending);
        if (order !== 0) return order;
      }
      if (shuffles && left !== right) return place(left) - place(right);
      return compareValues(cnpjs[left] as TwinValue, cnpjs[right] as TwinValue, false);
    };
  }

  /** Returns the values of all rows for a sort field. They are cached, because specs share them. */
  #column(field: SortField, { strategy, random_seed: seed }: Scoring): readonly TwinValue[] {
    const name = field === "score" ? `score ${strategy} ${seed}` : field;
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const values = this.rows.map((account, row): TwinValue => {
      if (field === "company_size") return account.company_size_code;
      if (field === "legal_name") return this.#legalNames[row] ?? null;
      if (field !== "score") return account[field];
      // A low position in the random order counts as a high score.
      if (strategy === "random") return -(seed === null ? 0 : this.#places(seed)(row));
      return strategy === "balanced" ? account.score : account[`score_${strategy}`];
    });
    this.#columns.set(name, values);
    return values;
  }
}

function memoized(of: (row: number) => number): (row: number) => number {
  const known = new Map<number, number>();
  return (row) => {
    const result = known.get(row) ?? of(row);
    known.set(row, result);
    return result;
  };
}

/** Returns the link for the first of the phones that is a mobile, or null. */
export function whatsappOf(...phones: readonly TwinValue[]): string | null {
  const found = phones.find((phone) => kindOfPhone(phone) === "mobile");
  return found == null ? null : `https://wa.me/${String(found).slice(1)}`;
}
