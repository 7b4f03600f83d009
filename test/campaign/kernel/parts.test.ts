/**
 * Proves: wrong numbers with valid checksums in optional parts of a file are rejected when the file
 * is opened or used. The parts are ROLLUP (counts by combination) and POSTAL (rows by postal code).
 * The file is never read out of bounds. A part with an unknown name or version is ignored, and
 * every answer is the same without it.
 * Does not prove that no other wrong bytes cause damage (fuzz.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { Clause, NativeSegment } from "../../../native-index/napi/engine.ts";
import { randomRows } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";

const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
const folder = mkdtempSync(path.join(tmpdir(), "peneira-parts-"));
let fixture: Fixture;
let region: Region;
let forged = 0;

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), randomRows(5, 3_000));
  region = new Region(fixture.path, fixture.directory);
});
after(() => rmSync(folder, { recursive: true }));

const startOf = (magic: string) => startOfPart(region, magic);
const open = (change: (bytes: Buffer) => void) =>
  openForged({ fixture, region }, path.join(folder, `forged-${forged++}`), change);

const postal: Clause[] = [{ kind: "range", column: "postal_code", ranges: [[0, 54_999_999]] }];
const state: Clause[] = [
  { kind: "posting", any: [{ dimension: "uf", codes: Uint32Array.of(2, 3) }], negated: false },
  { kind: "posting", any: [{ dimension: "flag", codes: Uint32Array.of(3) }], negated: true },
];

function checkAnswers(segment: NativeSegment): void {
  for (const clauses of [postal, state, [...postal, ...state]]) {
    assert.equal(segment.count(clauses), matchesOf(fixture.rows, clauses).length);
  }
  segment.close();
}

for (const magic of ["PNROLLUP", "PNPOSTAL"]) {
  it(`ignores ${magic} of another name or version`, () => {
    checkAnswers(open(() => undefined));
    checkAnswers(open((bytes) => bytes.write("PNFUTURE", startOf(magic), "latin1")));
    checkAnswers(open((bytes) => bytes.writeUInt32LE(77, startOf(magic) + 8)));
  });

  it(`rejects ${magic} that is longer than its space or shorter than its header`, () => {
    for (const length of [0n, 31n, 40n, 1n << 20n, 1n << 63n, (1n << 64n) - 1n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(length, startOf(magic) + 24);
      assert.throws(() => open(forge), DAMAGED, `${length}`);
    }
  });

  it(`rejects ${magic} with wrong counts or offsets`, () => {
    const places = magic === "PNROLLUP" ? [40, 48, 56, 40 + 6 * 32] : [32, 40];
    for (const at of places) {
      for (const value of [1n << 40n, (1n << 64n) - 4n]) {
        const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, startOf(magic) + at);
        assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
      }
    }
    const counts = magic === "PNROLLUP" ? [12, 16, 20, 32, 64, 68] : [12, 16];
    for (const at of counts) {
      const forge = (bytes: Buffer) => bytes.writeUInt32LE(0xfffffff0, startOf(magic) + at);
      assert.throws(() => open(forge), DAMAGED, `count at ${at}`);
    }
  });
}

it("rejects, on use, starts and rows of POSTAL that leave their chunk", () => {
  const at = startOf("PNPOSTAL");
  const starts = at + Number(region.file.readBigUInt64LE(at + 40));
  const rows = at + Number(region.file.readBigUInt64LE(at + 32));
  const large = open((bytes) => bytes.writeUInt32LE(70_000, starts + 4 * 5500));
  assert.throws(() => large.count(postal), DAMAGED);
  const falling = open((bytes) => bytes.writeUInt32LE(2_900, starts + 4 * 10));
  const within: Clause = { kind: "range", column: "postal_code", ranges: [[100_001, 150_000]] };
  assert.throws(() => falling.count([within]), DAMAGED);
  const unknown = open((bytes) => bytes.fill(0xff, rows, rows + 6_000));
  const inside: Clause = { kind: "range", column: "postal_code", ranges: [[5, 99_999_995]] };
  assert.throws(() => unknown.count([inside]), DAMAGED);
  for (const segment of [large, falling, unknown]) segment.close();
});
