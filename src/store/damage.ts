/**
 * A state that is damaged. Input: what the database threw, or the database itself, whose structure
 * and blobs are checked. Output: words that name the file and the way back, for a command and a
 * request.
 * Invariant: what the database says is damaged is never answered from, and never ends in a stack. A
 * check reads every blob once and changes nothing.
 */
import { AppError, CommandError } from "../errors.ts";
import { BLOBS, BlobDamage, CHECKSUM_FUNCTION } from "./checksums.ts";
import type { StateDatabase } from "./sqlite.ts";

/** How many findings are looked for. */
const FINDINGS_MAX = 5;

/** True where the database has read something that it cannot have written. */
export function isStateDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BlobDamage) return true;
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as NodeJS.ErrnoException).code));
}

/** Names what is wrong with a database, in the words of SQLite, then its damaged blobs. */
export function findingsIn(database: StateDatabase): string[] {
  try {
    const rows = database.pragma(`quick_check(${FINDINGS_MAX})`) as { quick_check: string }[];
    const found = rows.map((row) => row.quick_check).filter((one) => one !== "ok");
    // Blobs of a broken structure cannot be read.
    return found.length > 0 ? found : damagedBlobs(database);
  } catch (error) {
    if (!isStateDamage(error)) throw error;
    return [(error as Error).message];
  }
}

/** The refusal of a command; `found` is what is wrong, as far as it is known. */
export function damagedState(path: string, found: readonly string[], cause?: unknown) {
  const told = found.map((one) => `\n- ${one}`);
  return new CommandError(
    `${path} is damaged.${told.join("")}\n` +
      "Stop the server on it, move its data directory away and bring back the newest backup " +
      "with: peneira restore BACKUP --data-dir DIR. Without one, check the disk and start on a " +
      "new data directory; keys and exports are lost then.",
    1,
    cause,
  );
}

/** What a request is answered whose part of the state is damaged. */
export function stateDamaged(cause: unknown): AppError {
  const detail =
    "The server's state cannot be read here, because its file is damaged. Tell the operator, who " +
    "has to restore a backup.";
  return new AppError("state_damaged", detail, { cause });
}

/** The refusal of a request whose part of the data directory was removed under the server. */
export function stateGone(cause: unknown): AppError {
  const detail =
    "The server's data directory was removed while it runs. Tell the operator, who has to stop " +
    "the server and restore a backup.";
  return new AppError("state_damaged", detail, { cause });
}

/** Counts the damaged rows of each table, in a sentence each. Earlier schemas have no checksums. */
export function damagedBlobs(database: StateDatabase): string[] {
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

function hasChecksums(database: StateDatabase, table: string): boolean {
  return (
    database
      .prepare<[string], number>(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'checksum'",
      )
      .pluck()
      .get(table) === 1
  );
}
