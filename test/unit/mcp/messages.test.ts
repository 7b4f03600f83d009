/**
 * Proves, on both transports, how /mcp parses messages. Invalid messages are rejected as JSON-RPC
 * specifies. Batches are accepted in the protocol versions that have them, and cost as much as
 * their messages. The protocol version is negotiated and enforced. Requests without a key, or with
 * another method, media type, or Origin, are rejected. Answers match the OpenAPI document.
 * Does not prove: the answers of tools (contract/http/api/mcp.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RateLimits } from "../../../src/access/limits.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../support/http/fake.ts";
import { post } from "../../support/mcp/client.ts";

const SP = { geo: { uf_any_of: ["SP"] } };
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a" } },
};
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const NOTE = { jsonrpc: "2.0", method: "notifications/initialized" };
const search = (sent: object) => ({ name: "search_accounts", arguments: sent });

/** Invalid or unsupported messages, each with the expected HTTP status and error code. */
const REFUSED: readonly (readonly [name: string, body: unknown, status: number, code: number])[] = [
  ["no JSON", "{", 400, -32700],
  ["a member twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32700],
  ["an empty body", "", 400, -32700],
  ["a number", 1, 400, -32600],
  ["null", null, 400, -32600],
  ["another version", { ...ping(1), jsonrpc: "1.0" }, 400, -32600],
  ["no version", { id: 1, method: "ping" }, 400, -32600],
  ["an id that is null", ping(null), 400, -32600],
  ["an id that is an object", ping({}), 400, -32600],
  ["a method that is none", { ...ping(1), method: 7 }, 400, -32600],
  ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600],
  ["params that are a list", { ...ping(1), params: [] }, 400, -32600],
  ["a member too many", { ...ping(1), nope: 1 }, 400, -32600],
  ["an unknown method", { ...ping(1), method: "resources/list" }, 200, -32601],
  ["a tool without a name", { ...CALL, params: {} }, 200, -32602],
  ["an unknown tool", { ...CALL, params: { name: "constructor" } }, 200, -32602],
  ["arguments that are a list", { ...CALL, params: search([]) }, 200, -32602],
  ["a page of tools", { ...ping(1), method: "tools/list", params: { cursor: "x" } }, 200, -32602],
  ["no version wanted", { ...ping(1), method: "initialize" }, 200, -32602],
  ["an empty batch", [], 400, -32600],
  ["a batch of too many", Array(21).fill(NOTE), 400, -32600],
];

for (const transport of TRANSPORTS) {
  describe(`messages over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    for (const [name, body, status, code] of REFUSED) {
      it(`rejects ${name}`, async () => {
        const answer = await post(server, body);
        assert.equal(answer.status, status, answer.text);
        assert.equal((answer.json as { error: { code: number } }).error.code, code);
        const { id } = (typeof body === "object" && body !== null ? body : {}) as {
          readonly id?: unknown;
        };
        const reported = typeof id === "number" ? id : null;
        assert.equal((answer.json as { readonly id: unknown }).id, reported);
      });
    }

    it("returns ids unchanged, and does not answer notifications", async () => {
      for (const id of [0, -7, 1.5, "", "é", "null"]) {
        const { json } = await post(server, ping(id));
        assert.deepEqual(json, { jsonrpc: "2.0", id, result: {} });
      }
      const response = { jsonrpc: "2.0", id: 1, result: {} };
      const cancelled = { ...NOTE, method: "notifications/cancelled", params: { requestId: 1 } };
      for (const body of [NOTE, cancelled, response, [NOTE, NOTE], { ...NOTE, method: "x" }]) {
        const { status, text } = await post(server, body);
        assert.deepEqual([status, text], [202, ""]);
      }
    });

    it("accepts batches in the versions that have them, at the cost of each message", async () => {
      const call = { ...CALL, params: search({ filters: SP, limit: 3 }) };
      const { status, json } = await post(server, [call, 7, NOTE, ping("p"), { ...call, id: 2 }]);
      assert.equal(status, 200);
      const answers = json as readonly {
        readonly id: unknown;
        readonly result?: { readonly structuredContent?: { readonly count: number } };
        readonly error?: { readonly code: number };
      }[];
      assert.deepEqual(
        answers.map((one) => [one.id, one.result?.structuredContent?.count, one.error?.code]),
        [
          [1, 3, undefined],
          [null, undefined, -32600],
          ["p", undefined, undefined],
          [2, 3, undefined],
        ],
      );
      for (const version of ["2025-11-25", "2025-06-18"]) {
        const refused = await post(server, [ping(1)], { "mcp-protocol-version": version });
        assert.equal(refused.status, 400, refused.text);
      }
      const old = await post(server, [ping(1)], { "mcp-protocol-version": "2024-11-05" });
      assert.equal(old.status, 200);
    });

    it("negotiates a version, and checks the header against it", async () => {
      for (const [wanted, agreed] of [
        ["2025-06-18", "2025-06-18"],
        ["2024-10-07", "2024-10-07"],
        ["1999-01-01", "2025-11-25"],
      ]) {
        const params = { ...INITIALIZE.params, protocolVersion: wanted };
        const { json } = await post(server, { ...INITIALIZE, params });
        const { result } = json as { result: { protocolVersion: string } };
        assert.equal(result.protocolVersion, agreed);
      }
      const wrong = { "mcp-protocol-version": "1999-01-01" };
      assert.equal((await post(server, ping(1), wrong)).status, 400);
      assert.equal((await post(server, INITIALIZE, wrong)).status, 200);
    });

    it("requires a key, its own method, JSON, and no foreign origin", async () => {
      const none = await post(server, ping(1), { authorization: "" });
      assert.equal(none.status, 401);
      const wrong = await post(server, ping(1), { authorization: "Bearer pnr_x" });
      assert.equal(wrong.status, 403);
      const authorization = `Bearer ${server.keys.free}`;
      for (const method of ["GET", "DELETE", "HEAD"]) {
        const answer = await fetch(`${server.base}/mcp`, { method, headers: { authorization } });
        assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST, OPTIONS"]);
        const asStranger = await fetch(`${server.base}/mcp`, { method });
        assert.equal(asStranger.status, 401);
      }
      assert.equal((await post(server, ping(1), { "content-type": "text/plain" })).status, 415);
      assert.equal((await post(server, " ".repeat(1_100_000))).status, 413);
      const own = `http://127.0.0.1:${server.port}`;
      const origins: readonly (readonly [origin: string, status: number])[] = [
        ["http://evil.example", 403],
        ["https://evil.example", 403],
        ["null", 403],
        [`http://localhost:${server.port}`, 403],
        [own, 200],
        [`${own}.evil.example`, 403],
      ];
      for (const [origin, status] of origins) {
        assert.equal((await post(server, ping(1), { origin })).status, status, origin);
      }
    });

    it("charges a batch for each of its messages, and reports the retry time", async (context) => {
      const plans = loadPlans();
      const limits = { ...plans.enterprise.limits, requests_per_second: 0.01, burst: 10 };
      const slow = { ...plans, enterprise: { ...plans.enterprise, limits } };
      const server = await startFake(transport, {
        plans: slow,
        rateLimits: new RateLimits(systemClock),
      });
      context.after(() => server.close());
      assert.equal(
        (
          await post(
            server,
            Array.from({ length: 6 }, (_, at) => ping(at)),
          )
        ).status,
        200,
      );
      const refused = await post(
        server,
        Array.from({ length: 6 }, (_, at) => ping(at)),
      );
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
    });
  });
}
