/**
 * The columns that `include_explain` adds behind the fields of a file. What comes in: rows that a
 * spec matched. What goes out: for each column its name, its kind and a finished text per row.
 * Invariant: the columns depend on the spec alone, so that they are known before the first row.
 */
import type { ExtraColumn } from "../../../native-index/napi/engine.ts";
import type { Explanation } from "../../search/explain.ts";
import { explainRows } from "../../search/project.ts";
import { SCORE_PARTS, SCORE_WEIGHTS, type ScorePart, scoredStrategy } from "../../search/score.ts";
import type { Segment } from "../../search/segment.ts";
import { punctuateCnae } from "../../spec/catalog.ts";
import { type LabelLanguage, valueWord } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

/** One column; `number` is an integer, `json` is one JSON object per row. */
export type ExplainColumn = Pick<ExtraColumn, "name" | "kind">;

interface Cells extends ExplainColumn {
  readonly cellOf: (explanation: Explanation, labels?: LabelLanguage) => string | null;
}

/** What only jsonl can hold: the same object as in a search. */
const AS_JSON: readonly Cells[] = [
  { name: "explain", kind: "json", cellOf: (explanation) => JSON.stringify(explanation) },
];

/** The score of the strategy, which its parts sum to. */
const SCORE: Cells = {
  name: "explain_score",
  kind: "number",
  cellOf: ({ score }) => String(score),
};

/**
 * The activity that matched; empty without a filter of activities. `explain_activity` is the part
 * of the score that a known activity makes.
 */
const ACTIVITY: readonly Cells[] = [
  {
    name: "explain_matched",
    kind: "text",
    cellOf: (explanation, labels) => {
      const { code } = activity(explanation);
      return labels === undefined || code === null ? code : punctuateCnae(code);
    },
  },
  {
    name: "explain_matched_as",
    kind: "text",
    cellOf: (explanation, labels) => {
      const { as } = activity(explanation);
      return labels === undefined || as === null ? as : valueWord(as, labels);
    },
  },
];

/** The columns that a spec adds; none without `include_explain`. */
export function explainColumns(spec: AccountQuerySpec): readonly ExplainColumn[] {
  return cellsOf(spec).map(({ name, kind }) => ({ name, kind }));
}

/** The same columns with the values of rows. */
export function explainCells(
  segment: Segment,
  spec: AccountQuerySpec,
  rows: Uint32Array,
): ExtraColumn[] {
  const cells = cellsOf(spec);
  if (cells.length === 0) return [];
  const explanations = explainRows(segment, spec, rows);
  return cells.map(({ name, kind, cellOf }) => ({
    name,
    kind,
    values: explanations.map((explanation) => cellOf(explanation, spec.output.labels)),
  }));
}

function cellsOf({ output, scoring }: AccountQuerySpec): readonly Cells[] {
  if (!output.include_explain) return [];
  if (output.format === "jsonl") return AS_JSON;
  const weights = SCORE_WEIGHTS[scoredStrategy(scoring.strategy)];
  const parts = SCORE_PARTS.filter((part) => weights[part] > 0);
  return [SCORE, ...[...parts, "sanction" as const].map(partCells), ...ACTIVITY];
}

function partCells(part: ScorePart | "sanction"): Cells {
  return { name: `explain_${part}`, kind: "number", cellOf: ({ parts }) => String(parts[part]) };
}

/** The activity that matched, and whether as primary or secondary; nulls without such a filter. */
function activity({ matched }: Explanation): {
  code: string | null;
  as: "primary" | "secondary" | null;
} {
  const cnae = matched.cnae as { code: string | null; as: "primary" | "secondary" } | undefined;
  return cnae ?? { code: null, as: null };
}
