/**
 * Proves that a second start of a demo waits for the first, however slow its answer, and reports
 * its address. It takes over if the first one ends before it answers. If another program holds the
 * state, it does not wait indefinitely. Does not prove: the commands around it
 * (e2e/deploy/npm-start.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { claimDemo, noteRunning } from "../../../src/cli/serving/demo.ts";
import { lockDataDir } from "../../../src/store/database.ts";

/**
 * Number of polls before the event. A program that holds the state but is not a demo would get far
 * fewer.
 */
const LATE = 1_000;

describe("claiming a demo's state", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-claim-"));
  after(() => rmSync(folder, { recursive: true }));
  let states = 0;
  const place = () => {
    const dir = mkdtempSync(join(folder, `${states++}-`));
    return { dir, dataDir: join(dir, "state") };
  };

  /** Returns a pause that takes no time. It calls `happens` at the pause with number `at`. */
  function pauses(at: number, happens: () => void) {
    const counted = { pauses: 0, pause: async () => {} };
    counted.pause = async () => {
      if (++counted.pauses === at) happens();
    };
    return counted;
  }

  it("waits for a first start that is slow to answer, and reports where it runs", async () => {
    const { dir, dataDir } = place();
    const unlock = await claimDemo(dir, dataDir);
    const slow = pauses(LATE, () => noteRunning(dir, "http://127.0.0.1:1"));
    const output = /^The demo already runs at http:\/\/127\.0\.0\.1:1 \(process \d+\)/;
    await assert.rejects(claimDemo(dir, dataDir, slow.pause), { message: output });
    assert.equal(slow.pauses, LATE);
    unlock();
  });

  it("takes over if the first start ends before it answers", async () => {
    const { dir, dataDir } = place();
    const gone = pauses(LATE, await claimDemo(dir, dataDir));
    const unlock = await claimDemo(dir, dataDir, gone.pause);
    assert.equal(gone.pauses, LATE);
    assert.throws(() => lockDataDir(dataDir), /Another server works on/);
    unlock();
  });

  it("gives up if no start holds the state", async () => {
    const { dir, dataDir } = place();
    const unlock = lockDataDir(dataDir);
    const never = pauses(0, () => {});
    const output = /^Another server works on \S+state\. Stop it, or name another directory\.$/;
    await assert.rejects(claimDemo(dir, dataDir, never.pause), { message: output });
    assert.ok(never.pauses > 0 && never.pauses < LATE);
    unlock();
  });
});
