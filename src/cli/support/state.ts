/**
 * The state that commands work on, and the secrets that they show once. Input: the flag
 * `--data-dir`, or its setting. Output: the database or its keyring, open during the work, and a
 * printed key or password.
 * Invariant: the database is always closed, even after a failure. A running server may have it open
 * too. If the state is damaged, the error says how to restore it. Only commands that add data
 * create a state, and they say so. A secret is printed inside the transaction that creates it. If
 * it cannot be printed, the transaction is rolled back. So every valid secret was shown.
 */
import { join } from "node:path";
import { Keyring } from "../../access/keyring.ts";
import { Passwords } from "../../access/passwords.ts";
import { Users } from "../../access/users.ts";
import { CommandError } from "../../errors.ts";
import { notWritten, storageErrorText } from "../../files/storage.ts";
import { systemClock } from "../../process/clock.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { DATABASE_FILE } from "../../store/database.ts";
import { statOf } from "../../store/datadir.ts";
import { damagedState, findingsIn, isStateDamage } from "../../store/failures.ts";
import { KeyStore } from "../../store/keystore.ts";
import { rememberedAddress } from "../../store/postgres/address.ts";
import { isSqlite, openState, openStateForReading } from "../../store/state.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { UserStore } from "../../store/userstore.ts";
import { configOf } from "./config.ts";

/** Flags of commands that work on a data directory. */
export interface DataDirOptions {
  readonly dataDir?: string;
}

/**
 * Behavior if the directory has no state. `refuse` throws. `make` creates a state and says so on
 * standard error. `read` throws too, but it can open an existing state on a full disk.
 */
export type Absent = "refuse" | "make" | "read";

/**
 * Opens the database for some work, which may be asynchronous.
 * @throws CommandError if no directory is named (exit 2), or if the directory has no state and
 * `absent` does not create it (exit 1)
 */
export function withDatabase<Result>(
  { dataDir }: DataDirOptions,
  work: (database: StateDatabase) => Result,
  absent: Absent = "refuse",
): Result {
  const path = configOf({ data_dir: dataDir }, undefined).get("data_dir");
  if (path === null) throw new CommandError("Pass --data-dir DIR too.", 2);
  const missing = missingIn(path);
  if (missing !== null && absent !== "make") {
    const remedy = "Check the path; peneira key create and peneira serve make one.";
    throw new CommandError(`There is no ${missing} ${path}. ${remedy}`);
  }
  const database = absent === "read" ? openStateForReading(path) : openState(path);
  const withSystemErrors = (error: unknown): never => {
    const reason = notWritten(database.name, error);
    if (reason !== null) throw new CommandError(reason, 1, error);
    const isOwn = !(error instanceof CommandError) && isSqlite(database);
    const found = isOwn ? findingsIn(database) : [];
    if (found.length > 0 || isStateDamage(error)) throw damagedState(database.name, found, error);
    throw error;
  };
  if (missing !== null) stderr.print(`made a new ${missing} ${path}\n`);
  let later = false;
  try {
    const result = work(database);
    if (!(result instanceof Promise)) return result;
    later = true;
    return result.catch(withSystemErrors).finally(() => database.close()) as Result;
  } catch (error) {
    return withSystemErrors(error);
  } finally {
    if (!later) database.close();
  }
}

/** Returns which part is missing (data directory or its state), or null if neither is. */
function missingIn(path: string): string | null {
  const found = statOf(path);
  if (found === undefined) return "data directory";
  if (!found.isDirectory() || rememberedAddress(path) !== null) return null;
  const state = join(path, DATABASE_FILE);
  return statOf(state) === undefined ? `state (${DATABASE_FILE}) in` : null;
}

/** Opens the keyring for some work. @throws CommandError as `withDatabase` */
export function withKeyring<Result>(
  options: DataDirOptions,
  work: (keyring: Keyring, database: StateDatabase) => Result,
  absent: Absent = "refuse",
): Result {
  return withDatabase(
    options,
    (database) => work(new Keyring(new KeyStore(database), systemClock), database),
    absent,
  );
}

/** Returns the user service over an open database. */
export function openUsers(database: StateDatabase): Users {
  const [store, keys] = [new UserStore(database), new KeyStore(database)];
  return new Users({ store, keys, passwords: new Passwords(), clock: systemClock });
}

/** Prints a secret once, and reports failures. */
export class SecretPrint {
  readonly #undone: string;
  #printed = false;

  /** `undone` is the message if the secret cannot be printed: "No key was made". */
  constructor(undone: string) {
    this.#undone = undone;
  }

  /** Prints the secret alone, for people. @throws CommandError if it cannot be written */
  text(secret: string): void {
    this.#print(() => stdout.printNow(`${secret}\n`));
  }

  /** Prints a document with the secret. @throws CommandError if it cannot be written */
  document(document: object): void {
    this.#print(() => stdout.dataNow(`${JSON.stringify(document)}\n`));
  }

  /** Warns after a failure that a printed secret is not valid. Returns `error`. */
  undone(error: unknown): unknown {
    if (this.#printed) stderr.print(`${this.#undone}: what was printed does not work.\n`);
    return error;
  }

  #print(write: () => void): void {
    try {
      write();
      this.#printed = true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const broken =
        code === "EPIPE" ? "its reader has ended (EPIPE). Run the command again." : null;
      const why = storageErrorText(error) ?? broken ?? `${message}.`;
      // With a `cause`, a disk error of standard output would count as one of the state.
      throw new CommandError(
        `${this.#undone}, because it could not be shown. Standard output was not written: ${why}`,
      );
    }
  }
}
