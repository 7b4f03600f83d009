/**
 * Proves: after random additions and removals of any size, a stored list equals the set of a plain
 * model. This holds at every pinned revision, while exports pin and release revisions and lists are
 * removed. The pages of a list's entries, joined, are the set in order. Revisions that no export
 * needs are removed.
 * Does not prove what survives a crash (test/campaign/kills).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BLOCK_ENTRIES, changeBlocks } from "../../../src/lists/blocks.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { type ListRow, ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
const LIMITS = { lists: 10, list_entries: 1_000_000 };
const folder = mkdtempSync(join(tmpdir(), "peneira-lists-"));
let database: StateDatabase;
let store: ListStore;
let lists: Lists;

before(() => {
  database = openDatabase(folder);
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
  store = new ListStore(database);
  lists = new Lists(store, { nowMs: () => 7 });
});
after(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function bytesOf(entries: Iterable<bigint>): Uint8Array {
  return new Uint8Array(BigUint64Array.from(entries).buffer);
}

function sorted(entries: Iterable<bigint>): bigint[] {
  return [...BigUint64Array.from(entries).sort()];
}

function read(list: number, revision: number): bigint[] {
  const bytes = Uint8Array.from(lists.allEntries({ list, revision }));
  return [...new BigUint64Array(bytes.buffer)];
}

/** Adds a waiting export, so that its pinned revisions are retained. */
function queue(id: string): void {
  database
    .prepare(
      `INSERT INTO exports (id, tenant_id, plan, spec, format, slug, snapshot, snapshot_date,
         snapshot_id, snapshot_path, state, created_at)
       VALUES
         (?, 'ten', 'free', '{}', 'csv', 's', '2026-10', '2026-10-10', 'x', '/x', 'queued', 0)`,
    )
    .run(id);
}

function blocksStored(row: ListRow): number {
  return database
    .prepare<[number], number>("SELECT count(*) FROM list_blocks WHERE list = ?")
    .pluck()
    .get(row.sequence) as number;
}

describe("a list", () => {
  it("is the model's set at every pinned revision", async () => {
    const random = seededRandom(3);
    const below = (count: number) => Math.floor(random() * count);
    const { id, sequence } = lists.create("ten", { name: "x", kind: "accounts" }, LIMITS);
    let model = new Set<bigint>();
    const pinned = new Map<string, { revision: number; set: bigint[] }>();
    for (let round = 0; round < ROUNDS; round++) {
      const span = below(4) === 0 ? 2 ** 40 : 30_000;
      const sent = Array.from({ length: below(9) === 0 ? below(20_000) : below(30) }, () =>
        BigInt(1 + below(span)),
      );
      const verb = random() < 0.6 ? "add" : "remove";
      const before = model;
      model = new Set(model);
      for (const entry of sent) verb === "add" ? model.add(entry) : model.delete(entry);
      const { revision } = lists.find("ten", id);
      const options = { limits: LIMITS, segment: null };
      const change = { entries: [bytesOf(sent)], verb } as const;
      const changed = await lists.change({ tenantId: "ten", id }, change, options);
      assert.equal(changed.changed, Math.abs(model.size - before.size));
      assert.equal(changed.distinct, new Set(sent).size);
      assert.equal(changed.list.entries, model.size);
      assert.equal(changed.list.revision, changed.changed === 0 ? revision : revision + 1);
      assert.deepEqual(read(sequence, changed.list.revision), sorted(model));
      if (below(5) === 0) {
        const name = `exp_${round}`;
        queue(name);
        const pin = { list: sequence, revision: changed.list.revision };
        store.atomically(() => store.pin(name, [pin]));
        pinned.set(name, { revision: pin.revision, set: sorted(model) });
      }
      for (const [name, { revision: retained, set }] of pinned) {
        assert.deepEqual(read(sequence, retained), set, `${name} at ${retained}`);
        if (below(12) > 0) continue;
        database.prepare("DELETE FROM exports WHERE id = ?").run(name);
        pinned.delete(name);
      }
    }
    assert(pinned.size > 0);
    await lists.remove("ten", id);
    assert.throws(() => lists.find("ten", id), /no list of this id/);
    for (const { revision, set } of pinned.values())
      assert.deepEqual(read(sequence, revision), set);
  });

  it("keeps no unneeded block, and writes few for a small change", async () => {
    const row = lists.create("ten", { name: "y", kind: "accounts" }, LIMITS);
    const options = { limits: LIMITS, segment: null };
    const all = Array.from({ length: 100_000 }, (_, at) => BigInt(2 * at + 2));
    const own = { tenantId: "ten", id: row.id };
    await lists.change(own, { entries: [bytesOf(all)], verb: "add" }, options);
    assert.equal(blocksStored(row), Math.ceil(all.length / BLOCK_ENTRIES));
    const one = bytesOf([50_001n]);
    const blocks = store.blocks({ list: row.sequence, revision: 1 });
    assert.deepEqual(changeBlocks(blocks, one, "add").replaced.length, 1);
    await lists.change(own, { entries: [one], verb: "add" }, options);
    assert(blocksStored(row) <= Math.ceil(all.length / BLOCK_ENTRIES) + 1);
    await lists.change(own, { entries: [bytesOf([...all, 50_001n])], verb: "remove" }, options);
    assert.equal(blocksStored(row), 0);
  });

  it("never has more entries than its plan allows", async () => {
    const row = lists.create("ten", { name: "z", kind: "accounts" }, LIMITS);
    const options = { limits: { ...LIMITS, list_entries: 3 }, segment: null };
    const own = { tenantId: "ten", id: row.id };
    const add = (...entries: bigint[]) =>
      lists.change(own, { entries: [bytesOf(entries)], verb: "add" }, options);
    await add(1n, 2n);
    await assert.rejects(add(3n, 4n), /would have 4 entries; the plan allows 3. Nothing was added/);
    assert.equal((await add(2n, 3n)).list.entries, 3);
    const few = { ...LIMITS, lists: 2 };
    assert.throws(() => lists.create("ten", { name: "", kind: "accounts" }, few), /allows 2 lists/);
  });

  it("returns its entries in pages, from block to block", async () => {
    const row = lists.create("ten", { name: "p", kind: "accounts" }, LIMITS);
    const random = seededRandom(9);
    const below = (count: number) => Math.floor(random() * count);
    const drawn = Array.from({ length: 60_000 }, () => {
      return (BigInt(below(50_000)) << 21n) | BigInt(1 + below(9_999));
    });
    const all = sorted(new Set(drawn));
    // After this removal, most blocks have lost nearly all of their entries.
    const gone = all.filter((_, at) => at % 7 > 0 && at > 20_000 && at % 3_000 < 2_990);
    const without = new Set(gone);
    const set = all.filter((entry) => !without.has(entry));
    const own = { tenantId: "ten", id: row.id };
    const options = { limits: LIMITS, segment: null };
    await lists.change(own, { entries: [bytesOf(all)], verb: "add" }, options);
    await lists.change(own, { entries: [bytesOf(gone)], verb: "remove" }, options);
    for (const limit of [1_000, 4_096, 9_999, 10_000]) {
      const pages: string[][] = [];
      for (let after: bigint | null = -1n; after !== null; ) {
        const page = lists.entries(lists.find("ten", row.id), after, limit);
        pages.push([...page.entries]);
        after = page.next;
      }
      assert.equal(pages.flat().length, set.length);
      assert.deepEqual(pages.flat(), [...pages.flat()].sort());
      assert(pages.slice(0, -1).every(({ length }) => length === limit));
    }
  });
});
