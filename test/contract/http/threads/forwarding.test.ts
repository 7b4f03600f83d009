/**
 * Proves, for 4,000 seeded orders of events: a request that an HTTP thread forwards to the server's
 * main thread (the owner) ends there exactly once. Its body is read or dropped. The chunks and the
 * file of its answer are released exactly once, and the sent bytes are the rendered ones. This
 * holds whenever the client leaves, the thread ends, or messages cross.
 * Does not prove: the transports (contract/http/threads).
 */
import assert from "node:assert/strict";
import { fstatSync, openSync } from "node:fs";
import { describe, it } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { BodyRequest } from "../../../../src/http/server/body.ts";
import { ForwardedExchange } from "../../../../src/http/server/threads/forwarded-exchange.ts";
import { Forwarder } from "../../../../src/http/server/threads/forwarding.ts";
import type { ToOwner, ToThread } from "../../../../src/http/server/threads/wire.ts";
import {
  type AnswerBody,
  isStreamed,
  type PulledBody,
  pull,
} from "../../../../src/http/server/transport/answer-body.ts";
import type { AwaitsEnd, Exchange } from "../../../../src/http/server/transport/transport.ts";
import { randomFrom } from "../../../support/translate/shapes.ts";

const ORDERS = 4_000;

/**
 * A client's request and answer on the HTTP thread, without a socket. The test calls its methods to
 * make events happen.
 */
class ClientExchange implements Exchange {
  readonly method = "POST";
  readonly path = "/v1/x";
  readonly query = "";
  readonly address = "127.0.0.1";
  readonly framing = null;
  aborted = false;
  wanted: BodyRequest | null = null;
  source: PulledBody | null = null;
  sent = "";
  answered = false;
  isOver = false;
  #awaiting: AwaitsEnd | null = null;
  #asks = false;

  get finished(): boolean {
    return this.aborted;
  }

  header(): undefined {}
  keepBody(): void {}

  body(wanted: BodyRequest): void {
    this.wanted = wanted;
  }

  whenOver(awaiting: AwaitsEnd): void {
    if (this.isOver) awaiting.over();
    else this.#awaiting = awaiting;
  }

  send(_status: number, _headers: unknown, body: AnswerBody): void {
    assert(!this.answered, "answered once");
    this.answered = true;
    if (!isStreamed(body)) {
      this.sent = String(body);
      this.#end();
    } else if (this.aborted) pull(body).end();
    else this.source = pull(body);
  }

  cut(): void {
    this.leave();
  }

  /** Called when the client leaves or its connection ends. */
  leave(): void {
    if (this.isOver) return;
    this.aborted = true;
    this.wanted?.taker?.drop?.();
    this.source?.end();
    this.source = null;
    this.#end();
  }

  /** Requests chunks until the last one, then ends. */
  pullOn(): void {
    const { source } = this;
    if (source === null || this.#asks) return;
    if (source.left === 0) {
      source.end();
      this.source = null;
      this.#end();
      return;
    }
    this.#asks = true;
    source.next((chunk) => {
      this.#asks = false;
      if (chunk === null) this.leave();
      else this.sent += Buffer.from(chunk).toString();
    });
  }

  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#awaiting?.over();
    this.#awaiting = null;
  }
}

type Kind = "bytes" | "pieces" | "file";

/** One request, with a queue of messages in each direction between the thread and the owner. */
class Case {
  readonly client = new ClientExchange();
  readonly #random: () => number;
  readonly #kind: Kind;
  readonly #toOwner: ToOwner[] = [];
  readonly #toThread: ToThread[] = [];
  readonly #forwarder = new Forwarder((message) => this.#toOwner.push(message));
  #owner: ForwardedExchange | null = null;
  #isKnown = false;
  #isLost = false;
  overs = 0;
  ends = 0;
  made = "";
  descriptor = -1;

  constructor(random: () => number, kind: Kind) {
    this.#random = random;
    this.#kind = kind;
    this.#forwarder.forward(this.client, "req_1", null);
  }

