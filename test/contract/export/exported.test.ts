/**
 * Proves: the list `exported` has exactly the accounts of the tenant's done exports, even if
 * several end together or if their files are deleted or expire later. Each export with new accounts
 * adds one revision. An export that excludes the list has all other accounts, as of its creation.
 * The accounts of an export made for a notice (a message about a saved search) join the list when a
 * client first reads the file, even if the server stops before it has added them. Accounts of
 * failed and canceled exports and of other tenants are not in the list, and nothing written for
 * them remains.
 * Does not prove: crashes (campaign/kills), nor large lists.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { loadPlans } from "../../../src/access/plans.ts";
import { Exports } from "../../../src/export/exports.ts";
import { slugOf } from "../../../src/export/files/filename.ts";
import { RenderPool } from "../../../src/export/queue/pool.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { clausesOf } from "../../../src/search/clauses.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { EXPORTED } from "../../../src/spec/listids.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const TENANTS = ["ten", "other", "third"];
const STATES = ["SP", "MG", "RJ", "BA", "PR", "RS", "SC", "PE", "GO", "CE"];
const folder = mkdtempSync(join(tmpdir(), "peneira-exported-"));
let sample: SampleSnapshot;
let segment: Segment;
let database: StateDatabase;
let lists: Lists;
let listed: ListBinder;
let exports: Exports;
let keys = 0;

before(async () => {
  sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
  database = openDatabase(folder);
  for (const id of TENANTS) {
    database.prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 5)").run(id, id);
  }
  lists = new Lists(new ListStore(database), systemClock);
  listed = new ListBinder(lists);
  exports = begin();
});

function begin(): Exports {
  const begun = new Exports({
    ...{ database, dataDir: folder, threads: new RenderPool(2), plans: loadPlans() },
    ...{ clock: systemClock, log: openLog("silent"), retention: 60, forget: 86_400 },
    ...{ freeBytesMin: 0, slugOf },
  });
  begun.start(segment);
  return begun;
}

after(async () => {
  await exports.close();
  database.close();
  segment.close();
  sample.dispose();
  rmSync(folder, { recursive: true });
});

function specOf(filters: object, more: object = {}): AccountQuerySpec {
  const output = { format: "csv", fields: ["cnpj"] };
  const context = { ...exportContext(segment.catalog), listsKnown: true };
  return normalizeSpec({ filters, output, ...more }, context).spec;
}

function create(tenantId: string, spec: AccountQuerySpec, key = `key ${keys++}`): string {
  return exports.create({
    ...{ tenantId, keyId: "k", plan: loadPlans().enterprise, bodyHash: key, idempotencyKey: key },
    ...{ spec, segment, rows: 1, lists: listed.pins(tenantId, spec) },
  }).record.id;
}

/** Returns the CNPJs of a done CSV export without check digits, some of which are wrong. */
async function held(tenantId: string, id: string): Promise<string[]> {
  const done = await exports.settled(tenantId, id, 60_000);
  assert.equal(done.state, "done");
  return readFileSync(exports.filePath(done), "utf8").trim().split("\r\n").slice(1).map(base);
}

function base(cnpj: string): string {
  return cnpj.slice(0, 12);
}

/** Reads all pages of the list `exported` and returns its entries. */
function entries(tenantId: string, limit = 97): string[] {
  const row = lists.find(tenantId, EXPORTED);
  const all: string[] = [];
  for (let after: bigint | null = -1n; after !== null; ) {
    const page = lists.entries(row, after, limit);
    all.push(...page.entries.map(base));
    after = page.next;
  }
  assert.equal(row.entries, all.length);
  return all;
}

/** Returns the number of stored blocks of entries that belong to no revision of the list. */
function unkept(): number {
  return database
    .prepare<[], number>(
      "SELECT count(*) FROM exported_entries WHERE id NOT IN (SELECT id FROM exported_blocks)",
    )
    .pluck()
    .get() as number;
}

