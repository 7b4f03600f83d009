/**
 * Filters to clauses. What comes in: the filters of a normalized spec and the code tables of a
 * segment. What goes out: the clauses of the query, all of which a row must meet.
 * Invariant: every filter that is set becomes a clause; a filter whose values the snapshot does
 * not hold becomes a clause that no row meets, never one that is left out. The clauses of phases
 * share no row, and together they match what `clausesOf` matches.
 */
import {
  type DimensionName,
  FLAG_CODES,
  type TableName,
} from "../../native-index/format/columns.ts";
import type { Clause, PostingClause, RangeClause } from "../../native-index/napi/engine.ts";
import { analyzeWords } from "../spec/analyzer.ts";
import { cnaeDigits } from "../spec/catalog.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

type Filters = AccountQuerySpec["filters"];

/** Which activity codes of a row may be among the wanted ones. */
type Activity = "primary" | "either" | "secondary only";

/** First year that the `started_year` dimension knows; its codes count from here. */
const FIRST_YEAR = 1800;
/** Last year of the dimension: codes are at most 300. */
const LAST_YEAR = 2100;
/** Most years of an interval that is not whole years for which they are looked up first. */
const YEARS_MAX = 2;
const MILLIS_PER_DAY = 86_400_000;

/** The clauses of a spec's filters: those of every row that matches, in whichever phase. */
export function clausesOf(segment: Segment, filters: Filters): Clause[] {
  const { secondary_cnae_mode: mode } = filters.industry;
  return clausesBy(segment, filters, mode === "off" ? "primary" : "either");
}

/** The clauses of each phase, in the order in which their rows follow; fallback has two. */
export function phaseClauses(segment: Segment, filters: Filters): Clause[][] {
  const { cnae_any_of: wanted, secondary_cnae_mode: mode } = filters.industry;
  // Without wanted codes there is nothing that a secondary code could add.
  if (mode !== "fallback" || wanted.length === 0) return [clausesOf(segment, filters)];
  const phases: Activity[] = ["primary", "secondary only"];
  return phases.map((activity) => clausesBy(segment, filters, activity));
}

function clausesBy(segment: Segment, filters: Filters, activity: Activity): Clause[] {
  return [
    ...activityClauses(segment, filters.industry, activity),
    ...excludeClauses(segment, filters.industry),
    ...hintClauses(filters.industry),
    ...geoClauses(segment, filters.geo),
    ...companyClauses(segment, filters.company),
    ...startedClauses(filters.company.started_after, filters.company.started_before),
    ...contactClauses(filters.contact),
  ];
}

/** Rows with (`negated`: without) one of the codes of a dimension. */
function posting(dimension: DimensionName, codes: number[], negated = false): PostingClause {
  const sorted = Uint32Array.from(new Set(codes)).sort();
  return { kind: "posting", any: [{ dimension, codes: sorted }], negated };
}

/** Codes of the values that the snapshot holds. */
function codes(segment: Segment, table: TableName, values: readonly string[]): number[] {
  return values.map((value) => segment.codeOf(table, value)).filter((code) => code >= 0);
}

/** Codes of subclasses `NNNN-N/NN`; secondary codes are numbered as primary ones are. */
function cnaeCodes(segment: Segment, subclasses: readonly string[]): number[] {
  return codes(segment, "cnae_primary", subclasses.map(cnaeDigits));
}

function activityClauses(
  segment: Segment,
  { cnae_any_of: subclasses }: Filters["industry"],
  activity: Activity,
): Clause[] {
  if (subclasses.length === 0) return [];
  const wanted = cnaeCodes(segment, subclasses);
  if (activity === "primary") return [posting("cnae_primary", wanted)];
  if (activity === "either") return [eitherPosting(wanted, false)];
  return [posting("cnae_secondary", wanted), posting("cnae_primary", wanted, true)];
}

/** Excluded codes: the primary one only where secondary codes do not count at all. */
function excludeClauses(segment: Segment, industry: Filters["industry"]): Clause[] {
  if (industry.cnae_exclude.length === 0) return [];
  const unwanted = cnaeCodes(segment, industry.cnae_exclude);
  return industry.secondary_cnae_mode === "off"
    ? [posting("cnae_primary", unwanted, true)]
    : [eitherPosting(unwanted, true)];
}

/** Rows with (`negated`: without) one of the codes as primary or secondary activity. */
function eitherPosting(cnaes: number[], negated: boolean): PostingClause {
  const dimensions = ["cnae_primary", "cnae_secondary"] as const;
  return { kind: "posting", any: dimensions.flatMap((name) => posting(name, cnaes).any), negated };
}

