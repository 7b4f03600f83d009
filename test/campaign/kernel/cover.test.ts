/**
 * Proves: COVER has the rows of each activity and state, and CITIES has the same rows by
 * municipality. Pages and totals of queries by activities, cities, and the other columns of these
 * parts equal those of the reference implementation, from any row, in large and small pages. Such
 * queries read few entries for a short page, and none of the ordinary posting lists (one for each
 * 65,536 rows). Without COVER or CITIES, the answers are the same. Wrong numbers with valid
 * checksums are rejected when the file is opened or used.
 * Does not prove that the lists match the rows (unit/native-index/build-region.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { DimensionName } from "../../../native-index/format/columns.ts";
import { type Clause, type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { randomRows, seededRandom } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
/** More rows than one chunk has. */
const ROWS = 70_000;
const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
const [COVER, CITIES] = ["PNCOVERS", "PNCITIES"] as const;
/** Dimensions of the queries, each with the number of codes. A few codes have no row. */
const HELD: readonly (readonly [DimensionName, number])[] = [
  ["uf", 7],
  ["registration_status", 9],
  ["company_size_code", 5],
  ["flag", 6],
  ["started_year", 226],
];

const folder = mkdtempSync(path.join(tmpdir(), "peneira-cover-"));
const random = seededRandom(31);
const below = (count: number) => Math.floor(random() * count);
let fixture: Fixture;
let region: Region;
let segment: NativeSegment;
let without: NativeSegment;
let uncity: NativeSegment;
let forged = 0;

const open = (change: (bytes: Buffer) => void) =>
  openForged({ fixture, region }, path.join(folder, `forged-${forged++}`), change);

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), randomRows(30, ROWS));
  region = new Region(fixture.path, fixture.directory);
  segment = openSegment(fixture.path, fixture.directory);
  without = open((bytes) => bytes.write("PNFUTURE", startOfPart(region, COVER), "latin1"));
  uncity = open((bytes) => bytes.write("PNFUTURE", startOfPart(region, CITIES), "latin1"));
});
after(() => {
  segment.close();
  without.close();
  uncity.close();
  rmSync(folder, { recursive: true });
});

function posting(dimension: DimensionName, count: number, share = random()): Clause {
  const codes = Array.from({ length: count }, (_, code) => code).filter(() => random() < share);
  const any = [{ dimension, codes: Uint32Array.from(codes) }];
  return { kind: "posting", any, negated: random() < 0.3 };
}

function withCodes(dimension: DimensionName, codes: readonly number[]): Clause {
  return { kind: "posting", any: [{ dimension, codes: Uint32Array.from(codes) }], negated: false };
}

/**
 * Returns a clause that includes some activities or excludes some. It stays within the maximum
 * number of lists that a query may read.
 */
function activities(): Clause {
  const codes = Uint32Array.from(new Set(Array.from({ length: 1 + below(8) }, () => below(40))));
  const any = [{ dimension: "cnae_primary" as const, codes: codes.sort() }];
  return { kind: "posting", any, negated: codes.length > 4 && random() < 0.5 };
}

/** Returns a clause with up to three intervals of days, some far outside the days of keys. */
function dates(): Clause {
  const day = () => (random() < 0.05 ? (random() - 0.5) * 1e9 : -62_091 + below(82_000));
  const ranges = Array.from({ length: 1 + below(3) }, () => {
    const [a, b] = [Math.floor(day()), Math.floor(day())];
    return [Math.min(a, b), Math.max(a, b)] as const;
  });
  return { kind: "range", column: "started_on", ranges };
}

function question(): Clause[] {
  const others = Array.from({ length: below(4) }, () => {
    const [dimension, count] = HELD[below(HELD.length)] as (typeof HELD)[number];
    return posting(dimension, count);
  });
  return [...others, activities(), ...(random() < 0.5 ? [dates()] : [])];
}

function pageOf(one: NativeSegment, clauses: readonly Clause[], afterRow: number, limit: number) {
  one.dropCaches();
  const order = [{ key: "score", descending: true }] as const;
  const page = one.select({ clauses, order, method: "rank", seed: 0n, afterRow, limit });
  return { rows: [...page.rows], more: page.more };
}

function check(clauses: readonly Clause[], afterRow: number, limit: number): void {
  const behind = matchesOf(fixture.rows, clauses).filter((row) => row > afterRow);
  const wanted = { rows: behind.slice(0, limit), more: behind.length > limit };
  const message = `${JSON.stringify(clauses)} after ${afterRow}`;
  assert.deepEqual(pageOf(segment, clauses, afterRow, limit), wanted, message);
  assert.equal(segment.lastWork().chunks, 0, message);
  for (const one of [without, uncity]) {
    assert.deepEqual(pageOf(one, clauses, afterRow, limit), wanted, message);
  }
}

