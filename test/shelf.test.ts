/**
 * Proves which segment a shelf gives and when it closes one, against an obvious list, in any order
 * of puts, looks and passing time; and that warming changes no answer. Not proved here: the
 * watching of files.
 */
import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../src/clock.ts";
import type { Segment } from "../src/search/segment.ts";
import { RETIRED_MAX, Shelf } from "../src/search/shelf.ts";

const KEEP_MS = 1_000;

interface Fake {
  readonly snapshotId: string;
  readonly label: string;
  closed: number;
}

function fake(id: number): Fake & Segment {
  const one = {
    snapshotId: String(id),
    label: `label ${id}`,
    closed: 0,
    close: () => one.closed++,
  };
  return one as unknown as Fake & Segment;
}

const steps = fc.array(
  fc.oneof(
    fc.constant({ kind: "put" as const }),
    fc.record({ kind: fc.constant("find" as const), id: fc.nat(12) }),
    fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 400, 999, 1_000) }),
    fc.constant({ kind: "sweep" as const }),
  ),
  { maxLength: 40 },
);

test("a shelf gives what an obvious list would, and closes each segment once", () => {
  fc.assert(
    fc.property(steps, (walk) => {
      const clock = manualClock();
      const shelf = new Shelf(clock, KEEP_MS);
      const all: Fake[] = [];
      let open: { one: Fake; usedMs: number }[] = [];
      for (const step of walk) {
        const nowMs = clock.monotonicMs();
        if (step.kind === "put") {
          const one = fake(all.length);
          all.push(one);
          shelf.put(one);
          const last = open.at(-1);
          if (last !== undefined) last.usedMs = nowMs;
          open = [...open, { one, usedMs: nowMs }].slice(-RETIRED_MAX - 1);
        } else if (step.kind === "find") {
          const id = String(step.id);
          const expected = open.slice(0, -1).find(({ one }) => one.snapshotId === id);
          if (expected !== undefined) expected.usedMs = nowMs;
          assert.equal(
            shelf.retired((snapshotId) => snapshotId === id),
            expected?.one ?? null,
          );
        } else if (step.kind === "pass") {
          clock.advance(step.ms);
        } else {
          const kept = open.filter(({ usedMs }, i) => {
            return i === open.length - 1 || nowMs - usedMs < KEEP_MS;
          });
          const gone = open.filter((one) => !kept.includes(one));
          open = kept;
          assert.deepEqual(
            shelf.sweep(),
            gone.map(({ one }) => one.label),
          );
        }
        assert.equal(shelf.current(), open.at(-1)?.one ?? null);
        assert.equal(shelf.size, open.length);
        const openOnes = open.map(({ one }) => one);
        for (const one of all) assert.equal(one.closed, openOnes.includes(one) ? 0 : 1);
      }
      shelf.close();
      assert.equal(shelf.current(), null);
      for (const one of all) assert.equal(one.closed, 1);
    }),
  );
});
