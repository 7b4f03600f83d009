/**
 * Proves, for every state of share and folder: a check reports the months that both have, the
 * month that an update would import, and why not the others. A check decides as an update does, and
 * changes nothing. A month whose import failed is not announced again.
 * Does not prove: the same with real processes (e2e/cli/update.test.ts).
 */
import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it, type TestContext } from "node:test";
import { runUpdate, type UpdateReport } from "../../../src/cli/commands/update.ts";
import { type CheckParts, checkShare, spaceNeedsOfMonth } from "../../../src/cli/update/check.ts";
import {
  LAST_CHECK_FILE,
  readLastCheck,
  writeLastCheck,
} from "../../../src/cli/update/lastcheck.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { type Dumps, downloadOptions, LABEL, makeDumps } from "../../support/download/dumps.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

let pair: MonthPair;
let folder: string;
before(async () => {
  pair = await makePair({ seed: 5, accounts: 900 });
});
after(() => pair.dispose());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-check-"));
  mkdirSync(join(folder, ".update"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Adds one of the two months to the folder as an update does, and returns its path. */
function place(month: "older" | "newer", name: string): string {
  const path = join(folder, name);
  linkSync(pair[month].path, path);
  return path;
}

const quiet = (): void => undefined;
/** Returns the names of the files in the folder that a server uses. */
const visible = () => readdirSync(folder).filter((name) => !name.startsWith("."));

/** Runs `work`. Returns the texts that it wrote to standard output and standard error. */
async function messagesOf(test: TestContext, work: () => Promise<unknown>) {
  const texts = { messages: "", printed: "" };
  test.mock.method(process.stderr, "write", (text: string) => {
    texts.messages += text;
    return true;
  });
  test.mock.method(process.stdout, "write", (text: string | Uint8Array) => {
    // The test runner writes its own reports as bytes, which are ignored.
    if (typeof text === "string") texts.printed += text;
    return true;
  });
  await work().finally(() => test.mock.restoreAll());
  return texts;
}

describe("an update check", () => {
  let dumps: Dumps;
  let share: WebdavShare;
  before(async () => {
    dumps = await makeDumps(40);
  });
  after(() => dumps.dispose());
  beforeEach(async () => {
    share = await new WebdavShare().start();
  });
  afterEach(() => share.stop());

  function partsOf(over: Partial<CheckParts> = {}): CheckParts {
    return {
      use: downloadOptions(share.url, dumps.root),
      ...{ folder, dumps: join(folder, ".download"), monthsTried: 3 },
      needs: () => [],
      clock: manualClock(NOW),
      ...over,
    };
  }

  it("reports what would be imported into an empty folder, and creates nothing", async () => {
    await share.addFolder(LABEL, dumps.first);
    const nowhere = join(folder, "none");
    const report = await checkShare(partsOf({ folder: nowhere, dumps: join(nowhere, "zips") }));
    assert.deepEqual(report, {
      checked_at: "2026-11-20T12:00:00.000Z",
      shares: [new URL(share.url).host],
      here: null,
      published: LABEL,
      newer: true,
      takes: LABEL,
      not_taken: [],
      last_update: null,
      problem: null,
    });
    assert.ok(!existsSync(nowhere));
  });

  it("reports the present months, and requests one list if nothing is newer", async () => {
    const snapshot = place("newer", "2026-10.peneira");
    await share.addFolder(LABEL, dumps.first);
    const { here, newer, takes, published, not_taken } = await checkShare(partsOf());
    const { snapshotDate: snapshot_date, accounts } = pair.newer.segment;
    assert.deepEqual(here, { month: LABEL, snapshot_date, accounts, snapshot });
    assert.deepEqual([newer, takes, published, not_taken], [false, null, LABEL, []]);
    assert.equal(share.served.length, 1);
    assert.deepEqual(visible(), ["2026-10.peneira"]);
    const left = { asked_at: "2026-11-20T12:00:00.000Z", published: LABEL };
    assert.deepEqual(readLastCheck(folder), { ...left, last_update: null, refused: null });
  });

  it("reports why newer months are rejected, and which one is accepted", async () => {
    place("older", "2026-09.peneira");
    await share.addFolder(LABEL, dumps.first);
    await share.addFolder("2026-11", dumps.first);
    share.months.get("2026-11")?.delete("Simples.zip");
    await share.addFolder("2026-12", dumps.first);
    share.put("2026-12", "Empresas1.zip", readFileSync(join(dumps.older, "Empresas1.zip")));
    const report = await checkShare(partsOf());
    assert.deepEqual([report.published, report.takes], ["2026-12", LABEL]);
    assert.deepEqual(
      report.not_taken.map(({ month }) => month),
      ["2026-12", "2026-11"],
    );
    assert.match(report.not_taken[0]?.why ?? "", /releases are mixed/);
    assert.match(report.not_taken[1]?.why ?? "", /not complete.*Simples\.zip/);
  });

  it("rejects a month whose files belong to another, for any folder name", async () => {
    place("older", "2026-09.peneira");
    await share.addFolder(LABEL, dumps.older);
    const { published, newer, takes, not_taken } = await checkShare(partsOf());
    assert.deepEqual([published, newer, takes], [LABEL, true, null]);
    assert.deepEqual(
      not_taken.map(({ month }) => month),
      [LABEL],
    );
    const why = not_taken[0]?.why ?? "";
    assert.match(
      why,
      /^2026-10 at the share has nothing newer than what is here: its files say D6/,
    );
    assert.match(why, /D60912 \(2026-09-12\), and here is the data of 2026-09-12/);
    // Files named D60912 in the folder 2026-11 are two months old. They are rejected, regardless of
    // the local snapshots.
    await share.addFolder("2026-11", dumps.older);
    const other = (await checkShare(partsOf())).not_taken;
    assert.match(
      other[0]?.why ?? "",
      /2026-11 cannot be used[\s\S]*files are of another month: their names say D60912 \(2026-09/,
    );
    assert.deepEqual(other[1], not_taken[0]);
  });

  it("matches what an update does: reports it and fetches no zip", async (test) => {
    const here = place("older", "2026-09.peneira");
    await share.addFolder(LABEL, dumps.older);
    await share.addFolder("2026-11", dumps.older);
    const { messages, printed } = await messagesOf(test, () =>
      runUpdate({ dir: folder, url: [share.url], json: true }),
    );
    const report = JSON.parse(printed) as UpdateReport;
    assert.deepEqual([report.updated, report.snapshot, report.downloaded], [false, here, null]);
    const whys = report.skipped.map(({ month, why }) => `${month}: ${why}`);
    assert.match(whys[0] ?? "", /^2026-11: [\s\S]*its files are of another month/);
    assert.match(
      whys[1] ?? "",
      /^2026-10: 2026-10 at the share has nothing newer than what is her/,
    );
    assert.equal(whys.length, 2);
    for (const { why } of report.skipped) assert.ok(messages.includes(why));
    const whole = share.served.filter(({ method, range }) => method === "GET" && range === null);
    assert.deepEqual(whole, [], "only the tails of the zips are read");
    assert.ok(!existsSync(join(folder, ".download")), "an empty folder is nobody's");
    assert.deepEqual(visible(), ["2026-09.peneira"]);
  });

  it("remembers a month that an update could not import, until it is republished", async (test) => {
    place("older", "2026-09.peneira");
    await share.addFolder(LABEL, dumps.first);
    assert.equal((await checkShare(partsOf())).takes, LABEL);
    const flags = { dir: folder, url: [share.url], threads: "1" };
    let why = "";
    await messagesOf(test, () =>
      assert.rejects(runUpdate(flags), (error: Error) => {
        why = error.message;
        return error instanceof CommandError;
      }),
    );
    assert.match(why, /^No snapshot was made: .* before it \(.*2026-09\.peneira\) has .*--force/);
    const { takes, not_taken, last_update } = await checkShare(partsOf());
    assert.deepEqual([takes, not_taken], [null, [{ month: LABEL, why }]]);
    assert.equal(last_update?.problem, why);
    // The next update fails for another reason. The check still reports why the month could not be
    // imported.
    share.plan = () => ({ kind: "status", status: 403 });
    await messagesOf(test, () => assert.rejects(runUpdate(flags), /403/));
    share.plan = () => null;
    assert.equal((await checkShare(partsOf())).takes, null);
    const again = join(dumps.root, "again");
    await writeSample({ folder: again, establishments: 45, seed: 9, label: LABEL });
    await share.addFolder(LABEL, again);
    assert.equal((await checkShare(partsOf())).takes, LABEL);
    await share.addFolder(LABEL, dumps.first);
    await messagesOf(test, () => runUpdate({ ...flags, force: true }));
    assert.deepEqual(readLastCheck(folder).refused, null);
    assert.deepEqual(visible(), ["2026-09.peneira", "2026-10.peneira"]);
  });

  it("reports a disk without enough space", async () => {
    await share.addFolder(LABEL, dumps.first);
    const parts = partsOf({
      needs: (bytes) => [{ folder: join(folder, ".update"), bytes: bytes * 1e12, what: "x" }],
    });
    const { takes, not_taken } = await checkShare(parts);
    assert.equal(takes, null);
    assert.match(not_taken[0]?.why ?? "", /has .* free, which is not enough for/);
  });

  it("needs no space for zips already present, and checks the disk of folders to create", () => {
    const zips = join(folder, "new", "zips");
    const needs = () => [{ folder: join(folder, ".update"), bytes: 7, what: "the import" }];
    const requested = () => spaceNeedsOfMonth(LABEL, 100, { dumps: zips, needs });
    const imported = { folder: join(folder, ".update"), bytes: 7, what: "the import" };
    const fetched = { folder, bytes: 100, what: `the zips of ${LABEL}` };
    assert.deepEqual(requested(), [fetched, imported]);
    mkdirSync(join(zips, `${LABEL}.part`), { recursive: true });
    writeFileSync(join(zips, `${LABEL}.part`, "Cnaes.zip"), "x".repeat(30));
    assert.deepEqual(requested(), [{ ...fetched, folder: zips, bytes: 70 }, imported]);
  });

  it("reports an unreachable share, and keeps the time of the last answer", async () => {
    writeLastCheck(folder, { asked_at: "2026-11-01T00:00:00.000Z", published: "2026-09" }, quiet);
    share.plan = () => ({ kind: "drop" });
    const report = await checkShare(partsOf());
    assert.equal(report.published, null);
    assert.match(report.problem ?? "", /5 times in a row/);
    assert.equal(readLastCheck(folder).asked_at, "2026-11-01T00:00:00.000Z");
    share.plan = () => null;
    assert.match((await checkShare(partsOf())).problem ?? "", /no months/);
  });

  it("answers even if it cannot write its result", async () => {
    await share.addFolder(LABEL, dumps.first);
    mkdirSync(join(folder, LAST_CHECK_FILE));
    const parts = partsOf();
    const messages: string[] = [];
    const use = {
      ...parts.use,
      listener: { ...parts.use.listener, report: messages.push.bind(messages) },
    };
    assert.equal((await checkShare({ ...parts, use })).takes, LABEL);
    assert.match(messages.join("\n"), /could not be noted for a server's metrics/);
    assert.deepEqual(readdirSync(folder).sort(), [".update", LAST_CHECK_FILE]);
  });
});
