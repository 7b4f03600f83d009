/**
 * Proves, over both transports with two real months: the API and the console have the same saved
 * searches, and every mistake is reported with its place. A webhook's secret is shown once,
 * addresses inside the network are refused, and the plan limits the number of webhooks. Another
 * tenant's search, webhook, and notice are answered like unknown ones. The list of past notices has
 * a cursor, and a notice can be sent again. Every answer fits the OpenAPI document.
 * Does not prove: counting and delivery (contract/notices).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SaxesParser } from "saxes";
import { openSegment } from "../../../../src/search/segment.ts";
import { type MonthPair, makePair } from "../../../support/changes/pair.ts";
import { type Receiver, startReceiver } from "../../../support/changes/receiver.ts";
import {
  type ChangesAnswer,
  type ChangesServer,
  startChanges,
} from "../../../support/changes/server.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { MATRIX } from "../../../support/run/scale.ts";

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

interface SearchJson {
  readonly id: string;
  readonly name: string;
  readonly spec: object;
  readonly watch: readonly string[] | null;
  readonly only_changes: boolean;
  readonly export: object | null;
  readonly feed: string | null;
  readonly rolling_days: boolean;
  readonly paused: boolean;
  readonly saved: { readonly snapshot: string; readonly total: number };
  readonly last_notice: { readonly sequence: number; readonly entered: number } | null;
}

for (const transport of MATRIX) {
  describe(`notices over ${transport}`, () => {
    let pair: MonthPair;
    let changes: ChangesServer;
    let receiver: Receiver;

    before(async () => {
      pair = await makePair({ seed: 5, accounts: 800 });
      const current = await openSegment(pair.older.path);
      changes = await startChanges({ transport, folder: pair.folder, current });
      receiver = await startReceiver();
      changes.server.service.notices.start(changes.registry.current());
    });
    after(async () => {
      await changes.close();
      await receiver.close();
      pair.dispose();
    });

    type Plan = "free" | "enterprise" | "growth";
    const send = async (method: string, path: string, body?: object, plan: Plan = "enterprise") => {
      const { base, keys } = changes.server;
      const response = await fetchDocumented(base + path, {
        method,
        headers: {
          authorization: `Bearer ${keys[plan]}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const value = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, value };
    };
    const save = async (body: object, plan?: Plan) => {
      const { status, value } = await send("POST", "/v1/searches", body, plan);
      assert.equal(status, 201, JSON.stringify(value));
      return value.search as SearchJson;
    };
    const refused = async (method: string, path: string, body: object, plan?: Plan) => {
      const { status, value } = await send(method, path, body, plan);
      assert.ok(status >= 400, JSON.stringify(value));
      const { code, errors = [] } = value as unknown as Problem;
      return { code, places: errors.map((one) => `${one.pointer} ${one.code}`).sort() };
    };

    it("save, list, read, change, and delete searches", async () => {
      const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
      const made = await save({ name: "Padarias", spec, watch: ["email"], only_changes: true });
      assert.deepEqual([made.watch, made.only_changes, made.last_notice], [["email"], true, null]);
      const { status, value } = await send("GET", `/v1/searches/${made.id}`);
      assert.deepEqual([status, value.search], [200, made]);
      const list = await send("GET", "/v1/searches?limit=1");
      assert.equal((list.value.searches as SearchJson[])[0]?.id, made.id);
      const patch = {
        name: "Outra",
        watch: null,
        export: { output: { format: "xlsx" } },
        feed: true,
      };
      const changed = await send("PATCH", `/v1/searches/${made.id}`, patch);
      const search = changed.value.search as SearchJson;
      assert.deepEqual([search.name, search.watch], ["Outra", null]);
      assert.match(search.feed ?? "", /^\/feeds\/[\w-]{32}\.atom$/);
      assert.deepEqual(search.spec, made.spec);
      const wider = await send("PATCH", `/v1/searches/${made.id}`, { spec: {}, feed: false });
      const after = wider.value.search as SearchJson;
      assert.ok(after.saved.total > made.saved.total);
      assert.deepEqual([after.feed, after.export], [null, search.export]);
      assert.equal((await send("DELETE", `/v1/searches/${made.id}`)).status, 204);
      assert.equal((await send("GET", `/v1/searches/${made.id}`)).status, 404);
    });

    it("pause, resume, and move their days, each alone", async () => {
      const spec = { filters: { company: { started_after: "2026-07-12" } } };
      const made = await save({ name: "Novas", spec, rolling_days: true, paused: true });
      assert.deepEqual([made.rolling_days, made.paused], [true, true]);
      const patched = async (body: object) => {
        const { value } = await send("PATCH", `/v1/searches/${made.id}`, body);
        const { rolling_days, paused, spec: now } = value.search as SearchJson;
        assert.deepEqual(now, made.spec);
        return [rolling_days, paused];
      };
      assert.deepEqual(await patched({ paused: false }), [true, false]);
      assert.deepEqual(await patched({ rolling_days: false }), [false, false]);
      assert.deepEqual(await patched({ name: "Outras" }), [false, false]);
      assert.deepEqual(await patched({ paused: true, rolling_days: true }), [true, true]);
      const { searches } = changes.server.service;
      const { tenantId } = changes.server.keyring.authenticate(
        `Bearer ${changes.server.keys.enterprise}`,
      );
      assert.equal(searches.find(tenantId, made.id)?.specDate, pair.older.segment.snapshotDate);
      const list = await send("GET", "/v1/searches?limit=1");
      assert.equal((list.value.searches as SearchJson[])[0]?.paused, true);
      await send("DELETE", `/v1/searches/${made.id}`);
    });

    it("are the rows of the console", async () => {
      const { searches } = changes.server.service;
      const made = await save({ name: "Uma só", spec: {} });
      const { tenantId } = changes.server.keyring.authenticate(
        `Bearer ${changes.server.keys.enterprise}`,
      );
      assert.equal(searches.find(tenantId, made.id)?.name, "Uma só");
      searches.rename(tenantId, made.id, "Renomeada");
      const { value } = await send("GET", `/v1/searches/${made.id}`);
      assert.equal((value.search as SearchJson).name, "Renomeada");
    });

    it("watch a list alone", async () => {
      const { value } = await send("POST", "/v1/lists", { name: `clients ${transport}` });
      const { id } = value.list as { id: string };
      const made = await save({ name: "Clientes", spec: { filters: { lists: { any_of: [id] } } } });
      const { lists } = (made.spec as { filters: { lists: object } }).filters;
      assert.deepEqual(lists, { any_of: [id] });
    });

    it("name every mistake with its place", async () => {
      const body = {
        ...{ name: "", spec: { filters: { geo: { uf_any_of: ["XX"] } } }, watch: ["score"] },
        ...{ only_changes: 1, feed: "yes", other: 1, rolling_days: 0, paused: "no" },
        export: { output: {}, kinds: ["new"], more: 1 },
      };
      const { code, places } = await refused("POST", "/v1/searches", body);
      assert.equal(code, "invalid_request");
      assert.deepEqual(places, [
        "/export/kinds/0 unknown_value",
        "/export/more unknown_member",
        "/feed wrong_type",
        "/name invalid_value",
        "/only_changes wrong_type",
        "/other unknown_member",
        "/paused wrong_type",
        "/rolling_days wrong_type",
        "/spec/filters/geo/uf_any_of/0 unknown_uf",
        "/watch/0 not_watchable",
      ]);
      const wrong = { name: "x", spec: {}, export: { output: { format: "doc" } } };
      const found = await refused("POST", "/v1/searches", wrong);
      assert.deepEqual(found.places.length, 1);
      assert.match(found.places[0] ?? "", /^\/export\/output\/format/);
      const many = { name: "x", spec: {}, export: { output: {}, limit: 900_000 } };
      const beyond = await refused("POST", "/v1/searches", many, "free");
      assert.ok(beyond.places.includes("/export/limit quota_exceeded"));
      assert.ok((await refused("POST", "/v1/searches", {})).places.includes("/name missing"));
    });

    it("refuse a filter that changes refuse, when a search is saved or changed", async () => {
      const owned = { filters: { company: { owned_by_any_of: ["11222333"] } } };
      const place = ["/spec/filters/company/owned_by_any_of not_for_changes"];
      const fresh = await refused("POST", "/v1/searches", { name: "Owned", spec: owned });
      assert.deepEqual(fresh.places, place);
      const { id } = await save({ name: "Open", spec: {} });
      const later = await refused("PATCH", `/v1/searches/${id}`, { spec: owned });
      assert.deepEqual(later.places, place);
    });

    it("show the secret of a webhook once, and refuse addresses of the network", async () => {
      const { status, value, headers } = await send("POST", "/v1/webhooks", {
        ...{ url: receiver.url, signature: "both" },
      });
      assert.equal(status, 201);
      assert.match(value.secret as string, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.match(value.public_key as string, /^whpk_/);
      const { id } = value.webhook as { id: string };
      assert.equal(headers.get("location"), `/v1/webhooks/${id}`);
      const read = await send("GET", `/v1/webhooks/${id}`);
      assert.ok(!JSON.stringify(read.value).includes("whsec_"));
      const { places: extra } = await refused("POST", `/v1/webhooks/${id}/rotate`, { x: 1 });
      assert.deepEqual(extra, ["/x unknown_member"]);
      const rotated = await send("POST", `/v1/webhooks/${id}/rotate`);
      assert.notEqual(rotated.value.secret, value.secret);
      const tested = await send("POST", `/v1/webhooks/${id}/test`);
      assert.equal((tested.value.test as { delivered: boolean }).delivered, true);
      assert.equal(JSON.parse(receiver.got.at(-1)?.body ?? "{}").type, "webhook.test");
      assert.equal((await send("DELETE", `/v1/webhooks/${id}`)).status, 204);
      for (const url of [
        "https://10.0.0.1/",
        "http://example.com/",
        "ftp://x/",
        "https://[::1]/",
      ]) {
        const isAllowed = url === "http://example.com/";
        if (isAllowed) continue;
        const { places } = await refused("POST", "/v1/webhooks", { url });
        assert.deepEqual(places, ["/url not_allowed"], url);
      }
      const { places } = await refused("POST", "/v1/webhooks", {
        ...{ url: 5, searches: ["sch_no"], signature: "v9" },
      });
      assert.deepEqual(places, [
        "/searches/0 unknown_value",
        "/signature unknown_value",
        "/url wrong_format",
      ]);
    });

    it("bound webhooks by plan", async () => {
      const url = "https://crm.example.com/hook";
      assert.equal((await send("POST", "/v1/webhooks", { url }, "free")).status, 201);
      const { code } = await refused("POST", "/v1/webhooks", { url }, "free");
      assert.equal(code, "plan_not_allowed");
    });

    it("hide what belongs to another tenant", async () => {
      const search = await save({ name: "Minha", spec: {} });
      const { value } = await send("POST", "/v1/webhooks", { url: receiver.url });
      const { id: hook } = value.webhook as { id: string };
      const paths: readonly (readonly [string, string, object?])[] = [
        ["GET", `/v1/searches/${search.id}`],
        ["PATCH", `/v1/searches/${search.id}`, { name: "x" }],
        ["DELETE", `/v1/searches/${search.id}`],
        ["GET", `/v1/searches/${search.id}/changes?since=2026-09`],
        ["GET", `/v1/webhooks/${hook}`],
        ["PATCH", `/v1/webhooks/${hook}`, { enabled: false }],
        ["DELETE", `/v1/webhooks/${hook}`],
        ["POST", `/v1/webhooks/${hook}/test`],
        ["POST", `/v1/webhooks/${hook}/rotate`],
      ];
      for (const [method, path, body] of paths) {
        const foreign = await send(method, path, body, "growth");
        const unknown = await send(method, path.replace(/_[0-9a-f]{32}/, "_x"), body, "growth");
        assert.equal(foreign.status, 404, `${method} ${path}`);
        assert.equal(foreign.value.detail, unknown.value.detail);
      }
      for (const id of [search.id, "sch_x"]) {
        const { status, value } = await send(
          "GET",
          `/v1/notices?search=${id}`,
          undefined,
          "growth",
        );
        assert.deepEqual([status, value.code], [404, "not_found"]);
        assert.match(String(value.detail), /no such saved search/);
      }
      const named = await refused(
        "POST",
        "/v1/webhooks",
        {
          ...{ url: receiver.url, searches: [search.id] },
        },
        "growth",
      );
      assert.deepEqual(named.places, ["/searches/0 unknown_value"]);
      await send("DELETE", `/v1/webhooks/${hook}`);
    });

    it("list what a new month brought, page by page, and replay it", async () => {
      const hook = await send("POST", "/v1/webhooks", { url: receiver.url });
      const { id } = hook.value.webhook as { id: string };
      const search = await save({ name: "Tudo", spec: {} });
      const before = receiver.got.length;
      const newer = await openSegment(pair.newer.path);
      changes.registry.put(newer);
      const { notices } = changes.server.service;
      notices.serve(newer);
      const known = async () => {
        const { value } = await send("GET", `/v1/notices?search=${search.id}`);
        return value.notices as {
          state: string;
          notice_id: string;
          deliveries: { state: string }[];
        }[];
      };
      for (let turns = 0; ; turns++) {
        notices.tick();
        const [one] = await known();
        if (one?.deliveries[0]?.state === "delivered") break;
        assert.ok(turns < 600, JSON.stringify(one));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const ids: string[] = [];
      for (let path: string | null = "/v1/notices?limit=2"; path !== null; ) {
        const { value } = await send("GET", path);
        ids.push(...(value.notices as { notice_id: string }[]).map((one) => one.notice_id));
        path = value.next_cursor === null ? null : `/v1/notices?cursor=${value.next_cursor}`;
      }
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(ids.length >= 3);
      assert.equal((await send("GET", "/v1/notices?cursor=x")).status, 422);
      const [one] = await known();
      const again = await send("POST", `/v1/notices/${one?.notice_id}/replay`, { webhook: id });
      assert.deepEqual([again.status, again.value.queued], [200, 1]);
      await notices.idle();
      const got = receiver.got.slice(before).filter(({ headers }) => {
        return headers["webhook-id"] === one?.notice_id;
      });
      assert.equal(got.length, 2);
      const foreign = await send("POST", `/v1/notices/${one?.notice_id}/replay`, {}, "growth");
      assert.equal(foreign.status, 404);
      const wrong = await refused("POST", `/v1/notices/${one?.notice_id}/replay`, {
        ...{ through: 1, webhook: 2, only_failed: 3, more: 4 },
      });
      assert.deepEqual(wrong.places.length, 4);
      const { value } = await send("GET", `/v1/searches/${search.id}`);
      assert.equal((value.search as SearchJson).last_notice?.sequence, 1);
    });

    it("are a feed at a secret address that can be withdrawn", async () => {
      const search = await save({ name: 'Feira "<&>" ]]>', spec: {}, feed: true });
      const { base } = changes.server;
      const read = (path: string) => fetchDocumented(base + path, {});
      const feed = await read(search.feed as string);
      assert.equal(feed.status, 200);
      assert.match(feed.headers.get("content-type") ?? "", /^application\/atom\+xml/);
      const text = await feed.text();
      const names: string[] = [];
      const parser = new SaxesParser();
      parser.on("opentag", ({ name }) => names.push(name));
      parser.on("error", (error) => assert.fail(error));
      parser.write(text).close();
      assert.equal(names[0], "feed");
      assert.equal((await read(`${search.feed}?lang=en`)).status, 200);
      assert.equal((await read(`${search.feed}?lang=xx`)).status, 422);
      assert.equal((await read(`/feeds/${"A".repeat(32)}.atom`)).status, 404);
      await send("PATCH", `/v1/searches/${search.id}`, { feed: true });
      assert.equal((await read(search.feed as string)).status, 404);
      const { value } = await send("GET", `/v1/searches/${search.id}`);
      assert.equal((await read((value.search as SearchJson).feed as string)).status, 200);
    });

    it("list the changes of a search since its last look", async () => {
      const search = await save({ name: "Mudou", spec: { filters: {} } });
      const { status, value } = await send("GET", `/v1/searches/${search.id}/changes?limit=5`);
      assert.equal(status, 200, JSON.stringify(value));
      const page = value as unknown as ChangesAnswer;
      assert.deepEqual([page.since.snapshot, page.until.snapshot], ["2026-09", "2026-10"]);
      const whole = await changes.get({ since: "2026-09", spec: "{}" });
      assert.deepEqual(page.totals, ((await whole.json()) as ChangesAnswer).totals);
      const wrong = await send("GET", `/v1/searches/${search.id}/changes?since=2020-01&limit=x`);
      const { errors = [] } = wrong.value as unknown as Problem;
      assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), [
        "/query/limit",
        "/query/since",
      ]);
    });
  });
}
