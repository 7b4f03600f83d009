/**
 * A chunked answer body of unknown length over uWebSockets.js. Input: a pulled body (a source that
 * delivers the next piece on request). Output: bytes at the client's pace.
 * Invariant: the library gets one chunk at a time and buffers the bytes that the kernel does not
 * take. While it buffers, it gets only small probes, whose result shows whether it still buffers.
 * Only clients that read more slowly than the minimum speed are cut off. A chunk counts as read
 * once the kernel has taken all of it. The pulled body always ends.
 */

import { later } from "../background-tasks.ts";
import type { PulledBody } from "./answer-body.ts";
import { ReadCredit } from "./readspeed.ts";
import type { Sending } from "./uws-stream.ts";

/**
 * Bytes of a probe, which shows whether the library still buffers. A kernel buffer that frees space
 * always frees more than this.
 */
const PROBE_BYTES = 256;

const NOTHING = new Uint8Array(0);

/** The members of the library's response that this file uses. */
export interface ChunkedResponse {
  /** Takes all bytes; returns false if the library buffers some that the kernel did not take. */
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  onWritable(handler: () => boolean): unknown;
  cork(write: () => void): unknown;
  close(): unknown;
}

/** Sends one body of unknown length. */
export class UwsChunks {
  readonly #response: ChunkedResponse;
  readonly #source: PulledBody;
  readonly #settled: () => void;
  readonly #tooSlow: () => void;
  readonly #credit: ReadCredit;
  readonly #watch: NodeJS.Timeout;
  /** Pulled bytes that are not yet given to the library. */
  #rest: Uint8Array = NOTHING;
  /** True while the library is known to buffer bytes. */
  #holding = false;
  /** Bytes given since the library's buffer was last empty. */
  #given = 0;
  #pulling = false;
  #ended = false;

  constructor(response: ChunkedResponse, source: PulledBody, sending: Sending) {
    this.#response = response;
    this.#source = source;
    this.#settled = sending.settled;
    this.#tooSlow = sending.tooSlow;
    this.#credit = new ReadCredit(sending);
    this.#watch = setInterval(() => this.#look(), this.#credit.checkMs);
    response.onWritable(() => {
      this.#goOn();
      return !this.#holding;
    });
  }

  /** Begins to send. `head` writes the bytes that precede the body. */
  begin(head: () => void): void {
    this.#pull(head);
  }

  /** Stops everything after the client left. Idempotent. */
  end(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    this.#source.end();
  }

  #pull(head: () => void = () => {}): void {
    this.#pulling = true;
    // While the next chunk is being produced, no bytes wait for the client, so this time does not
    // count as waiting.
    this.#credit.drained(performance.now());
    this.#source.next((piece) => {
      this.#pulling = false;
      if (piece === null) {
        // Half of the answer may be sent, so only closing the connection can signal the error.
        this.#response.close();
        return;
      }
      this.#rest = piece;
      this.#response.cork(() => {
        head();
        this.#give();
      });
    });
  }

  /** Passes all pulled bytes to the library, or a probe while it buffers. Call within a cork. */
  #give(): void {
    while (this.#rest.byteLength > 0) {
      const bytes = this.#holding ? this.#rest.subarray(0, PROBE_BYTES) : this.#rest;
      this.#rest = this.#rest.subarray(bytes.byteLength);
      this.#holding = !this.#response.write(bytes);
      this.#count(bytes.byteLength);
      if (this.#holding) break;
    }
    if (this.#rest.byteLength > 0) return;
    if (this.#source.left === 0) {
      this.end();
      this.#response.end();
      this.#settled();
    } else if (!this.#pulling) {
      // Pulls even while the library buffers, because probes need the next bytes.
      this.#pull();
    }
  }

  /** Counts bytes as taken once the library's buffer is empty. */
  #count(bytes: number): void {
    const nowMs = performance.now();
    this.#given += bytes;
    if (this.#holding) {
      this.#credit.offered(nowMs);
    } else {
      this.#credit.took(this.#given, nowMs);
      this.#credit.drained(nowMs);
      this.#given = 0;
    }
  }

  #goOn(): void {
    if (this.#ended || this.#rest.byteLength === 0) return;
    this.#response.cork(() => this.#give());
  }

  #look(): void {
    if (!this.#holding) return;
    if (this.#credit.late(performance.now())) this.#cutOff();
    else this.#goOn();
  }

  /**
   * Cuts off the client. Deferred because closing frees megabytes in the kernel, and many clients
   * are often cut off together.
   */
  #cutOff(): void {
    clearInterval(this.#watch);
    later(() => {
      if (this.#ended) return;
      this.#tooSlow();
      this.#response.close();
    });
  }
}
