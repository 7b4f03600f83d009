/**
 * Synchronous requests to a thread that talks to PostgreSQL. Input: requests of one thread. Output:
 * their answers; the calling thread blocks until each arrives.
 * Invariant: one request is in progress at a time. If an answer arrives after its request was given
 * up, it is dropped, so no request gets the answer of another one. If the server becomes
 * unreachable, one request waits for it. After that, requests fail without waiting until the server
 * is reached again.
 *
 * The calling thread blocks because a transaction of the state reads, decides, and writes, and
 * nothing else in that thread may run in between. Threads that answer searches read the state only
 * for a key that they do not know yet.
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { blockingWorkerCode } from "../../location.ts";
import { StatementRefused, StateUnreachable } from "../statedatabase.ts";
import {
  type BridgeAnswer,
  type BridgeRequest,
  type BridgeStart,
  type NumberedRequest,
  type QueryAnswer,
  WORD,
} from "./messages.ts";

/**
 * Max time that the calling thread waits for an answer, in slices of `SLICE_MS`. It is longer than
 * all limits that the server applies. The time is counted in slices because, after a pause of the
 * whole process, the other thread still needs time to answer. A thread that serves no clients waits
 * longer, because on a busy machine the other thread may start that late.
 */
const ANSWER_SLICES = { listening: 15, working: 60 } as const;
const SLICE_MS = 1_000;

/**
 * Blocks until a word of the shared memory differs from `from`, or until the time is over. It
 * loops, because the other thread changes the word before it calls `notify`, so a call may be woken
 * for an earlier change.
 */
export function waitForChange(
  words: Int32Array,
  word: number,
  { from, ms }: { readonly from: number; readonly ms: number },
): void {
  const endMs = performance.now() + ms;
  while (Atomics.load(words, word) === from) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return;
    Atomics.wait(words, word, from, leftMs);
  }
}

/**
 * Blocks until the answer to a request arrives, and drops answers to earlier requests. Returns null
 * if it does not arrive within `slices` slices of time.
 */
export function answerTo(
  number: number,
  { words, port }: { readonly words: Int32Array; readonly port: MessagePort },
  { slices, sliceMs }: { readonly slices: number; readonly sliceMs: number },
): BridgeAnswer | null {
  for (let slice = 0; slice < slices; ) {
    const answered = Atomics.load(words, WORD.answered);
    for (let received = receiveMessageOnPort(port); received !== undefined; ) {
      const answer = received.message as BridgeAnswer;
      if (answer.number === number) return answer;
      received = receiveMessageOnPort(port);
    }
    const beganMs = performance.now();
    waitForChange(words, WORD.answered, { from: answered, ms: sliceMs });
    if (performance.now() - beganMs >= sliceMs) slice++;
  }
  return null;
}

/** The calling thread's side of the connection to the other thread. */
export class Bridge {
  readonly #words = new Int32Array(new SharedArrayBuffer(4 * Object.keys(WORD).length));
  readonly #originMs = performance.timeOrigin + performance.now();
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #slices: number;
  #requests = 0;
  #sessions = 0;
  #open = 0;
  #isEnded = false;

  constructor(server: Pick<BridgeStart, "url" | "schema" | "listens">) {
    this.#slices = ANSWER_SLICES[server.listens ? "listening" : "working"];
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const start: BridgeStart = {
      ...server,
      ...{ words: this.#words, originMs: this.#originMs, port: port2 },
    };
    const { code, isText } = blockingWorkerCode("store/postgres/postgres.worker.ts");
    this.#worker = new Worker(code, {
      eval: isText,
      execArgv: [],
      workerData: start,
      transferList: [port2],
    });
    this.#worker.unref();
    port1.unref();
    this.#worker.on("error", () => this.#end());
  }

  /** Number of changes by other connections that the thread has noticed. */
  get version(): number {
    return Atomics.load(this.#words, WORD.version);
  }

  /** How long the server has been unreachable, in milliseconds; 0 while it is reachable. */
  get awayMs(): number {
    const since = Atomics.load(this.#words, WORD.away);
    if (since === 0) return 0;
    const nowMs = performance.timeOrigin + performance.now();
    return Math.max(1, nowMs - this.#originMs - since * 1_000);
  }

  /** Returns the number of a new session. */
  session(): number {
    this.#open++;
    return ++this.#sessions;
  }

  /** Sends a request and waits. Throws `StateUnreachable` or `StatementRefused`. */
  request(request: BridgeRequest): QueryAnswer {
    if (this.#isEnded) throw new TypeError("The database connection is not open");
    // The end of a transaction or session is sent even while the server is away. Otherwise the
    // other thread would take the next request for a part of the same transaction.
    const isEnd = request.kind === "close" || request.kind === "end";
    if (this.awayMs > 0 && !isEnd) throw new StateUnreachable("the server is away");
    const number = ++this.#requests;
    this.#port.postMessage({ ...request, number } satisfies NumberedRequest);
    const ends = { words: this.#words, port: this.#port };
    const received = answerTo(number, ends, { slices: this.#slices, sliceMs: SLICE_MS });
    if (received === null) throw new StateUnreachable("the server did not answer in time");
    const { failure } = received;
    if (failure === null) return received;
    if (failure.isAway) throw new StateUnreachable(failure.message);
    throw new StatementRefused(failure.message, failure.code ?? "");
  }

  /** Closes a session. The other thread ends with the last session. */
  close(session: number): void {
    if (this.#isEnded) return;
    this.request({ session, kind: "close" });
    if (--this.#open === 0) this.#end();
  }

  #end(): void {
    this.#isEnded = true;
    this.#port.close();
    void this.#worker.terminate();
  }
}
