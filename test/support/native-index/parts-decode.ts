/**
 * Splits an index region into its optional parts, as specified in
 * native-index/format/region/region.h, for tests. Input: the region of a file. Output: the bytes of
 * each part, by name.
 * Invariant: parts follow each other, each on a multiple of 64 bytes. The last one ends before
 * BLOCKS, the section with the block checksums.
 */
import assert from "node:assert/strict";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import type { FixtureRow } from "./fixture-rows.ts";
import type { Region } from "./region-decode.ts";

/** Number of postal codes in a group of POSTAL, the part with the rows by postal code. */
const GROUP_CODES = 10_000;
const GROUPS = 10_000;

/** Maps the magic of each part in a file to its bytes. */
export function partsIn(region: Region): Map<string, Buffer> {
  const sections = region.entries.filter(({ kind }) => kind !== 12);
  const end = Math.max(...sections.map(({ offset, length }) => offset + length));
  const { offset } = region.entries.find(({ kind }) => kind === 12) as { offset: number };
  const parts = new Map<string, Buffer>();
  let at = Math.ceil(end / 64) * 64;
  while (at < offset) {
    const length = Number(region.file.readBigUInt64LE(at + 24));
    assert.ok(length >= 32 && at + length <= offset, "a part ends before BLOCKS");
    parts.set(region.file.toString("latin1", at, at + 8), region.file.subarray(at, at + length));
    at = Math.ceil((at + length) / 64) * 64;
  }
  assert.equal(at, offset, "BLOCKS follow the last part");
  return parts;
}

/** The content of POSTAL: rows in file order, and starts by group, then chunk. */
export interface PostalParts {
  readonly rows: readonly number[];
  readonly starts: readonly number[];
}

/** Decodes the POSTAL part of a file, or returns null if it has none. */
export function postalIn(region: Region): PostalParts | null {
  const bytes = partsIn(region).get("PNPOSTAL");
  if (bytes === undefined) return null;
  const chunks = Math.ceil(region.rowCount / 65_536);
  assert.deepEqual(
    [8, 12, 16, 20].map((at) => bytes.readUInt32LE(at)),
    [1, GROUPS, chunks, 0],
  );
  const [rows, starts] = [32, 40].map((at) => Number(bytes.readBigUInt64LE(at))) as [
    number,
    number,
  ];
  assert.deepEqual([rows % 64, starts % 64], [0, 0], "arrays are aligned");
  assert.equal(starts + 4 * chunks * (GROUPS + 1), bytes.length);
  return {
    rows: Array.from({ length: region.rowCount }, (_, i) => bytes.readUInt16LE(rows + 2 * i)),
    starts: Array.from({ length: chunks * (GROUPS + 1) }, (_, i) =>
      bytes.readUInt32LE(starts + 4 * i),
    ),
  };
}

/** Computes the content that POSTAL must have, by sorting the rows. */
export function sortedPostal(rows: readonly FixtureRow[]): PostalParts {
  const chunks = Math.ceil(rows.length / 65_536);
  const sorted: number[] = [];
  const starts = new Array<number>(chunks * (GROUPS + 1)).fill(0);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const codes = rows
      .slice(chunk * 65_536, (chunk + 1) * 65_536)
      .map(({ postal_code: code }) => code ?? Number.POSITIVE_INFINITY);
    const order = [...codes.keys()].sort((a, b) => {
      const [one, other] = [codes[a] as number, codes[b] as number];
      return one === other ? a - b : one - other;
    });
    sorted.push(...order);
    let at = 0;
    for (let group = 0; group <= GROUPS; group++) {
      while ((codes[order[at] as number] ?? Infinity) < group * GROUP_CODES) at++;
      starts[group * chunks + chunk] = at;
    }
  }
  return { rows: sorted, starts };
}

/**
 * Number of bytes of a name from which a short and a long prefix mark are computed. BEGINNINGS is
 * the part with four such marks for each row.
 */
const BEGINNING_BYTES = [4, 9] as const;

/** Returns the marks of every row in BEGINNINGS, or null if a file has none. */
export function beginningsIn(region: Region): number[][] | null {
  const bytes = partsIn(region).get("PNBEGINS");
  if (bytes === undefined) return null;
  assert.deepEqual([bytes.readUInt32LE(8), Number(bytes.readBigUInt64LE(32))], [1, 64]);
  assert.equal(bytes.length, 64 + 4 * region.rowCount);
  return Array.from({ length: region.rowCount }, (_, row) => [
    ...bytes.subarray(64 + 4 * row, 68 + 4 * row),
  ]);
}

/** A row's marks by the specification of BEGINNINGS. */
export function marksOf({ legal_name: legal, trade_name: trade }: FixtureRow): number[] {
  return [legal, trade].flatMap((name) => {
    const text = Buffer.from(analyzeWords(name ?? "").join(" "));
    return BEGINNING_BYTES.map((count) => markOf(text, count));
  });
}

function markOf(text: Buffer, count: number): number {
  if (text.length < count) return 0;
  const padded = Buffer.alloc(16);
  text.copy(padded, 0, 0, count);
  const [low, high] = [padded.readBigUInt64LE(0), padded.readBigUInt64LE(8)];
  const times = (value: bigint, factor: bigint) => BigInt.asUintN(64, value * factor);
  const mixed = times(low ^ times(high, 0x9e3779b97f4a7c15n), 0xbf58476d1ce4e5b9n);
  return Number(((times(mixed ^ (mixed >> 29n), 0x94d049bb133111ebn) >> 40n) % 255n) + 1n);
}
