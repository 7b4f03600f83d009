/**
 * The body of an answer over uWebSockets.js whose length is not known, in chunked coding. What
 * comes in: a pulled body. What goes out: what the client takes, as it takes it.
 * Invariant: the library is given one piece at a time and holds what the kernel does not take of
 * it; while it holds something, it gets only a few bytes now and then, whose fate tells whether it
 * still does. A client that takes less than the least pace is cut off, and no other, where a piece
 * counts when all of it was taken; the pulled body is ended in every way this can end.
 */

import { later } from "../background-tasks.ts";
import type { PulledBody } from "./answer-body.ts";
import { Pace } from "./pace.ts";
import type { Sending } from "./uws-stream.ts";

/** Bytes that ask the library whether it holds some; less than a kernel's buffer ever frees. */
const PROBE_BYTES = 256;

const NOTHING = new Uint8Array(0);

/** What this needs of the library's response. */
export interface ChunkedResponse {
  /** Takes all bytes; false where it holds some that the kernel did not take. */
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
  readonly #pace: Pace;
  readonly #watch: NodeJS.Timeout;
  /** Bytes at hand that the library was not given yet. */
  #rest: Uint8Array = NOTHING;
  /** True while the library holds bytes, as far as is known. */
  #holding = false;
  /** Bytes given since the library last held none. */
  #given = 0;
  #pulling = false;
  #ended = false;

  constructor(response: ChunkedResponse, source: PulledBody, sending: Sending) {
    this.#response = response;
    this.#source = source;
    this.#settled = sending.settled;
    this.#tooSlow = sending.tooSlow;
    this.#pace = new Pace(sending);
    this.#watch = setInterval(() => this.#look(), this.#pace.lookMs);
    response.onWritable(() => {
      this.#goOn();
      return !this.#holding;
    });
  }

  /** Begins; `head` writes what comes before the first bytes. */
  begin(head: () => void): void {
    this.#pull(head);
  }

  /** Stops everything; for a client that is gone. May be called again. */
  end(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    this.#source.end();
  }

  #pull(head: () => void = () => {}): void {
    this.#pulling = true;
    // Without the next bytes nobody knows whether the client still owes something.
    this.#pace.drained(performance.now());
    this.#source.next((piece) => {
      this.#pulling = false;
      if (piece === null) {
        // Half of the answer may be out, so that nothing but the end of the connection tells it.
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

  /** Gives the library all there is, or a few bytes while it holds some. Inside a cork. */
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
      // Also while the library holds bytes: without the next ones it could not be asked.
      this.#pull();
    }
  }

  /** Counts bytes as taken once the library holds none of them. */
  #count(bytes: number): void {
    const nowMs = performance.now();
    this.#given += bytes;
    if (this.#holding) {
      this.#pace.offered(nowMs);
    } else {
      this.#pace.took(this.#given, nowMs);
      this.#pace.drained(nowMs);
      this.#given = 0;
    }
  }

  #goOn(): void {
    if (this.#ended || this.#rest.byteLength === 0) return;
    this.#response.cork(() => this.#give());
  }

  #look(): void {
    if (!this.#holding) return;
    if (this.#pace.late(performance.now())) this.#cutOff();
    else this.#goOn();
  }

  /** Megabytes of the system are freed here, and a crowd of clients is often cut off at once. */
  #cutOff(): void {
    clearInterval(this.#watch);
    later(() => {
      if (this.#ended) return;
      this.#tooSlow();
      this.#response.close();
    });
  }
}
