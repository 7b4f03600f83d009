/**
 * Proves: `peneira import` reports all wrong options in one error, including an unwritable report
 * file. If the disk is too small, full, or read-only, the import leaves no files and ends with a
 * sentence that names the path and the space needed. A failed import writes a report too. If the
 * report cannot be written at the end, a warning is printed, and the snapshot is kept.
 * Does not prove: the content of the snapshot (unit/ingest/).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readImportFlags, runImport } from "../../../src/cli/commands/import.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import { ROOT } from "../../support/house/checkout.ts";

const space = new MiniWorkspace();
after(() => space.dispose());
const dump = join(space.folder, "dump-2026-10");
before(() =>
  writeSample({ folder: dump, establishments: 1000, seed: 2, label: "2026-10", threads: 0 }),
);

/** Imports in a separate process with its own mount namespace, onto a small disk. */
function onDisk(options: string) {
  const disk = space.path("disk");
  mkdirSync(disk, { recursive: true });
  const program = `
    const { runImport } = await import(process.argv[1]);
    await runImport(process.argv[2], { out: process.argv[3], threads: "1" })
      .catch((error) => { console.log(error.name + ": " + error.message); });
  `;
  const module = join(ROOT, "src/cli/commands/import.ts");
  const mount = `mount -t tmpfs -o ${options} none "$0" && "$@"; ls -A "$0"`;
  const node = [process.execPath, "--import", import.meta.resolve("tsx"), "--input-type=module"];
  const command = [...node, "-e", program, module, dump, join(disk, "x.peneira")];
  return spawnSync("unshare", ["-rm", "sh", "-c", mount, disk, ...command], { encoding: "utf8" });
}

const skip = spawnSync("unshare", ["-rm", "true"]).status === 0 ? false : "no name spaces here";

describe("peneira import", () => {
  it("names every wrong flag in one error", () => {
    const flags = { out: "x", skipBadRows: "-1", threads: "0", label: "2026" };
    assert.throws(() => readImportFlags(dump, flags), {
      exitCode: 2,
      message: /--threads.*\n--skip-bad-rows must be a whole number from 0 to 1,000,000.*\n--label/,
    });
  });

  it("rejects a month and a day of another century", () => {
    for (const date of ["1926-11-21", "3026-11-21", "0026-11-21"]) {
      const flags = { out: "x", label: date.slice(0, 7), date };
      assert.throws(() => readImportFlags(dump, flags), /--label.* 2000 to 2099.*\n--date.* 2000/);
    }
    assert.equal(readImportFlags(dump, { out: "x", date: "2099-12-31" }).date, "2099-12-31");
  });

  it("ends with a readable error if the disk fills during the import", { skip }, (test) => {
    const { stdout, stderr } = onDisk("size=3800k");
    if (stdout === "" && /mount/.test(stderr)) return test.skip("no file systems of our own");
    assert.match(
      stdout,
      /^CommandError: .*x\.peneira was not written: the disk of .* is full \(ENOSPC\); the import /,
    );
    assert.match(
      stdout,
      /needs more than the 3\.\d MB that are free there\.\n$/,
      "and nothing is left",
    );
  });

  it("ends before the first row if the disk is too small for any snapshot", { skip }, (test) => {
    const { stdout, stderr } = onDisk("size=1m");
    if (stdout === "" && /mount/.test(stderr)) return test.skip("no file systems of our own");
    assert.match(stdout, /is too small: the import needs about 3\.\d MB there.* are free\.\n$/);
    assert.doesNotMatch(stderr, /scan/);
  });

  it("ends before the first row if the disk is read-only", { skip }, (test) => {
    const { stdout, stderr } = onDisk("ro");
    if (stdout === "" && /mount/.test(stderr)) return test.skip("no file systems of our own");
    assert.match(stdout, /disk is on a disk that may only be read \(EROFS\)\.\n$/);
    assert.doesNotMatch(stderr, /scan/);
  });

  it("rejects an unwritable report path before the first row, and leaves no report", () => {
    for (const [report, words] of [
      [join(space.folder, "nowhere", "report.json"), /--report cannot be written: .*ENOENT/],
      [space.folder, /--report must be a file, but .* is a folder/],
    ] as const) {
      const flags = { out: space.path("x.peneira"), report };
      assert.throws(() => readImportFlags(dump, flags), { exitCode: 2, message: words });
    }
    const stored = space.path("report.json");
    writeFileSync(stored, "mine");
    readImportFlags(dump, { out: space.path("x.peneira"), report: stored });
    readImportFlags(dump, { out: space.path("x.peneira"), report: space.path("other.json") });
    assert.equal(readFileSync(stored, "utf8"), "mine");
    assert.ok(!existsSync(space.path("other.json")));
  });

  it("writes the report of a failed import, with the reason", async (test) => {
    test.mock.method(process.stderr, "write", () => true);
    const source = space.write({});
    const [report, out] = [space.path("failed.json"), space.path("failed.peneira")];
    const message = await runImport(source, { out, report, threads: "1" }).then(
      () => assert.fail("an empty folder is no month"),
      (error: Error) => error.message,
    );
    test.mock.restoreAll();
    const reported = JSON.parse(readFileSync(report, "utf8"));
    assert.deepEqual(reported, { source, out, problem: message });
    assert.match(message, /holds no rows/);
  });

  it("keeps the snapshot if the report cannot be written at the end", async (test) => {
    const folder = space.path("reports");
    mkdirSync(folder);
    let output = "";
    test.mock.method(process.stderr, "write", (text: string) => {
      output += text;
      // The folder existed when the import began.
      rmSync(folder, { recursive: true, force: true });
      return true;
    });
    const report = join(folder, "report.json");
    const out = space.path("told.peneira");
    assert.equal((await runImport(dump, { out, report, threads: "1" })).accounts, 1000);
    test.mock.restoreAll();
    assert.match(
      output,
      /warning: .*report\.json was not written: .*ENOENT.* The snapshot .* is in pl/,
    );
    assert.ok(space.bytes("told.peneira").length > 0);
  });
});
