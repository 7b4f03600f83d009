/**
 * Proves, over both transports, on real files: all pages of GET and POST /v1/changes together equal
 * the result of a linear scan over both months. A cursor continues with the months of its first
 * page, and is rejected with any other request. All mistakes are reported in one answer, with their
 * places in body or query. A plan without contact fields sees neither these fields nor their
 * changes.
 * Does not prove: the engine itself (campaign/twin/changes.test.ts), nor how lists are stored
 * (contract/http/api/changes-lists.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ChangeKind } from "../../../../src/changes/kinds.ts";
import { buildChangeList, openChangeList } from "../../../../src/changes/list.ts";
import { changeBatches, changeCatalog } from "../../../../src/changes/query.ts";
import { changeItems } from "../../../../src/changes/rows.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fieldRow } from "../../../../src/spec/fields.ts";
import { CONTACT_FIELDS } from "../../../support/changes/contact.ts";
import { ChangesTwin } from "../../../support/changes/expected.ts";
import { type MonthPair, makePair } from "../../../support/changes/pair.ts";
import {
  answered,
  type ChangesAnswer,
  type ChangesServer,
  placesOf,
  refused,
  startChanges,
} from "../../../support/changes/server.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { Draw, randomExportInput, seededRng } from "../../../support/spec/random.ts";

const QUESTIONS = 40;
/** The fields of each group, listed here independently of the product. */
const GROUPS = {
  status: ["registration_status", "registration_status_date", "registration_status_reason"],
  address: [
    ...["uf", "municipality_ibge", "municipality_tom", "district", "street", "street_number"],
    ...["address_complement", "postal_code", "country_code", "foreign_city"],
  ],
  contact: ["email", "phone_1", "phone_2"],
  activity: ["cnae_primary", "cnae_secondary"],
  name: ["legal_name", "trade_name"],
  simples: ["simples_opt_in", "simples_excluded_on"],
  mei: ["mei_opt_in", "mei_excluded_on"],
  size: ["company_size_code"],
  capital: ["share_capital"],
  nature: ["legal_nature"],
  headquarters: ["headquarters"],
  opened: ["started_on"],
} as const;
type GroupName = keyof typeof GROUPS;
const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[];
const SEED = 20_261_122;

/** Makes a folder to serve that contains both months, named by their labels. */
function servedFolder(pair: MonthPair): string {
  const folder = mkdtempSync(join(tmpdir(), "peneira-months-"));
  for (const label of ["2026-09", "2026-10"]) {
    copyFileSync(join(pair.folder, label), join(folder, `${label}.peneira`));
  }
  return folder;
}

/** Returns all changes of a query. Alternates between POST and GET and between page sizes. */
async function walk(
  { post, get }: ChangesServer,
  question: Readonly<Record<string, unknown>>,
): Promise<{ first: ChangesAnswer; items: unknown[] }> {
  const items: unknown[] = [];
  let first: ChangesAnswer | null = null;
  for (let page = 0, cursor: string | null = null; ; page++) {
    const body = {
      ...question,
      limit: [3, 50, 500][page % 3],
      ...(cursor === null ? {} : { cursor }),
    };
    const sent = page % 2 === 0 ? post(body) : get(asQuery(body));
    const answer = await answered(await sent);
    first ??= answer;
    assert.deepEqual(answer.totals, first.totals);
    assert.equal(answer.count, answer.changes.length);
    assert.equal(answer.has_more, answer.next_cursor !== null);
    items.push(...answer.changes);
    if (answer.next_cursor === null) return { first, items };
    cursor = answer.next_cursor;
  }
}

/** Returns the members of a body as query parameters. */
function asQuery({ output, ...rest }: Readonly<Record<string, unknown>>): Record<string, string> {
  const { fields } = (output ?? {}) as { readonly fields?: readonly string[] };
  const entries = Object.entries({ ...rest, ...(fields === undefined ? {} : { fields }) });
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      if (name === "spec") return [[name, JSON.stringify(value)]];
      if (!Array.isArray(value)) return [[name, String(value)]];
      // In a query string, an empty list is expressed by leaving out the parameter.
      return value.length === 0 ? [] : [[name, value.join(",")]];
    }),
  );
}

