/**
 * Proves: the spec of an export of changes may name lists. The export uses the entries that the
 * lists have when it is created, in both months, even if a list is deleted meanwhile. Its accounts
 * are then in the list `exported`, and an export that excludes this list has the other accounts. A
 * file of a watched list has the earlier and the current status.
 * Does not prove: how routes use lists (contract/http/api/listed-changes.test.ts), nor random lists
 * (campaign/twin/listed-changes.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { loadPlans } from "../../../src/access/plans.ts";
import { CHANGE_KINDS } from "../../../src/changes/kinds.ts";
import { buildChangeList, openChangeList } from "../../../src/changes/list.ts";
import { changeBatches, changeCatalog, watchableFields } from "../../../src/changes/query.ts";
import { changeItems } from "../../../src/changes/rows.ts";
import { Exports } from "../../../src/export/exports.ts";
import { slugOf } from "../../../src/export/files/filename.ts";
import { RenderPool } from "../../../src/export/queue/pool.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { Upload } from "../../../src/lists/upload.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { EXPORTED } from "../../../src/spec/listids.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { makeKeyIn } from "../../support/changes/state.ts";
import { readCsv } from "../../support/export/readers.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const LIMITS = { lists: 9, list_entries: 9_999 };
const folder = mkdtempSync(join(tmpdir(), "peneira-export-listed-changes-"));
let pair: MonthPair;
let database: StateDatabase;
let exports: Exports;

before(async () => {
  pair = await makePair({ seed: 78, accounts: 500 });
  database = openDatabase(folder);
  exports = new Exports({
    ...{ database, dataDir: folder, threads: new RenderPool(1), plans: loadPlans() },
    ...{ clock: systemClock, log: openLog("silent"), retention: 60, forget: 86_400 },
    ...{ freeBytesMin: 0, slugOf },
  });
  exports.start(pair.newer.segment);
});
after(async () => {
  exports.stop();
  await exports.close();
  database.close();
  pair.dispose();
  rmSync(folder, { recursive: true });
});

function specOf(lists: object, output: object = { format: "jsonl" }): AccountQuerySpec {
  const catalog = changeCatalog(pair.older.segment, pair.newer.segment);
  const input = { filters: { lists }, output: { fields: ["cnpj"], ...output } };
  return normalizeSpec(input, { ...exportContext(catalog), listsKnown: true }).spec;
}

const watched = () => watchableFields(pair.older.segment, pair.newer.segment, OUTPUT_FIELD_NAMES);

/** Returns the CNPJs of all changes, without regard to lists. */
async function allCnpjs(): Promise<string[]> {
  const [older, newer] = [pair.older.segment, pair.newer.segment];
  const path = join(folder, "pair.changes");
  await buildChangeList(older, newer, path);
  const list = openChangeList(path, older, newer);
  const cnpjs: string[] = [];
  const query = { list, kinds: CHANGE_KINDS, watch: watched() };
  for await (const batch of changeBatches({ ...query, spec: specOf({}) })) {
    cnpjs.push(...changeItems(list, batch, []).map(({ cnpj }) => cnpj));
  }
  list.close();
  return cnpjs;
}

it("a file of changes uses its lists, and its accounts are then in `exported`", async () => {
  const { tenantId, keyId } = makeKeyIn(database);
  const lists = new Lists(new ListStore(database), systemClock);
  const listed = new ListBinder(lists);
  const { older, newer } = pair;
  const make = (key: string, named: object) => {
    const spec = specOf(named);
    const { record } = exports.create({
      ...{ tenantId, keyId, plan: loadPlans().enterprise, bodyHash: key, idempotencyKey: key },
      ...{ spec, segment: newer.segment, rows: 1, lists: listed.pins(tenantId, spec) },
      changes: { older: older.segment, kinds: CHANGE_KINDS, watch: watched() },
    });
    return record.id;
  };
  const cnpjsIn = async (id: string) => {
    const done = await exports.settled(tenantId, id, 30_000);
    assert.equal(done.state, "done");
    const lines = readFileSync(exports.filePath(done), "utf8").trimEnd().split("\n");
    return lines.map((line) => (JSON.parse(line) as { cnpj: string }).cnpj);
  };
  const all = await allCnpjs();
  const roots = new Set(all.slice(0, 90).map((cnpj) => cnpj.slice(0, 8)));
  const inList = (cnpj: string) => roots.has(cnpj.slice(0, 8));
  const { id } = lists.create(tenantId, { name: "x", kind: "companies" }, LIMITS);
  const upload = new Upload(false);
  for (const root of roots) upload.take(root, { line: 1 });
  const sent = { entries: upload.entries(true), verb: "add" } as const;
  await lists.change({ tenantId, id }, sent, { limits: LIMITS, segment: newer.segment });
  const within = make("within", { any_of: [id], exclude: [EXPORTED] });
  await lists.remove(tenantId, id);
  assert.deepEqual(await cnpjsIn(within), all.filter(inList));
  const rest = all.filter((cnpj) => !inList(cnpj));
  assert.ok(rest.length > 20 && rest.length < all.length);
  assert.deepEqual(await cnpjsIn(make("rest", { exclude: [EXPORTED] })), rest);
});

