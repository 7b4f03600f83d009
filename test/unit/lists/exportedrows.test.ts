/**
 * Proves: packed blocks decode to their entries. Merging rows into a list's blocks equals adding to
 * a plain set, each entry once. This holds for rows of one or two snapshots, for few or many
 * entries, and for an empty or a full list. Blocks without a new entry stay unchanged. An early end
 * or a failure leaves nothing behind. Every revision that an export pins exists until it is
 * released.
 * Does not prove that exports report their rows (contract/export/exported.test.ts), nor how the
 * addon reads blocks, intact or damaged (campaign/kernel/row-lists.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BLOCK_ENTRIES, packEntries, pairsOf, unpackEntries } from "../../../src/lists/blocks.ts";
import {
  markRows,
  StagingAborted,
  stageExported,
  type WrittenRows,
} from "../../../src/lists/exportedrows.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ExportedStore } from "../../../src/store/exportedstore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = Math.min(tries("kernel queries"), 300);
const ORDERS = 2n ** 21n;
const folder = mkdtempSync(join(tmpdir(), "peneira-holding-"));
let database: StateDatabase;
let store: ExportedStore;

before(() => {
  database = openDatabase(folder);
  store = new ExportedStore(database);
});
after(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const sorted = (entries: Iterable<bigint>) => [...BigUint64Array.from(entries).sort()];
const bytesOf = (entries: readonly bigint[]) => new Uint8Array(BigUint64Array.from(entries).buffer);
const entriesIn = (pairs: Uint32Array) => [...new BigUint64Array(pairs.slice().buffer)];

/** Returns the written rows of a snapshot whose row n is the nth of the ascending entries. */
function held(entries: readonly bigint[], rows: Iterable<number>): WrittenRows {
  const bits = new Uint8Array(Math.ceil(entries.length / 8));
  markRows(bits, rows);
  const native = {
    entriesOf: (wanted: Uint32Array) =>
      bytesOf(sorted([...wanted].map((row) => entries[row] as bigint))),
    entriesOfBits(given: Uint8Array, from: number, most: number) {
      const found: bigint[] = [];
      let next = from;
      for (; next < entries.length && found.length < most; next++) {
        if (((given[next >> 3] as number) >> (next & 7)) & 1) found.push(entries[next] as bigint);
      }
      return { entries: bytesOf(found), next };
    },
  };
  return { segment: { accounts: entries.length, native } as unknown as Segment, bits };
}

function contentOf(list: number, revision: number): bigint[] {
  const ids = store.idsSince({ list, revision }, 0);
  return ids.flatMap((id) => entriesIn(unpackEntries(store.entriesOf(id))));
}

function tenant(id: string): { readonly list: number; readonly revision: number } {
  database.prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 0)").run(id, id);
  return store.now(id);
}

function countOf(table: string): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() as number;
}

describe("packed entries", () => {
  it("decode to the same entries", () => {
    const random = seededRandom(1);
    const below = (count: number) => BigInt(Math.floor(random() * count));
    const lasts = [0n, 1n, 2n, 36n, ORDERS - 1n];
    for (let round = 0; round < ROUNDS; round++) {
      const roots = random() < 0.5 ? 40 : 36 ** 8;
      const order = () =>
        random() < 0.5 ? 1n : (lasts[Number(below(lasts.length))] ?? 0n) || below(2_097_152);
      const entries = sorted(
        new Set(
          Array.from({ length: 1 + Number(below(300)) }, () => below(roots) * ORDERS + order()),
        ),
      );
      const packed = packEntries(pairsOf(bytesOf(entries)));
      assert.deepEqual(entriesIn(unpackEntries(packed)), entries);
    }
    const last = [0n, 1n, 36n ** 8n * ORDERS - 1n];
    assert.deepEqual(entriesIn(unpackEntries(packEntries(pairsOf(bytesOf(last))))), last);
  });

  it("take one byte for consecutive roots, and report where they are truncated", () => {
    const heads = Array.from({ length: 1_000 }, (_, root) => BigInt(root) * ORDERS + 1n);
    const packed = packEntries(pairsOf(bytesOf(heads)));
    assert.equal(packed.length, 1_002);
    assert.throws(() => unpackEntries(packed.subarray(0, 900)), /cut off/);
  });
});

