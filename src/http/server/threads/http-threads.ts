/**
 * Controls the HTTP threads from their owner, the main thread. This is a transport that accepts
 * connections, distributes them to the threads round-robin, and receives the requests that only the
 * owner can answer.
 * Invariant: each of N threads has 1/N of the accepted connections, plus or minus one. A
 * thread that ends is replaced, and only its own connections end with it. A thread ends only after
 * closing its connections, or because it failed.
 */
import { Worker } from "node:worker_threads";
import { closePort, type OpenPort } from "../../../../native-index/napi/engine.ts";
import { workerArguments, workerFile } from "../../../location.ts";
import { addSamples, type MetricSamples } from "../../../process/metrics.ts";
import { type Segment, type SharedSegment, shareSegment } from "../../../search/segment.ts";
import type { ListenAddress } from "../../../settings/settings.ts";
import type { Budget } from "../admission.ts";
import { portEmptied } from "../transport/drain.ts";
import { Sockets } from "../transport/sockets.ts";
import type { ExchangeHandler, Transport } from "../transport/transport.ts";
import { loadUws, openUwsPort } from "../transport/transport-uws.ts";
import { ForwardedExchange } from "./forwarded-exchange.ts";
import type { OwnerMessage, ThreadCommand, ThreadMessage, ThreadStart } from "./messages.ts";
import { SharedState } from "./shared-state.ts";

/** Pause before replacing a thread that ended soon after its start, in milliseconds. */
const PAUSE_MS = 250;
/** Threads that lived longer than this are replaced without a pause, in milliseconds. */
const LIVED_MS = 2_000;
/**
 * Size of a thread's young generation, in MB. V8 would use up to 48. With 4, a thread takes 9 MB
 * less after searches, and garbage collection is as fast.
 */
const YOUNG_MB = 4;
/** Milliseconds to wait for a thread's metrics, before its previous metrics are reported. */
const METRICS_MS = 1_000;

interface HttpThreadsParts {
  readonly start: Omit<ThreadStart, "slot" | "board">;
  readonly bodies: Budget;
  /** Max threads that load at the same time, because each then opens all of its code files. */
  readonly loadingMax: number;
  /** Source of the worker, relative to src/. */
  readonly worker: `${string}.worker.ts`;
}

interface ThreadEvents {
  /** Called when a failed thread is replaced, to release the thread's resources. */
  replaced(slot: number, error: unknown): void;
}

/** Opens the threads. Throws `CommandError` if uWebSockets.js cannot be loaded. */
export async function openHttpThreads(parts: HttpThreadsParts): Promise<HttpThreads> {
  await loadUws(parts.start.limits.headBytesMax);
  return new HttpThreads(parts);
}

/** The threads, as a transport. */
export class HttpThreads implements Transport {
  readonly name = "uws";
  readonly bodies: Budget;
  /** The owner itself has no connections. */
  readonly sockets: Sockets;
  readonly #parts: HttpThreadsParts;
  readonly #board = new SharedState();
  readonly #threads: HttpThread[] = [];
  readonly #snapshots = new Map<number, SharedSegment>();
  readonly #serials = new WeakMap<Segment, number>();
  /** Sum of the counts of ended threads. */
  #past: MetricSamples = {};
  #lastSerial = 0;
  #port: OpenPort | null = null;
  #dataDir: string | null = null;
  #handler: ExchangeHandler = () => {};
  #events: ThreadEvents | null = null;
  #isLeaving = false;

  constructor(parts: HttpThreadsParts) {
    this.#parts = parts;
    this.bodies = parts.bodies;
    this.sockets = new Sockets(parts.start.limits);
  }

  get past(): MetricSamples {
    return this.#past;
  }

  get size(): number {
    return this.#parts.start.threads;
  }

