/**
 * Backup of the whole state of a running server, and its manifest.
 * Input: a data directory and a target. Output: a folder with the database, the secrets, the files
 * of done exports, the sent files of enrichments that a restore must render, and entry files, all
 * as of one moment. `manifest.json` lists sizes and SHA-256. (An entry file lists accounts exported
 * for a notice that are not yet in the tenant's list of exported accounts.)
 * Invariant: the moment is the start of a read transaction. It begins while all other writers are
 * blocked, for about a millisecond. By then every file named in the state has a hard link, so files
 * removed later are still copied. The state is copied unchanged, in any schema. The manifest has a
 * checksum, so any changed byte is detected. No path in it leads out of the backup, and it holds no
 * secret.
 */

import { createHash } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { CommandError } from "../../errors.ts";
import {
  DATABASE_FILE,
  isAlone,
  openUnmigrated,
  SCHEMA_VERSION,
  settleCopy,
  tryLock,
} from "../database.ts";
import { checkDataFile, DIRECTORY_MODE, statOf } from "../datadir.ts";
import { damagedState, isStateDamage } from "../failures.ts";
import { rememberedAddress, type StateAddress } from "../postgres/address.ts";
import { openPostgres } from "../postgres/schema.ts";
import { openSecrets, SECRETS_FILE } from "../secrets.ts";
import type { SqliteDatabase } from "../sqlite.ts";
import type { StateDatabase } from "../statedatabase.ts";
import { type FileFacts, factsOf, NewFolder } from "./newfolder.ts";

/** Folder of export files, in a data directory and in a backup. */
export const EXPORTS_FOLDER = "exports";
/** Folder of files that clients sent, in a data directory and in a backup. */
export const SENT_FOLDER = "sent";
/** Folder in the data directory that holds hard links to the files of a running backup. */
const HELD_FOLDER = "backup-links";
const LOCK_FILE = "backup.lock";
/** Names of finished files; temporary files have longer names. */
const FINAL_NAME = /^(exp_[0-9a-f]{32})\.[a-z]{1,10}(?:\.(?:gz|zst))?$/;
/**
 * Names of entry files. An entry file lists accounts exported for a notice that are not yet in the
 * tenant's list of exported accounts.
 */
const ENTRIES_NAME = /^(exp_[0-9a-f]{32})\.(?:un)?claimed$/;
/** The first schema version that has exports. */
const EXPORTS_SINCE = 2;
/** Number of database pages that are copied before other work of the event loop may run. */
const PAGES_AT_ONCE = 1_000;

interface BackupOptions {
  readonly dataDir: string;
  readonly target: string;
  /** False omits the export files. */
  readonly exports: boolean;
  /** True if an object store keeps the export files, so a file missing here is not lost. */
  readonly stored?: boolean;
  /** Version of this program. */
  readonly madeBy: string;
  readonly nowMs: () => number;
  /** Receives the bytes copied and verified so far, and the total. */
  readonly onBytes?: (done: number, total: number) => void;
  /** Aborts the backup, which then leaves no files. */
  readonly signal?: AbortSignal;
}

/** Result of a backup. */
export interface BackupReport {
  readonly manifest: Manifest;
  /** Time during which no other process could write, in milliseconds. */
  readonly heldMs: number;
}

