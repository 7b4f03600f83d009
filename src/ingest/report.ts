/**
 * The report of an import, as a JSON value and as a summary.
 * Invariant: the report holds no personal data; rules about contacts and names only report counts.
 */

import { RULE_NAMES, RULES, type Rule } from "../dump/rules.ts";
import { wordFor } from "../text/amounts.ts";
import type { PassTime } from "./assemble.ts";
import type { OddMunicipality } from "./places/oddmunicipalities.ts";
import type { Example, TallyResult } from "./tally.ts";

/** How often a rule was broken. */
export interface RuleCount {
  readonly count: number;
  /** Describes the rule, and how values or rows that break it are treated. */
  readonly text: string;
  readonly examples: readonly Example[];
}

/** Rows of a file type: how many were read and how many kept. */
export interface RowCount {
  readonly read: number;
  readonly kept: number;
}

/** The import report. */
export interface ImportReport {
  readonly source: string;
  readonly out: string;
  readonly bytes: number;
  readonly label: string;
  readonly snapshot_date: string;
  readonly provenance: Readonly<Record<string, string>>;
  readonly accounts: number;
  /** Number of companies in a dump; null for an Arrow or Parquet file. */
  readonly companies: number | null;
  readonly rows: Readonly<Record<string, RowCount>>;
  readonly rules: Readonly<Partial<Record<Rule, RuleCount>>>;
  readonly warnings: readonly string[];
  /** Municipalities that were not matched by name alone. Present only if a dump was imported. */
  readonly odd_municipalities: readonly OddMunicipality[];
  readonly passes: readonly PassTime[];
  readonly seconds: number;
  readonly accounts_per_second: number;
}

/** Returns the rules that were broken, in the order of `RULES`. */
export function ruleCounts(tally: TallyResult): ImportReport["rules"] {
  const rules: Partial<Record<Rule, RuleCount>> = {};
  RULE_NAMES.forEach((rule, index) => {
    const count = tally.counts[index] as number;
    if (count === 0) return;
    rules[rule] = { count, text: RULES[rule].text, examples: tally.examples[rule] ?? [] };
  });
  return rules;
}

/** Returns summary lines: the result, irregular values, and the speed. */
export function summarize(report: ImportReport): string {
  const lines = [
    `${report.out}: ${count(report.accounts)} ${wordFor(report.accounts, "account")} of ` +
      `${report.label} (${report.snapshot_date}), ${count(Math.round(report.bytes / 2 ** 20))} MB`,
  ];
  for (const warning of report.warnings) lines.push(`warning: ${warning}`);
  for (const [rule, { count: times, text }] of Object.entries(report.rules)) {
    lines.push(`${count(times).padStart(12)}  ${rule}: ${text}`);
  }
  const passes = report.passes.map(({ pass, seconds }) => `${pass} ${seconds.toFixed(1)} s`);
  lines.push(
    `${count(Math.round(report.accounts_per_second))} establishments/s ` +
      `(${report.seconds.toFixed(1)} s: ${passes.join(", ")})`,
  );
  return `${lines.join("\n")}\n`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