function hintClauses({ text_hints: hints }: Filters["industry"]): Clause[] {
  return hints.length === 0 ? [] : [{ kind: "words", hints: hints.map(analyzeWords) }];
}

function geoClauses(segment: Segment, geo: Filters["geo"]): Clause[] {
  const clauses: Clause[] = [];
  if (geo.uf_any_of.length > 0) {
    clauses.push(posting("uf", codes(segment, "uf", geo.uf_any_of)));
  }
  const municipality = municipalityClause(segment, geo);
  if (municipality !== undefined) clauses.push(municipality);
  if (geo.postal_code_prefix_any_of !== undefined) {
    const ranges = geo.postal_code_prefix_any_of.map(prefixRange);
    clauses.push({ kind: "range", column: "postal_code", ranges });
  }
  if (geo.area_code_any_of !== undefined) {
    clauses.push(posting("area_code", geo.area_code_any_of.map(Number)));
  }
  return clauses;
}

/** The IBGE and TOM lists are one union. */
function municipalityClause(segment: Segment, geo: Filters["geo"]): PostingClause | undefined {
  const any = (["municipality_ibge", "municipality_tom"] as const)
    .map((dimension) => ({ dimension, values: geo[`${dimension}_any_of`] }))
    .filter(({ values }) => values.length > 0)
    .map(({ dimension, values }) => ({
      dimension,
      codes: Uint32Array.from(codes(segment, dimension, values)).sort(),
    }));
  return any.length === 0 ? undefined : { kind: "posting", any, negated: false };
}

function companyClauses(segment: Segment, company: Filters["company"]): Clause[] {
  const clauses: Clause[] = [];
  if (company.registration_status_any_of.length > 0) {
    clauses.push(posting("registration_status", [...company.registration_status_any_of]));
  }
  if (company.company_size_code_any_of.length > 0) {
    const sizes = codes(segment, "company_size_code", company.company_size_code_any_of);
    clauses.push(posting("company_size_code", sizes));
  }
  if (company.legal_nature_any_of !== undefined) {
    const natures = codes(segment, "legal_nature", company.legal_nature_any_of);
    clauses.push(posting("legal_nature", natures));
  }
  if (company.headquarters_only) clauses.push(posting("flag", [FLAG_CODES.headquarters]));
  for (const flag of ["simples_opt_in", "mei_opt_in"] as const) {
    const wanted = company[flag];
    if (wanted !== null) clauses.push(posting("flag", [FLAG_CODES[flag]], !wanted));
  }
  return [...clauses, ...capitalClauses(company)];
}

function capitalClauses(company: Filters["company"]): RangeClause[] {
  const { share_capital_min: min, share_capital_max: max } = company;
  if (min === undefined && max === undefined) return [];
  const low = min === undefined ? -Number.MAX_SAFE_INTEGER : Math.ceil(min * 100 - 1e-6);
  const high = max === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(max * 100 + 1e-6);
  return [{ kind: "range", column: "share_capital_cents", ranges: [[low, high]] }];
}

/**
 * The interval [after, before) of opening dates. Whole years are the union of their posting lists
 * and need no test. Other intervals test the dates of the rows that the other clauses leave; the
 * years go first only where they are few and skip most rows (measured, bench search).
 */
function startedClauses(after: string | null, before: string | null): Clause[] {
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

function contactClauses(contact: Filters["contact"]): Clause[] {
  const clauses: Clause[] = [];
  if (contact.require_email) clauses.push(posting("flag", [FLAG_CODES.has_email]));
  if (contact.require_phone) clauses.push(posting("flag", [FLAG_CODES.has_phone]));
  if (contact.require_any_contact) {
    clauses.push(posting("flag", [FLAG_CODES.has_email, FLAG_CODES.has_phone]));
  }
  return clauses;
}

/** Postal codes that begin with a prefix, as an inclusive range of 8-digit numbers. */
function prefixRange(prefix: string): [number, number] {
  const scale = 10 ** (8 - prefix.length);
  return [Number(prefix) * scale, (Number(prefix) + 1) * scale - 1];
}

/** Days since 1970-01-01 of a date `YYYY-MM-DD`. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / MILLIS_PER_DAY;
}

function yearOf(day: number): number {
  return new Date(day * MILLIS_PER_DAY).getUTCFullYear();
}

function yearStart(year: number): number {
  return Date.UTC(year, 0, 1) / MILLIS_PER_DAY;
}
