/**
 * Proves: an export of changes has the same changes as POST /v1/changes, in every format as read by
 * other programs. Its bytes depend neither on the batches nor on an earlier list of changes. The
 * columns with values before and after the change are those of the watched fields. The route
 * accepts `since`, `kinds`, and `watch` only together, names every mistake, and counts rows
 * exactly. A repeated request with the same idempotency key must have the same three values. Both
 * snapshots stay mapped until the export is done, even if their files are removed. Does not prove
 * the formats themselves (unit/export/*.test.ts) nor a crash (campaign/kills/changes.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import readSheets from "read-excel-file/node";
import { loadPlans, type Plan } from "../../../src/access/plans.ts";
import { CHANGE_KINDS } from "../../../src/changes/kinds.ts";
import { buildChangeList, type ChangeList, openChangeList } from "../../../src/changes/list.ts";
import {
  type ChangeEntry,
  changeBatches,
  changeCatalog,
  watchableFields,
} from "../../../src/changes/query.ts";
import { type ChangeItem, changeItems } from "../../../src/changes/rows.ts";
import { Exports } from "../../../src/export/exports.ts";
import { fileNameOf, slugOf } from "../../../src/export/files/filename.ts";
import {
  type ChangesWork,
  changeParts,
  changesContext,
  openChangesRenderer,
} from "../../../src/export/formats/changes.ts";
import { RenderPool } from "../../../src/export/queue/pool.ts";
import { renderBytes } from "../../../src/export/render.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { EXPORT_FORMATS, OUTPUT_FIELD_NAMES, OUTPUT_FIELDS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import {
  type ChangesServer,
  placesOf,
  refused,
  startChanges,
} from "../../support/changes/server.ts";
import { makeKeyIn } from "../../support/changes/state.ts";
import { elements, readCsv, readPage } from "../../support/export/readers.ts";
import { fetchDocumented } from "../../support/http/documented.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { exportContext } from "../../support/spec/catalog.ts";

let pair: MonthPair;
let list: ChangeList;
const folder = mkdtempSync(join(tmpdir(), "peneira-export-changes-"));

before(async () => {
  pair = await makePair({ seed: 77, accounts: 500 });
  const [older, newer] = [pair.older.segment, pair.newer.segment];
  const path = join(folder, "pair.changes");
  await buildChangeList(older, newer, path);
  list = openChangeList(path, older, newer);
});
after(() => {
  list.close();
  pair.dispose();
  rmSync(folder, { recursive: true });
});

function specOf(format: string, more: object = {}): AccountQuerySpec {
  const catalog = changeCatalog(pair.older.segment, pair.newer.segment);
  const input = { filters: {}, output: { format, fields: OUTPUT_FIELD_NAMES }, ...more };
  return normalizeSpec(input, exportContext(catalog)).spec;
}

function work(): ChangesWork {
  const watch = watchableFields(pair.older.segment, pair.newer.segment, OUTPUT_FIELD_NAMES);
  return { list, kinds: CHANGE_KINDS, watch };
}

async function bytesOf(spec: AccountQuerySpec, changes = work()): Promise<Buffer> {
  const parts: Buffer[] = [];
  const rendered = { segment: pair.newer.segment, spec, changes };
  await renderBytes(rendered, (part) => parts.push(Buffer.from(part)));
  return Buffer.concat(parts);
}

async function itemsOf(changes = work()): Promise<ChangeItem[]> {
  const items: ChangeItem[] = [];
  for await (const batch of changeBatches({ ...changes, spec: specOf("jsonl") })) {
    items.push(...changeItems(list, batch, OUTPUT_FIELD_NAMES));
  }
  return items;
}

const COMPARED = {
  status: ["registration_status"],
  address: [
    ...["street", "street_number", "address_complement", "district", "city", "postal_code"],
    ...["foreign_city", "country_code"],
  ],
  contact: ["email", "phone_1", "phone_2"],
  simples: ["simples_opt_in", "simples_excluded_on"],
  mei: ["mei_opt_in", "mei_excluded_on"],
};
const STATUS = [
  ...["registration_status", "registration_status_date", "registration_status_reason"],
];
const CITY = ["uf", "municipality_ibge", "municipality_tom"];
const COMPARED_NAMES = Object.keys(COMPARED).flatMap((name) => [`${name}_before`, `${name}_after`]);

/** Returns the expected cells before and after the change, from an item with all fields. */
function comparedOf(item: ChangeItem, watch: readonly string[]): Record<string, string> {
  const cells = Object.entries(COMPARED).flatMap(([group, parts]) => {
    const named = parts.flatMap((part) => (part === "city" ? CITY : [part]));
    const fields = group === "status" ? STATUS : named;
    if (!fields.some((field) => watch.includes(field))) return [];
    const differs = item.changed_fields.some((field) => fields.includes(field));
    return [item.before, item.after].map((values, at) => {
      const name = `${group}_${at === 0 ? "before" : "after"}`;
      if (values === null || (group !== "status" && !differs)) return [name, ""];
      const isSeen = (field: string) => group === "status" || watch.includes(field);
      const seen = (field: string) => (isSeen(field) ? (values[field] ?? "") : "");
      const city = CITY.slice(1).some((field) => watch.includes(field));
      const place = [city ? values.municipality_name : "", seen("uf")].filter(Boolean).join("/");
      const texts = parts.map((part) => (part === "city" ? place : `${seen(part)}`));
      return [name, texts.filter((text) => text !== "").join(", ")];
    });
  });
  return Object.fromEntries(cells);
}