const STATUS_WORDS: Readonly<Record<number, string>> = {
  ...{ 1: "Nula", 2: "Ativa", 3: "Suspensa", 4: "Inapta", 8: "Baixada" },
};

it("a file of a watched list says the status before and now, in each format for rows", async () => {
  const { tenantId, keyId } = makeKeyIn(database);
  const lists = new Lists(new ListStore(database), systemClock);
  const listed = new ListBinder(lists);
  const { older, newer } = pair;
  const all = await allCnpjs();
  const { id } = lists.create(tenantId, { name: "watched", kind: "companies" }, LIMITS);
  const upload = new Upload(false);
  for (const cnpj of all) upload.take(cnpj.slice(0, 8), { line: 1 });
  const sent = { entries: upload.entries(true), verb: "add" } as const;
  await lists.change({ tenantId, id }, sent, { limits: LIMITS, segment: newer.segment });
  const textOf = async (key: string, named: object, output: object, watch = watched()) => {
    const spec = specOf(named, output);
    const { record } = exports.create({
      ...{ tenantId, keyId, plan: loadPlans().enterprise, bodyHash: key, idempotencyKey: key },
      ...{ spec, segment: newer.segment, rows: 1, lists: listed.pins(tenantId, spec) },
      changes: { older: older.segment, kinds: CHANGE_KINDS, watch },
    });
    const done = await exports.settled(tenantId, record.id, 30_000);
    assert.equal(done.state, "done");
    return readFileSync(exports.filePath(done), "utf8");
  };
  const statuses = (rows: typeof older.rows) =>
    new Map(rows.map((row) => [String(row.cnpj), row.registration_status]));
  const [before, after] = [statuses(older.rows), statuses(newer.rows)];
  const [head, ...rows] = readCsv(await textOf("csv", { any_of: [id] }, { format: "csv" }));
  const columns = ["change", "changed_fields", "cnpj", "status_before", "status_after"];
  assert.deepEqual(head?.slice(0, 5), columns);
  assert.ok(rows.length > 150 && rows.every(([, , cnpj = ""]) => all.includes(cnpj)));
  const cell = (value: unknown) => String(value ?? "");
  for (const [kind, changed, cnpj = "", was, is] of rows) {
    assert.deepEqual([was, is], [cell(before.get(cnpj)), cell(after.get(cnpj))], cnpj);
    if (kind !== "changed") continue;
    assert.equal(changed?.split(",").includes("registration_status"), was !== is);
  }
  assert.ok(rows.some(([kind, , , was, is]) => kind === "changed" && was !== is));
  assert.ok(rows.some(([, , , was]) => was === "") && rows.some(([, , , , is]) => is === ""));
  const people = { format: "csv", labels: "pt" };
  const [words, ...shown] = readCsv(await textOf("people", { any_of: [id] }, people), ";");
  assert.deepEqual(words?.slice(3, 5), ["Situação antes", "Situação agora"]);
  const word = (value: unknown) => (value == null ? "" : (STATUS_WORDS[Number(value)] ?? "?"));
  for (const [at, line] of shown.entries()) {
    const cnpj = rows[at]?.[2] ?? "";
    assert.deepEqual(line.slice(3, 5), [word(before.get(cnpj)), word(after.get(cnpj))]);
  }
  const page = await textOf("page", { any_of: [id] }, { format: "html", labels: "en" });
  assert.ok(page.includes("Status before") && page.includes("Status now"));
  const csv = { format: "csv" };
  const [ofList] = readCsv(await textOf("listed", { any_of: [id] }, csv, ["legal_name"]));
  assert.deepEqual(ofList, columns, "a list has the status, even if it is not watched");
  const [plain] = readCsv(await textOf("others", { exclude: [EXPORTED] }, csv, ["legal_name"]));
  assert.deepEqual(plain, ["change", "changed_fields", "cnpj"]);
});
