/**
 * Proves the numbers that `peneira find` reports besides the accounts. If all matches are printed,
 * it reports how many there are; otherwise, that there are more than shown.
 * Does not prove which accounts match (unit/native-index/find.test.ts, contract/search).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

describe("peneira find", () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  });
  after(() => sample.dispose());

  function find(limit: number, text: string) {
    const options = ["--snapshot", sample.snapshot, "--limit", String(limit), "--format", "jsonl"];
    const { stdout, stderr } = spawnSync(...productCommand(["find", ...options, text]), {
      encoding: "utf8",
    });
    return { found: stdout.split("\n").filter((line) => line !== ""), stderr };
  }

  it("reports that the printed list is truncated", () => {
    const all = find(20, "oficina");
    const count = all.found.length;
    assert.ok(count > 2 && count < 20, `${count} accounts fit`);
    assert.equal(all.stderr, `${count} accounts fit in snapshot 2026-10\n`);
    const one = find(1, "oficina");
    assert.deepEqual(one.found, all.found.slice(0, 1));
    assert.equal(one.stderr, "the first 1 of the accounts that fit in snapshot 2026-10\n");
    assert.deepEqual(find(count, "oficina"), all);
    // Full-width letters, as East Asian keyboards type them.
    assert.deepEqual(find(20, "\uff2ffi\uff43ina"), all);
    const most = find(20, "ltda");
    assert.equal(most.found.length, 20);
    assert.equal(most.stderr, "the first 20 of the accounts that fit in snapshot 2026-10\n");
    assert.equal(find(1, "11.222.333/0001-81").stderr, "0 accounts fit in snapshot 2026-10\n");
  });
});
