/**
 * Proves how change lists and months are stored: a list is built once for any number of clients,
 * survives a restart, and is rebuilt if it is damaged, truncated, or of another version. A
 * client that comes early gets the progress. An unwritable list or a missing snapshot gives a clear
 * 503, not a crash. Unused lists and the files of past months are closed. Months are listed
 * correctly while files appear in the folder or vanish, and if some are copies or invalid.
 * Does not prove: a list's content (campaign/twin/changes.test.ts).
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { changeListName } from "../../../../src/changes/list.ts";
import { evictOldLists } from "../../../../src/changes/listfolder.ts";
import { ChangeLists } from "../../../../src/changes/lists.ts";
import { Months } from "../../../../src/changes/months.ts";
import { AppError } from "../../../../src/errors.ts";
import { systemClock } from "../../../../src/process/clock.ts";
import { openLog } from "../../../../src/process/log.ts";
import { openSegment } from "../../../../src/search/segment.ts";
import { type MonthPair, makePair } from "../../../support/changes/pair.ts";
import { answered, refused, startChanges } from "../../../support/changes/server.ts";

const log = openLog("silent");
const PATIENT = { waitMs: 20_000, ended: () => false };

/** Opens change lists. Closing them does not close the segments. */
function listsIn(dataDir: string, lines: string[] = []): ChangeLists {
  const log = openLog("info", { write: (line) => lines.push(line) });
  const parts = { dataDir, keepMs: 50, clock: systemClock, log: log };
  const lists = new ChangeLists({ ...parts, retain: () => () => {} });
  lists.start();
  return lists;
}

function made(lines: readonly string[]): number {
  return lines.filter((line) => line.includes("change list made")).length;
}

async function refusal(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  return assert.fail("it was answered");
}

