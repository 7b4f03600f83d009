/**
 * Proves, on both transports: the server answers requests for counts, single accounts, facets,
 * ETags, and its own documents as the OpenAPI document states, also if a request has mistakes. Does
 * not prove: that totals and facets are right (the engine is a fake here;
 * campaign/twin/facet.test.ts compares them with a scan).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cnpjCheckDigits } from "../../../../src/spec/cnpj/cnpj.ts";
import { FACETS } from "../../../../src/spec/facets.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const KNOWN = "10000000000100";

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

for (const transport of MATRIX) {
  describe(`accounts over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const get = (path: string, headers: Record<string, string> = {}) =>
      fetchDocumented(server.base + path, {
        headers: { authorization: `Bearer ${server.keys.enterprise}`, ...headers },
      });
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetchDocumented(server.base + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.keys.enterprise}`,
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const refused = async (answer: Response, status: number) => {
      assert.equal(answer.status, status);
      return (await answer.json()) as Problem;
    };

    it("counts without accounts, and with the requested facets", async () => {
      const answer = await post("/v1/accounts/count", { spec: SP, facets: ["mei", "uf"] });
      const body = (await answer.json()) as Record<string, unknown>;
      assert.equal(answer.status, 200);
      assert.equal(body.total, 250);
      assert.deepEqual(Object.keys(body.facets as object), ["mei", "uf"]);
      assert.equal(body.snapshot, "2026-10");
      assert.equal("accounts" in body, false);
      const plain = (await (await post("/v1/accounts/count", { spec: SP })).json()) as object;
      assert.equal("facets" in plain, false);
    });

    it("counts what an export would contain, and rejects what a search would", async () => {
      const fallback = {
        ...SP,
        filters: { ...SP.filters, industry: { secondary_cnae_mode: "fallback" } },
      };
      assert.equal((await post("/v1/accounts/count", { spec: fallback })).status, 200);
      const broad = await refused(await post("/v1/accounts/count", { spec: {} }), 422);
      assert.equal(broad.code, "query_too_broad");
      const limit = await refused(await post("/v1/accounts/count", { spec: SP, limit: 3 }), 422);
      assert.deepEqual(
        limit.errors?.map(({ pointer }) => pointer),
        ["/limit"],
      );
    });

    it("returns a spec with which a search finds the counted accounts", async () => {
      const counted = await post("/v1/accounts/count", { spec: SP });
      const { spec, total } = (await counted.json()) as { spec: { limit: number }; total: number };
      assert.equal(spec.limit, 100);
      const searched = await post("/v1/accounts/search", { spec });
      assert.equal(searched.status, 200);
      assert.equal(((await searched.json()) as { total: number }).total, total);
      const chosen = await post("/v1/accounts/count", { spec: { ...SP, limit: 7 } });
      assert.equal(((await chosen.json()) as { spec: { limit: number } }).spec.limit, 7);
      const file = { ...SP, output: { format: "csv" } };
      const exported = await post("/v1/accounts/count", { spec: file });
      assert.equal(exported.status, 200);
      const whole = (await exported.json()) as { spec: { limit: number } };
      assert.ok(whole.spec.limit > 50_000, "an export's spec is not one of a search");
    });

    it("reports every mistake in facets, together with those of the spec", async () => {
      const facets = ["uf", "colour", "uf", 7];
      const spec = { filters: { geo: { uf_any_of: ["ZZ"] } } };
      for (const path of ["/v1/accounts/count", "/v1/accounts/search"]) {
        const problem = await refused(await post(path, { spec, facets }), 422);
        assert.equal(problem.code, "invalid_request");
        assert.deepEqual(
          problem.errors?.map(({ pointer, code }) => [pointer, code]),
          [
            ["/facets/1", "unknown_value"],
            ["/facets/2", "duplicate"],
            ["/facets/3", "unknown_value"],
            ["/spec/filters/geo/uf_any_of/0", "unknown_uf"],
          ],
        );
        const wrong = await refused(await post(path, { spec: SP, facets: "uf" }), 422);
        assert.deepEqual(
          wrong.errors?.map(({ pointer }) => pointer),
          ["/facets"],
        );
      }
    });

    it("adds facets to a search, and all of them on request", async () => {
      const answer = await post("/v1/accounts/search", { spec: SP, limit: 1, facets: FACETS });
      const body = (await answer.json()) as { facets: object; accounts: unknown[]; total: number };
      assert.deepEqual(Object.keys(body.facets), [...FACETS]);
      assert.equal(body.accounts.length, 1);
      assert.equal(body.total, 250);
    });

    it("answers 304 only for the tag of the same query", async () => {
      const questions = [
        { spec: SP, limit: 1 },
        { spec: SP, limit: 2 },
        { spec: SP, limit: 1, facets: ["uf"] },
        { spec: SP, limit: 1, output: { fields: ["cnpj"] } },
        { spec: { filters: { geo: { uf_any_of: ["RJ"] } } }, limit: 1 },
      ];
      const tags = await Promise.all(
        questions.map(async (question) => {
          const first = await post("/v1/accounts/search", question);
          await first.arrayBuffer();
          return first.headers.get("etag") ?? "";
        }),
      );
      assert.equal(new Set(tags).size, questions.length);
      for (const [i, question] of questions.entries()) {
        const tag = tags[i] as string;
        assert.match(tag, /^W\/"[\w-]{24}"$/);
        const same = await post("/v1/accounts/search", question, {
          "if-none-match": `"other", ${tag}`,
        });
        assert.equal(same.status, 304);
        assert.equal(same.headers.get("etag"), tag);
        assert.equal(await same.text(), "");
        const other = tags[(i + 1) % tags.length] as string;
        const fresh = await post("/v1/accounts/search", question, { "if-none-match": other });
        assert.equal(fresh.status, 200);
        await fresh.arrayBuffer();
      }
    });

    it("rejects a bad cursor even with a matching tag", async () => {
      const answer = await post(
        "/v1/accounts/search",
        { spec: SP, cursor: "AAAA" },
        { "if-none-match": "*" },
      );
      assert.equal((await refused(answer, 422)).code, "invalid_cursor");
    });

    it("reads one account in every spelling", async () => {
      const punctuated = "10.000.000/0001-00";
      for (const path of [KNOWN, punctuated, encodeURIComponent(punctuated)]) {
        const answer = await get(`/v1/accounts/${path}`);
        assert.equal(answer.status, 200, path);
        const { account } = (await answer.json()) as { account: Record<string, unknown> };
        assert.equal(account.cnpj, KNOWN);
        const tag = answer.headers.get("etag") ?? "";
        assert.equal((await get(`/v1/accounts/${path}`, { "if-none-match": tag })).status, 304);
      }
    });

    it("distinguishes wrong, absent, and mistyped CNPJs from right ones", async () => {
      for (const path of ["123", "1000000000000a", "10000000000100/x", "%00", "ação"]) {
        const answer = await get(`/v1/accounts/${path}`);
        assert.ok([404, 422].includes(answer.status), path);
        await answer.arrayBuffer();
      }
      const wrong = await refused(await get("/v1/accounts/123"), 422);
      assert.equal(wrong.errors?.[0]?.code, "invalid_cnpj");
      const base = "12ABC34501DE";
      const right = `${base}${cnpjCheckDigits(base)}`;
      const absent = await refused(await get(`/v1/accounts/${right.toLowerCase()}`), 404);
      assert.equal(absent.code, "not_found");
      assert.doesNotMatch(absent.detail, /check digits/);
      const digits = (Number(right.slice(12)) + 1) % 100;
      const mistyped = await get(`/v1/accounts/${base}${String(digits).padStart(2, "0")}`);
      assert.match((await refused(mistyped, 404)).detail, /check digits are wrong/);
    });

    it("serves its documents without a key, each with a tag", async () => {
      const pages = {
        "/openapi.json": "json",
        "/docs": "html",
        "/docs/errors": "html",
        "/llms.txt": "plain",
      };
      for (const [path, type] of Object.entries(pages)) {
        const answer = await fetchDocumented(server.base + path);
        assert.equal(answer.status, 200, path);
        assert.match(answer.headers.get("content-type") ?? "", new RegExp(type));
        const text = await answer.text();
        assert.ok(text.length > 500);
        const tag = answer.headers.get("etag") ?? "";
        const again = await fetchDocumented(server.base + path, {
          headers: { "if-none-match": tag },
        });
        assert.equal(again.status, 304, path);
      }
      const contact = await (
        await fetchDocumented(`${server.base}/.well-known/security.txt`)
      ).text();
      assert.match(contact, /^Contact: mailto:security@example.com\nExpires: \d{4}-/);
    });
  });
}
