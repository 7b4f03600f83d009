/**
 * The body of a request on its way in. What comes in: its chunks, from either transport. What goes
 * out: the whole body once, or why it is not read.
 * Invariant: bytes are counted against the limit of this body and, while more are to come, against
 * that of all bodies together and its sender's share of it; they are given back when the body is
 * whole, refused or its client gone. Large bodies leave a part of the whole to small ones, so that
 * a search is read whatever is being sent beside it.
 */
import { AppError } from "../../../errors.ts";
import type { Shortage } from "../../../process/ledger.ts";
import { type Budget, overloaded } from "../admission.ts";

/** Why a body is not read: it has more bytes than it may, or its sender's or all bodies have. */
export type BodyRefusal = "too_large" | Shortage;

/** Bytes up to which a body is small. */
const SMALL_BYTES = 64 * 1024;
/** Part of the bytes of all bodies that is kept for small ones. */
const SMALL_PART = 0.25;

/** What a body may be, and who gets it. */
export interface BodyRequest {
  readonly limitBytes: number;
  /** Who sends it: bytes on their way are shared among senders. */
  readonly sender: string;
  /** Takes each chunk as it comes, in place of the whole; the body is then an empty one. */
  readonly taker?: BodyTaker | undefined;
  /** Gets the body, or why there is none. */
  read(body: Uint8Array | BodyRefusal): void;
}

/** Takes a body chunk by chunk; what it keeps of them it bounds itself. */
export interface BodyTaker {
  /** The chunk's memory is somebody else's again when it returns. */
  add(chunk: Uint8Array): void;
  /** Nobody wants the body any more; may be called again, and after it was used. */
  drop?(): void;
}

/** Gathers one body. */
export class IncomingBody {
  readonly #wanted: BodyRequest;
  /** Bytes of all bodies that are on their way. */
  readonly #budget: Budget;
  /** What has come of it; null before the first chunk. */
  #chunks: Uint8Array[] | null = null;
  #counted = 0;
  #taken = 0;
  #over = false;

  constructor(wanted: BodyRequest, budget: Budget) {
    this.#wanted = wanted;
    this.#budget = budget;
  }

  /** True while chunks are waited for. */
  get waiting(): boolean {
    return !this.#over;
  }

  /** Whether chunks may change after they were taken. */
  get handsOn(): boolean {
    return this.#wanted.taker !== undefined;
  }

  /** Takes a chunk, which must not change afterwards, but where it is handed on. */
  add(chunk: Uint8Array): void {
    if (this.#over) return;
    const { taker } = this.#wanted;
    if (taker !== undefined) {
      this.#handOn(chunk, taker);
      return;
    }
    const refusal = this.#take(chunk.byteLength);
    if (refusal !== null) {
      this.#end(refusal);
      return;
    }
    this.#counted += chunk.byteLength;
    this.#chunks ??= [];
    this.#chunks.push(chunk);
  }

  /** Takes the last chunk. One that is the whole body needs room for no time at all. */
  addLast(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#chunks === null && this.#wanted.taker === undefined) {
      this.#end(this.#refusal(chunk.byteLength) ?? chunk);
      return;
    }
    this.add(chunk);
    this.finish();
  }

  /** There are no more chunks. */
  finish(): void {
    if (this.#over) return;
    const first = this.#chunks?.[0];
    this.#end(first !== undefined && this.#chunks?.length === 1 ? first : this.#joined());
  }

  /** The client is gone, or is not waited for any longer. May be called again. */
  drop(): void {
    if (!this.#over) this.#wanted.taker?.drop?.();
    this.#forget();
  }

  #forget(): void {
    this.#over = true;
    this.#chunks = null;
    if (this.#counted > 0) this.#budget.giveBack(this.#counted, this.#wanted.sender);
    this.#counted = 0;
  }

  #refusal(bytes: number): BodyRefusal | null {
    const { limitBytes, sender } = this.#wanted;
    if (this.#counted + bytes > limitBytes) return "too_large";
    return this.#budget.shortage(bytes, sender, this.#reserve(bytes));
  }

  /** Counts bytes, or returns the refusal because of which they are not. */
  #take(bytes: number): BodyRefusal | null {
    const { limitBytes, sender } = this.#wanted;
    if (this.#counted + bytes > limitBytes) return "too_large";
    return this.#budget.takeUnless(bytes, sender, this.#reserve(bytes));
  }

  /** Bytes that must be left for small bodies if this one has so many more. */
  #reserve(bytes: number): number {
    return this.#counted + bytes > SMALL_BYTES ? this.#budget.most * SMALL_PART : 0;
  }

  #handOn(chunk: Uint8Array, taker: BodyTaker): void {
    this.#taken += chunk.byteLength;
    if (this.#taken > this.#wanted.limitBytes) this.#end("too_large");
    else taker.add(chunk);
  }

  #joined(): Uint8Array {
    return Buffer.concat(this.#chunks ?? [], this.#counted);
  }

  #end(body: Uint8Array | BodyRefusal): void {
    if (typeof body === "string") this.drop();
    else this.#forget();
    this.#wanted.read(body);
  }
}

/** What is said of a body of at most `limitBytes` bytes that is not read. */
export function bodyError(refusal: BodyRefusal, limitBytes: number): AppError {
  if (refusal === "all") return overloaded();
  if (refusal === "too_large") {
    return new AppError("payload_too_large", `Send at most ${limitBytes} bytes.`);
  }
  return new AppError(
    "rate_limited",
    "The bodies that your tenant, or this address, is sending have as many bytes as they may " +
      "have at a time. Wait until some of them are sent.",
    { headers: { "Retry-After": "1" } },
  );
}
