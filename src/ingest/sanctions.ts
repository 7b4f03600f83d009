/**
 * Reads companies under a sanction (CEIS, CNEP, and CEPIM of the Portal da Transparência). Input:
 * the published zip, or the CSV file in it. The CSV is in Windows-1252 or UTF-8, has a header and
 * quoted cells separated by `;`, and writes dates as DD/MM/YYYY. Output: the CNPJs with a sanction
 * in force on a date, and the date of the list.
 * Invariant: only rows of companies with a 14-character CNPJ count. Persons' documents are never
 * stored or shown. Only the dates decide whether a sanction is in force: it has begun (or has no
 * start date) and has not ended (or has no end date). CEPIM has neither dates nor persons, so all
 * its rows count.
 */

import { basename } from "node:path";
import { isDay } from "../../native-index/format/snapshot/meta-schema.ts";
import { readMember } from "../dump/archive.ts";
import { isOwnEntry, readZip } from "../dump/directory.ts";
import { decodeTable } from "../dump/registrytext.ts";
import { withoutCtrlZ } from "../dump/tablefile.ts";
import { CommandError } from "../errors.ts";
import { kindOfFile, wrongKindText } from "../files/filekind.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "../files/smallfile.ts";
import { readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { wordFor } from "../text/amounts.ts";
import { foldPlace } from "./places/municipalities.ts";

/** The sanctions in force. */
export interface Sanctions {
  /** Date of the list (`YYYY-MM-DD`), taken from its file name. */
  readonly asOf: string;
  /** Sanctioned CNPJs, 14 characters. */
  readonly cnpjs: ReadonlySet<string>;
  readonly counts: {
    readonly rows: number;
    readonly persons: number;
    readonly withoutCnpj: number;
    readonly notInForce: number;
    /** Companies' rows with an invalid date or another date format. */
    readonly wrongDates: number;
  };
}

const DATED = {
  type: "TIPO DE PESSOA",
  document: "CPF OU CNPJ DO SANCIONADO",
  start: "DATA INICIO SANCAO",
  end: "DATA FINAL SANCAO",
} as const;

/** The column that the CNEP has and the CEIS lacks. */
const FINE = "VALOR DA MULTA";

/**
 * The header cells (folded) by which each list is recognized. A file must have all of `cells` and
 * none of `not`, because those are cells of other lists.
 */
const LISTS = {
  ceis: { cells: DATED, not: [FINE] },
  cnep: { cells: { ...DATED, fine: FINE }, not: [] },
  cepim: { cells: { document: "CNPJ ENTIDADE", agreement: "NUMERO CONVENIO" }, not: [] },
} as const;

/** A list of sanctions. */
export type SanctionList = keyof typeof LISTS;

/** The lists, in the order of the documentation. */
export const SANCTION_LISTS = Object.keys(LISTS) as readonly SanctionList[];

/** Max bytes of a CSV file; the largest published list has 34 MB. */
const BYTES_MAX = 1 << 30;

/**
 * Reads a list. `date` is the date (`YYYY-MM-DD`) of the snapshot. @throws CommandError that names
 * file and line.
 */
export async function readSanctions(
  path: string,
  date: string,
  list: SanctionList = "ceis",
): Promise<Sanctions> {
  const title = list.toUpperCase();
  const { name, text } = await readCsv(path, title);
  const asOf = dateOfName(name) ?? dateOfName(basename(path));
  if (asOf === null) {
    throw new CommandError(
      `${name}: the name must start with the list's date, as 20260930_${title}.csv`,
    );
  }
  const rows = parseCsv(name, text);
  const header = (rows[0]?.cells ?? []).map(foldPlace);
  const { cells: required, not } = LISTS[list];
  const missing = Object.values(required).filter((cell) => !header.includes(cell));
  if (missing.length > 0) {
    throw new CommandError(`${name}, line 1: no ${title} header; it lacks ${missing.join(", ")}`);
  }
  const strange = not.find((cell) => header.includes(cell));
  if (strange !== undefined) {
    throw new CommandError(
      `${name}, line 1: no ${title} header; ${strange} is a column of the CNEP (--cnep)`,
    );
  }
  if (rows.length === 1) {
    throw new CommandError(`${name} has a header and no rows, as after a cut download. ${AGAIN}`);
  }
  return { asOf, ...sanctionedOf({ name, rows: rows.slice(1), header, required, date }) };
}

interface ListRows {
  readonly name: string;
  readonly rows: readonly CsvRow[];
  readonly header: readonly string[];
  readonly required: Readonly<Partial<Record<keyof typeof DATED, string>>>;
  readonly date: string;
}

function sanctionedOf({
  name,
  rows,
  header,
  required,
  date,
}: ListRows): Pick<Sanctions, "cnpjs" | "counts"> {
  const cnpjs = new Set<string>();
  const counts = { rows: 0, persons: 0, withoutCnpj: 0, notInForce: 0, wrongDates: 0 };
  for (const { cells, line } of rows) {
    if (cells.length !== header.length) {
      const found = `${cells.length} ${wordFor(cells.length, "column")}`;
      const reason = `${found} where ${header.length} belong`;
      throw new CommandError(`${name}, line ${line}: ${reason}`);
    }
    counts.rows++;
    const cell = (column: keyof typeof DATED): string | null => {
      const title = required[column];
      return title === undefined ? null : (cells[header.indexOf(title)] as string).trim();
    };
    if ((cell("type") ?? "J").toUpperCase() !== "J") {
      counts.persons++;
      continue;
    }
    const cnpj = cnpjOf(cell("document") ?? "");
    if (cnpj === null) {
      counts.withoutCnpj++;
      continue;
    }
    const [start, end] = [cell("start") ?? "", cell("end") ?? ""];
    if (isWrongDate(start) || isWrongDate(end)) counts.wrongDates++;
    if (!isInForce(start, end, date)) counts.notInForce++;
    else cnpjs.add(cnpj);
  }
  return { cnpjs, counts };
}

/** Returns the CNPJ in a company's row, with missing leading zeros added, or null. */
function cnpjOf(document: string): string | null {
  const reading = readCnpjText(document);
  if (reading.kind === "cnpj") return reading.cnpj;
  return reading.kind === "refused" ? (reading.offered ?? null) : null;
}

function isInForce(start: string, end: string, date: string): boolean {
  const from = isoDate(start);
  const until = isoDate(end);
  return (from === null || from <= date) && (until === null || until >= date);
}

function isoDate(text: string): string | null {
  const match = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text);
  const date = match === null ? null : `${match[3]}-${match[2]}-${match[1]}`;
  return isDay(date) ? date : null;
}

