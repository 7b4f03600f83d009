/**
 * Proves: a render may use a second processor once no search has run for a second. It may not do so
 * immediately after the start, during searches, or if there is only one processor.
 * Does not prove that a render uses it (contract/export/render).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { searchCounter, spareProcessor } from "../../../src/export/queue/rendertask.ts";
import { Telemetry } from "../../../src/http/server/telemetry.ts";
import { openLog } from "../../../src/process/log.ts";

describe("a spare processor", () => {
  it("is available after a second without searches", () => {
    const searches = searchCounter();
    let nowMs = 5_000;
    const isSpare = spareProcessor(searches, () => nowMs, 2);
    const at = (ms: number) => {
      nowMs = ms;
      return isSpare();
    };
    assert.deepEqual([at(5_000), at(5_999), at(6_000)], [false, false, true]);
    Atomics.add(searches, 0, 1);
    assert.deepEqual([at(6_100), at(7_099), at(7_100)], [false, false, true]);
  });

  it("is withdrawn by answers of the engine, and by cached ones", () => {
    const searches = searchCounter();
    const telemetry = new Telemetry(openLog("silent"), searches);
    telemetry.engine("count", 1);
    telemetry.remembered();
    telemetry.close();
    assert.equal(Atomics.load(searches, 0), 2);
  });

  it("is never the only processor", () => {
    let nowMs = 0;
    const isSpare = spareProcessor(searchCounter(), () => nowMs, 1);
    nowMs = 10_000;
    assert.equal(isSpare(), false);
  });
});
