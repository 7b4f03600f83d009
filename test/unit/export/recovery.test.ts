/**
 * Proves: the exports recover from every partial state that a crash can leave, even if the recovery
 * is interrupted or repeated. The test creates these states by hand. A pin keeps a snapshot's file
 * exactly as long as an export needs it, even if the file is renamed or removed.
 * Does not prove that a commit survives a power cut, nor that no other states can occur (crash
 * harness; campaign/twin/export.test.ts).
 */
import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ExportStore } from "../../../src/store/exportstore.ts";
import { Installation, isError, settle } from "../../support/export/fake-threads.ts";
import { refuseWrites } from "../../support/server/refused-writes.ts";

let here: Installation;

beforeEach(() => {
  here = new Installation(4);
});

afterEach(() => here.dispose());

const pin = () => join(here.dataDir, "pins", `${here.segment.snapshotId}.peneira`);

/** Creates an export and finishes it with these bytes. */
async function done(key: string, bytes = "cnpj\r\n") {
  const { record } = here.create("a", key);
  await settle();
  await here.endFirst(bytes);
  return here.record("a", record.id);
}

describe("recovery", () => {
  const change = (sql: string, id: string) =>
    here.database.prepare(`UPDATE exports SET ${sql} WHERE id = ?`).run(id);
  const put = (name: string, bytes = "left") =>
    writeFileSync(join(here.dataDir, "exports", name), bytes);
  const row = (id: string) =>
    here.database.prepare("SELECT state, attempts FROM exports WHERE id = ?").get(id);
  /** Reopens the state as after a crash, without rendering, so that tests can inspect it. */
  const restart = () => {
    here.reopen();
    here.exports.start(here.segment);
    here.exports.stop();
  };

  it("requeues running exports, counts no attempt, and removes their partial files", () => {
    const { id } = here.create("a", "k").record;
    change("state = 'running', attempts = 2, token = 7", id);
    put(`${id}.csv.0123456789abcdef.tmp`);
    put(`${id}.csv`);
    restart();
    assert.deepEqual(row(id), { state: "queued", attempts: 1 });
    assert.deepEqual(here.names("exports"), []);
  });

  it("gives up an export that eight servers have ended with", () => {
    const { id } = here.create("a", "k").record;
    change("state = 'running', attempts = 2, token = 9", id);
    restart();
    const { state, failure } = here.record("a", id);
    assert.deepEqual([state, failure], ["failed", "too_many_attempts"]);
    assert.deepEqual(here.names("pins"), [`served-${here.segment.snapshotId}.peneira`]);
  });

  it("leaves a done export and its file unchanged", async () => {
    here.exports.start(here.segment);
    const before = await done("k");
    restart();
    assert.deepEqual(here.record("a", before.id), before);
    assert.equal(readFileSync(here.exports.filePath(before), "utf8"), "cnpj\r\n");
  });

  it("renders a done export again if its file is lost, and does not prolong it", async () => {
    here.exports.start(here.segment);
    const missing = await done("k");
    const cut = await done("l", "0123456789");
    unlinkSync(here.exports.filePath(missing));
    writeFileSync(here.exports.filePath(cut), "01234");
    restart();
    for (const { id } of [missing, cut]) {
      assert.deepEqual(row(id), { state: "queued", attempts: 0 });
      const { state, rowCount, sizeBytes, sha256, expiresAtMs } = here.record("a", id);
      assert.deepEqual(
        [state, rowCount, sizeBytes, sha256, expiresAtMs],
        ["queued", null, null, null, null],
      );
    }
    assert.deepEqual(here.names("exports"), []);
    here.clock.advance(3_600_000);
    here.reopen();
    here.exports.start(here.segment);
    await settle();
    assert.equal(here.threads.held.length, 2);
    await here.endFirst();
    const again = here.record("a", missing.id);
    assert.deepEqual([again.state, again.expiresAtMs], ["done", missing.expiresAtMs]);
  });

  it("renders a done export again if a download finds no file, or another one", async () => {
    here.exports.start(here.segment);
    const [missing, cut] = [await done("k"), await done("l", "0123456789")];
    unlinkSync(here.exports.filePath(missing));
    writeFileSync(here.exports.filePath(cut), "01234");
    const wanted = { method: "GET", offset: 0, length: 1, type: "", disposition: "" } as const;
    for (const { id, sizeBytes, sha256, format, compression } of [missing, cut]) {
      const kind = { id, format, compression };
      const file = { ...kind, sizeBytes: sizeBytes as number, sha256: sha256 as string };
      const opened = here.exports.openFile(file, { ...wanted, seconds: 1 });
      await assert.rejects(opened, { code: "ENOENT" });
      assert.notEqual(here.record("a", id).state, "done");
    }
    await settle();
    assert.equal(here.threads.held.length, 2);
    await here.endFirst();
    assert.equal(here.record("a", missing.id).state, "done");
    assert.equal(here.record("a", missing.id).expiresAtMs, missing.expiresAtMs);
  });

  it("completes an interrupted expiry or deletion", async () => {
    here.exports.start(here.segment);
    const [due, marked, deleted] = [await done("k"), await done("l"), await done("m")];
    change("expired_at = 5", marked.id);
    here.database.prepare("DELETE FROM exports WHERE id = ?").run(deleted.id);
    assert.equal(here.names("exports").length, 3);
    restart();
    assert.deepEqual(here.names("exports"), [`${due.id}.csv`]);
    assert.throws(() => here.create("a", "m"), isError("idempotency_key_reused"));
    here.clock.advance(604_800_000);
    restart();
    assert.deepEqual(here.names("exports"), []);
    assert.equal(here.record("a", due.id).expired, true);
  });

  it("removes files of failed exports and of unknown ones, and no other files", () => {
    const { id } = here.create("a", "k").record;
    change("state = 'failed', failure = 'disk_full'", id);
    put(`${id}.csv`);
    put(`exp_${"a".repeat(32)}.html`);
    put("README");
    put("exp_short.csv");
    restart();
    assert.deepEqual(here.names("exports"), ["README", "exp_short.csv"]);
  });

  it("recreates lost pins and removes unneeded ones", () => {
    here.create("a", "k");
    unlinkSync(pin());
    for (const name of ["0000000000000000", "served-0000000000000000"]) {
      writeFileSync(join(here.dataDir, "pins", `${name}.peneira`), "old");
    }
    restart();
    const id = here.segment.snapshotId;
    assert.deepEqual(here.names("pins"), [`${id}.peneira`, `served-${id}.peneira`]);
    assert.equal(statSync(pin()).ino, statSync(here.segment.path).ino);
  });

  it("keeps the pin of a snapshot that is no longer served, while an export needs it", () => {
    here.create("a", "k");
    const { ino } = statSync(pin());
    const path = join(here.folder, "b.peneira");
    writeFileSync(path, "a newer snapshot");
    const before = pin();
    Object.assign(here.segment, { path, snapshotId: "b".repeat(16) });
    restart();
    assert.equal(statSync(before).ino, ino);
    assert.equal(here.names("pins").length, 2);
  });

  it("requeues only running exports and those without their file", () => {
    const store = new ExportStore(here.database);
    const { id } = here.create("a", "k").record;
    const run = { id, token: 0 };
    assert.equal(store.requeue(run, 0), false);
    change("state = 'failed', failure = 'disk_full'", id);
    assert.equal(store.requeue(run, 0), false);
    change("state = 'running', failure = NULL", id);
    assert.equal(store.requeue({ id, token: 1 }, 1), false, "another claim's");
    assert.equal(store.requeue(run, 1), true);
    assert.deepEqual(row(id), { state: "queued", attempts: 1 });
  });

  it("reports the reason if it cannot write, and keeps everything", () => {
    const { id } = here.create("a", "k").record;
    change("state = 'running', attempts = 1", id);
    put(`${id}.csv`);
    here.reopen();
    const allow = refuseWrites(here.database);
    const start = () => here.exports.start(here.segment);
    assert.throws(start, /cannot be put in order \((?:SQLITE_READONLY|25006)\)/);
    assert.deepEqual(row(id), { state: "running", attempts: 1 });
    assert.deepEqual(here.names("exports"), [`${id}.csv`]);
    allow();
    start();
    assert.deepEqual(here.names("exports"), []);
  });

  it("has the same result if it is repeated", () => {
    for (let i = 0; i < 8; i++) {
      const { id } = here.create("a", `k${i}`).record;
      change(`state = 'running', attempts = 1, token = ${2 * i + 1}`, id);
      put(`${id}.csv`);
    }
    const all = () =>
      here.database.prepare("SELECT id, state, attempts, failure FROM exports").all();
    restart();
    const once = all();
    restart();
    assert.deepEqual(all(), once);
  });

  it("is ready within a second with 10,000 exports that wait", async () => {
    const { id } = here.create("a", "k").record;
    const copy = here.database.prepare(
      `INSERT INTO exports (id, tenant_id, plan, spec, format, slug, snapshot, snapshot_date,
         snapshot_id, snapshot_path, state, created_at)
       SELECT ?, tenant_id, plan, spec, format, slug, snapshot, snapshot_date, snapshot_id,
         snapshot_path, state, created_at FROM exports WHERE id = ?`,
    );
    here.database
      .transaction(() => {
        for (let i = 0; i < 9_999; i++) copy.run(`exp_${String(i).padStart(32, "0")}`, id);
      })
      .immediate();
    const began = performance.now();
    here.reopen();
    here.exports.start(here.segment);
    await settle();
    const tookMs = performance.now() - began;
    assert.equal(here.threads.held.length, 4);
    assert.ok(tookMs < 1_000, `took ${tookMs} ms`);
  });
});

