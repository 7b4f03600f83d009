/**
 * The thread that talks to PostgreSQL for a thread that waits (bridge.ts).
 * Input: requests on a port, one at a time for each session. Output: answers on the port, and the
 * shared words that wake the waiting thread.
 * Invariant: a session is one connection, opened at its first request and again after a failure; a
 * transaction never goes on over another connection. While the server is away, a request fails
 * immediately, and the server is tried again in the background. A server that is silent is away:
 * the requests that wait for it fail. Passwords never leave this thread.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { type Client, connectTo, cutOff, isLost } from "./connection.ts";
import {
  type BridgeAnswer,
  type BridgeRequest,
  type BridgeStart,
  type NumberedRequest,
  type QueryAnswer,
  WORD,
} from "./messages.ts";

const { url, schema, words, listens, originMs, port } = workerData as BridgeStart;

/**
 * Period of the check for changes, in milliseconds. If a notification is lost, a disabled key is
 * still refused within a second.
 */
const LOOK_MS = 400;
/**
 * Time without an answer to that check after which the server is away. It has little to do for one,
 * so this is the time of a machine that is busy.
 */
const SILENCE_MS = 2_500;
/** Longest wait for the end of a connection. */
const END_MS = 1_000;
/** Period of the attempts to reach an unreachable server, in milliseconds. */
const RETRY_MS = 250;

/** Excludes all other writers of this state until the transaction ends. */
const EXCLUSIVE = `SELECT pg_advisory_xact_lock(1347310129, hashtext(current_schema()))`;

type Statement = Extract<BridgeRequest, { readonly kind: "query" | "write" }>;

type Work = Exclude<BridgeRequest, { readonly kind: "close" }>;

/** A connection, with the requests of one database handle. */
class Session {
  #client: Client | null = null;
  #inTransaction = false;

  async answer(request: Work): Promise<QueryAnswer> {
    if (this.#client === null) {
      if (this.#inTransaction && request.kind !== "begin") this.#refuse();
      this.#inTransaction = false;
      const client = await connectTo({ url, schema });
      // An idle connection that ends is replaced at the next request.
      client.once("end", () => {
        if (this.#client === client) this.#client = null;
      });
      this.#client = client;
      reached();
    }
    try {
      return await this.#run(this.#client, request);
    } catch (error) {
      if (isLost(error)) this.cut();
      throw error;
    }
  }

  /** Ends the connection without the server; its request fails. */
  cut(): void {
    const client = this.#client;
    this.#client = null;
    if (client !== null) cutOff(client);
  }

  /** Throws: the connection was lost, so the server has undone the transaction. */
  #refuse(): never {
    this.#inTransaction = false;
    throw new Error("the connection was lost within a transaction");
  }

  async #run(client: Client, request: Work): Promise<QueryAnswer> {
    switch (request.kind) {
      case "query":
        return resultOf(client, request);
      case "write": {
        await client.query(`BEGIN; ${EXCLUSIVE}`);
        try {
          const result = await resultOf(client, request);
          await client.query("COMMIT");
          return result;
        } catch (error) {
          if (!isLost(error)) await client.query("ROLLBACK");
          throw error;
        }
      }
      case "begin":
        await client.query(
          request.reads ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : `BEGIN; ${EXCLUSIVE}`,
        );
        this.#inTransaction = true;
        return NOTHING;
      case "end":
        this.#inTransaction = false;
        await client.query(request.commits ? "COMMIT" : "ROLLBACK");
        return NOTHING;
      case "exec":
        await client.query(request.text);
        return NOTHING;
    }
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    // A server that is silent does not confirm it.
    await Promise.race([client.end().catch(() => {}), sleep(END_MS)]);
    cutOff(client);
  }
}

const NOTHING: QueryAnswer = { rows: [], columns: [], changes: 0 };

async function resultOf(client: Client, { text, values }: Statement): Promise<QueryAnswer> {
  const query = { text, values: values as unknown[], rowMode: "array" };
  const { fields, rows, rowCount } = await client.query<unknown[]>(query);
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
    const client = await connectTo({ url, schema }).catch(() => null);
    if (client === null) continue;
    // Changes made while the server was away were not reported.
    Atomics.add(words, WORD.version, 1);
    reached();
    await client.end();
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

/** The server has not answered for too long. */
class Silence extends Error {}

/** Returns the answer. Throws `Silence` if it does not come. */
async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Silence("the server is silent"));
    // After a pause of the process, an answer that is here already is read first.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), SILENCE_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}

/** Listens for changes by other connections, and polls for them in case a notification is lost. */
async function listen(): Promise<void> {
  let known: unknown = null;
  for (;;) {
    let client: Client | null = null;
    try {
      client = await connectTo({ url, schema });
      client.on("notification", ({ payload }) => {
        if (payload === schema) Atomics.add(words, WORD.version, 1);
      });
      await inTime(client.query("LISTEN peneira"));
      for (;;) {
        const { rows } = await inTime(client.query("SELECT number FROM access_changes"));
        const { number } = rows[0] as { readonly number: bigint };
        if (known !== null && known !== number) Atomics.add(words, WORD.version, 1);
        known = number;
        reached();
        await sleep(LOOK_MS, undefined, { ref: false });
      }
    } catch (error) {
      if (error instanceof Silence) for (const session of sessions.values()) session.cut();
      // A new state has no such table until its schema is made.
      if (isLost(error)) lost();
      if (client !== null) cutOff(client);
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

if (listens) void listen();
port.on("message", (request: NumberedRequest) => void serve(request));
