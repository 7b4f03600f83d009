/**
 * Proves that the parts that send large pages work. The slices of a page, rendered one at a time,
 * join to the whole page. A chunked body yields each chunk once and is released once. Background
 * tasks run in order and can be canceled. The registry of open snapshots closes none that is in
 * use. Does not prove: anything about sockets (contract/http/server/streams.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { later } from "../../../src/http/server/background-tasks.ts";
import { ChunkedBody } from "../../../src/http/server/transport/answer-body.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { accountSlices, EXPLAINED_SLICE_ROWS, SLICE_ROWS } from "../../../src/search/project.ts";
import { type Segment, SegmentRegistry } from "../../../src/search/segment.ts";

describe("slices of accounts", () => {
  const render = (rows: Uint32Array) =>
    Buffer.from(JSON.stringify([...rows].map((row) => ({ row, text: "[,]".repeat(row % 5) }))));

  it("join to the rendering of all rows, for any size, repeatedly", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(3 * SLICE_ROWS), fc.constantFrom(SLICE_ROWS, 256)), (count) => {
        const rows = Uint32Array.from({ length: count }, (_, i) => i * 3);
        const slices = accountSlices(rows, render, count % 2 ? EXPLAINED_SLICE_ROWS : SLICE_ROWS);
        for (let round = 0; round < 2; round++) {
          assert.deepEqual(Buffer.concat([...slices.texts()]), Buffer.from(slices.whole()));
        }
        assert.equal(slices.rowCount, count);
      }),
      { numRuns: 60 },
    );
  });

  it("are rendered lazily", () => {
    let rendered = 0;
    const rows = new Uint32Array(10 * SLICE_ROWS);
    const texts = accountSlices(rows, (slice) => {
      rendered += slice.length;
      return render(slice);
    }).texts();
    assert.equal(rendered, 0);
    texts.next();
    texts.next();
    assert.equal(rendered, 2 * SLICE_ROWS);
  });
});

describe("a body of chunks", () => {
  it("yields each chunk on request, then nothing, and is released once", async () => {
    const texts = ["ab", "cde"];
    let done = 0;
    const pieces = texts.map((text) => Buffer.from(text))[Symbol.iterator]();
    const body = new ChunkedBody({ pieces, done: () => done++, failed: () => assert.fail() });
    const got: string[] = [];
    while (body.left > 0) {
      const chunk = await new Promise<Uint8Array | null>((resolve) => body.next(resolve));
      got.push(Buffer.from(chunk as Uint8Array).toString());
    }
    assert.deepEqual(got, [...texts, ""]);
    body.end();
    body.end();
    assert.equal(done, 1);
  });

  it("renders nothing after its end", async () => {
    let made = 0;
    const pieces = { next: () => ({ value: Buffer.from([made++]), done: false }) };
    const body = new ChunkedBody({ pieces, done: () => {}, failed: () => {} });
    body.next(() => assert.fail("called after the end"));
    body.end();
    await sleep(10);
    assert.equal(made, 0);
  });
});

describe("a segment registry with readers", () => {
  const one = (_: unknown, id: number) => {
    const state = { closed: 0, label: `${id}`, snapshotId: `${id}`, close: () => state.closed++ };
    return state as typeof state & Segment;
  };

  it("closes a retired segment when its last reader releases it, and once", () => {
    const clock = manualClock();
    const registry = new SegmentRegistry(clock, 1_000);
    const first = one(null, 5);
    const segments = [first, ...Array.from({ length: 5 }, one)];
    registry.put(first);
    const [letGo, letGoLast] = [registry.retain(first), registry.retain(first)];
    for (const segment of segments.slice(1)) registry.put(segment);
    assert.equal(first.closed, 0, "closed under a reader");
    assert.equal(
      registry.retired((id) => id === "none"),
      null,
    );
    letGo();
    letGo();
    assert.equal(first.closed, 0, "one reader let go twice");
    letGoLast();
    assert.equal(first.closed, 1);
    registry.close();
    assert.deepEqual(
      segments.map(({ closed }) => closed),
      [1, 1, 1, 1, 1, 1],
    );
  });

  it("sweeps a segment that is read again only after its deadline restarts", () => {
    const clock = manualClock();
    const registry = new SegmentRegistry(clock, 1_000);
    const [old, current] = [one(null, 1), one(null, 2)];
    registry.put(old);
    registry.put(current);
    const release = registry.retain(old);
    clock.advance(5_000);
    assert.deepEqual(registry.sweep(), []);
    release();
    assert.deepEqual(registry.sweep(), []);
    clock.advance(1_000);
    assert.deepEqual(registry.sweep(), ["1"]);
    const last = registry.retain(current);
    registry.close();
    assert.equal(current.closed, 0);
    last();
    assert.deepEqual([old.closed, current.closed], [1, 1]);
  });
});

describe("background tasks", () => {
  it("run in order, each once, over many turns, unless canceled", async () => {
    const done: number[] = [];
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const busy = (n: number) => {
      const until = performance.now() + 0.3;
      while (performance.now() < until);
      done.push(n);
    };
    const takeBacks = Array.from({ length: 60 }, (_, n) => later(() => busy(n)));
    takeBacks[7]?.();
    takeBacks[59]?.();
    assert.equal(done.length, 0, "done at once");
    while (done.length < 58) await sleep(1);
    clearInterval(counting);
    assert.deepEqual(
      done,
      Array.from({ length: 59 }, (_, n) => n).filter((n) => n !== 7),
    );
    assert.ok(turns >= 5, `only ${turns} turns of the event loop in between`);
  });

  it("run added tasks after the ones already queued", async () => {
    const done: string[] = [];
    later(() => {
      done.push("a");
      later(() => done.push("c"));
    });
    later(() => done.push("b"));
    while (done.length < 3) await sleep(1);
    assert.deepEqual(done, ["a", "b", "c"]);
  });
});
