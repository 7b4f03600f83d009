/**
 * Converts filters to clauses, the conditions of a query. Input: the filters of a normalized spec
 * and the code tables of a segment. Output: the clauses; a row must meet all of them.
 * Invariant: every filter that is set becomes a clause. The code does not compile unless CLAUSES
 * has an entry for each filter. If the snapshot lacks all values of a filter, its clause matches no
 * row. With the mode `fallback`, a query has two phases: matches of the primary activity, then
 * matches of only a secondary one. No row is in both phases, and together they contain the
 * rows that `clausesOf` matches.
 */
import {
  type DimensionName,
  FLAG_CODES,
  TABLES,
  type TableName,
} from "../../native-index/format/columns.ts";
import type { Clause, PostingClause, RangeClause } from "../../native-index/napi/engine.ts";
import { analyzeWords } from "../spec/analyzer.ts";
import { cnaeDigits } from "../spec/catalog.ts";
import type { FilterName } from "../spec/filters/table.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { districtRows } from "./districts.ts";
import { ownedRows, type PartnershipDirection, rowsOfPartnerships } from "./owners.ts";
import { emailRows, LANDLINES, listRowsOf, MOBILES, phoneRows } from "./rowlists.ts";
import { guarded, type Segment } from "./segment.ts";

type Filters = AccountQuerySpec["filters"];

/** Which activity codes of a row a clause compares. */
type Activity = "primary" | "either" | "secondary only";

/** The year of code 0 in the `started_year` dimension. */
const FIRST_YEAR = 1800;
/** The last year of the `started_year` dimension, whose codes are at most 300. */
const LAST_YEAR = 2100;
/** Maximum years for which an interval that is not whole years also uses posting lists. */
const YEARS_MAX = 2;
const MILLIS_PER_DAY = 86_400_000;

/** Returns the clauses of a spec's filters. Every match meets them, in each phase. */
export function clausesOf(segment: Segment, filters: Filters): Clause[] {
  const { secondary_cnae_mode: mode } = filters.industry;
  return clausesBy(segment, filters, mode === "off" ? "primary" : "either");
}

/** Returns the clauses of each phase; the mode `fallback` has two phases. */
export function phaseClauses(segment: Segment, filters: Filters): Clause[][] {
  const { cnae_any_of: wanted, secondary_cnae_mode: mode } = filters.industry;
  // Without requested codes, a row cannot match by a secondary code, so there is one phase.
  if (mode !== "fallback" || wanted.length === 0) return [clausesOf(segment, filters)];
  const phases: Activity[] = ["primary", "secondary only"];
  return phases.map((activity) => clausesBy(segment, filters, activity));
}

function clausesBy(segment: Segment, filters: Filters, activity: Activity): Clause[] {
  const { industry, geo, company, contact, lists } = filters;
  // The members are listed one by one, because copying the objects with a spread takes longer than
  // making most of the clauses.
  const input: ClauseInput = { segment, activity, industry, geo, company, contact, lists };
  const clauses: Clause[] = [];
  for (const read of READERS) clauses.push(...read(input));
  return clauses;
}

interface ClauseInput extends Omit<Filters, "lists"> {
  readonly lists: Filters["lists"];
  readonly segment: Segment;
  readonly activity: Activity;
}

/** Returns the clauses of a filter, or of several in one clause; none if they are not set. */
type ClauseReader = (input: ClauseInput) => Clause[];

/** Returns the clause for rows with one of the codes of a dimension, or none if `negated`. */
function posting(dimension: DimensionName, codes: number[], negated = false): PostingClause {
  return { kind: "posting", any: [{ dimension, codes: ascending(codes) }], negated };
}

/** Returns the codes of those values that the snapshot has. */
function codes(segment: Segment, table: TableName, values: readonly string[]): number[] {
  return values.map((value) => segment.codeOf(table, value)).filter((code) => code >= 0);
}

/** Returns the codes of subclasses `NNNN-N/NN`, the same for primary and secondary ones. */
function cnaeCodes(segment: Segment, subclasses: readonly string[]): number[] {
  const known = subclassCodes.get(segment) ?? new Map<string, number>();
  subclassCodes.set(segment, known);
  const wanted: number[] = [];
  for (const subclass of subclasses) {
    let code = known.get(subclass);
    if (code === undefined) {
      code = segment.codeOf("cnae_primary", cnaeDigits(subclass));
      if (code >= 0) known.set(subclass, code);
    }
    if (code >= 0) wanted.push(code);
  }
  return wanted;
}

