/**
 * Headings of columns for people. What comes in: the name of an output field, or of a column that
 * `include_explain` or an export of changes adds. What goes out: a short heading, one sentence that
 * says more, a width.
 * Invariant: every field has a heading of its own; headings are plain ASCII, so that they can
 * stand in a style sheet as well.
 */
import { OUTPUT_FIELDS, type OutputField } from "../../spec/fields.ts";

/** A column as people see it. */
export interface ColumnLabel {
  readonly heading: string;
  readonly sentence: string;
  /** Width in characters that most values fit into; longer ones are wrapped. */
  readonly width: number;
}

/** Width of what explains a row: points, codes and single words. */
const EXPLAINED_WIDTH = 12;

/** Heading and width of every field. */
const HEADINGS: Readonly<Record<OutputField, readonly [heading: string, width: number]>> = {
  cnpj: ["CNPJ", 18],
  cnpj_root: ["CNPJ root", 11],
  legal_name: ["Legal name", 34],
  trade_name: ["Trade name", 28],
  headquarters: ["Head office", 7],
  registration_status: ["Status", 7],
  registration_status_date: ["Status since", 13],
  registration_status_reason: ["Reason of the status", 10],
  started_on: ["Started on", 13],
  cnae_primary: ["Primary activity", 10],
  cnae_primary_description: ["Name of the activity", 36],
  cnae_secondary: ["Secondary activities", 24],
  legal_nature: ["Legal nature", 8],
  legal_nature_description: ["Name of the nature", 28],
  company_size_code: ["Size", 6],
  share_capital: ["Share capital (R$)", 16],
  simples_opt_in: ["Simples", 9],
  mei_opt_in: ["MEI", 7],
  uf: ["State", 6],
  municipality_ibge: ["IBGE code", 9],
  municipality_tom: ["TOM code", 7],
  municipality_name: ["Municipality", 20],
  municipality_population: ["Population", 12],
  district: ["District", 18],
  street: ["Street", 28],
  street_number: ["Number", 9],
  address_complement: ["Complement", 22],
  postal_code: ["Postal code", 10],
  country_code: ["Country", 9],
  foreign_city: ["City abroad", 18],
  email: ["E-mail", 30],
  phone_1: ["Phone", 16],
  phone_2: ["Second phone", 16],
  sanctioned: ["Sanctioned", 11],
  score: ["Balanced score", 9],
};

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
    const [heading, width] = HEADINGS[field.name];
    return { heading, sentence: field.description, width };
  }
  const part = name.replace("explain_", "");
  const [heading, sentence] = EXPLAINED[name] ?? [
    `Points: ${part}`,
    `Part of the score for: ${part}.`,
  ];
  return { heading, sentence, width: EXPLAINED_WIDTH };
}
