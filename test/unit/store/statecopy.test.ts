/**
 * Proves: a copy has the tables of the schema, parents before children, and a copy of a random
 * state is equal row by row. A difference in any cell, row, or counter is detected and named.
 * Does not prove the copy between the two database engines (campaign/postgres/copy).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { makeFilled, openDatabase } from "../../../src/store/database.ts";
import { FLEET_TABLES } from "../../../src/store/fleet/members.ts";
import { connect, type SqliteDatabase } from "../../../src/store/sqlite.ts";
import { compare, copyRows } from "../../../src/store/statecopy/copyrows.ts";
import { bytesOf, type Row } from "../../../src/store/statecopy/rows.ts";
import { stateTables } from "../../../src/store/statecopy/tables.ts";
import { contentOf, tablesOf } from "../../support/formats/state-rows.ts";
import { RandomState } from "../../support/server/random-state.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-copy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function twoStates(seed: number, tries: number): [SqliteDatabase, SqliteDatabase] {
  const from = openDatabase(join(folder, `from-${seed}`));
  new RandomState(from, seed).fill(tries);
  const tables = stateTables(from);
  makeFilled(join(folder, `from-${seed}`), "copy.db", (to) => {
    copyRows({ from, to, tables }, () => {});
  });
  return [from, connect(join(folder, `from-${seed}`, "copy.db"))];
}

describe("the tables of a copy", () => {
  it("are all tables of the schema, each after those that it refers to", () => {
    const database = openDatabase(join(folder, "tables"));
    const names = stateTables(database).map(({ name }) => name);
    const copied = tablesOf(database).filter((name) => !FLEET_TABLES.includes(name));
    assert.deepEqual([...names].sort(), copied);
    for (const { name, references } of stateTables(database)) {
      for (const other of references) {
        assert.ok(names.indexOf(other) < names.indexOf(name), `${name} refers to ${other}`);
      }
    }
    database.close();
  });
});

describe("a copied state", () => {
  for (const seed of [1, 2]) {
    it(`is equal row by row (seed ${seed})`, () => {
      const [from, to] = twoStates(seed, 40);
      const tables = stateTables(from);
      const sums = compare({ from, to, tables });
      const content = { ...contentOf(from) };
      for (const table of FLEET_TABLES) content[table] = [];
      assert.deepEqual(contentOf(to), content);
      assert.ok(sums.every(({ rows }) => rows > 0));
      from.close();
      to.close();
    });
  }

  it("that differs in a cell, a row, or a counter is refused with the place", () => {
    const [from, to] = twoStates(3, 10);
    const tables = stateTables(from);
    const changes: readonly (readonly [sql: string, words: RegExp])[] = [
      ["UPDATE usage SET accounts = accounts + 1 WHERE requests = 41", /in usage: .* another one/],
      ["DELETE FROM idempotency WHERE key = 'order 3'", /in idempotency: the row with .*key/],
      ["INSERT INTO quota VALUES ('ten_1', 9, 0)", /quota: /],
      ["INSERT INTO quota VALUES ('ten_2', 99999999, 0)", /quota: .*further row.*day 99999999/],
      ["UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'exports'", /exports: the last/],
      ["UPDATE saved_searches SET text = '' WHERE text IS NULL", /saved_searches: /],
    ];
    for (const [sql, words] of changes) {
      to.exec("BEGIN");
      to.exec(sql);
      assert.throws(() => compare({ from, to, tables }), words, sql);
      to.exec("ROLLBACK");
    }
    compare({ from, to, tables });
    from.close();
    to.close();
  });

  it("tells rows apart that look alike", () => {
    const rows: Row[] = [
      [null, ""],
      ["", null],
      ["n", ""],
      [1n, ""],
      ["1", ""],
      [Buffer.from("1"), ""],
      ["1;t0:", ""],
      ["a", "b"],
      ["ab", ""],
    ];
    const bytes = rows.map((row) => bytesOf(row).toString("latin1"));
    assert.equal(new Set(bytes).size, rows.length);
  });
});
