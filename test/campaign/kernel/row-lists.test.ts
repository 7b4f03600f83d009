/**
 * Proves: the addon's reader of portable Roaring bitmaps accepts what the `roaring` package writes,
 * with and without runs. A good bitmap that is truncated, extended, or changed in any byte is
 * rejected with a position, or read as the package reads it. Entries of lists resolve to the rows
 * of a linear scan, and rows to their entries. The package reads the bitmaps that the addon writes.
 * Packed blocks yield the rows of their entries; damaged blocks never yield a nonexistent row.
 * Does not prove: that queries use lists correctly (query.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type NativeSegment,
  openRowList,
  openSegment,
  sortEntriesAsync,
} from "../../../native-index/napi/engine.ts";
import { packEntries, pairsOf } from "../../../src/lists/blocks.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { portableBytes, portableRows } from "../../support/native-index/roaring-oracle.ts";
import { randomRowSet, rowListOf } from "../../support/native-index/row-lists.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
const COUNT = 70_000;
const folder = mkdtempSync(path.join(tmpdir(), "peneira-row-lists-"));
let rows: readonly FixtureRow[];
let segment: NativeSegment;

before(async () => {
  const fixture = await writeFixture(path.join(folder, "two"), randomRows(11, COUNT));
  rows = fixture.rows;
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Computes a list entry from a CNPJ, as native-index/query/find/cnpj.h defines it. */
function entryOf(cnpj: string, company: boolean): bigint {
  const number = (signs: string) =>
    [...signs].reduce((sum, sign) => sum * 36 + Number.parseInt(sign, 36), 0);
  return (
    (BigInt(number(cnpj.slice(0, 8))) << 21n) | (company ? 0n : BigInt(number(cnpj.slice(8, 12))))
  );
}

function bytesOf(entries: Iterable<bigint>): Uint8Array {
  return new Uint8Array(BigUint64Array.from(entries).buffer);
}

function entriesIn(bytes: Uint8Array): bigint[] {
  return [...new BigUint64Array(bytes.slice().buffer)];
}

function ascending(entries: Iterable<bigint>): bigint[] {
  return [...new Set(entries)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Returns the rows that the addon finds in a list, chunk by chunk. */
function rowsOf(bytes: Uint8Array): Uint32Array {
  const clauses = [{ kind: "rows", lists: [openRowList(bytes)], negated: false }] as const;
  const order = [{ key: "score", descending: true }] as const;
  return segment.select({ clauses, order, method: "rank", seed: 0n, afterRow: -1, limit: COUNT })
    .rows;
}

describe("lists of rows", () => {
  it("are read as the package wrote them", () => {
    const random = seededRandom(5);
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = [...new Set(randomRowSet(random, COUNT))].sort((a, b) => a - b);
      const bytes = portableBytes(wanted);
      const list = openRowList(bytes);
      assert.equal(list.size, wanted.length);
      assert.equal(list.end, (wanted.at(-1) ?? -1) + 1);
      assert.deepEqual([...rowsOf(bytes)], wanted);
    }
  });

  it("are rejected if damaged, unless the package reads them too", () => {
    const random = seededRandom(6);
    const below = (count: number) => Math.floor(random() * count);
    let refused = 0;
    for (let round = 0; round < ROUNDS * 20; round++) {
      const good = portableBytes(randomRowSet(random, 1 + below(COUNT)));
      const bytes = Buffer.concat([
        good.subarray(0, below(4) === 0 ? below(good.length) : undefined),
      ]);
      for (let left = below(3); left > 0 && bytes.length > 0; left--) {
        // Most changes affect the first 64 bytes, in which most values can be invalid.
        bytes[below(random() < 0.7 ? Math.min(64, bytes.length) : bytes.length)] = below(256);
      }
      const sent = below(10) === 0 ? Buffer.concat([bytes, Buffer.of(0)]) : bytes;
      try {
        const list = openRowList(sent);
        const read = portableRows(sent);
        assert.equal(list.size, read.length);
        if (list.end <= COUNT) assert.deepEqual([...rowsOf(sent)], read);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "INVALID_ARGUMENT", `${error}`);
        assert.match((error as Error).message, /^the list of rows is no portable .* at byte \d+ /);
        refused++;
      }
    }
    assert(refused > ROUNDS, `only ${refused} were refused`);
  });

  it("are rejected by queries if they contain rows that the snapshot lacks", () => {
    const clauses = [{ kind: "rows", lists: [rowListOf([COUNT])], negated: true }] as const;
    assert.throws(() => segment.count(clauses), /a list holds rows that the snapshot lacks/);
  });
});