/** Removes the apostrophe that guards free text. contract/export/render.test.ts tests the guard. */
const unguarded = (cell = "") => cell.replace(/^'(?=[=+\-@\t\r])/, "");

/** Returns the values of an account after the change, or before it if the account left. */
function shown({ before, after }: ChangeItem): Readonly<Record<string, unknown>> {
  return after ?? before ?? assert.fail("an account that is nowhere");
}

describe("a file of changes", () => {
  it("contains the items of the route as JSON lines", async () => {
    const lines = (await bytesOf(specOf("jsonl"))).toString().trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      JSON.parse(JSON.stringify(await itemsOf())),
    );
  });

  it("contains the kind, the changed fields, and the latest values as CSV", async () => {
    const items = await itemsOf();
    assert.ok(items.some(({ after }) => after === null) && items.length > 200);
    const [head, ...rows] = readCsv((await bytesOf(specOf("csv"))).toString());
    assert.deepEqual(head, ["change", "changed_fields", ...OUTPUT_FIELD_NAMES, ...COMPARED_NAMES]);
    const cell = (value: unknown) => (Array.isArray(value) ? value.join(",") : String(value ?? ""));
    const free = new Set(OUTPUT_FIELDS.filter(({ freeText }) => freeText).map(({ name }) => name));
    for (const [i, item] of items.entries()) {
      const [change, changed, ...cells] = rows[i] ?? [];
      assert.deepEqual([change, changed], [item.change, item.changed_fields.join(",")]);
      const values = shown(item);
      for (const [at, name] of OUTPUT_FIELD_NAMES.entries()) {
        const found = free.has(name) ? unguarded(cells[at]) : cells[at];
        assert.equal(found, cell(values[name]), `${name} of ${item.cnpj}`);
      }
      const last = cells.slice(OUTPUT_FIELD_NAMES.length).map(unguarded);
      assert.deepEqual(last, Object.values(comparedOf(item, work().watch)), item.cnpj);
    }
    assert.equal(rows.length, items.length);
    const semicolons = specOf("csv", { output: { format: "csv", delimiter: ";", bom: true } });
    assert.match((await bytesOf(semicolons)).toString(), /^\ufeffchange;changed_fields;cnpj;/);
  });

  it("has the values before and now of the watched fields alone, whatever they are", async () => {
    const random = seededRandom(4);
    const { watch: all } = work();
    let seen = 0;
    for (let turn = 0; turn < 12; turn++) {
      const watch = all.filter(() => random() < (turn < 4 ? 0.1 : 0.5));
      const changes = { ...work(), watch };
      const items = await itemsOf(changes);
      const spec = specOf("csv", { output: { format: "csv", fields: ["cnpj"] } });
      const [head = [], ...rows] = readCsv((await bytesOf(spec, changes)).toString());
      const names = items[0] === undefined ? [] : Object.keys(comparedOf(items[0], watch));
      if (items.length > 0) assert.deepEqual(head.slice(3), names, watch.join());
      for (const [at, item] of items.entries()) {
        const cells = (rows[at] ?? []).slice(3).map(unguarded);
        assert.deepEqual(cells, Object.values(comparedOf(item, watch)), item.cnpj);
        seen += cells.filter((cell) => cell !== "").length;
      }
    }
    assert.ok(seen > 500, `${seen} values`);
  });

  it("has the values before and now in words for people", async () => {
    const output = { format: "csv", fields: ["cnpj"], labels: "pt" };
    const [head = [], ...rows] = readCsv(
      (await bytesOf(specOf("csv", { output }))).toString(),
      ";",
    );
    const groups = ["Situação", "Endereço", "Contato", "Simples", "MEI"];
    const names = groups.flatMap((group) => [`${group} antes`, `${group} agora`]);
    assert.deepEqual(head.slice(3), names);
    const cellsOf = (group: string) =>
      rows.flatMap((row) => row.filter((cell, at) => cell !== "" && head[at]?.startsWith(group)));
    for (const [group, pattern] of [
      ["Situação ", /^(Nula|Ativa|Suspensa|Inapta|Baixada)$/],
      ["Contato", /^(?!.*\+\d)/],
      ["Simples", /^(Sim|Não)?(, )?(saída em \d\d\/\d\d\/\d{4})?$/],
      ["MEI", /^(Sim|Não)?(, )?(saída em \d\d\/\d\d\/\d{4})?$/],
    ] as const) {
      const cells = cellsOf(group);
      assert.ok(cells.length > 10, group);
      for (const cell of cells) assert.match(cell, pattern);
    }
    assert.ok(cellsOf("Endereço").some((cell) => /, \d\d\.\d{3}-\d{3}/.test(cell)));
  });

  it("contains the same as Parquet, changed fields as a list, and names both months", async () => {
    const bytes = await bytesOf(specOf("parquet"));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const rows = await parquetReadObjects({ file: file as ArrayBuffer });
    const items = await itemsOf();
    const plain = (value: unknown) =>
      value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null);
    assert.equal(rows.length, items.length);
    for (const [i, item] of items.entries()) {
      const { change, changed_fields: changed, ...values } = rows[i] as Record<string, unknown>;
      assert.deepEqual([change, changed], [item.change, item.changed_fields]);
      const entries = Object.entries(values);
      const found = entries.filter(([name]) => !COMPARED_NAMES.includes(name));
      assert.deepEqual(
        Object.fromEntries(found.map(([name, value]) => [name, plain(value)])),
        shown(item),
      );
      const compared = Object.fromEntries(entries.slice(found.length));
      const expected = Object.entries(comparedOf(item, work().watch));
      assert.deepEqual(
        compared,
        Object.fromEntries(expected.map(([name, text]) => [name, text || null])),
      );
    }
    const { key_value_metadata: reported = [] } = parquetMetadata(file as ArrayBuffer);
    const metadata = new Map(reported.map(({ key, value }) => [key, value]));
    assert.deepEqual(
      ["snapshot", "since", "since_date", "kinds"].map((name) => metadata.get(`peneira.${name}`)),
      ["2026-10", "2026-09", "2026-09-12", "entered,left,changed"],
    );
  });

  it("contains the same rows as a workbook and as a page, with their description", async () => {
    const fields = ["cnpj", "uf", "share_capital"];
    const output = (format: string) => specOf(format, { output: { format, fields } });
    const items = await itemsOf();
    const sheets = await readSheets(await bytesOf(output("xlsx")), { trim: false });
    const [rows, about] = sheets.map(({ data }) => data);
    assert.deepEqual(rows?.[0], ["change", "changed_fields", ...fields, ...COMPARED_NAMES]);
    const wanted = items.map((item) => {
      const values = shown(item);
      const changed = item.changed_fields.join(",") || null;
      const compared = Object.values(comparedOf(item, work().watch)).map((text) => text || null);
      return [item.change, changed, ...fields.map((name) => values[name]), ...compared];
    });
    // The reader returns null for an empty text as well as for a missing value.
    assert.deepEqual(
      rows?.slice(1).map((row) => row.map((value) => (value === "" ? null : value))),
      wanted,
    );
    assert.match(
      JSON.stringify(about),
      /Compared with","2026-09".*Watched fields.*CNPJ, ascending/,
    );
    const page = (await bytesOf(output("html"))).toString();
    const cells = elements(readPage(page), "tr")
      .slice(1)
      .map((row) => row.children.map(({ text }) => text));
    assert.deepEqual(
      cells.map(([change, , cnpj]) => [change, cnpj]),
      items.map(({ change, cnpj }) => [change, cnpj]),
    );
    assert.match(page, /Company accounts that changed, 2026-09 to 2026-10/);
  });

  it("has the same bytes for any batches of changes, in every format", async () => {
    const all: ChangeEntry[] = [];
    for await (const part of changeParts(specOf("csv"), work())) all.push(...part);
    for (const format of EXPORT_FORMATS) {
      const spec = specOf(format, {
        output: { format, fields: ["legal_name", "cnpj", "mei_opt_in"] },
      });
      const reference = await bytesOf(spec);
      for (const size of [1, 7, 333]) {
        const parts: Buffer[] = [];
        const context = await changesContext(spec, work());
        const renderer = openChangesRenderer(context, work(), (part) =>
          parts.push(Buffer.from(part)),
        );
        await renderer.begin();
        for (let at = 0; at < all.length; at += size) await renderer.rows(all.slice(at, at + size));
        await renderer.end();
        assert.ok(Buffer.concat(parts).equals(reference), `${format} in batches of ${size}`);
      }
    }
  });

  it("has no rows if no change matches, and not more than its limit", async () => {
    const none = { ...work(), kinds: ["entered"], watch: [] } as const;
    const nowhere = { filters: { company: { share_capital_min: 9e12 } } };
    for (const format of EXPORT_FORMATS) {
      assert.ok((await bytesOf(specOf(format, nowhere), none)).length >= 0);
    }
    const few = (await bytesOf(specOf("jsonl", { limit: 3 }))).toString().trimEnd().split("\n");
    const items = await itemsOf();
    assert.deepEqual(
      few.map((line) => (JSON.parse(line) as ChangeItem).cnpj),
      items.slice(0, 3).map(({ cnpj }) => cnpj),
    );
  });
});

