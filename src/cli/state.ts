/**
 * The state that commands work on. What comes in: the flag `--data-dir`, or the setting in its
 * place. What goes out: the opened database, or the keyring over it, for as long as the work lasts.
 * Invariant: the database is closed however the work ends; a running server may have it open too.
 */
import { Keyring } from "../access/keyring.ts";
import { systemClock } from "../clock.ts";
import { CommandError } from "../errors.ts";
import { openDatabase, type StateDatabase } from "../store/database.ts";
import { KeyStore } from "../store/keystore.ts";
import { configOf } from "./config.ts";

/** Flags of commands that work on a data directory. */
export interface DataDirOptions {
  readonly dataDir?: string;
}

/** Opens the database for some work. @throws CommandError (exit 2) where no directory is named. */
export function withDatabase<Result>(
  { dataDir }: DataDirOptions,
  work: (database: StateDatabase) => Result,
): Result {
  const path = configOf({ data_dir: dataDir }, undefined).get("data_dir");
  if (path === null) throw new CommandError("Say also --data-dir DIR.", 2);
  const database = openDatabase(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Opens the keyring for some work. @throws CommandError as `withDatabase` */
export function withKeyring<Result>(
  options: DataDirOptions,
  work: (keyring: Keyring) => Result,
): Result {
  return withDatabase(options, (database) =>
    work(new Keyring(new KeyStore(database), systemClock)),
  );
}
