/**
 * Proves that the index of unusual rows also equals that of a slow reference implementation. Tests
 * files with no row, one row, and three chunks of rows that need every kind of bitmap container.
 * Other rows have values that do not fit a table, names of any bytes, or capital of any size.
 * Does not prove: ordinary rows (build-region).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { DIMENSIONS, ORDERS } from "../../../native-index/format/columns.ts";
import { coverIn } from "../../support/native-index/cover-decode.ts";
import {
  type FixtureRow,
  randomRows,
  rowsOfKinds,
} from "../../support/native-index/fixture-rows.ts";
import { postalIn, sortedPostal } from "../../support/native-index/parts-decode.ts";
import { placesIn, placesOf } from "../../support/native-index/places-decode.ts";
import { checkPostings, checkTerms } from "../../support/native-index/region-checks.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { cubeOf, nameRanksOf, orderOf } from "../../support/native-index/region-twin.ts";
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

/**
 * Rows with dense codes and runs of codes: three chunks, the last one partial. They repeat 7,000
 * random rows, because drawing 140,000 takes 20 s of processor time.
 */
function chunkedRows(): FixtureRow[] {
  const drawn = randomRows(7, 7_000);
  return Array.from({ length: 140_000 }, (_, i) => ({
    ...(drawn[(i * 31) % drawn.length] as FixtureRow),
    score: 1000 - Math.floor(i / 500),
    cnpj: `${i}`.padStart(14, "0"),
    uf: Math.floor(i / 700) % 3,
    legal_nature: i % 2,
  }));
}

describe("regions of other shapes", () => {
  test("use all three kinds of container in three chunks", async () => {
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

  test("have empty sections without rows", async () => {
    const { region } = await build([]);
    assert.deepEqual(region.section("postings").length, 0);
    assert.equal(region.section("chunks").length, 8);
    assert.deepEqual(region.terms(), []);
    for (const dimension of DIMENSIONS) assert.deepEqual(region.containers().get(dimension), []);
  });

  test("contain one row without any optional value", async () => {
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

  test("omit rows by code for a postal code of nine digits, and nothing else", async () => {
    const rows = randomRows(9, 300);
    const { fixture, region } = await build([
      ...rows.slice(1),
      { ...(rows[0] as FixtureRow), postal_code: 100_000_000 },
    ]);
    assert.equal(postalIn(region), null);
    assert.notEqual(rollupIn(region), null);
    checkPostings(region, fixture.rows);
  });

  test("omit rows of a year that does not fit a combination, and nothing else", async () => {
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

  test("code the first and last days of years by their years", async () => {
    const days = Array.from({ length: 540 }, (_, i) => Date.UTC(1800 + i, 0, 1) / 86_400_000);
    const dated = days.flatMap((day, i) => (i === 0 ? [day] : [day - 1, day]));
    const rows = randomRows(21, dated.length);
    const { fixture, region } = await build(
      rows.map((row, i) => ({ ...row, started_on: dated[i] as number })),
    );
    checkPostings(region, fixture.rows);
  });

  test("sort names by bytes that share prefixes, repeat, and contain any bytes", async () => {
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

  test("sort capital of any size and sign as a number", async () => {
    const rows = randomRows(4, 2000).map((row, i) => ({
      ...row,
      share_capital_cents: i % 7 === 0 ? null : BigInt(i % 5 === 0 ? -1 : 1) * 3n ** BigInt(i % 39),
    }));
    const { fixture, region } = await build(rows);
    const number = ORDERS.indexOf("share_capital");
    assert.deepEqual(region.words("order", number), orderOf(fixture.rows, "share_capital"));
  });
});
