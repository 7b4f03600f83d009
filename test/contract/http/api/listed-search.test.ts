/**
 * Proves, on both transports: a spec that names lists is searched, counted, normalized and exported
 * for the tenant that has them and no other; the shown spec has ids and can be sent again; a
 * changed list makes another ETag, ends cursors with words that say so and is another request to an
 * Idempotency-Key; answers of one tenant are never those of another.
 * Does not prove: which accounts match (campaign/twin/listed.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../../src/search/engine.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../../support/http/fake.ts";
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

for (const transport of TRANSPORTS) {
  describe(`specs with lists over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    async function ask(path: string, sent: unknown, more: Record<string, string> = {}) {
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
      const { body: plain } = await ask("/v1/accounts/search", { spec: { filters: uf }, limit: 9 });
      const known = plain.accounts.map(({ cnpj }) => cnpj);
      const { id } = (await ask("/v1/lists", { name: "x" })).body.list;
      await ask(`/v1/lists/${id}/entries`, { cnpjs: known });
      const within = { spec: { filters: { ...uf, lists: { any_of: [id] } } } };
      const without = { spec: { filters: { ...uf, lists: { exclude: [id, id] } } }, limit: 5 };
      for (let again = 0; again < 3; again++) {
        const { body } = await ask("/v1/accounts/search", within);
        assert.deepEqual(
          body.accounts.map(({ cnpj }) => cnpj),
          known,
        );
        assert.deepEqual(
          (await ask("/v1/accounts/search", { spec: body.spec })).body.accounts,
          body.accounts,
        );
      }
      const first = await ask("/v1/accounts/search", without);
      assert.equal(first.body.total, plain.total - 9);
      const counted = await ask("/v1/accounts/count", { spec: without.spec });
      assert.equal(counted.body.total, first.body.total);
      const normal = await ask("/v1/spec/normalize", { spec: without.spec });
      assert.deepEqual((normal.body as { matches?: number }).matches, first.body.total);
      const same = await ask("/v1/accounts/search", without, { "if-none-match": first.etag });
      assert.equal(same.status, 304);
      const next = { spec: first.body.spec, cursor: first.body.next_cursor };
      assert.equal((await ask("/v1/accounts/search", next)).status, 200);
      const cnpjs = first.body.accounts.map(({ cnpj }) => cnpj);
      await ask(`/v1/lists/${id}/entries`, { cnpjs });
      const changed = await ask("/v1/accounts/search", without, { "if-none-match": first.etag });
      assert.equal(changed.status, 200);
      assert.equal(changed.body.total, plain.total - 14);
      const late = await ask("/v1/accounts/search", next);
      assert.deepEqual([late.status, late.body.code], [422, "cursor_mismatch"]);
      assert.match(late.body.detail, /a list that it names has changed since/);
    });

    it("name no list of another tenant, whoever asked before", async () => {
      const { id } = (await ask("/v1/lists", { name: "x" })).body.list;
      const spec = { filters: { ...uf, lists: { exclude: [id] } } };
      for (const path of ["/v1/accounts/search", "/v1/accounts/count", "/v1/spec/normalize"]) {
        assert.equal((await ask(path, { spec })).status, 200, path);
        const other = await ask(path, { spec }, { tenant: "growth" });
        assert.deepEqual([other.status, other.body.code], [404, "list_not_found"], path);
        assert.equal(other.body.errors[0]?.pointer, "/spec/filters/lists/exclude/0");
      }
      const sent = { spec, output: { format: "csv" } };
      const key = { "idempotency-key": "a" };
      assert.equal((await ask("/v1/exports", sent, key)).status, 201);
      const other = await ask("/v1/exports", sent, { ...key, tenant: "growth" });
      assert.equal(other.status, 404);
      const broad = await ask("/v1/accounts/search", {
        spec: { filters: { lists: { any_of: [id] } } },
      });
      assert.equal(broad.body.code, "query_too_broad");
      const shape = await ask("/v1/accounts/search", {
        spec: { filters: { lists: { any_of: ["x"] } } },
      });
      assert.equal(shape.body.errors[0]?.pointer, "/spec/filters/lists/any_of/0");
      const changes = await ask("/v1/leads", { spec: { ...spec, kind: "account_query" } });
      assert.equal(changes.status, 422);
    });
  });
}
