/**
 * Proves, on both transports: following cursors returns every match once and in order, for any page
 * size. A cursor is rejected with the right code if it is altered, or sent with another spec,
 * tenant, plan, or snapshot. No answer from the cache is sent to another plan, for another
 * snapshot, or for a body of other bytes. A damaged snapshot is answered with 503. A bug is
 * answered with 500, and neither the answer nor the log has the text of the error. Does not prove:
 * the engine.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../../src/errors.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import {
  engineOf,
  FAKE_ACCOUNTS,
  type FakeServer,
  fakeParts,
  fakeSegment,
  poison,
  startFake,
} from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

interface Page {
  readonly status: number;
  readonly code?: string;
  readonly spec: {
    readonly limit: number;
    readonly output: { readonly fields: string[] };
    readonly scoring: { readonly random_seed: number | null };
  };
  readonly accounts: { readonly cnpj: string }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly total: number;
  readonly snapshot: string;
  readonly request_id: string;
}

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const RJ = { filters: { geo: { uf_any_of: ["RJ"] } } };
const expectedSp = FAKE_ACCOUNTS.filter(({ uf }) => uf === "SP").map(({ cnpj }) => cnpj);

async function post(server: FakeServer, body: object, key: string): Promise<Page> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const answer = await fetchDocumented(`${server.base}/v1/accounts/search`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { ...((await answer.json()) as Page), status: answer.status };
}

for (const transport of MATRIX) {
  describe(`a search over ${transport}`, () => {
    let server: FakeServer;
    let key: string;
    const search = (body: object, by = key) => post(server, body, by);
    before(async () => {
      server = await startFake(transport);
      key = server.keys.enterprise;
    });
    after(() => server.close());

    for (const limit of [1, 7, 125, 249, 250, 251]) {
      it(`yields every match once in pages of ${limit}`, async () => {
        const seen: string[] = [];
        let page = await search({ spec: SP, limit });
        for (;;) {
          assert.equal(page.status, 200);
          assert.equal(page.total, 250);
          assert.ok(page.accounts.length > 0 && page.accounts.length <= limit);
          seen.push(...page.accounts.map(({ cnpj }) => cnpj));
          assert.equal(page.has_more, seen.length < 250);
          assert.equal(page.next_cursor === null, !page.has_more);
          if (page.next_cursor === null) break;
          page = await search({ spec: page.spec, cursor: page.next_cursor });
        }
        assert.deepEqual(seen, expectedSp);
      });
    }

    it("continues from both the original and the normalized spelling of a spec", async () => {
      const first = await search({ spec: SP });
      const own = await search({ spec: SP, cursor: first.next_cursor });
      const other = await search({ spec: first.spec, cursor: first.next_cursor });
      assert.equal(own.status, 200);
      assert.deepEqual(own.accounts, other.accounts);
      assert.notDeepEqual(own.accounts, first.accounts);
    });

    it("rejects a cursor with another spec or other fields", async () => {
      const { next_cursor: cursor, spec } = await search({ spec: SP });
      const output = { ...spec.output, fields: ["uf"] };
      for (const wrong of [RJ, { ...spec, output }, { ...SP, scoring: { strategy: "newest" } }]) {
        const answer = await search({ spec: wrong, cursor });
        assert.deepEqual([answer.status, answer.code], [422, "cursor_mismatch"]);
      }
    });

    it("rejects a cursor of another tenant, on any plan", async () => {
      const { next_cursor: cursor, spec } = await search({ spec: SP });
      for (const plan of ["free", "scale"] as const) {
        const answer = await search({ spec, cursor }, server.keys[plan]);
        assert.deepEqual([answer.status, answer.code], [422, "invalid_cursor"]);
      }
    });

    it("rejects a cursor after the tenant's plan changed its fields", async () => {
      const { next_cursor: cursor } = await search({ spec: SP });
      const smaller = server.keyring.create({ tenant: "enterprise", plan: "free", name: "" });
      const answer = await search({ spec: SP, cursor }, smaller.key);
      assert.deepEqual([answer.status, answer.code], [422, "cursor_mismatch"]);
    });

    it("rejects every cursor with one character changed", async () => {
      const { next_cursor: cursor, spec } = await search({ spec: SP });
      assert.ok(cursor !== null && cursor.length <= 512);
      for (let at = 0; at < cursor.length; at++) {
        const letter = cursor[at] === "A" ? "B" : "A";
        const altered = cursor.slice(0, at) + letter + cursor.slice(at + 1);
        const answer = await search({ spec, cursor: altered });
        assert.deepEqual([answer.status, answer.code], [422, "invalid_cursor"], `at ${at}`);
      }
    });

    it("rejects a cursor of a snapshot that is no longer loaded", async () => {
      const { next_cursor: cursor, spec } = await search({ spec: SP });
      const old = fakeSegment();
      server.load(fakeSegment("2026-11", "0123456789abcdef"));
      const answer = await search({ spec, cursor });
      assert.deepEqual([answer.status, answer.code], [422, "cursor_expired"]);
      assert.equal((await search({ spec: SP })).snapshot, "2026-11");
      server.load(old);
      assert.equal((await search({ spec, cursor })).status, 200);
    });

    it("answers the same body by each plan's rules", async () => {
      const body = { spec: SP, limit: 1_000 };
      for (let round = 0; round < 3; round++) {
        assert.equal((await search(body)).spec.limit, 1_000);
        assert.equal((await search(body, server.keys.free)).spec.limit, 100);
        assert.equal((await search(body, server.keys.starter)).spec.limit, 1_000);
      }
      const contact = { spec: SP, output: { fields: ["email"] } };
      for (let round = 0; round < 2; round++) {
        assert.equal((await search(contact)).status, 200);
        assert.equal((await search(contact, server.keys.free)).code, "field_not_allowed");
      }
    });

    it("stays correct with more distinct requests than the cache holds", async () => {
      const send = (seed: number) => ({
        spec: { ...SP, scoring: { random_seed: seed } },
        limit: 1,
      });
      for (const seed of [...Array(600).keys(), 0, 599, 300]) {
        const answer = await search(send(seed));
        assert.equal(answer.status, 200);
        assert.equal(answer.spec.scoring.random_seed, seed);
      }
    });

    it("returns a new id and the same accounts, byte for byte, for each request", async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => search({ spec: SP })));
      assert.equal(new Set(answers.map((answer) => answer.request_id)).size, 50);
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.accounts))).size, 1);
    });

    it("returns 503 without a snapshot, and while the snapshot is damaged", async () => {
      const damaged = fakeSegment();
      poison(damaged);
      for (const segment of [null, damaged]) {
        server.load(segment);
        const answer = await search({ spec: SP });
        assert.deepEqual([answer.status, answer.code], [503, "snapshot_unavailable"]);
        assert.equal(answer.accounts, undefined);
        assert.equal((await fetchDocumented(`${server.base}/readyz`)).status, 503);
        assert.equal((await fetchDocumented(`${server.base}/healthz`)).status, 200);
      }
      server.load(fakeSegment());
      assert.equal((await search({ spec: SP })).status, 200);
    });
  });

  describe(`a failing engine over ${transport}`, () => {
    const failures = {
      damaged: new AppError("snapshot_unavailable", "The snapshot file is damaged."),
      bug: new TypeError("cannot read Maria da Silva, maria@example.com"),
    };
    let failure: Error;
    let server: FakeServer;
    before(async () => {
      const search = () => {
        throw failure;
      };
      server = await startFake(transport, { engine: engineOf({ ...fakeParts, search }) });
    });
    after(() => server.close());

    it("returns 503 if the engine reports a damaged file", async () => {
      failure = failures.damaged;
      const answer = await post(server, { spec: SP }, server.keys.enterprise);
      assert.deepEqual([answer.status, answer.code], [503, "snapshot_unavailable"]);
    });

    it("returns 500 for a bug, with an id for the log and no message", async () => {
      failure = failures.bug;
      const answer = await post(server, { spec: SP }, server.keys.enterprise);
      assert.deepEqual([answer.status, answer.code], [500, "internal_error"]);
      assert.ok(!JSON.stringify(answer).includes("Maria"));
      const log = server.logged.join("");
      assert.ok(!/Maria|maria@/.test(log));
      const lines = server.logged.map((line) => JSON.parse(line));
      const bug = lines.find((line) => line.error);
      assert.equal(bug.error, "TypeError");
      assert.equal(bug.request_id, answer.request_id);
      assert.match(bug.place[0], /http\/api\/search\.test\.m?[jt]s/);
    });
  });
}
