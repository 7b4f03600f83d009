/**
 * The schema of a state on PostgreSQL. Input: the address of a server. Output: a database of the
 * newest schema.
 * Invariant: migrations.ts has the steps for the tables that both engines have. This file has the
 * steps for the tables that only a shared state has. One process applies them, in one transaction,
 * while others wait. A state of a newer program is refused.
 */
import { CommandError } from "../../errors.ts";
import { MIGRATIONS } from "../migrations.ts";
import { type StateDatabase, StatementRefused, StateUnreachable } from "../statedatabase.ts";
import { type StateAddress, shownAddress } from "./address.ts";
import { COMPATIBILITY, translatedStep } from "./dialect.ts";
import { PostgresDatabase } from "./postgresdatabase.ts";
import { RATE_STEP } from "./ratelimits.ts";

/**
 * Migration steps that only a shared state has, in order. A released step is never changed. The
 * table of the first step counts changes of keys, users, and sessions. Every process is notified of
 * such changes and then reads its cached rows again.
 */
const SHARED_STEPS: readonly string[] = [
  `CREATE TABLE access_changes (
     id boolean PRIMARY KEY DEFAULT true CHECK (id),
     number bigint NOT NULL
   );
   INSERT INTO access_changes (number) VALUES (0);
   CREATE FUNCTION access_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     UPDATE access_changes SET number = number + 1;
     PERFORM pg_notify('peneira', TG_TABLE_SCHEMA);
     RETURN NULL;
   END $body$;
   CREATE TRIGGER tenants_access AFTER INSERT OR UPDATE OR DELETE ON tenants
     FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
   CREATE TRIGGER keys_access AFTER INSERT OR DELETE
     OR UPDATE OF name, plan, hash, expires_at, disabled_at ON keys
     FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
   CREATE TRIGGER users_access AFTER INSERT OR DELETE
     OR UPDATE OF email, role, password_hash, password_salt, password_cost, disabled_at ON users
     FOR EACH STATEMENT EXECUTE FUNCTION access_changed();
   CREATE TRIGGER sessions_access AFTER DELETE OR UPDATE OF expires_at, kept ON sessions
     FOR EACH STATEMENT EXECUTE FUNCTION access_changed();`,
  // The database's clock, in milliseconds. Leases end only by this clock. Unlike `now()`, it also
  // advances within a transaction.
  `CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
     AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';`,
  // The snapshot that all servers serve, and the snapshots that each server has verified.
  `CREATE TABLE fleet_month (
     id boolean PRIMARY KEY DEFAULT true CHECK (id),
     snapshot_id text NOT NULL,
     label text NOT NULL,
     before_id text,
     since bigint NOT NULL
   );
   ALTER TABLE members ADD COLUMN offered_id text;
   ALTER TABLE members ADD COLUMN offered_label text;`,
  RATE_STEP,
];

/** The tables of a shared state only: `state` (versions and secrets), and those of SHARED_STEPS. */
export const SHARED_TABLES: readonly string[] = [
  "state",
  ...SHARED_STEPS.flatMap((step) => step.match(/(?<=CREATE TABLE )\w+/g) ?? []),
];

/** Schema of a state. */
interface Versions {
  /** Steps of migrations.ts that were applied. */
  readonly version: number;
  /** Steps of `SHARED_STEPS` that were applied. */
  readonly shared: number;
}

/**
 * Opens a state, and brings it to the newest schema.
 * @throws CommandError if the server cannot be reached or refuses, or if the state is newer
 */
export function openPostgres(
  address: StateAddress,
  options: { readonly listens?: boolean } = {},
): PostgresDatabase {
  const place = shownAddress(address);
  const database = new PostgresDatabase(address, { listens: options.listens ?? false });
  try {
    migrate(database, address);
    return database;
  } catch (error) {
    database.close();
    throw refusalOf(error, place);
  }
}

/** Converts a failure of the server to an error for the operator; returns others unchanged. */
export function refusalOf(error: unknown, place: string): unknown {
  if (error instanceof StateUnreachable) {
    const remedy = "Check that the server runs, and user, password, and database in state.url.";
    return new CommandError(`${place} cannot be reached: ${error.message}. ${remedy}`, 1, error);
  }
  if (error instanceof StatementRefused) {
    const remedy = "The user in state.url must own the schema, or may create it.";
    return new CommandError(
      `${place} refused (${error.code}): ${error.message}. ${remedy}`,
      1,
      error,
    );
  }
  return error;
}

function migrate(database: StateDatabase, { schema }: StateAddress): void {
  database.exec(
    `BEGIN; SET LOCAL statement_timeout = 0;
     SELECT pg_advisory_xact_lock(1347310129, hashtext('${schema}'));`,
  );
  try {
    applySteps(database, schema);
    database.exec("COMMIT");
  } catch (error) {
    undo(database);
    throw error;
  }
}

/** Rolls back. Errors are ignored: the server undoes the transaction of a lost connection. */
function undo(database: StateDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch (error) {
    if (!(error instanceof StateUnreachable || error instanceof TypeError)) throw error;
  }
}

/** Creates missing tables. Call within a transaction that holds the state's lock. */
export function applySteps(database: StateDatabase, schema: string): void {
  const found = versionsOf(database, schema);
  if (found !== null) compareVersions(database, found);
  if (found === null) database.exec(firstStep(schema));
  const { version, shared } = found ?? { version: 0, shared: 0 };
  for (const step of MIGRATIONS.slice(version)) {
    database.exec(translatedStep(step, version === 0));
  }
  for (const step of SHARED_STEPS.slice(shared)) database.exec(step);
  if (version === MIGRATIONS.length && shared === SHARED_STEPS.length) return;
  database.exec(`UPDATE state SET version = ${MIGRATIONS.length}, shared = ${SHARED_STEPS.length}`);
}

/**
 * Returns true if a state has the newest schema, and false if it has an older one.
 * @throws CommandError if it has a newer one
 */
export function compareVersions(database: StateDatabase, { version, shared }: Versions): boolean {
  if (version > MIGRATIONS.length || shared > SHARED_STEPS.length) {
    throw new CommandError(
      `The state in ${database.name} was made by a newer version of the program (schema ` +
        `${version}.${shared}; this one knows ${MIGRATIONS.length}.${SHARED_STEPS.length}). ` +
        "Use the newer version.",
    );
  }
  return version === MIGRATIONS.length && shared === SHARED_STEPS.length;
}

/** Returns the versions of a state; null if the schema has none. */
export function versionsOf(database: StateDatabase, schema: string): Versions | null {
  const table = `SELECT to_regclass('"${schema}".state') IS NOT NULL`;
  if (database.prepare<[], number>(table).pluck().get() !== 1) return null;
  return database.prepare<[], Versions>("SELECT version, shared FROM state").get() as Versions;
}

/** Creates the table `state`. Its `secrets` are JSON, or null until a server has stored them. */
function firstStep(schema: string): string {
  return `
    CREATE SCHEMA IF NOT EXISTS "${schema}";
    CREATE TABLE state (
      id boolean PRIMARY KEY DEFAULT true CHECK (id),
      version bigint NOT NULL,
      shared bigint NOT NULL,
      secrets text
    );
    INSERT INTO state (version, shared) VALUES (0, 0);
    ${COMPATIBILITY}`;
}
