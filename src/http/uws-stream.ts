/**
 * The body of an answer over uWebSockets.js that is too large to hand over at once. What comes in:
 * finished bytes, or a body that is pulled. What goes out: what the client takes, as it takes it.
 * Invariant: nothing is copied into buffers of the library; a client that takes nothing for the
 * write timeout is cut off, and not before; a pulled body is ended in every way this can end.
 */
import type { PulledBody } from "./pulled.ts";

/**
 * How often a stream that waits tries again, in milliseconds. The library closes a socket about
 * 10 s after the last write that failed, so this has to be clearly less. It also moves the bytes
 * of slow clients, as the kernel reports room only when a third of its buffer is free.
 */
const RETRY_MS = 2_000;

const NOTHING = new Uint8Array(0);

/** What a stream needs of the library's response. */
export interface StreamedResponse {
  /** Offers bytes: whether all were taken, and whether the answer is complete. */
  tryEnd(chunk: Uint8Array, totalLength: number): [taken: boolean, done: boolean];
  onWritable(handler: () => boolean): unknown;
  /** Bytes of the body that were taken so far. */
  getWriteOffset(): number;
  cork(write: () => void): unknown;
  close(): unknown;
}

/** Sends one body of a known length. */
export class UwsStream {
  readonly #response: StreamedResponse;
  readonly #length: number;
  readonly #settled: () => void;
  readonly #watch: NodeJS.Timeout;
  #source: PulledBody | null = null;
  /** Bytes at hand that the kernel has not taken yet, and the library's count of all it took. */
  #rest: Uint8Array = NOTHING;
  #counted = 0;
  /** Time without progress, in milliseconds. */
  #stalledMs = 0;

  constructor(
    response: StreamedResponse,
    length: number,
    { writeTimeoutMs, settled }: { readonly writeTimeoutMs: number; readonly settled: () => void },
  ) {
    this.#response = response;
    this.#length = length;
    this.#settled = settled;
    const every = Math.min(RETRY_MS, writeTimeoutMs / 4);
    this.#watch = setInterval(() => this.#look(every, writeTimeoutMs), every);
    response.onWritable(() => this.#rest.byteLength === 0 || this.#goOn());
  }

  /** Sends finished bytes: the whole body, inside a cork in which the head was written. */
  offer(body: Uint8Array): void {
    this.#rest = body;
    this.#give();
  }

  /** Sends a pulled body, and what `head` writes before its first bytes. */
  pump(source: PulledBody, head: () => void): void {
    this.#source = source;
    source.next((chunk) => this.#send(chunk, head));
  }

  /** Stops everything; for a client that is gone. May be called again. */
  end(): void {
    clearInterval(this.#watch);
    this.#source?.end();
  }

  #send(chunk: Uint8Array | null, head: () => void = () => {}): void {
    if (chunk === null) {
      // Half of the answer may be out, so that nothing but the end of the connection tells it.
      this.#response.close();
      return;
    }
    this.#rest = chunk;
    this.#response.cork(() => {
      head();
      this.#give();
    });
  }

  /** Gives the kernel what it takes; true when it took all that is at hand. */
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

  /** Drops what the kernel took. */
  #count(): void {
    const counted = this.#response.getWriteOffset();
    const taken = counted - this.#counted;
    this.#counted = counted;
    this.#rest = this.#rest.subarray(taken);
    if (taken > 0) this.#stalledMs = 0;
  }

  #look(passedMs: number, limitMs: number): void {
    // While bytes are brought in the client owes nothing.
    if (this.#rest.byteLength === 0) return;
    this.#stalledMs += passedMs;
    // The library cannot reset a connection: its system holds what it had taken for some minutes.
    if (this.#stalledMs >= limitMs) this.#response.close();
    else this.#response.cork(() => this.#goOn());
  }
}
