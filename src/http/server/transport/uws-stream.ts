/**
 * A large answer body over uWebSockets.js. Input: finished bytes, or a pulled body (a source that
 * delivers the next piece on request). Output: bytes at the client's pace.
 * Invariant: nothing is copied into the library's buffers. Only clients below the minimum speed are
 * cut off. A pulled body is always ended.
 */

import type { PulledBody } from "./answer-body.ts";
import { ReadCredit, type ReadSpeedWatch } from "./readspeed.ts";

const NOTHING = new Uint8Array(0);

/** The members of the library's response that this file uses. */
export interface StreamedResponse {
  /** Offers bytes; returns whether all were taken, and whether the answer is complete. */
  tryEnd(chunk: Uint8Array, totalLength: number): [taken: boolean, done: boolean];
  onWritable(handler: () => boolean): unknown;
  /** Returns the bytes of the body that have been taken so far. */
  getWriteOffset(): number;
  cork(write: () => void): unknown;
  close(): unknown;
}

/** Limits and callback of a stream. */
export interface Sending extends ReadSpeedWatch {
  /** Called once the library has the whole answer. */
  readonly settled: () => void;
}

/** Sends one body of a known length. */
export class UwsStream {
  readonly #response: StreamedResponse;
  readonly #length: number;
  readonly #settled: () => void;
  readonly #tooSlow: () => void;
  readonly #credit: ReadCredit;
  readonly #watch: NodeJS.Timeout;
  #source: PulledBody | null = null;
  /**
   * `#rest` holds the bytes at hand that the kernel has not taken. `#counted` is the number of
   * bytes already counted as taken.
   */
  #rest: Uint8Array = NOTHING;
  #counted = 0;

  constructor(response: StreamedResponse, length: number, sending: Sending) {
    this.#response = response;
    this.#length = length;
    this.#settled = sending.settled;
    this.#tooSlow = sending.tooSlow;
    this.#credit = new ReadCredit(sending);
    this.#watch = setInterval(() => this.#look(), this.#credit.checkMs);
    response.onWritable(() => this.#rest.byteLength === 0 || this.#goOn());
  }

  /** Sends a whole, finished body. Call within the cork that writes the head. */
  offer(body: Uint8Array): void {
    this.#rest = body;
    this.#give();
  }

  /** Sends a pulled body; `head` writes the bytes before it. */
  pump(source: PulledBody, head: () => void): void {
    this.#source = source;
    source.next((chunk) => this.#send(chunk, head));
  }

  /** Stops everything after the client left. Idempotent. */
  end(): void {
    clearInterval(this.#watch);
    this.#source?.end();
  }

  #send(chunk: Uint8Array | null, head: () => void = () => {}): void {
    if (chunk === null) {
      // Half of the answer may be sent, so only closing the connection can signal the error.
      this.#response.close();
      return;
    }
    this.#rest = chunk;
    this.#response.cork(() => {
      head();
      this.#give();
    });
  }

  /** Offers the bytes at hand to the kernel. Returns true if it took all of them. */
  #give(): boolean {
    const [taken, done] = this.#response.tryEnd(this.#rest, this.#length);
    if (done) {
      this.end();
      this.#settled();
      return true;
    }
    this.#count();
    if (taken && this.#rest.byteLength === 0) this.#source?.next((chunk) => this.#send(chunk));
    return taken;
  }

  #goOn(): boolean {
    this.#count();
    return this.#give();
  }

  /** Drops the bytes that the kernel took, and counts them. */
  #count(): void {
    const counted = this.#response.getWriteOffset();
    const taken = counted - this.#counted;
    const nowMs = performance.now();
    this.#counted = counted;
    this.#rest = this.#rest.subarray(taken);
    this.#credit.took(taken, nowMs);
    // The client is not late while the next bytes are being produced.
    if (this.#rest.byteLength === 0) this.#credit.drained(nowMs);
    else this.#credit.offered(nowMs);
  }

  /**
   * Offers the bytes again, for slow clients. The kernel itself reports space only when a third of
   * its buffer is free.
   */
  #look(): void {
    if (this.#rest.byteLength === 0) return;
    if (!this.#credit.late(performance.now())) {
      this.#response.cork(() => this.#goOn());
      return;
    }
    this.#tooSlow();
    // The library cannot reset a connection, so the kernel keeps the unread bytes for some minutes.
    this.#response.close();
  }
}
