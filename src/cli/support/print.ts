/**
 * Prints accounts on a terminal, for people or programs. Input: accounts in result order, and the
 * chosen fields. Output: text in each format but CSV, which the code of exports prints.
 * Invariant: every field of every account is printed whole, except in `table`, which marks cuts
 * with an ellipsis. No value contains a line break or breaks a table column.
 */
import { visibleLine } from "../../process/terminal.ts";

/** Formats of `peneira search`. */
export const PRINT_FORMATS = ["table", "json", "jsonl", "csv"] as const;

/** A print format. */
export type PrintFormat = (typeof PRINT_FORMATS)[number];

/** One account as parsed from the result. */
export type PrintedAccount = Readonly<Record<string, unknown>>;

/** Max length of a table cell, in characters. */
const CELL_MAX = 44;

/** Formats accounts as an aligned table with a header; cells longer than `most` end in `…`. */
export function printTable(
  accounts: readonly PrintedAccount[],
  fields: readonly string[],
  most = CELL_MAX,
): string {
  const lines = accounts.map((account) => fields.map((name) => cell(account[name], most)));
  const rows = [fields, ...lines];
  const widths = fields.map((_, i) => Math.max(...rows.map((row) => (row[i] as string).length)));
  return rows
    .map((row) => row.map((text, i) => text.padEnd(widths[i] as number)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** Formats one JSON document per line. */
export function printJsonLines(accounts: readonly PrintedAccount[]): string {
  return accounts.map((account) => `${JSON.stringify(account)}\n`).join("");
}

function cell(value: unknown, most: number): string {
  if (value === null || value === undefined) return "-";
  const text = visibleLine(typeof value === "object" ? JSON.stringify(value) : String(value));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
