/**
 * Proves, with the program as users run it: kill -9 at random moments loses at most the bytes in
 * flight, and the final result is exact. A signal ends the program with the signal's exit code and
 * leaves parts that can be resumed. A second concurrent run is rejected, and a full disk is
 * reported with a message. All wrong flags are named, and the list is printed for people and for
 * programs.
 * Does not prove power cuts, nor the faults of a share (contract/download/download.test.ts).
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  assertNothing,
  assertWhole,
  type Dumps,
  LABEL,
  makeDumps,
} from "../../support/download/dumps.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";
import { productCommand } from "../../support/server/process.ts";

/** Bytes per stream that may be in system buffers when a process dies. */
const ON_THE_WAY = 256 * 1024;

let dumps: Dumps;
let share: WebdavShare;
before(async () => {
  dumps = await makeDumps(6_000);
  share = await new WebdavShare({ rate: 700_000 }).start();
  await share.addFolder(LABEL, dumps.first);
});
after(async () => {
  await share.stop();
  await dumps.dispose();
});

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly words: string;
}

/** Starts the program. `limit` is the maximum file size in blocks of 1,024 bytes. */
function start(
  args: readonly string[],
  { limit = "unlimited", stall = "2" } = {},
): [ChildProcess, Promise<Ended>] {
  const script = 'ulimit -f "$0" && exec "$@"';
  const [file, parameters] = productCommand(args);
  const child = spawn("bash", ["-c", script, limit, file, ...parameters], {
    env: {
      ...process.env,
      PENEIRA_DOWNLOAD_URL: share.url,
      PENEIRA_DOWNLOAD_STALL_SECONDS: stall,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let words = "";
  child.stdout?.on("data", (chunk) => (out += chunk));
  child.stderr?.on("data", (chunk) => (words += chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, out, words }));
  });
  return [child, ended];
}

async function run(...args: string[]): Promise<Ended> {
  return await start(args)[1];
}

describe("the download program", () => {
  it("resumes after kills at random moments", { timeout: 60_000 }, async () => {
    const to = join(dumps.root, "killed");
    const from = share.sent();
    let kills = 0;
    for (const afterBytes of [200_000, 450_000, 700_000]) {
      const [child, ended] = start(["download", LABEL, "--to", to]);
      while (share.sent() - from < afterBytes && child.exitCode === null) await sleep(5);
      child.kill("SIGKILL");
      if ((await ended).signal === "SIGKILL") kills++;
      assertNothing(to);
    }
    assert.equal(kills, 3);
    const { code, words } = await run("download", LABEL, "--to", to);
    assert.equal(code, 0, words);
    assert.match(words, /of them are here already/);
    await assertWhole(share, to);
    const size = share.size(LABEL);
    const tails = 4 * 27 * 4_096;
    const sent = share.sent() - from;
    assert.ok(sent <= size + tails + kills * 2 * ON_THE_WAY, `${sent} for ${size}`);
  });

  it("exits with the signal's code, is alone in its folder, and explains the resume", async () => {
    const to = join(dumps.root, "signal");
    let stalled = false;
    share.plan = ({ path, range }) => {
      if (!path.endsWith("Estabelecimentos0.zip") || range !== null) return null;
      stalled = true;
      return { kind: "stall", after: 20_000 };
    };
    const [child, ended] = start(["download", "--to", to], { stall: "200" });
    while (!stalled && child.exitCode === null) await sleep(5);
    const second = await run("download", "--to", to);
    assert.equal(second.code, 1);
    assert.match(second.words, /Another download works in /);
    child.kill("SIGINT");
    const { code, words } = await ended;
    share.plan = () => null;
    assert.equal(code, 130, words);
    assert.match(words, /SIGINT ended the download; run the command again to go on/);
    assertNothing(to);
    assert.ok(existsSync(join(to, `${LABEL}.part`)));
  });

  it("reports a full disk, and resumes once there is space", async () => {
    const to = join(dumps.root, "full");
    const { code, words } = await start(["download", "--to", to], { limit: "30" })[1];
    assert.equal(code, 1);
    assert.match(words, /cannot be written: EFBIG/);
    assertNothing(to);
    const done = await run("download", "--to", to, "--json");
    assert.equal(done.code, 0, done.words);
    const { month, already, bytes, fetched_bytes: fetched } = JSON.parse(done.out);
    assert.deepEqual([month, already], [LABEL, false]);
    assert.ok(fetched < bytes);
    await assertWhole(share, to);
  });

  it("names every wrong flag, and lists for people and programs", async () => {
    const wrong = await run("download", "2026-13");
    assert.equal(wrong.code, 2);
    assert.match(wrong.words, /written as YYYY-MM.*\n.*say --to DIR/);
    assert.equal((await run("download", "--list", "--streams", "99")).code, 2);
    const list = await run("download", "--list");
    assert.equal(list.code, 0, list.words);
    assert.match(list.out, /^2026-10 {2}27 zips +[\d.]+ [kM]B {2}2026-\d\d-\d\d\n$/);
    const { months } = JSON.parse((await run("download", "--list", "--all", "--json")).out);
    assert.deepEqual(
      months.map((one: Record<string, unknown>) => [one.month, one.complete, one.files]),
      [[LABEL, true, 37]],
    );
  });
});
