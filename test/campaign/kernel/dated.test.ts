/**
 * Proves: totals, first pages, and facets of queries with intervals of days equal those of the
 * reference implementation. This holds with and without activities and cities, for any days, and
 * from any row. For one interval and no city, a query reads only entries between the two days in
 * DATED (rows by activity, state, and opening day) and OPENED (rows by state and opening day). It
 * reads none of the ordinary posting lists. Without OPENED, DATED, COVER (rows by activity and
 * state), or all of them, the answers are the same. Wrong numbers in OPENED and DATED with valid
 * checksums are rejected when the file is opened or used.
 * Does not prove that lists and cells match the rows (unit/native-index/build-region).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { DimensionName } from "../../../native-index/format/columns.ts";
import { type Clause, type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { facetOf, TWIN_FACETS } from "../../support/native-index/facet-twin.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
/** More rows than one chunk has. */
const ROWS = 70_000;
const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
const [OPENED, DATED, COVER] = ["PNOPENED", "PNDATEDS", "PNCOVERS"] as const;
/**
 * The first opening day to query, and the number of days. They include a few days before and after
 * those of the fixture's accounts.
 */
const FIRST_DAY = -62_091;
const DAYS = 82_000;
/** Dimensions of the queries, each with the number of codes. A few codes have no row. */
const HELD: readonly (readonly [DimensionName, number])[] = [
  ["uf", 7],
  ["registration_status", 9],
  ["company_size_code", 5],
  ["flag", 6],
];

const folder = mkdtempSync(path.join(tmpdir(), "peneira-dated-"));
const random = seededRandom(37);
const below = (count: number) => Math.floor(random() * count);
let fixture: Fixture;
let region: Region;
let segment: NativeSegment;
/** The file as older programs wrote it: without some or all of the parts about days. */
let older: readonly NativeSegment[];
let forged = 0;

const open = (change: (bytes: Buffer) => void) =>
  openForged({ fixture, region }, path.join(folder, `forged-${forged++}`), change);
/** Opens a file without OPENED, because OPENED would answer these queries too. */
const openOld = (change: (bytes: Buffer) => void) =>
  open((bytes) => {
    hide(bytes, OPENED);
    change(bytes);
  });
const hide = (bytes: Buffer, magic: string) =>
  bytes.write("PNFUTURE", startOfPart(region, magic), "latin1");

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), randomRows(38, ROWS));
  region = new Region(fixture.path, fixture.directory);
  segment = openSegment(fixture.path, fixture.directory);
  older = [[OPENED], [DATED], [OPENED, DATED], [OPENED, DATED, COVER]].map((parts) =>
    open((bytes) => {
      for (const part of parts) hide(bytes, part);
    }),
  );
});
after(() => {
  for (const one of [segment, ...older]) one.close();
  rmSync(folder, { recursive: true });
});

function posting(dimension: DimensionName, codes: readonly number[], negated = false): Clause {
  return { kind: "posting", any: [{ dimension, codes: Uint32Array.from(codes) }], negated };
}

function held(): Clause {
  const [dimension, count] = HELD[below(HELD.length)] as (typeof HELD)[number];
  const codes = Array.from({ length: count }, (_, code) => code).filter(() => random() < 0.6);
  return posting(dimension, codes, random() < 0.3);
}

/** Returns a clause with some activities, all except some, or all activities of some divisions. */
function activities(): Clause {
  const codes = [...new Set(Array.from({ length: 1 + below(9) }, () => below(42)))];
  return posting(
    "cnae_primary",
    codes.sort((a, b) => a - b),
    random() < 0.3,
  );
}

/** Returns an interval of one day to a few years. Some are far outside the days of keys. */
function interval(): readonly [number, number] {
  const from = random() < 0.05 ? -1e8 : FIRST_DAY + below(DAYS);
  const lasting = [0, 7, 90, 366, 4_000][below(5)] as number;
  return [from, random() < 0.1 ? 1e8 : from + below(lasting + 1)];
}

function dates(): Clause {
  const ranges = Array.from({ length: 1 + below(random() < 0.2 ? 4 : 1) }, interval);
  return { kind: "range", column: "started_on", ranges };
}

const numbersBelow = (count: number) => Array.from({ length: count }, (_, number) => number);

/** Returns a clause with some cities, or with all except some. */
function cities(): Clause {
  const codes = [...new Set(Array.from({ length: 1 + below(5) }, () => below(60)))];
  return posting(
    "municipality_ibge",
    codes.sort((a, b) => a - b),
    random() < 0.3,
  );
}

function question(): Clause[] {
  const others = Array.from({ length: below(4) }, held);
  if (random() < 0.7) others.push(activities());
  if (random() < 0.4) others.push(cities());
  return [...others, dates()];
}

/** True if a query has one interval of days and no city. */
function isSummed(clauses: readonly Clause[]): boolean {
  const ranges = clauses.flatMap((one) => (one.kind === "range" ? one.ranges : []));
  const places = clauses.flatMap((one) => (one.kind === "posting" ? one.any : []));
  return ranges.length === 1 && places.every(({ dimension }) => dimension !== "municipality_ibge");
}

