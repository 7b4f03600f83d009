/**
 * Proves: if an interval of opening dates does not consist of whole years, its total equals that of
 * the reference implementation, with any other filters. A query with many matches tests only the
 * rows of the partial years. Facets are the same for any number of threads.
 * Does not prove that the sums of combinations are right (rollup.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { Clause, NativeSegment } from "../../../native-index/napi/engine.ts";
import { openSegment } from "../../../native-index/napi/engine.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
const ROWS = 70_000;
const DAY_MS = 86_400_000;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-years-"));
let rows: readonly FixtureRow[];
let segment: NativeSegment;

before(async () => {
  const fixture = await writeFixture(path.join(folder, "rows"), randomRows(17, ROWS));
  rows = fixture.rows;
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true });
});

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

function dates(...ranges: (readonly [number, number])[]): Clause {
  return { kind: "range", column: "started_on", ranges };
}

function posting(random: () => number): Clause {
  const [dimension, codes] = (
    [
      ["uf", 6],
      ["registration_status", 9],
      ["flag", 10],
      ["started_year", 226],
    ] as const
  )[Math.floor(random() * 4)] as readonly ["uf", number];
  const wanted = Array.from({ length: codes }, (_, code) => code).filter(() => random() < 0.5);
  const any = [{ dimension, codes: Uint32Array.from(wanted) }];
  return { kind: "posting", any, negated: random() < 0.3 };
}

/** Returns any day, the first or last day of a year, or one far outside the days of keys. */
function bound(random: () => number): number {
  const kind = random();
  if (kind < 0.1) return (random() < 0.5 ? -1 : 1) * 2 ** (20 + Math.floor(random() * 30));
  const day = -62_091 + Math.floor(random() * 82_000);
  if (kind < 0.6) return day;
  const year = new Date(day * DAY_MS).getUTCFullYear();
  return dayOf(`${year}-01-01`) - (random() < 0.5 ? 1 : 0);
}

it("returns the twin's totals for any intervals", () => {
  const random = seededRandom(18);
  const totals = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const ranges = Array.from({ length: random() < 0.7 ? 1 : 1 + Math.floor(random() * 6) }, () => {
      const [a, b] = [bound(random), bound(random)];
      return [Math.min(a, b), Math.max(a, b)] as const;
    });
    const others = Array.from({ length: Math.floor(random() * 3) }, () => posting(random));
    const clauses = [dates(...ranges), ...others];
    const total = segment.count(clauses);
    assert.equal(total, matchesOf(rows, clauses).length, JSON.stringify(clauses));
    totals.add(total);
  }
  assert(totals.size > ROUNDS / 3, "most questions have answers of their own");
});

it("counts the same facets with several threads as with one, for any intervals", async () => {
  const random = seededRandom(19);
  const names = ["municipality", "legal_nature", "uf"] as const;
  for (let round = 0; round < ROUNDS / 10; round++) {
    const [a, b] = [bound(random), bound(random)];
    const clauses = [dates([Math.min(a, b), Math.max(a, b)]), posting(random)];
    const expected = segment.facets(clauses, names);
    const [total] = expected.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    assert.equal(total, matchesOf(rows, clauses).length, JSON.stringify(clauses));
    // Some of these numbers of threads are larger than the number of chunks.
    for (const threads of [undefined, 0, 1, 2, 5]) {
      assert.deepEqual(await segment.facetsAsync(clauses, names, threads), expected);
    }
  }
});

it("sums whole years of a range without opening a chunk", () => {
  const clauses = [dates([dayOf("1950-01-01"), dayOf("1990-12-31")])];
  assert.equal(segment.count(clauses), matchesOf(rows, clauses).length);
  assert.equal(segment.lastWork().chunks, 0);
});

it("reads, for partial years, only the requested days or the other days", () => {
  const started = (from: string, to: string) => matchesOf(rows, [dates([dayOf(from), dayOf(to)])]);
  for (const from of ["1990-01-09", "1990-04-17", "1990-11-30"]) {
    const clauses = [dates([dayOf(from), dayOf("2010-12-31")])];
    assert.equal(segment.count(clauses), matchesOf(rows, clauses).length, from);
    const { tests } = segment.lastWork();
    const year = started("1990-01-01", "1990-12-31").length;
    assert.equal(segment.lastWork().chunks, 0);
    assert.ok(tests <= year / 2 + 2, `${tests} cells of a year with ${year} rows`);
  }
});
