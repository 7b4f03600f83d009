/**
 * Where files wait to be read: blocks of memory that all of them share. What comes in: pieces of a
 * file. What goes out: the same bytes, a little at a time or as a whole.
 * Invariant: what all files hold, and what those of one sender hold, has the room that is said
 * here; a block belongs to one file, and what it held before is never read.
 * Why blocks are used again: memory that comes and goes with each piece makes the garbage collector
 * look through everything once a file, in which nobody is answered for ten to twenty milliseconds.
 */
import { strict as assert } from "node:assert";
import type { Shortage } from "../../../process/ledger.ts";
import { Budget } from "../../server/admission.ts";

/** Bytes of a block; what a file holds is a number of them. */
const BLOCK_BYTES = 65_536;
/** Blocks that are kept for the next files, and for how long after the last, in milliseconds. */
const SPARE_MAX = 256;
const SPARE_MS = 30_000;

/** Bytes of files that wait to be read; half of what others leave for each sender. */
const ROOM = new Budget(64 * 1024 * 1024, 0.5, "files");

const spare: Buffer[] = [];

const forgetSpare = setTimeout(() => {
  spare.length = 0;
}, SPARE_MS).unref();

/** Bytes that files take at the moment. */
export function fileBytesHeld(): number {
  return ROOM.used;
}

/** One file, of which the beginning may have been read. */
export class FileBlocks {
  readonly #sender: string;
  readonly #blocks: Buffer[] = [];
  /** Where in the first block reading goes on, and where in the last one writing does. */
  #readAt = 0;
  #writtenAt = BLOCK_BYTES;

  constructor(sender: string) {
    this.#sender = sender;
  }

  /** Whether there are bytes that were not read. */
  get waits(): boolean {
    return this.#blocks.length > 0;
  }

  /** What stands in the way of one more block; null where nothing does. */
  get shortage(): Shortage | null {
    return ROOM.shortage(BLOCK_BYTES, this.#sender);
  }

  /** Takes from the beginning of a piece what there is room for; gives how many bytes those are. */
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

  /** Has the next bytes read, at most so many; they are gone when `use` returns. */
  read(most: number, use: (bytes: Uint8Array) => void): void {
    const first = this.#blocks[0];
    assert(first !== undefined, "there is nothing to read");
    const end = this.#blocks.length === 1 ? this.#writtenAt : BLOCK_BYTES;
    const from = this.#readAt;
    this.#readAt = Math.min(from + most, end);
    use(first.subarray(from, this.#readAt));
    // A file that was given up meanwhile has no blocks any more.
    if (this.#readAt < end || this.#blocks[0] !== first) return;
    this.#blocks.shift();
    this.#readAt = 0;
    if (this.#blocks.length === 0) this.#writtenAt = BLOCK_BYTES;
    this.#giveBack(first);
  }

  /** A copy of all bytes that were not read. */
  whole(): Buffer {
    const bytes = this.#blocks.length * BLOCK_BYTES - this.#readAt - BLOCK_BYTES + this.#writtenAt;
    const [first, ...others] = this.#blocks;
    if (first === undefined) return Buffer.alloc(0);
    return Buffer.concat([first.subarray(this.#readAt), ...others], bytes);
  }

  /** Gives all blocks back; what was not read is lost. May be called again. */
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
