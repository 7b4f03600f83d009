/**
 * Proves, with the shipped program killed by SIGKILL at random moments: a backup and a restore
 * leave either nothing or a complete result. The next run succeeds and removes the leftovers.
 * SIGTERM leaves nothing. The messages, exit codes, and JSON of both are right.
 * Does not prove: power cuts (the order of fsync and rename is reviewed, not tested).
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { checkBackup } from "../../../src/store/backup/restore.ts";
import { closeDatabase, openDatabase } from "../../../src/store/database.ts";
import { makeState } from "../../support/formats/make.ts";
import { contentOf } from "../../support/formats/state-rows.ts";
import { beforeRestore } from "../../support/server/backup-look.ts";
import { productCommand } from "../../support/server/process.ts";

const FILES = 120;
const FILE_BYTES = 100_000;
const KILLS = 12;
/** Maximum number of kills, more than needed because commands take longer on a busy machine. */
const KILLS_MAX = 5 * KILLS;

let folder: string;
let dataDir: string;

/** Creates a state with so many files that copying them takes longer than starting the program. */
before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-backup-crash-"));
  dataDir = join(folder, "state");
  makeState(dataDir);
  const database = openDatabase(dataDir);
  const insert = database.prepare(
    `INSERT INTO exports (id, tenant_id, plan, spec, format, slug, snapshot, snapshot_date,
       snapshot_id, snapshot_path, state, row_count, size_bytes, sha256, created_at, expires_at)
     VALUES (?, 'ten_1', 'free', '{}', 'csv', 's', 'l', 'd', 'i', 'p', 'done', 1, ?, ?, 1, 9e15)`,
  );
  for (let n = 0; n < FILES; n++) {
    const bytes = Buffer.alloc(FILE_BYTES, n);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const id = `exp_${sha256.slice(0, 32)}`;
    writeFileSync(join(dataDir, "exports", `${id}.csv`), bytes, { mode: 0o600 });
    insert.run(id, FILE_BYTES, sha256);
  }
  closeDatabase(database);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const peneira = (...words: string[]) => promisify(execFile)(...productCommand(words));

/** Runs a command and kills it after `ms` milliseconds. Returns true if it ended before that. */
async function endedAfter(ms: number, signal: NodeJS.Signals, words: string[]): Promise<boolean> {
  const child: ChildProcess = spawn(...productCommand(words), { stdio: "ignore" });
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await Promise.race([sleep(ms), code]);
  child.kill(signal);
  return (await code) === 0;
}

function contentAt(path: string): ReturnType<typeof contentOf> {
  const database = openDatabase(path);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}

const hidden = (path: string) => readdirSync(path).filter((name) => name.startsWith("."));

describe("the backup and restore commands", () => {
  it("report their result as text and as one JSON document", async () => {
    const place = join(folder, "said");
    const made = await peneira("backup", place, "--data-dir", dataDir);
    assert.equal(made.stdout, "");
    assert.match(made.stderr, /said is the state of 20\d\d-.*: 123 files, 12,\d{3},\d{3} bytes/);
    const checked = await peneira("restore", place, "--check", "--json");
    const document = JSON.parse(checked.stdout);
    assert.deepEqual([document.files, document.data_dir], [FILES + 3, null]);
    const restored = await peneira("restore", place, "--data-dir", join(folder, "said-again"));
    assert.match(restored.stderr, /Restored .*said to .*said-again: the state of /);
    const [file = ""] = readdirSync(join(place, "exports"));
    writeFileSync(join(place, "exports", file), "");
    await assert.rejects(peneira("restore", place, "--check"), (error: { code: number }) => {
      assert.equal(error.code, 1);
      assert.match(String(error), new RegExp(`${file} has 0 bytes and should have`));
      return true;
    });
    await assert.rejects(peneira("backup", join(folder, "x")), { code: 2 });
  });
});

describe("a kill at any moment", () => {
  it("leaves a complete backup or none", async () => {
    const parent = join(folder, "killed");
    let began = Date.now();
    await peneira("backup", join(parent, "first"), "--data-dir", dataDir);
    const wholeMs = Date.now() - began;
    const seen = { whole: 0, nothing: 0, left: 0 };
    for (let n = 0; n < KILLS || (seen.left === 0 && n < KILLS_MAX); n++) {
      const place = join(parent, `n${n}`);
      const ms = wholeMs * (0.25 + (0.85 * n) / KILLS);
      await endedAfter(ms, "SIGKILL", ["backup", place, "--data-dir", dataDir]);
      seen.left += hidden(parent).length > 0 ? 1 : 0;
      if (!existsSync(place)) seen.nothing++;
      else {
        seen.whole++;
        assert.equal((await checkBackup(place)).files.length, FILES + 3);
      }
    }
    began = Date.now();
    await peneira("backup", join(parent, "last"), "--data-dir", dataDir);
    await checkBackup(join(parent, "last"));
    assert.deepEqual(hidden(parent), []);
    assert.ok(!existsSync(join(dataDir, "backup-links")));
    assert.ok(seen.nothing > 2 && seen.left > 0, JSON.stringify(seen));
  });

  it("leaves a complete data directory or none", async () => {
    const source = join(folder, "killed", "last");
    const parent = join(folder, "restored");
    const began = Date.now();
    await peneira("restore", source, "--data-dir", join(parent, "first"));
    const wholeMs = Date.now() - began;
    const wanted = contentAt(dataDir);
    const seen = { whole: 0, nothing: 0, left: 0 };
    for (let n = 0; n < KILLS || (seen.left === 0 && n < KILLS_MAX); n++) {
      const place = join(parent, `n${n}`);
      const ms = wholeMs * (0.25 + (0.85 * n) / KILLS);
      await endedAfter(ms, "SIGKILL", ["restore", source, "--data-dir", place]);
      seen.left += hidden(parent).length > 0 ? 1 : 0;
      if (!existsSync(place)) seen.nothing++;
      else {
        seen.whole++;
        assert.equal(readdirSync(join(place, "exports")).length, FILES + 1);
        assert.deepEqual(beforeRestore(contentAt(place)), wanted);
      }
    }
    const last = join(parent, "last");
    await peneira("restore", source, "--data-dir", last);
    assert.deepEqual(hidden(parent), []);
    assert.deepEqual(
      readFileSync(join(last, "secrets.json")),
      readFileSync(join(dataDir, "secrets.json")),
    );
    assert.ok(seen.nothing > 2 && seen.left > 0, JSON.stringify(seen));
  });

  it("leaves nothing if the signal is SIGTERM", async () => {
    const parent = join(folder, "stopped");
    const began = Date.now();
    await peneira("backup", join(parent, "first"), "--data-dir", dataDir);
    const ms = (Date.now() - began) * 0.6;
    const ended = await endedAfter(ms, "SIGTERM", [
      ...["backup", join(parent, "second"), "--data-dir", dataDir],
    ]);
    assert.deepEqual(hidden(parent), []);
    assert.ok(ended || !existsSync(join(parent, "second")));
  });
});
