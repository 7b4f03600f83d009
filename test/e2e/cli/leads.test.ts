/**
 * Proves: commands do not search or export if the translator understood too little of a sentence.
 * They exit with 1, show the understood part of the spec, and write nothing. `peneira translate`
 * reports the problem on standard error and still prints the translation. A clear sentence causes
 * no such message.
 * Does not prove the meaning of sentences (unit/translate/*.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

const UNCLEAR = "qwrtzplk mnbvcxz";
const CLEAR = "padarias em São Paulo";

describe("a sentence on the command line", () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(500, 3);
  });
  after(() => sample.dispose());

  function peneira(...args: readonly string[]) {
    const command = productCommand([...args, "--snapshot", sample.snapshot]);
    return spawnSync(...command, { cwd: ROOT, encoding: "utf8" });
  }

  it("is not searched or exported if it is hardly understood", () => {
    const out = join(sample.folder, "unclear.csv");
    for (const args of [["search"], ["export", "--out", out]]) {
      const { status, stdout, stderr } = peneira(...args, "--text", UNCLEAR);
      assert.equal(status, 1, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, /not understood well enough \(confidence 0/);
      assert.match(stderr, /"filters": \{/);
      assert.match(stderr, new RegExp(UNCLEAR));
      assert.ok(!existsSync(out));
    }
  });

  it("is translated with a warning, and without one if it is clear", () => {
    const unclear = peneira("translate", "--json", UNCLEAR);
    assert.equal(unclear.status, 0, unclear.stderr);
    assert.match(unclear.stderr, /^warning: too little was understood/m);
    assert.ok(JSON.parse(unclear.stdout).spec.explain.confidence < 0.5);
    const clear = peneira("translate", CLEAR);
    assert.equal(clear.status, 0, clear.stderr);
    assert.doesNotMatch(clear.stderr, /too little/);
    assert.match(clear.stdout, /activity +padarias/);
  });

  it("is searched if it is clear", () => {
    const { status, stderr } = peneira("search", "--text", CLEAR);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /accounts match/);
  });
});