describe("exports of changes during their life", () => {
  const dataDir = join(folder, "state");
  const lists = join(dataDir, "changes");

  it("are rendered from the pinned snapshots, with or without their list", async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    const database = openDatabase(dataDir);
    const { tenantId, keyId } = makeKeyIn(database);
    const plans = loadPlans();
    const [threads, log] = [new RenderPool(1), openLog("silent")];
    const parts = { database, dataDir, threads, plans, clock: systemClock, log };
    const lasting = { retention: 60, forget: 86_400, freeBytesMin: 0 };
    const exports = new Exports({ ...parts, ...lasting, slugOf });
    const place = (label: string) => join(folder, `${label}.peneira`);
    for (const label of ["2026-09", "2026-10"])
      copyFileSync(join(pair.folder, label), place(label));
    const older = await openSegment(place("2026-09"));
    const segment = await openSegment(place("2026-10"));
    exports.start(segment);
    const changes = { older, kinds: CHANGE_KINDS, watch: work().watch };
    const spec = specOf("csv");
    const create = (idempotencyKey: string, more: object = {}) =>
      exports.create({
        ...{ tenantId, keyId, plan: plans.enterprise as Plan, bodyHash: idempotencyKey },
        ...{ idempotencyKey, spec, segment, rows: 1, changes, ...more },
      });
    const first = create("one");
    assert.deepEqual(
      readdirSync(join(dataDir, "pins")).filter((name) => !/^served/.test(name)).length,
      2,
    );
    for (const label of ["2026-09", "2026-10"]) rmSync(place(label));
    assert.equal(create("one").record.id, first.record.id);
    assert.throws(
      () => create("one", { changes: { ...changes, watch: ["uf"] } }),
      /another request/,
    );
    assert.throws(() => create("one", { changes: null }), /another request/);
    const done = await exports.settled(tenantId, first.record.id, 30_000);
    const reference = await bytesOf(spec);
    assert.equal(done.state, "done");
    assert.deepEqual(readFileSync(exports.filePath(done)), reference);
    assert.equal(readdirSync(lists).length, 1, "the list was made");
    assert.match(fileNameOf(done), /^peneira-changes-2026-09-2026-10-empresas-[0-9a-f]{8}\.csv$/);
    assert.deepEqual(done.since, {
      ...{ snapshot: "2026-09", snapshotDate: "2026-09-12" },
      ...{ kinds: CHANGE_KINDS, watch: work().watch },
    });
    const pins = readdirSync(join(dataDir, "pins")).filter((name) => !/^served/.test(name));
    assert.deepEqual(pins, [], "nothing is pinned any more");
    exports.stop();
    await exports.close();
    older.close();
    segment.close();
    database.close();
  });
});

