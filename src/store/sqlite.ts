/**
 * SQLite, and the only importer of better-sqlite3. What comes in: the path of a database. What goes
 * out: an open one.
 * Invariant: knows no schema and no data directory; what those are stands in database.ts.
 */
import Database from "better-sqlite3";
import { blobChecksum, CHECKSUM_FUNCTION } from "./checksums.ts";

/** An open database. */
export type StateDatabase = Database.Database;

/** A prepared statement with its parameters and the rows it gives. */
export type StateStatement<Parameters extends unknown[], Row = unknown> = Database.Statement<
  Parameters,
  Row
>;

/**
 * Opens a database that knows `blob_checksum` (checksums.ts); `options` are those of
 * better-sqlite3. Throws what it throws.
 */
export function connect(path: string, options: Database.Options = {}): StateDatabase {
  const database = new Database(path, options);
  const checksum = (...blobs: unknown[]) => blobChecksum(...(blobs as Uint8Array[]));
  return database.function(CHECKSUM_FUNCTION, { deterministic: true, varargs: true }, checksum);
}

/** Version of the SQLite that is compiled in. Throws where the addon cannot be loaded. */
export function sqliteVersion(): string {
  const database = connect(":memory:");
  try {
    return database.prepare<[], string>("SELECT sqlite_version()").pluck().get() as string;
  } finally {
    database.close();
  }
}

/**
 * True for a failure of the database that time or the operator can mend: a full or failing disk,
 * another process's long write. A broken constraint is a mistake of ours and is none of them.
 */
export function isStateFailure(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code);
}

/** True where another process has had the database for longer than was waited. */
export function isStateBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** True for the error of a database that was closed, because the server stopped under a request. */
export function isStateClosed(error: unknown): boolean {
  return error instanceof TypeError && /^The database connection is not open/.test(error.message);
}
