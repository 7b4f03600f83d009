/**
 * The choices of the export dialog, with the body to send, obstacles to sending, and an idempotency
 * key.
 * Invariant: the same choices always use the same Idempotency-Key, so that retrying after a lost
 * answer returns the same export. Other choices get another key.
 */

import { FIELD_GROUPS } from "../../../spec/fields/table.ts";
import {
  COMPRESSIONS,
  DEFAULT_FIELDS,
  type EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  OUTPUT_FIELDS,
  type Packing,
  TEXT_FORMATS,
} from "../../../spec/fields.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import type { PresetName } from "../../../spec/presets.ts";
import type { ExportEstimate, Status } from "../app/answers.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
import { keep, read } from "../app/preferences.ts";
import { type Query, specOf } from "../find/question.ts";

/** Formats of a file. */
type Format = (typeof EXPORT_FORMATS)[number];

/** Formats in the order of the dialog. */
export const FORMATS: readonly Format[] = ["xlsx", "csv", "html", "jsonl", "parquet"];

/** CSV styles: for Excel, standard, or custom. */
export type CsvStyle = (typeof CSV_STYLES)[number];
const CSV_STYLES = ["excel", "standard", "own"] as const;

/** All choices of the dialog. */
export interface Draft {
  readonly format: Format;
  /**
   * A layout for another product, which replaces the chosen columns. Null if no layout is chosen.
   */
  readonly layout: PresetName | null;
  /** In column order. */
  readonly fields: readonly string[];
  readonly csv: CsvStyle;
  readonly delimiter: "," | ";";
  readonly bom: boolean;
  /** For text formats. */
  readonly compression: Packing;
  /** True if headings and values are in the console's language, in formats that allow this. */
  readonly people: boolean;
  /** The file's title as typed; null for the suggested one. */
  readonly title: string | null;
  /** The search in words, which suggests the title. */
  readonly searched: string;
  readonly explain: boolean;
  /** Limit as typed; empty means all rows. */
  readonly limit: string;
  readonly mode: "off" | "fallback" | "full";
}

/** Groups of fields in the order of the dialog, each in the order of the public interface. */
export const FIELD_SETS = FIELD_GROUPS.map(
  (group) =>
    [
      group,
      OUTPUT_FIELDS.filter(({ shown }) => shown.group === group).map(({ name }) => name),
    ] as const,
);

/** Fields needed for calls and e-mails. */
const CONTACT_FIELDS = [
  "cnpj",
  "legal_name",
  "trade_name",
  "cnae_primary_description",
  "municipality_name",
  "uf",
  "phone_1",
  "phone_2",
  "email",
];

/** Returns preset selections of fields, limited to the fields that the plan allows. */
export function presetFields(allowed: readonly string[]): Record<Preset, readonly string[]> {
  const within = (fields: readonly string[]) => fields.filter((field) => allowed.includes(field));
  return {
    default: within(DEFAULT_FIELDS),
    contact: within(CONTACT_FIELDS),
    all: within(OUTPUT_FIELD_NAMES),
  };
}

/** True if the plan includes contact fields; otherwise there is no contact preset. */
export function hasContact(allowed: readonly string[]): boolean {
  return ["email", "phone_1", "phone_2"].some((field) => allowed.includes(field));
}

/** Name of a set of fields. */
export type Preset = "default" | "contact" | "all";

/** Returns the layout that applies; null for formats that programs read, which have no layout. */
export function layoutOf({ format, layout }: Draft): PresetName | null {
  return isForPeople(format) ? layout : null;
}

/** True if people open files of a format. */
export function isForPeople(format: Format): boolean {
  return format === "xlsx" || format === "html" || format === "csv";
}

/** True if files of a format are text, which can be compressed. */
export function isText(format: Format): boolean {
  return TEXT_FORMATS.includes(format);
}

/** The part of a draft that is stored for the next draft. */
type LastChoice = Omit<Draft, "fields" | "title" | "searched" | "explain" | "limit" | "mode">;

const STORAGE_KEY = "peneira.export";
const FIRST: LastChoice = {
  format: "xlsx",
  layout: null,
  csv: "excel",
  delimiter: ";",
  bom: true,
  compression: "none",
  people: true,
};

/** Stores the last choice of format. */
export function storeChoice(draft: Draft): void {
  const { format, layout, csv, delimiter, bom, compression, people } = draft;
  const stored = { format, layout, csv, delimiter, bom, compression, people } satisfies LastChoice;
  keep(STORAGE_KEY, JSON.stringify(stored));
}

/** Reads the last choice; unreadable parts get their defaults. */
function storedChoice({ presets }: Allowed): LastChoice {
  try {
    const stored = JSON.parse(read(STORAGE_KEY) ?? "{}") as Partial<LastChoice>;
    return {
      format: FORMATS.find((format) => format === stored.format) ?? FIRST.format,
      layout: presets.find((layout) => layout === stored.layout) ?? FIRST.layout,
      csv: CSV_STYLES.find((style) => style === stored.csv) ?? FIRST.csv,
      delimiter: stored.delimiter === "," ? "," : FIRST.delimiter,
      bom: stored.bom !== false,
      compression: COMPRESSIONS.find((one) => one === stored.compression) ?? FIRST.compression,
      people: stored.people !== false,
    };
  } catch {
    return FIRST;
  }
}

