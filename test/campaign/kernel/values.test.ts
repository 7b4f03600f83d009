/**
 * Proves: conditions that VALUES answers match the same rows as a slow reference implementation.
 * VALUES is the part with one row list for each value. The conditions are round and other amounts,
 * numbers of companies, and numbers of establishments, alone and combined. Orders by capital are
 * the same with and without VALUES. A file whose VALUES has wrong numbers and valid checksums is
 * rejected when it is opened or used.
 * Does not prove how much is read (first-touch.test.ts), nor that no other wrong bytes cause damage
 * (fuzz.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { Clause, NativeSegment, RangeClause } from "../../../native-index/napi/engine.ts";
import { randomRows } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";

const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
const folder = mkdtempSync(path.join(tmpdir(), "peneira-values-"));
let fixture: Fixture;
let region: Region;
let forged = 0;

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), randomRows(6, 3_000));
  region = new Region(fixture.path, fixture.directory);
});
after(() => rmSync(folder, { recursive: true }));

const startOf = () => startOfPart(region, "PNVALUES");
const open = (change: (bytes: Buffer) => void) =>
  openForged({ fixture, region }, path.join(folder, `forged-${forged++}`), change);
const withoutValues = () => open((bytes) => bytes.write("PNFUTURE", startOf(), "latin1"));

const capital = (low: number, high: number): Clause => ({
  kind: "range",
  column: "share_capital_cents",
  ranges: [[low, high]],
});
const shared = (
  columns: Pick<RangeClause, "column" | "or">,
  ...ranges: [number, number][]
): Clause => ({ kind: "range", ...columns, ranges });
const BOUNDS = [-1, 0, 1, 99, 100, 150, 151, 20_000, 1_000_000, 1_500_001, Number.MAX_SAFE_INTEGER];
const PHONES = { column: "phone_1_shared", or: "phone_2_shared" } as const;

/** Conditions that VALUES can answer, and some that it cannot. */
function conditions(): Clause[] {
  const amounts = BOUNDS.flatMap((low) =>
    BOUNDS.filter((high) => high >= low).map((high) => capital(low, high)),
  );
  return [
    ...amounts,
    ...[0, 1, 3, 6].map((most) => shared({ column: "email_shared" }, [0, most])),
    ...[0, 2, 5, 500].map((most) => shared(PHONES, [0, most])),
    shared(PHONES, [0, 0], [3, 4]),
    shared({ column: "phone_2_shared" }, [0, 1]),
    ...[0, 1, 2, 3].map((least) => shared({ column: "establishments" }, [least, 60_000])),
    shared({ column: "establishments" }, [5, 4]),
  ];
}

function checkCounts(segment: NativeSegment, others: readonly Clause[]): void {
  for (const clause of conditions()) {
    const clauses = [clause, ...others];
    const found = segment.count(clauses);
    assert.equal(found, matchesOf(fixture.rows, clauses).length, JSON.stringify(clause));
  }
}

it("matches the rows of the columns, alone and combined, with VALUES and without", () => {
  const state: Clause = {
    kind: "posting",
    any: [{ dimension: "uf", codes: Uint32Array.of(2, 3) }],
    negated: true,
  };
  const flags: Clause = {
    kind: "posting",
    any: [{ dimension: "flag", codes: Uint32Array.of(3, 4) }],
    negated: false,
  };
  for (const segment of [open(() => undefined), withoutValues()]) {
    checkCounts(segment, []);
    checkCounts(segment, [state, flags]);
    segment.close();
  }
});

it("walks the order by capital alike with VALUES and without", () => {
  const [whole, without] = [open(() => undefined), withoutValues()];
  for (const descending of [false, true]) {
    for (const clauses of [[], [capital(100, 90_000_000)], [capital(151, 1_500_001)]]) {
      const page = (segment: NativeSegment) => {
        const order = [{ key: "share_capital", descending }] as const;
        const walk = { order, method: "walk", seed: 0n, afterRow: -1, limit: 700 } as const;
        return [...segment.select({ clauses, ...walk }).rows];
      };
      assert.deepEqual(page(whole), page(without));
    }
  }
  for (const segment of [whole, without]) segment.close();
});

it("ignores VALUES of another version", () => {
  const segment = open((bytes) => bytes.writeUInt32LE(77, startOf() + 8));
  assert.equal(segment.count([capital(0, 100)]), matchesOf(fixture.rows, [capital(0, 100)]).length);
  segment.close();
});

it("rejects VALUES with wrong counts or offsets", () => {
  for (const at of [24, 32, 40]) {
    for (const value of [1n << 40n, (1n << 64n) - 4n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(value, startOf() + at);
      assert.throws(() => open(forge), DAMAGED, `${value} at ${at}`);
    }
  }
  for (const at of [12, 16, 64, 68, 64 + 4 * 9]) {
    const forge = (bytes: Buffer) => bytes.writeUInt32LE(0xfffffff0, startOf() + at);
    assert.throws(() => open(forge), DAMAGED, `count at ${at}`);
  }
});

it("rejects, on use, lists that lie outside, have other rows, or are no bitmaps", () => {
  const entries = startOf() + Number(region.file.readBigUInt64LE(startOf() + 40));
  const firstOfCapital = region.file.readUInt32LE(startOf() + 64 + 4 * 5);
  // The amount R$ 0 is capital class 1, and a third of the rows have it.
  const at = entries + 16 * (firstOfCapital + 1);
  const list = startOf() + Number(region.file.readBigUInt64LE(at));
  const forgeries: ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeBigUInt64LE(1n << 40n, at),
    (bytes) => bytes.writeUInt32LE(0x7fffffff, at + 8),
    (bytes) => bytes.writeUInt32LE(0, at + 12),
    (bytes) => bytes.writeUInt32LE(3_001, at + 12),
    (bytes) => bytes.writeUInt32LE(4, at + 8),
    (bytes) => bytes.writeUInt32LE(7, list),
    (bytes) => bytes.writeUInt32LE(0xffffff, list + 4),
  ];
  for (const [number, forge] of forgeries.entries()) {
    const segment = open(forge);
    assert.throws(() => segment.count([capital(0, 0)]), DAMAGED, `forgery ${number}`);
    segment.close();
  }
});