function pageOf(one: NativeSegment, clauses: readonly Clause[], afterRow: number, limit: number) {
  one.dropCaches();
  const order = [{ key: "score", descending: true }] as const;
  const page = one.select({ clauses, order, method: "rank", seed: 0n, afterRow, limit });
  return { rows: [...page.rows], more: page.more };
}

/** Returns a clause for the one day that a number of DATED encodes. */
function dayClause(date: number): Clause {
  const day = Date.UTC(1800 + (date >> 9), 0, 1 + (date & 511)) / 86_400_000;
  return { kind: "range", column: "started_on", ranges: [[day, day]] };
}

it("counts totals for any days without opening a chunk", () => {
  const totals = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const clauses = question();
    const expected = matchesOf(fixture.rows, clauses).length;
    for (const one of [segment, ...older]) {
      one.dropCaches();
      assert.equal(one.count(clauses), expected, JSON.stringify(clauses));
    }
    segment.dropCaches();
    segment.count(clauses);
    // Other queries may also read the ordinary posting lists. Several intervals may have more
    // partial years than the engine handles separately. The counts of whole years by city and
    // activity are not precomputed.
    if (isSummed(clauses)) assert.equal(segment.lastWork().chunks, 0, JSON.stringify(clauses));
    totals.add(expected);
  }
  assert.ok(totals.size > ROUNDS / 4, "most questions have answers of their own");
});

it("returns the twin's first pages from any starting row", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const clauses = question();
    const afterRow = random() < 0.4 ? -1 : below(ROWS);
    const limit = 1 + below(random() < 0.2 ? 2_000 : 60);
    const behind = matchesOf(fixture.rows, clauses).filter((row) => row > afterRow);
    const wanted = { rows: behind.slice(0, limit), more: behind.length > limit };
    for (const one of [segment, ...older]) {
      assert.deepEqual(pageOf(one, clauses, afterRow, limit), wanted, JSON.stringify(clauses));
    }
  }
});

it("returns the twin's facets", () => {
  for (let round = 0; round < ROUNDS / 4; round++) {
    const clauses = question();
    const names = TWIN_FACETS.filter(() => random() < 0.5);
    const matches = matchesOf(fixture.rows, clauses).map((id) => fixture.rows[id] as FixtureRow);
    for (const one of [segment, ...older]) {
      one.dropCaches();
      const counted = one.facets(clauses, names);
      names.forEach((name, i) => {
        const expected = facetOf(name, matches, counted[i]?.length ?? 0);
        assert.deepEqual(counted[i], expected, `${name} of ${JSON.stringify(clauses)}`);
      });
    }
  }
});

it("reads only the entries of the requested days from a long list", () => {
  const days: Clause = { kind: "range", column: "started_on", ranges: [[13_000, 13_060]] };
  const clauses = [posting("cnae_primary", [3]), posting("uf", [1, 2]), days];
  const between = matchesOf(fixture.rows, clauses).length;
  segment.dropCaches();
  assert.equal(segment.count(clauses), between);
  assert.deepEqual([segment.lastWork().tests, segment.lastWork().chunks], [between, 0]);
});

it("reads only the entries of the city's state on the requested days", () => {
  const days: Clause = { kind: "range", column: "started_on", ranges: [[13_000, 13_020]] };
  const city = posting("municipality_ibge", [7]);
  const state = posting("uf", [2]);
  const between = matchesOf(fixture.rows, [state, days]).length;
  const clauses = [city, state, days];
  const expected = matchesOf(fixture.rows, clauses);
  segment.dropCaches();
  assert.equal(segment.count(clauses), expected.length);
  assert.deepEqual([segment.lastWork().tests, segment.lastWork().chunks], [between, 0]);
  segment.dropCaches();
  const names = ["municipality", "mei", "started_year", "cnae"] as const;
  const facets = segment.facets(clauses, names);
  assert.deepEqual(
    facets.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
    names.map(() => expected.length),
  );
  assert.deepEqual([segment.lastWork().tests, segment.lastWork().chunks], [4 * between, 0]);
});

it("reads each day for a first page only as far as its rows can rank first", () => {
  const days: Clause = { kind: "range", column: "started_on", ranges: [[10_000, 10_365]] };
  const all = matchesOf(fixture.rows, [days]);
  segment.dropCaches();
  assert.equal(segment.count([days]), all.length);
  const { rows } = pageOf(segment, [days], -1, 5);
  assert.deepEqual(rows, all.slice(0, 5));
  const { tests, chunks } = segment.lastWork();
  assert.equal(chunks, 0);
  assert.ok(tests > 0 && tests < 10 * 366 + 6 * 50, `${tests} entries of ${all.length}`);
});