for (const transport of MATRIX) {
  describe(`/v1/changes over ${transport}`, () => {
    let pair: MonthPair;
    let folder: string;
    let current: Segment;
    let changes: ChangesServer;

    before(async () => {
      pair = await makePair({ seed: 4_711, accounts: 600 });
      folder = servedFolder(pair);
      current = await openSegment(join(folder, "2026-10.peneira"));
      changes = await startChanges({ transport, folder, current });
    });
    after(async () => {
      await changes.close();
      await changes.lists.close();
      changes.months.close();
      changes.registry.close();
      pair.dispose();
      rmSync(folder, { recursive: true });
    });

    it(`agrees with a linear scan on ${QUESTIONS} random queries, page by page`, async () => {
      const draw = new Draw(seededRng(SEED));
      const twin = new ChangesTwin(pair.older.rows, pair.newer.rows);
      const catalog = changeCatalog(pair.older.segment, pair.newer.segment);
      for (let i = 0; i < QUESTIONS; i++) {
        const random = randomExportInput(draw, catalog, pair.newer.rows);
        const { output: _, ...spec } = i === 0 ? {} : (random as { output?: unknown });
        const kinds = ["entered", "left", "changed"].filter(() => draw.chance(0.6));
        const watch = ["email", "street", "uf", "legal_name"].filter(() => draw.chance(0.3));
        const fields = ["cnpj", "uf", "email", "score"].filter(() => draw.chance(0.5));
        const question = { since: "2026-09", spec, kinds, watch, output: { fields } };
        const { first, items } = await walk(changes, question);
        const body = { spec: first.spec as never, watch: first.watch };
        const expected = twin.answer({ ...body, fields: first.spec.output.fields });
        const wanted = expected.filter(({ change }) => first.kinds.includes(change));
        assert.deepEqual(items, wanted, JSON.stringify(question));
        const count = (kind: ChangeKind) => expected.filter(({ change }) => change === kind).length;
        const [entered, left, changed] = [count("entered"), count("left"), count("changed")];
        assert.deepEqual(first.totals, { entered, left, changed });
      }
    });

    it("filters by what changed as a linear scan does, page by page", async () => {
      const draw = new Draw(seededRng(SEED + 1));
      const twin = new ChangesTwin(pair.older.rows, pair.newer.rows);
      const seen = new Set<string>();
      for (let i = 0; i < GROUP_NAMES.length + 12; i++) {
        const alone = GROUP_NAMES[i];
        const groups = alone ? [alone] : GROUP_NAMES.filter(() => draw.chance(0.25));
        const kinds = draw.chance(0.3) ? ["left", "changed"] : [];
        const question = { since: "2026-09", spec: {}, kinds, changed_any_of: groups };
        const { first, items } = await walk(changes, question);
        const watch = groups.flatMap((group): readonly string[] => GROUPS[group]);
        const shown = groups.length === 0 ? first.watch : watch;
        assert.deepEqual([...first.watch].sort(), [...shown].sort());
        const implied = groups.length === 0 ? ["entered", "left", "changed"] : ["changed"];
        assert.deepEqual(first.kinds, kinds.length === 0 ? implied : kinds);
        const body = { spec: first.spec as never, watch: shown };
        const expected = twin.answer({ ...body, fields: first.spec.output.fields });
        const wanted = expected.filter(({ change }) => first.kinds.includes(change));
        assert.deepEqual(items, wanted, JSON.stringify(question));
        for (const { changed_fields: names } of wanted) for (const name of names) seen.add(name);
      }
      assert.ok(seen.size > 20, `only ${seen.size} fields changed`);
    });

    it("narrows watched fields to the groups, and refuses what cannot be compared", async () => {
      const both = { watch: ["email", "uf"], changed_any_of: ["contact", "status"] };
      const page = await answered(await changes.post({ since: "2026-09", spec: {}, ...both }));
      assert.deepEqual([page.watch, page.kinds], [["email"], ["changed"]]);
      const byQuery = await answered(
        await changes.get({ since: "2026-09", spec: "{}", ...asQuery(both) }),
      );
      assert.deepEqual(byQuery.changes, page.changes);
      const refusals = [
        [{ changed_any_of: ["status", "where"] }, "/changed_any_of/1 unknown_value"],
        [{ changed_any_of: "status" }, "/changed_any_of wrong_type"],
        [{ changed_any_of: ["status"], watch: ["uf"] }, "/changed_any_of contradiction"],
      ] as const;
      for (const [wrong, place] of refusals) {
        const answer = await changes.post({ since: "2026-09", spec: {}, ...wrong });
        assert.deepEqual(placesOf(await refused(answer, 422)), [place]);
      }
      const contact = { since: "2026-09", spec: {}, changed_any_of: ["mei", "contact"] };
      const free = await refused(await changes.post(contact, "free"), 422);
      assert.deepEqual(placesOf(free), ["/changed_any_of/1 field_not_allowed"]);
      assert.match(free.detail, /email, phone_1, phone_2, which contact compares/);
      const query = { since: "2026-09", spec: "{}", changed_any_of: "where" };
      const placed = await refused(await changes.get(query), 422);
      assert.deepEqual(placesOf(placed), ["/query/changed_any_of/0 unknown_value"]);
      const first = await answered(await changes.post({ ...contact, limit: 1 }));
      const other = { ...contact, changed_any_of: ["address"], cursor: first.next_cursor };
      assert.equal((await refused(await changes.post(other), 422)).code, "cursor_mismatch");
    });

    it("returns the rows of the engine's stream, also in one large page", async () => {
      const { older, newer } = pair;
      const path = join(pair.folder, "own.changes");
      await buildChangeList(older.segment, newer.segment, path);
      const list = openChangeList(path, older.segment, newer.segment);
      const question = { since: "2026-09", spec: {}, limit: 50_000 };
      const page = await answered(await changes.post(question));
      assert.ok(page.count > 200, "a page that is sent in pieces");
      assert.deepEqual([page.has_more, page.next_cursor], [false, null]);
      const { kinds, watch, spec } = page;
      const items: unknown[] = [];
      const query = { list, spec: spec as never, kinds: kinds as never, watch: watch as never };
      for await (const batch of changeBatches(query)) {
        items.push(...changeItems(list, batch, spec.output.fields));
      }
      assert.deepEqual(page.changes, JSON.parse(JSON.stringify(items)));
      list.close();
    });

    it("names ignored parts of a spec, and accepts lead queries", async () => {
      const spec = {
        filters: { geo: { uf_any_of: ["SP"] } },
        sort: [{ field: "legal_name", direction: "asc" }],
        limit: 7,
        scoring: { strategy: "newest" },
        output: { format: "csv", include_explain: true },
      };
      const ignored = await answered(await changes.post({ since: "2026-09", spec }));
      const names = ignored.warnings.map((warning) => warning.split(" ")[0]);
      assert.deepEqual(names, ["sort", "limit", "scoring", "include_explain", "format"]);
      const lead = { kind: "lead_query", states: ["SP"], status: [], one_per_company: true };
      const leads = await answered(await changes.post({ since: "2026-09", spec: lead }));
      assert.ok(leads.warnings.some((warning) => warning.startsWith("one_per_company")));
      const plain = { filters: { geo: { uf_any_of: ["SP"] } } };
      const requested = { kinds: ["left"], limit: 1 };
      const one = await answered(
        await changes.post({ since: "2026-09", spec: plain, ...requested }),
      );
      assert.deepEqual(one.warnings, []);
      assert.ok(one.changes.every(({ change }) => change === "left"));
    });

    it("reports every mistake in one answer, with the sender's pointer", async () => {
      const wrong = {
        since: "2026-9",
        spec: { filters: { geo: { uf_any_of: ["XX"] } }, nope: 1 },
        kinds: ["entered", "gone"],
        watch: ["email", "nothing", "score"],
        output: { fields: ["cnpj", "nofield"], bom: true },
        limit: 0,
        cursor: 7,
        more: true,
      };
      const refusal = await refused(await changes.post(wrong), 422);
      assert.equal(refusal.code, "invalid_request");
      assert.deepEqual(placesOf(refusal), [
        "/cursor invalid_cursor",
        "/kinds/1 unknown_value",
        "/limit out_of_range",
        "/more unknown_member",
        "/output/bom unknown_member",
        "/output/fields/1 unknown_field",
        "/since wrong_format",
        "/spec/filters/geo/uf_any_of/0 unknown_uf",
        "/spec/nope unknown_member",
        "/watch/1 unknown_field",
      ]);
      const query = { kinds: "gone", watch: "email,score", fields: "nofield", limit: "many" };
      const byQuery = await refused(await changes.get({ ...query, spec: "{" }), 422);
      assert.deepEqual(placesOf(byQuery), [
        "/query/fields/0 unknown_field",
        "/query/kinds/0 unknown_value",
        "/query/limit wrong_type",
        "/query/since missing",
        "/query/spec invalid_json",
      ]);
      const derived = { since: "2026-09", spec: {}, watch: ["score", "municipality_name"] };
      const notWatched = await refused(await changes.post(derived), 422);
      assert.deepEqual(placesOf(notWatched), ["/watch/0 not_watchable", "/watch/1 not_watchable"]);
      const identity = { ...derived, watch: ["federal_debt", "cnpj"] };
      const reported = JSON.stringify(await refused(await changes.post(identity), 422));
      assert.match(
        reported,
        /federal_debt cannot be watched: it is of a list that is published apart/,
      );
      assert.match(reported, /cnpj cannot be watched: it never changes/);
      const nothing = await refused(await changes.post({ since: "2026-09" }), 422);
      assert.deepEqual(placesOf(nothing), ["/spec missing"]);
    });

    it("lists the available months if since matches none", async () => {
      for (const since of ["2026-08", "2026-10", "2031-01"]) {
        const refusal = await refused(await changes.post({ since, spec: {} }), 422);
        assert.equal(refusal.code, "since_not_available");
        assert.deepEqual(refusal.changes_since, ["2026-09"]);
        assert.deepEqual(placesOf(refusal), ["/since since_not_available"]);
        assert.match(refusal.detail, /2026-09/);
        const byQuery = await refused(await changes.get({ since, spec: "{}" }), 422);
        assert.deepEqual(placesOf(byQuery), ["/query/since since_not_available"]);
      }
      const status = await fetch(`${changes.server.base}/v1/status`, {
        headers: { authorization: `Bearer ${changes.server.keys.free}` },
      });
      const { changes_since } = (await status.json()) as { changes_since: string[] };
      assert.deepEqual(changes_since, ["2026-09"]);
    });

    it("binds a cursor to the query and to the tenant", async () => {
      const question = { since: "2026-09", spec: {}, kinds: ["changed"], watch: ["email"] };
      const { next_cursor: cursor } = await answered(await changes.post({ ...question, limit: 1 }));
      assert.ok(cursor !== null);
      const others = [
        { ...question, watch: ["uf"] },
        { ...question, kinds: ["left"] },
        { ...question, spec: { filters: { geo: { uf_any_of: ["SP"] } } } },
        { ...question, output: { fields: ["cnpj"] } },
      ];
      for (const other of others) {
        const refusal = await refused(await changes.post({ ...other, cursor }), 422);
        assert.equal(refusal.code, "cursor_mismatch");
      }
      for (const wrong of [
        cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A"),
        "x",
        cursor.slice(0, -4),
      ]) {
        const refusal = await refused(await changes.post({ ...question, cursor: wrong }), 422);
        assert.equal(refusal.code, "invalid_cursor");
      }
      const foreign = await refused(await changes.post({ ...question, cursor }, "free"), 422);
      assert.equal(foreign.code, "field_not_allowed");
      const plain = { since: "2026-09", spec: {} };
      const own = await answered(await changes.post({ ...plain, limit: 1 }));
      const taken = { ...plain, cursor: own.next_cursor };
      assert.equal((await refused(await changes.post(taken, "free"), 422)).code, "invalid_cursor");
    });

    it("hides contact fields and their changes from a plan without them", async () => {
      const question = { since: "2026-09", spec: {}, limit: 100 };
      const free = await answered(await changes.post(question, "free"));
      const full = await answered(await changes.post({ ...question, limit: 50_000 }));
      for (const field of CONTACT_FIELDS) {
        assert.ok(!free.watch.includes(field), field);
        assert.equal(full.watch.includes(field), fieldRow(field).unwatched === undefined, field);
      }
      assert.ok(free.totals.changed < full.totals.changed, "some changed in contact alone");
      assert.deepEqual(
        [free.totals.entered, free.totals.left],
        [full.totals.entered, full.totals.left],
      );
      const text = JSON.stringify(free.changes);
      for (const field of CONTACT_FIELDS) assert.ok(!text.includes(`"${field}"`), field);
      const wanted = { ...question, watch: ["email"], output: { fields: ["cnpj", "phone_1"] } };
      const refusal = await refused(await changes.post(wanted, "free"), 422);
      assert.equal(refusal.code, "field_not_allowed");
      assert.deepEqual(placesOf(refusal), [
        "/output/fields/1 field_not_allowed",
        "/watch/0 field_not_allowed",
      ]);
      const lowered = await answered(await changes.post({ ...question, limit: 5_000 }, "free"));
      assert.ok(lowered.warnings.some((warning) => /lowered from 5000 to/.test(warning)));
    });

    it("logs no part of a query", () => {
      const lines = changes.server.logged.filter((line) => line.includes("/v1/changes"));
      assert.ok(lines.length > 30);
      for (const line of lines) assert.doesNotMatch(line, /uf_any_of|filters|since=|watch/);
    });
  });

  describe(`/v1/changes while months are added and removed, over ${transport}`, () => {
    it("continues with the months that a walk began with, and then expires", async () => {
      const pair = await makePair({ seed: 99, accounts: 300 });
      const later = await makePair({ seed: 100, accounts: 200 });
      const folder = servedFolder(pair);
      const current = await openSegment(join(folder, "2026-10.peneira"));
      const changes = await startChanges({ transport, folder, current });
      const question = { since: "2026-09", spec: {} };
      const whole = await answered(await changes.post({ ...question, limit: 50_000 }));
      const first = await answered(await changes.post({ ...question, limit: 5 }));
      // Serves a newer month. The file's label is 2026-10, so the month gets a later label.
      const next = await openSegment(join(later.folder, "2026-10"));
      changes.registry.put({ ...next, label: "2026-11", snapshotDate: "2026-11-12" });
      await changes.months.look();
      const cursor = first.next_cursor ?? assert.fail("one page only");
      const rest = await answered(await changes.post({ ...question, cursor, limit: 50_000 }));
      assert.deepEqual([...first.changes, ...rest.changes], whole.changes);
      assert.equal(rest.until.snapshot, "2026-10");
      // Moves the older file away. It is still open, so this sequence of pages continues, but no
      // new one can begin.
      renameSync(join(folder, "2026-09.peneira"), join(pair.folder, "away"));
      await changes.months.look();
      const still = await answered(await changes.post({ ...question, cursor, limit: 50_000 }));
      assert.deepEqual(still.changes, rest.changes);
      const none = await refused(await changes.post(question), 422);
      assert.deepEqual([none.code, none.changes_since], ["since_not_available", ["2026-10"]]);
      // Once the month is closed, the cursor has expired.
      await changes.lists.close();
      changes.months.close();
      const over = await refused(await changes.post({ ...question, cursor }), 422);
      assert.equal(over.code, "cursor_expired");
      await changes.close();
      changes.registry.close();
      pair.dispose();
      later.dispose();
      rmSync(folder, { recursive: true });
    });

    it("finds a new month, and explains why a single file has none", async () => {
      const pair = await makePair({ seed: 12, accounts: 80 });
      const folder = servedFolder(pair);
      const older = join(folder, "2026-09.peneira");
      renameSync(older, join(pair.folder, "away"));
      const current = await openSegment(join(folder, "2026-10.peneira"));
      const changes = await startChanges({ transport, folder, current });
      const question = { since: "2026-09", spec: {}, limit: 1 };
      const none = await refused(await changes.post(question), 422);
      assert.deepEqual(none.changes_since, []);
      assert.match(none.detail, /folder has no older month\. Put the snapshot of one into/);
      renameSync(join(pair.folder, "away"), older);
      assert.ok((await answered(await changes.post(question))).count > 0);
      await changes.close();
      const alone = await startChanges({ transport, folder: null, current });
      const single = await refused(await alone.post(question), 422);
      assert.match(single.detail, /single file.*[Ss]erve a folder/);
      await alone.close();
      changes.months.close();
      current.close();
      pair.dispose();
      rmSync(folder, { recursive: true });
    });
  });
}
