/**
 * Headings of columns for people. What comes in: the name of an output field, or of a column that
 * `include_explain` adds. What goes out: a short heading, and one sentence that says more.
 * Invariant: every field has a heading of its own; headings are plain ASCII, so that they can
 * stand in a style sheet as well.
 */
import { OUTPUT_FIELDS, type OutputField } from "../spec/fields.ts";

/** A column as people see it. */
export interface ColumnLabel {
  readonly heading: string;
  readonly sentence: string;
}

const HEADINGS: Readonly<Record<OutputField, string>> = {
  cnpj: "CNPJ",
  cnpj_root: "CNPJ root",
  legal_name: "Legal name",
  trade_name: "Trade name",
  headquarters: "Head office",
  registration_status: "Status",
  registration_status_date: "Status since",
  registration_status_reason: "Reason of the status",
  started_on: "Started on",
  cnae_primary: "Primary activity",
  cnae_primary_description: "Name of the activity",
  cnae_secondary: "Secondary activities",
  legal_nature: "Legal nature",
  legal_nature_description: "Name of the nature",
  company_size_code: "Size",
  share_capital: "Share capital (R$)",
  simples_opt_in: "Simples",
  mei_opt_in: "MEI",
  uf: "State",
  municipality_ibge: "IBGE code",
  municipality_tom: "TOM code",
  municipality_name: "Municipality",
  municipality_population: "Population",
  district: "District",
  street: "Street",
  street_number: "Number",
  address_complement: "Complement",
  postal_code: "Postal code",
  country_code: "Country",
  foreign_city: "City abroad",
  email: "E-mail",
  phone_1: "Phone",
  phone_2: "Second phone",
  sanctioned: "Sanctioned",
  score: "Balanced score",
};

const EXPLAINED: Readonly<Record<string, ColumnLabel>> = {
  explain_score: { heading: "Score", sentence: "Score of the strategy: the sum of its parts." },
  explain_matched: { heading: "Matched", sentence: "Activity that met the filter." },
  explain_matched_as: {
    heading: "Matched as",
    sentence: "Whether the matched activity is the primary or a secondary one.",
  },
  explain_sanction: {
    heading: "Points: sanction",
    sentence: "What a sanction in force takes off the score.",
  },
};

/** Heading and sentence of a column. */
export function columnLabel(name: string): ColumnLabel {
  const field = OUTPUT_FIELDS.find((row) => row.name === name);
  if (field !== undefined) {
    return { heading: HEADINGS[field.name], sentence: field.description };
  }
  const part = name.replace("explain_", "");
  return (
    EXPLAINED[name] ?? {
      heading: `Points: ${part}`,
      sentence: `Part of the score for: ${part}.`,
    }
  );
}
