/**
 * Tables as lines of text: read from CSV, written as CSV or as tab-separated text.
 * Invariant: no cell's content ends up in another cell. Free of the DOM, so that tests need no
 * browser.
 */
import { language } from "../../app/language.ts";
import type { SentSpec } from "../question.ts";

/** A request for numbers; a pair of facets makes a cross table. */
export interface NumbersQuestion {
  readonly title: string;
  readonly facets: readonly (string | readonly string[])[];
  readonly spec: SentSpec;
}

/** A table as text: headings, and lines with one cell for each heading. */
export interface Lines {
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
}

/** Parses a CSV text with quoted cells. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const lines: string[][] = [];
  for (const line of text.match(/(?:"(?:[^"]|"")*"|[^"\n])+/g) ?? []) {
    const cells = line.replace(/\r$/, "").split(delimiter === ";" ? SEMICOLON : COMMA);
    lines.push(cells.map((cell) => (cell.startsWith('"') ? unquoted(cell) : cell)));
  }
  return lines;
}

/** Matches delimiters outside quotes. An even number of quotes follows such a delimiter. */
const SEMICOLON = /;(?=(?:[^"]*"[^"]*")*[^"]*$)/;
const COMMA = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/;

function unquoted(cell: string): string {
  return cell.slice(1, -1).replaceAll('""', '"');
}

/** Writes lines as tab-separated text, which spreadsheets paste into cells. */
export function tabbed({ head, body }: Lines): string {
  const clean = (cell: string) => cell.replace(/[\t\r\n]+/g, " ");
  return [head, ...body].map((line) => line.map(clean).join("\t")).join("\n");
}

/** Formats lines as CSV for spreadsheets of the language. Facts follow an empty line. */
export function csvOf({ head, body }: Lines, facts: readonly (readonly string[])[] = []): Blob {
  const delimiter = language.peek() === "pt" ? ";" : ",";
  const quote = (cell: string) =>
    /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const below = facts.length === 0 ? [] : [[], ...facts];
  const all = [head, ...body, ...below];
  const text = all.map((line) => `${line.map(quote).join(delimiter)}\r\n`).join("");
  return new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" });
}
