/**
 * Proves: large changes of lists are made by a separate thread, and the calling thread writes
 * nothing meanwhile. Results and refusals are the same as for changes on the calling thread.
 * Concurrent changes are all stored. The calling thread makes small changes itself while the other
 * thread is idle.
 * Does not prove how long others wait (bench/lists.bench.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { BLOCK_ENTRIES } from "../../../src/lists/blocks.ts";
import { ChangeThread } from "../../../src/lists/changethread.ts";
import { EntryBuffer, entryText } from "../../../src/lists/entries.ts";
import { changeEntries } from "../../../src/lists/listchange.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { openLog } from "../../../src/process/log.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

const LIMITS = { lists: 100, list_entries: 200_000 };
const LARGE = 100_000;
const folder = mkdtempSync(join(tmpdir(), "peneira-lists-"));
const thread = new ChangeThread(folder, openLog("error"));
let database: StateDatabase;
let lists: Lists;
/** Number of transactions that this thread made. */
let writes = 0;

class WatchedStore extends ListStore {
  override atomically<Result>(change: () => Result): Result {
    writes++;
    return super.atomically(change);
  }
}

before(() => {
  database = openDatabase(folder);
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
  lists = new Lists(new WatchedStore(database), { nowMs: () => 7 }, thread);
});
beforeEach(() => {
  writes = 0;
});
after(async () => {
  await lists.close();
  database.close();
  rmSync(folder, { recursive: true });
});

function entries(from: number, to: number): Uint8Array {
  const numbers = Array.from({ length: to - from }, (_, at) => BigInt(to - at));
  return new Uint8Array(BigUint64Array.from(numbers).buffer);
}

function ascending(from: number, to: number): Uint8Array {
  return new Uint8Array(
    BigUint64Array.from({ length: to - from }, (_, at) => BigInt(from + at)).buffer,
  );
}

function changed(id: string, verb: "add" | "remove", from: number, to: number) {
  const all = entries(from, to);
  // The entries, in blocks as an upload delivers them. The first block occurs twice.
  const third = Math.ceil((to - from) / 3) * 8;
  const blocks = [0, 0, third, 2 * third].map((at) => all.slice(at, at + third));
  const sent = { entries: blocks, verb };
  return lists.change({ tenantId: "ten", id }, sent, { limits: LIMITS, segment: null });
}

function newList(): string {
  return lists.create("ten", { name: "x", kind: "accounts" }, LIMITS).id;
}

function held(id: string): number[] {
  const { sequence: list, revision } = lists.find("ten", id);
  const bytes = Uint8Array.from(lists.allEntries({ list, revision }));
  return Array.from(new BigUint64Array(bytes.buffer), Number);
}

const from1 = (to: number) => Array.from({ length: to }, (_, at) => at + 1);

