/**
 * Proves that the bytes of request bodies that are being received are counted exactly, and released
 * however a body ends. A simple reference implementation gives the expected counts for any chunks.
 * On both transports, a body gets an immediate 503 if the memory for bodies is used up. Does not
 * prove: the limit of one body (contract/http/server/limits.test.ts).
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { Budget } from "../../../../src/http/server/admission.ts";
import { type BodyRefusal, IncomingBody } from "../../../../src/http/server/body.ts";
import {
  type FakeServer,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../../support/http/fake.ts";
import { settledAt } from "../../../support/http/file-fixture.ts";

const LIMITS = { ...TEST_LIMITS, bodiesBytesMax: 1_280_000, requestTimeoutMs: 20_000 };

/** Pause between two chunks, so that they arrive separately. */
const BETWEEN_PIECES_MS = 20;
/** Time after which a client without an answer is assumed to get none. */
const ANSWERED_MS = 3_000;

const step = fc.record({
  body: fc.nat(3),
  action: fc.oneof(
    fc.record({ kind: fc.constant("add" as const), bytes: fc.nat(60) }),
    fc.constantFrom({ kind: "finish" as const }, { kind: "drop" as const }),
  ),
});

const MOST = 150;
/** The first and the third body have the same sender. */
const SENDERS = ["a", "b", "a", "c"] as const;

/** Reference implementation: counts the same bodies in the simplest way. */
class Model {
  readonly bodies = SENDERS.map((sender) => ({
    ...{ sender, bytes: 0, open: true, result: [] as unknown[] },
  }));
  readonly #share: number;

  constructor(share: number) {
    this.#share = share;
  }

  used(sender?: string): number {
    const counted = this.bodies.filter((one) => one.open && (sender ?? one.sender) === one.sender);
    return counted.reduce((sum, one) => sum + one.bytes, 0);
  }

  add(at: number, bytes: number): void {
    const one = this.bodies[at] as Model["bodies"][number];
    if (!one.open) return;
    const held = this.used(one.sender);
    const left = MOST - (this.used() - held);
    const alone = Math.ceil(this.#share * MOST);
    if (one.bytes + bytes > 100) this.end(at, "too_large");
    else if (held + bytes <= Math.ceil(this.#share * left)) one.bytes += bytes;
    else this.end(at, this.#share < 1 && held + bytes > alone ? "share" : "all");
  }

  end(at: number, result?: unknown): void {
    const one = this.bodies[at] as Model["bodies"][number];
    if (one.open && result !== undefined) one.result.push(result);
    one.open = false;
  }
}

describe("bodies in flight", () => {
  it("are counted like the twin's, in any order of events", () => {
    const shares = fc.constantFrom(1, 0.5, 0.25);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), shares, (steps, share) => {
        const budget = new Budget(MOST, share);
        const model = new Model(share);
        const got: (Uint8Array | BodyRefusal)[][] = [[], [], [], []];
        const bodies = SENDERS.map((sender, at) => {
          const read = (body: Uint8Array | BodyRefusal) => void got[at]?.push(body);
          return new IncomingBody({ limitBytes: 100, sender, read }, budget);
        });
        for (const { body, action } of steps) {
          const real = bodies[body] as IncomingBody;
          if (action.kind === "add") {
            model.add(body, action.bytes);
            real.add(Buffer.alloc(action.bytes));
          } else {
            model.end(body, action.kind === "drop" ? undefined : model.bodies[body]?.bytes);
            real[action.kind]();
          }
          assert.equal(budget.used, model.used());
          assert.equal(real.waiting, model.bodies[body]?.open);
        }
        const seen = got.map((list) => list.map((b) => (typeof b === "string" ? b : b.byteLength)));
        assert.deepEqual(
          seen,
          model.bodies.map(({ result }) => result),
        );
      }),
    );
  });

  it("leave a share to the next sender, however much others use", () => {
    const budget = new Budget(64 * 1024 * 1024, 0.25);
    for (let sender = 0; sender < 20; sender++) {
      let bytes = 16 * 1024 * 1024;
      for (; bytes > 0; bytes >>= 1) while (budget.take(bytes, String(sender)));
    }
    assert.ok(budget.used > 0.99 * budget.most);
    assert.equal(budget.shortage(16_384, "next"), null);
    assert.equal(budget.shortage(16_384, "19"), "all");
    assert.equal(budget.shortage(16_384, "0"), "share");
  });

  it("leave a quarter to small ones if they are large", () => {
    const budget = new Budget(1_000_000);
    const got: (Uint8Array | BodyRefusal)[] = [];
    const body = () =>
      new IncomingBody({ limitBytes: 800_000, sender: "a", read: (one) => got.push(one) }, budget);
    const seen = () => got.map((one) => (typeof one === "string" ? one : one.byteLength));
    const large = body();
    large.add(Buffer.alloc(684_464));
    const small = body();
    small.add(Buffer.alloc(65_535));
    large.add(Buffer.alloc(1));
    assert.deepEqual(seen(), []);
    large.add(Buffer.alloc(1));
    assert.deepEqual(seen(), ["all"]);
    body().add(Buffer.alloc(684_465));
    small.add(Buffer.alloc(1));
    small.add(Buffer.alloc(1));
    assert.deepEqual(seen(), ["all", "all"]);
    const whole = body();
    for (let piece = 0; piece < 4; piece++) whole.add(Buffer.alloc(16_384));
    whole.finish();
    assert.deepEqual(seen(), ["all", "all", 65_536]);
  });

  it("are returned as they arrived", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), (chunks) => {
        let whole: Uint8Array | BodyRefusal = "all";
        const budget = new Budget(1_000);
        const read = (body: Uint8Array | BodyRefusal) => (whole = body);
        const incoming = new IncomingBody({ limitBytes: 1_000, sender: "a", read }, budget);
        for (const chunk of chunks) incoming.add(chunk);
        incoming.finish();
        assert.deepEqual(Buffer.from(whole), Buffer.concat(chunks));
      }),
    );
  });
});