/**
 * Returns a clause that includes one to three cities. Excluding them would exceed the maximum
 * number of lists that a query may read.
 */
function cities(): Clause {
  const codes = [...new Set(Array.from({ length: 1 + below(3) }, () => below(61)))];
  return withCodes(
    "municipality_ibge",
    codes.sort((a, b) => a - b),
  );
}

it("finds pages in activity lists for any other part of a key", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const from = random() < 0.4 ? -1 : below(ROWS);
    check(question(), from, 1 + below(random() < 0.2 ? 2_000 : 60));
  }
});

it("finds pages and totals of cities in the lists of activities per city", () => {
  let read = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const codes = [...new Set([below(40), below(40)])].sort((a, b) => a - b);
    const others = question().filter(
      (one) => !("any" in one && one.any[0]?.dimension === "cnae_primary"),
    );
    const clauses = [withCodes("cnae_primary", codes), cities(), ...others];
    const matches = matchesOf(fixture.rows, clauses);
    check(clauses, random() < 0.4 ? -1 : below(ROWS), 1 + below(60));
    for (const one of [segment, without, uncity]) {
      one.dropCaches();
      assert.equal(one.count(clauses), matches.length, JSON.stringify(clauses));
    }
    segment.dropCaches();
    segment.count(clauses);
    assert.equal(segment.lastWork().chunks, 0, JSON.stringify(clauses));
    read += segment.lastWork().tests;
  }
  assert.ok(read > 0 && read < ROUNDS * 2_000, `${read} entries`);
});

it("reads few entries for a short page, from any starting row", () => {
  for (const from of [-1, 30_000]) {
    const clauses = [posting("uf", 7, 1), activities()];
    check(clauses, from, 20);
    assert.ok(segment.lastWork().tests < 1_000, `${segment.lastWork().tests} entries`);
  }
});

it("reads only the first of adjacent matches that follow rows without a match", async () => {
  const scored = randomRows(32, ROWS);
  const scores = scored.map(({ score }) => score).sort((a, b) => b - a);
  const low = scores[ROWS / 2] as number;
  const rows = scored.map((row, at) => ({
    ...row,
    ...{ uf: 2, cnae_primary: at % 3, registration_status: row.score > low ? 8 : 2 },
  }));
  const gathered = await writeFixture(path.join(folder, "gathered"), rows);
  const one = openSegment(gathered.path, gathered.directory);
  for (const codes of [[0], [0, 1], [0, 1, 2]]) {
    const clauses = [withCodes("cnae_primary", codes), withCodes("registration_status", [2])];
    const matches = matchesOf(gathered.rows, clauses);
    const before = gathered.rows.filter(
      (row, at) => at < (matches[0] as number) && codes.includes(row.cnae_primary as number),
    ).length;
    for (const limit of [1, 20, 300]) {
      const page = pageOf(one, clauses, -1, limit);
      assert.deepEqual(page.rows, [...matches].slice(0, limit), `${codes} ${limit}`);
      // In the worst case, each list is read until one match more than `limit` is found in it.
      const most = before + codes.length * (limit + 1);
      const read = one.lastWork().tests;
      assert.ok(read <= most, `${read} entries for ${limit} of ${codes}, at most ${most}`);
    }
  }
  one.close();
});

it("counts days inside a year in short lists with the same result as without them", () => {
  let read = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const narrow = { dimension: "cnae_primary" as const, codes: Uint32Array.of(below(40)) };
    const state = { dimension: "uf" as const, codes: Uint32Array.of(below(6)) };
    const clauses: Clause[] = [narrow, state].map((one) => {
      return { kind: "posting", any: [one], negated: false };
    });
    clauses.push(dates());
    const expected = matchesOf(fixture.rows, clauses).length;
    for (const one of [segment, without]) {
      one.dropCaches();
      assert.equal(one.count(clauses), expected, JSON.stringify(clauses));
    }
    segment.dropCaches();
    segment.count(clauses);
    if (segment.lastWork().chunks === 0) read += segment.lastWork().tests;
  }
  assert.ok(read > 0);
});

it("scans chunk by chunk for clauses that no key holds and for export pages", () => {
  const others: Clause[] = [
    posting("municipality_tom", 64, 0.5),
    posting("legal_nature", 7, 0.5),
    { kind: "range", column: "postal_code", ranges: [[0, 50_000_000]] },
    { kind: "posting", any: [{ dimension: "flag", codes: Uint32Array.of(8) }], negated: false },
  ];
  for (const other of others) {
    const clauses = [activities(), other];
    const expected = [...matchesOf(fixture.rows, clauses)].slice(0, 30);
    assert.deepEqual(pageOf(segment, clauses, -1, 30).rows, expected, JSON.stringify(clauses));
    assert.ok(segment.lastWork().chunks > 0, JSON.stringify(other));
  }
  pageOf(segment, [activities()], -1, 5_000);
  assert.ok(segment.lastWork().chunks > 0);
});

