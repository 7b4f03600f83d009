/**
 * Alters a file in place while it is served, so that every process that has opened or mapped the
 * file sees the change.
 * Invariant: the inode stays the same. All random choices come from the given source, so a seed
 * identifies a series of alterations. `keepingTimes` restores the mtime, as a copying program or a
 * failing disk does. The ctime cannot be restored. `forge` alters bytes and keeps the CRC-32C of
 * their block valid, which no accident does.
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

/** Bytes per checksum. */
const BLOCK_BYTES = 65_536;

/** Mtime of files made by `copyAged`, in whole seconds, which can be restored exactly. */
const AGED_SECONDS = 1_700_000_000;

/** Copies a file and sets an old mtime, so that a test can restore the times without a wait. */
export function copyAged(from: string, to: string): void {
  copyFileSync(from, to);
  utimesSync(to, AGED_SECONDS, AGED_SECONDS);
}

/** A range of bytes in a file, without its end. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Returns the first offset of a text in a file. Throws if the text does not occur. */
export function placeOf(bytes: Buffer, text: string): number {
  const at = bytes.indexOf(text);
  if (at < 0) throw new RangeError(`the file does not hold ${JSON.stringify(text)}`);
  return at;
}

/** Overwrites the bytes at an offset. */
export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  inPlace(path, (fd) => writeSync(fd, bytes, 0, bytes.length, at));
}

/** Flips one bit of a byte. */
export function flipBit(path: string, at: number, bit: number): void {
  inPlace(path, (fd) => {
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, at);
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << bit), 0);
    writeSync(fd, byte, 0, 1, at);
  });
}

/** Writes zeros over a range, as if a page of the disk had been lost. */
export function zero(path: string, { from, to }: Stretch): void {
  overwrite(path, from, new Uint8Array(to - from));
}

/** Truncates a file, or extends it with zeros. */
export function resize(path: string, length: number): void {
  inPlace(path, (fd) => ftruncateSync(fd, length));
}

/** Runs an alteration and restores the file's times. */
export function keepingTimes(path: string, alter: () => void): void {
  const { atimeMs, mtimeMs } = statSync(path);
  alter();
  utimesSync(path, atimeMs / 1_000, mtimeMs / 1_000);
}

/** The kinds of alterations. */
export const ALTERATIONS = ["bits", "many bits", "zeros", "cut", "grown", "overwritten"] as const;

/** One of them. */
export type Alteration = (typeof ALTERATIONS)[number];

/** Alters a file at a random position inside a range. `random` returns numbers in [0, 1). */
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
 * Alters bytes in a file without changing the CRC-32C of any block. It writes `to` at the offset
 * `at`, and immediately after it four bytes that restore the checksum of the block. All of them
 * must be in one block.
 */
export function forge(file: Buffer, at: number, to: Uint8Array): void {
  const start = at - (at % BLOCK_BYTES);
  const block = file.subarray(start, start + BLOCK_BYTES);
  const before = crc32c(block);
  file.set(to, at);
  forgeSum(block, at - start + to.length, before);
}

/**
 * Sets four bytes of a block so that the block gets a given checksum. This is possible because the
 * checksum is an affine function of their 32 bits.
 */
function forgeSum(block: Buffer, at: number, wanted: number): void {
  if (at + 4 > block.length) throw new RangeError("there is no room in this block");
  const sumWith = (word: number) => {
    block.writeUInt32LE(word >>> 0, at);
    return crc32c(block);
  };
  const none = sumWith(0);
  // For each bit, the change of the checksum if it is flipped, in echelon form (as for solving
  // linear equations).
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
