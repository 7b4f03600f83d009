/**
 * The body of an answer that is made while it is sent. What comes in: pieces. What goes out: piece
 * by piece, as the transport asks for them.
 * Invariant: pieces are made between other requests, which hardly wait for them; an error ends it,
 * so that what was sent is never taken for the whole.
 */
import { strict as assert } from "node:assert";
import { later } from "./background-tasks.ts";
import type { PulledBody } from "./pulled.ts";
import type { Pieces } from "./respond.ts";

const NOTHING = new Uint8Array(0);

/** Asks for pieces until there are none. */
export class PieceBody implements PulledBody {
  readonly length = null;
  readonly #body: Pieces;
  #whole = false;
  #takeBack: (() => void) | null = null;
  #ended = false;

  constructor(body: Pieces) {
    this.#body = body;
  }

  get left(): number {
    return this.#whole ? 0 : Number.POSITIVE_INFINITY;
  }

  next(done: (chunk: Uint8Array | null) => void): void {
    assert(this.#takeBack === null && !this.#ended && !this.#whole, "there is nothing to make");
    this.#takeBack = later(() => {
      this.#takeBack = null;
      done(this.#make());
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#takeBack?.();
    this.#body.done();
  }

  /** The next piece, nothing after the last one, or null where it cannot be made. */
  #make(): Uint8Array | null {
    try {
      const { value, done } = this.#body.pieces.next();
      this.#whole = done === true;
      return value instanceof Uint8Array ? value : NOTHING;
    } catch (error) {
      this.#body.failed(error instanceof Error ? error : new Error(String(error)));
      return null;
    }
  }
}
