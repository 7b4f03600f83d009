/**
 * Moves a state between a data directory and PostgreSQL. Input: the two places. Output: the state
 * in the other place, with every row compared; the data directory uses it from then on.
 * Invariant: a copy that fails or is killed leaves the target unused and the original as it was. No
 * server works on either side and no command writes to either meanwhile. The old state is not
 * deleted: it stays as a file with another name, or as the schema on the server.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../errors.ts";
import {
  closeDatabase,
  DATABASE_FILE,
  lockDataDir,
  makeFilled,
  openUnmigrated,
  SCHEMA_VERSION,
} from "../database.ts";
import { checkDataFile, statOf, syncDirectory } from "../datadir.ts";
import { damagedState, findingsIn } from "../failures.ts";
import {
  ADDRESS_FILE,
  rememberAddress,
  rememberedAddress,
  shownAddress,
  stateAddress,
} from "../postgres/address.ts";
import { replaceSecrets, SECRETS_FILE, secretsText } from "../secrets.ts";
import type { SqliteDatabase } from "../sqlite.ts";
import type { StateDatabase } from "../statedatabase.ts";
import { compare, copyRows, type OnRows, rowCounts } from "./copyrows.ts";
import { filling, type PostgresSide, withMadePostgres, withPostgres } from "./postgresside.ts";
import type { TableSum } from "./rows.ts";
import { differences, type StateTable, stateTables } from "./tables.ts";

/** The file in which a copy is made. */
const UNFINISHED = `${DATABASE_FILE}.copying`;

/** A copy between a data directory and the address of a state on PostgreSQL. */
export interface CopyOptions {
  readonly dataDir: string;
  /** Value of `state.url`. */
  readonly url: string;
  /** `onCopied` gets the number of rows copied so far, `onCompared` the number compared. */
  readonly onCopied: OnRows;
  readonly onCompared: OnRows;
}

/** Result of a copy. */
export interface CopyReport {
  /** The copied tables, in the order of the copy; they are equal on both sides. */
  readonly tables: readonly TableSum[];
  /** False if the target already was an equal copy, from an interrupted run. */
  readonly copied: boolean;
  /** Where the state was before; it is not deleted there. */
  readonly left: string;
}

/** Copies the state of a data directory to PostgreSQL. @throws CommandError */
export function copyToPostgres(options: CopyOptions): CopyReport {
  const { dataDir, url } = options;
  const address = stateAddress(url);
  if (statOf(join(dataDir, DATABASE_FILE)) === undefined) throw noState(dataDir);
  return locked(dataDir, () => {
    const cut = rememberedAddress(dataDir);
    if (cut !== null) throw twoStates(dataDir, shownAddress(cut));
    const source = openUnmigrated(dataDir);
    try {
      refuseUnfit(source);
      const work = source.transaction(() => {
        const secrets = ownSecrets(dataDir);
        const [tables, copied] = withMadePostgres(address, (side) =>
          fillPostgres(source, side, { ...options, secrets }),
        );
        rememberAddress(dataDir, url);
        return { tables, copied, left: setAside(dataDir) };
      });
      return work.immediate();
    } finally {
      // Writes the log to the file of the old state, which has been renamed.
      closeDatabase(source);
    }
  });
}

function fillPostgres(
  from: SqliteDatabase,
  { database: to, secrets: stored }: PostgresSide,
  options: CopyOptions & { readonly secrets: string | null },
): [TableSum[], boolean] {
  const tables = stateTables(from);
  const pair = { from, to, tables };
  const there = rowCounts(to, tables);
  const { secrets, onCopied, onCompared } = options;
  if (there.size > 0 || stored !== null) {
    const isEqual = stored === secrets && sameCounts(there, rowCounts(from, tables));
    if (!isEqual) throw notEmpty(to, there);
    return [compareOrRefuse(() => compare(pair, onCompared), to, there), false];
  }
  filling(to, tables, secrets, () => copyRows(pair, onCopied));
  return [compare(pair, onCompared), true];
}

