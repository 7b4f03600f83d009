/**
 * Proves: `peneira update` brings a folder of snapshots up to date and changes nothing else. The
 * test starts with an empty folder, and then adds a newer month, which a running server starts to
 * serve. Without a newer month, nothing is done. A run after a kill -9 in any step has the same
 * result. Damaged zips, and months that are still being published, change nothing. The options
 * --keep and --keep-dump never remove a file that a server uses. --check reports the actions of an
 * update, with the documented exit codes.
 * Does not prove the download (download*.test.ts) and the import (import*.test.ts) themselves.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import type { UpdateReport } from "../../../src/cli/commands/update.ts";
import type { CheckReport } from "../../../src/cli/update/check.ts";
import { type Dumps, LABEL, makeDumps } from "../../support/download/dumps.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";
import {
  productCommand,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const BEFORE = "2026-09";

let dumps: Dumps;
let share: WebdavShare;
before(async () => {
  dumps = await makeDumps(800);
  share = await new WebdavShare({ rate: 3_000_000 }).start();
  await share.addFolder(BEFORE, dumps.older);
});
after(async () => {
  await share.stop();
  await dumps.dispose();
});

interface Ended {
  readonly code: number | null;
  readonly words: string;
  readonly report: UpdateReport | null;
}

/** Runs the check, which must print one document on standard output for any exit code. */
async function check(dir: string, ...args: string[]): Promise<CheckReport & { code: number }> {
  const { code, words, report } = await start(dir, "--check", ...args)[1];
  assert.ok(report !== null && code !== null, words);
  return { ...(report as unknown as CheckReport), code };
}

