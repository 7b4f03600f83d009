/**
 * Proves to which client address a request behind proxies is attributed. If the peer is no trusted
 * proxy, it is the peer's address. Else it is the last address in the header that belongs to no
 * trusted proxy. Entries that a client added itself, in any spelling, change nothing.
 * Does not prove which requests are counted (unit/access/rate-limits.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Proxies } from "../../../src/settings/proxies.ts";

const read = (text: string) => Proxies.read(text) ?? assert.fail(text);
const PROXIES = read("127.0.0.1, ::1, 10.0.0.0/8, 2001:db8:1::/48");

describe("Proxies.read", () => {
  it("accepts addresses and networks, and nothing else", () => {
    for (const good of ["127.0.0.1", "10.0.0.0/8,::1", " 192.0.2.0/24 ", "2001:db8::/32"]) {
      assert.notEqual(Proxies.read(good), null, good);
    }
    for (const bad of [
      "",
      "localhost",
      "10.0.0.0/33",
      "10.0.0.0/",
      "::1/129",
      "10.0.0.0/8/8",
      "1,",
    ]) {
      assert.equal(Proxies.read(bad), null, bad);
    }
  });
});

describe("Proxies.clientOf", () => {
  const rows: readonly (readonly [peer: string, forwarded: string | undefined, client: string])[] =
    [
      ["192.0.2.1", undefined, "192.0.2.1"],
      ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
      ["127.0.0.1", undefined, "127.0.0.1"],
      ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
      ["::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"],
      ["0000:0000:0000:0000:0000:ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"],
      ["0000:0000:0000:0000:0000:0000:0000:0001", "198.51.100.7", "198.51.100.7"],
      ["127.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"],
      ["127.0.0.1", "203.0.113.9, 198.51.100.7, 10.1.2.3", "198.51.100.7"],
      ["127.0.0.1", "10.9.9.9, 10.1.2.3", "10.9.9.9"],
      ["127.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
      ["::1", "[2001:db8::7]:4711", "2001:db8::7"],
      ["::1", "2001:db8:2::7, 2001:db8:1::1", "2001:db8:2::7"],
      ["127.0.0.1", "198.51.100.7, unknown", "127.0.0.1"],
      ["127.0.0.1", "", "127.0.0.1"],
    ];
  for (const [peer, forwarded, client] of rows) {
    it(`returns ${client} for ${peer} with ${forwarded ?? "no list"}`, () => {
      assert.equal(PROXIES.clientOf(peer, forwarded), client);
    });
  }

  it("is not affected by what a client adds to the list itself", () => {
    const written = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant("10.0.0.1"));
    fc.assert(
      fc.property(fc.array(written, { maxLength: 40 }), (entries) => {
        const forwarded = [...entries, "198.51.100.7", "10.0.0.2"].join(", ");
        assert.equal(PROXIES.clientOf("127.0.0.1", forwarded), "198.51.100.7");
        assert.equal(PROXIES.clientOf("198.51.100.7", forwarded), "198.51.100.7");
      }),
      { seed: 6, numRuns: 2_000 },
    );
  });
});
