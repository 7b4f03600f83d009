/**
 * Proves: constant headers that are written as one block reach a client as separate lines, in the
 * usual order, over both transports. If an answer sets one of these headers itself, only its own
 * value is sent. A block contains nothing that could end a line.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { headersOf } from "../../../../src/http/server/respond.ts";
import { HeaderBlock } from "../../../../src/http/server/transport/transport.ts";
import { type FakeServer, sendRaw, startFake, TRANSPORTS } from "../../../support/http/fake.ts";

const SECURITY = [
  "X-Content-Type-Options: nosniff",
  "Cache-Control: no-store",
  "Referrer-Policy: no-referrer",
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
];

for (const transport of TRANSPORTS) {
  describe(`constant headers over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    it("are separate lines in the usual order", async () => {
      const key = server.keys.free;
      const head = `GET /v1/status HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n`;
      const request = `${head}Authorization: Bearer ${key}\r\n\r\n`;
      const { text } = await sendRaw(server.port, request);
      const lines = (text.split("\r\n\r\n")[0] as string).split("\r\n").slice(1);
      const names = ["Content-Type", "X-Request-Id", "RateLimit-Policy", "RateLimit"];
      const own = (line: string) => names.includes(line.split(":")[0] as string);
      const ours = lines.filter((line) => own(line) || SECURITY.includes(line));
      assert.deepEqual(ours.slice(0, 6), [
        "Content-Type: application/json; charset=utf-8",
        "X-Request-Id: mine",
        ...SECURITY,
      ]);
      assert.deepEqual(
        ours.slice(6).map((line) => line.split(":")[0]),
        ["RateLimit-Policy", "RateLimit"],
      );
    });
  });
}

describe("a block of headers", () => {
  it("yields to headers that an answer sets itself", () => {
    const answer = { status: 200, type: "", body: "", headers: { "Cache-Control": "private" } };
    assert.deepEqual(headersOf(answer, "id"), [
      ...["X-Request-Id", "id"],
      ...SECURITY.filter((line) => !line.startsWith("Cache")).map((line) => line.split(": ")),
      ...["Cache-Control", "private"],
    ]);
  });

  it("contains nothing that could end a line", () => {
    for (const value of ["a\r\nX-Evil: 1", "a\n", "\u0000", "é"]) {
      assert.throws(() => new HeaderBlock([["X-Plain", value]]), /is a plain header/);
    }
    assert.throws(() => new HeaderBlock([["X-Evil: 1\r\nY", "a"]]), /is a plain header/);
  });
});
