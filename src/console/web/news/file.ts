/**
 * Builds the request for an export file with the news of a saved search, and the titles of exports.
 * Invariant: the file has all fields needed to contact companies, as far as the tenant's plan
 * allows. Its title states that the file has only the news, not all matches of the search.
 */
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { ExportView } from "../app/answers.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
import { status } from "../app/status.ts";
import { type Allowed, presetFields, TITLE_MAX, titledFor } from "../exports/draft.ts";
import { groupsOf, type NewsQuestion } from "./newsquery.ts";

/** The data of a news file. */
interface NewsFile {
  readonly question: NewsQuestion;
  readonly format: "xlsx" | "csv";
  /** Name of the saved search. */
  readonly name: string;
  /** Fields and layouts that the plan allows. */
  readonly plan: Allowed;
}

/** Returns the body of POST /exports for a file of news. */
export function bodyOfFile({ question, format, name, plan }: NewsFile) {
  const { spec, since, kind } = question;
  const { explain: _, output: __, limit: ___, ...rest } = spec;
  const columns =
    kind === "entered" ? callList(plan) : { fields: withStatusFields(plan.field_allowlist) };
  // The name includes the month, so that each month has its own file.
  const month = ` ${status.peek()?.snapshot ?? ""}`.trimEnd();
  const title = `${titleOfNews([kind], name).slice(0, TITLE_MAX - month.length)}${month}`;
  return {
    ...{ spec: rest, since, kinds: [kind], ...groupsOf(question) },
    output: { format, labels: language.value, ...columns, title },
  };
}

/** Returns the columns that users need to call new companies, as far as the plan allows. */
function callList({ presets, field_allowlist: allowed }: Allowed) {
  if (presets.includes("sales")) return { preset: "sales" };
  return { fields: presetFields(allowed).contact };
}

/** Returns the contact columns and the columns that show a closure or a new tax regime. */
export function withStatusFields(allowed: readonly string[]): readonly string[] {
  const contact = presetFields(allowed).contact;
  const state = STATE.filter((field) => allowed.includes(field) && !contact.includes(field));
  return [...contact, ...state];
}

const STATE = [
  ...["registration_status", "registration_status_date", "registration_status_reason"],
  ...["simples_opt_in", "mei_opt_in"],
];

/** Returns an export's title in lists; `summary` describes its spec. */
export function titleOfExport(
  { since, kinds, kind, spec }: Pick<ExportView, "since" | "kinds" | "kind" | "spec">,
  summary: string,
): string {
  if (kind === "enrichment") return lazyWords.value.enrich.kind(spec.output.title ?? "");
  if (since === undefined) {
    const { title = summary, preset = null } = spec.output;
    return titledFor(title, preset);
  }
  return spec.output.title ?? titleOfNews(kinds ?? [], summary);
}

/** Titles news of some kinds. */
function titleOfNews(kinds: readonly ChangeKind[], name: string): string {
  const { news } = lazyWords.value;
  const [kind, ...others] = kinds;
  return kind === undefined || others.length > 0 ? news.fileOfAll(name) : news.fileOf[kind](name);
}