/** True if a cell contains digits but no valid DD/MM/YYYY date. Empty cells are not wrong. */
function isWrongDate(text: string): boolean {
  return /\d/.test(text) && isoDate(text) === null;
}

function dateOfName(name: string): string | null {
  const match = /(?:^|\D)(20\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)/.exec(name);
  const date = match === null ? null : `${match[1]}-${match[2]}-${match[3]}`;
  return isDay(date) ? date : null;
}

interface CsvFile {
  readonly name: string;
  readonly text: string;
}

async function readCsv(path: string, title: string): Promise<CsvFile> {
  try {
    const kind = kindOfFile(path);
    if (kind?.id === "zip" || /\.zip$/i.test(path)) return await readZipped(path);
    if (kind !== null) {
      throw new Error(
        `${wrongKindText(kind, `the CSV of the ${title}, nor a zip of it`)}. ${AGAIN}`,
      );
    }
    return {
      name: basename(path),
      text: withoutCtrlZ(decodeTable(readSmallFile(path, SMALL_FILE_BYTES.table))),
    };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if ((error as NodeJS.ErrnoException).code === "EISDIR") {
      const detail = `${path} is a folder. Name the CSV of the ${title}, or its zip.`;
      throw new CommandError(detail, 1, error);
    }
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, 1, error);
  }
}

const AGAIN = "Download the list again; save it as it is published.";

/** Reads the only CSV of a zip, and verifies its checksum. */
async function readZipped(path: string): Promise<CsvFile> {
  const packed = await readZip(path, (name) => isOwnEntry(name) && /\.csv$/i.test(name));
  if (packed.bytes > BYTES_MAX) throw new Error("the CSV is too long");
  const chunks: Uint8Array[] = [];
  for await (const chunk of readMember(packed)) chunks.push(chunk);
  const text = decodeTable(Buffer.concat(chunks));
  return { name: basename(packed.member), text: withoutCtrlZ(text) };
}

interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Splits a semicolon CSV into rows; quoted cells may hold anything, with quotes doubled. */
function parseCsv(name: string, text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r?\n|$)/y;
  let cells: string[] = [];
  let line = 1;
  let start = 1;
  while (cell.lastIndex < text.length) {
    const from = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) throw new CommandError(`${name}, line ${line}: a quote is not closed`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    line += text.slice(from, cell.lastIndex).split("\n").length - 1;
    if (match[3] === ";") continue;
    if (cells.length > 1 || cells[0] !== "") rows.push({ cells, line: start });
    cells = [];
    start = line;
  }
  if (cells.length > 0) rows.push({ cells: [...cells, ""], line: start });
  return rows;
}
