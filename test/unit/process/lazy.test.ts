/**
 * Proves that a lazy value is created once, on first use, and again after a failure. Values with
 * keys are cached for each key. A value that is ready is passed on in the same turn of the event
 * loop, and other values later.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whenReady } from "../../../src/http/server/body.ts";
import { lazy, lazyByKey } from "../../../src/scheduling/lazy.ts";

describe("a lazy value", () => {
  it("is created once, on first use", () => {
    let made = 0;
    const value = lazy(() => ++made);
    assert.equal(made, 0);
    assert.deepEqual([value(), value(), made], [1, 1, 1]);
  });

  it("is created once if it is undefined", () => {
    let made = 0;
    const value = lazy(() => void made++);
    assert.deepEqual([value(), value(), made], [undefined, undefined, 1]);
  });

  it("is created again after a failure", () => {
    let tries = 0;
    const value = lazy(() => {
      if (++tries === 1) throw new Error("once");
      return "made";
    });
    assert.throws(value, /once/);
    assert.deepEqual([value(), value(), tries], ["made", "made", 2]);
  });

  it("is cached per key", () => {
    const made: object[] = [];
    const numberOf = lazyByKey((key: object) => made.push(key));
    const [one, other] = [{}, {}];
    assert.deepEqual([one, other, one].map(numberOf), [1, 2, 1]);
  });
});

describe("a value that may arrive later", () => {
  it("is passed on in the same turn if it is ready", () => {
    assert.equal(
      whenReady(1, (one) => one + 1),
      2,
    );
  });

  it("is passed on on arrival, as are failures", async () => {
    assert.equal(await whenReady(Promise.resolve(1), (one) => one + 1), 2);
    const failing = whenReady(Promise.reject(new Error("no")), () => assert.fail());
    await assert.rejects(failing as Promise<never>, /no/);
  });
});
