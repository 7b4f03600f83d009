/**
 * Thread pools for work that must not block the server; the only importer of piscina. Input: a
 * worker file (located by src/location.ts) and tasks for its functions (tasks.ts). Output: their
 * results, typed by the caller's table.
 * Invariant: if a task throws or its thread dies, its promise rejects, and the pool replaces the
 * thread. An error loses its class between threads. So if the class matters, workers return a value
 * instead.
 */
import { setTimeout } from "node:timers/promises";
import type { MessagePort, Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { workerArguments, workerFile } from "../location.ts";
import type { Order, WorkTable } from "./tasks.ts";

/**
 * Size of the young generation of a server thread's heap, in MB. It is enough for the values of a
 * request. With V8's default, the young generation would grow to 48 MB while tables are built, and
 * then stay mostly empty.
 */
export const YOUNG_MB = 12;

/** Max time that a closing pool waits for running work, in milliseconds. */
const ENDS_WITHIN_MS = 1_000;

interface PoolOptions {
  /** Source of the worker, relative to src/. */
  readonly worker: `${string}.worker.ts`;
  readonly threads: number;
  /**
   * True if a thread must handle events between tasks, or should free memory while it is idle.
   * Otherwise it sleeps without an event loop, which starts the next task a few microseconds
   * sooner.
   */
  readonly listening?: boolean;
  /** Size of the young generation of a thread's heap, in MB; by default V8's, up to 48 MB. */
  readonly youngMb?: number;
}

/** A pool of threads. Call `close` when it is no longer needed. */
export class ThreadPool<Work extends WorkTable<Work>> {
  readonly size: number;
  readonly #pool: Piscina;
  /** For each unfinished task, a function that rejects it. */
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #running = new Set<Promise<unknown>>();
  /** Running threads, each with a promise for its end; `#loading` has those still loading. */
  readonly #alive = new Map<Worker, Promise<void>>();
  readonly #loading = new Set<Worker>();

  /** Starts the threads; if none can start, tasks reject. */
  constructor({ worker, threads, listening = false, youngMb }: PoolOptions) {
    this.size = threads;
    this.#pool = new Piscina({
      filename: workerFile(worker),
      name: "run",
      execArgv: workerArguments(),
      minThreads: threads,
      maxThreads: threads,
      atomics: listening ? "disabled" : "sync",
      ...(youngMb === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngMb } }),
    });
    // Such an error belongs to no task: an answer after a cancellation or after closing, or the end
    // of an idle thread, which is replaced. But if no thread has started, all tasks are rejected,
    // because they would wait forever.
    this.#pool.on("error", (error: Error) => {
      if (this.#pool.threads.length > 0) return;
      for (const reject of this.#waiting) reject(error);
    });
    this.#watch();
  }

  /**
   * Tracks which threads are loading. It is called repeatedly, because the pool adds threads and
   * replaces those that have ended.
   */
  #watch(): void {
    for (const thread of this.#pool.threads) {
      if (this.#alive.has(thread)) continue;
      this.#loading.add(thread);
      // A thread's first message reports that it has loaded.
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

  /** Runs a task. `signal` cancels it; if the task is running, its thread is ended and replaced. */
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
   * Ends the threads and waits for them; tasks that are not done within a second reject. Threads
   * must be idle when they end. Node aborts the process if a thread is loading an ES module (20.20,
   * `Module::IsGraphAsync`), or is in an addon that expects every value to be created
   * (better-sqlite3, `v8::ToLocalChecked`).
   */
  async close(): Promise<void> {
    await this.#allLoaded();
    const ended = Promise.allSettled(this.#running);
    await Promise.race([ended, setTimeout(ENDS_WITHIN_MS, null, { ref: false })]);
    await this.#allLoaded();
    await this.#allReplaced();
    // A replacement may be loading now, and ending a loading thread aborts the process (Node 20).
    await this.#allLoaded();
    await this.#pool.destroy();
  }

  /** Waits for ending threads, which the pool no longer lists and has not replaced yet. */
  async #allReplaced(): Promise<void> {
    const remaining = new Set(this.#pool.threads);
    await Promise.all([...this.#alive].map(([thread, ended]) => !remaining.has(thread) && ended));
  }

  /** Waits until no thread is loading. From then on, tasks may be cancelled (see `close`). */
  loaded(): Promise<void> {
    return this.#allLoaded();
  }

  /** Waits until all loading threads have loaded, including those that replace others meanwhile. */
  async #allLoaded(): Promise<void> {
    this.#watch();
    while (this.#loading.size > 0) {
      await Promise.all([...this.#loading].map(loaded));
      this.#watch();
    }
  }
}

/** Waits until a thread has loaded or has failed to. */
function loaded(thread: Worker): Promise<void> {
  // A loading thread does not keep the process alive by default. This makes it do so while the
  // caller waits for it.
  thread.ref();
  return new Promise((resolve) => {
    thread.once("message", () => resolve());
    thread.once("exit", () => resolve());
  });
}
