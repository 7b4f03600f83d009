/**
 * Proves that a request's log line has the bytes that pino would write for the same members. Tests
 * any values (quotation marks, control characters, other scripts, invalid numbers), with and
 * without a sender. A line stays one line of JSON, and its destination gets the level. Does not
 * prove: what a server logs (e2e/server/secrecy.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { pino } from "pino";
import { type AccessLine, accessLine, knownMethod } from "../../../../src/http/server/telemetry.ts";
import { openLog, writeMembers } from "../../../../src/process/log.ts";

/** Texts that must not get into a log unescaped. */
const HOSTILE = [
  '"',
  "\\",
  '","level":60,"x":"',
  "\n",
  "\r\n{}",
  "\u0000",
  "\u001b[2J",
  "\u007f",
  "\u2028",
  "é😀",
  "x".repeat(99),
  `${"x".repeat(200)}"`,
  "%s %d %j",
  "",
];

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }));
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 1e21, Number.NaN));
const line: fc.Arbitrary<AccessLine> = fc.record({
  requestId: text,
  method: fc.oneof(text, fc.constantFrom("GET", "POST", "get")),
  route: text,
  status: fc.integer({ min: 100, max: 599 }),
  tookMs: number,
  sender: fc.option(
    fc.record({
      identity: fc.record({ tenantId: text, keyId: text }),
      // Plan names are never hostile, but the line must be safe for them too.
      plan: fc.record({ name: text as fc.Arbitrary<never> }),
    }),
  ),
});

/** Returns the same log line as an object that pino can write. */
function asObject({ requestId, method, route, status, tookMs, sender }: AccessLine): object {
  const took = Math.round(tookMs * 1000) / 1000;
  const known = knownMethod(method);
  const request = { request_id: requestId, method: known, route, status, took_ms: took };
  if (sender === null) return request;
  const { tenantId: tenant_id, keyId: key_id } = sender.identity;
  return { ...request, plan: sender.plan.name, tenant_id, key_id };
}

describe("the log line of a request", () => {
  it("has the bytes that pino would write", (test) => {
    test.mock.timers.enable({ apis: ["Date"], now: 1_790_000_000_123 });
    const lines: string[] = [];
    const log = openLog("debug", { write: (one) => lines.push(one) });
    fc.assert(
      fc.property(line, fc.constantFrom("info" as const, "debug" as const), (one, level) => {
        lines.length = 0;
        writeMembers(log, level, accessLine(one), "request");
        log[level](asObject(one), "request");
        assert.equal(lines[0], lines[1]);
        assert.match(lines[0] ?? "", /^[^\n]*\n$/);
        JSON.parse(lines[0] ?? "");
        test.mock.timers.tick(1);
      }),
      { numRuns: 1_000 },
    );
  });

  it("reports its level to a destination that needs it", () => {
    const levels: unknown[] = [];
    const destination = {
      [pino.symbols.needsMetadataGsym]: true as const,
      lastLevel: 0,
      write: () => levels.push(destination.lastLevel),
    };
    const log = openLog("debug", destination as never);
    log.error({}, "wrong");
    writeMembers(log, "info", '"n":1', "request");
    writeMembers(log, "debug", '"n":1', "request");
    assert.deepEqual(levels, [50, 30, 20]);
  });
});