/** Cached codes by subclass, spelled as in specs. Contains only subclasses of the snapshot. */
const subclassCodes = new WeakMap<Segment, Map<string, number>>();

function activityClauses({ segment, industry, activity }: ClauseInput): Clause[] {
  const { cnae_any_of: subclasses } = industry;
  if (subclasses.length === 0) return [];
  const wanted = cnaeCodes(segment, subclasses);
  if (activity === "primary") return [posting("cnae_primary", wanted)];
  if (activity === "either") return [eitherPosting(wanted, false)];
  return [posting("cnae_secondary", wanted), posting("cnae_primary", wanted, true)];
}

/** Returns the clause that excludes codes, secondary ones only if the spec matches them. */
function excludeClauses({ segment, industry }: ClauseInput): Clause[] {
  if (industry.cnae_exclude.length === 0) return [];
  const unwanted = cnaeCodes(segment, industry.cnae_exclude);
  return industry.secondary_cnae_mode === "off"
    ? [posting("cnae_primary", unwanted, true)]
    : [eitherPosting(unwanted, true)];
}

/** Returns the clause for rows with one of the codes, also secondary, or none if `negated`. */
function eitherPosting(cnaes: number[], negated: boolean): PostingClause {
  const dimensions = ["cnae_primary", "cnae_secondary"] as const;
  return { kind: "posting", any: dimensions.flatMap((name) => posting(name, cnaes).any), negated };
}

/**
 * Returns a clause of its own, so that a row must meet both this clause and that of `cnae_any_of`.
 */
function secondaryClauses({ segment, industry }: ClauseInput): Clause[] {
  const { cnae_secondary_any_of: subclasses } = industry;
  if (subclasses === undefined) return [];
  return [posting("cnae_secondary", cnaeCodes(segment, subclasses))];
}

function hintClauses({ industry: { text_hints: hints } }: ClauseInput): Clause[] {
  return hints.length === 0 ? [] : [{ kind: "words", hints: hints.map(analyzeWords) }];
}

/** Returns the clause for rows with one of the values, or none if no value is given. */
function anyOf(
  segment: Segment,
  dimension: DimensionName & TableName,
  values: readonly string[] = [],
): Clause[] {
  return values.length === 0 ? [] : [posting(dimension, codes(segment, dimension, values))];
}

/**
 * Returns the clause for rows with a flag, or without it. Returns no clause if `wanted` is null.
 */
function flag(name: keyof typeof FLAG_CODES, wanted: boolean | null): Clause[] {
  return wanted === null ? [] : [posting("flag", [FLAG_CODES[name]], !wanted)];
}

/** Returns one clause for IBGE and TOM codes, so that a row needs only one code of either list. */
function municipalityClauses({ segment, geo }: ClauseInput): Clause[] {
  const any = (["municipality_ibge", "municipality_tom"] as const)
    .map((dimension) => ({ dimension, values: geo[`${dimension}_any_of`] }))
    .filter(({ values }) => values.length > 0)
    .map(({ dimension, values }) => ({
      dimension,
      codes: ascending(codes(segment, dimension, values)),
    }));
  return any.length === 0 ? [] : [{ kind: "posting", any, negated: false }];
}

function districtClauses({ segment, geo: { district_any_of: districts } }: ClauseInput): Clause[] {
  if (districts === undefined) return [];
  return [{ kind: "rows", lists: [districtRows(segment, districts)], negated: false }];
}

function postalClauses({ geo: { postal_code_prefix_any_of: prefixes } }: ClauseInput): Clause[] {
  if (prefixes === undefined) return [];
  return [{ kind: "range", column: "postal_code", ranges: prefixes.map(prefixRange) }];
}

function areaClauses({ geo: { area_code_any_of: areas } }: ClauseInput): Clause[] {
  return areas === undefined ? [] : [posting("area_code", areas.map(Number))];
}

function statusClauses({
  company: { registration_status_any_of: statuses },
}: ClauseInput): Clause[] {
  return statuses.length === 0 ? [] : [posting("registration_status", [...statuses])];
}

