/**
 * Holds the spreadsheet to fill in, which the user chose, dropped, or pasted in any view.
 * Invariant: this module only holds the file until another one replaces it, and does not upload it.
 * Pasted text stays unchanged, one row per line. If a line has several CNPJs, each becomes a row. A
 * text with fewer than two CNPJs is not a spreadsheet.
 * Separate from the view because every view accepts files.
 */
import { signal } from "@preact/signals";
import { cnpjCandidates } from "../../../spec/cnpj/cnpjcandidates.ts";
import { readLoneCnpj } from "../../../spec/cnpj/cnpjspelling.ts";
import { go } from "../app/router.ts";

/** A file and its name; the name of a pasted text is empty. */
export interface SentSheet {
  readonly file: Blob;
  readonly name: string;
}

/** The file; null if there is none. */
export const sentSheet = signal<SentSheet | null>(null);

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/**
 * First bytes of a zip, and of an old workbook. The server refuses old workbooks with a
 * message that names them.
 */
const WORKBOOKS = [0x504b0304, 0xd0cf11e0];
const SIGN_BYTES = 4;

/** Returns a file with the media type that its first bytes show, regardless of its name. */
export async function typedFile(file: Blob): Promise<Blob> {
  const begun = new DataView(await file.slice(0, SIGN_BYTES).arrayBuffer());
  const isBook = begun.byteLength === SIGN_BYTES && WORKBOOKS.includes(begun.getUint32(0));
  return new Blob([file], { type: isBook ? XLSX : "text/csv" });
}

/** Opens the view with a file. */
export async function giveFile(file: File): Promise<void> {
  sentSheet.value = { file: await typedFile(file), name: file.name };
  go("enrich");
}

/**
 * Opens the view with a pasted text; does nothing and returns false if it has fewer than two CNPJs.
 */
export function givePasted(text: string): boolean {
  const pasted = pastedSheet(text);
  if (pasted === null) return false;
  sentSheet.value = { file: new Blob([pasted], { type: "text/csv" }), name: "" };
  go("enrich");
  return true;
}

/** Characters scanned to find two CNPJs. */
const LOOKED_AT = 20_000;
const FEWEST = 2;

/** Returns the rows of a pasted text; null if it has fewer than two CNPJs. */
export function pastedSheet(text: string): string | null {
  const lines = text.slice(0, LOOKED_AT).split(/\r\n?|\n/);
  const found = lines.map(numbersIn);
  if (found.reduce((sum, { length }) => sum + length, 0) < FEWEST) return null;
  if (found.every(({ length }) => length < 2) || lines.some(isTableRow)) return text;
  return text
    .split(/\r\n?|\n/)
    .flatMap(spread)
    .join("\n");
}

/** True for a line with tabs that has cells other than CNPJs. */
function isTableRow(line: string): boolean {
  const cells = line.split("\t").filter((cell) => cell.trim() !== "");
  return cells.length > 1 && cells.some((cell) => readLoneCnpj(cell).kind !== "cnpj");
}

/** Splits a line with several CNPJs into one line per CNPJ; returns other lines unchanged. */
function spread(line: string): string[] {
  const numbers = numbersIn(line);
  return numbers.length < 2 ? [line] : numbers;
}

/** The CNPJs of a line, as they are written. */
function numbersIn(line: string): string[] {
  const parts = line.split(/[\s,;|]+/).filter((part) => part !== "");
  const isBare = parts.length > 1 && parts.every((part) => readLoneCnpj(part).kind === "cnpj");
  const pieces = isBare ? parts : cnpjCandidates(line).map(({ text }) => text);
  return pieces.filter((one) => readLoneCnpj(one).kind === "cnpj");
}
