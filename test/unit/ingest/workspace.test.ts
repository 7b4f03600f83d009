/**
 * Proves: disk space and permissions are checked before an import writes. Every disk error is a
 * sentence with the path and the required space. The next import removes files that dead processes
 * left next to its output, and no others.
 * Does not prove: the same for a whole import (contract/cli/import.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CommandError } from "../../../src/errors.ts";
import { checkRoom, diskRefusal, Workspace } from "../../../src/ingest/workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-workspace-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const NEED = { work: 4e9, snapshot: 8e9, memory: 2 ** 40 };

function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("disk space", () => {
  const needs = [
    { folder, bytes: 8e9, what: "the snapshot" },
    { folder, bytes: 4e9, what: "temporary files" },
  ];

  it("is required for the sum of all demands on one disk", () => {
    checkRoom("x", needs, () => 12e9);
    assert.throws(
      () => checkRoom("x", needs, () => 11.9e9),
      (error: Error) => {
        assert.ok(error instanceof CommandError);
        assert.equal(
          error.message,
          `x was not written: the disk of ${folder} is too small: the import needs about 12.0 GB ` +
            "there (the snapshot 8.0 GB, temporary files 4.0 GB), and 11.9 GB are free.",
        );
        return true;
      },
    );
  });

  it("is reported with path and need if it runs out, as are permissions and quotas", () => {
    const out = join(folder, "x.peneira");
    const messageOf = (code: string, path?: string): string => {
      const error = Object.assign(new Error(`${code}: no`), { code, ...(path ? { path } : {}) });
      const refusal = diskRefusal(error, out, needs, () => 5e6);
      assert.ok(refusal instanceof CommandError, code);
      return refusal.message;
    };
    const work = join(folder, "x.peneira.1.work", "rows-1");
    for (const text of [messageOf("ENOSPC"), messageOf("ENOSPC", work)]) {
      assert.match(
        text,
        /x\.peneira was not written: the disk of .* is full \(ENOSPC\); the import/,
      );
      assert.match(text, /needs about 12\.0 GB there .*, and 5\.0 MB are free\.$/);
    }
    assert.match(
      messageOf("EDQUOT"),
      /the quota of this user on the disk of .* is used up \(EDQUOT\)/,
    );
    assert.match(messageOf("EROFS", out), /is on a disk that may only be read \(EROFS\)\.$/);
    assert.match(messageOf("EACCES", out), /this user may not write to .* \(EACCES\)\.$/);
  });

  it("is not called sufficient if it was underestimated", () => {
    const error = Object.assign(new Error("ENOSPC: no"), { code: "ENOSPC" });
    const messageOf = (free: number) =>
      (diskRefusal(error, join(folder, "x"), needs, () => free) as Error).message;
    assert.match(
      messageOf(11.9e9),
      /needs about 12\.0 GB there \(the snapshot .* 11\.9 GB are free\.$/,
    );
    assert.match(
      messageOf(12.4e9),
      /; the import needs more than the 12\.4 GB that are free there\.$/,
    );
  });

  it("leaves errors alone that no output path of the import caused", () => {
    const out = join(folder, "x.peneira");
    const read = Object.assign(new Error("EACCES"), { code: "EACCES", path: "/elsewhere/a.zip" });
    assert.equal(diskRefusal(read, out, needs), read);
    const bug = new TypeError("x is not a function");
    assert.equal(diskRefusal(bug, out, needs), bug);
  });
});

describe("a workspace", () => {
  it("is rejected without space before it is created, and leaves nothing", () => {
    const out = join(folder, "full.peneira");
    assert.throws(() => new Workspace(out, NEED, () => 1e9), /needs about 12\.0 GB there/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("is rejected in an unwritable folder, with the path", () => {
    // No user can create a file in /proc.
    assert.throws(
      () => new Workspace("/proc/x.peneira", { ...NEED, work: 0, snapshot: 0 }, () => 1e12),
      (error: NodeJS.ErrnoException) => /\/proc/.test(error.message),
    );
  });

  it("removes leftovers of dead processes for this output and for adjacent snapshots", () => {
    const pid = deadPid();
    const left = [
      `2026-10.peneira.${pid}.work`,
      `out.${pid}.work`,
      `2026-10.peneira.${pid}.partial`,
      `2026-10.peneira.${pid}.partial.scratch`,
    ];
    const retained = [
      `2026-10.peneira.${process.ppid}.work`,
      `mine.${pid}.work`,
      `2026-10.peneira.0.work`,
      "2026-10.peneira",
      "2026-10.peneira.work",
    ];
    for (const name of [...left, ...retained]) {
      if (!name.endsWith(".work")) writeFileSync(join(folder, name), "x");
      else {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, "rows-1"), "x");
      }
    }
    const workspace = new Workspace(join(folder, "out"), NEED, () => 1e12);
    assert.deepEqual(readdirSync(folder).sort(), [...retained, `out.${process.pid}.work`].sort());
    workspace.close();
    assert.deepEqual(readdirSync(folder).sort(), retained.sort());
  });
});
