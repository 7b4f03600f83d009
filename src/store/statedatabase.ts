/**
 * The database of the state, independent of its engine: SQLite in the data directory
 * (sqlite.ts), or PostgreSQL (postgres/postgresdatabase.ts). Stores use it with statements in
 * SQLite's dialect, which the PostgreSQL class translates.
 * Invariant: calls are synchronous, so no other work of its thread runs within a transaction.
 * Writes of all processes are serial. A number stays a number and a blob a Buffer in both engines.
 */

/** Thrown if the state's server is unreachable. A commit in progress may or may not be stored. */
export class StateUnreachable extends Error {
  readonly code = "STATE_AWAY";
}

/** Thrown if the server refused a statement. `code` is its SQLSTATE. */
export class StatementRefused extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Result of a statement that writes. */
export interface StateChange {
  /** Number of rows that were inserted, updated, or deleted. */
  readonly changes: number;
}

/** A prepared statement. Its parameters are positional (`?`), or one object (`@name`). */
export interface StateStatement<Parameters extends unknown[], Row = unknown> {
  run(...parameters: Parameters): StateChange;
  /** Returns the first row; undefined if there is none. */
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Yields the rows. Run no other statement before the iteration ends. */
  iterate(...parameters: Parameters): IterableIterator<Row>;
  /** Makes the statement return only the first column of each row, as a plain value. */
  pluck(): this;
  /** Makes the statement return integers as `bigint`, for values beyond 2^53. */
  safeIntegers(): this;
}

/** A transaction. An error undoes it; inside another transaction, only the inner part. */
export interface StateTransaction<Result> {
  /** Runs the transaction and excludes other writers from its beginning. */
  immediate(): Result;
  /** Runs a transaction that only reads, all on one snapshot. */
  deferred(): Result;
}

/** Reads a version of the database. Prepared once, because every request runs it. */
export type VersionReader = Pick<StateStatement<[], unknown>, "get">;

/** An open database. */
export interface StateDatabase {
  readonly engine: "sqlite" | "postgres";
  /** Path of the file, or the address of the server without its password. */
  readonly name: string;
  readonly inTransaction: boolean;
  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string,
  ): StateStatement<Parameters, Row>;
  transaction<Result>(work: () => Result): StateTransaction<Result>;
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Reads a value that changes when another connection has written. */
  othersVersion(): VersionReader;
  /** Reads a value that changes with every write of this connection. */
  ownVersion(): VersionReader;
  /** Opens another connection that reads one snapshot until it is closed. */
  atOneMoment(): StateDatabase;
  /** How long the database has been unreachable, in milliseconds; always 0 for a file. */
  readonly away: { readonly ms: number };
  close(): void;
}
