/**
 * The body of an answer that is brought in piece by piece: a part of a file, or content that is
 * made while it is sent. What comes in: a body of any kind. What goes out: the one way in which a
 * transport asks for more of it.
 * Invariant: it is asked for the next bytes only when the client has taken those before, so that
 * one piece is in memory per client; what belongs to the body is given back exactly once. Reads
 * never block the event loop, pieces are made between other requests, and an error ends the body,
 * so that what was sent is never taken for the whole.
 */
import { strict as assert } from "node:assert";
import { close, read } from "node:fs";
import { later } from "../background-tasks.ts";
import { LentBytes } from "./lentbytes.ts";

/** A part of a file that is sent as it is read, never held in memory. */
export interface FileSlice {
  /** Open descriptor; whoever sends the answer closes it, also when nothing is sent. */
  readonly descriptor: number;
  /** First byte and number of bytes. */
  readonly offset: number;
  readonly length: number;
  /** Told when the file cannot be read to the end of the slice; the connection is then cut. */
  readonly failed?: (error: Error) => void;
  /** Told once when nothing more is read, whatever happened. */
  readonly done?: () => void;
}

/** Content made piece by piece, each when the client has taken the one before; sent in chunks. */
export interface Pieces {
  readonly pieces: Iterator<Uint8Array, unknown>;
  /** Told when a piece cannot be made; the connection is then cut. */
  readonly failed: (error: Error) => void;
  /** Told once when no further piece is asked for, whatever happened. */
  readonly done: () => void;
}

/** Content that another thread makes piece by piece. */
interface Brought {
  readonly brought: PulledBody;
}

/** What is brought in as the client takes it. */
export type Pulled = FileSlice | Pieces | Brought;

/** What can be sent: finished bytes, maybe lent, or what is brought in as the client takes it. */
export type AnswerBody = Uint8Array | string | LentBytes | Pulled;

/** A body that is asked for its bytes. */
export interface PulledBody {
  /** Bytes of all; null where nobody knows. */
  readonly length: number | null;
  /** Bytes that have not been brought yet; infinite where nobody knows, 0 after the last. */
  readonly left: number;
  /**
   * Brings the next bytes, later; none at the end of a body of unknown length. They are valid until
   * the next call or the end; `done` gets null where there cannot be more, and is not called after
   * the end. Only while bytes are left.
   */
  next(done: (chunk: Uint8Array | null) => void): void;
  /** Ends it; may be called at any time, also again. */
  end(): void;
}

/** A body that is asked for, as opposed to finished bytes. */
export function isPulled(body: AnswerBody): body is Pulled {
  return typeof body === "object" && !(body instanceof Uint8Array || body instanceof LentBytes);
}

/** Begins to bring a body; `end` must be called. */
export function pull(body: Pulled): PulledBody {
  if ("brought" in body) return body.brought;
  return "descriptor" in body ? new FileBody(body) : new PieceBody(body);
}

/** Most bytes that are read at once. */
export const CHUNK_BYTES = 256 * 1024;
/** Chunks that are kept for the next downloads. */
const SPARE_MAX = 16;

const spare: Buffer[] = [];

/** Reads a slice of a file from its beginning to its end. */
class FileBody implements PulledBody {
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
