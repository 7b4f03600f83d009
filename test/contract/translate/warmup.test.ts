/**
 * Proves that warming up prepares the translator. No later sentence has to index a name, no result
 * changes, and work that reads the whole registry runs on another thread. Does not prove how long
 * each part takes, which the benchmark `start` measures.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { NativeSegment } from "../../../native-index/napi/engine.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { PlaceNames } from "../../../src/translate/places/placenames.ts";
import { translate } from "../../../src/translate/translate.ts";
import { warmPart, warmTranslation } from "../../../src/translate/warmup.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

describe("making the translator ready", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(500, 5);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  /** Counts calls of the named methods. Returns functions to read the count and to stop. */
  function counted(owner: object, names: readonly string[]) {
    const methods = owner as Record<string, (...given: unknown[]) => unknown>;
    let calls = 0;
    const before = names.map((name) => [name, methods[name] as () => unknown] as const);
    for (const [name, method] of before) {
      methods[name] = function (this: unknown, ...given: unknown[]) {
        calls++;
        return method.apply(this, given as []);
      };
    }
    const stop = () => {
      for (const [name, method] of before) methods[name] = method;
    };
    return { calls: () => calls, stop };
  }

  it("leaves nothing to be built by a sentence, and waits for growing parts", async () => {
    const native: NativeSegment = segment.native;
    const places = counted(PlaceNames.prototype, ["put"]);
    const whole = counted(native, ["facets", "count", "select"]);
    const aside = counted(native, ["facetsAsync"]);
    let parts = 0;
    while (await warmPart(segment, parts++));
    assert.deepEqual([aside.calls(), whole.calls()], [1, 0]);
    const made = places.calls();
    assert.ok(parts > 5 && made > 5_000, `${parts} parts, ${made} names`);
    translate("padariaz em Olinda/PE e em Xurupita", segment);
    for (const spy of [places, whole, aside]) spy.stop();
    assert.equal(places.calls(), made);
  });

  it("changes no result", async () => {
    const other = await openSegment(sample.snapshot);
    try {
      const { spec } = translate("padarias em Recife/PE", other);
      assert.deepEqual(spec, translate("padarias em Recife/PE", segment).spec);
      await warmTranslation(other);
      assert.deepEqual(spec, translate("padarias em Recife/PE", other).spec);
    } finally {
      other.close();
    }
  });
});
