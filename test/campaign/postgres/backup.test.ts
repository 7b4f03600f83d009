/**
 * Proves: pg_dump and pg_restore save and restore a whole state on PostgreSQL. `peneira backup`
 * saves the rest of the data directory, and reports how to save the state. A server runs on both
 * restored parts. If a store keeps the files, they are not reported as lost.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openDatabase, openUnmigrated } from "../../../src/store/database.ts";
import { FLEET_TABLES } from "../../../src/store/fleet/members.ts";
import { openSecrets, secretsText } from "../../../src/store/secrets.ts";
import { openServedState } from "../../../src/store/state.ts";
import { copyToDataDir, copyToPostgres } from "../../../src/store/statecopy/statecopy.ts";
import { contentOf, fillFiles, fillState } from "../../support/formats/state-rows.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import { productCommand } from "../../support/server/process.ts";

describe("a backup of a state on PostgreSQL", { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let folder: string;
  let url: string;
  let dataDir: string;
  let content: ReturnType<typeof contentOf>;
  const quiet = { onCopied: () => {}, onCompared: () => {} };

  before(async () => {
    server = await TestPostgres.start();
    folder = mkdtempSync(join(tmpdir(), "peneira-pg-backup-"));
    url = server.address("backups");
    dataDir = join(folder, "state");
    const database = openDatabase(dataDir);
    fillState(database);
    content = contentOf(database);
    database.close();
    openSecrets(dataDir);
    fillFiles(dataDir);
    copyToPostgres({ dataDir, url, ...quiet });
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  function peneira(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const [file, all] = productCommand(args);
    const env = { ...process.env, ...more };
    const { status, stdout, stderr } = spawnSync(file, all, { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return { stdout, stderr };
  }

  it("by the database's tools has every row, and goes with one of the data directory", () => {
    const dump = join(folder, "state.dump");
    writeFileSync(dump, server.tool("pg_dump", "--format=custom", "--schema=backups", "postgres"));
    const backup = join(folder, "backup");
    const { stderr } = peneira(["backup", backup, "--data-dir", dataDir]);
    assert.match(
      stderr,
      /The state is in PostgreSQL at .*pg_dump --format=custom --schema=backups/s,
    );
    assert.equal(existsSync(join(backup, "state.db")), false);
    server.tool("psql", "--dbname=postgres", "--command=DROP SCHEMA backups CASCADE");
    server.tool("pg_restore", "--dbname=postgres", "--exit-on-error", dump);
    const again = join(folder, "again");
    const restored = peneira(["restore", backup, "--data-dir", again]);
    assert.match(restored.stderr, /restore the dump of the database, and set state\.url/);
    const files = JSON.parse(readFileSync(join(backup, "manifest.json"), "utf8")).files as {
      path: string;
    }[];
    const exported =
      files.map(({ path }) => path).find((path) => path.startsWith("exports/")) ?? "";
    assert.deepEqual(readFileSync(join(again, exported)), readFileSync(join(dataDir, exported)));
    openServedState(again, url, "alone").close();
    assert.equal(secretsText(again), secretsText(dataDir));
    const back = join(folder, "back");
    copyToDataDir({ dataDir: back, url, ...quiet });
    const database = openUnmigrated(back);
    // A copy of a state does not contain the rows about running servers.
    const empty = Object.fromEntries(FLEET_TABLES.map((table) => [table, []]));
    assert.deepEqual(contentOf(database), { ...content, ...empty });
    database.close();
  });

  it("does not report files that a store keeps as lost", () => {
    const own = join(folder, "own");
    const database = openDatabase(own);
    fillState(database);
    database.close();
    openSecrets(own);
    const warned = peneira(["backup", join(folder, "warned"), "--data-dir", own]);
    assert.match(warned.stderr, /is not in the data directory/);
    const store = { PENEIRA_FILES_URL: "s3://leads/peneira" };
    const silent = peneira(["backup", join(folder, "silent"), "--data-dir", own], store);
    assert.doesNotMatch(silent.stderr, /is not in the data directory/);
    peneira(["restore", join(folder, "silent"), "--check"]);
  });
});