interface DoneRow {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The files that belong to the state at one moment. */
interface Moment {
  readonly atMs: number;
  readonly heldMs: number;
  readonly done: readonly DoneRow[];
  /** Names of the linked files by export id. */
  readonly names: ReadonlyMap<string, string>;
  /**
   * Names of linked files of two kinds: entry files, and files sent by clients that a restore needs
   * to render exports again.
   */
  readonly sent: readonly string[];
}

interface Held {
  readonly moment: Moment;
  readonly stateVersion: number;
}

/** Makes a backup. On failure, throws `CommandError` and leaves no files. */
export async function makeBackup(options: BackupOptions): Promise<BackupReport> {
  const { dataDir, target } = options;
  refuseWithout(dataDir, target);
  const unlock = tryLock(dataDir, LOCK_FILE);
  if (unlock === null) {
    throw new CommandError(`Another backup of ${dataDir} is under way. Wait for its end.`);
  }
  const held = join(dataDir, HELD_FOLDER);
  rmSync(held, { recursive: true, force: true });
  try {
    const folder = NewFolder.begin(target, "The place of the backup");
    try {
      return await fill(folder, held, options);
    } catch (error) {
      folder.discard();
      if (!isStateDamage(error)) throw error;
      throw damagedState(join(dataDir, DATABASE_FILE), [(error as Error).message], error);
    }
  } finally {
    rmSync(held, { recursive: true, force: true });
    unlock();
  }
}

/** Removes the links of a killed backup, which would keep expired files on the disk. */
export function removeHeldFiles(dataDir: string): void {
  const held = join(dataDir, HELD_FOLDER);
  if (statOf(held) === undefined) return;
  const unlock = tryLock(dataDir, LOCK_FILE);
  if (unlock === null) return;
  rmSync(held, { recursive: true, force: true });
  unlock();
}

function refuseWithout(dataDir: string, target: string): void {
  const isElsewhere = rememberedAddress(dataDir) !== null;
  if (!isElsewhere && statOf(join(dataDir, DATABASE_FILE)) === undefined) {
    throw new CommandError(`There is no state (${DATABASE_FILE}) in ${dataDir}. Check the path.`);
  }
  if (`${resolve(target)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)) {
    throw new CommandError(`${target} lies in the data directory. Name a folder outside of it.`);
  }
}

async function fill(
  folder: NewFolder,
  held: string,
  options: BackupOptions,
): Promise<BackupReport> {
  const { dataDir, signal } = options;
  mkdirSync(held, { mode: DIRECTORY_MODE });
  const address = rememberedAddress(dataDir);
  const { moment, stateVersion } =
    address === null
      ? await copyState(folder, held, options)
      : holdOfServer(address, held, options);
  const copied = await copyAll(folder, { moment, held, hasState: address === null, options });
  const manifest: Manifest = {
    format: "peneira backup",
    version: address === null ? versionOf(moment) : FILES_ONLY,
    made_at: new Date(moment.atMs).toISOString(),
    made_by: options.madeBy,
    state_version: stateVersion,
    exports: options.exports,
    ...copied,
  };
  await folder.write(MANIFEST_FILE, manifestText(manifest));
  signal?.throwIfAborted();
  folder.publish();
  return { manifest, heldMs: moment.heldMs };
}

/** Copies the state as of one moment, and links its files. */
async function copyState(folder: NewFolder, held: string, options: BackupOptions): Promise<Held> {
  const { dataDir, signal } = options;
  const database = openUnmigrated(dataDir);
  const place = join(folder.path, DATABASE_FILE);
  let moment: Moment;
  try {
    moment = hold(database, held, options);
    folder.reserve(sizeOf(database) + total(moment) + sentBytes(held, moment));
    // All steps copy pages of the same moment, because a read transaction is open.
    await database.backup(place, {
      progress: () => {
        signal?.throwIfAborted();
        return PAGES_AT_ONCE;
      },
    });
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  return { moment, stateVersion: settleCopy(place, join(dataDir, DATABASE_FILE)) };
}

/**
 * Links the files that belong to a state on a database server. The rows are not copied, because the
 * database server has its own tools for backups. A file that is removed during this call belongs to
 * an export that has ended.
 */
function holdOfServer(address: StateAddress, held: string, options: BackupOptions): Held {
  const { dataDir, nowMs } = options;
  const database = openPostgres(address);
  try {
    const done = doneRows(database);
    const names = new Map<string, string>();
    const ids = options.exports ? done.map(({ id }) => id) : [];
    holdAll(join(dataDir, EXPORTS_FOLDER), held, { names, ids });
    const sent = sentRows(database, options.exports).filter((id) => {
      return link(join(dataDir, SENT_FOLDER, id), join(held, id));
    });
    const entries = holdEntries(join(dataDir, SENT_FOLDER), held, done);
    const moment = { atMs: nowMs(), heldMs: 0, done, names, sent: [...sent, ...entries] };
    return { moment, stateVersion: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}

/**
 * Begins the read transaction, and links every file that the state names. Most files are linked
 * before it begins. Files finished in between are linked while no other process can write, so none
 * is missed.
 */
function hold(database: SqliteDatabase, held: string, options: BackupOptions): Moment {
  const { dataDir, nowMs } = options;
  const folder = join(dataDir, EXPORTS_FOLDER);
  const names = new Map<string, string>();
  const wanted = options.exports && knowsExports(database);
  if (wanted) holdAll(folder, held, { names, ids: doneRows(database).map(({ id }) => id) });
  // If no other process can use the database, no lock is needed.
  const locker = isAlone(database) ? null : openUnmigrated(dataDir);
  const began = performance.now();
  try {
    locker?.exec("BEGIN IMMEDIATE");
    database.exec("BEGIN");
    // The first read determines the moment of the transaction.
    const done = knowsExports(database) ? doneRows(database) : [];
    const late = done.filter(({ id }) => !names.has(id)).map(({ id }) => id);
    if (wanted && late.length > 0) holdAll(folder, held, { names, ids: late });
    // If the sent file of an enrichment no longer exists, it is skipped. The enrichment fails for
    // this reason anyway, with or without a restore.
    const sent = sentIds(database, options.exports).filter((id) => {
      return link(join(dataDir, SENT_FOLDER, id), join(held, id));
    });
    const entries = holdEntries(join(dataDir, SENT_FOLDER), held, done);
    const heldMs = performance.now() - began;
    return { atMs: nowMs(), heldMs, done, names, sent: [...sent, ...entries] };
  } finally {
    locker?.close();
  }
}

function knowsExports(database: SqliteDatabase): boolean {
  return Number(database.pragma("user_version", { simple: true })) >= EXPORTS_SINCE;
}

/** Returns done exports that have not expired. */
function doneRows(database: StateDatabase): DoneRow[] {
  return database
    .prepare<[], DoneRow>(
      `SELECT id, size_bytes AS bytes, sha256 FROM exports
       WHERE state = 'done' AND expired_at IS NULL ORDER BY sequence`,
    )
    .all();
}

/**
 * Returns the enrichments that a restore has to render: unfinished ones, and also done ones if the
 * backup has no export files.
 */
function sentIds(database: SqliteDatabase, exports: boolean): string[] {
  const known = database
    .prepare("SELECT 1 FROM pragma_table_info('exports') WHERE name = 'sent'")
    .get();
  return known === undefined ? [] : sentRows(database, exports);
}

function sentRows(database: StateDatabase, exports: boolean): string[] {
  const states = exports ? "'queued', 'running'" : "'queued', 'running', 'done'";
  return database
    .prepare<[], { readonly id: string }>(
      `SELECT id FROM exports WHERE sent IS NOT NULL AND expired_at IS NULL
       AND state IN (${states}) ORDER BY sequence`,
    )
    .all()
    .map(({ id }) => id);
}

function holdAll(
  folder: string,
  held: string,
  { names, ids }: { readonly names: Map<string, string>; readonly ids: readonly string[] },
): void {
  if (ids.length === 0 || statOf(folder) === undefined) return;
  const present = new Map(
    readdirSync(folder).map((name) => [FINAL_NAME.exec(name)?.[1] ?? "", name]),
  );
  for (const id of ids) {
    const name = present.get(id);
    if (name !== undefined && link(join(folder, name), join(held, name))) names.set(id, name);
  }
}

/**
 * Links the entry files of done exports, and returns their names. If an export claims a file during
 * this call, the file is renamed to `<id>.claimed` and linked under this name. Its entries are not
 * in the list of exported accounts yet, because that takes a commit, and commits wait for the
 * backup.
 */
function holdEntries(folder: string, held: string, done: readonly DoneRow[]): string[] {
  if (statOf(folder) === undefined) return [];
  const ids = new Set(done.map(({ id }) => id));
  return readdirSync(folder).flatMap((name) => {
    const id = ENTRIES_NAME.exec(name)?.[1] ?? "";
    if (!ids.has(id)) return [];
    const names = [name, `${id}.claimed`];
    return names.find((one) => link(join(folder, one), join(held, one))) ?? [];
  });
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    const remedy = "Say --no-exports: the server renders the files again after a restore";
    throw new CommandError(`${from} cannot be held by a hard link (${code}). ${remedy}.`, 1, error);
  }
}

function sizeOf(database: SqliteDatabase): number {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  return number("page_count") * number("page_size");
}

function total({ done, names }: Moment): number {
  return done.reduce((sum, { id, bytes }) => sum + (names.has(id) ? bytes : 0), 0);
}

function sentBytes(held: string, { sent }: Moment): number {
  return sent.reduce((sum, id) => sum + lstatSync(join(held, id)).size, 0);
}

/** Copies secrets and files, verifies everything, and lists it. */
async function copyAll(
  folder: NewFolder,
  parts: {
    readonly moment: Moment;
    readonly held: string;
    /** True if the state was copied to the folder; false if it is on a database server. */
    readonly hasState: boolean;
    readonly options: BackupOptions;
  },
): Promise<{ files: BackupFile[]; missing: MissingFile[] }> {
  const { moment, held, hasState, options } = parts;
  const { dataDir, signal } = options;
  const state = hasState ? lstatSync(join(folder.path, DATABASE_FILE)).size : 0;
  const secrets = checkDataFile(dataDir, SECRETS_FILE);
  const secretBytes = secrets ? lstatSync(join(dataDir, SECRETS_FILE)).size : 0;
  const bytesTotal = state + secretBytes + total(moment) + sentBytes(held, moment);
  let bytesDone = 0;
  const onBytes = (bytes: number) => {
    signal?.throwIfAborted();
    bytesDone += bytes;
    options.onBytes?.(bytesDone, bytesTotal);
  };
  // A file is copied and then read again, so each pass counts half.
  const onHalf = (bytes: number) => onBytes(bytes / 2);
  const files: BackupFile[] = [];
  if (hasState) {
    files.push({ path: DATABASE_FILE, ...(await folder.synced(DATABASE_FILE, onBytes)) });
  }
  if (secrets) {
    const facts = await folder.copy(join(dataDir, SECRETS_FILE), SECRETS_FILE, onBytes);
    // Opens the secrets so that damage is detected now and not at a restore.
    openSecrets(folder.path);
    files.push({ path: SECRETS_FILE, ...facts });
  }
  const missing: MissingFile[] = [];
  folder.folder(EXPORTS_FOLDER);
  for (const row of options.exports ? moment.done : []) {
    const name = moment.names.get(row.id);
    if (name === undefined) {
      if (options.stored) continue;
      missing.push({ export_id: row.id, reason: "lost" });
      continue;
    }
    const path = `${EXPORTS_FOLDER}/${name}`;
    const facts = await copied(folder, join(held, name), path, onHalf);
    if (facts.bytes === row.bytes && facts.sha256 === row.sha256) files.push({ path, ...facts });
    else {
      folder.remove(path);
      missing.push({ export_id: row.id, reason: "damaged" });
    }
  }
  if (moment.sent.length > 0) folder.folder(SENT_FOLDER);
  for (const id of moment.sent) {
    const path = `${SENT_FOLDER}/${id}`;
    files.push({ path, ...(await copied(folder, join(held, id), path, onHalf)) });
  }
  return { files, missing };
}

/** Copies a file and reads the copy again. */
async function copied(
  folder: NewFolder,
  from: string,
  path: string,
  onHalf: (bytes: number) => void,
): Promise<FileFacts> {
  const facts = await folder.copy(from, path, onHalf);
  const again = await factsOf(join(folder.path, path), onHalf);
  if (again.sha256 === facts.sha256) return facts;
  throw new CommandError(`The disk gives back other bytes for ${path} than were written.`);
}

/** Name of the manifest in a backup. */
export const MANIFEST_FILE = "manifest.json";

/** First version of the backup format that has files sent by clients. */
const WITH_SENT = 2;
/** First version of the backup format that has entry files (accounts exported for notices). */
export const WITH_ENTRIES = 3;
/** Version of a backup without the state, which is on a database server. */
export const FILES_ONLY = 4;
/** Newest version of the format. Backups with a newer version are refused. */
export const BACKUP_VERSION = FILES_ONLY;

/** Returns the lowest version that describes a backup, so that older programs can read it. */
function versionOf({ sent }: Moment): number {
  if (sent.length === 0) return 1;
  return sent.some((name) => ENTRIES_NAME.test(name)) ? WITH_ENTRIES : WITH_SENT;
}

/** A file of a backup. `path` is relative to the backup's folder and uses `/`. */
interface BackupFile extends FileFacts {
  readonly path: string;
}

/** A done export whose file could not be copied. A restore renders it again. */
export interface MissingFile {
  readonly export_id: string;
  readonly reason: "lost" | "damaged";
}

/** Content of a backup. */
export interface Manifest {
  readonly format: "peneira backup";
  readonly version: number;
  readonly made_at: string;
  /** Version of the program that made it. */
  readonly made_by: string;
  readonly state_version: number;
  /** False if the export files were omitted on purpose. */
  readonly exports: boolean;
  readonly files: readonly BackupFile[];
  readonly missing: readonly MissingFile[];
}

/** All paths that a backup may contain. */
const EXPORT_PATH = /^exports\/exp_[0-9a-f]{32}\.[a-z]{1,10}(?:\.(?:gz|zst))?$/;
const OTHER_PATH = /^(?:state\.db|secrets\.json|sent\/exp_[0-9a-f]{32}(?:\.(?:un)?claimed)?)$/;

/** Returns the text of a manifest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

/** Parses a manifest. Throws `CommandError` that names `path`. */
export function parseManifest(text: string, path: string): Manifest {
  const { checksum, ...manifest } = parse(text, path);
  if (manifest.format !== "peneira backup") {
    throw new CommandError(`${path} is not the manifest of a backup of Peneira.`);
  }
  if (typeof manifest.version === "number" && manifest.version > BACKUP_VERSION) {
    throw new CommandError(
      `${path} is of a newer version of Peneira (backup format ${manifest.version}, this one ` +
        `reads ${BACKUP_VERSION}). Restore it with that version or a later one.`,
    );
  }
  const whole = manifest as unknown as Manifest;
  if (checksum !== checksumOf(whole) || text !== manifestText(whole)) {
    throw new CommandError(`${path} is damaged: it does not have its own checksum.`);
  }
  const foreign = whole.files.find(({ path }) => !EXPORT_PATH.test(path) && !OTHER_PATH.test(path));
  if (foreign !== undefined) {
    throw new CommandError(`${path} lists ${JSON.stringify(foreign.path)}, which no backup holds.`);
  }
  return whole;
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // The error below is the same for any parse failure.
  }
  throw new CommandError(`${path} is damaged: it is not a JSON object.`);
}

function checksumOf(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}