/** Copies a state on PostgreSQL to a data directory. @throws CommandError */
export function copyToDataDir(options: CopyOptions): CopyReport {
  const { dataDir, url, onCopied, onCompared } = options;
  const address = stateAddress(url);
  const isNew = statOf(dataDir) === undefined;
  try {
    return locked(dataDir, () =>
      withPostgres(address, ({ database: from, secrets }) => {
        refuseUsed(dataDir, address, secrets);
        removeUnfinished(dataDir);
        let sums: TableSum[] = [];
        try {
          makeFilled(dataDir, UNFINISHED, (to) => {
            const pair = { from, to, tables: tablesOfBoth(to, from) };
            copyRows(pair, onCopied);
            sums = compare(pair, onCompared);
          });
        } catch (error) {
          removeUnfinished(dataDir);
          throw error;
        }
        if (secrets !== null) replaceSecrets(dataDir, secrets);
        publish(dataDir);
        return { tables: sums, copied: true, left: shownAddress(address) };
      }),
    );
  } catch (error) {
    if (isNew) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

function removeUnfinished(dataDir: string): void {
  const path = join(dataDir, UNFINISHED);
  for (const suffix of ["", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
}

function tablesOfBoth(sqlite: StateDatabase, postgres: StateDatabase): StateTable[] {
  const tables = stateTables(sqlite);
  const [difference] = differences(postgres, tables);
  if (difference === undefined) return tables;
  throw new CommandError(`${postgres.name} is not a state of this version: ${difference}.`);
}

/**
 * Renames the copy to its final name. If a file with that name exists, it comes from an interrupted
 * run. The directory was still using the state on the server then, so nothing has used that file.
 */
function publish(dataDir: string): void {
  if (existsSync(join(dataDir, DATABASE_FILE))) setAside(dataDir);
  renameSync(join(dataDir, UNFINISHED), join(dataDir, DATABASE_FILE));
  rmSync(join(dataDir, ADDRESS_FILE), { force: true });
  syncDirectory(dataDir);
}

/** Renames the state of a data directory; returns its new name. */
function setAside(dataDir: string): string {
  const path = join(dataDir, DATABASE_FILE);
  let name = `${path}.copied`;
  for (let n = 2; existsSync(name); n++) name = `${path}.copied.${n}`;
  renameSync(path, name);
  syncDirectory(dataDir);
  return name;
}

function locked<Result>(dataDir: string, work: () => Result): Result {
  const unlock = lockDataDir(dataDir);
  try {
    return work();
  } finally {
    unlock();
  }
}

function ownSecrets(dataDir: string): string | null {
  return checkDataFile(dataDir, SECRETS_FILE) ? secretsText(dataDir) : null;
}

/** Throws if a data directory has a state, or the address or secrets of another state. */
function refuseUsed(
  dataDir: string,
  address: ReturnType<typeof stateAddress>,
  secrets: string | null,
): void {
  const remembered = rememberedAddress(dataDir);
  const isOwn = remembered?.url === address.url && remembered.schema === address.schema;
  if (remembered !== null && !isOwn) {
    throw new CommandError(
      `${dataDir} belongs to the state in ${shownAddress(remembered)}. Name another directory.`,
    );
  }
  if (remembered === null && statOf(join(dataDir, DATABASE_FILE)) !== undefined) {
    const there = countsIn(dataDir);
    throw new CommandError(
      `${dataDir} has a state: ${there}. Nothing was copied. Name an empty or new directory.`,
    );
  }
  const own = ownSecrets(dataDir);
  if (own === null || own === secrets) return;
  throw new CommandError(
    `${dataDir} has the secrets of another state (${SECRETS_FILE}). Name another directory.`,
  );
}

function countsIn(dataDir: string): string {
  const database = openUnmigrated(dataDir);
  try {
    return countWords(rowCounts(database, stateTables(database)));
  } finally {
    database.close();
  }
}

function countWords(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return "no rows";
  const words = [...counts].map(([name, rows]) => `${name} ${rows.toLocaleString("en-US")}`);
  return `rows by table: ${words.join(", ")}`;
}

function sameCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([name, rows]) => b.get(name) === rows);
}

/**
 * Compares the original with a target that has the same numbers of rows. The target may be the
 * complete copy of an interrupted run. Throws if they differ.
 */
function compareOrRefuse(
  work: () => TableSum[],
  to: StateDatabase,
  there: ReadonlyMap<string, number>,
): TableSum[] {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError) throw notEmpty(to, there, error);
    throw error;
  }
}

function notEmpty(
  to: StateDatabase,
  there: ReadonlyMap<string, number>,
  cause?: CommandError,
): CommandError {
  return new CommandError(
    `${to.name} has a state: ${countWords(there)}. Nothing was copied. ` +
      "Name another schema (?schema=NAME in state.url), or drop that one.",
    1,
    cause,
  );
}

function noState(dataDir: string): CommandError {
  return new CommandError(`There is no state (${DATABASE_FILE}) in ${dataDir}. Check the path.`);
}

function twoStates(dataDir: string, place: string): CommandError {
  return new CommandError(
    `${dataDir} belongs to the state in ${place}, and has a file ${DATABASE_FILE} too, which ` +
      `nothing uses. Move ${DATABASE_FILE} out of the directory; nothing has to be copied.`,
  );
}

/** Throws if the schema is older or the state is damaged, because damage would be copied. */
function refuseUnfit(database: SqliteDatabase): void {
  const version = Number(database.pragma("user_version", { simple: true }));
  if (version !== SCHEMA_VERSION) {
    throw new CommandError(
      `${database.name} has schema ${version}, and this version copies schema ${SCHEMA_VERSION}. ` +
        "Run peneira key list --data-dir DIR once, which upgrades it, and copy again.",
    );
  }
  const found = findingsIn(database);
  if (found.length > 0) throw damagedState(database.name, found);
}