describe("a pin", () => {
  it("is one hard link for all exports of a snapshot, until the last has ended", async () => {
    here.exports.start(here.segment);
    const ids = [1, 2].map((i) => here.create("a", `k${i}`).record.id);
    assert.equal(statSync(pin()).ino, statSync(here.segment.path).ino);
    await settle();
    assert.equal(here.first().request.places[0], pin());
    assert.equal(here.first().request.snapshotId, here.segment.snapshotId);
    await here.endFirst();
    assert.ok(existsSync(pin()));
    here.exports.remove("a", ids[1] as string);
    await settle();
    assert.equal(existsSync(pin()), false);
    assert.deepEqual(here.threads.forgotten, [], "what is served may stay open");
  });

  it("keeps the served file, even if another one has taken its name", async () => {
    here.exports.start(here.segment);
    const { ino } = statSync(here.segment.path);
    const other = join(here.folder, "b.peneira");
    writeFileSync(other, "another snapshot");
    renameSync(other, here.segment.path);
    here.create("a", "k");
    assert.equal(statSync(pin()).ino, ino);
    assert.equal(readFileSync(pin(), "utf8"), "a snapshot");
  });

  it("of a snapshot that is no longer served goes with its last export", async () => {
    here.exports.start(here.segment);
    here.create("a", "k");
    await settle();
    for (const name of ["b", "c"]) {
      const path = join(here.folder, `${name}.peneira`);
      writeFileSync(path, name);
      here.exports.serve({ ...here.segment, path, snapshotId: name.repeat(16) });
    }
    const served = [`served-${"c".repeat(16)}.peneira`];
    assert.deepEqual(here.names("pins"), [`${here.segment.snapshotId}.peneira`, ...served]);
    assert.deepEqual(here.threads.forgotten, ["b".repeat(16)], "no export needs b");
    await here.endFirst();
    assert.deepEqual(here.names("pins"), served);
    assert.deepEqual(here.threads.forgotten, ["b".repeat(16), here.segment.snapshotId]);
  });

  it("of a missing file is refused, and nothing is stored", () => {
    unlinkSync(here.segment.path);
    assert.throws(() => here.create("a", "k"), isError("snapshot_unavailable"));
    assert.equal(here.count("exports"), 0);
    assert.equal(here.count("idempotency"), 0);
  });

  it("on another device is the path itself", async (context) => {
    const shm = "/dev/shm";
    const far = lstatSync(shm, { throwIfNoEntry: false });
    if (far === undefined || far.dev === statSync(here.dataDir).dev) {
      context.skip("there is no second device");
      return;
    }
    const folder = mkdtempSync(join(shm, "peneira-pin-"));
    try {
      const path = join(folder, "far.peneira");
      writeFileSync(path, "far");
      Object.assign(here.segment, { path });
      here.exports.start(here.segment);
      here.create("a", "k");
      await settle();
      assert.deepEqual(here.names("pins"), []);
      assert.deepEqual(here.first().request.places, [pin(), path]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
