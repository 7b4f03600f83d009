/**
 * Prepares a state on PostgreSQL for a server that starts. Input: the open state, and the data
 * directory. Output: the secrets of the state in the data directory; the right to serve.
 * Invariant: one server works on a state at a time; the lock belongs to its connection, so it ends
 * with its process. Secrets are stored once, so cursors and links stay valid on another machine.
 */
import { CommandError } from "../../errors.ts";
import { openSecrets, replaceSecrets, secretsText } from "../secrets.ts";
import { StateAway, type StateDatabase } from "../statedatabase.ts";

/** Takes the lock of servers, or keeps it; a lost connection has lost its lock. */
const LOCK = "SELECT pg_try_advisory_lock(1347310130, hashtext(current_schema()))";

/** Keeps the lock of servers. A connection that was lost has lost it, so it is taken again. */
export class ServerLock {
  readonly #database: StateDatabase;
  readonly #report: (text: string) => void;

  /** `report` is called while another server has the lock. */
  constructor(database: StateDatabase, report: (text: string) => void) {
    this.#database = database;
    this.#report = report;
  }

  /** Checks the lock; a server that cannot be reached is not a loss. */
  look(): void {
    try {
      if (!holdsServerLock(this.#database)) this.#report("another server works on the state");
    } catch (error) {
      if (!(error instanceof StateAway)) throw error;
    }
  }
}

/** True if this connection has the lock of servers. */
function holdsServerLock(database: StateDatabase): boolean {
  return database.prepare<[], number>(LOCK).pluck().get() === 1;
}

/** @throws CommandError if another server works on the state */
export function takeServerLock(database: StateDatabase): void {
  if (holdsServerLock(database)) return;
  throw new CommandError(
    `Another server works on the state in ${database.name}. Stop it, or name another database.`,
  );
}

/**
 * Keeps servers away from a state, which may have no schema yet, until the connection is closed.
 * @throws CommandError if a server works on it
 */
export function refuseServed(database: StateDatabase, schema: string): void {
  const lock = "SELECT pg_try_advisory_lock(1347310130, hashtext(?))";
  if (database.prepare<[string], number>(lock).pluck().get(schema) === 1) return;
  throw new CommandError(`A server works on the state in ${database.name}. Stop it first.`);
}

/** Stores the secrets of the first data directory, and writes them to every other one. */
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
