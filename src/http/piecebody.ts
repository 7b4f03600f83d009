/**
 * The body of an answer that is made while it is sent. What comes in: pieces and how many bytes
 * they have together. What goes out: piece by piece, as the transport asks for them.
 * Invariant: a piece is made in a turn of the event loop of its own, so that other requests are
 * answered in between; never a byte more or less than was promised; an error ends it.
 */
import { strict as assert } from "node:assert";
import type { PulledBody } from "./pulled.ts";
import type { Pieces } from "./respond.ts";

/** Asks for pieces until there are none. */
export class PieceBody implements PulledBody {
  readonly #body: Pieces;
  #left: number;
  #making: NodeJS.Immediate | null = null;
  #ended = false;

  constructor(body: Pieces) {
    this.#body = body;
    this.#left = body.length;
  }

  get left(): number {
    return this.#left;
  }

  next(done: (chunk: Uint8Array | null) => void): void {
    assert(this.#making === null && !this.#ended && this.#left > 0, "there is nothing to make");
    this.#making = setImmediate(() => {
      this.#making = null;
      done(this.#make());
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#making !== null) clearImmediate(this.#making);
    this.#body.done();
  }

  /** The next piece, or null where that is not what was promised. */
  #make(): Uint8Array | null {
    try {
      const { value, done } = this.#body.pieces.next();
      if (done === true || !(value instanceof Uint8Array) || value.byteLength > this.#left) {
        throw new Error("an answer has another length than it said");
      }
      this.#left -= value.byteLength;
      return value;
    } catch (error) {
      this.#body.failed(error instanceof Error ? error : new Error(String(error)));
      return null;
    }
  }
}