for (const transport of TRANSPORTS) {
  describe(`POST /v1/exports with since, over ${transport}`, () => {
    let changes: ChangesServer;
    const served = join(folder, `served-${transport}`);
    before(async () => {
      mkdirSync(served);
      for (const label of ["2026-09", "2026-10"]) {
        copyFileSync(join(pair.folder, label), join(served, label));
      }
      const current = await openSegment(join(served, "2026-10"));
      changes = await startChanges({ transport, folder: served, current });
    });
    after(async () => {
      await changes.close();
      changes.months.close();
      changes.registry.close();
    });

    let keys = 0;
    const post = (body: object, plan: "free" | "enterprise" = "enterprise", key = `k${++keys}`) =>
      fetchDocumented(`${changes.server.base}/v1/exports`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${changes.server.keys[plan]}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
      });

    it("queues the requested export, with its exact rows, and shows it in the record", async () => {
      const request = { since: "2026-09", kinds: ["left", "entered"], watch: ["email", "uf"] };
      const body = { spec: {}, output: { format: "jsonl" }, ...request };
      const response = await post(body, "enterprise", "same");
      assert.equal(response.status, 201, await response.clone().text());
      const { export: record } = (await response.json()) as { export: Record<string, unknown> };
      assert.equal(record.since, "2026-09");
      assert.equal(record.since_date, "2026-09-12");
      assert.deepEqual(
        [record.kinds, record.watch],
        [
          ["entered", "left"],
          ["uf", "email"],
        ],
      );
      const created = changes.server.exporter.created.at(-1);
      const items = await itemsOf({ ...work(), kinds: ["entered", "left"] });
      assert.equal(created?.rows, items.length);
      assert.equal(created?.changes?.older.label, "2026-09");
      const again = await post(body, "enterprise", "same");
      assert.equal(again.headers.get("idempotent-replayed"), "true");
      const read = await fetchDocumented(`${changes.server.base}/v1/exports/${record.export_id}`, {
        headers: { authorization: `Bearer ${changes.server.keys.enterprise}` },
      });
      assert.equal(((await read.json()) as { since: string }).since, "2026-09");
    });

    it("names every mistake, and requires since with the others", async () => {
      const alone = await refused(await post({ spec: {}, output: {}, kinds: ["left"] }), 422);
      assert.deepEqual(placesOf(alone), ["/since missing"]);
      const wrong = {
        since: "2020-01",
        spec: { filters: { geo: { uf_any_of: ["ZZ"] } } },
        output: { format: "csv", include_explain: true },
        kinds: "left",
        watch: ["score", "x"],
      };
      assert.deepEqual(placesOf(await refused(await post(wrong), 422)), [
        "/kinds wrong_type",
        "/since since_not_available",
        "/spec/filters/geo/uf_any_of/0 unknown_uf",
        "/watch/1 unknown_field",
      ]);
      const explained = { since: "2026-09", spec: {}, output: { include_explain: true } };
      const refusal = await refused(await post(explained), 422);
      assert.deepEqual(placesOf(refusal), ["/output/include_explain not_with_since"]);
      const month = await refused(await post({ since: "2026-10", spec: {}, output: {} }), 422);
      assert.equal(month.code, "since_not_available");
      assert.deepEqual(month.changes_since, ["2026-09"]);
      const contact = { since: "2026-09", spec: {}, output: {}, watch: ["email"] };
      assert.equal((await refused(await post(contact, "free"), 422)).code, "field_not_allowed");
    });
  });
}
