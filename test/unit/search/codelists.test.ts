/**
 * Proves, on random lists: codes are returned in ascending order and without duplicates. No list
 * changes when others are made, regardless of where it is stored: on the heap, in memory shared
 * with other lists, or in separate memory.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ascending } from "../../../src/search/clauses.ts";

const code = fc.integer({ min: 0, max: 100_000 });
const inOrder = (codes: readonly number[]) => [...codes].sort((a, b) => a - b);
/** Short lists, lists that share memory, and one that is too large for the shared memory. */
const list = fc.oneof(
  fc.array(code, { maxLength: 20 }),
  fc.array(code, { minLength: 17, maxLength: 700, size: "max" }),
  // A list shares memory only if it is sorted.
  fc.uniqueArray(code, { minLength: 17, maxLength: 700, size: "max" }).map(inOrder),
  fc.constant(Array.from({ length: 3_000 }, (_, at) => at)),
);

describe("code lists", () => {
  it("are sorted and stay valid after later calls", () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
        const made = lists.map((codes) => ascending([...codes]));
        for (const [at, codes] of lists.entries()) {
          assert.deepEqual([...(made[at] ?? [])], inOrder([...new Set(codes)]));
        }
      }),
    );
  });

  it("keep the order of sorted input", () => {
    const ordered = Array.from({ length: 100 }, (_, at) => 3 * at);
    // The shared memory may become full once, before the second or the third list, so the lists use
    // at most two buffers.
    const lists = [0, 1, 2].map((by) => ascending(ordered.map((each) => each + by)));
    assert.deepEqual([...(lists[0] ?? [])], ordered);
    assert.ok(new Set(lists.map((each) => each.buffer)).size <= 2, "they lie side by side");
  });
});