function capitalClauses({ company }: ClauseInput): RangeClause[] {
  const { share_capital_min: min, share_capital_max: max } = company;
  if (min === undefined && max === undefined) return [];
  return [{ kind: "range", column: "share_capital_cents", ranges: [centsRange(min, max)] }];
}

/** The posting list of debtors comes first. Few companies are debtors, so few amounts are read. */
function debtClauses({ company }: ClauseInput): Clause[] {
  const { federal_debt_min: min, federal_debt_max: max } = company;
  if (min === undefined && max === undefined) return [];
  const ranges = [centsRange(min, max)] as const;
  return [...flag("federal_debt", true), { kind: "range", column: "federal_debt_cents", ranges }];
}

/** Returns an inclusive range of amounts in cents. The bounds are given in reais. */
function centsRange(min: number | undefined, max: number | undefined): [number, number] {
  const low = min === undefined ? -Number.MAX_SAFE_INTEGER : Math.ceil(min * 100 - 1e-6);
  const high = max === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(max * 100 + 1e-6);
  return [low, high];
}

/**
 * Returns the clauses for the interval [after, before) of opening dates. Whole years need only the
 * posting lists of the years. For other intervals, the date of each remaining row is tested. If
 * such an interval has few years, their posting lists first exclude most rows (measured, bench
 * search).
 */
function startedClauses({ company }: ClauseInput): Clause[] {
  const { started_after: after, started_before: before } = company;
  if (after === null && before === null) return [];
  const firstDay = after === null ? yearStart(FIRST_YEAR) : dayOf(after);
  const lastDay = (before === null ? yearStart(LAST_YEAR + 1) : dayOf(before)) - 1;
  const exact: Clause = { kind: "range", column: "started_on", ranges: [[firstDay, lastDay]] };
  const firstYear = Math.max(FIRST_YEAR, yearOf(firstDay));
  const lastYear = Math.min(LAST_YEAR, yearOf(lastDay));
  const aligned = firstDay <= yearStart(firstYear) && lastDay === yearStart(lastYear + 1) - 1;
  if (!aligned && lastYear - firstYear >= YEARS_MAX) return [exact];
  const years = [];
  for (let year = firstYear; year <= lastYear; year++) years.push(year - FIRST_YEAR);
  const union = posting("started_year", years);
  return aligned ? [union] : [union, exact];
}

/** Returns the clause for the days [since, before) of a column. */
function dayClauses(
  column: RangeClause["column"],
  since: string | null | undefined,
  before: string | null | undefined,
): Clause[] {
  if (since == null && before == null) return [];
  const first = since == null ? yearStart(FIRST_YEAR) : dayOf(since);
  const last = (before == null ? yearStart(LAST_YEAR + 1) : dayOf(before)) - 1;
  return [{ kind: "range", column, ranges: [[first, last]] }];
}

function statusDayClauses({ company }: ClauseInput): Clause[] {
  return dayClauses("registration_status_date", company.status_since, company.status_before);
}

function simplesDayClauses({ company }: ClauseInput): Clause[] {
  const { simples_excluded_since: since, simples_excluded_before: before } = company;
  return dayClauses("simples_excluded_on", since, before);
}

function meiDayClauses({ company }: ClauseInput): Clause[] {
  const { mei_excluded_since: since, mei_excluded_before: before } = company;
  return dayClauses("mei_excluded_on", since, before);
}

/**
 * Reasons have no posting lists. Their codes are in ascending order of the reasons, so adjacent
 * reasons share one range.
 */
function reasonClauses({
  segment,
  company: { status_reason_any_of: reasons },
}: ClauseInput): Clause[] {
  if (reasons === undefined) return [];
  const column = "registration_status_reason";
  const ranges: [number, number][] = [];
  for (const code of codes(segment, column, reasons)) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return [{ kind: "range", column, ranges }];
}

function sanctionClauses({ company: { sanction_any_of: lists } }: ClauseInput): Clause[] {
  if (lists === undefined) return [];
  return [
    posting(
      "flag",
      lists.map((list) => FLAG_CODES[SANCTION_FLAGS[list]]),
    ),
  ];
}

const SANCTION_FLAGS = { ceis: "sanctioned", cnep: "in_cnep", cepim: "in_cepim" } as const;

/**
 * Kinds of debt have no posting lists. The posting list of all debtors selects rows, then a column
 * for each kind is tested.
 */
