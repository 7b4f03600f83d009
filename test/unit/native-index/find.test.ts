/**
 * Proves, on seeded random vocabularies: the accounts that match a typed text, their kind of match,
 * and their order equal those of a simple scan (find-twin.ts). A company's establishments are
 * listed with the head office first, then by CNPJ, and all pages together have each one once.
 * campaign/kernel/find.test.ts tests more, on larger vocabularies.
 * Does not prove: speed (bench/find.bench.ts), nor how routes use the result.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openSegment } from "../../../native-index/napi/engine.ts";
import {
  compareFinding,
  type FindSubject,
  HOSTILE,
} from "../../support/native-index/find-compare.ts";
import { distance } from "../../support/native-index/find-twin.ts";
import { type FixtureRow, randomRows } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-find-"));
after(() => rmSync(folder, { recursive: true }));

describe("finding by name", () => {
  it("equals a scan among few words that are similar", () =>
    finds({ seed: 1, count: 500, terms: 40, typed: 120, hostile: HOSTILE }));
  it("equals a scan among many words", () =>
    finds({ seed: 2, count: 900, terms: 1_500, typed: 40, hostile: HOSTILE }));

  it("reads a quarter of the names with BEGINNINGS, for two common words", async () => {
    const two = { seed: 3, count: 3_000, terms: 0, typed: 0, hostile: ["silva santos"] };
    const { names, older } = await compareFinding(folder, two);
    assert.ok(names * 4 < older, `${names} of ${older} names are read`);
  });

  it("rejects wrong offsets of BEGINNINGS", async () => {
    const fixture = await writeFixture(join(folder, "forged"), randomRows(5, 300));
    const region = new Region(fixture.path, fixture.directory);
    const start = startOfPart(region, "PNBEGINS");
    for (const at of [66, 1 << 20]) {
      const change = (bytes: Buffer) => bytes.writeBigUInt64LE(BigInt(at), start + 32);
      const open = () => openForged({ fixture, region }, join(folder, "forged-too"), change);
      assert.throws(open, { code: "SNAPSHOT_DAMAGED" });
    }
  });

  async function finds(subject: FindSubject): Promise<void> {
    const { names, older } = await compareFinding(folder, subject);
    assert.ok(names < older, `${names} of ${older} names are read`);
  }
});

describe("the twin", () => {
  it("counts swapped neighbors as one edit, and distant letters as two", () => {
    assert.equal(distance("padaria", "paadria"), 1);
    assert.equal(distance("padaria", "padraai"), 2);
    assert.equal(distance("ca", "abc"), 3);
    assert.equal(distance("漢字", "漢"), 1);
  });
});

describe("a company", () => {
  it("lists its head offices first, then its other establishments by CNPJ, each once", async () => {
    const made = randomRows(7, 400).map((row, i) => ({
      ...row,
      cnpj: `${String(10_000_000 + Math.floor(i / 25))}${String(i).padStart(6, "0")}`,
      headquarters: i % 25 === 13,
    }));
    const { directory, rows } = await writeFixture(join(folder, "company"), made);
    const segment = openSegment(join(folder, "company"), directory);
    for (const root of ["10000000", "10000007", "10000015", "00000000", "10000016", "ZZZZZZZZ"]) {
      const wanted = rows
        .filter(({ cnpj }) => cnpj.startsWith(root))
        .sort((a, b) => (a.cnpj < b.cnpj ? -1 : 1))
        .sort((a, b) => Number(b.headquarters) - Number(a.headquarters))
        .map(({ cnpj }) => cnpj);
      const walked: string[] = [];
      for (let afterRow = -1; ; ) {
        const page = await segment.companyAsync({ root, afterRow, limit: 7 });
        assert.equal(page.total, wanted.length);
        walked.push(...Array.from(page.rows, (row) => (rows[row] as FixtureRow).cnpj));
        if (page.rows.length === 0) break;
        afterRow = page.rows.at(-1) as number;
      }
      assert.deepEqual(walked, wanted);
    }
    const strange = segment.companyAsync({ root: "10000000", afterRow: rows.length - 1, limit: 1 });
    const isOther = !(rows.at(-1) as FixtureRow).cnpj.startsWith("10000000");
    if (isOther) await assert.rejects(strange, /the row is none of the company's/);
    segment.close();
  });
});
