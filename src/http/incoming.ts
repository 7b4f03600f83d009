/**
 * The body of a request on its way in. What comes in: its chunks, from either transport. What goes
 * out: the whole body once, or why it is not read.
 * Invariant: bytes are counted against the limit of this body and, while more are to come, against
 * that of all bodies together; they are given back when the body is whole, refused or its client
 * gone.
 */
import type { Budget } from "./budget.ts";

/** Why a body is not read: it has more bytes than it may, or all bodies together have. */
export type BodyRefusal = "too_large" | "overloaded";

/** Gets the body, or why there is none. */
export type BodyReader = (body: Uint8Array | BodyRefusal) => void;

/** How a body is read. */
export interface Intake {
  readonly limitBytes: number;
  /** Bytes of all bodies that are on their way. */
  readonly budget: Budget;
  readonly done: BodyReader;
}

/** Gathers one body. */
export class IncomingBody {
  readonly #intake: Intake;
  #chunks: Uint8Array[] = [];
  #counted = 0;
  #over = false;

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** True while chunks are waited for. */
  get waiting(): boolean {
    return !this.#over;
  }

  /** Takes a chunk, which must not change afterwards. */
  add(chunk: Uint8Array): void {
    if (this.#over) return;
    const { limitBytes, budget } = this.#intake;
    if (this.#counted + chunk.byteLength > limitBytes) {
      this.#end("too_large");
    } else if (budget.take(chunk.byteLength)) {
      this.#counted += chunk.byteLength;
      this.#chunks.push(chunk);
    } else {
      this.#end("overloaded");
    }
  }

  /** There are no more chunks. */
  finish(): void {
    if (this.#over) return;
    const [first] = this.#chunks;
    this.#end(first !== undefined && this.#chunks.length === 1 ? first : this.#joined());
  }

  /** The client is gone, or is not waited for any longer. May be called again. */
  drop(): void {
    this.#over = true;
    this.#chunks = [];
    this.#intake.budget.giveBack(this.#counted);
    this.#counted = 0;
  }

  #joined(): Uint8Array {
    return Buffer.concat(this.#chunks, this.#counted);
  }

  #end(body: Uint8Array | BodyRefusal): void {
    this.drop();
    this.#intake.done(body);
  }
}
