/**
 * Proves: DISTRICTS, the part of a snapshot with the districts of each municipality and their rows,
 * is complete for any number of threads. The rows of one or many districts, existing or not, equal
 * those of a full scan, alone and with other clauses. The requested part of the catalog equals that
 * of a scan too. Damaged bytes with valid checksums are rejected or yield existing rows, and
 * nothing outside them is read. A file without DISTRICTS reports this.
 * Does not prove that specs resolve to the right districts (unit/spec/normalize.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Clause, NativeSegment } from "../../../native-index/napi/engine.ts";
import { openSegment } from "../../../native-index/napi/engine.ts";
import { foldDistrict } from "../../../src/spec/districtname.ts";
import { districtRows } from "../../support/native-index/district-rows.ts";
import {
  type DistrictRows,
  districtsIn,
  districtsOf,
} from "../../support/native-index/districts-decode.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
const MAGIC = "PNDISTRI";
/** More rows than one chunk, so that municipalities are stored as arrays and as bitsets. */
const ROWS = 70_000;

/** Number of rows in files that a test writes many times. */
const FEW = 5_000;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-districts-"));
let fixture: Fixture;
let region: Region;
let segment: NativeSegment;
let expected: DistrictRows;
let rowsOf: Map<number, number[]>;

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), districtRows(3, ROWS));
  region = new Region(fixture.path, fixture.directory);
  segment = openSegment(fixture.path, fixture.directory);
  expected = districtsOf(fixture.rows);
  rowsOf = new Map();
  fixture.rows.forEach(({ municipality_ibge: code }, row) => {
    if (code === null) return;
    const known = rowsOf.get(code);
    if (known === undefined) rowsOf.set(code, [row]);
    else known.push(row);
  });
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true });
});

/** Returns the rows that are in one of the districts. The districts are keys of `expected`. */
function found(of: NativeSegment, keys: readonly string[]): number[] {
  const codes = Uint32Array.from(keys, (key) => Number.parseInt(key, 10));
  const names = keys.map((key) => key.slice(key.indexOf(" ") + 1));
  return rowsIn(of, [{ kind: "rows", lists: [of.districtRows(codes, names)], negated: false }]);
}

function rowsIn(of: NativeSegment, clauses: Clause[]): number[] {
  const order = [{ key: "score", descending: true }] as const;
  const page = { clauses, order, method: "rank", seed: 0n, afterRow: -1, limit: ROWS } as const;
  return [...of.select(page).rows];
}

/** Returns keys of existing districts, and sometimes of nonexistent ones. */
function drawn(random: () => number, count: number): string[] {
  const keys = [...expected.keys()];
  return Array.from({ length: count }, () => {
    const key = keys[Math.floor(random() ** 2 * keys.length)] as string;
    const choice = random();
    if (choice < 0.1) return `${key}x`;
    return choice < 0.15 ? `${60_000 + Math.floor(random() * 9)} centro` : key;
  });
}

describe("districts", () => {
  it("are stored as the rows contain them", () => {
    assert.ok(segment.hasDistricts);
    assert.deepEqual([...districtsIn(region, rowsOf)], [...expected]);
    const largest = Math.max(...[...expected.values()].map(({ length }) => length));
    assert.ok(largest > 5_000 && expected.size > 5_000, `${largest} of ${expected.size}`);
  });

  it("produce the same bytes with one thread and with three", async () => {
    const { rows } = fixture;
    const one = await writeFixture(path.join(folder, "one"), rows, { threads: 1 });
    const three = await writeFixture(path.join(folder, "three"), rows, { threads: 3 });
    assert.deepEqual(one.directory.digests, three.directory.digests);
  });

  it("match the rows that a full scan finds", () => {
    const random = seededRandom(8);
    for (let round = 0; round < ROUNDS; round++) {
      const keys = drawn(random, 1 + Math.floor(random() * (round % 9 === 0 ? 200 : 4)));
      const wanted = [...new Set(keys)].flatMap((key) => expected.get(key) ?? []);
      assert.deepEqual(
        found(segment, keys),
        wanted.sort((a, b) => a - b),
      );
    }
  });

  it("combine with other clauses", () => {
    const random = seededRandom(9);
    for (let round = 0; round < ROUNDS; round++) {
      const any = [{ dimension: "uf", codes: Uint32Array.of(round % 6) }] as const;
      const state: Clause[] = [{ kind: "posting", any, negated: round % 4 === 0 }];
      const keys = drawn(random, 3);
      const inside = new Set(keys.flatMap((key) => expected.get(key) ?? []));
      const codes = Uint32Array.from(keys, (key) => Number.parseInt(key, 10));
      const list = segment.districtRows(
        codes,
        keys.map((key) => key.slice(key.indexOf(" ") + 1)),
      );
      const clauses: Clause[] = [...state, { kind: "rows", lists: [list], negated: false }];
      const wanted = matchesOf(fixture.rows, state).filter((row) => inside.has(row));
      assert.deepEqual(rowsIn(segment, clauses), wanted);
      assert.equal(segment.count(clauses), wanted.length);
    }
  });

  it("are listed by prefix match, then by word match, the largest first", () => {
    const words = ["", "c", "SAO", "jardim s", "luis jar", "nucleo 1", "d'a", "avila", "zz", "漢"];
    for (const code of [0, 2, 7, 59, 60, 70_000]) {
      for (const typed of words) {
        const folded = foldDistrict(typed);
        const all = [...expected]
          .filter(([key]) => Number.parseInt(key, 10) === code)
          .map(([key, rows]) => ({ name: key.slice(key.indexOf(" ") + 1), rows }))
          .filter(({ name }) => folded.split(" ").every((word) => beginsWord(name, word)))
          .sort(
            (a, b) =>
              Number(b.name.startsWith(folded)) - Number(a.name.startsWith(folded)) ||
              b.rows.length - a.rows.length ||
              Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
          );
        for (const limit of [0, 1, 20]) {
          const { names, rows, total } = segment.districts(code, typed, limit);
          const first = all.slice(0, limit);
          const message = `${code} ${typed} ${limit}`;
          assert.equal(total, all.length, message);
          assert.deepEqual(
            [...rows],
            first.map((one) => one.rows.length),
            message,
          );
          const best = first.map((one) => fixture.rows[one.rows[0] as number]?.district);
          assert.deepEqual(names, best, message);
        }
      }
    }
  });
});

