/**
 * Proves how many units each kind of request costs, exactly and at each boundary: limits, lists,
 * facets, sentences, names of activities, bodies, and batches of messages. The units are charged
 * before the work, even for an invalid request. A request that costs more than a plan's burst is
 * paid for when the burst is full. Values of wrong types cost units and break nothing.
 * Does not prove that the units match the time that they represent (bench/worst.bench.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadPlans } from "../../../../src/access/plans.ts";
import { bodyCost, costOf, limitOf } from "../../../../src/http/server/admission.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";

const many = (count: number, value: unknown = "01") => Array<unknown>(count).fill(value);

describe("the cost of a request", () => {
  it("is 1 for an ordinary one", () => {
    assert.equal(costOf({}), 1);
    const filters = { industry: { cnae_any_of: ["56"] }, geo: { uf_any_of: ["SP", "RJ"] } };
    const spec = { filters, sort: [{ field: "score", direction: "desc" }], explain: {} };
    assert.equal(costOf({ spec, limit: 100, facets: ["uf", "mei"] }), 1);
    assert.equal(costOf({ text: "padarias ativas em Campinas com telefone" }), 1);
    const leads = { kind: "lead_query", cities: ["Santos"], activities: ["padaria"] };
    assert.equal(costOf({ spec: leads }), 1);
  });

  it("grows with the limit, the lists, the facets, and the text", () => {
    const limits = [999, 1_000, 1_999, 50_000].map((limit) => costOf({ limit }));
    assert.deepEqual(limits, [1, 2, 2, 51]);
    const cnpjs = [99, 100, 1_000].map((count) => costOf({ cnpjs: count }));
    assert.deepEqual(cnpjs, [1, 2, 11]);
    const lists = [499, 500, 10_000].map((count) =>
      costOf({ spec: { filters: { geo: { postal_code_prefix_any_of: many(count) } } } }),
    );
    assert.deepEqual(lists, [1, 2, 21]);
    assert.deepEqual(
      [2, 3, 15].map((count) => costOf({ facets: many(count) })),
      [1, 2, 6],
    );
    assert.deepEqual(
      [199, 200, 2_000].map((length) => costOf({ text: "x".repeat(length) })),
      [1, 2, 11],
    );
    const bytes = [0, 65_535, 65_536, 1_048_576].map(bodyCost);
    assert.deepEqual(bytes, [0, 0, 1, 16]);
  });

  it("sums all lists of both kinds of spec, but neither notes nor fields", () => {
    const filters = {
      industry: { cnae_any_of: many(200), cnae_exclude: many(200) },
      geo: { municipality_ibge_any_of: many(100) },
    };
    const explain = { warnings: many(1_000) };
    assert.equal(costOf({ spec: { filters, explain, output: { fields: many(700) } } }), 2);
    const leads = { kind: "lead_query", cities: many(300), states: many(200) };
    assert.equal(costOf({ spec: leads }), 2);
    const named = { activities: many(4, "x".repeat(50)), exclude_activities: "y".repeat(200) };
    assert.equal(costOf({ spec: named }), 3);
    assert.equal(costOf({ spec: { activities: many(400, "5611-2/01") } }), 1);
    const places = { cities: many(150, "x".repeat(100)), states: "y".repeat(1_000) };
    assert.equal(costOf({ spec: places }), 3);
    assert.equal(costOf({ spec: { cities: many(400, "3550308") } }), 1);
  });

  it("is an integer for any input", () => {
    const odd = [null, 1e300, -1, "x", true, {}, [], [[]], { filters: 3 }, { filters: { geo: 1 } }];
    for (const one of odd) {
      assert.equal(costOf({ spec: one, facets: one, text: one, limit: limitOf([one], 100) }), 1);
    }
    assert.equal(limitOf([undefined, 70], 50), 50);
    assert.equal(limitOf([Number.NaN], 50), 0);
  });
});

/** A rate so low that it refills no unit within a test. */
const SLOW = { requests_per_second: 0.001, burst: 200 };