describe("exported rows", () => {
  it("are added to the list as to a plain set", () => {
    const random = seededRandom(2);
    const below = (count: number) => Math.floor(random() * count);
    const { list } = tenant("ten");
    const space = (step: number) =>
      Array.from({ length: 40_000 }, (_, i) => BigInt(i * step + below(step)) * ORDERS + 1n);
    const snapshots = [space(7), space(11)];
    const model = new Set<bigint>();
    for (let round = 0; round < 40; round++) {
      const used = random() < 0.3 ? snapshots : [snapshots[below(2)] as bigint[]];
      const sent = used.map((entries) => {
        const share = [1, 0.4, 0.01, 0.0002][below(4)] as number;
        const from = below(entries.length);
        const rows = entries.map((_, row) => row).filter(() => random() < share);
        return held(entries, random() < 0.5 ? rows : rows.filter((row) => row >= from));
      });
      used.forEach((entries, i) => {
        const { bits } = sent[i] as WrittenRows;
        entries.forEach((entry, row) => {
          if (((bits[row >> 3] as number) >> (row & 7)) & 1) model.add(entry);
        });
      });
      const { revision } = store.now("ten");
      const size = contentOf(list, revision).length;
      const staged = stageExported(store, "ten", sent);
      assert.deepEqual(contentOf(list, revision).length, size, "nothing is seen before");
      assert.equal(staged?.added ?? 0, model.size - size);
      if (staged !== null)
        assert(database.transaction(() => store.keep(staged, round)).immediate());
      const now = store.now("ten");
      assert.equal(now.revision, revision + (staged === null ? 0 : 1));
      assert.deepEqual(contentOf(list, now.revision), sorted(model));
    }
    const blocks = store.index(store.now("ten"));
    for (const { id, first } of blocks) {
      const entries = entriesIn(unpackEntries(store.entriesOf(id)));
      assert(entries.length <= BLOCK_ENTRIES);
      assert.equal(entries[0], first);
    }
    assert(blocks.length < (4 * model.size) / BLOCK_ENTRIES + 2, `${blocks.length} blocks`);
  });

  it("are one entry if rows of a snapshot have the same root and order", () => {
    const { list } = tenant("repeats");
    const entries = Array.from({ length: 140_000 }, (_, i) => {
      // Some neighboring rows have the same entry, also where one slice of rows ends and the next
      // begins.
      const at = i % 1_000 === 1 || i % 65_536 === 0 ? Math.max(0, i - 1) : i;
      return BigInt(at) * ORDERS + 1n;
    });
    const rows = entries.map((_, row) => row);
    const few = [0, 1, 2, 1_000, 1_001, 1_002];
    for (const some of [few, rows]) {
      const staged = stageExported(store, "repeats", [held(entries, some), held(entries, few)]);
      assert(staged !== null && store.keep(staged, 0));
      const wanted = new Set(some.map((row) => entries[row] as bigint));
      assert.deepEqual(contentOf(list, store.now("repeats").revision), sorted(wanted));
    }
  });

  it("replace few blocks for few entries, and keep revisions that exports pin", () => {
    const { list } = tenant("few");
    const entries = Array.from({ length: 200_000 }, (_, i) => BigInt(3 * i) * ORDERS + 1n);
    const all = stageExported(store, "few", [
      held(
        entries,
        entries.map((_, row) => row),
      ),
    ]);
    assert(all !== null && store.keep(all, 0));
    assert.equal(all.made.length, Math.ceil(200_000 / BLOCK_ENTRIES));
    const more = Array.from({ length: 100 }, (_, i) => BigInt(3 * i + 1) * ORDERS + 1n);
    database
      .prepare(
        `INSERT INTO exports (id, tenant_id, plan, spec, format, slug, snapshot, snapshot_date,
           snapshot_id, snapshot_path, state, created_at)
         VALUES ('e', 'few', 'free', '{}', 'csv', 's', '2026-10', '2026-10-10', 'x', '/x',
           'queued', 0)`,
      )
      .run();
    database
      .prepare("INSERT INTO export_lists (export_id, list, revision) VALUES ('e', ?, 1)")
      .run(list);
    for (let i = 0; i < more.length; i += 50) {
      const some = stageExported(store, "few", [held(more.slice(i, i + 50), Array(50).keys())]);
      assert(some !== null && store.keep(some, 0));
      // The first addition splits a full block in two.
      const made = i === 0 ? 2 : 1;
      assert.deepEqual([some.replaced.length, some.made.length, some.added], [1, made, 50]);
    }
    assert.equal(contentOf(list, 1).length, entries.length, "the pinned revision is there");
    assert.equal(contentOf(list, 3).length, entries.length + 100);
    const retained = countOf("exported_blocks");
    assert.equal(store.forget(list), 1, "the block between the two");
    database.exec("DELETE FROM exports");
    assert.equal(store.forget(list), 1, "and that of the pin");
    assert.equal(countOf("exported_blocks"), retained - 2);
    assert.equal(countOf("exported_entries"), retained - 2);
  });

  it("leave nothing after an early end or a failure, or if they do not fit", () => {
    tenant("early");
    const entries = Array.from({ length: 400_000 }, (_, i) => BigInt(i) * ORDERS + 1n);
    const rows = entries.map((_, row) => row);
    const before = countOf("exported_entries");
    let requested = 0;
    const ended = () => ++requested > 4;
    assert.throws(
      () => stageExported(store, "early", [held(entries, rows)], ended),
      StagingAborted,
    );
    assert.equal(countOf("exported_entries"), before);
    const first = stageExported(store, "early", [held(entries, [1, 2])]);
    const second = stageExported(store, "early", [held(entries, [3])]);
    assert(first !== null && second !== null);
    assert.equal(store.keep(first, 1), true);
    assert.equal(store.keep(second, 1), false, "it is for the revision before");
    store.drop(second.made);
    store.drop(first.made);
    assert.equal(countOf("exported_entries"), before + 1, "what is kept is not dropped");
    stageExported(store, "early", [held(entries, [4])]);
    assert.equal(store.dropStaged(), 1);
    assert.equal(countOf("exported_entries"), before + 1);
  });
});