describe("a large change", () => {
  it("is made in the thread, and a small one of a large list too", async () => {
    const id = newList();
    const { changed: added, list } = await changed(id, "add", 0, LARGE);
    assert.deepEqual([added, list.entries, list.revision], [LARGE, LARGE, 1]);
    assert.equal((await changed(id, "add", 0, LARGE)).list.revision, 1, "nothing is new");
    assert.equal((await changed(id, "remove", LARGE - 2, LARGE)).changed, 2);
    assert.deepEqual(held(id), from1(LARGE - 2));
    await lists.remove("ten", id);
    assert.throws(() => lists.find("ten", id), { code: "list_not_found" });
    assert.equal(writes, 0);
  });

  it("transfers the sent entries a block at a time, without copying them", async () => {
    const sent = new EntryBuffer();
    const entry = (at: number) => ({ root: String(1e7 + at), order: "0001" });
    for (let at = LARGE; at > 0; at--) sent.add(entry(at));
    const blocks = sent.blocks(false);
    assert.ok(blocks.every(({ byteLength }) => byteLength <= 524_288));
    const all = Buffer.concat(blocks);
    const texts = Array.from({ length: LARGE }, (_, at) => entryText(all, at).slice(0, 8));
    assert.deepEqual([texts[0], texts.at(-1)], [entry(LARGE).root, entry(1).root]);
    assert.equal(new Set(texts).size, LARGE);
    const change = { entries: blocks, verb: "add" } as const;
    const own = { tenantId: "ten", id: newList() };
    const { distinct } = await lists.change(own, change, { limits: LIMITS, segment: null });
    assert.equal(distinct, LARGE);
    assert.ok(blocks.every(({ byteLength }) => byteLength === 0));
  });

  it("changes nothing if the entries of the snapshot cannot be determined", async () => {
    const broken = { native: { entryRowsAsync: () => Promise.reject(new Error("damaged")) } };
    const segment = broken as unknown as Segment;
    const id = newList();
    for (const to of [10, LARGE]) {
      const sent = { entries: [entries(0, to)], verb: "add" } as const;
      const change = lists.change({ tenantId: "ten", id }, sent, { limits: LIMITS, segment });
      await assert.rejects(change, /damaged/);
      assert.deepEqual([lists.find("ten", id).revision, held(id)], [0, []]);
    }
  });

  it("leaves this thread free meanwhile", async () => {
    const id = newList();
    let turns = 0;
    let isDone = false;
    const change = changed(id, "add", 0, LARGE).then(() => {
      isDone = true;
    });
    while (!isDone) await new Promise<void>((next) => setImmediate(() => next(void turns++)));
    await change;
    assert.ok(turns > 2, `${turns} turns`);
    assert.equal(writes, 0);
  });

  it("of one tenant does not wait for all of another, nor does a small one", async () => {
    const run = new ChangeThread(folder, openLog("error"));
    const ended: string[] = [];
    const order = (tenantId: string, count: number) => async () => {
      await run.sort(tenantId, [entries(0, count)]);
      ended.push(tenantId);
    };
    const orders = [...Array.from({ length: 20 }, () => order("many", 20_000)), order("one", 10)];
    await Promise.all(orders.map((begin) => begin()));
    await run.close();
    assert.ok(ended.indexOf("one") <= 1, ended.join());
  });

  it("is repeated if another program has changed the list meanwhile", () => {
    const id = newList();
    const other = openDatabase(folder);
    let between = 1;
    class OtherStore extends ListStore {
      override atOneMoment<Result>(read: () => Result): Result {
        const result = super.atOneMoment(read);
        const order = {
          tenantId: "ten",
          id,
          nowMs: 7,
          most: LARGE,
          verb: "add",
          hurried: true,
        } as const;
        if (between-- > 0) {
          changeEntries(new ListStore(other), { ...order, entries: ascending(10, 20) });
        }
        return result;
      }
    }
    const order = { tenantId: "ten", id, nowMs: 7, most: 25, verb: "add", hurried: true } as const;
    const done = changeEntries(new OtherStore(database), { ...order, entries: ascending(1, 15) });
    other.close();
    assert.deepEqual(done, { kind: "changed", entries: 9 });
    assert.deepEqual(held(id), from1(19));
    assert.equal(lists.find("ten", id).revision, 2);
  });

  it("is refused like an immediate one", async () => {
    const id = newList();
    await assert.rejects(changed(id, "add", 0, LIMITS.list_entries + 1), {
      code: "plan_not_allowed",
      message: "The list would have 200001 entries; the plan allows 200000. Nothing was added.",
    });
    assert.deepEqual(lists.find("ten", id).revision, 0);
    await lists.remove("ten", id);
    await assert.rejects(changed(id, "add", 0, LARGE), { code: "list_not_found" });
  });

  it("keeps concurrent ones", async () => {
    const id = newList();
    const all = [
      changed(id, "add", 0, LARGE),
      changed(id, "add", LARGE - 50_000, LARGE + 50_000),
      changed(id, "add", LARGE + 50_000, LARGE + 90_000),
    ];
    const done = await Promise.all(all);
    assert.equal(Math.max(...done.map(({ list }) => list.revision)), 3);
    assert.equal(
      done.reduce((sum, one) => sum + one.changed, 0),
      LARGE + 90_000,
    );
    assert.deepEqual(held(id), from1(LARGE + 90_000));
    assert.equal(writes, 0);
  });
});

it("a small change of a small list is made immediately", async () => {
  const id = newList();
  assert.equal((await changed(id, "add", 0, 1_000)).changed, 1_000);
  await lists.remove("ten", id);
  assert.ok(writes > 0);
});

it("leftovers of an ended program are removed by the next change of any list", async () => {
  const blocks = () =>
    database.prepare<[], number>("SELECT count(*) FROM list_blocks").pluck().get();
  const store = new ListStore(database);
  const [left, other] = [newList(), newList()];
  await changed(left, "add", 0, 10_000);
  const [before, own] = [blocks() as number, Math.ceil(10_000 / BLOCK_ENTRIES)];
  // Removes the list and then simulates the end of the program.
  store.atomically(() => store.remove("ten", left, 7));
  assert.equal(blocks(), before);
  await changed(other, "add", 0, 10);
  assert.equal(blocks(), before - own + 1);
});
