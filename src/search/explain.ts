/**
 * Why an account is listed. What comes in: the facts of one account and the spec it matched. What
 * goes out: its score with the parts that make it, and what in it met each filter.
 * Invariant: the parts sum to the stored score; only filters that are set are named.
 */
import { analyzeWords } from "../spec/analyzer.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { dayOf } from "./clauses.ts";
import { type ScoreCard, type ScoredStrategy, scoreCard } from "./score.ts";
import type { Segment } from "./segment.ts";

/** Fields an explanation reads, whatever the plan lets the caller see of them. */
export const EXPLAIN_FIELDS = [
  "cnpj",
  "legal_name",
  "trade_name",
  "headquarters",
  "registration_status",
  "started_on",
  "cnae_primary",
  "legal_nature",
  "company_size_code",
  "share_capital",
  "simples_opt_in",
  "mei_opt_in",
  "uf",
  "municipality_ibge",
  "municipality_tom",
  "postal_code",
  "email",
  "phone_1",
  "phone_2",
  "sanctioned",
] as const;

/** The facts of one account, as rendered. */
export interface ExplainedRow {
  readonly legal_name: string | null;
  readonly trade_name: string | null;
  readonly headquarters: boolean;
  readonly registration_status: number | null;
  readonly started_on: string | null;
  readonly cnae_primary: string | null;
  readonly legal_nature: string | null;
  readonly company_size_code: string | null;
  readonly share_capital: number | null;
  readonly simples_opt_in: boolean;
  readonly mei_opt_in: boolean;
  readonly uf: string | null;
  readonly municipality_ibge: string | null;
  readonly municipality_tom: string | null;
  readonly postal_code: string | null;
  readonly email: string | null;
  readonly phone_1: string | null;
  readonly phone_2: string | null;
  readonly sanctioned: boolean | null;
}

/** What an explanation says. */
export interface Explanation extends ScoreCard {
  /** Filter name to what met it; contact filters say only that they were met. */
  readonly matched: Readonly<Record<string, unknown>>;
}

/** Explains one account. `random` has no score of its own and shows the balanced one. */
export function explainAccount(
  segment: Segment,
  spec: AccountQuerySpec,
  row: ExplainedRow,
): Explanation {
  const { strategy } = spec.scoring;
  const scored: ScoredStrategy = strategy === "random" ? "balanced" : strategy;
  const card = scoreCard(scored, scoreFactsOf(segment, row));
  return { ...card, matched: matchedFilters(spec.filters, row) };
}

function scoreFactsOf(segment: Segment, row: ExplainedRow) {
  const started = row.started_on;
  return {
    status: row.registration_status ?? 0,
    size: row.company_size_code === null ? -1 : Number(row.company_size_code),
    mei: row.mei_opt_in,
    headquarters: row.headquarters,
    hasEmail: row.email !== null,
    phones: Number(row.phone_1 !== null) + Number(row.phone_2 !== null),
    activityKnown: row.cnae_primary !== null && row.cnae_primary !== "8888888",
    ageDays: started === null ? -1 : dayOf(segment.snapshotDate) - dayOf(started),
    capitalCents: row.share_capital === null ? -1 : Math.round(row.share_capital * 100),
    sanctioned: row.sanctioned === true,
  };
}

type Filters = AccountQuerySpec["filters"];

function matchedFilters(filters: Filters, row: ExplainedRow): Record<string, unknown> {
  const { industry, geo, company, contact } = filters;
  const started = company.started_after !== null || company.started_before !== null;
  const capital = company.share_capital_min ?? company.share_capital_max;
  const rows: [string, boolean, unknown][] = [
    ["cnae", industry.cnae_any_of.length > 0, { code: row.cnae_primary, as: "primary" }],
    ["text_hint", industry.text_hints.length > 0, matchedHint(industry.text_hints, row)],
    ["uf", geo.uf_any_of.length > 0, row.uf],
    ["municipality_ibge", geo.municipality_ibge_any_of.length > 0, row.municipality_ibge],
    ["municipality_tom", geo.municipality_tom_any_of.length > 0, row.municipality_tom],
    ["postal_code", geo.postal_code_prefix_any_of !== undefined, row.postal_code],
    ["area_code", geo.area_code_any_of !== undefined, true],
    ["registration_status", company.registration_status_any_of.length > 0, row.registration_status],
    ["company_size_code", company.company_size_code_any_of.length > 0, row.company_size_code],
    ["legal_nature", company.legal_nature_any_of !== undefined, row.legal_nature],
    ["headquarters", company.headquarters_only, row.headquarters],
    ["simples_opt_in", company.simples_opt_in !== null, row.simples_opt_in],
    ["mei_opt_in", company.mei_opt_in !== null, row.mei_opt_in],
    ["started_on", started, row.started_on],
    ["share_capital", capital !== undefined, row.share_capital],
    ["email", contact.require_email, true],
    ["phone", contact.require_phone, true],
    ["any_contact", contact.require_any_contact, true],
  ];
  return Object.fromEntries(rows.filter(([, set]) => set).map(([name, , what]) => [name, what]));
}

/** The first hint all of whose words the names hold. */
function matchedHint(hints: readonly string[], row: ExplainedRow): string | null {
  const words = new Set(analyzeWords(`${row.legal_name ?? ""} ${row.trade_name ?? ""}`));
  return hints.find((hint) => analyzeWords(hint).every((word) => words.has(word))) ?? null;
}