function debtKindClauses({ company: { federal_debt_any_of: kinds } }: ClauseInput): Clause[] {
  if (kinds === undefined) return [];
  const debtors = posting("flag", [FLAG_CODES.federal_debt]);
  const [column, or, ...others] = kinds.map((kind) => DEBT_COLUMNS[kind]);
  // Every debtor has a debt of at least one of the three kinds, so all three kinds select all
  // debtors.
  if (column === undefined || others.length > 0) return [debtors];
  const both = or === undefined ? { column } : { column, or };
  return [debtors, { kind: "range", ...both, ranges: [[1, 1]] }];
}

const DEBT_COLUMNS = {
  fgts: "federal_debt_fgts",
  social_security: "federal_debt_social_security",
  other: "federal_debt_other",
} as const;

function ownedClauses({ segment, company }: ClauseInput): Clause[] {
  const { owned_by_any_of: roots, owned_by_depth: depth = 1 } = company;
  if (roots === undefined) return [];
  return [{ kind: "rows", lists: [ownedRows(segment, roots, depth)], negated: false }];
}

/** Returns the clause for companies by their number of partnerships in one direction. */
function partnersClauses(
  segment: Segment,
  direction: PartnershipDirection,
  min: number | undefined,
  max: number | undefined,
): Clause[] {
  if (min === undefined && max === undefined) return [];
  // Companies without partnerships are in no list. With only an upper bound, the clause therefore
  // excludes the companies above it.
  const [low, high] = min === undefined ? [Number(max) + 1, undefined] : [min, max];
  const lists = [rowsOfPartnerships(segment, direction, low, high)];
  return [{ kind: "rows", lists, negated: min === undefined }];
}

const ownedCompaniesClauses: ClauseReader = ({ segment, company }) => {
  const { owned_companies_min: min, owned_companies_max: max } = company;
  return partnersClauses(segment, "owns", min, max);
};

const ownerCompaniesClauses: ClauseReader = ({ segment, company }) => {
  const { owner_companies_min: min, owner_companies_max: max } = company;
  return partnersClauses(segment, "owners", min, max);
};

/** Returns the clause for rows that lack a kind of contact, or do not have both of two kinds. */
function missingClauses({ contact: { missing_any_of: kinds } }: ClauseInput): Clause[] {
  if (kinds === undefined) return [];
  const flags = MISSING_FLAGS[kinds.join(" ")] ?? [];
  return [
    posting(
      "flag",
      flags.map((name) => FLAG_CODES[name]),
      true,
    ),
  ];
}

/** Maps the kinds in normal form to flags. Rows that have none of these flags match. */
const MISSING_FLAGS: Readonly<Record<string, readonly (keyof typeof FLAG_CODES)[]>> = {
  any: ["has_email", "has_phone"],
  email: ["has_email"],
  phone: ["has_phone"],
  mobile: ["has_mobile"],
  "email phone": ["email_and_phone"],
  "email mobile": ["email_and_mobile"],
};

function anyContactClauses({ contact }: ClauseInput): Clause[] {
  if (!contact.require_any_contact) return [];
  return [posting("flag", [FLAG_CODES.has_email, FLAG_CODES.has_phone])];
}

/**
 * Returns the clause for rows with a mobile or a landline. Snapshots of earlier versions have no
 * posting lists of them.
 */
function phoneKindClauses(
  { segment, contact }: ClauseInput,
  kind: "mobile" | "landline",
  ranges: RangeClause["ranges"],
): Clause[] {
  if (contact[`require_${kind}`] !== true) return [];
  if (!segment.catalog.lacksCounts) return flag(`has_${kind}`, true);
  return [{ kind: "range", column: "phone_1", or: "phone_2", ranges }];
}

/** Returns the clause for rows whose count is from `min` to `max`, if these are given. */
function countClauses(
  segment: Segment,
  columns: Pick<RangeClause, "column" | "or">,
  [min = 0, max]: readonly [min: number | undefined, max: number | undefined],
): Clause[] {
  const numbers = numbersOf(segment);
  const low = firstFrom(numbers, min);
  const high = (max === undefined ? numbers.length : firstFrom(numbers, max + 1)) - 1;
  return [{ kind: "range", ...columns, ranges: low <= high ? [[low, high]] : [] }];
}