describe("change lists", () => {
  let pair: MonthPair;
  const folder = mkdtempSync(join(tmpdir(), "peneira-lists-"));
  let at = 0;
  const freshDir = () => {
    const dir = join(folder, `state-${++at}`);
    mkdirSync(dir, { mode: 0o700 });
    return dir;
  };
  const both = () => ({ older: pair.older.segment, newer: pair.newer.segment });

  before(async () => {
    pair = await makePair({ seed: 31, accounts: 400 });
  });
  after(() => {
    pair.dispose();
    rmSync(folder, { recursive: true });
  });

  it("are built once for all clients, and found again after a restart", async () => {
    const [dir, lines] = [freshDir(), [] as string[]];
    const lists = listsIn(dir, lines);
    const all = await Promise.all([1, 2, 3, 4].map(() => lists.open(both(), PATIENT)));
    assert.equal(new Set(all.map(({ list }) => list)).size, 1);
    assert.equal(made(lines), 1);
    for (const held of all) held.release();
    const path = lists.pathOf(pair.older.segment, pair.newer.segment);
    const bytes = readFileSync(path);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await lists.close();
    const again = listsIn(dir, lines);
    const held = await again.open(both(), PATIENT);
    assert.ok(held.list.entries > 0);
    held.release();
    held.release();
    assert.equal(made(lines), 1);
    assert.deepEqual(readFileSync(path), bytes);
    await sleep(80);
    again.sweep();
    assert.equal(again.size, 0);
    await again.close();
  });

  it("are rebuilt if damaged, truncated, half-written, or of another version", async () => {
    const [dir, lines] = [freshDir(), [] as string[]];
    const first = listsIn(dir, lines);
    (await first.open(both(), PATIENT)).release();
    const path = first.pathOf(pair.older.segment, pair.newer.segment);
    await first.close();
    const whole = readFileSync(path);
    const corruptions: readonly ((bytes: Buffer) => Buffer)[] = [
      (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length - 5 ? byte ^ 1 : byte))),
      (bytes) => Buffer.from(bytes.map((byte, i) => (i === 9 ? byte + 1 : byte))),
      (bytes) => bytes.subarray(0, bytes.length - 12),
      (bytes) => bytes.subarray(0, 40),
      () => Buffer.alloc(0),
    ];
    for (const [i, corrupt] of corruptions.entries()) {
      writeFileSync(path, corrupt(whole));
      writeFileSync(`${path}.0123456789abcdef.tmp`, "half");
      const lists = listsIn(dir, lines);
      assert.ok(!readdirSync(join(dir, "changes")).some((name) => name.endsWith(".tmp")));
      (await lists.open(both(), PATIENT)).release();
      await lists.close();
      assert.equal(made(lines), i + 2);
      assert.deepEqual(readFileSync(path), whole);
    }
  });

  it("report progress without a wait, and end the wait of a client that left", async () => {
    const lists = listsIn(freshDir());
    // Both requests are sent before the list can be complete.
    const [early, left] = await Promise.all([
      refusal(lists.open(both(), { waitMs: 0, ended: () => false })),
      refusal(lists.open(both(), { waitMs: 60_000, ended: () => true })),
    ]);
    assert.equal(early.code, "changes_preparing");
    assert.match(early.headers["Retry-After"] ?? "", /^\d+$/);
    const { progress } = early.members as { readonly progress: number };
    assert.ok(progress >= 0 && progress <= 1);
    assert.equal(left.code, "changes_preparing");
    (await lists.open(both(), PATIENT)).release();
    await lists.close();
  });

  it("are given up when the server stops", async () => {
    const lists = listsIn(freshDir());
    lists.prepare(both());
    const waiting = refusal(lists.open(both(), PATIENT));
    lists.stop();
    assert.equal((await waiting).code, "changes_preparing");
    await lists.close();
  });

  it("return 503 with the reason if unwritable, without an immediate retry", async () => {
    const [dir, lines] = [freshDir(), [] as string[]];
    const lists = listsIn(dir, lines);
    // A folder in place of the list's file prevents writing, even for root.
    mkdirSync(lists.pathOf(pair.older.segment, pair.newer.segment));
    const failed = await refusal(lists.open(both(), PATIENT));
    assert.deepEqual([failed.code, failed.status], ["overloaded", 503]);
    assert.match(failed.message, /could not be listed/);
    assert.equal(await refusal(lists.open(both(), PATIENT)), failed);
    assert.equal(lines.filter((line) => line.includes("was not made")).length, 1);
    assert.deepEqual(
      readdirSync(join(dir, "changes")).filter((name) => name.endsWith(".tmp")),
      [],
    );
    await lists.close();
  });

  it("return 503 with the reason if a snapshot was removed", async () => {
    const dir = freshDir();
    const gone = join(dir, "gone.peneira");
    copyFileSync(pair.older.path, gone);
    const older = await openSegment(gone);
    rmSync(gone);
    const lists = listsIn(dir);
    const failed = await refusal(lists.open({ older, newer: pair.newer.segment }, PATIENT));
    assert.equal(failed.code, "snapshot_unavailable");
    assert.match(failed.message, /gone or damaged/);
    await lists.close();
    older.close();
  });

  it("are removed if neither snapshot exists, and by least use beyond the limit", () => {
    const dir = freshDir();
    const id = (n: number) => n.toString(16).padStart(16, "0");
    const name = (n: number) => `${id(n)}-${id(n + 1)}.changes`;
    for (let n = 0; n < 40; n++) {
      writeFileSync(join(dir, name(n)), "x");
      utimesSync(join(dir, name(n)), 1_000 + n, 1_000 + n);
    }
    writeFileSync(join(dir, "mine.txt"), "x");
    const there = new Set([id(39), id(38)]);
    const removed = evictOldLists(dir, (one) => there.has(one), new Set([name(0)]));
    const retained = readdirSync(dir).sort();
    assert.deepEqual(retained, [name(0), name(37), name(38), name(39), "mine.txt"].sort());
    assert.equal(removed.length, 36);
    for (let n = 0; n < 40; n++) writeFileSync(join(dir, name(n)), "x");
    assert.equal(evictOldLists(dir, () => true, new Set()).length, 16);
  });

  it("are reported as problems over HTTP while in progress and if they fail", async () => {
    const lists = listsIn(freshDir());
    const months = join(folder, "served");
    mkdirSync(months);
    for (const label of ["2026-09", "2026-10"]) {
      copyFileSync(join(pair.folder, label), join(months, label));
    }
    const current = await openSegment(join(months, "2026-10"));
    const impatient = {
      close: () => lists.close(),
      open: (requested: Parameters<ChangeLists["open"]>[0], { ended }: typeof PATIENT) =>
        lists.open(requested, { waitMs: 0, ended }),
    } as unknown as ChangeLists;
    const body = { transport: "node", folder: months, current } as const;
    const early = await startChanges({ ...body, parts: { changeLists: impatient } });
    const question = { since: "2026-09", spec: {} };
    const response = await early.post(question);
    assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
    const preparing = await refused(response, 503);
    assert.equal(preparing.code, "changes_preparing");
    assert.equal(typeof preparing.progress, "number");
    await early.close();
    const late = await startChanges(body);
    await answered(await late.post(question));
    await late.close();
    current.close();
  });
});