it("ignores COVER of another version, and rejects one that is too long or short", () => {
  const start = startOfPart(region, COVER);
  const future = open((bytes) => bytes.writeUInt32LE(77, start + 8));
  pageOf(future, [activities()], -1, 10);
  assert.ok(future.lastWork().chunks > 0);
  future.close();
  for (const length of [0n, 31n, 40n, 1n << 40n, (1n << 64n) - 1n]) {
    assert.throws(() => open((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
  }
});

it("rejects COVER with wrong counts or offsets", () => {
  const start = startOfPart(region, COVER);
  for (const at of [12, 16]) {
    for (const value of [0, 1, 0xfffffff0]) {
      assert.throws(() => open((bytes) => bytes.writeUInt32LE(value, start + at)), DAMAGED);
    }
  }
  for (const at of [32, 40]) {
    for (const value of [1n << 40n, (1n << 64n) - 4n, 66n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, start + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
});

it("rejects, on use, lists and rows of COVER that point outside or do not ascend", () => {
  const start = startOfPart(region, COVER);
  const places = [32, 40].map((at) => start + Number(region.file.readBigUInt64LE(start + at)));
  const [starts, entries] = places as [number, number];
  const forgeries: ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeUInt32LE(0xfffffff0, starts + 4),
    (bytes) => bytes.writeUInt32LE(ROWS + 1, starts + 4),
    (bytes) => bytes.writeUInt32LE(5, starts),
    (bytes) => bytes.writeUInt32LE(ROWS, entries),
    (bytes) => bytes.writeUInt32LE(0xffffffff, entries + 8),
    (bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(entries), entries + 8),
  ];
  const all = Uint32Array.from({ length: 30 }, (_, code) => code);
  const any = [{ dimension: "cnae_primary" as const, codes: all }];
  for (const [i, forge] of forgeries.entries()) {
    // Nothing precedes the first list, so its start may be smaller without an error.
    if (i === 2 && region.file.readUInt32LE(starts + 4) >= 5) continue;
    const one = open(forge);
    const clauses: Clause[] = [{ kind: "posting", any, negated: false }];
    assert.throws(() => pageOf(one, clauses, -1, 2_000), DAMAGED, `forgery ${i}`);
    one.close();
  }
});

it("ignores CITIES of another version, and rejects one with wrong numbers", () => {
  const start = startOfPart(region, CITIES);
  const clauses = [withCodes("cnae_primary", [3]), withCodes("municipality_ibge", [7])];
  const future = open((bytes) => bytes.writeUInt32LE(77, start + 8));
  pageOf(future, clauses, -1, 10);
  assert.ok(future.lastWork().chunks > 0);
  future.close();
  for (const length of [0n, 31n, 71n, 1n << 40n, (1n << 64n) - 1n]) {
    assert.throws(() => open((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
  }
  for (const at of [12, 16, 20, 32, 36]) {
    for (const value of at === 32 ? [0xfffffff0] : [0, 1, 0xfffffff0]) {
      const forge = (bytes: Buffer) => bytes.writeUInt32LE(value, start + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
  for (const at of [40, 48, 56, 64]) {
    for (const value of [1n << 40n, (1n << 64n) - 4n, 66n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, start + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
});

it("rejects, on use, runs and rows of CITIES that point outside or do not ascend", () => {
  const start = startOfPart(region, CITIES);
  const [runStarts, runs, entries] = [48, 56, 64].map(
    (at) => start + Number(region.file.readBigUInt64LE(start + at)),
  ) as [number, number, number];
  const firstOf = (run: number) => region.file.readUInt32LE(runs + 8 * run + 4);
  let run = 1;
  while (firstOf(run + 1) - firstOf(run) < 2) run++;
  const first = entries + 8 * firstOf(run);
  const all = (dimension: DimensionName, count: number) =>
    withCodes(
      dimension,
      Array.from({ length: count }, (_, code) => code),
    );
  const city = withCodes("municipality_ibge", [region.file.readUInt32LE(runs + 8 * run)]);
  const forgeries: readonly ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeUInt32LE(0xfffffff0, runStarts + 4),
    (bytes) => bytes.writeUInt32LE(0xfffffff0, runs + 8 * run + 4),
    (bytes) => bytes.writeUInt32LE(firstOf(run) - 1, runs + 8 * (run + 1) + 4),
    (bytes) => bytes.writeUInt32LE(ROWS, first),
    (bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(first + 8), first),
  ];
  for (const [i, forge] of forgeries.entries()) {
    const one = open(forge);
    const clauses = [all("cnae_primary", 30), city];
    assert.throws(() => pageOf(one, clauses, -1, 2_000), DAMAGED, `forgery ${i}`);
    one.close();
  }
});
