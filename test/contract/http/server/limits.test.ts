/**
 * Proves, on both transports, that each limit accepts a request at the limit and rejects a request
 * one unit beyond it. The limits are for the head (bytes, lines), the address, the body (of known
 * and unknown length), and JSON (depth, members, items). Does not prove: what else is rejected
 * (contract/http/server/malformed.test.ts, contract/http/api/scenarios.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HEADER_COUNT_MAX } from "../../../../src/http/server/transport/transport.ts";
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from "../../../../src/text/json-scanner.ts";
import {
  type FakeServer,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../../support/http/fake.ts";

const BODY_BYTES_MAX = 1_048_576;

/**
 * A limit, and a function that makes a request with `size` units of the limited quantity. The word
 * KEY in the request stands for a key.
 */
interface Limit {
  readonly name: string;
  readonly most: number;
  readonly request: (size: number) => string;
  /** Status of a request at the limit, and of one that is one unit past it. */
  readonly statuses: readonly [within: number, past: number];
  /** The refusal's message. */
  readonly pattern?: RegExp;
}

const GET = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
const POST =
  "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
  "Content-Type: application/json\r\nAuthorization: Bearer KEY\r\n";
const SPEC = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';

const post = (body: string) => `${POST}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Returns a text of the given size that begins with `before` and ends with `after`. */
function fill(before: string, after: string, size: number): string {
  return before + "a".repeat(size - before.length - after.length) + after;
}

function chunked(body: string): string {
  const half = body.length >> 1;
  const parts = [body.slice(0, half), body.slice(half)];
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `${POST}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
}

const codes = (count: number) => JSON.stringify(Array.from({ length: count }, () => "4721-1/02"));

const LIMITS: readonly Limit[] = [
  {
    name: "bytes of a head",
    most: TEST_LIMITS.headBytesMax,
    request: (size) => fill(`${GET}X-A: `, "\r\n\r\n", size),
    statuses: [200, 431],
  },
  {
    name: "bytes of a head, most of it the address",
    most: TEST_LIMITS.headBytesMax,
    request: (size) =>
      fill("GET /healthz?", " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", size),
    statuses: [200, 431],
  },
  {
    name: "header lines",
    most: HEADER_COUNT_MAX,
    request: (size) =>
      `${GET}${Array.from({ length: size - 2 }, (_, n) => `X${n}: 1\r\n`).join("")}\r\n`,
    statuses: [200, 431],
  },
  {
    name: "bytes of a body",
    most: BODY_BYTES_MAX,
    request: (size) => post(SPEC.padEnd(size)),
    statuses: [200, 413],
    pattern: /"code":"payload_too_large".*at most 1048576 bytes/,
  },
  {
    name: "bytes of a body in chunks",
    most: BODY_BYTES_MAX,
    request: (size) => chunked(SPEC.padEnd(size)),
    statuses: [200, 413],
    pattern: /"code":"payload_too_large"/,
  },
  {
    name: "levels of JSON",
    most: JSON_DEPTH_MAX,
    request: (size) => post("[".repeat(size) + "]".repeat(size)),
    statuses: [422, 422],
    pattern: /nested|levels/,
  },
  {
    name: "members of an object",
    most: JSON_MEMBERS_MAX,
    request: (size) => post(`{${Array.from({ length: size }, (_, n) => `"a${n}":1`).join(",")}}`),
    statuses: [422, 422],
    pattern: /members/,
  },
  {
    name: "items of a list",
    most: 10_000,
    request: (size) => post(`{"spec":{"filters":{"industry":{"cnae_any_of":${codes(size)}}}}}`),
    statuses: [200, 422],
    pattern: /"pointer":"\/spec\/filters\/industry\/cnae_any_of","code":"/,
  },
];

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);

for (const transport of TRANSPORTS) {
  describe(`limits over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());
    const send = (bytes: string) =>
      sendRaw(server.port, bytes.replaceAll("KEY", server.keys.free), 5_000);

    for (const { name, most, request, statuses, pattern } of LIMITS) {
      it(`of ${name} are enforced: ${most} pass, ${most + 1} do not`, async () => {
        const within = await send(request(most));
        assert.equal(statusOf(within.text), statuses[0], within.text.slice(0, 900));
        const past = await send(request(most + 1));
        assert.equal(statusOf(past.text), statuses[1], past.text.slice(0, 900));
        if (pattern === undefined) return;
        assert.match(past.text, pattern);
        assert.doesNotMatch(within.text, pattern);
      });
    }
  });
}