describe("months", () => {
  const pairs: MonthPair[] = [];
  const folder = mkdtempSync(join(tmpdir(), "peneira-months-"));

  before(async () => {
    pairs.push(
      await makePair({ seed: 1, accounts: 50 }),
      await makePair({ seed: 2, accounts: 60 }),
    );
  });
  after(() => {
    for (const pair of pairs) pair.dispose();
    rmSync(folder, { recursive: true });
  });

  const SERVED = { label: "2026-11", snapshotDate: "2026-11-12" };
  const place = (name: string) => join(folder, name);
  const fresh = (keepMs = 60_000) => new Months({ folder, keepMs, clock: systemClock, log });

  it("are the older valid files of the folder, ignoring other files", async () => {
    const [one, other] = pairs as [MonthPair, MonthPair];
    const months = fresh();
    const labels = async () => {
      await months.look();
      return months.before(SERVED).map(({ label }) => label);
    };
    assert.deepEqual(await labels(), []);
    copyFileSync(one.older.path, place("a.peneira"));
    copyFileSync(one.newer.path, place("b.peneira"));
    writeFileSync(place("readme.txt"), "no snapshot");
    writeFileSync(place("c.peneira.tmp"), readFileSync(one.older.path));
    mkdirSync(place("d.peneira"));
    assert.deepEqual(await labels(), ["2026-10", "2026-09"]);
    assert.deepEqual(
      months.before({ label: "2026-10", snapshotDate: "2026-10-12" }).map(({ label }) => label),
      ["2026-09"],
    );
    // Adds a second file with the same label and date. The server must choose the same one of the
    // two files each time.
    copyFileSync(other.older.path, place("0.peneira"));
    await labels();
    const chosen = months.before(SERVED).find(({ label }) => label === "2026-09");
    const again = fresh();
    await again.look();
    assert.deepEqual(
      again.before(SERVED).find(({ label }) => label === "2026-09"),
      chosen,
    );
    rmSync(place("0.peneira"));
    // A file that is truncated while it is open is no longer listed as a month. Once it is
    // complete, it is listed again.
    truncateSync(place("a.peneira"), 1_000);
    assert.deepEqual(await labels(), ["2026-10"]);
    copyFileSync(one.older.path, place("whole"));
    renameSync(place("whole"), place("a.peneira"));
    assert.deepEqual(await labels(), ["2026-10", "2026-09"]);
    renameSync(folder, `${folder}-away`);
    assert.deepEqual(await labels(), ["2026-10", "2026-09"], "a share that is gone for a while");
    renameSync(`${folder}-away`, folder);
  });

  it("are opened once, cached during use and for a while after, and closed once", async () => {
    const months = fresh(0);
    await months.look();
    const [, month] = months.before(SERVED);
    assert.ok(month !== undefined);
    const [one, same] = await Promise.all([months.open(month), months.open(month)]);
    assert.equal(one, same);
    const release = months.retain(one);
    rmSync(month.path);
    await months.look();
    assert.deepEqual(months.sweep(), []);
    assert.equal(
      months.opened((id) => id === month.snapshotId),
      one,
    );
    release();
    release();
    assert.deepEqual(months.sweep(), ["2026-09"]);
    assert.equal(months.size, 0);
    const error = await refusal(months.open(month));
    assert.equal(error.code, "snapshot_unavailable");
    copyFileSync((pairs[1] as MonthPair).older.path, month.path);
    assert.equal((await refusal(months.open(month))).code, "snapshot_unavailable", "another file");
    await months.look();
    const [, replaced] = months.before(SERVED);
    assert.notEqual(replaced?.snapshotId, month.snapshotId);
    const open = await months.open(replaced ?? assert.fail("no month"));
    const held = months.retain(open);
    months.close();
    assert.equal(open.native.poisoned(), false, "who reads it may go on");
    held();
  });

  it("require a readable folder", async () => {
    const none = new Months({ folder: null, keepMs: 0, clock: systemClock, log });
    await none.look();
    assert.deepEqual([none.inFolder, none.all()], [false, []]);
    chmodSync(folder, 0o700);
    assert.match(
      changeListName(pairs[0]?.older.segment as never, pairs[0]?.newer.segment as never),
      /^[0-9a-f]{64}-[0-9a-f]{64}\.changes$/,
    );
  });
});
