/**
 * Proves: facets by municipality equal those of the reference implementation for queries that
 * include or exclude activities, years, and intervals of dates. PLACES, the part with the counts of
 * each municipality, answers them. Ordinary posting lists are read only for the rows of partial
 * years. Without PLACES, the facets are the same. No more rows are scanned than estimated. Wrong
 * numbers in PLACES with valid checksums are rejected when the file is opened or used.
 * Does not prove that the cells match the rows (unit/native-index/build-region.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { DimensionName } from "../../../native-index/format/columns.ts";
import {
  type Clause,
  type NativeFacet,
  type NativeSegment,
  openSegment,
} from "../../../native-index/napi/engine.ts";
import {
  FIXTURE_TABLES,
  type FixtureRow,
  rowsOfKinds,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
/** Number of rows: more than one chunk, of so few kinds that PLACES has both of its tables. */
const ROWS = 70_000;
const KINDS = 700;
const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
const PLACES = "PNPLACES";
/** Dimensions of the queries, each with the number of codes. A few codes have no row. */
const ALWAYS: readonly (readonly [DimensionName, number])[] = [
  ["uf", 7],
  ["registration_status", 9],
  ["company_size_code", 5],
  ["flag", 6],
  ["municipality_ibge", 61],
];
const ACTIVITIES = ["cnae_primary", 42] as const;
const YEARS = ["started_year", 226] as const;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-places-"));
const random = seededRandom(21);
const below = (count: number) => Math.floor(random() * count);
let fixture: Fixture;
let region: Region;
let segment: NativeSegment;
let without: NativeSegment;
let forged = 0;

const open = (change: (bytes: Buffer) => void) =>
  openForged({ fixture, region }, path.join(folder, `forged-${forged++}`), change);

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), rowsOfKinds(20, ROWS, KINDS));
  region = new Region(fixture.path, fixture.directory);
  segment = openSegment(fixture.path, fixture.directory);
  without = open((bytes) => {
    for (const part of [PLACES, "PNOPENED"]) {
      bytes.write("PNFUTURE", startOfPart(region, part), "latin1");
    }
  });
});
after(() => {
  segment.close();
  without.close();
  rmSync(folder, { recursive: true });
});

function posting([dimension, count]: readonly [DimensionName, number]): Clause {
  const share = random();
  const codes = Array.from({ length: count }, (_, code) => code).filter(() => random() < share);
  const any = [{ dimension, codes: Uint32Array.from(codes) }];
  return { kind: "posting", any, negated: random() < 0.4 };
}

function some(): Clause[] {
  return Array.from({ length: below(3) }, () => posting(ALWAYS[below(ALWAYS.length)] as never));
}

/** Returns an interval of days. A quarter of the intervals are whole years. */
function dates(): Clause {
  const day = () => -62_091 + below(82_000);
  const year = () => Date.UTC(1800 + below(220), 0, 1) / 86_400_000;
  const [a, b] = random() < 0.25 ? [year(), year() - 1] : [day(), day()];
  return { kind: "range", column: "started_on", ranges: [[Math.min(a, b), Math.max(a, b)]] };
}

function twin(clauses: readonly Clause[]): Uint32Array {
  const counts = new Uint32Array(FIXTURE_TABLES.municipality_ibge.length + 1);
  for (const id of matchesOf(fixture.rows, clauses)) {
    const row = fixture.rows[id] as FixtureRow;
    (counts[row.municipality_ibge ?? counts.length - 1] as number)++;
  }
  return counts;
}

/**
 * Counts the facet by municipality together with other facets, and compares it with the reference
 * implementation. Returns the numbers of the work that was done.
 */
function check(clauses: readonly Clause[], beside: readonly NativeFacet[] = []) {
  const names: NativeFacet[] = ["municipality", ...beside];
  for (const one of [segment, without]) {
    one.dropCaches();
    const most = one.facetsWorkMax(clauses, names);
    const [counted] = one.facets(clauses, names);
    assert.deepEqual(counted, twin(clauses), JSON.stringify(clauses));
    const { counted: rows, cells } = one.lastWork();
    assert.ok(rows + cells <= most, `${rows} rows and ${cells} cells, ${most} were told`);
    const total = counted?.reduce((sum, count) => sum + count);
    assert.equal(one.count(clauses), total);
  }
  segment.facets(clauses, ["municipality"]);
  return segment.lastWork();
}

