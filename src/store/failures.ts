/**
 * Failures of the state: a damaged database, and disk errors. Input: an error of the database or
 * disk, or the database itself, whose structure and blobs are checked. Output: messages with the
 * file and the remedy, for commands and requests.
 * Invariant: damaged data is never returned, and never ends in a stack trace. A check reads every
 * blob once and changes nothing. A full disk, a failing disk, and a busy database have separate
 * codes. Each of them can end while the server runs, so the answer contains a time after which to
 * retry.
 */

import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, CommandError } from "../errors.ts";
import { storageCause, storageProblem } from "../files/storage.ts";
import { BLOBS, BlobDamage, CHECKSUM_FUNCTION } from "./checksums.ts";
import { isServerFailure, isStateClosed, type SqliteDatabase } from "./sqlite.ts";
import { StatementRefused, StateUnreachable } from "./statedatabase.ts";

const FINDINGS_MAX = 5;

/** True if an error shows a damaged database file: data that this program cannot have written. */
export function isStateDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BlobDamage) return true;
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as NodeJS.ErrnoException).code));
}

/** Returns a database's problems: structural ones in SQLite's words, else its damaged blobs. */
export function findingsIn(database: SqliteDatabase): string[] {
  try {
    const rows = database.pragma(`quick_check(${FINDINGS_MAX})`) as { quick_check: string }[];
    const found = rows.map((row) => row.quick_check).filter((one) => one !== "ok");
    // If the structure is broken, blobs cannot be read.
    return found.length > 0 ? found : damagedBlobs(database);
  } catch (error) {
    if (!isStateDamage(error)) throw error;
    return [(error as Error).message];
  }
}

/** Returns the error of a command; `found` has the known problems. */
export function damagedState(path: string, found: readonly string[], cause?: unknown) {
  const lines = found.map((one) => `\n- ${one}`);
  return new CommandError(
    `${path} is damaged.${lines.join("")}\n` +
      "Stop the server on it, move its data directory away and bring back the newest backup " +
      "with: peneira restore BACKUP --data-dir DIR. Without one, check the disk and start on a " +
      "new data directory; keys and exports are lost then.",
    1,
    cause,
  );
}

/** Returns the error for a request that needs a damaged part of the state. */
export function stateDamaged(cause: unknown): AppError {
  const detail =
    "The server's state cannot be read here, because its file is damaged. Tell the operator, who " +
    "has to restore a backup.";
  return new AppError("state_damaged", detail, { cause });
}

/** Returns the error for a request after the data directory of the running server was removed. */
export function stateGone(cause: unknown): AppError {
  const detail =
    "The server's data directory was removed while it runs. Tell the operator, who has to stop " +
    "the server and restore a backup.";
  return new AppError("state_damaged", detail, { cause });
}

/**
 * Returns a sentence with the number of damaged rows for each table that has some. Skips tables
 * without checksums, as in earlier schemas.
 */
export function damagedBlobs(database: SqliteDatabase): string[] {
  return BLOBS.filter(({ table }) => hasChecksums(database, table)).flatMap(({ table, blobs }) => {
    const damaged = database
      .prepare<[], number>(
        `SELECT count(*) FROM ${table}
         WHERE checksum IS NOT ${CHECKSUM_FUNCTION}(${blobs.join(", ")})`,
      )
      .pluck()
      .get();
    return damaged === 0 ? [] : [`rows of ${table} that do not match their checksum: ${damaged}`];
  });
}

function hasChecksums(database: SqliteDatabase, table: string): boolean {
  return (
    database
      .prepare<[string], number>(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'checksum'",
      )
      .pluck()
      .get(table) === 1
  );
}

/** Retry time, in seconds. */
const RETRY_AFTER = { "Retry-After": "10" };

/** PostgreSQL's SQLSTATE for a text that contains a NUL character, which SQLite would store. */
const TEXT_REFUSED = "22021";

/**
 * Returns the error for a disk error, a shutdown, an unreachable database, or bad text; or null.
 */
export function storageRefusal(cause: unknown): AppError | null {
  if (isStateClosed(cause)) {
    const detail = "The server has stopped, and nothing was changed. Send the request again.";
    return new AppError("overloaded", detail, { cause, headers: RETRY_AFTER });
  }
  if (cause instanceof StateUnreachable) {
    const detail =
      "The server's database cannot be reached at the moment. Searches with keys in use go on. " +
      "Try again later, or tell the operator.";
    return new AppError("storage_unavailable", detail, { cause, headers: RETRY_AFTER });
  }
  if (cause instanceof StatementRefused && cause.code === TEXT_REFUSED) {
    const detail = "A text has a NUL character, which the server's database cannot store.";
    return new AppError("invalid_request", detail, { cause });
  }
  const problem = serverProblem(cause) ?? storageProblem(storageCause(cause));
  if (problem === null) return null;
  const details = { cause, headers: RETRY_AFTER };
  if (problem.full) {
    const detail =
      "The server's disk is full, so nothing was changed. Try again later, or ask the operator " +
      "for space.";
    return new AppError("storage_full", detail, details);
  }
  const detail =
    "The server cannot use its disk at the moment, so nothing was changed. Try again later, or " +
    "tell the operator.";
  return new AppError("storage_unavailable", detail, details);
}

/** Returns the problem of a database server that has a full or failing disk, or is read-only. */
function serverProblem(cause: unknown): { readonly full: boolean } | null {
  if (!(cause instanceof StatementRefused) || !isServerFailure(cause)) return null;
  return { full: cause.code === "53100" };
}

/** Returns the error for a failed write: a disk error, a shutdown, or a busy database. */
export function stateUnwritable(cause: unknown): AppError {
  const detail = "The server cannot write its state at the moment. Try again later.";
  const busy = () => new AppError("overloaded", detail, { cause, headers: RETRY_AFTER });
  return storageRefusal(cause) ?? busy();
}

/** SQLite's shared-memory file grows in steps of this many bytes. */
const SHARED_MEMORY_BYTES = 32_768;

function isSharedMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * Returns the real cause of an SQLite error. SQLite reports an I/O error if a full disk has no room
 * for its shared memory, and "cannot open" if a read-only disk forbids creating a file.
 */
export function causeOfDisk(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code?.startsWith("SQLITE_CANTOPEN")) {
    return readOnlyDisk(dirname(path)) ?? error;
  }
  if (!isSharedMemory(error)) return error;
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize >= SHARED_MEMORY_BYTES) return error;
  return Object.assign(new Error(String((error as Error).message), { cause: error }), {
    code: "SQLITE_FULL",
  });
}

/** Returns the error of writing to a folder on a read-only disk, or null. */
function readOnlyDisk(folder: string): unknown {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS" ? error : null;
  }
}

/** Returns a sentence with the bytes that SQLite needs and the bytes that are free. */
export function sharedMemoryWords(path: string): string {
  const { bavail, bsize } = statfsSync(dirname(path));
  const [needed, free] = [SHARED_MEMORY_BYTES, bavail * bsize].map((bytes) =>
    bytes.toLocaleString("en-US"),
  );
  return `SQLite needs ${needed} bytes for ${path}-shm, and ${free} are free on its disk.`;
}

/**
 * True if the error comes from a full disk without room for SQLite's shared memory. `cause` is the
 * result of `causeOfDisk` for this error.
 */
export function lacksSharedMemory(error: unknown, cause: unknown): boolean {
  return isSharedMemory(error) && cause !== error;
}
