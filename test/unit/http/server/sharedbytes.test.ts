/**
 * Proves: a body in the shared buffer has the bytes of its parts. Reading a body after it was
 * overwritten is an error and never returns the bytes of another body, while a copy stays valid. A
 * body that is too large does not use the buffer. For exchanges over uWebSockets.js, with a
 * simulated library: answers that are delayed or read slowly survive later answers, and an
 * answer that is sent immediately is not copied.
 * Does not prove the same over sockets (contract/http/server/sharedbuffer.test.ts).
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Budget } from "../../../../src/http/server/admission.ts";
import {
  copyIfShared,
  joined,
  type SharedBytes,
  UNSTREAMED_BYTES_MAX,
  writeShared,
} from "../../../../src/http/server/transport/answer-body.ts";
import { PIPELINED_BYTES_MAX, Sockets } from "../../../../src/http/server/transport/sockets.ts";
import { DelayedAnswers } from "../../../../src/http/server/transport/transport.ts";
import { UwsConnection } from "../../../../src/http/server/transport/uws-connection.ts";
import { UwsExchange } from "../../../../src/http/server/transport/uws-exchange.ts";
import { TEST_LIMITS } from "../../../support/http/fake.ts";

/** The parts of a body that repeats one letter. */
function partsOf(letter: string, accounts = 100) {
  const [head, tail] = [`head ${letter}`, [`tail ${letter}`, " ã"]];
  const bytes = Buffer.from(letter.repeat(accounts));
  return { head, prefix: Buffer.from(`prefix ${letter}`), accounts: bytes, tail };
}

const textOf = (letter: string) =>
  `head ${letter}prefix ${letter}${letter.repeat(100)}tail ${letter} ã`;

function lent(letter: string): SharedBytes {
  const body = writeShared(partsOf(letter));
  assert.ok(body !== null);
  return body;
}

const sockets = new Sockets(TEST_LIMITS);

/** Returns an exchange over a simulated library, and the bytes that the library received. */
function exchangeWith(held: DelayedAnswers, connection: UwsConnection) {
  const given: Uint8Array[] = [];
  let aborted = () => {};
  const response = {
    onAborted(handler: () => void) {
      aborted = handler;
    },
    onData() {},
    writeStatus() {},
    writeHeader() {},
    end: (body?: string | Uint8Array) => given.push(body as Uint8Array),
    endWithoutBody() {},
    cork: (write: () => void) => write(),
    close() {},
    // The client accepts no bytes.
    tryEnd(chunk: Uint8Array): [boolean, boolean] {
      given.push(chunk);
      return [false, false];
    },
    write: () => true,
    onWritable() {},
    pause(): void {},
    resume(): void {},
    getWriteOffset: () => 0,
  };
  const request = {
    ...{ getCaseSensitiveMethod: () => "POST", getUrl: () => "/v1", getQuery: () => undefined },
    // Without this header the exchange would wait for the end of a body.
    forEach: (each: (name: string, value: string) => void) => each("content-length", "2"),
  };
  const around = {
    ...{ writeTimeoutMs: 5_000, minReadBytesPerSecond: 16_384, tooSlow() {}, leaving: () => false },
    ...{ bodies: new Budget(1_000), held, settled() {} },
  };
  const exchange = new UwsExchange(response, request, connection, around);
  return { exchange, given, abort: () => aborted() };
}

function newConnection(): UwsConnection {
  const slot = sockets.enter("127.0.0.1", () => {});
  assert.ok(slot !== null);
  return new UwsConnection("127.0.0.1", slot, () => {});
}

const read = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe("the shared buffer", () => {
  it("contains the concatenated parts until the next body", () => {
    const first = lent("a");
    assert.equal(read(first.bytes), textOf("a"));
    assert.deepEqual(Buffer.from(first.bytes), Buffer.from(joined(partsOf("a"))));
    const copy = copyIfShared<never>(first);
    const second = lent("b");
    assert.equal(read(copy), textOf("a"));
    assert.equal(read(second.bytes), textOf("b"));
    assert.throws(() => first.bytes, /sent before the next one/);
    assert.throws(() => first.copy(), /sent before the next one/);
    assert.equal(copyIfShared("text"), "text");
  });

  it("is not used for too many bytes, and is left alone while in use", () => {
    const first = lent("a");
    assert.equal(writeShared(partsOf("b", UNSTREAMED_BYTES_MAX)), null);
    assert.equal(
      writeShared({ ...partsOf("b"), tail: ["ã".repeat(UNSTREAMED_BYTES_MAX / 3)] }),
      null,
    );
    assert.equal(read(first.bytes), textOf("a"));
  });
});

describe("an exchange with bytes of the shared buffer", () => {
  const ends: (() => void)[] = [];
  after(() => {
    for (const end of ends) end();
  });

  it("passes them on unchanged", () => {
    const { exchange, given } = exchangeWith(new DelayedAnswers(), newConnection());
    const body = lent("a");
    exchange.send(200, [], body);
    assert.equal(given[0]?.buffer, body.bytes.buffer);
    assert.equal(read(given[0]), textOf("a"));
  });

  it("copies what is held back", () => {
    const held = new DelayedAnswers();
    held.begin();
    const connection = newConnection();
    const [one, two] = [exchangeWith(held, connection), exchangeWith(held, connection)];
    one.exchange.send(200, [], lent("a"));
    two.exchange.send(200, [], lent("b"));
    lent("c");
    held.end();
    assert.deepEqual(
      [one, two].map(({ given }) => read(given[0])),
      [textOf("a"), textOf("b")],
    );
  });

  it("copies what its client reads slowly", async () => {
    const connection = newConnection();
    connection.copies(PIPELINED_BYTES_MAX);
    // The call above used up the copies that one turn of the event loop may make, so this waits for
    // the next turn.
    await nextTurn();
    const { exchange, given, abort } = exchangeWith(new DelayedAnswers(), connection);
    ends.push(abort);
    exchange.send(200, [], lent("a"));
    lent("b");
    assert.equal(given.length, 1);
    assert.equal(read(given[0]), textOf("a"));
  });
});