async function excluded(tenantId: string): Promise<number> {
  const spec = specOf({ lists: { exclude: [EXPORTED] } });
  const bound = await listed.bind(tenantId, segment, spec);
  return segment.native.count(clausesOf(segment, bound.filters));
}

it("is empty at first, with the time of its creation", () => {
  const row = lists.find("ten", EXPORTED);
  assert.deepEqual([row.entries, row.revision, row.kind, row.createdAt], [0, 0, "accounts", 5]);
  assert.deepEqual(entries("ten"), []);
  assert.equal(lists.page("ten", Number.MAX_SAFE_INTEGER, 9).at(-1)?.id, EXPORTED);
});

it("has the accounts of done exports, in random order and concurrently", async () => {
  const random = seededRandom(5);
  const model = new Map(TENANTS.map((tenant) => [tenant, new Set<string>()]));
  for (let round = 0; round < 12; round++) {
    const wanted = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const tenant = TENANTS[Math.floor(random() * 1.3)] as string;
      const state = STATES[Math.floor(random() * STATES.length)] as string;
      const spec = specOf(
        { geo: { uf_any_of: [state] } },
        { limit: 1 + Math.floor(random() * 150) },
      );
      return { tenant, id: create(tenant, spec) };
    });
    const before = TENANTS.map((tenant) => lists.find(tenant, EXPORTED).revision);
    const sizes = TENANTS.map((tenant) => model.get(tenant)?.size);
    for (const { tenant, id } of wanted) {
      for (const cnpj of await held(tenant, id)) model.get(tenant)?.add(cnpj);
      if (random() < 0.3) exports.remove(tenant, id);
    }
    TENANTS.forEach((tenant, i) => {
      const all = [...(model.get(tenant) as Set<string>)].sort();
      assert.deepEqual(entries(tenant), all);
      const { revision } = lists.find(tenant, EXPORTED);
      assert.equal(revision > (before[i] as number), all.length > (sizes[i] as number));
    });
    assert.equal(unkept(), 0);
    const rest = segment.accounts - (model.get("ten")?.size as number);
    assert.equal(await excluded("ten"), rest);
  }
});

it("leaves an export that excludes it the rest, as of the export's creation", async () => {
  const before = new Set(entries("ten"));
  const spec = specOf({ lists: { exclude: [EXPORTED] } }, { limit: 200 });
  const [first, second] = [create("ten", spec), create("ten", spec)];
  const rows = await held("ten", first);
  assert.equal(rows.length, 200);
  assert.ok(rows.every((cnpj) => !before.has(cnpj)));
  assert.deepEqual(await held("ten", second), rows, "both were created before either was done");
  const third = await held("ten", create("ten", spec));
  assert.ok(third.every((cnpj) => !before.has(cnpj) && !rows.includes(cnpj)));
  assert.equal(entries("ten").length, before.size + rows.length + third.length);
});

it("does not count as another request for an export that changed it", async () => {
  const spec = specOf({ lists: { exclude: [EXPORTED] } }, { limit: 20 });
  const { limits } = loadPlans().enterprise;
  const own = lists.create("ten", { name: "own", kind: "accounts" }, limits);
  const both = specOf({ lists: { exclude: [EXPORTED, own.id] } }, { limit: 20 });
  const [first, second] = [create("ten", spec, "again"), create("ten", both, "both")];
  await Promise.all([held("ten", first), held("ten", second)]);
  const { revision } = lists.find("ten", EXPORTED);
  assert.equal(create("ten", spec, "again"), first, `at revision ${revision}`);
  assert.equal(create("ten", both, "both"), second);
  const other = specOf({ lists: { exclude: [EXPORTED] } }, { limit: 21 });
  assert.throws(() => create("ten", other, "again"), /another request/);
});

