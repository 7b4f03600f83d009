/**
 * A file that changes while it is served. What comes in: a path, and what is to happen to it. What
 * goes out: the same file, altered in place, so that whoever has it open or mapped sees it.
 * Invariant: the inode stays; an alteration draws all that is random from the given source, so that
 * a seed names a campaign. `keepingTimes` gives back the time of the last write, as a copying
 * program or a failing disk does; the time of the last change (ctime) nobody can give back.
 * `forge` does what no accident does: it alters bytes under a right CRC-32C.
 */
import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { crc32c } from "../../../native-index/napi/engine.ts";

/** Bytes that one checksum covers. */
const BLOCK_BYTES = 65_536;

/** When files of `copyAged` were written last, in seconds; a whole number comes back exactly. */
const AGED_SECONDS = 1_700_000_000;

/** Copies a file and makes it old, so that its times can be kept and nobody waits for it. */
export function copyAged(from: string, to: string): void {
  copyFileSync(from, to);
  utimesSync(to, AGED_SECONDS, AGED_SECONDS);
}

/** Bytes from one offset of a file to before another one. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Where a text stands in a file for the first time; throws where it does not. */
export function placeOf(bytes: Buffer, text: string): number {
  const at = bytes.indexOf(text);
  if (at < 0) throw new RangeError(`the file does not hold ${JSON.stringify(text)}`);
  return at;
}

/** Writes bytes over those at an offset. */
export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  inPlace(path, (fd) => writeSync(fd, bytes, 0, bytes.length, at));
}

/** Turns one bit of a byte round. */
export function flipBit(path: string, at: number, bit: number): void {
  inPlace(path, (fd) => {
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, at);
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << bit), 0);
    writeSync(fd, byte, 0, 1, at);
  });
}

/** Writes zeros over a stretch, as a lost page reads. */
export function zero(path: string, { from, to }: Stretch): void {
  overwrite(path, from, new Uint8Array(to - from));
}

/** Cuts a file off, or makes it longer by zeros. */
export function resize(path: string, length: number): void {
  inPlace(path, (fd) => ftruncateSync(fd, length));
}

/** Runs an alteration and gives the file its times back. */
export function keepingTimes(path: string, alter: () => void): void {
  const { atimeMs, mtimeMs } = statSync(path);
  alter();
  utimesSync(path, atimeMs / 1_000, mtimeMs / 1_000);
}

/** What may happen to a file at once. */
export const ALTERATIONS = ["bits", "many bits", "zeros", "cut", "grown", "overwritten"] as const;

/** One of them. */
export type Alteration = (typeof ALTERATIONS)[number];

/** Lets something happen to a file, at places inside a stretch of it; `random` gives [0, 1). */
export function alter(
  path: string,
  kind: Alteration,
  random: () => number,
  within?: Stretch,
): void {
  const { size } = statSync(path);
  const { from, to } = within ?? { from: 0, to: size };
  const place = () => from + Math.floor(random() * (to - from));
  const bits = (count: number) => {
    for (let i = 0; i < count; i++) flipBit(path, place(), Math.floor(random() * 8));
  };
  switch (kind) {
    case "bits":
      bits(20);
      break;
    case "many bits":
      bits(3_000);
      break;
    case "zeros": {
      const at = place();
      zero(path, { from: at, to: Math.min(to, at + 65_536) });
      break;
    }
    case "cut":
      resize(path, place());
      break;
    case "grown":
      resize(path, size + 1 + Math.floor(random() * 100_000));
      break;
    case "overwritten":
      overwrite(path, from, noise(to - from, random));
  }
}

/**
 * Alters a file's bytes so that no CRC-32C of a block tells: writes `to` at `at`, and four bytes
 * right behind it that give the block the sum that it had. Both must lie in one block.
 */
export function forge(file: Buffer, at: number, to: Uint8Array): void {
  const start = at - (at % BLOCK_BYTES);
  const block = file.subarray(start, start + BLOCK_BYTES);
  const before = crc32c(block);
  file.set(to, at);
  forgeSum(block, at - start + to.length, before);
}

/** Sets four bytes of a block so that it has a sum: the sum is affine in their 32 bits. */
function forgeSum(block: Buffer, at: number, wanted: number): void {
  if (at + 4 > block.length) throw new RangeError("there is no room in this block");
  const sumWith = (word: number) => {
    block.writeUInt32LE(word >>> 0, at);
    return crc32c(block);
  };
  const none = sumWith(0);
  // Each bit of the word with what it changes in the sum, brought into steps by elimination.
  const steps: { change: number; bits: number }[] = [];
  const reduced = (sum: number, word: number) => {
    let [change, bits] = [sum, word];
    for (const step of steps) {
      if ((change ^ step.change) >>> 0 >= change >>> 0) continue;
      change ^= step.change;
      bits ^= step.bits;
    }
    return { change, bits };
  };
  for (let bit = 0; bit < 32; bit++) {
    const step = reduced(sumWith(1 << bit) ^ none, 1 << bit);
    steps.push(step);
    steps.sort((a, b) => (b.change >>> 0) - (a.change >>> 0));
  }
  const { change, bits } = reduced(wanted ^ none, 0);
  if (change !== 0 || sumWith(bits) !== wanted) throw new Error("the sum could not be forged");
}

function noise(length: number, random: () => number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

function inPlace(path: string, write: (fd: number) => unknown): void {
  const fd = openSync(path, "r+");
  try {
    if (!fstatSync(fd).isFile()) throw new RangeError(`${path} is no file`);
    write(fd);
  } finally {
    closeSync(fd);
  }
}
