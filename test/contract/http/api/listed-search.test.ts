/**
 * Proves, on both transports: a spec that names lists is searched, counted, normalized, and
 * exported for the lists' tenant and no other. The spec that the answer shows contains ids and can
 * be sent again. If a list changes, the ETag changes, cursors become invalid with a message, and a
 * request with the same Idempotency-Key counts as a different request. One tenant's answers are
 * never sent to another. Agents get the same answers.
 * Does not prove: which accounts match (campaign/twin/listed.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ResponseCache } from "../../../../src/http/server/responsecache.ts";
import { COUNT_TOOL } from "../../../../src/mcp/count.ts";
import { localContext } from "../../../../src/mcp/local.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { connectedTo } from "../../../support/mcp/client.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

interface Body {
  readonly list: { readonly id: string };
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly spec: object;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string }[];
}

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

for (const transport of MATRIX) {
  describe(`specs with lists over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    async function request(path: string, sent: unknown, more: Record<string, string> = {}) {
      const { tenant = "enterprise", ...headers } = more;
      const answer = await fetchDocumented(server.base + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.keys[tenant as "free"]}`,
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(sent),
      });
      const text = await answer.text();
      const body = (text === "" ? {} : JSON.parse(text)) as Body;
      return { status: answer.status, etag: answer.headers.get("etag") ?? "", body };
    }

    const uf = { geo: { uf_any_of: ["SP"] } };

    it("are answered for their tenant, until the list changes", async () => {
      const { body: plain } = await request("/v1/accounts/search", {
        spec: { filters: uf },
        limit: 9,
      });
      const known = plain.accounts.map(({ cnpj }) => cnpj);
      const { id } = (await request("/v1/lists", { name: "x" })).body.list;
      await request(`/v1/lists/${id}/entries`, { cnpjs: known });
      const within = { spec: { filters: { ...uf, lists: { any_of: [id] } } } };
      const without = { spec: { filters: { ...uf, lists: { exclude: [id, id] } } }, limit: 5 };
      for (let again = 0; again < 3; again++) {
        const { body } = await request("/v1/accounts/search", within);
        assert.deepEqual(
          body.accounts.map(({ cnpj }) => cnpj),
          known,
        );
        assert.deepEqual(
          (await request("/v1/accounts/search", { spec: body.spec })).body.accounts,
          body.accounts,
        );
      }
      const first = await request("/v1/accounts/search", without);
      assert.equal(first.body.total, plain.total - 9);
      const counted = await request("/v1/accounts/count", { spec: without.spec });
      assert.equal(counted.body.total, first.body.total);
      const normal = await request("/v1/spec/normalize", { spec: without.spec });
      assert.deepEqual((normal.body as { matches?: number }).matches, first.body.total);
      const same = await request("/v1/accounts/search", without, { "if-none-match": first.etag });
      assert.equal(same.status, 304);
      const next = { spec: first.body.spec, cursor: first.body.next_cursor };
      assert.equal((await request("/v1/accounts/search", next)).status, 200);
      const cnpjs = first.body.accounts.map(({ cnpj }) => cnpj);
      await request(`/v1/lists/${id}/entries`, { cnpjs });
      const changed = await request("/v1/accounts/search", without, {
        "if-none-match": first.etag,
      });
      assert.equal(changed.status, 200);
      assert.equal(changed.body.total, plain.total - 14);
      const late = await request("/v1/accounts/search", next);
      assert.deepEqual([late.status, late.body.code], [422, "cursor_mismatch"]);
      assert.match(late.body.detail, /a list that it names has changed since/);
    });

    it("reflect each change for identical requests, cached or not", async () => {
      const responses = new ResponseCache(16_777_216);
      responses.serve(segment);
      const parts = { responses };
      const own = await startFake(transport, { engine: ENGINE, segment: () => segment, ...parts });
      const send = (path: string, body: string, key = own.keys.enterprise) =>
        fetch(own.base + path, {
          ...{ method: "POST", body },
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        });
      try {
        const made = await (await send("/v1/lists", '{"name":"x"}')).json();
        const { id } = (made as Body).list;
        const spec = { filters: { ...uf, lists: { exclude: [id] } } };
        const same = JSON.stringify({ spec, limit: 20 });
        const cnpjs = segment.native.renderJson(
          Uint32Array.from({ length: 200 }, (_, i) => i),
          ["cnpj"],
        );
        const known = JSON.parse(Buffer.from(cnpjs).toString()) as { cnpj: string }[];
        for (let step = 0; step < 24; step++) {
          const some = known
            .filter((_, at) => (at * 7 + step * 5) % 11 < 3)
            .map(({ cnpj }) => cnpj);
          const verb = step % 3 === 2 ? "entries/remove" : "entries";
          const changed = await send(`/v1/lists/${id}/${verb}`, JSON.stringify({ cnpjs: some }));
          assert.equal(changed.status, 200);
          // The spaces make a body that is not in any cache.
          const renewed = await send("/v1/accounts/search", same + " ".repeat(step + 1));
          const expected = (await renewed.json()) as Body;
          for (let again = 0; again < 3; again++) {
            const answer = await send("/v1/accounts/search", same);
            const body = (await answer.json()) as Body;
            assert.equal(answer.headers.get("etag"), renewed.headers.get("etag"), `step ${step}`);
            assert.deepEqual([body.total, body.accounts], [expected.total, expected.accounts]);
          }
          assert.equal((await send("/v1/accounts/search", same, own.keys.growth)).status, 404);
        }
        const plain = JSON.stringify({ spec: { filters: uf }, limit: 20 });
        for (let again = 0; again < 4; again++) await send("/v1/accounts/search", plain);
        // In each of the 24 steps two of three requests are cache hits, but only one in the first
        // step, because its second request stores the page. Two of the four last requests are hits
        // as well.
        assert.equal(responses.hits, 1 + 23 * 2 + 2);
      } finally {
        await own.close();
      }
    });

    it("reject lists of another tenant after the owner's identical request", async () => {
      const { id } = (await request("/v1/lists", { name: "y" })).body.list;
      const spec = { filters: { ...uf, lists: { exclude: [id] } } };
      for (const path of ["/v1/accounts/search", "/v1/accounts/count", "/v1/spec/normalize"]) {
        assert.equal((await request(path, { spec })).status, 200, path);
        const other = await request(path, { spec }, { tenant: "growth" });
        assert.deepEqual([other.status, other.body.code], [404, "list_not_found"], path);
        assert.equal(other.body.errors[0]?.pointer, "/spec/filters/lists/exclude/0");
      }
      const sent = { spec, output: { format: "csv" } };
      const key = { "idempotency-key": "a" };
      assert.equal((await request("/v1/exports", sent, key)).status, 201);
      const other = await request("/v1/exports", sent, { ...key, tenant: "growth" });
      assert.equal(other.status, 404);
      const broad = await request("/v1/accounts/search", {
        spec: { filters: { lists: { exclude: [id] } } },
      });
      assert.equal(broad.body.code, "query_too_broad");
      const shape = await request("/v1/accounts/search", {
        spec: { filters: { lists: { any_of: ["x"] } } },
      });
      assert.equal(shape.body.errors[0]?.pointer, "/spec/filters/lists/any_of/0");
      const leads = await request("/v1/leads", { spec: { ...spec, kind: "account_query" } });
      assert.equal(leads.status, 422);
    });

    it("answer agents alike, and are exported again after a list change", async () => {
      const { id } = (await request("/v1/lists", { name: "z" })).body.list;
      const plain = (await request("/v1/accounts/search", { spec: { filters: uf }, limit: 9 }))
        .body;
      await request(`/v1/lists/${id}/entries`, { cnpjs: plain.accounts.map(({ cnpj }) => cnpj) });
      const filters = { ...uf, lists: { exclude: [id, "exported"] } };
      const agent = await connectedTo(server.base, server.keys.enterprise);
      const other = await connectedTo(server.base, server.keys.growth);
      const counted = await agent.call("count_accounts", { filters });
      assert.equal(counted.structured.total, plain.total - 9);
      const found = await agent.call("search_accounts", { filters, limit: 50 });
      assert.equal(found.structured.total, plain.total - 9);
      for (const tool of ["count_accounts", "search_accounts", "create_export"]) {
        assert.match(
          (await other.call(tool, { filters })).text,
          /^list_not_found.*\/filters\/lists/s,
        );
      }
      const wrong = await agent.call("create_export", { filters, wait_seconds: 99 });
      assert.match(wrong.text, /wait_seconds/);
      assert.doesNotMatch(wrong.text, /\/filters/);
      const make = async () => {
        const { structured } = await agent.call("create_export", { filters, wait_seconds: 0 });
        return structured.export_id;
      };
      const first = await make();
      assert.equal(await make(), first);
      await request(`/v1/lists/${id}/entries/remove`, { cnpjs: [plain.accounts[0]?.cnpj] });
      assert.notEqual(await make(), first);
      await Promise.all([agent.close(), other.close()]);
    });

    it("are rejected with a readable error without a server", async () => {
      const context = localContext(segment)(() => false);
      const sent = { filters: { ...uf, lists: { exclude: ["exported"] } } };
      await assert.rejects(async () => COUNT_TOOL.run(sent, context), /A server keeps lists/);
    });
  });
}
