/**
 * Proves that steps in turns let others have theirs, wait for promises, hand failures on and end
 * when they are told to; that a gradual value is made once, by whoever goes on with it, and is
 * begun anew after a failure. Steps of requests: contract/search/ahead.test.ts.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Gradual, GradualByKey, inSteps, type Steps } from "../../../src/scheduling/steps.ts";
import { inTurns } from "../../../src/scheduling/turns.ts";

const never = () => false;

describe("steps in turns", () => {
  it("let others have a turn between any two, and wait", async () => {
    const log: string[] = [];
    function* work(): Steps<void> {
      log.push("one");
      yield;
      log.push("two");
      yield setImmediate().then(() => void log.push("waited"));
      log.push("three");
    }
    const done = inTurns(work(), never);
    log.push("other");
    await done;
    assert.deepEqual(log, ["one", "other", "two", "waited", "three"]);
  });

  it("are told of failures, hand theirs on, and end when they are told to", async () => {
    function* failing(): Steps<void> {
      yield Promise.reject(new Error("waited for"));
    }
    await assert.rejects(inTurns(failing(), never), /waited for/);
    let steps = 0;
    function* endless(): Steps<void> {
      for (;;) {
        steps++;
        yield;
      }
    }
    await inTurns(endless(), () => steps >= 3);
    assert.equal(steps, 3);
  });
});

describe("a gradual value", () => {
  function* summed(log: number[]): Steps<number> {
    yield* inSteps([1, 2, 3, 4, 5], 2, (one) => log.push(one));
    return log.length;
  }

  it("is made once, by whoever goes on with it", () => {
    const log: number[] = [];
    const value = new Gradual(() => summed(log));
    const some = value.steps();
    some.next();
    assert.deepEqual(log, [1, 2]);
    const others = value.steps();
    others.next();
    assert.deepEqual(log, [1, 2, 3, 4]);
    assert.equal(value.now(), 5);
    assert.deepEqual([some.next(), others.next()], Array(2).fill({ done: true, value: 5 }));
    assert.deepEqual(log, [1, 2, 3, 4, 5]);
  });

  it("is begun anew after a failure", () => {
    let tries = 0;
    const value = new Gradual(function* (): Steps<string> {
      yield;
      if (++tries === 1) throw new Error("once");
      return "made";
    });
    assert.throws(() => value.now(), /once/);
    assert.equal(value.now(), "made");
  });

  it("is one for each key", () => {
    const made: object[] = [];
    const values = new GradualByKey<object, number>(function* (key): Steps<number> {
      yield;
      return made.push(key);
    });
    const [one, other] = [{}, {}];
    assert.deepEqual(
      [one, other, one].map((key) => values.of(key).now()),
      [1, 2, 1],
    );
  });
});
