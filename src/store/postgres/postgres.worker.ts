/**
 * The thread that talks to PostgreSQL for a thread that blocks until it gets an answer (bridge.ts).
 * Input: requests on a port, one at a time for each session. Output: answers on the port, and words
 * of the shared memory, which wake the waiting thread.
 * Invariant: a session is one connection, which is opened at the first request and again after a
 * failure. A transaction never continues on another connection. If a connection is lost (watch.ts)
 * and the request has changed nothing, the request is repeated on another one. While the server is
 * unreachable or silent, requests fail, and attempts to reach it run in the background. Passwords
 * never leave this thread.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { connectTo, isLost, type OpenConnection } from "./connection.ts";
import {
  type BridgeAnswer,
  type BridgeRequest,
  type BridgeStart,
  type NumberedRequest,
  type QueryAnswer,
  WORD,
} from "./messages.ts";
import { RESPONSE_MS_MAX, ResponseTimeout, withTimeout } from "./responsetimeout.ts";
import { ConnectionLost, connectWithTimeout, endOf, Watch } from "./watch.ts";

const { url, schema, words, listens, originMs, port } = workerData as BridgeStart;

/**
 * Interval of polling for changes, in milliseconds: even if a notification is lost, a disabled key
 * is refused within a second.
 */
const POLL_MS = 400;
/**
 * If polling gets no answer for this many milliseconds, another connection is tried. Polling is
 * little work for the server, so only a busy machine takes this long.
 */
const STILL_MS = 1_000;
/** Period of the attempts to reach an unreachable server, in milliseconds. */
const RETRY_MS = 250;

/** Takes a lock that excludes all other writers of this state until the transaction ends. */
const EXCLUSIVE = `SELECT pg_advisory_xact_lock(1347310129, hashtext(current_schema()))`;

type Statement = Extract<BridgeRequest, { readonly kind: "query" | "write" }>;

type Work = Exclude<BridgeRequest, { readonly kind: "close" }>;

const watch = new Watch(() => connectTo({ url, schema }));

/** The requests of one database handle, and the connection that they use. */
class Session {
  #open: OpenConnection | null = null;
  #inTransaction = false;
  /** True while the request can be repeated, because it has changed nothing. */
  #isUndone = true;

  async answer(request: Work): Promise<QueryAnswer> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (!(error instanceof ConnectionLost && this.#isUndone)) throw error;
      return this.#answer(request);
    }
  }

  async #answer(request: Work): Promise<QueryAnswer> {
    this.#isUndone = !this.#inTransaction;
    if (this.#open === null) {
      if (this.#inTransaction && request.kind !== "begin") this.#refuse();
      this.#inTransaction = false;
      const open = await connectTo({ url, schema });
      // An idle connection that ends is replaced at the next request.
      open.client.once("end", () => {
        if (this.#open === open) this.#open = null;
      });
      this.#open = open;
      reached();
    }
    try {
      return await this.#run(this.#open, request);
    } catch (error) {
      if (isLost(error)) this.cut();
      throw error;
    }
  }

  /** Closes the connection without waiting for the server. Its current request fails. */
  cut(): void {
    const open = this.#open;
    this.#open = null;
    open?.cut();
  }

  /** Throws: the connection was lost, so the server has undone the transaction. */
  #refuse(): never {
    this.#inTransaction = false;
    throw new Error("the connection was lost within a transaction");
  }

  async #run(open: OpenConnection, request: Work): Promise<QueryAnswer> {
    const send = (text: string) => watch.over(open, open.client.query(text));
    switch (request.kind) {
      case "query":
        return resultOf(open, request);
      case "write": {
        await send(`BEGIN; ${EXCLUSIVE}`);
        this.#isUndone = false;
        try {
          const result = await resultOf(open, request);
          await send("COMMIT");
          return result;
        } catch (error) {
          if (!isLost(error)) await send("ROLLBACK");
          throw error;
        }
      }
      case "begin":
        await send(
          request.reads ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : `BEGIN; ${EXCLUSIVE}`,
        );
        this.#inTransaction = true;
        return NOTHING;
      case "end":
        this.#isUndone = false;
        this.#inTransaction = false;
        await send(request.commits ? "COMMIT" : "ROLLBACK");
        return NOTHING;
      case "exec":
        this.#isUndone = false;
        await send(request.text);
        return NOTHING;
    }
  }

  async end(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    if (open !== null) await endOf(open);
  }
}

