/**
 * Proves: if the state's file is removed or replaced while the database is open, one notification
 * reports it. Changes by SQLite itself cause none. Exports then report the data directory as the
 * cause.
 * Does not prove how a server reacts (it continues).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { Pins } from "../../../src/export/queue/pins.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { closeDatabase, openDatabase } from "../../../src/store/database.ts";
import { StateWatch } from "../../../src/store/statecheck.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-statewatch-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a watched state and the notifications that it caused. */
function watched(name: string) {
  const database = openDatabase(path.join(folder, name));
  const reported: unknown[] = [];
  return {
    database,
    reported,
    watch: new StateWatch(database, ({ found }) => reported.push(found)),
  };
}

describe("the watch of the state", () => {
  it("reports once that the file was removed", () => {
    const { database, reported, watch } = watched("removed");
    database.exec("CREATE TABLE more (x); INSERT INTO more VALUES (1)");
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.exec("VACUUM");
    watch.look();
    assert.deepEqual(reported, []);
    unlinkSync(database.name);
    watch.look();
    watch.look();
    assert.deepEqual(reported, [["the state's file was removed while the server runs"]]);
    const write = () => database.exec("INSERT INTO more VALUES (2)");
    assert.throws(write, { code: "SQLITE_READONLY" }, "what would be lost is refused");
    assert.equal(database.prepare("SELECT count(*) FROM more").pluck().get(), 1);
    closeDatabase(database);
  });

  it("reports that it was replaced", () => {
    const { database, reported, watch } = watched("replaced");
    writeFileSync(`${database.name}.new`, readFileSync(database.name));
    renameSync(`${database.name}.new`, database.name);
    watch.look();
    assert.deepEqual(reported, [
      ["the state's file was replaced by another file while the server runs"],
    ]);
    closeDatabase(database);
  });
});

describe("an export whose data directory was removed", () => {
  it("is rejected for that reason, not for its snapshot", () => {
    const dataDir = path.join(folder, "gone");
    closeDatabase(openDatabase(dataDir));
    const snapshot = path.join(folder, "x.peneira");
    writeFileSync(snapshot, "");
    const segment = { snapshotId: "0".repeat(32), path: snapshot } as Segment;
    const pins = new Pins(
      dataDir,
      () => false,
      () => {},
    );
    pins.hold(segment);
    pins.release(segment.snapshotId);
    rmSync(dataDir, { recursive: true });
    assert.throws(() => pins.hold(segment), {
      code: "state_damaged",
      message: /data directory was/,
    });
  });
});
