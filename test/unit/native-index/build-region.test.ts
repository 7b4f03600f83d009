/**
 * Proves that the index of a file matches its rows. In random files, every posting list, sort
 * order, name rank, word, precomputed count, and checksum equals that of a slow reference
 * implementation. Bitmap containers and word lists equal those of CRoaring byte for byte.
 * Does not prove that an opened segment reads the index correctly (the native-*.test.ts files about
 * queries), nor other shapes (build-region-shapes), threads and order of input
 * (build-region-bytes), or speed.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { benchIndex } from "../../../bench/index.bench.ts";
import { columnsFingerprint, ORDERS, TABLES } from "../../../native-index/format/columns.ts";
import {
  citiesIn,
  cityRows,
  coveredRows,
  coverIn,
  coverLists,
} from "../../support/native-index/cover-decode.ts";
import {
  datedIn,
  datedParts,
  datedRows,
  openedIn,
  openedRows,
} from "../../support/native-index/dated-decode.ts";
import {
  FIXTURE_TABLES,
  type FixtureRow,
  randomRows,
  rowsOfKinds,
} from "../../support/native-index/fixture-rows.ts";
import {
  beginningsIn,
  marksOf,
  postalIn,
  sortedPostal,
} from "../../support/native-index/parts-decode.ts";
import { countedPlaces, placesIn, placesOf } from "../../support/native-index/places-decode.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import {
  checkPostings,
  checkTerms,
  sortedEntries,
} from "../../support/native-index/region-checks.ts";
import { decodeTable, Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import {
  cubeOf,
  nameRanksOf,
  orderOf,
  slowCrc32c,
} from "../../support/native-index/region-twin.ts";
import {
  combinationsOf,
  countedCombinations,
  rollupIn,
} from "../../support/native-index/rollup-decode.ts";
import { clauseOfValues, valuesIn } from "../../support/native-index/values-decode.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-region-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function build(rows: readonly FixtureRow[], threads = 2, rowsHeld?: number) {
  files++;
  const options = rowsHeld === undefined ? { threads } : { threads, rowsHeld };
  const fixture = await writeFixture(path.join(folder, `${files}.arrow`), rows, options);
  return { fixture, region: new Region(fixture.path, fixture.directory) };
}

describe("a region of 4,000 random rows", () => {
  let fixture: Fixture;
  let region: Region;
  before(async () => {
    ({ fixture, region } = await build(randomRows(1, 4000)));
  });

  test("has every posting list", () => {
    assert.deepEqual(checkPostings(region, fixture.rows), new Set(["array", "run"]));
  });

  for (const [number, order] of ORDERS.entries()) {
    test(`has the order by ${order}`, () => {
      assert.deepEqual(region.words("order", number), orderOf(fixture.rows, order));
    });
  }

  test("ranks names densely by bytes", () => {
    assert.deepEqual(region.words("nameRank"), nameRanksOf(fixture.rows));
  });

  test("has every word with its rows, flat and as bitmap", () => {
    checkTerms(region, fixture.rows);
    const dfs = region.terms().map(({ df }) => df);
    assert.ok(dfs.some((df) => df <= 32) && dfs.some((df) => df > 32));
  });

  test("has the cube, which adds up to all rows", () => {
    const cube = region.words("cube");
    assert.deepEqual(cube, cubeOf(fixture.rows));
    assert.equal(
      cube.slice(4).reduce((sum, count) => sum + count),
      4000,
    );
  });

  test("combines fields with few values, with every account once in every table", () => {
    const bytes = rollupIn(region) ?? assert.fail("no ROLLUP");
    const tables = combinationsOf(bytes);
    assert.deepEqual(
      tables.map(sortedEntries),
      countedCombinations(fixture.rows).map(sortedEntries),
    );
  });

  test("combines them by municipality too, if combinations are few", async () => {
    assert.equal(placesIn(region), null, "nearly every row has a combination of its own");
    const few = await build(rowsOfKinds(14, 20_000, 300));
    const tables = placesOf(placesIn(few.region) ?? assert.fail("no PLACES"));
    const counted = countedPlaces(few.fixture.rows);
    assert.ok([...(counted[1]?.values() ?? [])].some((count) => count > 510));
    assert.deepEqual(
      tables.map((table) => sortedEntries(table ?? assert.fail("no table"))),
      counted.map(sortedEntries),
    );
    const some = await build(rowsOfKinds(15, 9_000, 900));
    const [years, activities] = placesOf(placesIn(some.region) ?? assert.fail("no PLACES"));
    assert.deepEqual([years === null, activities === null], [false, true], "one has no room");
  });

  test("lists the rows of every activity and state with their keys", () => {
    const lists = coverLists(coverIn(region) ?? assert.fail("no COVER"));
    assert.deepEqual(sortedEntries(lists), sortedEntries(coveredRows(fixture.rows)));
    assert.ok(lists.size > 100);
  });

  test("lists the same rows by city too", () => {
    const lists = citiesIn(region) ?? assert.fail("no CITIES");
    assert.deepEqual(sortedEntries(lists), sortedEntries(cityRows(fixture.rows)));
    assert.ok(lists.size > coveredRows(fixture.rows).size);
  });

  test("lists the same rows by opening day, and counts them by state and day", () => {
    const parts = datedParts(datedIn(region) ?? assert.fail("no DATED"));
    const wanted = datedRows(fixture.rows);
    assert.deepEqual(sortedEntries(parts.lists), sortedEntries(wanted.lists));
    assert.deepEqual(sortedEntries(parts.cells), sortedEntries(wanted.cells));
    assert.ok([...parts.cells.values()].some((count) => count > 1));
  });

  test("lists the rows of every state by opening day, with activity and city", () => {
    const found = openedIn(region) ?? assert.fail("no OPENED");
    assert.deepEqual(sortedEntries(found), sortedEntries(openedRows(fixture.rows)));
    assert.ok(found.size > 100);
  });

  test("sorts the rows of a chunk by postal code", () => {
    assert.deepEqual(postalIn(region), sortedPostal(fixture.rows));
  });

  test("lists the rows of every value over all chunks", () => {
    const lists = valuesIn(region) ?? assert.fail("no VALUES");
    for (const list of lists) {
      const wanted = matchesOf(fixture.rows, [clauseOfValues(list)]);
      assert.deepEqual(list.rows, wanted, `${list.axis} ${list.code}`);
    }
    const axes = new Set(lists.filter(({ rows }) => rows.length > 1).map(({ axis }) => axis));
    assert.equal(axes.size, 9, "every axis has lists");
  });

  test("marks how the names of every row begin", () => {
    const marks = beginningsIn(region) ?? assert.fail("no BEGINNINGS");
    assert.deepEqual(marks, fixture.rows.map(marksOf));
    const held = (at: number) => marks.filter((row) => row[at] !== 0).length;
    assert.ok(
      held(0) > held(1) && held(1) > 0 && held(3) > 0,
      "some names are short, some are not",
    );
  });

  test("carries the prepared sections and the fingerprint unchanged", () => {
    TABLES.forEach((name, number) => {
      assert.deepEqual(decodeTable(region.section("table", number)), FIXTURE_TABLES[name]);
    });
    assert.equal(region.section("meta").toString(), "{}");
    assert.equal(region.fingerprint, columnsFingerprint());
    assert.equal(region.rowCount, 4000);
  });

  test("checksums every block before BLOCKS, BLOCKS itself, and the directory", () => {
    const { offset } = region.entries.find(({ kind }) => kind === 12) as { offset: number };
    const sums = [];
    for (let at = 0; at < offset; at += 65_536) {
      sums.push(slowCrc32c(region.file.subarray(at, Math.min(at + 65_536, offset))));
    }
    assert.deepEqual(region.words("blocks"), sums);
    assert.equal(region.blocksSum, slowCrc32c(region.section("blocks")));
    const { directory } = fixture;
    const end = directory.offset + directory.length;
    assert.equal(directory.crc32c, slowCrc32c(region.file.subarray(directory.offset, end)));
  });

  test("digests every block before the digests, and combines the digests to the identity", () => {
    const { offset, length, sha256 } = fixture.directory.digests ?? assert.fail("no digests");
    const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const digests = [];
    for (let at = 0; at < offset; at += 65_536) {
      digests.push(hash(region.file.subarray(at, Math.min(at + 65_536, offset))));
    }
    assert.deepEqual(region.digests, digests);
    const head = Buffer.from("PNRIDENT\0\0\0\0\0\0\0\0", "latin1");
    head.writeBigUInt64LE(BigInt(offset), 8);
    const identity = hash(Buffer.concat([head, region.file.subarray(offset, offset + length)]));
    assert.equal(sha256, identity);
  });
});

test("runs a small bench of the builder, which names every phase", async () => {
  const timings = await benchIndex(3000, 2);
  assert.ok(timings.regionBytes > 3000 * 4 * (ORDERS.length + 1));
  const phases = ["columns", "postings", "cnpj order", "value orders", "name order", "words"];
  assert.deepEqual(Object.keys(timings.phasesMs), [
    ...phases,
    "cube",
    "rollup",
    "postal",
    "places",
    "values",
    "cover",
    "cities",
    "dated",
    "districts",
    "contacts",
    "beginnings",
    "checksums",
  ]);
});
