/**
 * Proves that the translator is made ready in small steps: no step adds more names, reads more
 * texts or asks the snapshot more often than a bound says, whatever is made first; what reads all
 * of a registry waits aside; what a sentence needs before is made by it, once. Does not prove how
 * long a step takes: the bench `start` shows that.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { NativeSegment } from "../../../native-index/napi/engine.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { PlaceNames } from "../../../src/translate/places/placenames.ts";
import { SpellIndex } from "../../../src/translate/spelling/spelling.ts";
import { translate } from "../../../src/translate/translate.ts";
import { warmTranslation, warmTranslationSteps } from "../../../src/translate/warmup.ts";
import { Phrases } from "../../../src/translate/words/phrases.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** Names that one step may add: some of them have a second form. */
const NAMES_MAX = 2 * 64;

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

  /** Counts calls of methods from now on; gives the way to read and to stop. */
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

  it("does a bounded number of things a step, and waits aside for what grows", async () => {
    const native: NativeSegment = segment.native;
    const names = counted(Phrases.prototype, ["add"]);
    const places = counted(PlaceNames.prototype, ["put"]);
    const whole = counted(native, ["facets", "count", "select"]);
    const aside = counted(native, ["facetsAside"]);
    const most = { names: 0, places: 0 };
    let steps = 0;
    for (const work = warmTranslationSteps(segment); ; steps++) {
      const from = { names: names.calls(), places: places.calls() };
      const { done, value } = work.next();
      most.names = Math.max(most.names, names.calls() - from.names);
      most.places = Math.max(most.places, places.calls() - from.places);
      if (done === true) break;
      await value;
    }
    for (const spy of [names, places, whole, aside]) spy.stop();
    assert.ok(names.calls() > 1_000 && places.calls() > 5_000, "all is made here");
    assert.ok(most.names <= NAMES_MAX && most.places <= NAMES_MAX, JSON.stringify(most));
    assert.ok(steps > (names.calls() + places.calls()) / NAMES_MAX, `${steps} steps`);
    assert.deepEqual([aside.calls(), whole.calls()], [1, 0]);
  });

  it("makes nothing twice, and a sentence makes what is missing at once", async () => {
    const other = await openSegment(sample.snapshot);
    try {
      const half = warmTranslationSteps(other);
      for (let step = 0; step < 40; step++) await half.next().value;
      const places = counted(PlaceNames.prototype, ["put"]);
      const words = counted(SpellIndex, ["steps"]);
      const { spec } = translate("padarias em Recife/PE", other);
      assert.equal(words.calls(), 0, "no word of it is unknown");
      translate("padariaz em Recife/PE", other);
      assert.equal(words.calls(), 1);
      await warmTranslation(other);
      const made = places.calls();
      translate("padarias em Olinda/PE", other);
      for (const spy of [places, words]) spy.stop();
      assert.equal(places.calls(), made);
      assert.equal(words.calls(), 2, "of the names of cities");
      assert.deepEqual(spec, translate("padarias em Recife/PE", segment).spec);
    } finally {
      other.close();
    }
  });

  it("ends when it is told to", async () => {
    const other = await openSegment(sample.snapshot);
    const places = counted(PlaceNames.prototype, ["put"]);
    let turns = 0;
    await warmTranslation(other, () => ++turns > 5);
    places.stop();
    other.close();
    assert.ok(places.calls() < 5 * NAMES_MAX, `${places.calls()}`);
  });
});