function establishmentClauses({ segment, company }: ClauseInput): Clause[] {
  const { establishments_min: min, establishments_max: max } = company;
  if (min === undefined && max === undefined) return [];
  return countClauses(segment, { column: "establishments" }, [min, max]);
}

/**
 * E-mails that only one company uses have posting lists. For other limits, the count of each row is
 * tested.
 */
function emailSharedClauses({
  segment,
  contact: { email_shared_max: max },
}: ClauseInput): Clause[] {
  if (max === undefined) return [];
  if (max === 1) return flag("own_email", true);
  return countClauses(segment, { column: "email_shared" }, [undefined, max]);
}

function phoneSharedClauses({
  segment,
  contact: { phone_shared_max: max },
}: ClauseInput): Clause[] {
  if (max === undefined) return [];
  const columns = { column: "phone_1_shared", or: "phone_2_shared" } as const;
  return countClauses(segment, columns, [undefined, max]);
}

function phoneClauses({ segment, contact: { phone_any_of: phones } }: ClauseInput): Clause[] {
  if (phones === undefined) return [];
  return [{ kind: "rows", lists: [phoneRows(segment, phones)], negated: false }];
}

function emailClauses({ segment, contact: { email_any_of: emails } }: ClauseInput): Clause[] {
  if (emails === undefined) return [];
  return [{ kind: "rows", lists: [emailRows(segment, emails)], negated: false }];
}

/** Returns the clause for rows in, or not in, the user's lists; none without the member. */
function listClauses({ segment, lists }: ClauseInput, member: "any_of" | "exclude"): Clause[] {
  if (lists?.[member] === undefined) return [];
  const negated = member === "exclude";
  return [{ kind: "rows", lists: listRowsOf(lists, segment)[member], negated }];
}

/** Returns the number that each code of the `number` table means, ascending. */
function numbersOf(segment: Segment): readonly number[] {
  const known = numbersBySegment.get(segment);
  if (known !== undefined) return known;
  const numbers = segment.native.table(TABLES.indexOf("number")).map(Number);
  numbersBySegment.set(segment, numbers);
  return numbers;
}

const numbersBySegment = new WeakMap<Segment, readonly number[]>();