  async listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    this.#handler = handler;
    try {
      // Starts the threads before the port opens. Otherwise, a client that connects while they load
      // would wait for seconds.
      await this.#startAll();
      const port = openUwsPort(address);
      this.#port = port;
      await this.#all({ kind: "take", port });
      return port.number;
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  answerWith(handler: ExchangeHandler): void {
    this.#handler = handler;
  }

  /** Makes the threads answer with the state in a data directory. Resolves when all of them do. */
  async serve(dataDir: string, events: ThreadEvents): Promise<void> {
    this.#dataDir = dataDir;
    this.#events = events;
    await this.#living({ kind: "serve", dataDir });
  }

  /** Opens a snapshot on all threads. Rejects if one of them fails. */
  async open(segment: Segment): Promise<void> {
    const serial = ++this.#lastSerial;
    const shared = shareSegment(segment);
    this.#serials.set(segment, serial);
    this.#snapshots.set(serial, shared);
    this.#board.use(serial);
    try {
      await this.#living({ kind: "open", serial, segment: shared });
    } catch (error) {
      this.drop(segment);
      throw error;
    }
  }

  /** Atomically switches all threads to an opened snapshot. Null means that none is served. */
  publish(segment: Segment | null): void {
    this.#board.current = segment === null ? 0 : (this.#serials.get(segment) ?? 0);
  }

  /** Returns the time since any thread used a replaced snapshot, in milliseconds. */
  unusedMs(segment: Segment): number {
    return this.#board.unusedMs(this.#serials.get(segment) ?? 0);
  }

  /** Closes a snapshot on all threads once their reads have ended. */
  drop(segment: Segment): void {
    const serial = this.#serials.get(segment);
    if (serial === undefined) return;
    this.#snapshots.delete(serial);
    for (const thread of this.#threads)
      void thread.order({ kind: "close", serial }).catch(() => {});
  }

  /** Returns the metrics of all threads. */
  async samples(): Promise<readonly MetricSamples[]> {
    return Promise.all(this.#threads.map((thread) => thread.samples(METRICS_MS)));
  }

  stop(): void {
    this.#board.stop();
  }

  /** Makes all threads report whether the object store is unreachable. */
  degrade(is: boolean): void {
    this.#board.degraded = is;
  }

  /** Makes all threads report whether this server lacks the snapshot that the others serve. */
  fallBehind(is: boolean): void {
    this.#board.behind = is;
  }

  leave(): void {
    this.#isLeaving = true;
    for (const thread of this.#threads) void thread.order({ kind: "leave" }).catch(() => {});
  }

  async close(deadlineMs: number): Promise<void> {
    this.leave();
    const port = this.#port;
    this.#port = null;
    if (port !== null) {
      await this.#each({ kind: "hold" });
      // The owner cannot see traffic, because the threads have the connections. So it reports none
      // here. The threads delay their answers until the port is closed.
      await portEmptied(port.number, () => ({ requests: 0, sockets: 0, activeMs: 0 }));
      closePort(port.id);
    }
    await this.#each({ kind: "finish", deadlineMs });
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  /** Sends an order to all threads; rejects if one fails. */
  async #all(order: ThreadCommand): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.order(order)));
  }

  /** Like `#all`, but ignores ended threads, whose replacements get the same order. */
  async #living(order: ThreadCommand): Promise<void> {
    const sent = this.#threads.map(async (thread) => {
      try {
        await thread.order(order);
      } catch (error) {
        if (!thread.hasEnded) throw error;
      }
    });
    await Promise.all(sent);
  }

  /** Sends an order to all threads. Ignores failures. */
  async #each(order: ThreadCommand): Promise<void> {
    await Promise.allSettled(this.#threads.map((thread) => thread.order(order)));
  }

  /**
   * Starts all threads and waits until they have loaded. Otherwise, the first loaded threads would
   * get the connections meant for the others.
   */
  async #startAll(): Promise<void> {
    const atOnce = this.#parts.loadingMax;
    for (let slot = 1; slot <= this.size; slot++) {
      this.#start(slot);
      if (slot % atOnce === 0) await this.#all({ kind: "metrics" });
    }
    await this.#all({ kind: "metrics" });
  }

  #start(slot: number): HttpThread {
    const { worker, start } = this.#parts;
    const thread = new HttpThread(
      worker,
      { ...start, slot, board: this.#board.memory },
      {
        answer: (exchange) => this.#handler(exchange),
        ended: (error) => this.#replace(slot, thread, error),
      },
    );
    this.#threads[slot - 1] = thread;
    return thread;
  }

  #replace(slot: number, thread: HttpThread, error: unknown): void {
    this.#past = addSamples(this.#past, thread.takeLast());
    this.#events?.replaced(slot, error);
    if (this.#isLeaving || this.#port === null) return;
    this.#startLater(slot, thread.ageMs < LIVED_MS ? PAUSE_MS : 0);
  }

  #startLater(slot: number, pauseMs: number): void {
    setTimeout(() => void this.#restart(slot), pauseMs).unref();
  }