it("sums municipalities by activity or by year, but not by both", () => {
  let sums = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const work = check([...some(), posting(round % 2 === 0 ? ACTIVITIES : YEARS)]);
    assert.deepEqual([work.chunks, work.counted], [0, 0]);
    sums += work.cells;
  }
  assert.ok(sums > 0);
  assert.ok(check([posting(ACTIVITIES), posting(YEARS)]).chunks > 0);
});

it("sums whole years of an interval and counts the days of partial years", () => {
  for (let round = 0; round < ROUNDS; round++) {
    check([...some(), dates()], ["registration_status", "legal_nature", "started_year"]);
  }
  const long: Clause = { kind: "range", column: "started_on", ranges: [[-40_000, 10_000]] };
  const { counted, chunks, tests } = check([long]);
  assert.deepEqual([chunks, counted], [0, 0]);
  assert.ok(tests > 0 && tests < ROWS / 50, `${tests} entries`);
  // Opens the file without OPENED, the rows by state and opening day. Its answers come from
  // scanning rows, as in programs older than OPENED.
  const unopened = open((bytes) =>
    bytes.write("PNFUTURE", startOfPart(region, "PNOPENED"), "latin1"),
  );
  assert.deepEqual(unopened.facets([long], ["municipality"])[0], twin([long]));
  const looked = unopened.lastWork();
  assert.ok(looked.chunks > 0 && looked.counted < ROWS / 50, `${looked.counted} rows`);
  unopened.close();
  const years: Clause = { kind: "range", column: "started_on", ranges: [[-14_610, 17_896]] };
  assert.equal(check([years]).chunks, 0);
});

it("counts municipalities chunk by chunk if no sums exist", () => {
  const natures = { dimension: "legal_nature", codes: Uint32Array.of(0, 1, 4) } as const;
  const work = check([{ kind: "posting", any: [natures], negated: false }]);
  assert.deepEqual([work.chunks, work.cells], [2, 0]);
});

/** Returns the offset of an array in a table, given the array's index in the header. */
function arrayAt(table: number, array: number): number {
  const start = startOfPart(region, PLACES);
  return start + Number(region.file.readBigUInt64LE(start + 32 + 56 * table + 8 * array));
}

it("ignores PLACES of another version, and rejects one that is too long", () => {
  const start = startOfPart(region, PLACES);
  const future = open((bytes) => bytes.writeUInt32LE(77, start + 8));
  assert.deepEqual(future.facets([dates()], ["municipality"]).length, 1);
  future.close();
  for (const length of [0n, 31n, 64n, 1n << 40n, (1n << 64n) - 1n]) {
    assert.throws(() => open((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
  }
});

it("rejects PLACES with wrong counts or offsets", () => {
  const start = startOfPart(region, PLACES);
  for (const at of [12, 16, 20, ...[32, 88].flatMap((head) => [head + 40, head + 44, head + 48])]) {
    const forge = (bytes: Buffer) => bytes.writeUInt32LE(0xfffffff0, start + at);
    assert.throws(() => open(forge), DAMAGED, `count at ${at}`);
  }
  for (const head of [32, 88]) {
    for (const at of [0, 8, 16, 24, 32]) {
      for (const value of [1n << 40n, (1n << 64n) - 4n]) {
        const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, start + head + at);
        assert.throws(() => open(forge), DAMAGED, `${value} at ${head + at}`);
      }
    }
  }
});

it("rejects, on use, blocks, runs, and names of PLACES that point outside", () => {
  const [blocks, names, lengths] = [0, 1, 2].map((array) => arrayAt(0, array)) as [
    number,
    number,
    number,
  ];
  const forgeries: ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeUInt16LE(512, blocks),
    (bytes) => bytes.writeUInt16LE(7, blocks + 2),
    (bytes) => bytes.writeUInt32LE(0xfffffff0, blocks + 12 + 4),
    (bytes) => bytes.writeUInt32LE(0xfffffff0, blocks + 12 + 8),
    (bytes) => bytes.writeUInt32LE(0, blocks + 24 + 4),
    (bytes) => bytes.writeUInt16LE(61, names),
    (bytes) => bytes.writeUInt8(255, lengths),
    (bytes) => bytes.writeUInt8(0, lengths),
  ];
  forgeries.forEach((forge, i) => {
    const one = open(forge);
    const any = [{ dimension: "started_year", codes: Uint32Array.of(300) } as const];
    const clause: Clause = { kind: "posting", any, negated: true };
    assert.throws(() => one.facets([clause], ["municipality"]), DAMAGED, `forgery ${i}`);
    one.close();
  });
});
