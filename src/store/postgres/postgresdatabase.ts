/**
 * The state on PostgreSQL. Input: the address of a server. Output: an open database of the newest
 * schema.
 * Invariant: the same statements give the same rows as on SQLite, in the same types. All writers of
 * a state are serial: a transaction that may write holds the state's lock throughout, so sequences
 * ascend in the order of the commits.
 */
import type {
  StateChange,
  StateDatabase,
  StateStatement,
  StateTransaction,
  VersionReader,
} from "../statedatabase.ts";
import { type StateAddress, shownAddress } from "./address.ts";
import { Bridge } from "./bridge.ts";
import { type TranslatedStatement, translated, valuesOf } from "./dialect.ts";
import type { QueryAnswer } from "./messages.ts";

/** Translations by statement. Cached because stores prepare the same statements repeatedly. */
const translations = new Map<string, TranslatedStatement>();

function translationOf(sql: string): TranslatedStatement {
  const known = translations.get(sql);
  if (known !== undefined) return known;
  const made = translated(sql);
  translations.set(sql, made);
  return made;
}

/** A database handle: one session of a bridge. */
export class PostgresDatabase implements StateDatabase {
  readonly engine = "postgres";
  readonly name: string;
  readonly #bridge: Bridge;
  readonly #session: number;
  #depth = 0;
  #begun = false;
  #isClosed = false;
  #written = 0;

  /** `listens`: the handle notices when others change keys, users, or sessions. */
  constructor(address: StateAddress, options: { readonly listens: boolean; bridge?: Bridge }) {
    this.name = shownAddress(address);
    this.#bridge = options.bridge ?? new Bridge({ ...address, listens: options.listens });
    this.#session = this.#bridge.session();
    this.#address = address;
  }

  readonly #address: StateAddress;

  get inTransaction(): boolean {
    return this.#begun;
  }

  prepare<Parameters extends unknown[], Row>(sql: string): StateStatement<Parameters, Row> {
    return new PostgresStatement<Parameters, Row>(translationOf(sql), (text, values, writes) => {
      if (writes) this.#written++;
      const kind = writes && !this.#begun ? "write" : "query";
      return this.#bridge.request({ session: this.#session, kind, text, values });
    });
  }

  transaction<Result>(work: () => Result): StateTransaction<Result> {
    return {
      immediate: () => (this.#begun ? this.#nested(work) : this.#whole(work, false)),
      deferred: () => (this.#begun ? this.#nested(work) : this.#whole(work, true)),
    };
  }

  #whole<Result>(work: () => Result, reads: boolean): Result {
    const session = this.#session;
    this.#bridge.request({ session, kind: "begin", reads });
    this.#begun = true;
    let isDone = false;
    try {
      const result = work();
      this.#begun = false;
      isDone = true;
      this.#bridge.request({ session, kind: "end", commits: true });
      return result;
    } catch (error) {
      if (!isDone) this.#undo();
      throw error;
    } finally {
      this.#begun = false;
    }
  }

  #undo(): void {
    this.#begun = false;
    try {
      this.#bridge.request({ session: this.#session, kind: "end", commits: false });
    } catch {
      // Ignored, because the server undoes the transaction of a lost connection, and the caller
      // gets the first error.
    }
  }

  #nested<Result>(work: () => Result): Result {
    const name = `part_${++this.#depth}`;
    try {
      this.exec(`SAVEPOINT ${name}`);
      const result = work();
      this.exec(`RELEASE ${name}`);
      return result;
    } catch (error) {
      if (this.#bridge.awayMs === 0) this.exec(`ROLLBACK TO ${name}`);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  exec(text: string): void {
    this.#bridge.request({ session: this.#session, kind: "exec", text });
  }

  othersVersion(): VersionReader {
    return { get: () => this.#bridge.version };
  }

  ownVersion(): VersionReader {
    return { get: () => this.#written };
  }

  atOneMoment(): PostgresDatabase {
    const reader = new PostgresDatabase(this.#address, { listens: false, bridge: this.#bridge });
    this.#bridge.request({ session: reader.#session, kind: "begin", reads: true });
    reader.#begun = true;
    return reader;
  }

  get away(): { readonly ms: number } {
    return { ms: this.#bridge.awayMs };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#bridge.close(this.#session);
  }
}

type Run = (text: string, values: ReturnType<typeof valuesOf>, writes: boolean) => QueryAnswer;

class PostgresStatement<Parameters extends unknown[], Row>
  implements StateStatement<Parameters, Row>
{
  readonly #statement: TranslatedStatement;
  readonly #run: Run;
  #plucks = false;
  #keepsIntegers = false;

  constructor(statement: TranslatedStatement, run: Run) {
    this.#statement = statement;
    this.#run = run;
  }

  run(...parameters: Parameters): StateChange {
    const { changes } = this.#answer(parameters);
    return { changes };
  }

  get(...parameters: Parameters): Row | undefined {
    return this.all(...parameters)[0];
  }

  all(...parameters: Parameters): Row[] {
    const { columns, rows } = this.#answer(parameters);
    return rows.map((row) => {
      const values = row.map((value) => this.#valueOf(value));
      if (this.#plucks) return values[0] as Row;
      return Object.fromEntries(columns.map((name, at) => [name, values[at]])) as Row;
    });
  }

  iterate(...parameters: Parameters): IterableIterator<Row> {
    return this.all(...parameters).values();
  }

  pluck(): this {
    this.#plucks = true;
    return this;
  }

  safeIntegers(): this {
    this.#keepsIntegers = true;
    return this;
  }

  #answer(parameters: Parameters): QueryAnswer {
    const { text, writes } = this.#statement;
    return this.#run(text, valuesOf(this.#statement, parameters), writes);
  }

  /** Returns a value in SQLite's type. Blobs arrive as plain bytes, and integers as `bigint`. */
  #valueOf(value: unknown): unknown {
    if (value instanceof Uint8Array) {
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return typeof value === "bigint" && !this.#keepsIntegers ? Number(value) : value;
  }
}