function start(dir: string, ...args: string[]): [ChildProcess, Promise<Ended>] {
  const threads = args.includes("--check") ? [] : ["--threads", "1"];
  const flags = ["--dir", dir, ...threads, "--json", ...args];
  const [file, parameters] = productCommand(["update", ...flags]);
  const child = spawn(file, parameters, {
    env: { ...process.env, PENEIRA_DOWNLOAD_URL: share.url, PENEIRA_DOWNLOAD_STALL_SECONDS: "2" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let words = "";
  child.stdout?.on("data", (chunk) => (out += chunk));
  child.stderr?.on("data", (chunk) => (words += chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      resolve({ code, words, report: out === "" ? null : (JSON.parse(out) as UpdateReport) });
    });
  });
  return [child, ended];
}

async function update(dir: string, ...args: string[]): Promise<UpdateReport> {
  const { code, words, report } = await start(dir, ...args)[1];
  assert.equal(code, 0, words);
  assert.ok(report !== null);
  return report;
}

/** Visible entries of a folder, and leftovers in the working folders. */
function contents(dir: string): string[] {
  const hidden = [".download", ".update"].flatMap((name) => {
    const folder = join(dir, name);
    return existsSync(folder) ? readdirSync(folder).map((inner) => `${name}/${inner}`) : [];
  });
  return [...readdirSync(dir).filter((name) => !name.startsWith(".")), ...hidden]
    .filter((name) => !name.endsWith(".lock"))
    .sort();
}

/** Returns the number of months that a server reports to be behind. */
async function behind(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return Number(/^peneira_snapshot_months_behind (\S+)$/m.exec(text)?.[1]);
}

describe("an update", () => {
  it("leads from nothing to a server that loads every newer month", async () => {
    const dir = join(dumps.root, "served");
    const first = await update(dir);
    assert.deepEqual([first.updated, first.month], [true, BEFORE]);
    assert.deepEqual(contents(dir), [`${BEFORE}.peneira`]);
    const server = await startServerProcess({ snapshot: dir, dataDir: join(dumps.root, "state") });
    const headers = { authorization: `Bearer ${server.key}` };
    const status = async (): Promise<string> => {
      const answer = await fetch(`${server.base}/v1/status`, { headers });
      return ((await answer.json()) as { snapshot: string }).snapshot;
    };
    assert.equal(await status(), BEFORE);

    const requests = share.served.length;
    const nothing = await update(dir);
    assert.deepEqual([nothing.updated, nothing.month, nothing.downloaded], [false, BEFORE, null]);
    assert.equal(share.served.length - requests, 1, "one look at the list of months is enough");

    await share.addFolder(LABEL, dumps.first);
    assert.deepEqual(await behind(server.base), 0);
    const looked = await check(dir);
    assert.deepEqual([looked.code, looked.published, looked.takes], [0, LABEL, LABEL]);
    assert.deepEqual([looked.here?.month, looked.last_update?.month], [BEFORE, null]);
    assert.deepEqual(contents(dir), [`${BEFORE}.peneira`]);
    assert.deepEqual(await behind(server.base), 1);
    const second = await update(dir);
    assert.deepEqual([second.updated, second.month, second.removed], [true, LABEL, []]);
    assert.equal(second.changes?.since.snapshot, BEFORE);
    const { entered, left } = second.changes?.totals ?? { entered: 0, left: 0 };
    assert.equal(entered - left, (second.accounts ?? 0) - (first.accounts ?? 0));
    assert.deepEqual(contents(dir), [`${BEFORE}.peneira`, `${LABEL}.peneira`]);
    for (let tries = 0; tries < 100 && (await status()) !== LABEL; tries++) await sleep(100);
    assert.equal(await status(), LABEL);
    assert.deepEqual(await behind(server.base), 0);
    const answer = await fetch(`${server.base}/v1/accounts/search`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } } }),
    });
    assert.equal(answer.status, 200);
    await stopServerProcess(server);

    const snapshot = join(dir, `${BEFORE}.peneira`);
    const reader = await startServerProcess({ snapshot, dataDir: join(dumps.root, "reader") });
    const { removed, kept: stays } = await update(dir, "--keep", "1");
    assert.deepEqual([removed, stays.map((one) => one.snapshot)], [[], [snapshot]]);
    await stopServerProcess(reader);
    const retained = await update(dir, "--keep", "1");
    assert.deepEqual(retained.removed, [join(dir, `${BEFORE}.peneira`)]);
    assert.deepEqual(contents(dir), [`${LABEL}.peneira`]);
  });

  it("has the same result after a kill in any step", {
    timeout: 60_000,
  }, async () => {
    const dir = join(dumps.root, "killed");
    const from = share.sent();
    const importing = () => {
      const desk = join(dir, ".update");
      return existsSync(desk) && readdirSync(desk).length > 0;
    };
    for (const moment of [
      () => share.sent() - from > 60_000,
      () => existsSync(join(dir, ".download", LABEL)),
      importing,
    ]) {
      const [child, ended] = start(dir);
      while (!moment() && child.exitCode === null) await sleep(2);
      child.kill("SIGKILL");
      assert.equal((await ended).code, null, "it was killed before it was done");
      assert.ok(!existsSync(join(dir, `${LABEL}.peneira`)));
    }
    await update(dir);
    assert.deepEqual(contents(dir), [`${LABEL}.peneira`]);
    const { meta } = await openSnapshot(join(dir, `${LABEL}.peneira`));
    assert.equal(meta.label, LABEL);
    const size = share.size(LABEL) + 4 * 27 * 4_096 + 2 * 256 * 1_024;
    assert.ok(share.sent() - from <= size, "what was there was not fetched again");
  });

  it("rejects wrong flags and a concurrent update, and leaves foreign files alone", async () => {
    const dir = join(dumps.root, "flags");
    const wrong = await start(dir, "--keep", "0", "--population", "nowhere.csv")[1];
    assert.equal(wrong.code, 2);
    assert.match(wrong.words, /--keep must be a whole number[\s\S]*nowhere\.csv/);
    const useless = await start(dir, "--check", "--keep", "2", "--keep-dump")[1];
    assert.equal(useless.code, 2);
    assert.match(useless.words, /--keep-dump does nothing with --check\n.*--keep does nothing/);
    assert.ok(!existsSync(dir));
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "notes.txt"), "mine");
    const [child, ended] = start(dir, "--work", join(dumps.root, "work"), "--keep-dump");
    while (!existsSync(join(dir, ".update.lock"))) await sleep(5);
    await sleep(50);
    const second = await start(dir)[1];
    assert.equal(second.code, 1);
    assert.match(second.words, /Another update works in/);
    const { code, words } = await ended;
    assert.equal(code, 0, words);
    assert.equal(child.exitCode, 0);
    assert.match(words, /notes\.txt is not a valid snapshot and is skipped/);
    assert.deepEqual(contents(dir), [`${LABEL}.peneira`, "notes.txt"]);
    assert.ok(existsSync(join(dumps.root, "work", LABEL, "Simples.zip")));
  });

  it("accepts nothing damaged, and takes a month during publication the next time", async () => {
    // The folder in which an earlier test put the previous month.
    const dir = join(dumps.root, "killed");
    const good = await readFile(join(dumps.later, "Empresas0.zip"));
    const bad = Buffer.from(good);
    // Damages a byte of the file's content. The directory of the zip stays unchanged.
    bad.writeUInt8(bad.readUInt8(200) ^ 0x55, 200);
    await share.addFolder("2026-11", dumps.later);
    share.put("2026-11", "Empresas0.zip", bad);
    const failed = await start(dir)[1];
    assert.equal(failed.code, 1);
    assert.match(failed.words, /comparing the checksums of all zips/);
    assert.match(failed.words, /came damaged 3 times: Empresas0\.zip/);
    assert.ok(!contents(dir).includes("2026-11.peneira"));
    const after = await check(dir);
    assert.deepEqual([after.code, after.takes], [0, "2026-11"], "its directories are right");
    assert.match(after.last_update?.problem ?? "", /came damaged 3 times: Empresas0\.zip/);
    share.months.get("2026-11")?.delete("Empresas0.zip");
    const skipped = await update(dir);
    assert.equal(skipped.updated, false);
    assert.match(skipped.skipped[0]?.why ?? "", /2026-11 is not complete/);
    share.put("2026-11", "Empresas0.zip", good);
    assert.equal((await update(dir)).month, "2026-11");
    assert.deepEqual(contents(dir), [`${LABEL}.peneira`, "2026-11.peneira"]);
  });

  it("exits with 1 and the reason if a check cannot reach the share", async () => {
    share.plan = () => ({ kind: "status", status: 403 });
    const { code, problem, published, here } = await check(join(dumps.root, "killed"));
    share.plan = () => null;
    assert.deepEqual([code, published, here?.month], [1, null, "2026-11"]);
    assert.match(problem ?? "", /403/);
  });
});
