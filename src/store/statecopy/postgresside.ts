/**
 * A state on PostgreSQL as one side of a copy. Input: its address, and the work to do. Output: the
 * result of the work.
 * Invariant: the work runs in one transaction that excludes other writers, while no server uses the
 * state. A new state and its tables appear with the commit, so a run that fails or is killed before
 * leaves nothing. No schema is upgraded here.
 */
import { strict as assert } from "node:assert";
import { CommandError } from "../../errors.ts";
import type { StateAddress } from "../postgres/address.ts";
import { shownAddress } from "../postgres/address.ts";
import { PostgresDatabase } from "../postgres/postgresdatabase.ts";
import { applySteps, compareVersions, refusalOf, versionsOf } from "../postgres/schema.ts";
import { refuseServed } from "../postgres/sharedstate.ts";
import type { StateDatabase } from "../statedatabase.ts";
import { differences, type StateTable } from "./tables.ts";

/** An open state, in its transaction. */
export interface PostgresSide {
  readonly database: StateDatabase;
  /** Text of the secrets; null until a server has stored them. */
  readonly secrets: string | null;
}

/** Runs work on a state that must exist. @throws CommandError */
export function withPostgres<Result>(
  address: StateAddress,
  work: (side: PostgresSide) => Result,
): Result {
  return holding(address, (database) => {
    if (!isCurrent(database, address)) {
      throw new CommandError(`There is no state in ${shownAddress(address)}. Check state.url.`);
    }
    return work(sideOf(database));
  });
}

/**
 * Runs work on a state, or on a new one if the schema contains none. `isNew` is true for a new one.
 * @throws CommandError also if the schema has tables of another program
 */
export function withMadePostgres<Result>(
  address: StateAddress,
  work: (side: PostgresSide, isNew: boolean) => Result,
): Result {
  return holding(address, (database) => {
    const isNew = !isCurrent(database, address);
    if (isNew) {
      refuseForeign(database, address);
      applySteps(database, address.schema);
    }
    return work(sideOf(database), isNew);
  });
}

/** Fills a state with its triggers disabled, and stores the secrets in the same transaction. */
export function filling(
  database: StateDatabase,
  tables: readonly StateTable[],
  secrets: string | null,
  work: () => void,
): void {
  const found = differences(database, tables);
  assert.deepEqual(found, [], "the engines have different tables");
  const alter = (what: "DISABLE" | "ENABLE") => {
    for (const { name } of tables) database.exec(`ALTER TABLE ${name} ${what} TRIGGER USER`);
  };
  alter("DISABLE");
  work();
  alter("ENABLE");
  database.prepare("UPDATE state SET secrets = ?").run(secrets);
}

function holding<Result>(address: StateAddress, work: (database: StateDatabase) => Result): Result {
  const database = new PostgresDatabase(address, { listens: false });
  try {
    refuseServed(database, address.schema);
    const run = database.transaction(() => {
      // The time limits are lifted, because reading or writing the other side of the copy may take
      // longer. The schema may not exist yet.
      database.exec(
        `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
         SELECT pg_advisory_xact_lock(1347310129, hashtext('${address.schema}'));`,
      );
      return work(database);
    });
    return run.immediate();
  } catch (error) {
    throw refusalOf(error, shownAddress(address));
  } finally {
    database.close();
  }
}

function sideOf(database: StateDatabase): PostgresSide {
  const find = database.prepare<[], string | null>("SELECT secrets FROM state").pluck();
  return { database, secrets: find.get() as string | null };
}

/**
 * Returns true if the schema contains a state, and false if it contains none. @throws CommandError
 * if the state is of another version
 */
function isCurrent(database: StateDatabase, address: StateAddress): boolean {
  const found = versionsOf(database, address.schema);
  if (found === null) return false;
  if (compareVersions(database, found)) return true;
  throw new CommandError(
    `The state in ${database.name} was made by an older version of the program. Start a server ` +
      "of this version on it once, which upgrades it, and copy again.",
  );
}

function refuseForeign(database: StateDatabase, address: StateAddress): void {
  const names = database
    .prepare<[string], string>(
      "SELECT table_name::text FROM information_schema.tables WHERE table_schema = ? ORDER BY 1",
    )
    .pluck()
    .all(address.schema);
  if (names.length === 0) return;
  const some = names.slice(0, 5).join(", ");
  throw new CommandError(
    `${shownAddress(address)} has ${names.length} tables of another program: ${some}. ` +
      `Name another schema: ?schema=NAME in state.url.`,
  );
}
