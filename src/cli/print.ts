/**
 * Accounts as a person or a program wants to read them on a terminal. What comes in: accounts in
 * the order of the answer and the chosen fields. What goes out: text in one of four formats.
 * Invariant: every field of every account is printed whole, except in `table`, which says so with
 * an ellipsis.
 */
import { OUTPUT_FIELDS } from "../spec/fields.ts";

/** How `peneira search` prints accounts. */
export const PRINT_FORMATS = ["table", "json", "jsonl", "csv"] as const;

/** One of the formats. */
export type PrintFormat = (typeof PRINT_FORMATS)[number];

/** One account as parsed from the answer. */
export type PrintedAccount = Readonly<Record<string, unknown>>;

/** Longest cell of a table, in characters. */
const CELL_MAX = 44;
const FREE_TEXT = new Set<string>(
  OUTPUT_FIELDS.filter((field) => field.freeText).map((field) => field.name),
);

/** The accounts as an aligned table with a header. */
export function printTable(accounts: readonly PrintedAccount[], fields: readonly string[]): string {
  const rows = [fields, ...accounts.map((account) => fields.map((name) => cell(account[name])))];
  const widths = fields.map((_, i) => Math.max(...rows.map((row) => (row[i] as string).length)));
  return rows
    .map((row) => row.map((text, i) => text.padEnd(widths[i] as number)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** One JSON document a line. */
export function printJsonLines(accounts: readonly PrintedAccount[]): string {
  return accounts.map((account) => `${JSON.stringify(account)}\n`).join("");
}

/** The header of a CSV file (RFC 4180). */
export function printCsvHeader(fields: readonly string[]): string {
  return `${fields.join(",")}\r\n`;
}

/** Rows of a CSV file; free text that a spreadsheet would run as a formula gets a leading `'`. */
export function printCsvRows(
  accounts: readonly PrintedAccount[],
  fields: readonly string[],
): string {
  const line = (account: PrintedAccount) =>
    `${fields.map((name) => csvCell(name, account[name])).join(",")}\r\n`;
  return accounts.map(line).join("");
}

function csvCell(name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = Array.isArray(value) ? value.join(",") : String(value);
  const guarded = FREE_TEXT.has(name) && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 1)}…` : text;
}
