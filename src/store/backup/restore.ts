/**
 * Restores a data directory from a backup. Input: a backup, and a target that does not exist.
 * Output: the data directory as of the moment of the backup.
 * Invariant: before anything is written, every file is verified: the backup has exactly the files
 * of the manifest, with their sizes and SHA-256. All problems are reported together. Files are
 * verified again while they are copied, and the directory appears whole or not at all. The audit
 * trail gets a line about the restore.
 */

import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../errors.ts";
import { kindOfFile, wrongKindText } from "../../files/filekind.ts";
import { FileTooLong, readSmallFile, SMALL_FILE_BYTES } from "../../files/smallfile.ts";
import { wordFor } from "../../text/amounts.ts";
import { AuditStore, hasTrail } from "../auditstore.ts";
import { DATABASE_FILE, LOCK_FILE, SCHEMA_VERSION, settleCopy, tryLock } from "../database.ts";
import { statOf } from "../datadir.ts";
import {
  EXPORTS_FOLDER,
  FILES_ONLY,
  MANIFEST_FILE,
  type Manifest,
  parseManifest,
  SENT_FOLDER,
} from "./backup.ts";
import { factsOf, NewFolder } from "./newfolder.ts";

/** Max reported problems. A backup with more is not worth repairing file by file. */
const PROBLEMS_MAX = 100;

interface RestoreOptions {
  /** The backup folder. */
  readonly source: string;
  readonly dataDir: string;
  /** Receives the bytes verified and copied so far, and the total. */
  readonly onBytes?: (done: number, total: number) => void;
  /** Aborts the restore, which then leaves no files. */
  readonly signal?: AbortSignal;
}

/** Verifies a backup, changing nothing. Throws a `CommandError` that lists every problem. */
export async function checkBackup(
  source: string,
  onBytes: (bytes: number, total: number) => void = () => {},
): Promise<Manifest> {
  const manifest = readManifest(source);
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  const found = walk(source);
  const problems = found.problems.concat(
    found.paths.filter((path) => !listed.has(path)).map((path) => `${path} does not belong to it`),
  );
  const hasState = manifest.version !== FILES_ONLY;
  if (listed.has(DATABASE_FILE) !== hasState)
    problems.push(`${DATABASE_FILE} is ${hasState ? "not " : ""}in its manifest`);
  const present = new Set(found.paths);
  const total = bytesOf(manifest);
  for (const { path, bytes, sha256 } of manifest.files) {
    const place = join(source, path);
    const size = present.has(path) ? lstatSync(place).size : null;
    if (size === null) problems.push(`${path} is missing`);
    else if (size !== bytes)
      problems.push(`${path} has ${size} ${wordFor(size, "byte")} and should have ${bytes}`);
    else {
      const facts = await factsOf(place, (piece) => onBytes(piece, total));
      if (facts.sha256 !== sha256) problems.push(`${path} has another content (SHA-256)`);
    }
  }
  if (problems.length === 0) return manifest;
  const shown = problems.slice(0, PROBLEMS_MAX);
  const rest = problems.length - shown.length;
  const more = rest > 0 ? `\n- and ${rest} more` : "";
  throw new CommandError(`The backup ${source} is not whole:\n- ${shown.join("\n- ")}${more}`);
}

/** Restores a backup. Throws `CommandError` and leaves no files. */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { source, dataDir, signal } = options;
  refuseUsed(dataDir);
  let done = 0;
  const onBytes = (bytes: number, total: number) => {
    signal?.throwIfAborted();
    done += bytes;
    // Each file is verified and then copied, so each pass counts half.
    options.onBytes?.(done / 2, total);
  };
  const manifest = await checkBackup(source, onBytes);
  const folder = NewFolder.begin(dataDir, "The data directory");
  try {
    const total = bytesOf(manifest);
    folder.reserve(total);
    folder.folder(EXPORTS_FOLDER);
    if (manifest.files.some(({ path }) => path.startsWith(`${SENT_FOLDER}/`))) {
      folder.folder(SENT_FOLDER);
    }
    for (const { path, sha256 } of manifest.files) {
      const facts = await folder.copy(join(source, path), path, (bytes) => onBytes(bytes, total));
      if (facts.sha256 === sha256) continue;
      throw new CommandError(`${join(source, path)} was changed while it was copied.`);
    }
    if (manifest.version !== FILES_ONLY) settleState(folder.path, source, manifest);
    signal?.throwIfAborted();
    folder.publish();
    return manifest;
  } catch (error) {
    folder.discard();
    throw error;
  }
}

