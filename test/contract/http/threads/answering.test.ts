/**
 * Proves how many threads accept requests. The default is the number of processors minus one, but
 * at least one. A setting overrides it. The transport `node` has one thread and rejects a setting
 * of more.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { threadsOf } from "../../../../src/cli/serving/ports.ts";
import { loadConfig } from "../../../../src/settings/config.ts";

function threads(environment: Readonly<Record<string, string>>, processors: number): number {
  return threadsOf(loadConfig({ environment }), processors);
}

describe("threads that answer", () => {
  it("default to one less than the processors, and at least one", () => {
    assert.deepEqual(
      [1, 2, 3, 8].map((processors) => threads({}, processors)),
      [1, 1, 2, 7],
    );
  });

  it("follow the setting", () => {
    assert.equal(threads({ PENEIRA_HTTP_THREADS: "5" }, 2), 5);
    assert.equal(threads({ PENEIRA_HTTP_THREADS: "1" }, 8), 1);
  });

  it("are limited to one with the transport node, which rejects more", () => {
    const node = { PENEIRA_TRANSPORT: "node" };
    assert.equal(threads(node, 8), 1);
    assert.equal(threads({ ...node, PENEIRA_HTTP_THREADS: "1" }, 8), 1);
    assert.throws(() => threads({ ...node, PENEIRA_HTTP_THREADS: "2" }, 8), {
      name: "CommandError",
      message: /http\.threads is 2.*transport node answers on one thread/,
    });
  });
});
