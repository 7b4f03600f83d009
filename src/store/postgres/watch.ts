/**
 * Looks for lost connections: a statement waits for its answer, but the server does not work on it.
 * Input: statements on connections. Output: their answers, or `ConnectionLost` within about a
 * second and a half.
 * Invariant: a statement that the server works on, or that waits for a lock, is never ended here.
 * Queries about statements use another connection, which is open only while one is slow.
 * The server ends what it still has of a lost connection, so its transaction holds no lock.
 *
 * Why there are queries: a network device that forgets a connection drops its packets without a
 * word. The kernel then repeats them for minutes, and Node has no setting to shorten that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, OpenConnection } from "./connection.ts";
import { inTime, SILENCE_MS } from "./silence.ts";

/** Time without an answer before the first query about a statement, and between two queries. */
const SLOW_MS = 1_000;
const LOOK_MS = 250;
/** Looks until a statement counts as lost: on a busy machine, a server may begin it that late. */
const LOOKS = 2;
/** Longest wait for the end of a connection. */
const END_MS = 1_000;

/** The statement's packets, or those of its answer, are dropped; the server itself answers. */
export class ConnectionLost extends Error {}

/** One of our connections as the server sees it; times by its clock. */
export interface Backend {
  readonly pid: number;
  /** Null if the server does not track activity. */
  readonly state: string | null;
  readonly waits_for: string | null;
  /** Milliseconds since the state has changed. */
  readonly for_ms: number | null;
}

/** Reports only connections with the same start, because process ids are used again. */
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
  /** Bytes of the connection at the last look. */
  bytes: number;
  /** Number of looks in a row at which the server did not work on it. */
  forgotten: number;
  readonly fail: (error: Error) => void;
}

/**
 * True if the server neither works on a statement nor is about to answer it. A server that sends an
 * answer, or waits for the rest of a statement, waits for its client.
 */
export function isForgotten(backend: Backend | undefined): boolean {
  if (backend === undefined) return true;
  const { state, waits_for: waitsFor, for_ms: forMs } = backend;
  if (state === null || forMs === null || forMs < LOOK_MS) return false;
  return state.startsWith("idle") || (state === "active" && waitsFor === "Client");
}

/** The slow statements of a thread. */
export class Watch {
  readonly #connect: () => Promise<OpenConnection>;
  readonly #waiting = new Set<Waiting>();
  #isLooking = false;

  /** `connect` opens a further connection to the same server. */
  constructor(connect: () => Promise<OpenConnection>) {
    this.#connect = connect;
  }

  /**
   * Returns the answer. Rejects with `ConnectionLost`, or with the failure of the further
   * connection if the server itself is silent or unreachable.
   */
  async over<Answer>(connection: OpenConnection, answer: Promise<Answer>): Promise<Answer> {
    let fail: Waiting["fail"] = () => {};
    const lost = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const bytes = connection.bytesRead();
    const waiting: Waiting = { connection, isSlow: false, bytes, forgotten: 0, fail };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => {
      waiting.isSlow = true;
      void this.#look();
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
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let own: OpenConnection | null = null;
    try {
      while (this.#slow.length > 0) {
        own ??= await openedWithin(SILENCE_MS, this.#connect);
        await this.#judge(own.client);
        await sleep(LOOK_MS);
      }
    } catch (error) {
      // A server that refuses a further connection is there; the statements wait until their limit.
      if (!isRefusal(error)) for (const { fail } of this.#slow) fail(error as Error);
    } finally {
      this.#isLooking = false;
      if (own !== null) void endOf(own);
    }
  }

  async #judge(client: Client): Promise<void> {
    const slow = this.#slow;
    const keys = slow.map(({ connection }) => connection);
    const asked = [keys.map(({ pid }) => pid), keys.map(({ startedAt }) => startedAt)];
    const { rows } = await inTime(client.query<Backend>(BACKENDS, asked));
    const known = new Map(rows.map((row) => [row.pid, row]));
    for (const waiting of slow) {
      const { connection, bytes, fail } = waiting;
      waiting.bytes = connection.bytesRead();
      const isStill = waiting.bytes === bytes && isForgotten(known.get(connection.pid));
      waiting.forgotten = isStill ? waiting.forgotten + 1 : 0;
      if (!this.#waiting.has(waiting) || waiting.forgotten < LOOKS) continue;
      fail(new ConnectionLost("the connection to the server was lost on the way"));
      await inTime(client.query(END, [connection.pid, connection.startedAt]));
    }
  }
}

/** Opens a connection; one that is opened too late is ended. Throws `Silence`. */
export async function openedWithin(
  ms: number,
  connect: () => Promise<OpenConnection>,
): Promise<OpenConnection> {
  const opening = connect();
  try {
    return await inTime(opening, ms);
  } catch (error) {
    opening.then(endOf).catch(() => {});
    throw error;
  }
}

/** Ends a connection, and waits for the server's confirmation for a moment at most. */
export async function endOf({ client, cut }: OpenConnection): Promise<void> {
  await inTime(client.end(), END_MS).catch(() => {});
  cut();
}

/** True if the server itself has refused a connection or a statement. */
function isRefusal(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test((error as { readonly code?: string }).code ?? "");
}
