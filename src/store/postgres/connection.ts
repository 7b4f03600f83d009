/**
 * Connections to PostgreSQL, and the only importer of pg. Input: an address. Output: a client that
 * works in the schema of a state.
 * Invariant: every statement has a time limit, both on the server and in this process. Integers
 * stay exact.
 */
import type { Socket } from "node:net";
import pg, { type Client, type CustomTypesConfig } from "pg";
import type { StateAddress } from "./address.ts";

export type { Client } from "pg";

const CONNECT_MS = 3_000;
const STATEMENT_MS = 10_000;
/**
 * The server ends a transaction that is idle for this many milliseconds: its process may be paused,
 * while others wait for the lock.
 */
const IDLE_MS = 3_000;

/** Object ids (pg_type.dat) of types that the client would otherwise return in another form. */
const TYPES = { bool: 16, int8: 20, numeric: 1_700 } as const;

/** Integers are kept as exact values; the waiting thread converts them to numbers. */
const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) => {
    if (oid === TYPES.int8) return (text: string) => BigInt(text);
    if (oid === TYPES.numeric) return (text: string) => Number(text);
    if (oid === TYPES.bool) return (text: string) => (text === "t" ? 1 : 0);
    return pg.types.getTypeParser(oid, format as "text");
  },
};

function newClient(url: string): Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 1_000,
    idle_in_transaction_session_timeout: IDLE_MS,
    keepAlive: true,
    application_name: "peneira",
    types,
  });
}

/** A connection, and the process of the server that handles it. */
export interface OpenConnection {
  readonly client: Client;
  readonly pid: number;
  /**
   * When the server's process started, in the server's own notation. It is needed because process
   * ids are reused.
   */
  readonly startedAt: string;
  /** Number of bytes that have arrived. */
  bytesRead(): number;
  /**
   * Ends the connection immediately, without waiting for a confirmation, which a silent server
   * would never send.
   */
  cut(): void;
}

/** Queries the process id, because the protocol may report that of a connection pool. */
const OWN_PROCESS = `SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity
  WHERE pid = pg_backend_pid()`;

/** Opens a connection. */
export async function connectTo({ url, schema }: StateAddress): Promise<OpenConnection> {
  const client = newClient(url);
  // Ignored, because the end of the connection is reported by another event.
  client.on("error", () => {});
  const stream = () => (client as unknown as { connection: { stream: Socket } }).connection.stream;
  const cut = () => void stream().destroy();
  try {
    await client.connect();
    const results = await client.query(`SET search_path = "${schema}"; ${OWN_PROCESS}`);
    const [, own] = results as unknown as readonly pg.QueryResult<typeof NOBODY>[];
    return { client, ...(own?.rows[0] ?? NOBODY), bytesRead: () => stream().bytesRead, cut };
  } catch (error) {
    cut();
    throw error;
  }
}

/** Stands for a process that does not exist. */
const NOBODY = { pid: 0, startedAt: "" };

/** True if an error means a lost connection or a slow server, and not a wrong statement. */
export function isLost(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  // SQLSTATE codes for: connection failure, shutdown, statement timeout, too many connections, idle
  // in a transaction. An error without an SQLSTATE counts as well.
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return true;
  return /^(08|57P|57014|53300|25P03)/.test(code);
}
