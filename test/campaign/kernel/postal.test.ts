/**
 * Proves: the rows found by prefixes of postal codes equal those of the reference implementation in
 * every method of the engine. There are prefixes of every length, one or many, alone or with other
 * conditions. A single prefix is counted from the starts of the lists in POSTAL, the part with the
 * rows by postal code.
 * Does not prove that the rows in POSTAL are sorted (unit/native-index/build-region.test.ts), nor
 * anything about damaged files.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
import { startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf, sorted } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
/** More rows than one chunk; the last chunk is partial. */
const ROWS = 70_000;
/** Number of ranges. It is so large that the engine does not look them up one by one. */
const MANY = 90;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-postal-"));
let fixture: Fixture;
let rows: readonly FixtureRow[];
let segment: NativeSegment;

before(async () => {
  const random = seededRandom(4);
  // Many rows have equal codes: a fifth of the rows share a hundred codes, and one code fills some
  // chunks.
  const crowded = randomRows(31, ROWS).map((row, i) => ({
    ...row,
    postal_code:
      row.postal_code !== null && random() < 0.2
        ? 1_310_000 + Math.floor(random() * 100)
        : i % 11 === 0
          ? 99_999_999
          : row.postal_code,
  }));
  fixture = await writeFixture(path.join(folder, "rows"), crowded);
  rows = fixture.rows;
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true });
});

/**
 * Returns the range of postal codes with the same first `digits` digits, usually of a row's code,
 * else random.
 */
function prefixRange(random: () => number, digits: number): readonly [number, number] {
  const row = rows[Math.floor(random() * rows.length)];
  const code = random() < 0.8 ? (row?.postal_code ?? 0) : Math.floor(random() * 1e8);
  const scale = 10 ** (8 - digits);
  const from = Math.floor(code / scale) * scale;
  return [from, from + scale - 1];
}

function postal(random: () => number, count: number): Clause {
  const digits = () => 1 + Math.floor(random() * 8);
  const ranges = Array.from({ length: count }, () => prefixRange(random, digits()));
  if (random() < 0.1) ranges.push([-5, 3], [99_999_999, 2 ** 40]);
  return { kind: "range", column: "postal_code", ranges };
}

function beside(random: () => number): Clause[] {
  const below = (count: number) => Math.floor(random() * count);
  const posting = (dimension: "uf" | "cnae_primary" | "flag", codes: number): Clause => ({
    kind: "posting",
    any: [{ dimension, codes: Uint32Array.of(below(codes)) }],
    negated: random() < 0.3,
  });
  const others = [
    posting("uf", 6),
    posting("cnae_primary", 40),
    posting("flag", 5),
    { kind: "range", column: "started_on", ranges: [[0, 15_000]] } as const,
  ];
  return others.filter(() => random() < 0.4);
}

it("counts a prefix of any length from starts, without testing its rows", () => {
  const random = seededRandom(5);
  for (let digits = 1; digits <= 8; digits++) {
    for (let round = 0; round < 10; round++) {
      const [low, high] = prefixRange(random, digits);
      const clauses: Clause[] = [{ kind: "range", column: "postal_code", ranges: [[low, high]] }];
      assert.equal(segment.count(clauses), matchesOf(rows, clauses).length, `${low}..${high}`);
      assert.equal(segment.lastWork().tests, 0);
    }
  }
});

it("counts a prefix of whole groups even if the index rows cannot be read", () => {
  const region = new Region(fixture.path, fixture.directory);
  const start = startOfPart(region, "PNPOSTAL");
  const bytes = Buffer.from(region.file);
  const at = start + Number(region.file.readBigUInt64LE(start + 32));
  // Flips a bit in the first block that contains nothing but row numbers.
  bytes.writeUInt8(
    bytes.readUInt8(Math.ceil(at / 65_536) * 65_536) ^ 1,
    Math.ceil(at / 65_536) * 65_536,
  );
  const file = path.join(folder, "damaged");
  writeFileSync(file, bytes);
  const damaged = openSegment(file, fixture.directory);
  const clauses: Clause[] = [{ kind: "range", column: "postal_code", ranges: [[0, 39_999_999]] }];
  assert.equal(damaged.count(clauses), matchesOf(rows, clauses).length);
  const inside: Clause[] = [{ kind: "range", column: "postal_code", ranges: [[0, 39_999_998]] }];
  assert.throws(() => damaged.count(inside), { code: "SNAPSHOT_DAMAGED" });
  damaged.close();
});

it("returns the twin's pages, totals, and match sets", () => {
  const random = seededRandom(6);
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const count = random() < 0.1 ? MANY : 1 + Math.floor(random() * 4);
    const clauses = [postal(random, count), ...beside(random)];
    const expected = matchesOf(rows, clauses);
    const message = JSON.stringify(clauses);
    segment.dropCaches();
    assert.equal(segment.count(clauses), expected.length, message);
    const rank = { order: [{ key: "score", descending: true }], method: "rank" } as const;
    const limit = random() < 0.5 ? 5 : 1 << 20;
    const afterRow = Math.floor(random() * rows.length) - 1;
    const page = segment.select({ clauses, ...rank, seed: 0n, afterRow, limit });
    const rest = expected.filter((row) => row > afterRow);
    assert.deepEqual([...page.rows], rest.slice(0, limit), message);
    assert.equal(page.more, rest.length > limit);
    const order = [{ key: "cnpj", descending: false }] as const;
    const byCnpj = { clauses, order, seed: 0n, afterRow: -1, limit: 20 } as const;
    const wanted = sorted(rows, expected, order, 0n).slice(0, 20);
    for (const method of ["walk", "gather"] as const) {
      assert.deepEqual([...segment.select({ ...byCnpj, method }).rows], wanted, message);
    }
    found += expected.length;
  }
  assert(found > 1000 * ROUNDS, "most questions have an answer");
});
