/**
 * The body of an answer that lies in a file. What comes in: a slice of an open file. What goes
 * out: its bytes, chunk by chunk, as the transport asks for them.
 * Invariant: one chunk is in memory per body, reads never block the event loop, and the descriptor
 * is closed exactly once, never under a read that is still going on.
 */
import { strict as assert } from "node:assert";
import { close, read } from "node:fs";
import type { PulledBody } from "./pulled.ts";
import type { FileSlice } from "./respond.ts";

/** Most bytes that are read at once. */
export const CHUNK_BYTES = 256 * 1024;
/** Chunks that are kept for the next downloads. */
const SPARE_MAX = 16;

const spare: Buffer[] = [];

/** Reads a slice of a file from its beginning to its end. */
export class FileBody implements PulledBody {
  readonly #slice: FileSlice;
  #position: number;
  #left: number;
  #buffer: Buffer | null = null;
  #reading = false;
  #ended = false;

  constructor(slice: FileSlice) {
    this.#slice = slice;
    this.#position = slice.offset;
    this.#left = slice.length;
  }

  get length(): number {
    return this.#slice.length;
  }

  get left(): number {
    return this.#left;
  }

  next(done: (chunk: Uint8Array | null) => void): void {
    assert(!this.#reading && !this.#ended && this.#left > 0, "there is nothing to read");
    this.#buffer ??= spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const wanted = Math.min(this.#left, CHUNK_BYTES);
    this.#reading = true;
    read(this.#slice.descriptor, this.#buffer, 0, wanted, this.#position, (error, count, bytes) => {
      this.#reading = false;
      if (this.#ended) {
        this.#close();
        return;
      }
      if (error !== null || count === 0) {
        this.#slice.failed?.(error ?? new Error("the file is shorter than it was"));
        done(null);
        return;
      }
      this.#position += count;
      this.#left -= count;
      done(bytes.subarray(0, count));
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#reading) this.#close();
  }

  #close(): void {
    // Closing the last descriptor of a removed file frees its blocks, which can take long.
    close(this.#slice.descriptor, () => {});
    this.#slice.done?.();
    if (this.#buffer !== null && spare.length < SPARE_MAX) spare.push(this.#buffer);
    this.#buffer = null;
  }
}
