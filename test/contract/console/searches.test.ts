/**
 * Proves: over both transports, a saved search keeps its spec and its count. After a newer snapshot
 * is served, the search keeps the old count until it is counted again. It can be refreshed,
 * renamed, and deleted. Searches of another tenant are not found. The list has pages without specs,
 * and its cursors work for one tenant only. The number of searches and their bytes are limited. All
 * mistakes are reported together. Does not prove: that the state survives a crash
 * (test/contract/store/state.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SEARCHES_MAX } from "../../../src/http/api/searches/searchcursor.ts";
import {
  type ConsoleServer,
  type Person,
  pointersIn,
  startConsole,
} from "../../support/console/data.ts";
import { fakeSegment } from "../../support/http/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

for (const transport of MATRIX) {
  describe(`/v1/console/searches over ${transport}`, () => {
    let server: ConsoleServer;
    let person: Person;
    let colleague: Person;
    let stranger: Person;
    before(async () => {
      server = await startConsole(transport);
      person = await server.person("scale");
      colleague = await server.person("scale");
      stranger = await server.person("growth");
    });
    after(() => server.close());

    it("keeps a spec with its sentence, its count, and its author", async () => {
      const body = { name: "  São Paulo ", text: "empresas em SP", spec: SP };
      const { status, json } = await person.post("/searches", body);
      assert.equal(status, 201);
      const { search } = json;
      assert.match(search.id, /^sch_[0-9a-f]{32}$/);
      assert.deepEqual([search.name, search.text], ["São Paulo", "empresas em SP"]);
      assert.equal(search.created_by, person.email);
      assert.deepEqual(search.saved, { snapshot: "2026-10", total: 250 });
      assert.deepEqual(search.now, { snapshot: "2026-10", total: 250 });
      assert.deepEqual(search.spec.filters.geo.uf_any_of, ["SP"]);
      const { spec, ...listed } = search;
      const page = { searches: [listed], next_cursor: null, has_more: false };
      assert.deepEqual((await colleague.get("/searches")).json, page, "the list has no specs");
      const opened = await colleague.get(`/searches/${search.id}`);
      assert.deepEqual(opened.json, { search: { ...listed, spec } });
    });

    it("is counted on the current snapshot, and keeps the old count until then", async () => {
      const spec = { filters: { industry: { cnae_any_of: ["4721-1/02"] } } };
      const { json } = await person.post("/searches", { name: "padarias", spec });
      const { id } = json.search;
      assert.equal(json.search.text, null);
      server.load(fakeSegment("2026-11", "0123456789abcdef"));
      const [now] = (await person.get("/searches")).json.searches;
      assert.deepEqual(now.saved, { snapshot: "2026-10", total: 250 });
      assert.deepEqual(now.now, { snapshot: "2026-11", total: 250 });
      const news = async (of: Person) => (await of.get("/status")).json.unseen_searches;
      assert.equal(await news(person), 2);
      assert.equal((await person.get("/status")).json.sends_emails, false);
      const refreshed = await person.post(`/searches/${id}`, { refresh: true });
      assert.deepEqual(refreshed.json.search.saved, { snapshot: "2026-11", total: 250 });
      assert.equal(await news(colleague), 1);
      assert.equal(await news(stranger), 0);
      const renamed = await colleague.post(`/searches/${id}`, { name: "Padarias" });
      assert.equal(renamed.json.search.name, "Padarias");
      assert.deepEqual(renamed.json.search.saved, { snapshot: "2026-11", total: 250 });
    });

    it("has no count without a snapshot, or if the snapshot lacks its codes", async () => {
      const [{ id }] = (await person.get("/searches")).json.searches;
      const other = fakeSegment("2026-12", "00000000000000ff");
      server.load({ ...other, catalog: { ...other.catalog, cnaeCodes: ["5611201"] } });
      const [unknown, known] = (await person.get("/searches")).json.searches;
      assert.equal(unknown.now, null);
      assert.deepEqual(known.now, { snapshot: "2026-12", total: 250 });
      const refused = await person.post(`/searches/${id}`, { refresh: true });
      assert.deepEqual([refused.status, refused.json.code], [422, "invalid_spec"]);
      server.load(null);
      const [none] = (await person.get("/searches")).json.searches;
      assert.equal(none.now, null);
      assert.equal((await person.post(`/searches/${id}`, { refresh: true })).status, 503);
      assert.equal((await person.post(`/searches/${id}`, { name: "x" })).status, 200);
      assert.equal((await person.post("/searches", { name: "a", spec: SP })).status, 503);
      server.load(fakeSegment());
    });

    it("does not exist for another tenant", async () => {
      const [{ id }] = (await person.get("/searches")).json.searches;
      const none = { searches: [], next_cursor: null, has_more: false };
      assert.deepEqual((await stranger.get("/searches")).json, none);
      const never = "sch_00000000000000000000000000000000";
      for (const send of [
        (path: string) => stranger.get(path, { "X-Request-Id": "same" }),
        (path: string) => stranger.post(path, { name: "mine" }, { "X-Request-Id": "same" }),
        (path: string) => stranger.post(path, { refresh: 7 }, { "X-Request-Id": "same" }),
      ]) {
        const [theirs, nobodys] = await Promise.all([
          send(`/searches/${id}`),
          send(`/searches/${never}`),
        ]);
        assert.equal(theirs.status, 404);
        assert.equal(theirs.text, nobodys.text);
      }
      assert.equal((await stranger.remove(`/searches/${id}`)).status, 404);
      assert.equal((await person.get("/searches")).json.searches.length, 2);
    });

    it("is removed when it is deleted", async () => {
      const [{ id }] = (await person.get("/searches")).json.searches;
      assert.equal((await colleague.remove(`/searches/${id}`)).status, 204);
      assert.equal((await colleague.remove(`/searches/${id}`)).status, 404);
      assert.equal((await person.get("/searches")).json.searches.length, 1);
    });

    it("is refused with all mistakes together", async () => {
      const spec = { filters: { geo: { uf_any_of: ["XX"] } } };
      const body = { name: "a\u0000", text: 5, spec, more: true };
      const wrong = await person.post("/searches", body);
      assert.deepEqual([wrong.status, wrong.json.code], [422, "invalid_request"]);
      const places = ["/more", "/name", "/spec/filters/geo/uf_any_of/0", "/text"];
      assert.deepEqual(pointersIn(wrong), places);
      assert.deepEqual(pointersIn(await person.post("/searches", {})), ["/name", "/spec"]);
      for (const [name, status] of [
        ["x".repeat(100), 201],
        ["x".repeat(101), 422],
        ["   ", 422],
      ] as const) {
        assert.equal((await person.post("/searches", { name, spec: SP })).status, status, name);
      }
      for (const [text, status] of [
        [`${"x".repeat(1_998)}\n.`, 201],
        ["x".repeat(2_001), 422],
        ["a\u0007", 422],
        [" ", 201],
      ] as const) {
        assert.equal(
          (await person.post("/searches", { name: "t", text, spec: SP })).status,
          status,
        );
      }
      const [{ id }] = (await person.get("/searches")).json.searches;
      assert.deepEqual(pointersIn(await person.post(`/searches/${id}`, {})), [""]);
      const change = { refresh: false, name: "", other: 1 };
      const changed = await person.post(`/searches/${id}`, change);
      assert.deepEqual(pointersIn(changed), ["/name", "/other", "/refresh"]);
    });

    it(`is refused beyond ${SEARCHES_MAX}, of one tenant`, async () => {
      const { tenantId, id: userId } = stranger;
      const { searches } = server.service;
      const row = { tenantId, userId, name: "n", text: null, snapshot: "2026-10", total: 1 };
      const spec = JSON.stringify(SP);
      for (let i = 0; i < SEARCHES_MAX - 1; i++) {
        searches.insert({ ...row, spec, id: `sch_${i}`, createdAt: i }, SEARCHES_MAX);
      }
      const body = { name: "last", spec: SP };
      assert.equal((await stranger.post("/searches", body)).status, 201);
      const refused = await stranger.post("/searches", body);
      assert.deepEqual([refused.status, refused.json.errors[0].code], [422, "too_many"]);
      assert.equal((await person.post("/searches", body)).status, 201);
    });

    it("is listed page by page, each once, even if some are deleted meanwhile", async () => {
      const ids: string[] = [];
      const pages: number[] = [];
      let query = "?limit=200";
      for (;;) {
        const { json } = await stranger.get(`/searches${query}`);
        ids.push(...json.searches.map((one: { id: string }) => one.id));
        pages.push(json.searches.length);
        assert.equal(json.has_more, json.next_cursor !== null);
        if (!json.has_more) break;
        if (pages.length === 1) {
          assert.equal((await stranger.remove(`/searches/${ids.at(-1)}`)).status, 204);
        }
        query = `?limit=200&cursor=${json.next_cursor}`;
      }
      assert.deepEqual(pages, [200, 200, 100]);
      assert.equal(new Set(ids).size, SEARCHES_MAX);
      assert.equal((await stranger.get("/searches")).json.searches.length, 50);
    });

    it("has cursors that work for one tenant only and cannot be forged", async () => {
      const { next_cursor: cursor } = (await stranger.get("/searches?limit=3")).json;
      assert.equal((await stranger.get(`/searches?cursor=${cursor}`)).status, 200);
      const [at = "", id = "", mac = ""] = cursor.split(".");
      const other = mac.startsWith("A") ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
      for (const [who, text] of [
        [person, cursor],
        [stranger, `${Number(at) + 1}.${id}.${mac}`],
        [stranger, `0${at}.${id}.${mac}`],
        [stranger, `${at}.${id}x.${mac}`],
        [stranger, `${at}.${id}.${other}`],
        [stranger, `${at}.${id}`],
        [stranger, ""],
      ] as const) {
        const refused = await who.get(`/searches?cursor=${text}`);
        assert.deepEqual([refused.status, refused.json.code], [422, "invalid_cursor"], text);
      }
      for (const limit of ["0", "201", "1.5", "-1", ""]) {
        const refused = await stranger.get(`/searches?limit=${limit}`);
        assert.deepEqual([refused.status, pointersIn(refused)], [422, ["/query/limit"]], limit);
      }
    });

    it("is refused beyond the plan's bytes, with the numbers", async () => {
      const poor = await server.person("free");
      const limits = server.service.plans.free.limits as { saved_bytes: number };
      const allowed = limits.saved_bytes;
      limits.saved_bytes = 4_000;
      try {
        const saved = async () => poor.post("/searches", { name: "a", text: "em SP", spec: SP });
        let last = await saved();
        for (let i = 0; i < 10 && last.status === 201; i++) last = await saved();
        assert.deepEqual([last.status, last.json.code], [429, "quota_exceeded"]);
        const { specs } = server.service.searches.storedBytes.of(poor.tenantId);
        assert.ok(specs > 2_000 && specs <= 4_000, `${specs} bytes`);
        assert.match(
          last.json.detail,
          new RegExp(`free keeps up to 4000 .*saved_bytes.* ${specs} `),
        );
        assert.ok(Number(last.headers.get("retry-after")) > 0);
        const [{ id }] = (await poor.get("/searches")).json.searches;
        await poor.remove(`/searches/${id}`);
        assert.equal((await saved()).status, 201, "what is deleted makes room");
      } finally {
        limits.saved_bytes = allowed;
      }
    });

    it("of an earlier version is counted, for any size of its translation", async () => {
      const { tenantId, id: userId } = person;
      const explain = { assumptions: [{ detail: "x".repeat(660_000) }] };
      const row = { tenantId, userId, name: "old", text: null, snapshot: "2026-10", total: 1 };
      const spec = JSON.stringify({ ...SP, explain });
      server.service.searches.insert({ ...row, spec, id: "sch_old", createdAt: 1 }, SEARCHES_MAX);
      const listed = await person.get("/searches?limit=200");
      assert.deepEqual(listed.json.searches.at(-1).now, { snapshot: "2026-10", total: 250 });
      assert.ok(listed.text.length < 100_000, `${listed.text.length} characters`);
      const opened = await person.get("/searches/sch_old");
      assert.deepEqual(opened.json.search.spec.explain, explain);
      const again = await person.post("/searches", { name: "new", spec: JSON.parse(spec) });
      assert.deepEqual([again.status, pointersIn(again)], [422, ["/spec/explain"]]);
    });
  });
}
