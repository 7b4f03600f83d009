/**
 * Copies all rows of a state into an empty one, and compares the two. Input: two open states of the
 * same schema, each within a transaction. Output: number and hash of the rows of each table.
 * Invariant: the copy is complete only if `compare` has found every row and every counter equal.
 * A counter is the last number that a table has assigned. It is copied so that the number of a
 * deleted export is not reused in the copy.
 */
import { CommandError } from "../../errors.ts";
import type { StateDatabase } from "../statedatabase.ts";
import {
  bytesOf,
  countOf,
  insertRows,
  keyWords,
  pagesOf,
  type Row,
  TableHash,
  type TableSum,
} from "./rows.ts";
import type { StateTable } from "./tables.ts";

/** Two states with the same tables. */
interface Pair {
  readonly from: StateDatabase;
  readonly to: StateDatabase;
  readonly tables: readonly StateTable[];
}

/** Called with the number of rows that a pass has handled so far, and the total. */
export type OnRows = (done: number, total: number) => void;

/** Returns the number of rows of each table that has any. */
export function rowCounts(
  database: StateDatabase,
  tables: readonly StateTable[],
): ReadonlyMap<string, number> {
  const counts = tables.map((table) => [table.name, countOf(database, table)] as const);
  return new Map(counts.filter(([, rows]) => rows > 0));
}

const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((sum, rows) => sum + rows, 0);

/** Inserts every row and sets the counters. The target must not run triggers meanwhile. */
export function copyRows({ from, to, tables }: Pair, onRows: OnRows): void {
  const all = total(rowCounts(from, tables));
  let done = 0;
  for (const table of tables) {
    for (const page of pagesOf(from, table)) {
      if (to.engine === "postgres") page.forEach((row) => void refuseText(table, row));
      insertRows(to, table, page);
      done += page.length;
      onRows(done, all);
    }
    if (table.numbered !== null) setCounter(to, table, counterOf(from, table));
  }
}

/** Throws if a text contains a NUL character. PostgreSQL cannot store it, but SQLite can. */
function refuseText(table: StateTable, row: Row): void {
  const at = row.findIndex((value) => typeof value === "string" && value.includes("\0"));
  if (at < 0) return;
  throw new CommandError(
    `${table.name}.${table.columns[at]} of the row with ${keyWords(table, row)} has a NUL ` +
      "character, which PostgreSQL does not store. Change that text, and copy again.",
  );
}

/**
 * Compares every row and counter of two states.
 * @throws CommandError that names the first difference
 */
export function compare({ from, to, tables }: Pair, onRows: OnRows = () => {}): TableSum[] {
  const all = total(rowCounts(from, tables));
  let done = 0;
  const sums = tables.map((table) => {
    const sum = compareTable({ from, to }, table, (rows) => {
      done += rows;
      onRows(done, all);
    });
    const counters = [counterOf(from, table), counterOf(to, table)];
    if (table.keepsCount && counters[0] !== counters[1]) {
      throw differ(table, `the last number was ${counters[0]}, and is ${counters[1]}`);
    }
    return sum;
  });
  return sums;
}

function compareTable(
  { from, to }: Pick<Pair, "from" | "to">,
  table: StateTable,
  onRows: (rows: number) => void,
): TableSum {
  const hash = new TableHash(table.name);
  const copies = rowsOf(to, table);
  for (const page of pagesOf(from, table)) {
    for (const row of page) {
      const bytes = bytesOf(row);
      const copy = copies.next();
      if (copy.done || !bytesOf(copy.value).equals(bytes)) {
        throw differ(table, `the row with ${keyWords(table, row)} is another one`);
      }
      hash.add(bytes);
    }
    onRows(page.length);
  }
  const extra = copies.next();
  if (extra.done) return hash.end();
  throw differ(table, `there is a further row, with ${keyWords(table, extra.value)}`);
}

function* rowsOf(database: StateDatabase, table: StateTable): Generator<Row, undefined> {
  for (const page of pagesOf(database, table)) yield* page;
}

function differ({ name }: StateTable, what: string): CommandError {
  return new CommandError(`The copy differs from the original in ${name}: ${what}.`);
}

/** Returns the last number that a table has assigned; 0 if none. */
function counterOf(database: StateDatabase, table: StateTable): bigint {
  if (table.numbered === null) return 0n;
  const max = read(database, `SELECT coalesce(max("${table.numbered}"), 0) FROM ${table.name}`);
  const stored = storedCounter(database, table);
  return [max, stored, 0n].reduce((a, b) => (a > b ? a : b));
}

/** Returns the stored counter; SQLite stores one only for tables that never reuse a number. */
function storedCounter(database: StateDatabase, table: StateTable): bigint {
  const { name, keepsCount } = table;
  if (database.engine === "postgres") {
    const last = "CASE WHEN is_called THEN last_value ELSE 0 END";
    return read(database, `SELECT ${last} FROM ${sequence(database, table)}`);
  }
  if (!keepsCount) return 0n;
  return read(database, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${name}'`);
}

function read(database: StateDatabase, sql: string): bigint {
  return database.prepare<[], bigint>(sql).safeIntegers().pluck().get() as bigint;
}

/**
 * Returns the PostgreSQL sequence that numbers the rows of a table. If the table was renamed, the
 * sequence has kept the old name.
 */
function sequence(postgres: StateDatabase, { name, numbered }: StateTable): string {
  const find = `SELECT pg_get_serial_sequence('${name}', '${numbered}')`;
  return postgres.prepare<[], string>(find).pluck().get() as string;
}

/**
 * Sets the last number that a table has assigned. In SQLite, inserting the rows has already set it
 * to at least the highest number.
 */
function setCounter(database: StateDatabase, table: StateTable, last: bigint): void {
  if (last === 0n) return;
  if (database.engine === "postgres") {
    read(database, `SELECT setval('${sequence(database, table)}', ${last})`);
  } else if (table.keepsCount) {
    database.exec(`
      DELETE FROM sqlite_sequence WHERE name = '${table.name}';
      INSERT INTO sqlite_sequence (name, seq) VALUES ('${table.name}', ${last});`);
  }
}