describe("the charge", () => {
  let server: FakeServer;
  before(async () => {
    const plans = loadPlans();
    const slow = (burst: number) => ({ ...plans.scale.limits, ...SLOW, burst });
    server = await startFake("node", {
      plans: {
        ...plans,
        scale: { ...plans.scale, limits: slow(SLOW.burst) },
        starter: { ...plans.starter, limits: slow(8) },
      },
    });
  });
  after(() => server.close());

  const FILTERS = { geo: { uf_any_of: ["SP"] }, industry: { cnae_any_of: ["4721-1/02"] } };
  const keyOf = (plan: "scale" | "starter") =>
    server.keyring.create({ tenant: "t", plan, name: `${plan} ${Math.random()}` }).key;

  async function send(path: string, body: unknown, key = keyOf("scale"), headers = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(server.base + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: text,
    });
    const left = /r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1];
    return { status: response.status, left: Number(left), answer: await response.text() };
  }

  async function unitsOf(path: string, body: unknown, headers = {}): Promise<number> {
    const { left } = await send(path, body, keyOf("scale"), headers);
    return SLOW.burst - left;
  }

  const long = { ...FILTERS, geo: { uf_any_of: many(10_000, "SP") } };

  it("is the same for every route that takes a spec, by key", async () => {
    for (const path of ["/v1/accounts/search", "/v1/accounts/count", "/v1/spec/normalize"]) {
      assert.equal(await unitsOf(path, { spec: { filters: FILTERS } }), 1, path);
      // The body has 50,000 bytes.
      assert.equal(await unitsOf(path, { spec: { filters: long } }), 21, path);
    }
    const facets = ["uf", "mei", "contact", "company_size", "simples", "headquarters"];
    const counted = { spec: { filters: FILTERS }, facets };
    assert.equal(await unitsOf("/v1/accounts/count", counted), 3);
    assert.equal(await unitsOf("/v1/accounts/search", { ...counted, limit: 5_000 }), 8);
    const wanted = { spec: { filters: long }, output: {} };
    assert.equal(await unitsOf("/v1/exports", wanted, { "idempotency-key": "a" }), 21);
  });

  it("counts sentences, names, and pages of leads", async () => {
    const sentence = `padarias em SP ${"e ".repeat(600)}`;
    assert.equal(await unitsOf("/v1/leads/translate", { query_text: "padarias em SP" }), 1);
    assert.equal(await unitsOf("/v1/leads/translate", { query_text: sentence }), 7);
    assert.equal(await unitsOf("/v1/leads", { query_text: sentence, limit: 1_000 }), 8);
    const names = { kind: "lead_query", states: ["SP"], activities: many(9, "x".repeat(100)) };
    assert.equal(await unitsOf("/v1/leads", { spec: names }), 5);
  });

  it("counts the bytes of a body with any content, and the rest on top", async () => {
    const blanks = " ".repeat(3 * 65_536);
    assert.equal(await unitsOf("/v1/accounts/count", `${blanks}nonsense`), 4);
    const text = JSON.stringify({ spec: { filters: long } });
    assert.equal(await unitsOf("/v1/accounts/count", text + blanks), 24);
  });

  it("counts each of several messages", async () => {
    const message = (id: number, facets: readonly string[]) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name: "count_accounts", arguments: { filters: FILTERS, facets } },
    });
    const batch = [message(1, []), message(2, ["uf", "mei", "simples"]), message(3, ["uf"])];
    const version = { "mcp-protocol-version": "2025-03-26" };
    assert.equal(await unitsOf("/mcp", batch, version), 4);
    const padded = JSON.stringify(batch) + " ".repeat(65_536);
    assert.equal(await unitsOf("/mcp", padded, version), 5);
  });

  it("is taken for an invalid request, before validation", async () => {
    const wrong = { spec: { filters: { geo: { uf_any_of: many(10_000, "??") } } } };
    assert.equal(await unitsOf("/v1/accounts/search", wrong), 21);
    const key = keyOf("starter");
    await send("/v1/accounts/count", { spec: { filters: FILTERS } }, key);
    const refused = await send("/v1/accounts/count", wrong, key);
    assert.equal(refused.status, 429);
    assert.match(refused.answer, /counts for 21\..*[Ll]ong lists/s);
  });

  it("is covered by the whole burst if that is smaller, in one charge or in two", async () => {
    const spec = { filters: long };
    assert.equal((await send("/v1/accounts/count", { spec }, keyOf("starter"))).status, 200);
    const large = JSON.stringify({ spec }) + " ".repeat(6 * 65_536);
    const paid = await send("/v1/accounts/count", large, keyOf("starter"));
    assert.deepEqual([paid.status, paid.left], [200, 0]);
  });

  it("is refunded completely if a part cannot be paid, so that waiting helps", async () => {
    const key = keyOf("starter");
    await send("/v1/accounts/count", { spec: { filters: FILTERS } }, key);
    // The plan has 8 units, and 7 are left. The body costs 4 of them, but the body and the lists
    // together cost more than 7.
    const large = JSON.stringify({ spec: { filters: long } }) + " ".repeat(3 * 65_536);
    const refused = await send("/v1/accounts/count", large, key);
    assert.deepEqual([refused.status, refused.left], [429, 7]);
  });
});
