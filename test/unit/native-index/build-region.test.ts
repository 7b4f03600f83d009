/**
 * Proves that the index region holds what the rows say: every posting list, sort order, name rank,
 * word, cube cell and checksum of random files equals a slow twin, containers and word lists equal
 * those of CRoaring byte for byte, and neither threads nor order of input change a byte.
 * Does not prove: that an opened segment reads it right (native-*.test.ts of the query side), nor
 * memory and speed (bench/index.bench.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { benchIndex } from "../../../bench/index.bench.ts";
import {
  columnsFingerprint,
  DIMENSIONS,
  ORDERS,
  TABLES,
} from "../../../native-index/format/columns.ts";
import { coveredRows, coverIn, coverLists } from "../../support/native-index/cover-decode.ts";
import {
  FIXTURE_TABLES,
  type FixtureRow,
  randomRows,
  rowsOfKinds,
} from "../../support/native-index/fixture-rows.ts";
import { postalIn, sortedPostal } from "../../support/native-index/parts-decode.ts";
import { countedPlaces, placesIn, placesOf } from "../../support/native-index/places-decode.ts";
import { decodeTable, Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import {
  cubeOf,
  nameRanksOf,
  orderOf,
  postingsOf,
  slowCrc32c,
  termsOf,
} from "../../support/native-index/region-twin.ts";
import {
  containerOf,
  portableBytes,
  portableRows,
} from "../../support/native-index/roaring-oracle.ts";
import {
  combinationsOf,
  countedCombinations,
  rollupIn,
} from "../../support/native-index/rollup-decode.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-region-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function build(rows: readonly FixtureRow[], threads = 2, rowsHeld?: number) {
  files++;
  const options = rowsHeld === undefined ? { threads } : { threads, rowsHeld };
  const fixture = await writeFixture(path.join(folder, `${files}.arrow`), rows, options);
  return { fixture, region: new Region(fixture.path, fixture.directory) };
}

/** Rows in which some codes are dense, some lie in runs: three chunks, the last one partial. */
function chunkedRows(): FixtureRow[] {
  const rows = randomRows(7, 140_000).map((row, i) => ({
    ...row,
    score: 1000 - Math.floor(i / 500),
    cnpj: `${i}`.padStart(14, "0"),
  }));
  return rows.map((row, i) => ({ ...row, uf: Math.floor(i / 700) % 3, legal_nature: i % 2 }));
}

function checkPostings(region: Region, rows: readonly FixtureRow[]): Set<string> {
  const types = new Set<string>();
  for (const [dimension, containers] of region.containers()) {
    const found = new Map<number, number[]>();
    for (const container of containers) {
      const list = found.get(container.code) ?? [];
      for (const low of container.lows) list.push(container.chunk * 65_536 + low);
      found.set(container.code, list);
      const { type, payload } = containerOf(container.lows);
      assert.equal(container.type, type, `form of ${dimension} ${container.code}`);
      assert.deepEqual(container.payload, payload);
      types.add(type);
    }
    const byCode = [...found].sort(([a], [b]) => a - b);
    const expected = [...postingsOf(rows, dimension)].sort(([a], [b]) => a - b);
    assert.deepEqual(byCode, expected, dimension);
  }
  return types;
}

