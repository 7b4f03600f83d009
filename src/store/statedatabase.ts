/**
 * The database of the state, independent of its engine: SQLite in the data directory
 * (sqlite.ts), or PostgreSQL (postgres/postgresdatabase.ts). Stores are written against it, in
 * statements of SQLite, which the other one translates.
 * Invariant: calls are synchronous, so a transaction holds no other work of its thread. Writes of
 * all processes are serial. A number stays a number and a blob a Buffer in both engines.
 */

/**
 * The server of the state cannot be reached. Whether a change that was being committed is stored is
 * not known.
 */
export class StateAway extends Error {
  readonly code = "STATE_AWAY";
}

/** A statement was refused by the server. `code` is its SQLSTATE. */
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

/**
 * A prepared statement with its parameter and row types. Parameters are positional (`?`), or one
 * object (`@name`).
 */
export interface StateStatement<Parameters extends unknown[], Row = unknown> {
  run(...parameters: Parameters): StateChange;
  /** Returns the first row; undefined if there is none. */
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Yields the rows. Run no other statement before it ends. */
  iterate(...parameters: Parameters): IterableIterator<Row>;
  /** Makes rows the values of their first column. */
  pluck(): this;
  /** Makes integers `bigint`, for values beyond 2^53. */
  safeIntegers(): this;
}

/** A transaction. A throw undoes it; inside another one, only its own part. */
export interface StateTransaction<Result> {
  /** Excludes other writers from the beginning. */
  immediate(): Result;
  /** Only reads, all of them at one moment. */
  deferred(): Result;
}

/** Reads a version of the database; a request runs it, so it costs less than a method around it. */
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
  /** Opens a further connection that reads at one moment until it is closed. */
  atOneMoment(): StateDatabase;
  /**
   * Milliseconds for which the database has not been reachable; 0 while it is. A file is always
   * reachable.
   */
  readonly away: { readonly ms: number };
  close(): void;
}
