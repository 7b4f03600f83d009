/**
 * Makes the current version's committed files, once, before its release:
 *   node --import tsx test/support/formats/make.ts
 * Output: a state, a snapshot of 200 accounts with its answers, and a backup.
 * Invariant: an existing file is never overwritten; files contain invented data only.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { makeBackup, WITH_ENTRIES } from "../../../src/store/backup/backup.ts";
import {
  closeDatabase,
  DATABASE_FILE,
  openDatabase,
  SCHEMA_VERSION,
} from "../../../src/store/database.ts";
import { openSecrets } from "../../../src/store/secrets.ts";
import { makeSampleSnapshot } from "../sample/snapshot.ts";
import { answersOf } from "./answers.ts";
import { FIXTURES, fixturePath, storeFixture } from "./fixtures.ts";
import { exportId, fillFiles, fillState } from "./state-rows.ts";

const ACCOUNTS = 200;
const SEED = 11;

/** Makes the missing files; returns their paths. */
export async function makeFixtures(folder = FIXTURES): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), "peneira-formats-"));
  const made: string[] = [];
  const missing = (path: string) => !existsSync(path) && made.push(path) > 0;
  try {
    const dataDir = join(scratch, "state");
    makeState(dataDir);
    const state = fixturePath("state", SCHEMA_VERSION, folder);
    if (missing(state)) storeFixture(state, readFileSync(join(dataDir, DATABASE_FILE)));
    const sent = join(dataDir, "sent");
    mkdirSync(sent, { mode: 0o700 });
    writeFileSync(join(sent, `${exportId(1)}.unclaimed`), "entries", { mode: 0o600 });
    const backup = fixturePath("backup", WITH_ENTRIES, folder);
    if (missing(backup)) storeFixture(backup, await packedBackup(dataDir, join(scratch, "backup")));
    const snapshot = fixturePath("snapshot", FORMAT_VERSION, folder);
    const answers = fixturePath("answers", FORMAT_VERSION, folder);
    if (missing(snapshot) && missing(answers)) await makeSnapshot(snapshot, answers);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return made;
}

/** Makes a data directory with rows in every table and the files of its done exports. */
export function makeState(dataDir: string): void {
  const database = openDatabase(dataDir);
  fillState(database);
  closeDatabase(database);
  openSecrets(dataDir);
  fillFiles(dataDir);
}

async function packedBackup(dataDir: string, target: string): Promise<Buffer> {
  const nowMs = () => Date.parse("2026-11-21T12:00:00Z");
  await makeBackup({ dataDir, target, exports: true, madeBy: "fixture", nowMs });
  const paths = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
    .sort();
  const files = paths.map((path) => [path, readFileSync(join(target, path)).toString("base64")]);
  return Buffer.from(JSON.stringify(Object.fromEntries(files)));
}

/** Unpacks a backup, which was packed into one text, to files. */
export function unpackBackup(packed: Buffer, target: string): void {
  for (const [path, base64] of Object.entries(JSON.parse(packed.toString()))) {
    const place = join(target, path);
    mkdirSync(join(place, ".."), { recursive: true });
    writeFileSync(place, Buffer.from(base64 as string, "base64"));
  }
}

async function makeSnapshot(path: string, answers: string): Promise<void> {
  const sample = await makeSampleSnapshot(ACCOUNTS, SEED);
  const segment = await openSegment(sample.snapshot);
  storeFixture(answers, Buffer.from(JSON.stringify(answersOf(segment))));
  segment.close();
  storeFixture(path, readFileSync(sample.snapshot));
  sample.dispose();
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const made = await makeFixtures();
  process.stdout.write(made.length === 0 ? "everything is kept already\n" : `${made.join("\n")}\n`);
}
