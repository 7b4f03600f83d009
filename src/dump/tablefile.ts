/**
 * Reads and writes small CSV files that operators keep next to a snapshot: rows with line numbers.
 * Invariant: values are neither guessed nor dropped. All faults of the header and the rows are
 * reported together, each with its line.
 */

import { CommandError } from "../errors.ts";
import { type KindId, kindOf, wrongKindText } from "../files/filekind.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "../files/smallfile.ts";
import { wordFor } from "../text/amounts.ts";
import { decodeTable } from "./registrytext.ts";

/** Columns of a table. */
interface TableShape {
  /** Required columns. */
  readonly needed: readonly string[];
  readonly optional: readonly string[];
  /** Advice for users who pass another file. */
  readonly fix: string;
}

/** A row with its line number, from 1. */
interface TableRow {
  readonly line: number;
  /** Returns the trimmed cell of a column, or "" if it is absent. */
  cell(column: string): string;
}

/** Max number of listed problems. Others are only counted. */
const PROBLEMS_SHOWN = 20;

/** Reads the text of a file. @throws CommandError (exit 2) if it cannot be read. */
export function readTableText(path: string): string {
  try {
    const bytes = readSmallFile(path, SMALL_FILE_BYTES.table);
    const kind = kindOf(bytes);
    if (kind !== null)
      throw new Error(`${wrongKindText(kind, "CSV in UTF-8")}. ${wayOut(kind.id)}`);
    return withoutCtrlZ(decodeTable(bytes));
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, 2, error);
  }
}

/** Returns advice for a file of another kind. */
function wayOut(kind: KindId): string {
  if (kind === "utf16") return "Save it as CSV in UTF-8.";
  if (WORKBOOKS.has(kind)) return "Open it in a spreadsheet program and save it as CSV (UTF-8).";
  if (kind === "zip" || kind === "archive") return "Unpack it, and name the file in it.";
  return "Make or download it again.";
}

const CTRL_Z = "\u001a";
const WORKBOOKS: ReadonlySet<KindId> = new Set(["xlsx", "xls", "ods"]);

/** Removes DOS's end-of-file mark, which some programs append. */
export function withoutCtrlZ(text: string): string {
  let end = text.trimEnd().length;
  if (text[end - 1] !== CTRL_Z) return text;
  while (text[end - 1] === CTRL_Z) end--;
  return text.slice(0, end);
}

/** A table being parsed. `problem` adds a fault. `check` throws if there are faults. */
export class TableFile {
  /** Columns of the table. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly #path: string;
  readonly #remedy: string;
  readonly #problems: { readonly line: number; readonly words: string }[] = [];

  constructor(path: string, text: string, { needed, optional, fix }: TableShape) {
    this.#path = path;
    this.#remedy = fix;
    const lines = text.split(/\r\n|\n|\r/);
    const first = lines[0] ?? "";
    const delimiter = first.includes(";") ? ";" : ",";
    this.columns = (cellsOf(first, delimiter) ?? []).map((name) => name.toLowerCase());
    this.#checkHeader(needed, [...needed, ...optional]);
    // Rows below a wrong header would only repeat its faults.
    this.rows = this.#problems.length > 0 ? [] : this.#rowsOf(lines, delimiter);
    if (this.#problems.length === 0 && this.rows.length === 0) {
      this.problem(2, "there must be a row below the header");
    }
  }

  /** Adds a fault of a line. */
  problem(line: number, words: string): void {
    this.#problems.push({ line, words });
  }

  /** @throws CommandError (exit 2) that names all faults, if any. */
  check(): void {
    const problems = this.#problems
      .sort((a, b) => a.line - b.line)
      .map(({ line, words }) => `line ${line}: ${words}`);
    if (problems.length === 0) return;
    const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `\n- ${problem}`);
    const more = problems.length - shown.length;
    throw new CommandError(
      `${this.#path} has ${problems.length} ${wordFor(problems.length, "problem")}:` +
        `${shown.join("")}${more > 0 ? `\n- and ${more} more` : ""}\n${this.#remedy}`,
      2,
    );
  }

  #checkHeader(needed: readonly string[], known: readonly string[]): void {
    const { columns } = this;
    const list = known.join(", ");
    for (const name of needed) {
      if (!columns.includes(name)) this.problem(1, `the header lacks ${name}; it takes ${list}`);
    }
    for (const [at, name] of columns.entries()) {
      if (columns.indexOf(name) < at) this.problem(1, `the header has ${name} twice`);
      else if (!known.includes(name)) {
        this.problem(1, `there is no column ${JSON.stringify(name)}; the header takes ${list}`);
      }
    }
  }

  #rowsOf(lines: readonly string[], delimiter: string): TableRow[] {
    const { columns } = this;
    return lines.slice(1).flatMap((text, index) => {
      if (text.trim() === "") return [];
      const line = index + 2;
      const cells = cellsOf(text, delimiter);
      if (cells === null) this.problem(line, "a quotation mark is left open, or stands in a cell");
      else if (cells.length !== columns.length) {
        const count = `${cells.length} ${wordFor(cells.length, "cell")}`;
        this.problem(line, `${count} where the header has ${columns.length}`);
      } else return { line, cell: (column: string) => cells[columns.indexOf(column)] ?? "" };
      return [];
    });
  }
}

/** Returns the cells of a line, or null if it is malformed. Quoted cells may contain delimiters. */
export function cellsOf(line: string, delimiter: string): string[] | null {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  const cell = new RegExp(`\\s*(?:"((?:[^"]|"")*)"|([^"${delimiter}]*))\\s*(${delimiter}|$)`, "y");
  for (let at = 0; ; at = cell.lastIndex) {
    cell.lastIndex = at;
    const found = cell.exec(line);
    if (found === null) return null;
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
    if (found[3] === "") return cells;
  }
}

/** Formats a table so that `TableFile` can parse it. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    /[",;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;
}
