/**
 * The body of an answer: finished bytes, bytes in a shared buffer, or streamed content. Input: the
 * parts of a body, or its source. Output: bytes for a transport.
 * Invariant: the shared buffer holds one body at a time. Reading an overwritten body is an error
 * and never returns the bytes of another answer. Callers that retain a body must copy it. A
 * separate buffer per answer would cost more than writing the answer, because it is off-heap and
 * cleared first. A chunk is requested only when the client has taken the previous one, so each
 * client has one chunk in memory. The resources of a body are released exactly once. Reads never
 * block the event loop, chunks are rendered between other requests, and an error ends the
 * connection, so clients never take a part for the whole.
 */
import { strict as assert } from "node:assert";
import { close, read } from "node:fs";
import type { Readable } from "node:stream";
import { later } from "../background-tasks.ts";

/** A part of a file, which is read while it is sent. */
export interface FileSlice {
  /** Open descriptor. The transport that sends the answer closes it, even if nothing is sent. */
  readonly descriptor: number;
  /** Start and length in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Called if the slice cannot be read to its end. The connection is then cut. */
  readonly failed?: (error: Error) => void;
  /** Called once when reading ends for any reason. */
  readonly done?: () => void;
}

/** Streamed content. Each chunk is rendered when the client has taken the previous one. */
export interface ChunkSource {
  readonly pieces: Iterator<Uint8Array, unknown>;
  /** Called if a chunk cannot be rendered. The connection is then cut. */
  readonly failed: (error: Error) => void;
  /** Called once when no further chunk is needed for any reason. */
  readonly done: () => void;
}

/** A part of a file that is downloaded from another machine while it is sent. */
export interface RemoteSlice {
  /** The bytes, as they arrive. */
  readonly bytes: Readable;
  readonly length: number;
  /** Called if the bytes end early. The connection is then cut. */
  readonly failed: (error: Error) => void;
  /** Called once when reading ends for any reason. */
  readonly done: () => void;
}

/** Content that another thread streams. */
interface ForwardedContent {
  readonly forwarded: PulledBody;
}

/** Content that is produced as fast as the client reads. */
export type StreamedContent = FileSlice | RemoteSlice | ChunkSource | ForwardedContent;

/** Any body: finished bytes, which may be in the shared buffer, or streamed content. */
export type AnswerBody = Uint8Array | string | SharedBytes | StreamedContent;

/** A body that is pulled chunk by chunk. */
export interface PulledBody {
  /** Total bytes; null if unknown. */
  readonly length: number | null;
  /** Remaining bytes; infinite if the length is unknown, 0 after the last byte. */
  readonly left: number;
  /**
   * Passes the next bytes to `done`, asynchronously. They are valid until the next call of `next`
   * or `end`. An empty array ends a body of unknown length, and null reports a failure. `done` is
   * not called after `end`. Call this only while bytes are left.
   */
  next(done: (chunk: Uint8Array | null) => void): void;
  /** Ends the body. May be called at any time, also repeatedly. */
  end(): void;
}

/** Returns true for streamed content, false for finished bytes. */
export function isStreamed(body: AnswerBody): body is StreamedContent {
  return typeof body === "object" && !(body instanceof Uint8Array || body instanceof SharedBytes);
}

/** Starts pulling a body; callers must call `end`. */
export function pull(body: StreamedContent): PulledBody {
  if ("forwarded" in body) return body.forwarded;
  if ("bytes" in body) return new RemoteBody(body);
  return "descriptor" in body ? new FileBody(body) : new ChunkedBody(body);
}

/** Maximum bytes per read. */
export const CHUNK_BYTES = 256 * 1024;
/** Maximum buffers retained for later downloads. */
const SPARE_MAX = 16;

const spare: Buffer[] = [];

/** Reads a slice of a file sequentially. */
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
    // Closes asynchronously, because closing the last descriptor of a removed file frees its
    // blocks, which can be slow.
    close(this.#slice.descriptor, () => {});
    this.#slice.done?.();
    if (this.#buffer !== null && spare.length < SPARE_MAX) spare.push(this.#buffer);
    this.#buffer = null;
  }
}

/** Reads a part of a file from another machine, no faster than the client takes it. */
class RemoteBody implements PulledBody {
  readonly #slice: RemoteSlice;
  readonly #chunks: AsyncIterator<Uint8Array, unknown>;
  #left: number;
  #ended = false;

  constructor(slice: RemoteSlice) {
    this.#slice = slice;
    this.#left = slice.length;
    this.#chunks = slice.bytes[Symbol.asyncIterator]();
    // An error after the end is irrelevant, but without a listener it would crash the process.
    slice.bytes.on("error", () => {});
  }

  get length(): number {
    return this.#slice.length;
  }

