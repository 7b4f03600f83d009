/**
 * Detects lost connections: a statement waits for its answer, but the server does not work on it.
 * Input: statements on connections. Output: their answers, or `ConnectionLost` within about a
 * second and a half.
 * Invariant: a statement is never ended here if the server works on it, or if it waits for a lock.
 * While a statement is slow, a second connection is open, over which the server is queried about
 * it. If a connection counts as lost, the server also ends its own process for this connection,
 * so that its transaction holds no lock.
 *
 * These queries are needed because a network device that forgets a connection drops its packets
 * silently. The kernel then repeats them for minutes, and Node has no setting to shorten that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, OpenConnection } from "./connection.ts";
import { RESPONSE_MS_MAX, withTimeout } from "./responsetimeout.ts";

/**
 * A statement is slow if it has no answer after SLOW_MS. The server is then queried about it every
 * POLL_MS, until the answer comes. In milliseconds.
 */
const SLOW_MS = 1_000;
const POLL_MS = 250;
/**
 * A statement counts as lost if this many queries in a row find that the server does not work on
 * it. One query would not suffice, because on a busy machine the server may begin a statement late.
 */
const LOST_POLLS = 2;
/** Longest wait for the end of a connection. */
const END_MS = 1_000;

/** Thrown if packets of a statement or its answer are dropped although the server answers. */
export class ConnectionLost extends Error {}

/** The server's view of one of this program's connections. Times are by the server's clock. */
export interface Backend {
  readonly pid: number;
  /** Null if the server does not track activity. */
  readonly state: string | null;
  readonly waits_for: string | null;
  /** Milliseconds since the state has changed. */
  readonly for_ms: number | null;
}

/** Queries the state of connections. Start times are compared, because process ids are reused. */
const BACKENDS = `SELECT pid, state, wait_event_type AS waits_for,
    (extract(epoch FROM clock_timestamp() - state_change) * 1000)::int AS for_ms
  FROM pg_stat_activity WHERE (pid, backend_start::text) IN
    (SELECT * FROM unnest($1::int[], $2::text[]))`;

const END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND backend_start::text = $2`;

/** A statement without an answer. */
interface Waiting {
  readonly connection: OpenConnection;
  isSlow: boolean;
  /** Bytes that had arrived on the connection when it was last checked. */
  bytes: number;
  /** How many times in a row the server was found not to work on the statement. */
  lostPolls: number;
  readonly fail: (error: Error) => void;
}

/**
 * True if the server neither works on a statement nor is about to answer it. Also true if the
 * server waits for the client, which means that packets are missing: it is sending an answer, or
 * needs the rest of a statement.
 */
export function seemsLost(backend: Backend | undefined): boolean {
  if (backend === undefined) return true;
  const { state, waits_for: waitsFor, for_ms: forMs } = backend;
  if (state === null || forMs === null || forMs < POLL_MS) return false;
  return state.startsWith("idle") || (state === "active" && waitsFor === "Client");
}

/** The slow statements of a thread. */
export class Watch {
  readonly #connect: () => Promise<OpenConnection>;
  readonly #waiting = new Set<Waiting>();
  #isPolling = false;

  /** `connect` opens a further connection to the same server. */
  constructor(connect: () => Promise<OpenConnection>) {
    this.#connect = connect;
  }

  /**
   * Returns the answer to a statement on a connection. Rejects with `ConnectionLost`. If the server
   * itself is silent or unreachable, rejects with the failure of the second connection, over which
   * the server was queried.
   */
  async over<Answer>(connection: OpenConnection, answer: Promise<Answer>): Promise<Answer> {
    let fail: Waiting["fail"] = () => {};
    const lost = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const bytes = connection.bytesRead();
    const waiting: Waiting = { connection, isSlow: false, bytes, lostPolls: 0, fail };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => {
      waiting.isSlow = true;
      void this.#poll();
    }, SLOW_MS);
    try {
      return await Promise.race([answer, lost]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
      answer.catch(() => {});
    }
  }

  get #slow(): Waiting[] {
    return [...this.#waiting].filter(({ isSlow }) => isSlow);
  }

  /** Queries the server about slow statements until there is none. Never rejects. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let own: OpenConnection | null = null;
    try {
      while (this.#slow.length > 0) {
        own ??= await connectWithTimeout(RESPONSE_MS_MAX, this.#connect);
        await this.#failLost(own.client);
        await sleep(POLL_MS);
      }
    } catch (error) {
      // If the server refuses another connection, it is reachable. The slow statements are then not
      // ended here but by their time limit.
      if (!isRefusal(error)) for (const { fail } of this.#slow) fail(error as Error);
    } finally {
      this.#isPolling = false;
      if (own !== null) void endOf(own);
    }
  }

  async #failLost(client: Client): Promise<void> {
    const slow = this.#slow;
    const keys = slow.map(({ connection }) => connection);
    const processes = [keys.map(({ pid }) => pid), keys.map(({ startedAt }) => startedAt)];
    const { rows } = await withTimeout(client.query<Backend>(BACKENDS, processes));
    const known = new Map(rows.map((row) => [row.pid, row]));
    for (const waiting of slow) {
      const { connection, bytes, fail } = waiting;
      waiting.bytes = connection.bytesRead();
      const isStill = waiting.bytes === bytes && seemsLost(known.get(connection.pid));
      waiting.lostPolls = isStill ? waiting.lostPolls + 1 : 0;
      if (!this.#waiting.has(waiting) || waiting.lostPolls < LOST_POLLS) continue;
      fail(new ConnectionLost("the connection to the server was lost on the way"));
      await withTimeout(client.query(END, [connection.pid, connection.startedAt]));
    }
  }
}

/** Opens a connection within a time. Throws `ResponseTimeout` if it is late, and then closes it. */
export async function connectWithTimeout(
  ms: number,
  connect: () => Promise<OpenConnection>,
): Promise<OpenConnection> {
  const opening = connect();
  try {
    return await withTimeout(opening, ms);
  } catch (error) {
    opening.then(endOf).catch(() => {});
    throw error;
  }
}

/** Ends a connection, and waits for the server's confirmation for a moment at most. */
export async function endOf({ client, cut }: OpenConnection): Promise<void> {
  await withTimeout(client.end(), END_MS).catch(() => {});
  cut();
}

/** True if the server itself has refused a connection or a statement. */
function isRefusal(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test((error as { readonly code?: string }).code ?? "");
}