/** Returns the index of the first number that is not below a bound. */
function firstFrom(numbers: readonly number[], bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Postal codes that begin with a prefix, as an inclusive range of 8-digit numbers. */
function prefixRange(prefix: string): [number, number] {
  const scale = 10 ** (8 - prefix.length);
  const low = Number(prefix) * scale;
  return [low, low + scale - 1];
}

/** Returns the number of days from 1970-01-01 to a date `YYYY-MM-DD`. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / MILLIS_PER_DAY;
}

function yearOf(day: number): number {
  return new Date(day * MILLIS_PER_DAY).getUTCFullYear();
}

function yearStart(year: number): number {
  return Date.UTC(year, 0, 1) / MILLIS_PER_DAY;
}

/** For each filter, the function that returns its clauses, in the order of the clauses. */
const CLAUSES = {
  cnae_any_of: activityClauses,
  // Decides which activities of a row are compared with the requested and the excluded codes.
  secondary_cnae_mode: activityClauses,
  cnae_exclude: excludeClauses,
  text_hints: hintClauses,
  cnae_secondary_any_of: secondaryClauses,
  uf_any_of: ({ segment, geo }) => anyOf(segment, "uf", geo.uf_any_of),
  municipality_ibge_any_of: municipalityClauses,
  municipality_tom_any_of: municipalityClauses,
  postal_code_prefix_any_of: postalClauses,
  area_code_any_of: areaClauses,
  district_any_of: districtClauses,
  registration_status_any_of: statusClauses,
  company_size_code_any_of: ({ segment, company }) =>
    anyOf(segment, "company_size_code", company.company_size_code_any_of),
  legal_nature_any_of: ({ segment, company }) =>
    anyOf(segment, "legal_nature", company.legal_nature_any_of),
  headquarters_only: ({ company }) => flag("headquarters", company.headquarters_only || null),
  branches_only: ({ company }) => flag("headquarters", company.branches_only ? false : null),
  simples_opt_in: ({ company }) => flag("simples_opt_in", company.simples_opt_in),
  mei_opt_in: ({ company }) => flag("mei_opt_in", company.mei_opt_in),
  share_capital_min: capitalClauses,
  share_capital_max: capitalClauses,
  started_after: startedClauses,
  started_before: startedClauses,
  require_email: ({ contact }) => flag("has_email", contact.require_email || null),
  require_phone: ({ contact }) => flag("has_phone", contact.require_phone || null),
  require_any_contact: anyContactClauses,
  status_since: statusDayClauses,
  status_before: statusDayClauses,
  status_reason_any_of: reasonClauses,
  simples_excluded_since: simplesDayClauses,
  simples_excluded_before: simplesDayClauses,
  mei_excluded_since: meiDayClauses,
  mei_excluded_before: meiDayClauses,
  sanction_any_of: sanctionClauses,
  has_federal_debt: ({ company }) => flag("federal_debt", company.has_federal_debt ?? null),
  federal_debt_min: debtClauses,
  federal_debt_max: debtClauses,
  federal_debt_any_of: debtKindClauses,
  owned_by_any_of: ownedClauses,
  owned_by_depth: ownedClauses,
  owned_companies_min: ownedCompaniesClauses,
  owned_companies_max: ownedCompaniesClauses,
  owner_companies_min: ownerCompaniesClauses,
  owner_companies_max: ownerCompaniesClauses,
  missing_any_of: missingClauses,
  establishments_min: establishmentClauses,
  establishments_max: establishmentClauses,
  require_mobile: (input) => phoneKindClauses(input, "mobile", MOBILES),
  require_landline: (input) => phoneKindClauses(input, "landline", LANDLINES),
  require_own_domain: ({ contact }) => flag("own_domain", contact.require_own_domain ?? null),
  email_shared_max: emailSharedClauses,
  phone_shared_max: phoneSharedClauses,
  phone_any_of: phoneClauses,
  email_any_of: emailClauses,
  any_of: (input) => listClauses(input, "any_of"),
  exclude: (input) => listClauses(input, "exclude"),
} satisfies Readonly<Record<FilterName, ClauseReader>>;

/** The functions in `CLAUSES`, each once, because filters that form one clause share a function. */
const READERS: readonly ClauseReader[] = [...new Set<ClauseReader>(Object.values(CLAUSES))];

/** Returns the row of a CNPJ (14 characters, upper case), or -1 if there is none. */
export function rowOf(segment: Segment, cnpj: string): number {
  return guarded(() => segment.native.findCnpj(cnpj));
}

/**
 * True if a row meets the filters. Selects the first match after the preceding row, in the order
 * in which rows are stored. The row matches if it is that match.
 */
export function matchesFilters(segment: Segment, filters: Filters, row: number): boolean {
  const { rows } = guarded(() =>
    segment.native.select({
      clauses: clausesOf(segment, filters),
      order: [{ key: "score", descending: true }],
      method: "rank",
      seed: 0n,
      afterRow: row - 1,
      limit: 1,
    }),
  );
  return rows[0] === row;
}

/** Returns the codes sorted and without duplicates. Most lists are already sorted. */
export function ascending(codes: number[]): Uint32Array {
  for (let at = 1; at < codes.length; at++) {
    if ((codes[at - 1] as number) >= (codes[at] as number)) {
      return Uint32Array.from(new Set(codes)).sort();
    }
  }
  const list = roomFor(codes.length);
  // The codes are copied one by one, which is faster than a call that copies a list.
  for (let at = 0; at < codes.length; at++) list[at] = codes[at] as number;
  return list;
}

/** Maximum number of codes of a list on the heap. Longer lists share a buffer outside the heap. */
const HEAP_CODES_MAX = 16;
/** Number of codes in a shared buffer. Each list in it keeps the whole buffer alive. */
const POOL_CODES = 2_048;
let pool = new ArrayBuffer(0);
let taken = 0;

/** Returns a list of zeros. Short lists share a buffer, because their own takes more memory. */
function roomFor(count: number): Uint32Array {
  if (count <= HEAP_CODES_MAX || count > POOL_CODES) return new Uint32Array(count);
  if (taken + count > pool.byteLength / Uint32Array.BYTES_PER_ELEMENT) {
    pool = new ArrayBuffer(POOL_CODES * Uint32Array.BYTES_PER_ELEMENT);
    taken = 0;
  }
  const list = new Uint32Array(pool, taken * Uint32Array.BYTES_PER_ELEMENT, count);
  taken += count;
  return list;
}
