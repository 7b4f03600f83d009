/**
 * Proves, on random sets of rows: a union has the same rows as a Set, in the same bytes that the
 * roaring bitmap package writes. The union is built once per segment for the same lists in any
 * order. It is built again after it was released or after building it failed.
 * Does not prove the answers of specs that name several lists (campaign/twin/listed.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type NativeRowList, rowListBytes } from "../../../native-index/napi/engine.ts";
import { Unions, unionOf } from "../../../src/lists/listbinding.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { portableRows } from "../../support/native-index/roaring-oracle.ts";
import { rowListOf } from "../../support/native-index/row-lists.ts";

/** Returns an empty object as a segment, since unions are cached by its identity alone. */
const newSegment = () => ({}) as Segment;
const rowsOf = (list: NativeRowList) => portableRows(rowListBytes(list));

/** Rows in all forms of containers: single rows, and ranges that begin and end anywhere. */
const stretch = fc.tuple(fc.nat(300_000), fc.integer({ min: 1, max: 9_000 }));
const rowSet = fc
  .tuple(fc.array(fc.nat(300_000), { maxLength: 200 }), fc.array(stretch, { maxLength: 6 }))
  .map(([single, stretches]) => {
    const rows = new Set(single);
    for (const [from, count] of stretches) for (let i = 0; i < count; i++) rows.add(from + i);
    return rows;
  });

describe("the union of lists", () => {
  it("has the rows of one or more of them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowSet, { minLength: 1, maxLength: 6 }), async (sets) => {
        const union = await unionOf(sets.map((rows) => rowListOf(rows)));
        const expected = [...new Set(sets.flatMap((rows) => [...rows]))].sort((a, b) => a - b);
        assert.equal(union.size, expected.length);
        assert.deepEqual(rowsOf(union), expected);
      }),
      { seed: 20_261_128, numRuns: 60 },
    );
  });

  it("is made once for the same lists, in any order, while other calls wait for it", async () => {
    const unions = new Unions();
    const segment = newSegment();
    const [one, other] = [rowListOf([1]), rowListOf([2])] as const;
    const first = unions.of(segment, ["a@1", "b@1"], [one, other]);
    assert.ok(first instanceof Promise);
    assert.equal(unions.of(segment, ["b@1", "a@1"], [other, one]), first);
    const made = await first;
    assert.equal(unions.of(segment, ["a@1", "b@1"], [one, other]), made);
    assert.deepEqual(rowsOf(made), [1, 2]);
    const again = await unions.of(newSegment(), ["a@1", "b@1"], [one, other]);
    assert.notEqual(again, made);
    const changed = await unions.of(segment, ["a@2", "b@1"], [rowListOf([7]), other]);
    assert.deepEqual(rowsOf(changed), [2, 7]);
  });

  it("is evicted when least recently used", async () => {
    const unions = new Unions();
    const segment = newSegment();
    const make = (name: string) => unions.of(segment, [name], [rowListOf([1])]);
    const oldest = await make("0");
    await make("1");
    for (let i = 2; i < 16; i++) await make(String(i));
    assert.equal(make("0"), oldest);
    await make("16");
    assert.equal(make("0"), oldest);
    assert.ok(make("1") instanceof Promise);
  });

  it("is tried again after a failure", async () => {
    const unions = new Unions();
    const segment = newSegment();
    const failed = unions.of(segment, ["a", "b"], [Promise.reject(new Error("no rows"))]);
    await assert.rejects(Promise.resolve(failed), /no rows/);
    const made = await unions.of(segment, ["a", "b"], [rowListOf([3]), rowListOf([4])]);
    assert.deepEqual(rowsOf(made), [3, 4]);
  });
});
