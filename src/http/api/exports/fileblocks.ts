/**
 * Shared pool of memory blocks for uploads that wait to be parsed.
 * Invariant: all files together, and the files of each sender, stay within a budget. A block
 * belongs to one file, and its earlier content is never read.
 * Blocks are reused. Otherwise the garbage collector would scan the whole heap once per file, which
 * stalls all requests for 10 to 20 ms.
 */
import { strict as assert } from "node:assert";
import type { Shortage } from "../../../process/ledger.ts";
import { Budget } from "../../server/admission.ts";

/** Bytes of a block; files hold whole blocks. */
const BLOCK_BYTES = 65_536;
/** Max unused blocks, and the time after their last use when they are freed, in milliseconds. */
const SPARE_MAX = 256;
const SPARE_MS = 30_000;

/** Budget for files that wait to be parsed, in bytes. A sender may use half of the free part. */
const ROOM = new Budget(64 * 1024 * 1024, 0.5, "files");

const spare: Buffer[] = [];

const forgetSpare = setTimeout(() => {
  spare.length = 0;
}, SPARE_MS).unref();

/** Returns the bytes that files use now. */
export function fileBytesHeld(): number {
  return ROOM.used;
}

/** Blocks of one file. The first ones may have been read and freed already. */
export class FileBlocks {
  readonly #sender: string;
  readonly #blocks: Buffer[] = [];
  /** Read offset in the first block, and write offset in the last. */
  #readAt = 0;
  #writtenAt = BLOCK_BYTES;

  constructor(sender: string) {
    this.#sender = sender;
  }

  /** True if unread bytes remain. */
  get waits(): boolean {
    return this.#blocks.length > 0;
  }

  /** Reason why another block is unavailable, or null. */
  get shortage(): Shortage | null {
    return ROOM.shortage(BLOCK_BYTES, this.#sender);
  }

  /** Copies as much of a chunk as fits. Returns the number of bytes copied. */
  add(piece: Uint8Array): number {
    let taken = 0;
    while (taken < piece.byteLength) {
      if (this.#writtenAt === BLOCK_BYTES && !this.#another()) break;
      const part = piece.subarray(taken, taken + BLOCK_BYTES - this.#writtenAt);
      (this.#blocks.at(-1) as Buffer).set(part, this.#writtenAt);
      this.#writtenAt += part.byteLength;
      taken += part.byteLength;
    }
    return taken;
  }

  /** Passes up to `most` bytes to `use`. They are invalid after it returns. */
  read(most: number, use: (bytes: Uint8Array) => void): void {
    const first = this.#blocks[0];
    assert(first !== undefined, "there is nothing to read");
    const end = this.#blocks.length === 1 ? this.#writtenAt : BLOCK_BYTES;
    const from = this.#readAt;
    this.#readAt = Math.min(from + most, end);
    use(first.subarray(from, this.#readAt));
    // `use` may have dropped the file, which then has no blocks.
    if (this.#readAt < end || this.#blocks[0] !== first) return;
    this.#blocks.shift();
    this.#readAt = 0;
    if (this.#blocks.length === 0) this.#writtenAt = BLOCK_BYTES;
    this.#giveBack(first);
  }

  /** Returns a copy of all unread bytes. */
  whole(): Buffer {
    const bytes = this.#blocks.length * BLOCK_BYTES - this.#readAt - BLOCK_BYTES + this.#writtenAt;
    const [first, ...others] = this.#blocks;
    if (first === undefined) return Buffer.alloc(0);
    return Buffer.concat([first.subarray(this.#readAt), ...others], bytes);
  }

  /** Returns all blocks to the pool and drops unread bytes. Idempotent. */
  drop(): void {
    for (const block of this.#blocks.splice(0)) this.#giveBack(block);
    this.#readAt = 0;
    this.#writtenAt = BLOCK_BYTES;
  }

  #another(): boolean {
    if (!ROOM.take(BLOCK_BYTES, this.#sender)) return false;
    this.#blocks.push(spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.#writtenAt = 0;
    return true;
  }

  #giveBack(block: Buffer): void {
    ROOM.giveBack(BLOCK_BYTES, this.#sender);
    if (spare.length < SPARE_MAX) spare.push(block);
    forgetSpare.refresh();
  }
}
