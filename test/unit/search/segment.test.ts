/**
 * Proves, against a plain list, which segment a registry returns and when it closes one, for any
 * order of puts, checks, and passing time. Warming changes no answer. Does not prove: the watching
 * of files.
 */
import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../../../src/process/clock.ts";
import { RETIRED_MAX, type Segment, SegmentRegistry } from "../../../src/search/segment.ts";

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
    fc.record({ kind: fc.constant("put" as const), id: fc.nat(6) }),
    fc.record({ kind: fc.constant("find" as const), id: fc.nat(6) }),
    fc.constant({ kind: "drop" as const }),
    fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 400, 999, 1_000) }),
    fc.constant({ kind: "sweep" as const }),
  ),
  { maxLength: 40 },
);

test("behaves like a simple list and closes each segment once", () => {
  fc.assert(
    fc.property(steps, (walk) => {
      const clock = manualClock();
      const registry = new SegmentRegistry(clock, KEEP_MS);
      const all: Fake[] = [];
      let current: Fake | null = null;
      let retired: { one: Fake; usedMs: number }[] = [];
      for (const step of walk) {
        const nowMs = clock.monotonicMs();
        if (step.kind === "put") {
          const one = fake(step.id);
          all.push(one);
          registry.put(one);
          if (current !== null) retired.push({ one: current, usedMs: nowMs });
          retired = retired.filter((old) => old.one.snapshotId !== one.snapshotId);
          retired = retired.slice(-RETIRED_MAX);
          current = one;
        } else if (step.kind === "find") {
          const id = String(step.id);
          const expected = retired.find(({ one }) => one.snapshotId === id);
          if (expected !== undefined) expected.usedMs = nowMs;
          const found = registry.retired((snapshotId) => snapshotId === id);
          assert.equal(found, expected?.one ?? null);
        } else if (step.kind === "drop") {
          registry.drop();
          current = null;
        } else if (step.kind === "pass") {
          clock.advance(step.ms);
        } else {
          const gone = retired.filter(({ usedMs }) => nowMs - usedMs >= KEEP_MS);
          retired = retired.filter((one) => !gone.includes(one));
          assert.deepEqual(
            registry.sweep(),
            gone.map(({ one }) => one.label),
          );
        }
        assert.equal(registry.current(), current);
        const open: Fake[] = [
          ...retired.map(({ one }) => one),
          ...(current === null ? [] : [current]),
        ];
        assert.equal(registry.size, open.length);
        for (const one of all) assert.equal(one.closed, open.includes(one) ? 0 : 1);
      }
      registry.close();
      assert.equal(registry.current(), null);
      for (const one of all) assert.equal(one.closed, 1);
    }),
  );
});
