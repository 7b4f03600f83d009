/**
 * Prepares a state on PostgreSQL for a server that starts. Input: the open state, and the data
 * directory. Output: the secrets of the state in the data directory; the lock that allows the
 * server to serve.
 * Invariant: if the files are in the data directory, only one server may work on the state. If all
 * servers keep their files on an object store, several may. The lock belongs to a connection, so it
 * ends with its process. Secrets are stored once, so cursors and links stay valid on another
 * machine.
 */
import { CommandError } from "../../errors.ts";
import { openSecrets, replaceSecrets, secretsText } from "../secrets.ts";
import { type StateDatabase, StateUnreachable } from "../statedatabase.ts";

/**
 * Statements that take the server lock, or confirm that this connection holds it. A lost connection
 * loses its lock. Servers that keep their files on a store share the lock.
 */
const LOCK = {
  alone: "SELECT pg_try_advisory_lock(1347310130, hashtext(current_schema()))",
  shared: "SELECT pg_try_advisory_lock_shared(1347310130, hashtext(current_schema()))",
} as const;

/** How a server locks a state. */
export type ServerLockKind = keyof typeof LOCK;

/** Holds the server lock, which is lost with the connection and must then be taken again. */
export class ServerLock {
  readonly #database: StateDatabase;
  readonly #kind: ServerLockKind;
  readonly #report: (text: string) => void;

  /** `report` is called while another server has the lock. */
  constructor(database: StateDatabase, kind: ServerLockKind, report: (text: string) => void) {
    this.#database = database;
    this.#kind = kind;
    this.#report = report;
  }

  /**
   * Checks that this server still holds the lock, and takes it again after a lost connection.
   * Reports if another server has it. Does nothing while the database is unreachable.
   */
  look(): void {
    try {
      if (!holdsServerLock(this.#database, this.#kind)) {
        this.#report("another server works on the state");
      }
    } catch (error) {
      if (!(error instanceof StateUnreachable)) throw error;
    }
  }
}

/** Takes the server lock of this kind if it is free. True if this connection then holds it. */
function holdsServerLock(database: StateDatabase, kind: ServerLockKind): boolean {
  return database.prepare<[], number>(LOCK[kind]).pluck().get() === 1;
}

/**
 * @throws CommandError if another server works on the state, and the two cannot share it
 */
export function takeServerLock(database: StateDatabase, kind: ServerLockKind): void {
  if (holdsServerLock(database, kind)) return;
  const why =
    kind === "alone"
      ? "This one keeps the files of exports in its data directory, so they would be missing on " +
        "the other. Set files.url, the address of an S3-compatible store, on every server"
      : "That one keeps the files of exports in its data directory, so they would be missing " +
        "here. Set files.url on it too, and start it again";
  throw new CommandError(
    `Another server works on the state in ${database.name}. ${why}; or stop it, or name another ` +
      "database.",
  );
}

/**
 * Prevents servers from using a state, which may have no schema yet, until the connection closes.
 * @throws CommandError if a server works on it
 */
export function refuseServed(database: StateDatabase, schema: string): void {
  const lock = "SELECT pg_try_advisory_lock(1347310130, hashtext(?))";
  if (database.prepare<[string], number>(lock).pluck().get(schema) === 1) return;
  throw new CommandError(`A server works on the state in ${database.name}. Stop it first.`);
}

/** Stores the secrets of the first data directory in the state, and copies them to all others. */
export function shareSecrets(database: StateDatabase, dataDir: string): void {
  const share = database.transaction(() => {
    const stored = database
      .prepare<[], string | null>("SELECT secrets FROM state")
      .pluck()
      .get() as unknown as string | null;
    if (stored !== null) return stored;
    openSecrets(dataDir);
    const own = secretsText(dataDir);
    database.prepare("UPDATE state SET secrets = ?").run(own);
    return own;
  });
  replaceSecrets(dataDir, share.immediate());
}
