/**
 * Replaces `src/store/database.ts` in tests, so that the state of data directories is on PostgreSQL
 * (postgres-folders.mjs).
 * Invariant: each data directory always has the same schema, so that it can be opened again.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openDataDir } from "../../../src/store/datadir.ts";
import {
  ADDRESS_FILE,
  rememberAddress,
  stateAddress,
} from "../../../src/store/postgres/address.ts";
import type { PostgresDatabase } from "../../../src/store/postgres/postgresdatabase.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";

export {
  closeDatabase,
  connectToRead,
  DATABASE_FILE,
  isAlone,
  LOCK_FILE,
  lockDataDir,
  openForReading,
  openSecondConnection,
  openUnmigrated,
  reading,
  SCHEMA_VERSION,
  settleCopy,
  tryLock,
} from "../../../src/store/database.ts";

/** Opens the state of a data directory in its schema. */
export function openDatabase(dataDir: string): PostgresDatabase {
  openDataDir(dataDir);
  const url = addressFor(dataDir);
  if (!existsSync(join(dataDir, ADDRESS_FILE))) rememberAddress(dataDir, url);
  return openPostgres(stateAddress(url), { listens: true });
}

/** Returns the address of a data directory's schema on the server of the tests. */
export function addressFor(dataDir: string): string {
  const server = process.env.TEST_STATE_URL;
  if (server === undefined) throw new Error("TEST_STATE_URL names no server");
  const name = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  const url = new URL(server);
  url.searchParams.set("schema", `test_${name}`);
  return url.href;
}
