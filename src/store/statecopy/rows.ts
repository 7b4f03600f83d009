/**
 * The rows of a table, page by page, in either engine. Input: an open state and a table. Output:
 * its rows in the order of the primary key, their number and hash; inserted rows.
 * Invariant: a value has one form in both engines: text, an exact integer, bytes, or null. So equal
 * tables have equal hashes. Text is ordered by its bytes in both.
 */
import { createHash, type Hash } from "node:crypto";
import type { StateDatabase } from "../statedatabase.ts";
import type { StateTable } from "./tables.ts";

/** Rows that are read or inserted in one step. A row with a list's block has up to 32 KiB. */
const PAGE_ROWS = 256;

/** Value of a column. */
export type Value = string | bigint | Uint8Array | null;

/** Values of a row, in the order of the columns. */
export type Row = readonly Value[];

/** The number of rows of a table, and a hash of them. */
export interface TableSum {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");

const marks = (values: readonly unknown[]) => `(${values.map(() => "?").join(", ")})`;

/** Yields the pages of a table. */
export function* pagesOf(database: StateDatabase, table: StateTable): Generator<readonly Row[]> {
  const { name, columns, key } = table;
  const at = key.map((column) => columns.indexOf(column));
  const select = `SELECT ${quoted(columns)} FROM ${name}`;
  const order = `ORDER BY ${quoted(key)} LIMIT ${PAGE_ROWS}`;
  const first = database.prepare<[], Readonly<Record<string, Value>>>(`${select} ${order}`);
  const later = database.prepare<Value[], Readonly<Record<string, Value>>>(
    `${select} WHERE (${quoted(key)}) > ${marks(key)} ${order}`,
  );
  first.safeIntegers();
  later.safeIntegers();
  let found = first.all();
  while (found.length > 0) {
    const page = found.map((row) => columns.map((column) => row[column] as Value));
    yield page;
    if (page.length < PAGE_ROWS) return;
    const last = page.at(-1) as Row;
    found = later.all(...at.map((index) => last[index] as Value));
  }
}

/** Returns the number of rows of a table. */
export function countOf(database: StateDatabase, { name }: StateTable): number {
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get();
  return count as number;
}

/** Inserts rows as they are. */
export function insertRows(database: StateDatabase, table: StateTable, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const { name, columns } = table;
  const values = rows.map((row) => marks(row)).join(", ");
  const statement = `INSERT INTO ${name} (${quoted(columns)}) VALUES ${values}`;
  database.prepare<Value[]>(statement).run(...rows.flat());
}

/** Returns the key of a row in words, for messages. */
export function keyWords({ columns, key }: StateTable, row: Row): string {
  const words = key.map((column) => {
    const value = row[columns.indexOf(column)];
    const shown = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
    return `${column} ${shown}`;
  });
  return words.join(", ");
}

/** Hashes the rows of a table. */
export class TableHash {
  readonly #table: string;
  readonly #hash: Hash = createHash("sha256");
  #rows = 0;

  constructor(table: string) {
    this.#table = table;
  }

  /** Adds the next row, in the form that `bytesOf` returns. */
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#rows++;
  }

  /** Ends the hash. */
  end(): TableSum {
    return { table: this.#table, rows: this.#rows, sha256: this.#hash.digest("hex") };
  }
}

/** Returns a row as bytes: different rows have different bytes. */
export function bytesOf(row: Row): Buffer {
  return Buffer.concat(row.flatMap(partsOf));
}

/** Returns a value as its kind, its length, and its bytes. */
function partsOf(value: Value): Buffer[] {
  if (value === null) return [Buffer.from("n")];
  if (typeof value === "bigint") return [Buffer.from(`i${value};`)];
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
  return [Buffer.from(`${typeof value === "string" ? "t" : "b"}${bytes.length}:`), bytes];
}
