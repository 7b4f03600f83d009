/**
 * Checks a built index region against its rows, for the suites of the builder.
 * Invariant: each check fails the test at the first difference between the region and the slow
 * reference implementation.
 */
import assert from "node:assert/strict";
import type { FixtureRow } from "./fixture-rows.ts";
import type { Region } from "./region-decode.ts";
import { postingsOf, termsOf } from "./region-twin.ts";
import { containerOf, portableBytes, portableRows } from "./roaring-oracle.ts";

/** Checks every posting list. Returns the kinds of bitmap containers that occurred. */
export function checkPostings(region: Region, rows: readonly FixtureRow[]): Set<string> {
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

/** Returns the entries sorted by key. */
export function sortedEntries<Value>(counts: ReadonlyMap<string, Value>): [string, Value][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Checks every word, its document frequency, and its rows, in short and long lists. */
export function checkTerms(region: Region, rows: readonly FixtureRow[]): void {
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
