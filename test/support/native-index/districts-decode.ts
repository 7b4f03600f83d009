/**
 * Decodes DISTRICTS as specified in native-index/format/region/parts.h, for tests. Input: the
 * region of a file, or its rows. Output: the rows of every district of every municipality.
 * Invariant: every byte of DISTRICTS is read, and the addon is not used.
 */
import assert from "node:assert/strict";
import { foldDistrict } from "../../../src/spec/districtname.ts";
import type { FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";

/**
 * The rows of each district in file order. A key such as `3 centro` consists of municipality code
 * and folded name.
 */
export type DistrictRows = Map<string, number[]>;

/** From the rows. */
export function districtsOf(rows: readonly FixtureRow[]): DistrictRows {
  const found: DistrictRows = new Map();
  rows.forEach(({ municipality_ibge: code, district }, row) => {
    const name = district === null ? "" : foldDistrict(district);
    if (code === null || name === "") return;
    const key = `${code} ${name}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [row]);
    else known.push(row);
  });
  const byBytes = ([a]: [string, number[]], [b]: [string, number[]]) => {
    const [one, other] = [Number.parseInt(a, 10), Number.parseInt(b, 10)];
    return one === other ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : one - other;
  };
  return new Map([...found].sort(byBytes));
}

/**
 * Returns the districts in the DISTRICTS part of a file. `rowsOf` has the rows of the
 * municipalities to decode.
 */
export function districtsIn(region: Region, rowsOf: ReadonlyMap<number, number[]>): DistrictRows {
  const bytes = partsIn(region).get("PNDISTRI") ?? assert.fail("no DISTRICTS");
  const municipalities = bytes.readUInt32LE(12);
  assert.deepEqual(
    [8, 16, 20].map((at) => bytes.readUInt32LE(at)),
    [1, 0, 0],
  );
  const placeOf = (code: number) => {
    const at = 32 + 24 * code;
    const [entries, lists] = [at, at + 8].map((one) => Number(bytes.readBigUInt64LE(one)));
    return {
      entries,
      lists,
      rows: bytes.readUInt32LE(at + 16),
      count: bytes.readUInt32LE(at + 20),
    };
  };
  const found: DistrictRows = new Map();
  let [at, list] = [32 + 24 * (municipalities + 1), placeOf(0).lists as number];
  const varint = () => {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      number += (byte & 127) * 2 ** shift;
      if (byte < 128) return number;
    }
  };
  for (let code = 0; code < municipalities; code++) {
    const place = placeOf(code);
    assert.deepEqual([at, list], [place.entries, place.lists], "nothing lies between");
    const rows = rowsOf.get(code) ?? [];
    assert.ok(place.count === 0 || rows.length === place.rows);
    let name = Buffer.alloc(0);
    for (let i = 0; i < place.count; i++) {
      const shared = varint();
      const length = varint();
      name = Buffer.concat([name.subarray(0, shared), bytes.subarray(at, at + length)]);
      at += length;
      const count = varint();
      const end = list + varint();
      const places = placesIn(bytes.subarray(list, end), count, rows.length);
      found.set(
        `${code} ${name}`,
        places.map((one) => rows[one] as number),
      );
      list = end;
    }
  }
  assert.deepEqual([at, list], [placeOf(0).lists, bytes.length]);
  return found;
}

function placesIn(bytes: Buffer, count: number, rows: number): number[] {
  const mean = Math.floor((rows * 7) / (count * 10));
  const shift = mean === 0 ? 0 : Math.floor(Math.log2(mean));
  let bit = 0;
  const next = () => ((bytes[bit >> 3] as number) >> (bit++ & 7)) & 1;
  const places: number[] = [];
  for (let before = -1; places.length < count; ) {
    let gap = 0;
    while (next() === 0) gap += 2 ** shift;
    for (let i = 0; i < shift; i++) gap += next() * 2 ** i;
    before += gap + 1;
    places.push(before);
  }
  while (bit < 8 * bytes.length) assert.equal(next(), 0, "a list ends with zeros");
  assert.ok(8 * bytes.length - bit < 8);
  return places;
}
