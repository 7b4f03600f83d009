/**
 * Proves, on both transports: after a bit of a list's stored entries is flipped, every route that
 * reads or changes the list answers 500 `state_damaged`. The metrics count these answers. Other
 * lists work, and the damaged list can be deleted.
 * Does not prove: which damage is detected at the start, and in which blobs
 * (contract/store/blobs.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { openSecondConnection } from "../../../../src/store/database.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
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
  describe(`a damaged list over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    async function send(method: string, path: string, sent?: object) {
      const json = sent === undefined ? {} : { "content-type": "application/json" };
      const answer = await fetchDocumented(server.base + path, {
        method,
        headers: { authorization: `Bearer ${server.keys.enterprise}`, ...json },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
    }

    async function listOf(name: string): Promise<string> {
      const made = await send("POST", "/v1/lists", { name, kind: "accounts" });
      const { id } = made.body.list;
      const filled = await send("POST", `/v1/lists/${id}/entries/from-search`, { spec: SP });
      assert.ok(filled.body.added > 100, JSON.stringify(filled.body));
      return id;
    }

    /** Flips a bit of the entries that were written last. */
    function damage(): void {
      const database = openSecondConnection(server.dataDir);
      const last = "id = (SELECT max(id) FROM list_entries)";
      const found = database.prepare<[], Buffer>(`SELECT entries FROM list_entries WHERE ${last}`);
      const entries = Buffer.from(found.pluck().get() as Buffer);
      entries[5] = (entries[5] as number) ^ 1;
      database.prepare(`UPDATE list_entries SET entries = ? WHERE ${last}`).run(entries);
      database.close();
    }

    async function damages(): Promise<number> {
      const text = await (await fetch(`${server.base}/metrics`)).text();
      return Number(/^peneira_state_damaged_total (\d+)/m.exec(text)?.[1] ?? 0);
    }

    it("is named by every route that needs it, and counted", async () => {
      const good = await listOf("good");
      const bad = await listOf("bad");
      damage();
      const spec = { filters: { lists: { any_of: [bad] } } };
      const cnpjs = { cnpjs: ["11222333000181"] };
      const requested: [string, string, object?][] = [
        ["GET", `/v1/lists/${bad}/entries`],
        ["POST", `/v1/lists/${bad}/entries`, cnpjs],
        ["POST", `/v1/lists/${bad}/entries/remove`, cnpjs],
        ["POST", `/v1/lists/${bad}/entries/from-search`, { spec: SP }],
        ["POST", "/v1/accounts/search", { spec }],
        ["POST", "/v1/accounts/count", { spec }],
        ["POST", "/v1/spec/normalize", { spec }],
      ];
      const before = await damages();
      for (const [method, path, sent] of requested) {
        const { status, body } = await send(method, path, sent);
        assert.deepEqual([status, body.code], [500, "state_damaged"], `${method} ${path}`);
        assert.match(body.detail, /state cannot be read here.*restore a backup/);
      }
      assert.equal((await damages()) - before, requested.length);
      assert.equal((await send("GET", `/v1/lists/${good}/entries`)).status, 200);
      assert.equal((await send("POST", `/v1/lists/${good}/entries`, cnpjs)).status, 200);
      assert.equal((await send("DELETE", `/v1/lists/${bad}`)).status, 204);
    });
  });
}
