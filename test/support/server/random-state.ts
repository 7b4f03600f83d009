/**
 * Fills an empty state in SQLite with random rows in every table, from a seed. Invariant: the
 * checksums of blobs are right, and no check or reference is broken. If SQLite refuses a row for
 * that, another one is tried.
 */
import { BLOBS, CHECKSUM_FUNCTION } from "../../../src/store/checksums.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import type { Row, Value } from "../../../src/store/statecopy/rows.ts";
import { type StateTable, stateTables } from "../../../src/store/statecopy/tables.ts";
import { fillState } from "../formats/state-rows.ts";
import { seededRng } from "../spec/random.ts";

const TEXTS = [
  "",
  " ",
  "Ângela & Filhos",
  "日本\n🍞",
  "e\u0301",
  "'\"\\",
  "null",
  "\\x00",
  "\ufeff",
];
const INTEGERS = [0n, -1n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 1_700_000_000_000n];

/** Makes random changes to a state. */
export class RandomState {
  readonly #database: SqliteDatabase;
  readonly #random: () => number;
  readonly #tables: readonly StateTable[];

  constructor(database: SqliteDatabase, seed: number) {
    this.#database = database;
    this.#random = seededRng(seed);
    this.#tables = stateTables(database);
  }

  /** Fills every table. For each table, `tries` random rows are tried. */
  fill(tries: number): void {
    fillState(this.#database);
    const fillTables = this.#database.transaction(() => {
      for (const table of this.#tables) {
        for (let n = 0; n < tries; n++) this.#tryRow(table);
      }
      for (const { table, blobs } of BLOBS) {
        this.#database.exec(
          `UPDATE ${table} SET checksum = ${CHECKSUM_FUNCTION}(${blobs.join(", ")})`,
        );
      }
    });
    fillTables.immediate();
    // Removes the newest row, so that its number was used but no longer exists.
    this.#database.exec("DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit)");
  }

  /** Inserts a row similar to an existing one, or changes one. */
  #tryRow(table: StateTable): void {
    const { name, columns, key, numbered } = table;
    const rows = this.#database
      .prepare<[], Record<string, Value>>(`SELECT * FROM ${name}`)
      .safeIntegers()
      .all();
    const row = rows[this.#below(rows.length)] as Record<string, Value>;
    const changed = columns.map((column) =>
      column === numbered ? this.#number() : this.#changed(row[column] as Value, 0.15),
    );
    const inserts = this.#below(4) > 0;
    if (inserts) {
      // The new row needs another key. Columns of the key that refer to another row stay unchanged.
      for (const column of key.filter((one) => one !== numbered)) {
        changed[columns.indexOf(column)] = this.#changed(row[column] as Value, 0.8);
      }
    }
    const where = key.map((column) => row[column] as Value);
    this.#attempt(inserts ? insertOf(table, changed) : this.#updateOf(table, changed, where));
  }

  #updateOf({ name, columns, key, numbered }: StateTable, changed: Row, where: Row) {
    const column = this.#one(columns.filter((one) => one !== numbered));
    const is = key.map((one) => `"${one}" = ?`).join(" AND ");
    const sql = `UPDATE ${name} SET "${column}" = ? WHERE ${is}`;
    return { sql, values: [changed[columns.indexOf(column)] as Value, ...where] };
  }

  #attempt({ sql, values }: { readonly sql: string; readonly values: Row }): void {
    try {
      this.#database.prepare<Value[]>(sql).run(...values);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (!/^SQLITE_(CONSTRAINT|MISMATCH)/.test(code ?? "")) throw error;
    }
  }

  #changed(value: Value, share: number): Value {
    if (this.#random() >= share) return value;
    if (value === null || this.#below(8) === 0) return null;
    if (typeof value === "bigint") return this.#integer();
    if (typeof value === "string") return `${this.#one(TEXTS)}${this.#one(["", value, "z"])}`;
    return Buffer.from(Array.from({ length: value.length }, () => this.#below(256)));
  }

  /**
   * Returns a random row number, which is never the largest possible one, because SQLite assigns no
   * number after that.
   */
  #number(): Value {
    return this.#one([null, BigInt(this.#below(1_000_000)), 2n ** 53n + 1n, -(2n ** 63n)]);
  }

  #integer(): bigint {
    return this.#below(2) === 0 ? this.#one(INTEGERS) : BigInt(this.#below(1_000_000));
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function insertOf({ name, columns }: StateTable, row: Row) {
  const marks = columns.map(() => "?").join(", ");
  return { sql: `INSERT INTO ${name} VALUES (${marks})`, values: row };
}
