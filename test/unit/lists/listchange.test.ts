/**
 * Proves: a large change is written in steps of bounded size, and readers see none of it before the
 * last step. If the program ends between two steps, the list is unchanged, and the staged rows are
 * removed an hour later. If another process has changed the list, or deleted the staged rows, the
 * whole change is repeated, and nothing is left over.
 * Does not prove: how long a step takes (bench/lists.bench.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { BLOCK_ENTRIES } from "../../../src/lists/blocks.ts";
import { changeEntries } from "../../../src/lists/listchange.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { type ListRow, ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

const BLOCKS = 70;
const COUNT = BLOCKS * BLOCK_ENTRIES;
/** Blocks per step, and the time for which staged rows are retained. */
const [STEP, HOUR] = [16, 3_600_000];
const ID = `lst_${"0".repeat(32)}`;
const folder = mkdtempSync(join(tmpdir(), "peneira-lists-"));
let database: StateDatabase;
let other: StateDatabase;
let plain: ListStore;

before(() => {
  database = openDatabase(folder);
  other = openDatabase(folder);
  plain = new ListStore(other);
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
});
after(() => {
  for (const one of [database, other]) one.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  const row = { id: ID, tenantId: "ten", name: "x", kind: "accounts", createdAt: 0 } as const;
  assert.ok(plain.insert(row, 10));
});
afterEach(() => {
  const { sequence } = found();
  for (const table of ["list_staged", "list_blocks", "list_entries"])
    other.exec(`DELETE FROM ${table}`);
  other.prepare("DELETE FROM lists WHERE sequence = ?").run(sequence);
});

const found = () => plain.find("ten", ID) as ListRow;
const countOf = (table: string) =>
  other.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const counts = () => ["list_entries", "list_blocks", "list_staged"].map(countOf);

function ascending(from: number, count: number): Uint8Array {
  return new Uint8Array(
    BigUint64Array.from({ length: count }, (_, at) => BigInt(from + at)).buffer,
  );
}

function change(store: ListStore, from: number, count: number, nowMs = 7) {
  const task = { tenantId: "ten", id: ID, nowMs, hurried: false, most: 1e9, verb: "add" } as const;
  return changeEntries(store, { ...task, entries: ascending(from, count) });
}

/** A store that calls `step` after each step of a change. `step` may throw, as in a crash. */
class SteppedStore extends ListStore {
  steps = 0;
  readonly #step: (step: number) => void;
  constructor(step: (step: number) => void) {
    super(database);
    this.#step = step;
  }
  override atomically<Result>(act: () => Result): Result {
    const result = super.atomically(act);
    this.#step(++this.steps);
    return result;
  }
}

it("is written in short steps that no reader sees", () => {
  let written = 0;
  const revisions: number[] = [];
  const store = new SteppedStore(() => {
    const now = countOf("list_entries");
    assert.ok(now - written <= STEP, `${now - written} blocks in one step`);
    written = now;
    revisions.push(found().revision);
  });
  assert.deepEqual(change(store, 1, COUNT), { kind: "changed", entries: COUNT });
  // Four full steps, then the step that commits. After it, no staged rows are left to remove.
  assert.deepEqual(revisions, [0, 0, 0, 0, 1, 1]);
  assert.deepEqual(counts(), [BLOCKS, BLOCKS, 0]);
});

it("leaves the list unchanged if the program ends, and its staged rows are removed later", () => {
  change(plain, 1, 10);
  const ended = new SteppedStore((step) => {
    if (step === 3) throw new Error("killed");
  });
  assert.throws(() => change(ended, 1, COUNT), /killed/);
  assert.deepEqual([found().revision, found().entries], [1, 10]);
  assert.deepEqual(counts(), [1 + 3 * STEP, 1, 3 * STEP]);
  change(plain, 20, 1, 7 + HOUR);
  assert.equal(countOf("list_staged"), 3 * STEP, "it may be another program's that is at work");
  change(plain, 30, 1, 8 + HOUR);
  assert.deepEqual(counts(), [1, 1, 0]);
  assert.deepEqual([found().revision, found().entries], [3, 12]);
});

it("is repeated if another process has changed the list, or deleted the staged rows", () => {
  const cases = [
    () => change(plain, COUNT + 1, 5),
    () => assert.equal(plain.forget(8 + HOUR), 2 * STEP),
  ];
  for (const interfere of cases) {
    const { revision } = found();
    const store = new SteppedStore((step) => {
      if (step === 2) interfere();
    });
    change(store, 1 + revision * COUNT * 2, COUNT);
    assert.ok(store.steps > 10, "all of it again");
    const [entries, blocks, staged] = counts();
    assert.deepEqual([entries, staged], [blocks, 0]);
  }
  const row = found();
  const read = [...plain.blocks({ list: row.sequence, revision: row.revision })];
  const held = read.reduce((sum, { entries }) => sum + entries.byteLength / 8, 0);
  assert.equal(held, row.entries);
});
