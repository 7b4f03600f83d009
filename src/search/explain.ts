/**
 * Explains why an account matches: the parts of its score, and for each filter the fact that meets
 * it.
 * Invariant: the parts sum to the stored score, and only filters that are set are named.
 */
import { analyzeWords } from "../spec/analyzer.ts";
import { cnaeDigits } from "../spec/catalog.ts";
import { isSet, PART_NAMES, rowsOfPart } from "../spec/filters/members.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { dayOf } from "./clauses.ts";
import { type ScoreCard, scoreCard, scoredStrategy } from "./score.ts";
import type { Segment } from "./segment.ts";

/** Fields that an explanation reads, even if the plan does not include them. */
export const EXPLAIN_FIELDS = [
  "cnpj",
  "legal_name",
  "trade_name",
  "headquarters",
  "registration_status",
  "registration_status_date",
  "registration_status_reason",
  "started_on",
  "cnae_primary",
  "cnae_secondary",
  "legal_nature",
  "company_size_code",
  "share_capital",
  "simples_opt_in",
  "mei_opt_in",
  "simples_excluded_on",
  "mei_excluded_on",
  "uf",
  "municipality_ibge",
  "municipality_tom",
  "district",
  "postal_code",
  "email",
  "phone_1",
  "phone_2",
  "sanctioned",
  "federal_debt_total",
] as const;

/** The facts of one account, in their rendered form. */
export interface ExplainedRow {
  readonly legal_name: string | null;
  readonly trade_name: string | null;
  readonly headquarters: boolean;
  readonly registration_status: number | null;
  readonly registration_status_date: string | null;
  readonly registration_status_reason: string | null;
  readonly started_on: string | null;
  readonly cnae_primary: string | null;
  readonly cnae_secondary: readonly string[];
  readonly legal_nature: string | null;
  readonly company_size_code: string | null;
  readonly share_capital: number | null;
  readonly simples_opt_in: boolean;
  readonly mei_opt_in: boolean;
  readonly simples_excluded_on: string | null;
  readonly mei_excluded_on: string | null;
  readonly uf: string | null;
  readonly municipality_ibge: string | null;
  readonly municipality_tom: string | null;
  readonly district: string | null;
  readonly postal_code: string | null;
  readonly email: string | null;
  readonly phone_1: string | null;
  readonly phone_2: string | null;
  readonly sanctioned: boolean | null;
  readonly federal_debt_total: number | null;
}

/** The explanation of one account. */
export interface Explanation extends ScoreCard {
  /**
   * For each filter, by its name, the fact that meets it. A filter by a phone or an e-mail shows
   * the value, because the plan includes the field. Other contact filters only report that they are
   * met.
   */
  readonly matched: Readonly<Record<string, unknown>>;
}

/** Returns a function that explains the accounts of one spec. */
export function explainer(
  segment: Segment,
  spec: AccountQuerySpec,
): (row: ExplainedRow) => Explanation {
  const scored = scoredStrategy(spec.scoring.strategy);
  const snapshotDay = dayOf(segment.snapshotDate);
  const filters = setFilters(spec.filters);
  return (row) => {
    const matched: Record<string, unknown> = {};
    for (const [name, matchOf] of filters) matched[name] = matchOf(row);
    return { ...scoreCard(scored, scoreFactsOf(snapshotDay, row)), matched };
  };
}

function scoreFactsOf(snapshotDay: number, row: ExplainedRow) {
  const started = row.started_on;
  return {
    status: row.registration_status ?? 0,
    size: row.company_size_code === null ? -1 : Number(row.company_size_code),
    mei: row.mei_opt_in,
    headquarters: row.headquarters,
    hasEmail: row.email !== null,
    phones: Number(row.phone_1 !== null) + Number(row.phone_2 !== null),
    activityKnown: row.cnae_primary !== null && row.cnae_primary !== "8888888",
    ageDays: started === null ? -1 : snapshotDay - dayOf(started),
    capitalCents: row.share_capital === null ? -1 : Math.round(row.share_capital * 100),
    sanctioned: row.sanctioned === true,
  };
}

type Filters = AccountQuerySpec["filters"];

/** Returns the fact of an account that meets a filter. */
type MatchOf = (row: ExplainedRow) => unknown;

/** The filters in the table that have an explanation, in the order in which they are reported. */
const REASONS = PART_NAMES.flatMap(rowsOfPart).flatMap((row) => ("reason" in row ? [row] : []));

/** Returns the explanations of the set filters by name. Both ends of an interval share one. */
function setFilters(filters: Filters): [string, MatchOf][] {
  const set = REASONS.filter((row) => isSet(filters, row));
  return [...new Map(set.map(({ reason }) => [reason.name, matchOf(reason.shows, filters)]))];
}

function matchOf(shows: (typeof REASONS)[number]["reason"]["shows"], filters: Filters): MatchOf {
  if (shows === "activity") return matchedCnae(filters.industry);
  if (shows === "secondary") return matchedSecondary(filters.industry.cnae_secondary_any_of ?? []);
  if (shows === "hint") return matchedHint(filters.industry.text_hints);
  if (shows === "wanted_phone") return matchedPhone(filters.contact.phone_any_of ?? []);
  // The address is shown in lower case, because the filter ignores case.
  if (shows === "wanted_email") return ({ email }) => email?.toLowerCase() ?? null;
  return shows === "met" ? () => true : (row) => row[shows];
}

/**
 * Returns a function that finds the code that matched. It is the primary code if it was requested,
 * otherwise the account's first secondary code that was requested.
 */
function matchedCnae(industry: Filters["industry"]): MatchOf {
  const wanted = new Set(industry.cnae_any_of.map(cnaeDigits));
  return ({ cnae_primary: primary, cnae_secondary: secondary }) =>
    primary !== null && wanted.has(primary)
      ? { code: primary, as: "primary" }
      : { code: secondary.find((code) => wanted.has(code)) ?? null, as: "secondary" };
}

function matchedSecondary(subclasses: readonly string[]): MatchOf {
  const wanted = new Set(subclasses.map(cnaeDigits));
  return ({ cnae_secondary: secondary }) => secondary.find((code) => wanted.has(code)) ?? null;
}

/** Returns a function that finds the account's first phone that was requested. */
function matchedPhone(phones: readonly string[]): MatchOf {
  const wanted = new Set(phones);
  return ({ phone_1, phone_2 }) =>
    [phone_1, phone_2].find((phone) => phone !== null && wanted.has(phone)) ?? null;
}

/** Returns a function that finds the first hint whose words all occur in the account's names. */
function matchedHint(hints: readonly string[]): MatchOf {
  const phrases = hints.map((hint) => ({ hint, words: analyzeWords(hint) }));
  return (row) => {
    const held = new Set(analyzeWords(`${row.legal_name ?? ""} ${row.trade_name ?? ""}`));
    const found = phrases.find(({ words }) => words.every((word) => held.has(word)));
    return found?.hint ?? null;
  };
}