const NOTHING: QueryAnswer = { rows: [], columns: [], changes: 0 };

async function resultOf(open: OpenConnection, { text, values }: Statement): Promise<QueryAnswer> {
  const query = { text, values: values as unknown[], rowMode: "array" };
  const answer = open.client.query<unknown[]>(query);
  const { fields, rows, rowCount } = await watch.over(open, answer);
  return { columns: fields.map(({ name }) => name), rows, changes: rowCount ?? 0 };
}

const sessions = new Map<number, Session>();
function reached(): void {
  Atomics.store(words, WORD.away, 0);
}

/** Marks the server as away, and tries to reach it until it answers. */
function lost(): void {
  if (Atomics.load(words, WORD.away) !== 0) return;
  const seconds = (performance.timeOrigin + performance.now() - originMs) / 1_000;
  Atomics.store(words, WORD.away, Math.max(1, Math.floor(seconds)));
  void reachAgain();
}

async function reachAgain(): Promise<void> {
  while (Atomics.load(words, WORD.away) !== 0) {
    await sleep(RETRY_MS);
    const open = await connectTo({ url, schema }).catch(() => null);
    if (open === null) continue;
    // Counts a change, because changes made while the server was unreachable were not reported.
    Atomics.add(words, WORD.version, 1);
    reached();
    await endOf(open);
  }
}

async function serve(request: NumberedRequest): Promise<void> {
  const { number } = request;
  let answer: BridgeAnswer;
  try {
    if (request.kind === "close") {
      await sessions.get(request.session)?.end();
      sessions.delete(request.session);
      answer = { ...NOTHING, number, failure: null };
    } else {
      const session = sessions.get(request.session) ?? new Session();
      sessions.set(request.session, session);
      answer = { ...(await session.answer(request)), number, failure: null };
    }
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    const isAway = isLost(error);
    if (isAway) lost();
    answer = { ...NOTHING, number, failure: { message, code: code ?? null, isAway } };
  }
  port.postMessage(answer);
  Atomics.add(words, WORD.answered, 1);
  Atomics.notify(words, WORD.answered);
}

/** Listens for changes by other connections, and polls for them in case a notification is lost. */
async function listen(): Promise<void> {
  let open: OpenConnection | null = null;
  for (;;) {
    try {
      open ??= await connectTo({ url, schema });
      await follow(open);
    } catch (error) {
      open?.cut();
      open = error instanceof ResponseTimeout ? await another() : null;
      if (open !== null) {
        // The server answers, so only this connection was lost. Notifications may have been lost
        // with it, so a change is counted.
        Atomics.add(words, WORD.version, 1);
        continue;
      }
      if (error instanceof ResponseTimeout) for (const session of sessions.values()) session.cut();
      // The query also fails in a new state, until its schema has been created.
      if (isLost(error)) lost();
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/**
 * Opens another connection. Returns null if the server does not answer within the remaining time.
 */
function another(): Promise<OpenConnection | null> {
  const connect = () => connectTo({ url, schema });
  return connectWithTimeout(RESPONSE_MS_MAX - STILL_MS, connect).catch(() => null);
}

let known: unknown = null;

/** Follows the changes over a connection until it fails. */
async function follow({ client }: OpenConnection): Promise<never> {
  client.on("notification", ({ payload }) => {
    if (payload === schema) Atomics.add(words, WORD.version, 1);
  });
  await withTimeout(client.query("LISTEN peneira"), STILL_MS);
  for (;;) {
    const answer = client.query("SELECT number FROM access_changes");
    const { rows } = await withTimeout(answer, STILL_MS);
    const { number } = rows[0] as { readonly number: bigint };
    if (known !== null && known !== number) Atomics.add(words, WORD.version, 1);
    known = number;
    reached();
    await sleep(POLL_MS, undefined, { ref: false });
  }
}

if (listens) void listen();
port.on("message", (request: NumberedRequest) => void serve(request));
