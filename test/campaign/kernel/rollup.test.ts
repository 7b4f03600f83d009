/**
 * Proves: a query that uses only the columns of ROLLUP, the part with counts by combination of
 * columns, is counted without reading posting lists. Its total and facets equal those of the
 * reference implementation. The queries include or exclude whole divisions, some activities of
 * divisions, and any states, codes, flags, and years. Facets by municipality also equal those of
 * the reference implementation if the query has no activity and no year.
 * Does not prove that the cells match the rows (unit/native-index/build-region.test.ts), nor
 * anything about damaged files.
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
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
/** More rows than one chunk has. */
const ROWS = 70_000;
/** The columns of ROLLUP, each with the number of codes. A few codes have no row. */
const COMBINED: readonly (readonly [DimensionName, number])[] = [
  ["cnae_primary", 42],
  ["uf", 7],
  ["registration_status", 9],
  ["company_size_code", 5],
  ["flag", 6],
  ["started_year", 226],
];

const folder = mkdtempSync(path.join(tmpdir(), "peneira-rollup-"));
const random = seededRandom(12);
const below = (count: number) => Math.floor(random() * count);
let rows: readonly FixtureRow[];
let segment: NativeSegment;

before(async () => {
  const fixture = await writeFixture(path.join(folder, "rows"), randomRows(12, ROWS));
  rows = fixture.rows;
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true });
});

function combined(dimensions: typeof COMBINED): Clause {
  const [dimension, codes] = dimensions[below(dimensions.length)] as (typeof COMBINED)[number];
  // Sometimes chooses every activity of some divisions. Each division of the fixture has four
  // activities.
  const share = dimension === "cnae_primary" ? 0.2 + 0.8 * random() : random();
  const all = Array.from({ length: codes }, (_, code) => code);
  const wanted = all.filter(() => random() < share);
  const any = [{ dimension, codes: Uint32Array.from(wanted) }];
  return { kind: "posting", any, negated: random() < 0.3 };
}

it("sums facets of combined fields without opening a chunk", () => {
  for (let round = 0; round < ROUNDS / 4; round++) {
    const plain = round % 2 === 0;
    // The combinations of activity and year are nearly as many as the accounts, so ROLLUP does not
    // answer some facets.
    const names = TWIN_FACETS.filter((name) => plain || !["municipality", "cnae"].includes(name));
    const columns = plain ? COMBINED.slice(1, 5) : COMBINED;
    const clauses = Array.from({ length: below(4) }, () => combined(columns));
    const counted = segment.facets(clauses, names);
    assert.equal(segment.lastWork().chunks, 0);
    const matches = matchesOf(rows, clauses).map((id) => rows[id] as FixtureRow);
    names.forEach((name, i) => {
      const expected = facetOf(name, matches, counted[i]?.length ?? 0);
      assert.deepEqual(counted[i], expected, `${name} of ${JSON.stringify(clauses)}`);
    });
  }
});

it("counts facets by municipality of other queries row by row", () => {
  const clauses = [combined(COMBINED.slice(0, 1)), combined(COMBINED.slice(5))];
  const [counted] = segment.facets(clauses, ["municipality"]);
  assert(segment.lastWork().chunks > 0);
  assert.equal(
    counted?.reduce((sum, count) => sum + count),
    matchesOf(rows, clauses).length,
  );
});

it("sums combined fields without opening a chunk", () => {
  const totals = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const clauses = Array.from({ length: 1 + below(5) }, () => combined(COMBINED));
    const total = segment.count(clauses);
    assert.equal(segment.lastWork().chunks, 0);
    assert.equal(total, matchesOf(rows, clauses).length, JSON.stringify(clauses));
    totals.add(total);
  }
  assert(totals.size > ROUNDS / 3, "most questions have answers of their own");
});
