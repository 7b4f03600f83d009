/**
 * The user's choices for a spreadsheet: columns, format, and language, which are stored for the
 * next spreadsheet. Also the query of the request.
 * Invariant: only fields of the plan are chosen. The same choices always give the same query, so a
 * repeated request gives the same export.
 */
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import type { EnrichmentPreview } from "../app/answers.ts";
import { language } from "../app/language.ts";
import { keep, read } from "../app/preferences.ts";

/** Language of headings and values; `none` is for programs. */
type Labels = (typeof LABELS)[number];
/** All of them. */
export const LABELS = ["pt", "en", "none"] as const;

/** The choices. */
export interface FillChoice {
  readonly fields: readonly string[];
  /** Format of the new file; null means that of the sent file. */
  readonly format: EnrichmentPreview["format"] | null;
  /** Language of the new file; null means that of the console. */
  readonly labels: Labels | null;
}

/** Options of how the file is read. */
export interface Reading {
  /** Number of the column, from 1, or its name; null if detected automatically. */
  readonly column: string | null;
  readonly fillZeros: boolean;
}

const STORAGE_KEY = "peneira.enrich";

/** Fields that most spreadsheets lack. */
const FIRST_FIELDS = [
  ...["legal_name", "registration_status", "cnae_primary_description", "company_size"],
  ...["municipality_name", "uf", "phone_1", "email"],
];

/** Returns the last choices, limited to the fields of the plan; else the defaults. */
export function storedChoice(allowed: readonly string[]): FillChoice {
  const within = (fields: readonly string[]) => fields.filter((one) => allowed.includes(one));
  const first: FillChoice = { fields: within(FIRST_FIELDS), format: null, labels: null };
  try {
    const stored = JSON.parse(read(STORAGE_KEY) ?? "{}") as Partial<FillChoice>;
    const fields = within(stored.fields ?? []);
    return {
      fields: fields.length > 0 ? fields : first.fields,
      format: stored.format === "csv" || stored.format === "xlsx" ? stored.format : null,
      labels: LABELS.find((one) => one === stored.labels) ?? null,
    };
  } catch {
    return first;
  }
}

/** Stores the choices for the next file. */
export function storeChoice(choice: FillChoice): void {
  keep(STORAGE_KEY, JSON.stringify(choice));
}

/** Returns the effective language. */
export function labelsOf({ labels }: FillChoice): Labels {
  return labels ?? language.value;
}

/** Returns the choices that apply. Pasted text without a chosen format becomes an Excel file. */
export function choiceFor(choice: FillChoice, isPasted: boolean): FillChoice {
  return isPasted ? { ...choice, format: choice.format ?? "xlsx" } : choice;
}

/** Returns the query string of a request for a preview. */
export function previewQuery({ column, fillZeros }: Reading, labels: Labels): string {
  const query = new URLSearchParams({ labels: labels === "none" ? language.value : labels });
  addReading(query, { column, fillZeros });
  return textOf(query);
}

/** Returns the query string of the request that makes the file. */
export function fileQuery(choice: FillChoice, reading: Reading, name: string): string {
  const query = new URLSearchParams({ fields: choice.fields.join(",") });
  const labels = labelsOf(choice);
  if (labels !== "none") query.set("labels", labels);
  if (choice.format !== null) query.set("format", choice.format);
  const title = titleOf(name);
  if (title !== "") query.set("title", title);
  addReading(query, reading);
  return textOf(query);
}

/** Encodes spaces as %20, because the server reads a plus sign literally. */
function textOf(query: URLSearchParams): string {
  return query.toString().replaceAll("+", "%20");
}

function addReading(query: URLSearchParams, { column, fillZeros }: Reading): void {
  if (column !== null) query.set("column", column);
  if (fillZeros) query.set("lost_zeros", "fill");
}

/** Returns a file's name without its ending and without invisible characters. */
function titleOf(name: string): string {
  const plain = name.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[\p{C}]/gu, " ");
  return plain.replace(/\s+/g, " ").trim().slice(0, SPEC_LIMITS.titleLengthMax);
}
