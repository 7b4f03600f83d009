/**
 * Proves that a signal to `npm start` ends the server, in order, though npm, a shell and the build
 * stand between. Does not prove how a server ends (e2e/server/drain.test.ts,
 * e2e/server/ending.test.ts).
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../support/checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-npm-start-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Whether a server answers. */
async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

it("npm start hands a signal on to the server", async () => {
  const wish = ["--dir", join(folder, "demo"), "--accounts", "1000", "--listen", "127.0.0.1:0"];
  const npm = spawn("npm", ["start", "--", ...wish], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const ended = new Promise((resolve) => npm.once("exit", resolve));
  try {
    let told = "";
    const url = await new Promise<string>((resolve, reject) => {
      npm.once("exit", () => reject(new Error(`npm start ended:\n${told}`)));
      npm.stderr.on("data", (chunk: Buffer) => {
        told += chunk.toString();
        const [, found] = /^Peneira is ready at (http:\S+)$/m.exec(told) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    assert.ok(await answers(url));
    npm.kill("SIGTERM");
    await ended;
    for (let round = 0; round < 100 && (await answers(url)); round++) await sleep(100);
    assert.equal(await answers(url), false, "the server goes on without npm");
  } finally {
    killAll(npm.pid);
  }
});

/** Ends whatever is left of a group of processes. */
function killAll(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing is left, as it should be.
  }
}