  async #restart(slot: number): Promise<void> {
    if (this.#isLeaving || this.#port === null) return;
    const thread = this.#start(slot);
    try {
      const opened = [...this.#snapshots].map(([serial, segment]) =>
        thread.order({ kind: "open", serial, segment }),
      );
      await Promise.all(opened);
      const dataDir = this.#dataDir;
      if (dataDir !== null) await thread.order({ kind: "serve", dataDir });
      if (this.#port !== null) await thread.order({ kind: "take", port: this.#port });
    } catch (error) {
      // If it ended by itself, its replacement is already starting.
      if (thread.hasEnded) return;
      await thread.end();
      this.#events?.replaced(slot, error);
      this.#startLater(slot, PAUSE_MS);
    }
  }
}

/** Receives the events of one thread. */
interface ThreadUse {
  answer(exchange: ForwardedExchange): void;
  /** Called if the thread has ended although it was not ordered to. */
  ended(error: unknown): void;
}

/** A pending order. */
interface Waiting {
  resolve(samples: MetricSamples): void;
  reject(error: Error): void;
}

class HttpThread {
  readonly #worker: Worker;
  readonly #use: ThreadUse;
  readonly #slot: number;
  readonly #exchanges = new Map<number, ForwardedExchange>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #beganMs = performance.now();
  readonly #exited: Promise<void>;
  #number = 0;
  #samples: MetricSamples = {};
  #isEnding = false;
  #error: unknown = null;
  /** The reason why the thread has ended, or null while it runs. */
  #ended: Error | null = null;

  constructor(worker: `${string}.worker.ts`, start: ThreadStart, use: ThreadUse) {
    this.#use = use;
    this.#slot = start.slot;
    this.#worker = new Worker(workerFile(worker), {
      execArgv: workerArguments(),
      workerData: start,
      // The owner opens files that this thread closes. Node would log a warning for each of them.
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on("message", (message: ThreadMessage) => this.#take(message));
    this.#worker.on("error", (error) => {
      this.#error = error;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        this.#lose(this.#error ?? new Error(`thread ${this.#slot} ended with code ${code}`));
        resolve();
      });
    });
  }

  get ageMs(): number {
    return performance.now() - this.#beganMs;
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Returns the last reported metrics and clears them, so they count once. */
  takeLast(): MetricSamples {
    const last = this.#samples;
    this.#samples = {};
    return last;
  }

  /** Sends an order; resolves when it is done. Rejects if it fails. */
  order(order: ThreadCommand): Promise<MetricSamples> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#post({ kind: "order", number, order });
    });
  }

  /** Returns the thread's metrics. After a timeout, returns the last known ones. */
  async samples(withinMs: number): Promise<MetricSamples> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    const reported = this.order({ kind: "metrics" }).then(
      (samples) => {
        this.#samples = samples;
      },
      () => {},
    );
    await Promise.race([reported, late]);
    clearTimeout(timer);
    return this.#samples;
  }

  /** Ends the thread. Its connections must already be closed. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#post({ kind: "order", number: 0, order: { kind: "end" } });
    await this.#exited;
  }

  #post(message: OwnerMessage, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #take(message: ThreadMessage): void {
    if (message.kind === "done") {
      const waiting = this.#waiting.get(message.number);
      this.#waiting.delete(message.number);
      if (message.failure === null) waiting?.resolve(message.samples ?? {});
      else waiting?.reject(new Error(message.failure));
    } else if (message.kind === "last") this.#samples = message.samples;
    else if (message.kind === "request") {
      const exchange = new ForwardedExchange(message, (answer, transfer) =>
        this.#post(answer, transfer),
      );
      this.#exchanges.set(message.id, exchange);
      this.#use.answer(exchange);
    } else if (this.#exchanges.get(message.id)?.take(message) === true) {
      this.#exchanges.delete(message.id);
    }
  }

  /** Ends the exchanges of the thread and rejects its pending orders. */
  #lose(error: unknown): void {
    for (const exchange of this.#exchanges.values()) exchange.lost();
    this.#exchanges.clear();
    const ended = error instanceof Error ? error : new Error(String(error));
    this.#ended = ended;
    for (const { reject } of this.#waiting.values()) reject(ended);
    this.#waiting.clear();
    if (!this.#isEnding) this.#use.ended(error);
  }
}