/** Maximum title length on the server. */
export const TITLE_MAX = SPEC_LIMITS.titleLengthMax;

/** Appends a layout to a title, so that files for different products have different names. */
export function titledFor(title: string, layout: PresetName | null): string {
  const end = layout === null ? "" : ` (${lazyWords.value.exports.layouts[layout]})`;
  return title.endsWith(end) ? title : title.slice(0, TITLE_MAX - end.length) + end;
}

/** Returns the file's title as typed, or else one of the search and the layout. */
export function titleOf(draft: Draft): string {
  const { title, searched } = draft;
  return title ?? (searched && titledFor(searched, layoutOf(draft)));
}

/** Fields and layouts that the plan allows. */
export interface Allowed extends Pick<Status, "presets"> {
  readonly field_allowlist: readonly string[];
}

/** Returns the dialog's initial choices; the search suggests the title. */
export function freshDraft(plan: Allowed, rows: number | null, searched = ""): Draft {
  const { field_allowlist: allowed } = plan;
  return {
    ...storedChoice(plan),
    title: null,
    searched: searched.slice(0, TITLE_MAX),
    fields: presetFields(allowed)[hasContact(allowed) ? "contact" : "default"],
    explain: false,
    limit: rows === null ? "" : String(rows),
    mode: "off",
  };
}

/** Returns the typed row limit: null if empty, undefined if invalid. */
export function limitOf({ limit }: Draft, max: number): number | null | undefined {
  const text = limit.replace(/[\s.,]/g, "");
  if (text === "") return null;
  const rows = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  return rows >= 1 && rows <= max ? rows : undefined;
}

/** Builds the body of POST /exports and POST /exports/estimate. */
export function bodyOf(draft: Draft, query: Query, max: number): Record<string, unknown> {
  const spec = specOf(query);
  const limit = limitOf(draft, max);
  const layout = layoutOf(draft);
  const title = titleOf(draft).trim().slice(0, TITLE_MAX);
  const industry = { ...spec.filters.industry, secondary_cnae_mode: draft.mode };
  return {
    spec: { ...spec, filters: { ...spec.filters, industry } },
    output: {
      format: draft.format,
      include_explain: draft.explain,
      ...(layout === null ? ownColumns(draft) : { preset: layout, labels: language.value }),
      ...(title === "" ? {} : { title }),
      ...(isPacked(draft) ? { compression: draft.compression } : {}),
    },
    ...(typeof limit === "number" ? { limit } : {}),
  };
}

function isPacked({ format, compression }: Draft): boolean {
  return isText(format) && compression !== "none";
}

/** Returns the options for chosen columns. A layout has its own delimiter instead. */
function ownColumns(draft: Draft): Record<string, unknown> {
  return {
    fields: draft.fields,
    ...(draft.format === "csv" ? csvOf(draft) : {}),
    ...(hasLabels(draft) && draft.people ? { labels: language.value } : {}),
  };
}

/** True if the file has headings for people. False if it is for programs. */
export function hasLabels({ format, csv }: Pick<Draft, "format" | "csv">): boolean {
  return isForPeople(format) && !(format === "csv" && csv === "standard");
}

/** Returns delimiter and byte-order mark of a CSV style. Excel in Brazil needs ";" and a mark. */
function csvOf({ csv, delimiter, bom }: Draft): { delimiter: string; bom: boolean } {
  if (csv === "excel") return { delimiter: ";", bom: true };
  if (csv === "standard") return { delimiter: ",", bom: false };
  return { delimiter, bom };
}

/** Kinds of reasons why an export cannot be sent. */
type Obstacle = "plan" | "fields" | "limit" | "format" | "quota";

/** Returns the first reason why the server would refuse; null if there is none. */
export function obstacleOf(
  draft: Draft,
  status: Status,
  estimate: ExportEstimate | null,
): Obstacle | null {
  if (exportRowsMax(status) === 0) return "plan";
  if (layoutOf(draft) === null && draft.fields.length === 0) return "fields";
  if (limitOf(draft, exportRowsMax(status)) === undefined) return "limit";
  if (estimate === null) return null;
  if (estimate.rows_max !== null) return "format";
  const left = status.usage.export_rows_left;
  return left !== null && estimate.rows > left ? "quota" : null;
}

/** Returns the plan's max rows per export; 0 if it allows no exports. */
export function exportRowsMax({ limits }: Status): number {
  return Number(limits.concurrent_exports) > 0 ? Number(limits.export_rows) : 0;
}

/** The idempotency keys of one dialog. */
export class SendingKeys {
  readonly #keys = new Map<string, string>();

  /** Forgets all keys, so that the same choices make a new export. */
  renew(): void {
    this.#keys.clear();
  }

  /** Returns the key of a body; equal bodies have the same key. */
  keyFor(body: unknown): string {
    const text = JSON.stringify(body);
    const known = this.#keys.get(text);
    if (known !== undefined) return known;
    const fresh = freshKey();
    this.#keys.set(text, fresh);
    return fresh;
  }
}

/** Returns 128 random bits; crypto.randomUUID is unavailable without TLS. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
