/**
 * Proves: an export whose spec names lists uses the entries that the lists have when the export is
 * created, even if they are changed and deleted while it waits. If a list has changed, a request
 * with the same Idempotency-Key counts as a different request. The record shows ids as they were
 * sent. Revisions that were pinned for the export are released. Does not prove: which accounts
 * match (campaign/twin/listed.test.ts), nor crashes.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { loadPlans } from "../../../src/access/plans.ts";
import { Exports } from "../../../src/export/exports.ts";
import { slugOf } from "../../../src/export/files/filename.ts";
import { RenderPool } from "../../../src/export/queue/pool.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-listed-export-"));
const LIMITS = { lists: 9, list_entries: 9_999 };
let sample: SampleSnapshot;
let segment: Segment;

before(async () => {
  sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
  rmSync(folder, { recursive: true });
});

/** Opens the lists and exports of a new state. Exports add their id to `damages` on damage. */
function open(dataDir: string, damages: unknown[] = []) {
  const database = openDatabase(dataDir);
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
  const lists = new Lists(new ListStore(database), systemClock);
  const listed = new ListBinder(lists);
  const plans = loadPlans();
  const exports = new Exports({
    ...{ database, dataDir, threads: new RenderPool(1), plans, clock: systemClock },
    ...{ log: openLog("silent"), retention: 60, forget: 86_400, freeBytesMin: 0, slugOf },
    stateDamaged: ({ export_id }) => damages.push(export_id),
  });
  return { database, lists, listed, plans, exports };
}

it("an export is pinned to the lists of its creation", async () => {
  const { database, lists, listed, plans, exports } = open(join(folder, "pinned"));
  const { id, sequence } = lists.create("ten", { name: "x", kind: "accounts" }, LIMITS);
  const context = { ...exportContext(segment.catalog), listsKnown: true };
  const { spec } = normalizeSpec(
    { filters: { lists: { exclude: [id] } }, output: { format: "csv", fields: ["cnpj"] } },
    context,
  );
  const all = normalizeSpec({ limit: 5_000, output: { fields: ["cnpj"] } }, context).spec;
  const page = search(segment, { spec: all, fields: ["cnpj"], afterRow: -1, explain: false });
  const cnpjs = (JSON.parse(Buffer.from(page.accounts).toString()) as { cnpj: string }[]).map(
    ({ cnpj }) => cnpj,
  );
  const change = (verb: "add" | "remove", rows: readonly number[]) => {
    const entries = [segment.native.entriesOf(Uint32Array.from(rows))];
    return lists.change({ tenantId: "ten", id }, { entries, verb }, { limits: LIMITS, segment });
  };
  const create = (key: string) =>
    exports.create({
      ...{ tenantId: "ten", keyId: "k", plan: plans.enterprise, bodyHash: key },
      ...{ idempotencyKey: key, spec, segment, rows: 1, lists: listed.pins("ten", spec) },
    });
  await change("add", [0, 1, 2]);
  const first = create("one");
  assert.equal(create("one").record.id, first.record.id);
  await change("add", [3]);
  await change("remove", [1]);
  // The body has the same bytes, but the list that it names has changed. So the request is not a
  // repetition of the first one.
  assert.equal(exports.replay("ten", "one", "one"), null);
  assert.throws(() => create("one"), /was used with another request/);
  const second = create("two");
  await lists.remove("ten", id);
  const blocks = () =>
    database
      .prepare<[number], number>("SELECT count(*) FROM list_blocks WHERE list = ?")
      .pluck()
      .get(sequence) as number;
  assert.equal(blocks(), 2);
  exports.start(segment);
  const held = async (export_: typeof first) => {
    const { record } = export_;
    assert.deepEqual(export_.spec.filters.lists, { exclude: [id] });
    const done = await exports.settled("ten", record.id, 60_000);
    assert.equal(done.state, "done");
    return readFileSync(exports.filePath(done), "utf8").trim().split("\r\n").slice(1);
  };
  const without = (rows: readonly number[]) => cnpjs.filter((_, row) => !rows.includes(row));
  assert.deepEqual(await held(first), without([0, 1, 2]));
  assert.deepEqual(await held(second), without([0, 2, 3]));
  await exports.close();
  database.close();
});

/**
 * Damage to a list: the list, the table of the damaged blob, and true if the damage is found only
 * when the export is rendered.
 */
const DAMAGES = [
  ["a list that it excludes", "list_entries", true],
  ["the list of what was exported", "exported_entries", false],
] as const;

for (const [name, table, excludes] of DAMAGES) {
  it(`an export fails once, with the reason, if it needs ${name} and that is damaged`, async () => {
    const damages: unknown[] = [];
    const { database, lists, listed, plans, exports } = open(join(folder, table), damages);
    const { id } = lists.create("ten", { name: "x", kind: "accounts" }, LIMITS);
    const entries = [segment.native.entriesOf(Uint32Array.of(0, 1))];
    const options = { limits: LIMITS, segment };
    await lists.change({ tenantId: "ten", id }, { entries, verb: "add" }, options);
    const context = { ...exportContext(segment.catalog), listsKnown: true };
    const filters = excludes ? { lists: { exclude: [id] } } : {};
    const create = (key: string, limit: number) => {
      const output = { format: "csv", fields: ["cnpj"] };
      const { spec } = normalizeSpec({ filters, limit, output }, context);
      return exports.create({
        ...{ tenantId: "ten", keyId: "k", plan: plans.enterprise, bodyHash: key },
        ...{ idempotencyKey: key, spec, segment, rows: limit, lists: listed.pins("ten", spec) },
      }).record.id;
    };
    exports.start(segment);
    const good = await exports.settled("ten", create("good", 100), 60_000);
    assert.equal(good.state, "done");
    const bytes = database.prepare(`SELECT entries FROM ${table}`).pluck().get() as Buffer;
    bytes[0] = (bytes[0] as number) ^ 4;
    database.prepare(`UPDATE ${table} SET entries = ?`).run(bytes);
    const bad = create("bad", 200);
    const failed = await exports.settled("ten", bad, 60_000);
    assert.deepEqual([failed.state, failed.failure], ["failed", "state_damaged"]);
    assert.deepEqual(damages, [bad]);
    await exports.close();
    database.close();
  });
}