  get isSettled(): boolean {
    const quiet = this.#toOwner.length === 0 && this.#toThread.length === 0;
    return quiet && (this.#isLost || (this.client.isOver && this.overs > 0));
  }

  step(): void {
    const choice = Math.floor(this.#random() * 8);
    if (choice < 3) this.#deliverToOwner();
    else if (choice < 5) this.#deliverToThread();
    else if (choice === 5) this.client.pullOn();
    else if (choice === 6 && this.client.wanted !== null) this.#sendBody();
    else if (choice === 7 && this.#random() < 0.15) this.client.leave();
  }

  /** Ends the thread. Messages that it has not sent are lost. */
  lose(): void {
    this.#isLost = true;
    this.#toThread.length = 0;
    this.#toOwner.length = 0;
    this.#owner?.lost();
  }

  #sendBody(): void {
    const wanted = this.client.wanted;
    this.client.wanted = null;
    wanted?.read(Buffer.from("{}"));
  }

  #deliverToOwner(): void {
    const message = this.#toOwner.shift();
    if (message === undefined) return;
    if (message.kind === "request") {
      this.#owner = new ForwardedExchange(message, (answer) => this.#toThread.push(answer));
      this.#isKnown = true;
      this.#owner.whenOver({ over: () => void this.overs++ });
      this.#owner.body({ limitBytes: 100, sender: "t", read: () => this.#answer() });
    } else if (this.#isKnown) {
      if (this.#owner?.take(message) === true) this.#isKnown = false;
    }
  }

  #deliverToThread(): void {
    const message = this.#toThread.shift();
    if (message !== undefined) this.#forwarder.take(message);
  }

  #answer(): void {
    const done = () => void this.ends++;
    let body: AnswerBody = "whole";
    if (this.#kind === "pieces") {
      const pieces = ["a", "b", "c"].map((text) => Buffer.from(text)).values();
      body = { pieces, failed: () => {}, done };
    } else if (this.#kind === "file") {
      this.descriptor = openSync(import.meta.filename ?? process.execPath, "r");
      body = { descriptor: this.descriptor, offset: 0, length: 4, done };
    }
    this.made = this.#kind;
    this.#owner?.send(200, [], body);
  }
}

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

describe("forwarded requests", () => {
  it("are forgotten by their thread if the client left before", () => {
    const sent: ToOwner[] = [];
    const forwarder = new Forwarder((message) => sent.push(message));
    const client = new ClientExchange();
    client.leave();
    forwarder.forward(client, "req_1", null);
    assert.equal(forwarder.size, 0);
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      ["request", "over"],
    );
  });

  for (const kind of ["bytes", "pieces", "file"] as const) {
    it(`end once and release their ${kind}, in any order of events`, async () => {
      const random = randomFrom(kind.length);
      const seen = { whole: 0, left: 0, lost: 0 };
      for (let order = 0; order < ORDERS / 3; order++) {
        const one = new Case(random, kind);
        const loses = random() < 0.1 ? Math.floor(random() * 30) : Number.POSITIVE_INFINITY;
        for (let step = 0; !one.isSettled; step++) {
          assert(step < 20_000, "it comes to an end");
          if (step === loses) one.lose();
          else one.step();
          if (step % 8 === 7) await setImmediate();
        }
        for (let turn = 0; turn < 1_000 && one.made !== "" && one.made !== "bytes"; turn++) {
          if (one.ends > 0) break;
          // Files are read and closed on other threads, so the test waits a little.
          if (turn > 20) await sleep(1);
          one.client.pullOn();
          for (let step = 0; step < 8; step++) one.step();
          await setImmediate();
        }
        assert(one.overs <= 1, "over once");
        if (one.made === "pieces" || one.made === "file") assert.equal(one.ends, 1, one.made);
        if (one.descriptor >= 0 && loses === Number.POSITIVE_INFINITY) {
          for (let turn = 0; turn < 1_000 && isOpen(one.descriptor); turn++) await sleep(1);
          assert(!isOpen(one.descriptor), "the file is closed");
        } else one.client.leave();
        if (loses !== Number.POSITIVE_INFINITY) seen.lost++;
        else if (one.client.aborted) seen.left++;
        else seen.whole++;
        if (!one.client.aborted && loses === Number.POSITIVE_INFINITY && kind !== "file") {
          assert.equal(one.client.sent, kind === "pieces" ? "abc" : "whole");
        }
      }
      assert(seen.whole > 50 && seen.left > 50 && seen.lost > 20, JSON.stringify(seen));
    });
  }
});