describe("wrong arguments", () => {
  const wrong = <T>(value: unknown): T => value as T;
  const named = { kind: "rows", lists: [{}], negated: false };
  const range = { kind: "range", column: "started_on", ranges: null };
  const cases: readonly (readonly [() => unknown, RegExp])[] = [
    [() => segment.matchEntriesAsync([], wrong(1)), /companies must be true or false, not 1/],
    [() => segment.entriesOf(wrong([])), /rows must be a Uint32Array, not another object/],
    [() => openRowList(wrong([])), /bytes must be a Uint8Array, not another object/],
    [() => sortEntriesAsync(wrong("")), /entries must be a Uint8Array, not ""/],
    [() => segment.count(wrong([named])), /lists must be a list of rows, not another object/],
    [() => segment.count(wrong([{ ...named, lists: 1 }])), /lists must be an array, not 1/],
    [() => segment.count(wrong({})), /clauses must be an array, not \[object Object\]/],
    [() => segment.count(wrong([{ kind: "posting", any: 1 }])), /any must be an array, not 1/],
    [() => segment.count(wrong([{ kind: "words", hints: "a" }])), /hints must be an array, not a/],
    [() => segment.count(wrong([range])), /ranges must be an array, not null/],
  ];
  it("throw a TypeError that names the argument, the expected and the actual type", () => {
    for (const [call, message] of cases) assert.throws(call, { name: "TypeError", message });
  });
});

describe("entries of lists", () => {
  it("resolve to the rows that a linear scan finds", async () => {
    const random = seededRandom(7);
    const own = (company: boolean) =>
      entryOf(rows[Math.floor(random() * COUNT)]?.cnpj as string, company);
    for (let round = 0; round < Math.min(ROUNDS, 60); round++) {
      const strange = () => (BigInt(Math.floor(random() * 2 ** 41)) << 21n) | BigInt(round % 2);
      const length = Math.floor(random() ** 3 * 5_000);
      const make = () => (random() < 0.6 ? own(random() < 0.3) : strange());
      const entries = ascending(Array.from({ length }, make));
      const found = await segment.entryRowsAsync(bytesOf(entries));
      const wanted = new Set(entries);
      const met = new Set<bigint>();
      const expected: number[] = [];
      rows.forEach(({ cnpj }, row) => {
        const hits = [entryOf(cnpj, false), entryOf(cnpj, true)].filter((one) => wanted.has(one));
        if (hits.length > 0) expected.push(row);
        for (const hit of hits) met.add(hit);
      });
      assert.deepEqual(portableRows(found.roaring), expected);
      assert.equal(found.rows, expected.length);
      assert.equal(found.found, met.size);
      openRowList(found.roaring);
    }
  });

  it("equal the entries of given rows and of search matches", async () => {
    const all = Uint32Array.from({ length: COUNT }, (_, row) => row);
    const accounts = ascending(rows.map(({ cnpj }) => entryOf(cnpj, false)));
    assert.deepEqual(entriesIn(segment.entriesOf(all)), accounts);
    assert.deepEqual(entriesIn(await segment.matchEntriesAsync([], false)), accounts);
    const companies = ascending(rows.map(({ cnpj }) => entryOf(cnpj, true)));
    assert.deepEqual(entriesIn(await segment.matchEntriesAsync([], true)), companies);
    assert.throws(() => segment.entriesOf(Uint32Array.of(COUNT)), /row 70000 does not exist/);
  });

  it("are sorted, and rejected if unsorted or truncated", async () => {
    const random = seededRandom(8);
    const entries = Array.from({ length: 5_000 }, () => BigInt(Math.floor(random() * 4_000)));
    assert.deepEqual(entriesIn(await sortEntriesAsync(bytesOf(entries))), ascending(entries));
    await assert.rejects(segment.entryRowsAsync(bytesOf([2n, 2n])), /entries do not ascend/);
    assert.throws(() => segment.entryRowsAsync(new Uint8Array(7)), /bytes of entries, eight each/);
  });

  it("resolve to the same rows when packed; damaged blocks fail or yield some rows", async () => {
    const random = seededRandom(9);
    const below = (count: number) => Math.floor(random() * count);
    const seen = { taken: 0, refused: 0 };
    for (let round = 0; round < 20 * ROUNDS; round++) {
      const share = [0.3, 0.01, 0.0005][below(3)] as number;
      const some = rows.filter(() => random() < share);
      const entries = ascending(some.map(({ cnpj }) => entryOf(cnpj, random() < 0.1)));
      if (entries.length === 0) continue;
      const block = packEntries(pairsOf(bytesOf(entries)));
      const found = await segment.blockRowsAsync(block, null);
      assert.deepEqual(found, await segment.entryRowsAsync(bytesOf(entries)));
      const hurt = block.slice(0, random() < 0.3 ? below(block.length) : block.length);
      if (hurt.length > 0) hurt[below(hurt.length)] = below(256);
      const read = await segment.blockRowsAsync(hurt, null).catch((error: Error) => error);
      seen[read instanceof Error ? "refused" : "taken"]++;
      if (read instanceof Error) assert.match(read.message, /blocks of a list are damaged/);
      else assert.ok(rowsOf(read.roaring).every((row) => row < COUNT));
    }
    assert.ok(seen.taken > 0 && seen.refused > 0, JSON.stringify(seen));
  });
});
