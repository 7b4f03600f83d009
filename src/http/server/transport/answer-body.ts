/**
 * The body of an answer: finished bytes, bytes in memory that is used again, or content that is
 * brought in piece by piece while it is sent. Input: the parts of a body, or its source. Output:
 * what a transport sends.
 * Invariant: one body is lent at a time; reading one that was overwritten is an error, never the
 * bytes of another answer, and callers that retain a lent body must copy it. Memory of its own for
 * each answer would cost more than writing the answer: it is outside of the heap and cleared first.
 * A piece is requested only when the client has taken the one before, so each client has one piece
 * in memory; the resources of a body are given back exactly once. Reads never block the event
 * loop, pieces are made between other requests, and an error ends the body, so that a part is never
 * taken for the whole.
 */
import { strict as assert } from "node:assert";
import { close, read } from "node:fs";
import { later } from "../background-tasks.ts";

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

/** Larger bodies of answers are handed over as the client reads, and are never copied. */
export const WHOLE_BYTES_MAX = 64 * 1024;

const memory = Buffer.allocUnsafeSlow(WHOLE_BYTES_MAX);

/** Bodies that were begun; the last one alone has the memory. */
let begun = 0;

/** A body that was lent. */
export class LentBytes {
  readonly #number: number;
  readonly #length: number;

  constructor(number: number, length: number) {
    this.#number = number;
    this.#length = length;
  }

  /** The bytes, until the next body is made; throws after that. */
  get bytes(): Uint8Array {
    assert(this.#number === begun, "a lent body is sent before the next one is made");
    return memory.subarray(0, this.#length);
  }

  /** The bytes, for good. */
  copy(): Uint8Array {
    return new Uint8Array(this.bytes);
  }
}

/** The parts of a body, in order. */
interface BodyParts {
  /** ASCII. */
  readonly head: string;
  readonly prefix: Uint8Array;
  readonly accounts: Uint8Array;
  /** Any text, in pieces, so that they need not be joined before; comes last. */
  readonly tail: readonly string[];
}

/** Joins a body in the memory that is lent; null where it may be too large for that. */
export function lend({ head, prefix, accounts, tail }: BodyParts): LentBytes | null {
  const end = head.length + prefix.byteLength + accounts.byteLength;
  if (!hasRoom(end, tail)) return null;
  const room = beginLent(head, prefix);
  if (room === null) return null;
  memory.set(accounts, room.at);
  return endLent(end, tail);
}

/** The room behind the head of the body that was begun last: it is used up at once. */
const room = { memory, at: 0 };

/**
 * Begins a body in the memory that is lent, for whoever writes the accounts there: gives the room
 * for them, or null where there is none. What was lent before is overwritten.
 */
export function beginLent(head: string, prefix: Uint8Array): typeof room | null {
  if (head.length + prefix.byteLength > memory.byteLength) return null;
  begun++;
  memory.write(head, "latin1");
  memory.set(prefix, head.length);
  room.at = head.length + prefix.byteLength;
  return room;
}

/** Ends the body that was begun, whose accounts end at `end`; null where the tail has no room. */
export function endLent(end: number, tail: readonly string[]): LentBytes | null {
  if (!hasRoom(end, tail)) return null;
  let at = end;
  for (let i = 0; i < tail.length; i++) {
    const piece = tail[i] as string;
    if (piece !== "") at += memory.write(piece, at);
  }
  return new LentBytes(begun, at);
}

/** Whether a tail certainly has room behind so many bytes. */
function hasRoom(end: number, tail: readonly string[]): boolean {
  let most = end;
  // No character takes more than three bytes. An iterator would leave garbage for each piece.
  for (let i = 0; i < tail.length; i++) most += 3 * (tail[i] as string).length;
  return most <= memory.byteLength;
}

/** Bytes for good, of whatever may be lent. */
export function owned<Body>(body: Body | LentBytes): Body | Uint8Array {
  return body instanceof LentBytes ? body.copy() : body;
}

/** The same in memory of its own. */
export function joined({ head, prefix, accounts, tail }: BodyParts): Uint8Array {
  return Buffer.concat([Buffer.from(head), prefix, accounts, Buffer.from(tail.join(""))]);
}
