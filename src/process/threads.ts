/**
 * Threads for work that must not hold up the server; the only importer of piscina.
 * What comes in: a worker file (src/location.ts finds it) and tasks for its functions (tasks.ts).
 * What goes out: their results, typed by a table of the caller's.
 * Invariant: a task that throws, or whose thread dies, rejects; the pool replaces the thread and
 * goes on. An error loses its class on the way, so workers answer with values where it matters.
 */
import { setTimeout } from "node:timers/promises";
import type { MessagePort, Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { workerArguments, workerFile } from "../location.ts";
import type { Order, WorkTable } from "./tasks.ts";

/** How long a pool that closes waits for what is under way, in milliseconds. */
const ENDS_WITHIN_MS = 1_000;

/** What a pool is made of. */
interface PoolOptions {
  /** Source of the worker, relative to src/. */
  readonly worker: `${string}.worker.ts`;
  readonly threads: number;
  /**
   * True when a thread must hear events between tasks. Otherwise it sleeps without an event loop,
   * which starts the next task a few microseconds sooner.
   */
  readonly listening?: boolean;
}

/** A pool of threads. Call `close` when it is no longer needed. */
export class ThreadPool<Work extends WorkTable<Work>> {
  /** Number of threads. */
  readonly size: number;
  readonly #pool: Piscina;
  /** How to fail every task that has not ended. */
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #running = new Set<Promise<unknown>>();
  /** Threads that have not ended, and those of them that still load their module. */
  readonly #alive = new Map<Worker, Promise<void>>();
  readonly #loading = new Set<Worker>();

  /** Starts the threads; where none can begin, tasks reject. */
  constructor({ worker, threads, listening = false }: PoolOptions) {
    this.size = threads;
    this.#pool = new Piscina({
      filename: workerFile(worker),
      name: "run",
      execArgv: workerArguments(),
      minThreads: threads,
      maxThreads: threads,
      atomics: listening ? "disabled" : "sync",
    });
    // What the pool emits belongs to no task: an answer that was on its way when its task was
    // taken back or the pool closed, or the end of an idle thread, which is replaced. Only where
    // no thread could begin do tasks wait for nothing.
    this.#pool.on("error", (error: Error) => {
      if (this.#pool.threads.length > 0) return;
      for (const reject of this.#waiting) reject(error);
    });
    this.#watch();
  }

  /** Notes which threads load; a pool replaces one that ends, and adds one that is missing. */
  #watch(): void {
    for (const thread of this.#pool.threads) {
      if (this.#alive.has(thread)) continue;
      this.#loading.add(thread);
      // The first thing that a thread says is that it has loaded.
      thread.once("message", () => this.#loading.delete(thread));
      const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
      this.#alive.set(
        thread,
        ended.then(() => {
          this.#loading.delete(thread);
          this.#alive.delete(thread);
          this.#watch();
        }),
      );
    }
  }

  /**
   * Runs one task when a thread is free. `signal` takes back one that has not begun; it ends the
   * thread of one that has, which is replaced.
   */
  async run<Name extends keyof Work & string>(
    name: Name,
    task: Work[Name][0],
    options: {
      readonly signal?: AbortSignal;
      readonly transfer?: (MessagePort | ArrayBuffer)[];
    } = {},
  ): Promise<Work[Name][1]> {
    const { signal, transfer } = options;
    const order: Order<Work> = { name, task };
    const run = this.#pool.run(order, {
      ...(signal === undefined ? {} : { signal }),
      ...(transfer === undefined ? {} : { transferList: transfer }),
    });
    this.#watch();
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#running.add(run);
      run.then(resolve, reject).finally(() => {
        this.#waiting.delete(reject);
        this.#running.delete(run);
      });
    });
  }

  /**
   * Ends the threads and waits for their end; tasks that are not done within a second reject.
   * Threads are best ended while they do nothing: Node aborts the whole process where one loads an
   * ES module meanwhile (20.20, `Module::IsGraphAsync`) or is in an addon that expects every value
   * to be made (better-sqlite3, `v8::ToLocalChecked`).
   */
  async close(): Promise<void> {
    await this.#allLoaded();
    const ended = Promise.allSettled(this.#running);
    await Promise.race([ended, setTimeout(ENDS_WITHIN_MS, null, { ref: false })]);
    await this.#allLoaded();
    await this.#allReplaced();
    await this.#pool.destroy();
  }

  /**
   * Waits for the threads that were told to end. The pool forgets them at once, and would begin a
   * thread in the place of one that ends after `destroy`.
   */
  async #allReplaced(): Promise<void> {
    const kept = new Set(this.#pool.threads);
    await Promise.all([...this.#alive].map(([thread, ended]) => !kept.has(thread) && ended));
  }

  /** Waits for every thread that loads, those included that have just replaced another. */
  async #allLoaded(): Promise<void> {
    this.#watch();
    while (this.#loading.size > 0) {
      await Promise.all([...this.#loading].map(loaded));
      this.#watch();
    }
  }
}

/** Waits until a thread has loaded, or has ended because it cannot. */
function loaded(thread: Worker): Promise<void> {
  // A thread that loads keeps no process running; whoever waits for it wants that.
  thread.ref();
  return new Promise((resolve) => {
    thread.once("message", () => resolve());
    thread.once("exit", () => resolve());
  });
}