it("is the same for every format, and gets revisions for new accounts only", async () => {
  const done = async (format: string, limit: number) => {
    const spec = specOf({ geo: { uf_any_of: ["SP"] } }, { limit, output: { format } });
    const id = create("third", spec);
    assert.equal((await exports.settled("third", id, 60_000)).state, "done");
    const { revision, entries: count } = lists.find("third", EXPORTED);
    return [revision, count];
  };
  assert.deepEqual(await done("html", 10), [1, 10]);
  assert.deepEqual(await done("xlsx", 20), [2, 20]);
  assert.deepEqual(await done("parquet", 15), [2, 20]);
  assert.deepEqual(await done("jsonl", 21), [3, 21]);
  assert.deepEqual(await done("csv", 21), [3, 21]);
});

/** Stores a notice whose matches are being counted. */
function notice(id: string): void {
  database.exec(
    `INSERT INTO saved_searches (id, tenant_id, name, spec, snapshot, total, created_at)
       VALUES ('sch ${id}', 'notified', 'n', '{}', '2026-10', 0, 1);
     INSERT INTO served_months (label, date, snapshot_id, noted_at)
       VALUES ('${id}', '2026-10-10', 'x', 1);
     INSERT INTO notices
       (id, tenant_id, search_id, number, month, since, state, attempts, created_at)
       SELECT '${id}', 'notified', 'sch ${id}', 1, sequence, sequence, 'counting', 0, 1
       FROM served_months WHERE label = '${id}';`,
  );
}

it("has the accounts of a notice's file once a client reads it, also after a stop", async () => {
  database.prepare("INSERT INTO tenants (id, name, created_at) VALUES ('notified', 'n', 5)").run();
  const spec = (uf: string) => specOf({ geo: { uf_any_of: [uf] } }, { limit: 40 });
  for (const id of ["first", "second", "third"]) notice(id);
  const first = create("notified", spec("SP"), "notice:first");
  const rows = await held("notified", first);
  const second = create("notified", spec("MG"), "notice:second");
  const later = await held("notified", second);
  const third = create("notified", spec("RJ"), "notice:third");
  await held("notified", third);
  assert.ok(rows.length > 10 && later.length > 10);
  assert.deepEqual(entries("notified"), [], "files that no client has read");
  const plain = await held("notified", create("notified", spec("BA"), "notice:none"));
  assert.deepEqual(entries("notified"), [...plain].sort());
  const record = exports.read("notified", first);
  exports.claim(record);
  exports.claim(record);
  await eventually(() => assert.deepEqual(entries("notified"), [...plain, ...rows].sort()));
  const sent = () => readdirSync(join(folder, "sent")).sort();
  await eventually(() => assert.deepEqual(sent(), unclaimed(second, third)));
  exports.claim(record);
  exports.remove("notified", third);
  assert.deepEqual(sent(), unclaimed(second));
  await exports.close();
  renameSync(
    join(folder, "sent", `${second}.unclaimed`),
    join(folder, "sent", `${second}.claimed`),
  );
  exports = begin();
  const all = [...plain, ...rows, ...later].sort();
  await eventually(() => assert.deepEqual(entries("notified"), all));
  await eventually(() => assert.deepEqual(sent(), []));
  assert.equal(unkept(), 0);
});

function unclaimed(...ids: readonly string[]): string[] {
  return ids.map((id) => `${id}.unclaimed`).sort();
}

/** Repeats a check until it passes, for at most ten seconds. */
async function eventually(check: () => void): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return check();
    } catch {
      await setTimeout(50);
    }
  }
  check();
}

it("refuses to be changed, with a message", async () => {
  const refused = { code: "invalid_request", message: /exported is kept by the server/ };
  assert.throws(() => lists.rename("ten", EXPORTED, "x"), refused);
  await assert.rejects(lists.remove("ten", EXPORTED), refused);
  const limits = { lists: 9, list_entries: 9 };
  for (const verb of ["add", "remove"] as const) {
    const sent = { entries: [new Uint8Array(8).fill(1)], verb };
    const one = { tenantId: "ten", id: EXPORTED };
    await assert.rejects(lists.change(one, sent, { limits, segment: null }), refused);
  }
});