it("ignores OPENED of another version, and rejects one that is too long or short", () => {
  const start = startOfPart(region, OPENED);
  const days: Clause = { kind: "range", column: "started_on", ranges: [[10_000, 10_050]] };
  const future = open((bytes) => bytes.writeUInt32LE(77, start + 8));
  future.count([days, posting("municipality_ibge", [7])]);
  assert.notEqual(future.lastWork().chunks, 0);
  future.close();
  for (const length of [0n, 31n, 71n, 1n << 40n, (1n << 64n) - 1n]) {
    assert.throws(() => open((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
  }
});

it("rejects OPENED with wrong counts or offsets", () => {
  const start = startOfPart(region, OPENED);
  for (const at of [12, 16, 20, 32, 36, 40]) {
    for (const value of at < 32 ? [0, 1, 0xfffffff0] : [0xfffffff0]) {
      const forge = (bytes: Buffer) => bytes.writeUInt32LE(value, start + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
  for (const at of [48, 56, 64, 72, 80]) {
    for (const value of [1n << 40n, (1n << 64n) - 8n, 66n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, start + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
});

it("rejects, on use, offsets, runs, and rows of OPENED that point outside or do not ascend", () => {
  const start = startOfPart(region, OPENED);
  const [placeStarts, places, runStarts, runs, entries] = [48, 56, 64, 72, 80].map(
    (at) => start + Number(region.file.readBigUInt64LE(start + at)),
  ) as [number, number, number, number, number];
  const firstOf = (run: number) => region.file.readUInt32LE(runs + 8 * run + 4);
  let run = 1;
  while (firstOf(run + 1) - firstOf(run) < 2) run++;
  const first = entries + 8 * firstOf(run);
  const city = posting("municipality_ibge", numbersBelow(59));
  const clauses = [dayClause(region.file.readUInt32LE(runs + 8 * run)), city];
  const forgeries: readonly ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeUInt32LE(0xfffffff0, placeStarts + 4),
    (bytes) => bytes.writeUInt16LE(0xfff0, places),
    (bytes) => bytes.writeUInt32LE(0xfffffff0, runStarts + 4),
    (bytes) => bytes.writeUInt32LE(0xfffffff0, runs + 8 * run + 4),
    (bytes) => bytes.writeUInt32LE(firstOf(run) - 1, runs + 8 * (run + 1) + 4),
    (bytes) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(first) | (1n << 63n), first),
    (bytes) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(first + 8), first),
  ];
  for (const [i, forge] of forgeries.entries()) {
    const one = open(forge);
    assert.throws(() => pageOf(one, clauses, -1, 50), DAMAGED, `${i}`);
    one.close();
  }
});

it("ignores DATED of another version, and rejects one that is too long or short", () => {
  const start = startOfPart(region, DATED);
  const days: Clause = { kind: "range", column: "started_on", ranges: [[10_000, 10_050]] };
  const future = openOld((bytes) => bytes.writeUInt32LE(77, start + 8));
  future.count([days]);
  assert.ok(future.lastWork().chunks > 0);
  future.close();
  for (const length of [0n, 31n, 64n, 1n << 40n, (1n << 64n) - 1n]) {
    assert.throws(() => openOld((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
  }
});

it("rejects DATED with wrong counts or offsets", () => {
  const start = startOfPart(region, DATED);
  for (const at of [12, 16, 20]) {
    for (const value of at === 20 ? [0xfffffff0] : [0, 1, 0xfffffff0]) {
      assert.throws(() => openOld((bytes) => bytes.writeUInt32LE(value, start + at)), DAMAGED);
    }
  }
  for (const at of [32, 40, 48, 56]) {
    for (const value of [1n << 40n, (1n << 64n) - 8n, 66n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, start + at);
      assert.throws(() => openOld(forge), DAMAGED, `${value} at ${at}`);
    }
  }
});

it("rejects, on use, lists, rows, and cells of DATED that point outside or do not ascend", () => {
  const start = startOfPart(region, DATED);
  const [starts, entries, cellStarts, cells] = [32, 40, 48, 56].map(
    (at) => start + Number(region.file.readBigUInt64LE(start + at)),
  ) as [number, number, number, number];
  const codes = Array.from({ length: 30 }, (_, code) => code);
  const listed = [
    posting("cnae_primary", codes),
    dayClause(Number(region.file.readBigUInt64LE(entries) >> 46n)),
  ];
  const counted = [dayClause(region.file.readUInt32LE(cells) >>> 14)];
  const rowOf = (row: bigint) => (bytes: Buffer) => {
    const entry = bytes.readBigUInt64LE(entries);
    bytes.writeBigUInt64LE((entry & ~(0xffff_ffffn << 14n)) | (row << 14n), entries);
  };
  const forgeries: readonly (readonly [Clause[], (bytes: Buffer) => void])[] = [
    [listed, (bytes) => bytes.writeUInt32LE(0xfffffff0, starts + 4)],
    [listed, (bytes) => bytes.writeUInt32LE(ROWS + 1, starts + 4)],
    [listed, rowOf(BigInt(ROWS))],
    [listed, rowOf(0xffff_ffffn)],
    [listed, (bytes) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(entries), entries + 8)],
    [counted, (bytes) => bytes.writeUInt32LE(0xfffffff0, cellStarts + 4)],
    [counted, (bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(cells), cells + 8)],
  ];
  for (const [i, [clauses, forge]] of forgeries.entries()) {
    const one = openOld(forge);
    assert.throws(() => one.facets(clauses, ["mei", "registration_status"]), DAMAGED, `${i}`);
    one.close();
  }
});
