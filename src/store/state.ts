/**
 * Opens the state of a data directory. It is either a database in the directory, or one on
 * PostgreSQL whose address the directory stores.
 * Invariant: only this file chooses the engine. PostgreSQL's client is loaded only by the
 * thread that talks to the server, so a state in the data directory does not load it.
 */
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import {
  closeDatabase,
  connectToRead,
  DATABASE_FILE,
  openDatabase,
  openForReading,
  openSecondConnection,
} from "./database.ts";
import { statOf } from "./datadir.ts";
import {
  ADDRESS_FILE,
  rememberAddress,
  rememberedAddress,
  type StateAddress,
  shownAddress,
  stateAddress,
} from "./postgres/address.ts";
import { PostgresDatabase } from "./postgres/postgresdatabase.ts";
import { openPostgres } from "./postgres/schema.ts";
import { type ServerLockKind, shareSecrets, takeServerLock } from "./postgres/sharedstate.ts";
import type { SqliteDatabase } from "./sqlite.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** True if the state is a file in its data directory. */
export function isSqlite(database: StateDatabase): database is SqliteDatabase {
  return database.engine === "sqlite";
}

/** Opens a state as `openDatabase` does. @throws CommandError also if a server cannot be reached */
export function openState(dataDir: string): StateDatabase {
  const address = rememberedAddress(dataDir);
  return address === null ? openDatabase(dataDir) : openPostgres(address, { listens: true });
}

/**
 * Opens the state of a server. `url` is the setting `state.url`; the data directory remembers it,
 * so that commands find the state. `lock` is shared if the server keeps its files on a store.
 * @throws CommandError if the data directory remembers an address and the setting is missing, or if
 * another server works on the state and the two cannot share it
 */
export function openServedState(
  dataDir: string,
  url: string | null,
  lock: ServerLockKind,
): StateDatabase {
  if (url !== null) {
    const address = stateAddress(url);
    refuseOwnState(dataDir, address);
    const database = openPostgres(address, { listens: true });
    try {
      takeServerLock(database, lock);
      shareSecrets(database, dataDir);
      rememberAddress(dataDir, url);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }
  const remembered = rememberedAddress(dataDir);
  if (remembered === null) return openDatabase(dataDir);
  throw new CommandError(
    `${dataDir} belongs to the state in ${shownAddress(remembered)}, and state.url is not set. ` +
      "Set it, or name another data directory. " +
      `To leave that server for good, remove ${ADDRESS_FILE}.`,
    2,
  );
}

/** Throws if a directory with a stored address also has a database, which would be ignored. */
function refuseOwnState(dataDir: string, address: StateAddress): void {
  if (statOf(join(dataDir, DATABASE_FILE)) === undefined) return;
  throw new CommandError(
    `${dataDir} has a state of its own (${DATABASE_FILE}), and state.url names another one, ` +
      `${shownAddress(address)}. Copy it there with peneira state copy, or name an empty data ` +
      "directory.",
    2,
  );
}

/** Opens a state for commands that change nothing. @throws CommandError as `openState` */
export function openStateForReading(dataDir: string): StateDatabase {
  const address = rememberedAddress(dataDir);
  return address === null ? openForReading(dataDir) : openPostgres(address);
}

/** Opens the state again, to read keys in a further thread of the running server. */
export function openStateOfThread(dataDir: string): StateDatabase {
  const address = rememberedAddress(dataDir);
  return address === null
    ? connectToRead(dataDir)
    : new PostgresDatabase(address, { listens: true });
}

/** Opens the state again, to read and write in a thread (`openSecondConnection`). */
export function openStateOfWorker(
  dataDir: string,
  synchronous: "NORMAL" | "FULL" = "NORMAL",
): StateDatabase {
  const address = rememberedAddress(dataDir);
  return address === null
    ? openSecondConnection(dataDir, synchronous)
    : new PostgresDatabase(address, { listens: false });
}

/** Closes a state as `closeDatabase` does. */
export function closeState(database: StateDatabase): void {
  if (isSqlite(database)) closeDatabase(database);
  else database.close();
}