function settleState(folder: string, source: string, manifest: Manifest): void {
  const place = join(folder, DATABASE_FILE);
  const version = settleCopy(place, join(source, DATABASE_FILE), (database) => {
    // A state without an audit trail is restored unchanged.
    if (!hasTrail(database)) return;
    new AuditStore(database).noteState("state.restore", { backup_of: manifest.made_at });
  });
  if (version !== manifest.state_version) {
    const words = `schema ${version} and its manifest says ${manifest.state_version}`;
    throw new CommandError(`The state in ${source} has ${words}.`);
  }
}

/** Returns the bytes of all files in a manifest. */
export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Describes a file that was given instead of a backup folder. */
function whatElse(source: string): string {
  const kind = kindOfFile(source);
  const words = kind === null ? "it is a file" : wrongKindText(kind, "a folder");
  const packed = kind?.id === "zip" || kind?.id === "archive";
  const wayOut = packed
    ? "Unpack it, and name the folder."
    : "Name the folder that was backed up to.";
  return `${words}. ${wayOut}`;
}

function readManifest(source: string): Manifest {
  const found = statOf(source);
  if (found === undefined) throw new CommandError(`There is no backup ${source}. Check the path.`);
  const path = join(source, MANIFEST_FILE);
  if (found.isFile()) throw new CommandError(`${source} is not a backup: ${whatElse(source)}`);
  if (!found.isDirectory() || statOf(path)?.isFile() !== true) {
    throw new CommandError(
      `${source} is not a backup: there is no ${MANIFEST_FILE} in it. Check the path.`,
    );
  }
  const kind = kindOfFile(path);
  if (kind !== null) {
    throw new CommandError(
      `${path} is damaged: ${wrongKindText(kind, "the manifest of a backup")}.`,
    );
  }
  const manifest = parseManifest(manifestOf(path), path);
  if (manifest.state_version <= SCHEMA_VERSION) return manifest;
  throw new CommandError(
    `The backup ${source} is of a newer version of Peneira (${manifest.made_by}, state schema ` +
      `${manifest.state_version}; this one knows ${SCHEMA_VERSION}). Restore it with that ` +
      "version or a later one.",
  );
}

/**
 * Returns the paths of all plain files except the manifest. Each entry that is not a plain file,
 * such as a link, is reported as a problem.
 */
function walk(source: string): { paths: string[]; problems: string[] } {
  const paths: string[] = [];
  const problems: string[] = [];
  const add = (entry: Dirent, path: string) => {
    if (entry.isFile()) paths.push(path);
    else problems.push(`${path} is not a plain file`);
  };
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (entry.name === MANIFEST_FILE) continue;
    const isFolder = [EXPORTS_FOLDER, SENT_FOLDER].includes(entry.name) && entry.isDirectory();
    if (!isFolder) add(entry, entry.name);
    else {
      for (const inner of readdirSync(join(source, entry.name), { withFileTypes: true })) {
        add(inner, `${entry.name}/${inner.name}`);
      }
    }
  }
  return { paths, problems };
}

/**
 * Throws if a server runs in the directory. This error is more helpful than the one for an existing
 * directory, so it comes first.
 */
function refuseUsed(dataDir: string): void {
  if (statOf(join(dataDir, LOCK_FILE)) === undefined) return;
  const unlock = tryLock(dataDir, LOCK_FILE);
  unlock?.();
  if (unlock === null) {
    throw new CommandError(`A server works on ${dataDir}. Name another data directory.`);
  }
}

function manifestOf(path: string): string {
  try {
    return String(readSmallFile(path, SMALL_FILE_BYTES.table));
  } catch (error) {
    if (!(error instanceof FileTooLong)) throw error;
    throw new CommandError(`${path} is damaged: ${error.message}.`, 1, error);
  }
}