function beginsWord(name: string, word: string): boolean {
  return (
    word === "" ||
    name.split(/[^\p{L}\p{N}]+/u).some((one) => one.startsWith(word)) ||
    [...name].some(
      (_, at) => name.startsWith(word, at) && !/[\p{L}\p{N}]/u.test(name[at - 1] ?? " "),
    )
  );
}

describe("corrupt bytes in DISTRICTS", () => {
  let few: Fixture;
  let forged = 0;
  before(async () => {
    few = await writeFixture(path.join(folder, "few"), districtRows(4, FEW));
  });
  const regionOf = () => new Region(few.path, few.directory);
  const open = (change: (bytes: Buffer) => void) =>
    openForged({ fixture: few, region: regionOf() }, path.join(folder, `${forged++ % 4}`), change);
  const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
  const start = () => startOfPart(regionOf(), MAGIC);

  it("are ignored if the section's name or version differs", () => {
    for (const forge of [
      (bytes: Buffer) => bytes.write("PNFUTURE", start(), "latin1"),
      (bytes: Buffer) => bytes.writeUInt32LE(77, start() + 8),
    ]) {
      const other = open(forge);
      assert.equal(other.hasDistricts, false);
      assert.deepEqual(found(other, ["2 centro"]), []);
      assert.equal(other.districts(2, "", 5).total, 0);
      other.close();
    }
  });

  it("are rejected on open if the length or the municipalities are wrong", () => {
    for (const length of [0n, 31n, 40n, 1n << 40n, (1n << 64n) - 1n]) {
      const forge = (bytes: Buffer) => bytes.writeBigUInt64LE(length, start() + 24);
      assert.throws(() => open(forge), DAMAGED, `${length}`);
    }
    assert.throws(() => open((bytes) => bytes.writeUInt32LE(61, start() + 12)), DAMAGED);
  });

  it("are rejected on use if offsets point outside the section", () => {
    for (const at of [0, 8, 24, 32]) {
      for (const value of [1n << 40n, (1n << 64n) - 1n]) {
        const forge = (bytes: Buffer) => {
          bytes.writeBigUInt64LE(value, start() + 32 + 2 * 24 + at);
        };
        const other = open(forge);
        assert.throws(() => found(other, ["2 centro"]), DAMAGED, `${value} at ${at}`);
        assert.throws(() => other.districts(2, "", 5), DAMAGED);
        other.close();
      }
    }
  });

  it("are rejected anywhere, or yield existing rows", () => {
    const random = seededRandom(10);
    const blocks = regionOf().entries.find(({ kind }) => kind === 12) ?? assert.fail("no BLOCKS");
    const part = start();
    const refused = { found: 0, listed: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const other = open((bytes) => {
        for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
          // Half of the changes are in the entries and lists of the largest municipality.
          const place = part + 32 + 2 * 24 + (random() < 0.5 ? 0 : 8);
          const offset = Number(bytes.readBigUInt64LE(place));
          const near = offset < blocks.offset - part ? part + offset : part + 32;
          const at = random() < 0.5 ? near + Math.floor(random() ** 2 * 2_000) : part + 32;
          const wide = part + 32 + Math.floor(random() * (blocks.offset - part - 40));
          bytes[random() < 0.7 ? Math.min(at, blocks.offset - 1) : wide] = Math.floor(
            random() * 256,
          );
        }
      });
      for (const key of ["2 centro", "2 moema", "7 centro", "2 nucleo 1"]) {
        try {
          for (const row of found(other, [key])) assert.ok(row < FEW);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "SNAPSHOT_DAMAGED");
          refused.found++;
        }
      }
      try {
        assert.ok(other.districts(2, "c", 9).names.length <= 9);
      } catch (error) {
        assert.equal((error as { code?: string }).code, "SNAPSHOT_DAMAGED");
        refused.listed++;
      }
      other.close();
    }
    assert.ok(refused.found > 0 && refused.listed > 0, JSON.stringify(refused));
  });
});
