/**
 * Proves: a statement counts as lost only if two checks in sequence find that the server neither
 * works on it nor has just answered it. If bytes arrive, or the server refuses to report its
 * activity, the statement keeps waiting. If the server itself does not answer the checks, the
 * statement ends.
 * Does not prove that a real server reports in this way (campaign/fleet/lost).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenConnection } from "../../../src/store/postgres/connection.ts";
import {
  type Backend,
  ConnectionLost,
  seemsLost,
  Watch,
} from "../../../src/store/postgres/watch.ts";

const PID = 7;
const backend = (state: string | null, waits_for: string | null, for_ms: number | null = 900) =>
  ({ pid: PID, state, waits_for, for_ms }) satisfies Backend;

describe("a statement without an answer", () => {
  const LOST = [
    undefined,
    backend("idle", "Client"),
    backend("idle in transaction", "Client"),
    backend("idle in transaction (aborted)", "Client"),
    backend("active", "Client"),
  ];
  const KEPT = [
    backend("active", null),
    backend("active", "Lock"),
    backend("active", "IO"),
    backend("idle", "Client", 20),
    backend(null, null, null),
    backend("disabled", null),
  ];
  for (const one of LOST) {
    it(`is lost if the server is ${JSON.stringify(one ?? "gone")}`, () => {
      assert.equal(seemsLost(one), true);
    });
  }
  for (const one of KEPT) {
    it(`is kept if the server is ${JSON.stringify(one)}`, () => {
      assert.equal(seemsLost(one), false);
    });
  }

  /** Returns a connection whose server answers checks with these results, repeating the last. */
  function serverOf(looks: readonly (Backend | Error)[]) {
    const seen = { looks: 0, ends: 0, bytes: 0 };
    const query = (text: string) => {
      if (/terminate/.test(text)) seen.ends++;
      const look = looks[Math.min(seen.looks++, looks.length - 1)];
      return look instanceof Error ? Promise.reject(look) : Promise.resolve({ rows: [look] });
    };
    const client = { query, end: () => Promise.resolve() };
    const parts = { client, pid: PID, startedAt: "", bytesRead: () => seen.bytes, cut: () => {} };
    return { seen, connection: parts as unknown as OpenConnection };
  }
  const never = () => new Promise<never>(() => {});

  it("fails after two looks, and the server ends its part", async () => {
    const { seen, connection } = serverOf([backend("active", "Lock"), backend("idle", "Client")]);
    const watch = new Watch(() => Promise.resolve(connection));
    await assert.rejects(watch.over(connection, never()), ConnectionLost);
    await new Promise(setImmediate);
    assert.deepEqual([seen.looks, seen.ends], [4, 1]);
  });

  it("fails with the failure of a server that cannot be reached", async () => {
    const { connection } = serverOf([]);
    const watch = new Watch(() => Promise.reject(new Error("unreachable")));
    await assert.rejects(watch.over(connection, never()), /unreachable/);
  });

  it("waits on while bytes arrive, or if the server refuses a connection", async () => {
    const { seen, connection } = serverOf([backend("idle", "Client")]);
    const flow = setInterval(() => seen.bytes++, 20);
    const full = Object.assign(new Error("too many"), { code: "53300" });
    const answer = new Promise((resolve) => setTimeout(resolve, 1_800, "answer"));
    const flowing = new Watch(() => Promise.resolve(connection)).over(connection, answer);
    const refused = new Watch(() => Promise.reject(full)).over(connection, answer);
    assert.deepEqual(await Promise.all([flowing, refused]), ["answer", "answer"]);
    clearInterval(flow);
    assert.ok(seen.looks >= 2);
  });
});
