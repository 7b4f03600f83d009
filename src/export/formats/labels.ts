/**
 * Headings of columns for people. What comes in: the name of an output field, or of a column that
 * `include_explain` or an export of changes adds. What goes out: a short heading, one sentence that
 * says more, a width.
 * Invariant: what a field is called stands in the table of fields alone; headings are plain ASCII,
 * so that they can stand in a style sheet as well.
 */
import { OUTPUT_FIELDS } from "../../spec/fields.ts";

/** A column as people see it. */
export interface ColumnLabel {
  readonly heading: string;
  readonly sentence: string;
  /** Width in characters that most values fit into; longer ones are wrapped. */
  readonly width: number;
}

/** Width of what explains a row: points, codes and single words. */
const EXPLAINED_WIDTH = 12;

const EXPLAINED: Readonly<Record<string, readonly [heading: string, sentence: string]>> = {
  change: ["Change", "Whether the account entered, left or changed."],
  changed_fields: ["Changed fields", "Watched fields whose values differ between the snapshots."],
  explain_score: ["Score", "Score of the strategy: the sum of its parts."],
  explain_matched: ["Matched", "Activity that met the filter."],
  explain_matched_as: ["Matched as", "Whether it is the primary or a secondary activity."],
  explain_sanction: ["Points: sanction", "What a sanction in force takes off the score."],
};

/** Heading, sentence and width of a column. */
export function columnLabel(name: string): ColumnLabel {
  const field = OUTPUT_FIELDS.find((row) => row.name === name);
  if (field !== undefined) {
    const { heading, width } = field.shown;
    return { heading, sentence: field.description, width };
  }
  const part = name.replace("explain_", "");
  const [heading, sentence] = EXPLAINED[name] ?? [
    `Points: ${part}`,
    `Part of the score for: ${part}.`,
  ];
  return { heading, sentence, width: EXPLAINED_WIDTH };
}