  get left(): number {
    return this.#left;
  }

  next(done: (chunk: Uint8Array | null) => void): void {
    assert(!this.#ended && this.#left > 0, "there is nothing to read");
    this.#chunks.next().then(
      ({ value }) => this.#take(value, done),
      (error: unknown) => this.#fail(error, done),
    );
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#slice.bytes.destroy();
    this.#slice.done();
  }

  #take(value: unknown, done: (chunk: Uint8Array | null) => void): void {
    if (this.#ended) return;
    if (!(value instanceof Uint8Array) || value.byteLength > this.#left) {
      this.#fail(new Error("the store sent another number of bytes than it announced"), done);
      return;
    }
    this.#left -= value.byteLength;
    done(value);
  }

  #fail(error: unknown, done: (chunk: Uint8Array | null) => void): void {
    if (this.#ended) return;
    this.#slice.failed(error instanceof Error ? error : new Error(String(error)));
    done(null);
  }
}

const NOTHING = new Uint8Array(0);

/** Pulls chunks from an iterator to its end. */
export class ChunkedBody implements PulledBody {
  readonly length = null;
  readonly #body: ChunkSource;
  #whole = false;
  #takeBack: (() => void) | null = null;
  #ended = false;

  constructor(body: ChunkSource) {
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

  /** Returns the next chunk, an empty chunk after the last, or null on failure. */
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

/** Max bytes of a body that is copied. Larger bodies are streamed as the client reads them. */
export const UNSTREAMED_BYTES_MAX = 64 * 1024;

const memory = Buffer.allocUnsafeSlow(UNSTREAMED_BYTES_MAX);

/** Number of bodies begun in the shared buffer, which holds only the latest. */
let begun = 0;

/** A body in the shared buffer. */
export class SharedBytes {
  readonly #number: number;
  readonly #length: number;

  constructor(number: number, length: number) {
    this.#number = number;
    this.#length = length;
  }

  /** Returns the bytes. Throws if another body has since been started in the shared buffer. */
  get bytes(): Uint8Array {
    assert(this.#number === begun, "a lent body is sent before the next one is made");
    return memory.subarray(0, this.#length);
  }

  copy(): Uint8Array {
    return new Uint8Array(this.bytes);
  }
}

interface BodyParts {
  /** ASCII text. */
  readonly head: string;
  readonly prefix: Uint8Array;
  readonly accounts: Uint8Array;
  /** The last part: text in pieces, which the caller need not join. */
  readonly tail: readonly string[];
}

/** Writes a body to the shared buffer. Returns null if it might not fit. */
export function writeShared({ head, prefix, accounts, tail }: BodyParts): SharedBytes | null {
  const end = head.length + prefix.byteLength + accounts.byteLength;
  if (!hasRoom(end, tail)) return null;
  const target = beginShared(head, prefix);
  if (target === null) return null;
  memory.set(accounts, target.at);
  return endShared(end, tail);
}

/** The shared buffer and the end of the latest head. Reused, so callers use it immediately. */
const space = { memory, at: 0 };

/** Starts a body in the shared buffer. Returns the space for accounts, or null without space. */
export function beginShared(head: string, prefix: Uint8Array): typeof space | null {
  if (head.length + prefix.byteLength > memory.byteLength) return null;
  begun++;
  memory.write(head, "latin1");
  memory.set(prefix, head.length);
  space.at = head.length + prefix.byteLength;
  return space;
}

/** Ends the latest body, whose accounts end at `end`. Returns null if the tail might not fit. */
export function endShared(end: number, tail: readonly string[]): SharedBytes | null {
  if (!hasRoom(end, tail)) return null;
  let at = end;
  for (let i = 0; i < tail.length; i++) {
    const piece = tail[i] as string;
    if (piece !== "") at += memory.write(piece, at);
  }
  return new SharedBytes(begun, at);
}

/** True if a tail certainly fits after `end` bytes. */
function hasRoom(end: number, tail: readonly string[]): boolean {
  let most = end;
  // A UTF-16 unit takes at most three bytes in UTF-8. The loop has an index because an iterator
  // would create garbage for each piece.
  for (let i = 0; i < tail.length; i++) most += 3 * (tail[i] as string).length;
  return most <= memory.byteLength;
}

/** Returns the body itself, or a copy if it is in the shared buffer. */
export function copyIfShared<Body>(body: Body | SharedBytes): Body | Uint8Array {
  return body instanceof SharedBytes ? body.copy() : body;
}

/** Returns the parts joined in a new buffer. */
export function joined({ head, prefix, accounts, tail }: BodyParts): Uint8Array {
  return Buffer.concat([Buffer.from(head), prefix, accounts, Buffer.from(tail.join(""))]);
}
