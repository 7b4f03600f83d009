/**
 * Finds the column of CNPJs in a table. Input: the first rows as texts, and the name of the column
 * if the sender named one. Output: the position of the column, true if the first row is a header,
 * and true if eight characters in the column are read as the root of a CNPJ, which identifies a
 * company. Also texts shortened for reports.
 * Invariant: the named column is used, otherwise the column with the header CNPJ. If there is
 * neither, the column with the most complete CNPJs in these rows is used; headers that contain CNPJ
 * are preferred, then the first column. If no column has complete CNPJs, the column with the most
 * possible roots or lost zeros is used. Dates, postal codes, and telephone numbers look like roots.
 * So eight characters are a root only in a named column, under a header for companies, or without a
 * header. A CNPJ split over three columns is not read. A header is not data, and a table without
 * one is read from its first row. A reported text has up to `QUOTED_MAX` whole characters, valid in
 * every encoding, without CPFs.
 */
import { cleaned, cnpjCandidates, holdsCnpj } from "../spec/cnpj/cnpjcandidates.ts";
import { type CnpjRefusal, readCnpjCandidate, readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { withoutCpfs } from "../spec/cnpj/cpf.ts";

/** Max rows of the sample that determines the column. */
export const SAMPLE_ROWS = 100;
/** Max bytes of that sample. */
export const SAMPLE_BYTES = 65_536;
/** Maximum number of characters that are read of a sheet's cell. A longer cell cannot be a CNPJ. */
export const CELL_MAX = 256;

/** Columns of a spreadsheet: A to XFD. */
const COLUMNS_MAX = 16_384;

/** Called with a cell and its line (from 1). `takesRoots`: eight characters are a root. */
export type TakeCell = (text: string, line: number, takesRoots: boolean) => void;

/** The found column. */
interface FoundColumn {
  /** From 0. */
  readonly column: number;
  readonly hasHeader: boolean;
  /** Header of the column as written; null if there is none. */
  readonly header: string | null;
  /** True if eight characters are the root of a CNPJ, which identifies a company. */
  readonly takesRoots: boolean;
  /**
   * Headers, numbers, or letters of other columns with as many complete CNPJs. Empty if the sender
   * named the column, or if only this one has a header about CNPJs.
   */
  readonly equals: readonly string[];
}

/** Error: the column cannot be determined. */
export class ColumnRefusal extends Error {}

/** Error: the file lacks the column that the sender named. */
export class UnknownColumn extends ColumnRefusal {}

/** Columns named in a refusal. */
const COLUMNS_SHOWN_MAX = 10;

/** Returns the error for a column that does not exist, with the columns of the file. */
function unknownColumn(wanted: string, names: readonly string[], width: number): UnknownColumn {
  const shown = names.slice(0, COLUMNS_SHOWN_MAX).map((name) => JSON.stringify(reportText(name)));
  const more = names.length > COLUMNS_SHOWN_MAX ? ", …" : "";
  const columns =
    names.length === 0
      ? `It has no header: name one by its number, 1 to ${width}`
      : `It has ${shown.join(", ")}${more}`;
  return new UnknownColumn(`There is no column ${JSON.stringify(wanted)} in the file. ${columns}.`);
}

/**
 * Finds the column. `wanted` is its header or its number from 1. If `lettered` is true, `wanted`
 * may also be its letters. Throws `ColumnRefusal` if the column does not exist.
 */
export function findColumn(
  rows: readonly (readonly string[])[],
  wanted: string | undefined,
  lettered = false,
): FoundColumn {
  const first = rows[0] ?? [];
  const hasHeader = first.length > 0 && !first.some(mayBeCnpj) && first.some(hasLetters);
  const names = hasHeader ? first.map(folded) : [];
  const width = Math.max(1, ...rows.map(({ length }) => length));
  const headerOf = (column: number) => {
    const header = hasHeader ? reportText(cleaned(first[column] ?? "")) : "";
    return header === "" ? null : header;
  };
  const found = (column: number) => {
    const takesRoots = wanted !== undefined || namesRoots(names, column);
    const others = wanted === undefined ? equalColumns(names, rows, { width, column }) : [];
    const nameOf = (at: number) => headerOf(at) ?? (lettered ? lettersOf(at) : String(at + 1));
    const equals = others.map(nameOf);
    return { column, hasHeader, header: headerOf(column), takesRoots, equals };
  };
  if (wanted === undefined) return found(likely(names, rows, width));
  const named = names.indexOf(folded(wanted));
  const column = named >= 0 ? named : placeOf(wanted, lettered);
  if (column !== null && column < width) return found(column);
  throw unknownColumn(wanted, hasHeader ? first : [], width);
}

/** True if the header is `cnpj` or `wanted`, or a cell may be a CNPJ. */
export function showsCnpjs(
  rows: readonly (readonly string[])[],
  { column, header }: FoundColumn,
  wanted = "cnpj",
): boolean {
  const isNamed = header !== null && [folded(wanted), "cnpj"].includes(folded(header));
  return isNamed || rows.some((row) => mayBeCnpj(row[column]));
}

/** True if a header contains the word CNPJ. */
export function saysCnpj(header: string | null): boolean {
  return header !== null && NAMES_CNPJ.test(folded(header));
}

/** Number of rows that may contain the header: titles and blank rows may precede it. */
const HEADER_ROWS = 10;

/**
 * Returns the number of possible CNPJs in a column of these rows. `isNamed` is true if one of the
 * first rows has a header about CNPJs in the column. A label for one value ("CNPJ da empresa:") is
 * not a header.
 */
export function cnpjsIn(
  rows: readonly (readonly string[])[],
  { column, header }: FoundColumn,
  wanted = "cnpj",
): { readonly count: number; readonly isNamed: boolean } {
  const count = rows.filter((row) => mayBeCnpj(row[column])).length;
  const isNamed = rows.slice(0, HEADER_ROWS).some((row) => {
    const text = folded(row[column] ?? "");
    return NAMES_CNPJ.test(text) && !/[:=]$/.test(text) && !holdsCnpj(text);
  });
  return { count, isNamed: isNamed || (header !== null && folded(header) === folded(wanted)) };
}

function placeOf(wanted: string, lettered: boolean): number | null {
  if (/^[1-9]\d{0,4}$/.test(wanted)) return Number(wanted) - 1;
  return lettered && /^[A-Z]{1,3}$/i.test(wanted) ? columnOfLetters(wanted.toUpperCase()) : null;
}

function likely(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): number {
  const exact = names.indexOf("cnpj");
  const whole = wholeNamed(names, rows, width);
  if (exact >= 0) return whole === null || whole.counts[exact] !== 0 ? exact : whole.column;
  if (whole !== null) return whole.column;
  if (PARTS.every((part) => names.some((name) => part.test(name)))) {
    throw new ColumnRefusal(
      "The CNPJs stand in three columns. Put them together in one, or name the first one for " +
        "whole companies: column=<header>.",
    );
  }
  const named = names.findIndex((name) => NAMES_CNPJ.test(name));
  if (named >= 0 && !isOutdone(rows, width, named)) return named;
  const most = (fits: (text: string, column: number) => boolean) => {
    const counts = countsOf(rows, width, fits);
    return counts.indexOf(counts.reduce((best, count) => Math.max(best, count), 1));
  };
  for (const fits of [
    isWhole,
    (text: string, at: number) => names.length > 0 && namesRoots(names, at) && isRoot(text),
    (text: string, at: number) => mayBeCnpj(text) && (namesRoots(names, at) || !isRoot(text)),
  ]) {
    const found = most(fits);
    if (found >= 0) return found;
  }
  if (most(isRoot) >= 0) throw new ColumnRefusal(ONLY_ROOTS);
  if (width === 1) return 0;
  throw new ColumnRefusal(
    "No column of the first lines holds CNPJs, and no header says cnpj. Name one: " +
      "column=<header>.",
  );
}

/**
 * Returns the column with the most complete CNPJs, among those whose header contains CNPJ. Returns
 * null if no such column has a complete CNPJ.
 */
function wholeNamed(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): { readonly column: number; readonly counts: Uint32Array } | null {
  const named = names.map((name) => NAMES_CNPJ.test(name));
  if (!named.includes(true)) return null;
  const counts = countsOf(rows, width, (text, at) => named[at] === true && isWhole(text));
  const best = largest(counts);
  return best === 0 ? null : { column: counts.indexOf(best), counts };
}

/** Columns that are named as equal. A wide table of CNPJs needs no longer list. */
const EQUALS_MAX = 10;

/** Returns the other columns with as many complete CNPJs as the found one, up to `EQUALS_MAX`. */
function equalColumns(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { width, column }: { readonly width: number; readonly column: number },
): number[] {
  const isNamed = (at: number) => NAMES_CNPJ.test(names[at] ?? "");
  const counts = countsOf(rows, width, isWhole);
  const most = counts[column] ?? 0;
  const others: number[] = [];
  counts.forEach((count, at) => {
    const isEqual = most > 0 && count === most && at !== column;
    if (isEqual && (isNamed(at) || !isNamed(column))) others.push(at);
  });
  return others.slice(0, EQUALS_MAX);
}

/**
 * True if a column has only roots and another column has complete CNPJs in at least half as many
 * rows, as in "cnpj_raiz;documento".
 */
function isOutdone(rows: readonly (readonly string[])[], width: number, named: number): boolean {
  const roots = rows.filter((row) => isRoot(row[named] ?? "")).length;
  const isOther = rows.some((row) => mayBeCnpj(row[named]) && !isRoot(row[named] ?? ""));
  if (roots === 0 || isOther) return false;
  return 2 * largest(countsOf(rows, width, isWhole)) >= roots;
}

const ONLY_ROOTS =
  "No column of the first lines holds whole CNPJs, and no header says cnpj. Eight characters may " +
  "be postal codes, dates or telephones: if they are roots of CNPJs, name their column: " +
  "column=<header>.";

/** True if the header, or the lack of one, makes eight characters the root of a CNPJ. */
function namesRoots(names: readonly string[], column: number): boolean {
  return names.length === 0 || ROOTS.test(names[column] ?? "");
}

/** A header that contains the word CNPJ, also with a year: CNPJ2024. */
const NAMES_CNPJ = /\bcnpj\d*\b/;
/** Matches the word CNPJ as an abbreviation with points. */
const DOTTED = /\bc\. ?n\. ?p\. ?j\b\.?/g;

/** Matches headers of columns in which eight characters are the root of a CNPJ. */
const ROOTS = /cnpj|\b(?:raiz|raizes|roots?|basicos?|empresas?|company|companies)\b/;

/** Match the registry's headers for the three parts of a CNPJ. */
const PARTS = [/\bbasico\b/, /\bordem\b/, /\bdv\b/];

function countsOf(
  rows: readonly (readonly string[])[],
  width: number,
  fits: (text: string, column: number) => boolean,
): Uint32Array {
  const counts = new Uint32Array(width);
  for (const row of rows) {
    row.forEach((text, at) => {
      if (fits(text, at)) counts[at] = (counts[at] as number) + 1;
    });
  }
  return counts;
}

/** Unlike `Math.max`, takes any number of columns. */
function largest(counts: Uint32Array): number {
  return counts.reduce((best, count) => Math.max(best, count), 0);
}

/** True if a text contains a CNPJ with right check digits, in any spelling. */
function isWhole(text: string): boolean {
  return holdsCnpj(text);
}

/** Returns the position of a column by its upper-case letters; null if sheets have none such. */
export function columnOfLetters(letters: string): number | null {
  let number = 0;
  for (let at = 0; at < letters.length; at++) number = number * 26 + letters.charCodeAt(at) - 64;
  return number >= 1 && number <= COLUMNS_MAX ? number - 1 : null;
}

/** Returns the letters of a column at a position. */
export function lettersOf(column: number): string {
  let letters = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/**
 * True if rows are a plain list and not a table, so that text after a comma in a later row is not
 * lost. There are three such cases. All rows have one cell. The first row has one cell, which is a
 * CNPJ or the header CNPJ. Or every row with a complete CNPJ contains nothing else. Rows without a
 * CNPJ make no difference, because they are reported as not understood.
 */
export function isPlainList(
  rows: readonly (readonly string[])[],
  { hasHeader }: Pick<FoundColumn, "hasHeader">,
): boolean {
  const [first = []] = rows;
  const isAlone = first.length === 1 && (!hasHeader || saysCnpj(first[0] ?? null));
  if (isAlone || rows.every(({ length }) => length === 1)) return true;
  const withCnpj = rows.filter((row) => row.some(holdsCnpj));
  return !hasHeader && withCnpj.length > 0 && withCnpj.every((row) => row.every(holdsNothingElse));
}

/** True if a cell contains only CNPJs. Roots do not count: postal codes look like them. */
function holdsNothingElse(cell: string): boolean {
  return cnpjCandidates(cell).every(({ text }) => readCnpjCandidate(text).kind === "cnpj");
}

/** True if a text may be a CNPJ, or a number that was a CNPJ before a spreadsheet changed it. */
export function mayBeCnpj(text: string | undefined): boolean {
  const cell = cleaned(text ?? "");
  const reading = readCnpjText(cell);
  if (reading.kind === "cnpj") return true;
  if (reading.kind === "root") return isRoot(cell);
  return (NUMBERS.includes(reading.reason) && isLong(cell)) || holdsCnpj(cell);
}

/** Reasons for refusing numbers that may have been CNPJs. */
const NUMBERS: readonly CnpjRefusal[] = ["lost_zeros", "rounded", "too_short", "cpf"];

/** True for a number of nine or more digits, without the signs of amounts and telephones. */
function isLong(cell: string): boolean {
  return /^[1-9](?:[0-9]{8,}(?:[.,]0+)?|[.,][0-9]+E\+?[0-9]+)$/i.test(cell);
}

/** True if a text may be a root; words of eight letters and headers such as "CNPJ2024" are not. */
function isRoot(text: string): boolean {
  return readCnpjText(text).kind === "root" && !/^cnpj/i.test(text);
}

function hasLetters(text: string): boolean {
  return /\p{L}/u.test(text);
}

function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, " ")
    .replace(DOTTED, "cnpj");
}

/** Max characters of a reported text. */
const QUOTED_MAX = 64;
/** A lone surrogate. */
const HALF = /[\ud800-\udfff]/gu;

/** Shortens a text for reports, without CPFs. */
export function reportText(text: string): string {
  const characters = [...withoutCpfs(text.slice(0, 2 * QUOTED_MAX))].slice(0, QUOTED_MAX);
  return characters.join("").replace(HALF, "\ufffd");
}
