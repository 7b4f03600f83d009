/**
 * Files of news. What comes in: what is shown, the name of its search, the fields of the plan. What
 * goes out: the body that makes the file, and what such files are called.
 * Invariant: whoever opens the file can call and write with nothing else at hand, as far as the
 * plan allows; its title says that it does not hold the whole search.
 */
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { ExportView } from "../app/answers.ts";
import { language } from "../app/language.ts";
import { laterWords } from "../app/laterwords.ts";
import { layoutsOf, presetFields, TITLE_MAX } from "../exports/draft.ts";
import type { NewsQuestion } from "./ask.ts";

/** What a file of news is made from. */
interface NewsFile {
  readonly question: NewsQuestion;
  readonly format: "xlsx" | "csv";
  /** Name of the saved search. */
  readonly name: string;
  /** Fields that the plan allows. */
  readonly allowed: readonly string[];
}

/** The body of POST /exports. */
export function bodyOfFile({ question, format, name, allowed }: NewsFile) {
  const { spec, since, kind } = question;
  const { explain: _, output: __, limit: ___, ...asked } = spec;
  const columns = layoutsOf(allowed).includes("sales")
    ? { preset: "sales" }
    : { fields: presetFields(allowed).contact };
  const title = titleOfNews([kind], name).slice(0, TITLE_MAX);
  return {
    ...{ spec: asked, since, kinds: [kind] },
    output: { format, labels: language.value, ...columns, title },
  };
}

/** What an export is called where exports are listed; `summary` says what its spec finds. */
export function titleOfExport(
  { since, kinds, spec }: Pick<ExportView, "since" | "kinds" | "spec">,
  summary: string,
): string {
  if (since === undefined) return summary;
  return spec.output.title ?? titleOfNews(kinds ?? [], summary);
}

/** News of some kinds of a search. */
function titleOfNews(kinds: readonly ChangeKind[], name: string): string {
  const { news } = laterWords.value;
  const [kind, ...others] = kinds;
  return kind === undefined || others.length > 0 ? news.fileOfAll(name) : news.fileOf[kind](name);
}