for (const transport of TRANSPORTS) {
  describe(`bodies over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, {}, LIMITS);
    });
    after(() => server.close());

    const head = () =>
      "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
      `Authorization: Bearer ${server.keys.free}\r\n`;
    const spec = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';
    const padded = (bytes: number) => spec.padEnd(bytes);
    const whole = (body: string) => `${head()}Content-Length: ${body.length}\r\n\r\n${body}`;
    /** Sends the first bytes of a body of 500,000 bytes. */
    const begin = (bytes: number): Socket => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`${head()}Content-Length: 500000\r\n\r\n${padded(bytes)}`);
      return socket;
    };
    const used = (wanted: number) => settledAt(wanted, () => server.bodies.used);

    it("are read if empty, for any cut of the head, as is the next request", async () => {
      for (const length of ["0", "00"]) {
        const bytes = `${head()}Content-Length: ${length}\r\n\r\n`;
        const next = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        for (const cut of [0, 1, 40, bytes.length - 3, bytes.length - 1]) {
          const text = await sentInTwo([bytes.slice(0, cut), bytes.slice(cut) + next]);
          const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
          assert.deepEqual(statuses, ["422", "200"], `cut at ${cut} of ${bytes.length}`);
        }
      }
    });

    /** Sends the pieces, and returns the bytes that arrive until the server closes. */
    async function sentInTwo(pieces: readonly string[]): Promise<string> {
      const socket = connect(server.port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      for (const piece of pieces) {
        socket.write(piece);
        await sleep(BETWEEN_PIECES_MS);
      }
      socket.setTimeout(ANSWERED_MS, () => socket.destroy());
      await closed;
      return text;
    }

    it("are rejected immediately without space, and accepted again with it", async () => {
      const sockets = [1, 2, 3, 4].map(() => begin(240_000));
      assert.equal(await used(960_000), 960_000);
      const { text } = await sendRaw(server.port, whole(padded(100_000)));
      assert.match(text, /^HTTP\/1\.1 503 /);
      assert.match(text, /\r\nRetry-After: 1\r\n/i);
      assert.match(text, /"code":"overloaded"/);
      assert.match((await sendRaw(server.port, whole(spec))).text, /^HTTP\/1\.1 200 /);
      assert.equal(await used(960_000), 960_000);
      sockets[0]?.destroy();
      assert.equal(await used(720_000), 720_000);
      assert.match((await sendRaw(server.port, whole(padded(100_000)))).text, /^HTTP\/1\.1 200 /);
      for (const socket of sockets) socket.destroy();
      assert.equal(await used(0), 0);
    });

    it("release their memory when they are complete", async () => {
      const socket = begin(200_000);
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      assert.equal(await used(200_000), 200_000);
      socket.write(" ".repeat(300_000));
      assert.equal(await used(0), 0);
      await settledAt(1, () => Number(text.endsWith("}")));
      assert.match(text, /^HTTP\/1\.1 200 /);
      socket.destroy();
    });

    it("release their memory if one of unknown length is too large", async () => {
      const limits = `${head()}Transfer-Encoding: chunked\r\n\r\n`;
      const chunk = `${(60_000).toString(16)}\r\n${" ".repeat(60_000)}\r\n`;
      for (const chunks of [10, 18]) {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        let text = "";
        socket.on("data", (bytes) => {
          text += bytes.toString();
        });
        socket.write(limits + chunk.repeat(chunks));
        const retained = chunks === 10 ? 600_000 : 0;
        assert.equal(await used(retained), retained);
        if (chunks === 18) {
          await settledAt(1, () => Number(text.includes("\r\n\r\n")));
          assert.match(text, /^HTTP\/1\.1 (413|503) /);
        }
        socket.destroy();
        assert.equal(await used(0), 0);
      }
    });

    it("are never counted if rejected before they are read", async () => {
      const declared = `${head()}Content-Length: 3000000\r\n\r\n${" ".repeat(50_000)}`;
      assert.match((await sendRaw(server.port, declared)).text, /^HTTP\/1\.1 413 /);
      const stranger = whole(padded(300_000)).replace("Bearer pnr", "Bearer pnx");
      assert.match((await sendRaw(server.port, stranger)).text, /^HTTP\/1\.1 403 /);
      assert.equal(server.bodies.used, 0);
    });
  });
}
