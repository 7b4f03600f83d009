/**
 * The body of an answer over uWebSockets.js whose length is not known, in chunked coding. What
 * comes in: a pulled body. What goes out: what the client takes, as it takes it.
 * Invariant: the library is given one piece at a time and holds what the kernel does not take of
 * it; while it holds something, it gets only a few bytes now and then, whose fate tells whether it
 * still does. A client that does not take one piece within the write timeout is cut off; the pulled
 * body is ended in every way this can end.
 */
import type { PulledBody } from "./pulled.ts";
import { later } from "./sidework.ts";

/** As for bodies of known length (uws-stream.ts): before the library gives a socket up. */
const RETRY_MS = 2_000;

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
  readonly #watch: NodeJS.Timeout;
  /** Bytes at hand that the library was not given yet. */
  #rest: Uint8Array = NOTHING;
  /** True while the library holds bytes, as far as is known. */
  #holding = false;
  #pulling = false;
  #ended = false;
  /** Time without progress, in milliseconds. */
  #stalledMs = 0;

  constructor(
    response: ChunkedResponse,
    source: PulledBody,
    { writeTimeoutMs, settled }: { readonly writeTimeoutMs: number; readonly settled: () => void },
  ) {
    this.#response = response;
    this.#source = source;
    this.#settled = settled;
    const every = Math.min(RETRY_MS, writeTimeoutMs / 4);
    this.#watch = setInterval(() => this.#look(every, writeTimeoutMs), every);
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
      if (this.#holding) break;
      this.#stalledMs = 0;
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

  #goOn(): void {
    if (this.#ended || this.#rest.byteLength === 0) return;
    this.#response.cork(() => this.#give());
  }

  #look(passedMs: number, limitMs: number): void {
    if (!this.#holding) return;
    this.#stalledMs += passedMs;
    if (this.#stalledMs >= limitMs) this.#cutOff();
    else this.#goOn();
  }

  /** Megabytes of the system are freed here, and a crowd of clients is often cut off at once. */
  #cutOff(): void {
    clearInterval(this.#watch);
    later(() => {
      if (!this.#ended) this.#response.close();
    });
  }
}
