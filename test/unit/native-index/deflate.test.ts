/**
 * Proves: zlib inflates the addon's DEFLATE streams to the packed bytes, for any input in any
 * number of pieces, with every length and distance and maximum code lengths. Incompressible input
 * grows by a few bytes, and rows of a sheet are at most a tenth larger than zlib makes them. The
 * output is the same on either thread. Bytes that change while they are packed are packed with
 * their old values. Does not prove: how long it takes (bench export), nor the ZIP package
 * (unit/export/zippackage.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { deflate, deflateAsync } from "../../../native-index/napi/engine.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

const FARTHEST = 32_768;
const LONGEST = 258;

function randomBytes(random: () => number, length: number, values = 256): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => Math.floor(random() * values)));
}

/** Packs pieces, and checks that inflating restores them. Returns the packed length. */
function roundTrip(...pieces: readonly Uint8Array[]): number {
  const last = pieces.length - 1;
  const packed = Buffer.concat(pieces.map((piece, i) => deflate(piece, i === last)));
  // inflateRawSync throws if bytes follow the end of the stream.
  const inflated = inflateRawSync(packed);
  assert.ok(inflated.equals(Buffer.concat(pieces)), "the same bytes");
  return packed.length;
}

/**
 * Returns symbols whose counts are Fibonacci numbers, because these counts produce the longest
 * codes. The order avoids repetitions.
 */
function skewed(random: () => number, symbols: number): Buffer {
  const bytes: number[] = [];
  for (let symbol = 0, [count, next] = [1, 1]; symbol < symbols; symbol++) {
    for (let i = 0; i < count; i++) bytes.push(symbol);
    [count, next] = [next, count + next];
  }
  for (let i = bytes.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [bytes[i], bytes[other]] = [bytes[other] as number, bytes[i] as number];
  }
  return Buffer.from(bytes);
}

/** Returns rows like those of a sheet: equal tags, ascending numbers, and repeating words. */
function sheetRows(random: () => number, count: number): Buffer {
  const words = Array.from({ length: 400 }, () => randomBytes(random, 8).toString("hex"));
  const word = () => words[Math.floor(random() ** 3 * words.length)] as string;
  const cell = (letter: string, row: number, text: string) =>
    `<c r="${letter}${row}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = Array.from({ length: count }, (_, i) => {
    const number = `${Math.floor(random() * 1e14)}`.padStart(14, "0");
    const texts = [number, `${word()} ${word()}`, word(), word()];
    const cells = texts.map((text, k) => cell("ABCD"[k] as string, i, text));
    return `<row r="${i}">${cells.join("")}</row>`;
  });
  return Buffer.from(rows.join(""));
}

describe("deflate", () => {
  it("compresses zero, one, and a few bytes", () => {
    for (let length = 0; length < 40; length++) {
      roundTrip(Buffer.alloc(length, 7));
      roundTrip(randomBytes(seededRandom(length), length));
    }
  });

  it("compresses repeats of every length and at every distance, beyond the window too", () => {
    const random = seededRandom(1);
    const distances = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 255, 256, 257, 4_096, 4_097];
    for (let length = 3; length <= LONGEST + 3; length++) {
      const repeated = randomBytes(random, length);
      for (const gap of [randomBytes(random, 5), randomBytes(random, 300)]) {
        roundTrip(Buffer.concat([repeated, gap, repeated, gap]));
      }
    }
    for (const distance of [...distances, ...[-2, -1, 0, 1, 2].map((by) => FARTHEST + by)]) {
      const once = randomBytes(random, distance);
      roundTrip(Buffer.concat([once, once]));
    }
    const far = randomBytes(random, FARTHEST);
    assert.ok(roundTrip(Buffer.concat([far, far])) < 1.1 * FARTHEST, "the farthest are found");
  });

  it("compresses input with the longest codes, and with hardly any symbols", () => {
    const random = seededRandom(2);
    for (const symbols of [1, 2, 3, 16, 17, 21, 24]) roundTrip(skewed(random, symbols));
    for (const values of [1, 2, 3]) roundTrip(randomBytes(random, 70_000, values));
  });

  it("stores incompressible bytes", () => {
    for (const length of [1, 100, 32_767, 32_768, 32_769, 65_535, 65_536, 200_000]) {
      const packed = roundTrip(randomBytes(seededRandom(length), length));
      const most = length + 5 * Math.ceil(length / 32_768) + 16;
      assert.ok(packed <= most, `${packed} bytes of ${length}`);
    }
  });

  it("compresses any bytes in any pieces", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom(...'<c r="A1</é'), { maxLength: 400 })
        .map((all) => Buffer.from(all.join(""))),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(2_000))
        .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part))),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        roundTrip(...pieces);
      }),
      { numRuns: 400, seed: 11 },
    );
  });

  it("compresses rows of a sheet about as well as zlib", () => {
    const rows = sheetRows(seededRandom(3), 4_000);
    const ours = roundTrip(rows);
    const theirs = deflateRawSync(rows, { level: 3 }).length;
    assert.ok(ours < 1.1 * theirs, `${ours} bytes, zlib ${theirs}`);
  });

  it("produces the same bytes on either thread, from the bytes at call time", async () => {
    const rows = sheetRows(seededRandom(4), 1_000);
    for (const isLast of [false, true]) {
      const given = Buffer.from(rows);
      const aside = deflateAsync(given, isLast);
      given.fill(0);
      assert.deepEqual(await aside, deflate(rows, isLast));
    }
  });

  it("rejects invalid pieces", () => {
    const wrong = (value: unknown) => value as never;
    for (const pack of [deflate, deflateAsync]) {
      assert.throws(() => pack(wrong("x"), true), /bytes must be a Uint8Array, not "x"/);
      assert.throws(() => pack(Buffer.alloc(1), wrong(1)), /isLast must be true or false, not 1/);
    }
  });
});
