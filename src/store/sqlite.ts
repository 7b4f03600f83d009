/**
 * SQLite, and the only importer of better-sqlite3. Input: a path. Output: an open database.
 * Invariant: knows no schema and no data directory; database.ts does.
 */
import Database from "better-sqlite3";
import { systemClock } from "../process/clock.ts";
import { blobChecksum, CHECKSUM_FUNCTION } from "./checksums.ts";
import { type StateDatabase, StatementRefused, StateUnreachable } from "./statedatabase.ts";

/** Time that a reader waits during log recovery, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** An open file, with methods that only SQLite has. */
export type SqliteDatabase = StateDatabase & Pick<Database.Database, "pragma" | "backup">;

/**
 * Opens a database with the functions `blob_checksum` (checksums.ts) and `now_ms` (a clock).
 * Options and errors are those of better-sqlite3.
 */
export function connect(path: string, options: Database.Options = {}): SqliteDatabase {
  const database = new Database(path, options);
  const checksum = (...blobs: unknown[]) => blobChecksum(...(blobs as Uint8Array[]));
  database.function(CHECKSUM_FUNCTION, { deterministic: true, varargs: true }, checksum);
  database.function("now_ms", () => systemClock.nowMs());
  return Object.assign(database as unknown as SqliteDatabase, {
    engine: "sqlite" as const,
    othersVersion: () => database.prepare("PRAGMA data_version").pluck(),
    ownVersion: () => database.prepare("SELECT total_changes()").pluck(),
    atOneMoment: () => {
      const reader = connect(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
      reader.exec("BEGIN");
      return reader;
    },
    away: { ms: 0 },
  });
}

/** Returns the version of the compiled-in SQLite. Throws if the addon cannot be loaded. */
export function sqliteVersion(): string {
  const database = connect(":memory:");
  try {
    return database.prepare<[], string>("SELECT sqlite_version()").pluck().get() as string;
  } finally {
    database.close();
  }
}

/**
 * True for a database failure that time or the operator can fix: a full or failing disk, another
 * process's long write, an unreachable server. A violated constraint is a bug and not included.
 */
export function isStateFailure(error: unknown): boolean {
  if (error instanceof StateUnreachable || isServerFailure(error)) return true;
  if (!(error instanceof Database.SqliteError)) return false;
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code);
}

/**
 * True for a failure of a server that its operator can fix: no space or memory, a failing disk, or
 * a read-only standby.
 */
export function isServerFailure(error: unknown): boolean {
  return error instanceof StatementRefused && /^(53|25006|58030)/.test(error.code);
}

/** True if another process has locked the database for longer than the timeout. */
export function isStateBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** True if the database was closed because the server stopped during a request. */
export function isStateClosed(error: unknown): boolean {
  return error instanceof TypeError && /^The database connection is not open/.test(error.message);
}
