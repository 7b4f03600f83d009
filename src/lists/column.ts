/**
 * Which column of a table holds CNPJs. Input: the first rows as texts, and what the sender calls
 * the column. Output: its place, whether the first row is a header, and whether eight characters in
 * it are a company; and a text of a sender's as reports repeat it.
 * Invariant: the column is the one that the sender names, else the one whose header is CNPJ, else
 * the first one that has the most whole CNPJs among these rows, those whose header says CNPJ before
 * all others, and only where none has whole ones the one with the most that may be roots or have
 * lost zeros. Dates, postal codes and telephones look like roots: eight characters are one only in
 * a column that was named or whose header says so, or where there is no header. A CNPJ in three
 * columns is none. A header is no row of data, and a table without one is read from its first row
 * on. A text is repeated in whole characters that every encoding has, at most `TOLD_MAX` of them,
 * and without CPFs.
 */
import { cleaned, holdsCnpj, piecesOf } from "../spec/cnpj/cnpjpieces.ts";
import { type CnpjRefusal, readCnpjPiece, readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { withoutCpfs } from "../spec/cnpj/cpf.ts";

/** Rows that decide, and bytes of them at most. */
export const SAMPLE_ROWS = 100;
/** As above. */
export const SAMPLE_BYTES = 65_536;
/** Longest cell of a sheet that is looked at; what is longer is no CNPJ. */
export const CELL_MAX = 256;

/** Columns of a spreadsheet: A to XFD. */
const COLUMNS_MAX = 16_384;

/**
 * Takes the text of a cell, the number of its line, the first of which is 1, and whether eight
 * characters are a company there.
 */
export type TakeCell = (text: string, line: number, takesRoots: boolean) => void;

/** What was found. */
interface FoundColumn {
  /** Counted from 0. */
  readonly column: number;
  readonly hasHeader: boolean;
  /** Its header as it is written; null without one. */
  readonly header: string | null;
  /** Whether eight characters in it are a company. */
  readonly takesRoots: boolean;
}

/** Why a column is not found. */
export class ColumnRefusal extends Error {}

/**
 * Finds the column. `wanted` is its header, its number, counted from 1, or with `lettered` its
 * letters. Throws `ColumnRefusal` where it is not there.
 */
export function findColumn(
  rows: readonly (readonly string[])[],
  wanted: string | undefined,
  lettered = false,
): FoundColumn {
  const first = rows[0] ?? [];
  const hasHeader = first.length > 0 && !first.some(isCnpj) && first.some(hasLetters);
  const names = hasHeader ? first.map(folded) : [];
  const width = Math.max(1, ...rows.map(({ length }) => length));
  const found = (column: number) => {
    const header = hasHeader ? toldText(cleaned(first[column] ?? "")) : "";
    const takesRoots = wanted !== undefined || saysRoots(names, column);
    return { column, hasHeader, header: header === "" ? null : header, takesRoots };
  };
  if (wanted === undefined) return found(likely(names, rows, width));
  const named = names.indexOf(folded(wanted));
  const column = named >= 0 ? named : placeOf(wanted, lettered);
  if (column !== null && column < width) return found(column);
  throw new ColumnRefusal(`There is no column ${JSON.stringify(wanted)} in the file.`);
}

/**
 * True if a found column shows in these rows that it is one of CNPJs: by a cell, or by a header
 * that is `cnpj` or what the sender calls the column.
 */
export function showsCnpjs(
  rows: readonly (readonly string[])[],
  { column, header }: FoundColumn,
  wanted = "cnpj",
): boolean {
  const isNamed = header !== null && [folded(wanted), "cnpj"].includes(folded(header));
  return isNamed || rows.some((row) => isCnpj(row[column]));
}

/** Rows in which a header may stand: titles and blank rows come before it. */
const HEADER_ROWS = 10;

/**
 * Counts what looks like a CNPJ in a found column of these rows, and returns if a cell above says
 * that it is one of CNPJs. A label of one value ("CNPJ da empresa:") is no header.
 */
export function cnpjsIn(
  rows: readonly (readonly string[])[],
  { column, header }: FoundColumn,
  wanted = "cnpj",
): { readonly count: number; readonly isNamed: boolean } {
  const count = rows.filter((row) => isCnpj(row[column])).length;
  const isNamed = rows.slice(0, HEADER_ROWS).some((row) => {
    const text = folded(row[column] ?? "");
    return SAYS_CNPJ.test(text) && !/[:=]$/.test(text) && !holdsCnpj(text);
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
  const whole = wholeSaid(names, rows, width);
  if (exact >= 0) return whole === null || whole.counts[exact] !== 0 ? exact : whole.column;
  if (whole !== null) return whole.column;
  if (PARTS.every((part) => names.some((name) => part.test(name)))) {
    throw new ColumnRefusal(
      "The CNPJs stand in three columns. Put them together in one, or name the first one for " +
        "whole companies: column=<header>.",
    );
  }
  const said = names.findIndex((name) => SAYS_CNPJ.test(name));
  if (said >= 0 && !isOutdone(rows, width, said)) return said;
  const most = (fits: (text: string, column: number) => boolean) => {
    const counts = countsOf(rows, width, fits);
    return counts.indexOf(counts.reduce((best, count) => Math.max(best, count), 1));
  };
  for (const fits of [
    isWhole,
    (text: string, at: number) => names.length > 0 && saysRoots(names, at) && isRoot(text),
    (text: string, at: number) => isCnpj(text) && (saysRoots(names, at) || !isRoot(text)),
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

/** The column with the most whole CNPJs of those whose header says CNPJ; null if none has any. */
function wholeSaid(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): { readonly column: number; readonly counts: Uint32Array } | null {
  const says = names.map((name) => SAYS_CNPJ.test(name));
  if (!says.includes(true)) return null;
  const counts = countsOf(rows, width, (text, at) => says[at] === true && isWhole(text));
  const best = Math.max(...counts);
  return best === 0 ? null : { column: counts.indexOf(best), counts };
}

/**
 * "cnpj_raiz;documento": true if a column holds roots only, and another one whole CNPJs in at least
 * half as many rows.
 */
function isOutdone(rows: readonly (readonly string[])[], width: number, said: number): boolean {
  const roots = rows.filter((row) => isRoot(row[said] ?? "")).length;
  const isOther = rows.some((row) => isCnpj(row[said]) && !isRoot(row[said] ?? ""));
  if (roots === 0 || isOther) return false;
  return 2 * Math.max(...countsOf(rows, width, isWhole)) >= roots;
}

const ONLY_ROOTS =
  "No column of the first lines holds whole CNPJs, and no header says cnpj. Eight characters may " +
  "be postal codes, dates or telephones: if they are roots of CNPJs, name their column: " +
  "column=<header>.";

/** Whether eight characters of a column are a company: its header says so, or there is none. */
function saysRoots(names: readonly string[], column: number): boolean {
  return names.length === 0 || ROOTS.test(names[column] ?? "");
}

/** A header that says CNPJ, whatever else it says. */
const SAYS_CNPJ = /\bcnpj\b/;

/** How headers call CNPJs, their roots, and companies. */
const ROOTS = /cnpj|\b(?:raiz|raizes|roots?|basicos?|empresas?|company|companies)\b/;

/** How the registry names the parts of a CNPJ. */
const PARTS = [/\bbasico\b/, /\bordem\b/, /\bdv\b/];

/** Of each column, how many of these rows fit. */
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

/** Whether a text holds a CNPJ with the right check digits, in whatever spelling. */
function isWhole(text: string): boolean {
  return holdsCnpj(text);
}

/** The place of a column by its letters, which are capitals; null where a sheet has none. */
export function columnOfLetters(letters: string): number | null {
  let number = 0;
  for (let at = 0; at < letters.length; at++) number = number * 26 + letters.charCodeAt(at) - 64;
  return number >= 1 && number <= COLUMNS_MAX ? number - 1 : null;
}

/** The letters of a column by its place. */
export function lettersOf(column: number): string {
  let letters = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/**
 * Whether rows are a list and no table, so that what stands behind a comma further down is not
 * lost: all have one cell, or the first one has and it is a CNPJ or says so, or rows that have any
 * whole CNPJ have nothing else. Rows without one say nothing: they are told as not understood.
 */
export function isPlainList(
  rows: readonly (readonly string[])[],
  { hasHeader }: Pick<FoundColumn, "hasHeader">,
): boolean {
  const [first = []] = rows;
  const isAlone = first.length === 1 && (!hasHeader || /\bcnpj\b/.test(folded(first[0] ?? "")));
  if (isAlone || rows.every(({ length }) => length === 1)) return true;
  const telling = rows.filter((row) => row.some(holdsCnpj));
  return !hasHeader && telling.length > 0 && telling.every((row) => row.every(holdsNothingElse));
}

/** Roots do not count: postal codes and dates look like them. */
function holdsNothingElse(cell: string): boolean {
  return piecesOf(cell).every(({ text }) => readCnpjPiece(text).kind === "cnpj");
}

/** True if a text may be a CNPJ, or a number that may have been one. */
function isCnpj(text: string | undefined): boolean {
  const cell = cleaned(text ?? "");
  const reading = readCnpjText(cell);
  if (reading.kind === "cnpj") return true;
  if (reading.kind === "root") return isRoot(cell);
  return (NUMBERS.includes(reading.reason) && isLong(cell)) || holdsCnpj(cell);
}

/** Reasons of numbers that may have been CNPJs. */
const NUMBERS: readonly CnpjRefusal[] = ["lost_zeros", "rounded", "too_short", "cpf"];

/** True if a cell is a number of nine digits and more; amounts and telephones have signs. */
function isLong(cell: string): boolean {
  return /^[1-9](?:[0-9]{8,}(?:[.,]0+)?|[.,][0-9]+E\+?[0-9]+)$/i.test(cell);
}

/** Whether a text may be a root; a word of eight letters is none. */
function isRoot(text: string): boolean {
  return readCnpjText(text).kind === "root";
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
    .replace(/[\s_]+/g, " ");
}

/** Longest part that is told, in characters. */
const TOLD_MAX = 64;
/** Half of a character that has two, without the other. */
const HALF = /[\ud800-\udfff]/gu;

/** The beginning of a text. */
export function toldText(text: string): string {
  const characters = [...withoutCpfs(text.slice(0, 2 * TOLD_MAX))].slice(0, TOLD_MAX);
  return characters.join("").replace(HALF, "\ufffd");
}
