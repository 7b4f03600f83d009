/**
 * Proves: if the demo is started twice, the second start waits until the first one serves, however
 * slow that is, and reports its address. The second start takes over if the first one ends before
 * it serves. If a program other than the demo locks the data directory, the second start gives up.
 * Does not prove: the commands around it (e2e/deploy/npm-start.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { claimDemo, noteRunning } from "../../../src/cli/serving/demo.ts";
import { lockDataDir } from "../../../src/store/database.ts";

/**
 * Number of polls after which the first start serves or ends. If another program locks the data
 * directory, the second start gives up after far fewer polls.
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

  /** Returns a pause that takes no time. The pause with number `at` calls `happens`. */
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
