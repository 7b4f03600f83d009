/**
 * Proves: restoring a changed backup writes nothing, and one error names every wrong file. A file
 * may have one flipped bit, be truncated, missing, added, or replaced, or a byte of the manifest
 * may be changed. A restore needs an empty target and no running server. An interrupted restore
 * leaves nothing.
 * Does not prove: a backup's content (contract/store/backup.test.ts), kills
 * (campaign/kills/backup.test.ts).
 */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type Manifest,
  makeBackup,
  manifestText,
  parseManifest,
} from "../../../src/store/backup/backup.ts";
import { checkBackup, restoreBackup } from "../../../src/store/backup/restore.ts";
import { lockDataDir, SCHEMA_VERSION } from "../../../src/store/database.ts";
import { makeState } from "../../support/formats/make.ts";
import { beforeRestore, contentAt, filesIn, leftIn } from "../../support/server/backup-look.ts";

let folder: string;
let dataDir: string;
let target: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "peneira-restore-"));
  dataDir = join(folder, "state");
  target = join(folder, "backup");
  makeState(dataDir);
  await makeBackup({ dataDir, target, exports: true, madeBy: "test", nowMs: () => 0 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const again = () => join(folder, "again");
const state = () => join(dataDir, "state.db");

describe("a modified backup", () => {
  const refused = async (words: RegExp | readonly RegExp[]) => {
    const wanted = Array.isArray(words) ? words : [words];
    const error = await checkBackup(target).then(
      () => assert.fail("it was taken for whole"),
      (reason: Error) => reason,
    );
    for (const one of wanted) assert.match(error.message, one);
    await assert.rejects(restoreBackup({ source: target, dataDir: again() }));
    assert.ok(!existsSync(again()));
    assert.deepEqual(leftIn(folder), []);
  };

  it("is rejected with the file's name for one flipped bit in any file", async () => {
    const { files } = await checkBackup(target);
    for (const { path, bytes } of files) {
      for (const at of [0, bytes >> 1, bytes - 1]) {
        const place = join(target, path);
        const whole = readFileSync(place);
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        writeFileSync(place, flipped);
        await assert.rejects(checkBackup(target), new RegExp(`- ${path} has another content`));
        writeFileSync(place, whole);
      }
    }
    await checkBackup(target);
  });

  it("is rejected for any changed byte of its manifest", async () => {
    const path = join(target, "manifest.json");
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ 1;
      assert.throws(() => parseManifest(flipped.toString("latin1"), path), /manifest.json/);
    }
    for (const length of [0, 1, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      await refused(/manifest.json is damaged/);
    }
    unlinkSync(path);
    await refused(/is not a backup/);
  });

  it("is rejected with all problems in one error", async () => {
    const [file = ""] = readdirSync(join(target, "exports"));
    truncateSync(join(target, "exports", file), 3);
    unlinkSync(join(target, "secrets.json"));
    writeFileSync(join(target, "state.db-wal"), "");
    writeFileSync(join(target, "exports", "exp_more.csv"), "");
    mkdirSync(join(target, "exports", "folder"));
    symlinkSync("/etc/hostname", join(target, "link"));
    await refused([
      /exports\/exp_[0-9a-f]{32}\.csv has 3 bytes and should have \d+/,
      /secrets.json is missing/,
      /state.db-wal does not belong to it/,
      /exports\/exp_more.csv does not belong to it/,
      /exports\/folder is not a plain file/,
      /link is not a plain file/,
    ]);
  });

  it("cannot lead outside its folder, even with a matching manifest", async () => {
    const path = join(target, "manifest.json");
    const manifest = parseManifest(readFileSync(path, "utf8"), path);
    const state = manifest.files[0] as Manifest["files"][number];
    for (const wrong of ["../state.db", "/etc/passwd", "exports/../state.db", "exports/a.csv"]) {
      const files = [...manifest.files, { ...state, path: wrong }];
      writeFileSync(path, manifestText({ ...manifest, files }));
      await refused(/which no backup holds/);
    }
    writeFileSync(path, manifestText({ ...manifest, files: manifest.files.slice(1) }));
    await refused([/state.db does not belong to it/, /state.db is not in its manifest/]);
    writeFileSync(path, manifestText({ ...manifest, state_version: SCHEMA_VERSION - 1 }));
    await checkBackup(target);
    await assert.rejects(
      restoreBackup({ source: target, dataDir: again() }),
      /has schema \d+ and its manifest says/,
    );
    assert.ok(!existsSync(again()));
  });
});

describe("a restore", () => {
  it("writes only to an empty or new folder", async () => {
    const restore = (place: string) => restoreBackup({ source: target, dataDir: place });
    const unlock = lockDataDir(dataDir);
    await assert.rejects(restore(dataDir), /A server works on .*state/);
    unlock();
    const before = filesIn(dataDir);
    await assert.rejects(restore(dataDir), /state is not empty/);
    assert.deepEqual(filesIn(dataDir), before);
    await assert.rejects(restore(state()), /is not a folder|not a directory|Cannot look/);
    mkdirSync(again());
    await restore(again());
    await restore(join(folder, "new", "deep"));
    const restored = contentAt(join(folder, "new", "deep", "state.db"));
    assert.deepEqual(beforeRestore(restored), contentAt(state()));
    await assert.rejects(
      restoreBackup({ source: join(folder, "none"), dataDir: join(folder, "x") }),
      /There is no backup/,
    );
    await assert.rejects(
      restoreBackup({ source: dataDir, dataDir: join(folder, "x") }),
      /is not a backup: there is no manifest.json/,
    );
    assert.deepEqual(leftIn(folder), []);
  });

  it("leaves nothing if interrupted, and neither does a backup", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    controller.abort(new Error("enough"));
    await assert.rejects(restoreBackup({ source: target, dataDir: again(), signal }), /enough/);
    const parts = { dataDir, target: again(), exports: true, madeBy: "test", signal };
    await assert.rejects(makeBackup({ ...parts, nowMs: () => 0 }), /enough/);
    assert.ok(!existsSync(again()));
    assert.deepEqual(leftIn(folder), []);
  });
});