function sortedEntries<Value>(counts: ReadonlyMap<string, Value>): [string, Value][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkTerms(region: Region, rows: readonly FixtureRow[]): void {
  const expected = [...termsOf(rows)];
  const terms = region.terms();
  assert.deepEqual(
    terms.map(({ word, df }) => [word, df]),
    expected.map(([word, list]) => [word, list.length]),
  );
  terms.forEach(({ bytes, df }, i) => {
    const list = expected[i]?.[1] as number[];
    if (df > 32) {
      assert.deepEqual(portableRows(bytes), list);
      assert.deepEqual(Buffer.from(bytes), portableBytes(list));
    } else {
      assert.deepEqual(Buffer.from(bytes), Buffer.from(Uint32Array.from(list).buffer));
    }
  });
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

  test("combines what has few values, every account once in every table", () => {
    const bytes = rollupIn(region) ?? assert.fail("no ROLLUP");
    const tables = combinationsOf(bytes);
    assert.deepEqual(
      tables.map(sortedEntries),
      countedCombinations(fixture.rows).map(sortedEntries),
    );
  });

  test("combines it by municipality too, where combinations are few", async () => {
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

  test("sorts the rows of a chunk by postal code", () => {
    assert.deepEqual(postalIn(region), sortedPostal(fixture.rows));
  });

  test("carries the prepared sections and the fingerprint unchanged", () => {
    TABLES.forEach((name, number) => {
      assert.deepEqual(decodeTable(region.section("table", number)), FIXTURE_TABLES[name]);
    });
    assert.equal(region.section("meta").toString(), "{}");
    assert.equal(region.fingerprint, columnsFingerprint());
    assert.equal(region.rowCount, 4000);
  });

  test("sums every block before BLOCKS, BLOCKS itself, and the directory", () => {
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

  test("digests every block before the digests, and the digests to the identity", () => {
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

describe("regions of other shapes", () => {
  test("three chunks use all three kinds of container", async () => {
    const { fixture, region } = await build(chunkedRows());
    const types = checkPostings(region, fixture.rows);
    assert.deepEqual(types, new Set(["array", "bitset", "run"]));
    checkTerms(region, fixture.rows);
    for (const order of ["legal_name", "share_capital", "started_on"] as const) {
      const number = ORDERS.indexOf(order);
      assert.deepEqual(region.words("order", number), orderOf(fixture.rows, order), order);
    }
    assert.deepEqual(region.words("nameRank"), nameRanksOf(fixture.rows));
  });

  test("no rows at all give empty sections", async () => {
    const { region } = await build([]);
    assert.deepEqual(region.section("postings").length, 0);
    assert.equal(region.section("chunks").length, 8);
    assert.deepEqual(region.terms(), []);
    for (const dimension of DIMENSIONS) assert.deepEqual(region.containers().get(dimension), []);
  });

  test("one row without any optional value", async () => {
    const row = {
      ...Object.fromEntries(Object.keys(randomRows(1, 1)[0] as FixtureRow).map((k) => [k, null])),
      ...{ cnpj: "0000000000ZZ00", cnae_secondary: [], headquarters: false, mei_opt_in: false },
      ...{ simples_opt_in: false, score: 0, score_contactable: 0 },
      ...{ score_newest: 0, score_established: 0, establishments: 0 },
    } as unknown as FixtureRow;
    const { fixture, region } = await build([row]);
    checkPostings(region, fixture.rows);
    for (const number of ORDERS.keys()) assert.deepEqual(region.words("order", number), [0]);
    assert.deepEqual(region.words("nameRank"), [0xffffffff]);
    assert.deepEqual(region.words("cube"), cubeOf(fixture.rows));
    const combined = combinationsOf(rollupIn(region) ?? assert.fail("no ROLLUP"));
    assert.deepEqual(combined, countedCombinations(fixture.rows));
    assert.deepEqual(postalIn(region), sortedPostal(fixture.rows));
  });

  test("a postal code of nine digits leaves out the rows by code, and nothing else", async () => {
    const rows = randomRows(9, 300);
    const { fixture, region } = await build([
      ...rows.slice(1),
      { ...(rows[0] as FixtureRow), postal_code: 100_000_000 },
    ]);
    assert.equal(postalIn(region), null);
    assert.notEqual(rollupIn(region), null);
    checkPostings(region, fixture.rows);
  });

  test("a year that has no room in a combination leaves them out, and nothing else", async () => {
    const rows = randomRows(8, 300);
    const last = { ...(rows[0] as FixtureRow), started_on: 186_000 };
    const { fixture, region } = await build([...rows.slice(1), last]);
    assert.equal(rollupIn(region), null, "the year 2479 has the code 679");
    assert.equal(coverIn(region), null);
    const few = rowsOfKinds(16, 20_000, 100);
    const late = await build([{ ...(few[0] as FixtureRow), started_on: 186_000 }, ...few.slice(1)]);
    const [years, activities] = placesOf(placesIn(late.region) ?? assert.fail("no PLACES"));
    assert.deepEqual([years === null, activities === null], [true, false]);
    checkPostings(region, fixture.rows);
    assert.deepEqual(region.words("cube"), cubeOf(fixture.rows));
  });

  test("names that begin each other, repeat, and hold any bytes sort by bytes", async () => {
    const letters = ["A", "AA", "\u0000", "Z", "É", "漢", "\u{1F600}", "1234567"];
    const rows = randomRows(3, 3000).map((row, i) => {
      const repeated = (letters[i % 8] as string).repeat(i % 40);
      const name = `${i % 3 === 0 ? "COMUM A TODOS " : ""}${repeated}`;
      return { ...row, legal_name: i % 50 === 0 ? "" : name };
    });
    const { fixture, region } = await build(rows);
    const number = ORDERS.indexOf("legal_name");
    assert.deepEqual(region.words("order", number), orderOf(fixture.rows, "legal_name"));
    assert.deepEqual(region.words("nameRank"), nameRanksOf(fixture.rows));
    checkTerms(region, fixture.rows);
  });

  test("capital of any size and sign sorts as a number", async () => {
    const rows = randomRows(4, 2000).map((row, i) => ({
      ...row,
      share_capital_cents: i % 7 === 0 ? null : BigInt(i % 5 === 0 ? -1 : 1) * 3n ** BigInt(i % 39),
    }));
    const { fixture, region } = await build(rows);
    const number = ORDERS.indexOf("share_capital");
    assert.deepEqual(region.words("order", number), orderOf(fixture.rows, "share_capital"));
  });
});

describe("the bytes of a file", () => {
  test("do not depend on how many threads sort how many rows at a time", async () => {
    for (const rows of [randomRows(5, 20_000), rowsOfKinds(5, 20_000, 200)]) {
      const bytes = [];
      for (const threads of [1, 2, 3, 8]) {
        bytes.push(readFileSync((await build(rows, threads)).fixture.path));
      }
      for (const [threads, rowsHeld] of [
        [2, 1],
        [1, 900],
        [3, 19_999],
      ] as const) {
        bytes.push(readFileSync((await build(rows, threads, rowsHeld)).fixture.path));
      }
      for (const other of bytes.slice(1)) assert.ok(other.equals(bytes[0] as Buffer));
    }
  });

  test("do not depend on the order in which the rows came", async () => {
    const rows = randomRows(6, 3000);
    const [one, two] = [await build(rows), await build([...rows].reverse())];
    assert.ok(one.region.file.equals(two.region.file));
  });
});

test("the bench of the builder runs, small, and names every phase", async () => {
  const timings = await benchIndex(3000, 2);
  assert.ok(timings.regionBytes > 3000 * 4 * (ORDERS.length + 1));
  const phases = ["columns", "postings", "cnpj order", "value orders", "name order", "words"];
  assert.deepEqual(Object.keys(timings.phasesMs), [
    ...phases,
    "cube",
    "rollup",
    "postal",
    "places",
    "cover",
    "districts",
    "contacts",
    "checksums",
  ]);
});
