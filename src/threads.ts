/**
 * Threads for work that must not hold up the server; the only importer of piscina.
 * What comes in: a worker file (src/location.ts finds it) and tasks for the functions it exports.
 * What goes out: their results, typed by a table of the caller's.
 * Invariant: a task that throws, or whose thread dies, rejects; the pool replaces the thread and
 * goes on. An error loses its class on the way, so workers answer with values where it matters.
 */
import type { MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { workerArguments, workerFile } from "./location.ts";

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

/** Task and result of every function of a worker, by its name. */
type WorkTable<Work> = { [Name in keyof Work]: readonly [task: unknown, result: unknown] };

/** A pool of threads. Call `close` when it is no longer needed. */
export class ThreadPool<Work extends WorkTable<Work>> {
  /** Number of threads. */
  readonly size: number;
  readonly #pool: Piscina;
  /** How to fail every task that has not ended. */
  readonly #waiting = new Set<(error: Error) => void>();

  /** Starts the threads; where none can begin, tasks reject. */
  constructor({ worker, threads, listening = false }: PoolOptions) {
    this.size = threads;
    this.#pool = new Piscina({
      filename: workerFile(worker),
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
  }

  /** Runs one task when a thread is free; `signal` takes back one that has not begun. */
  async run<Name extends keyof Work & string>(
    name: Name,
    task: Work[Name][0],
    options: { readonly signal?: AbortSignal; readonly transfer?: MessagePort[] } = {},
  ): Promise<Work[Name][1]> {
    const { signal, transfer } = options;
    const run = this.#pool.run(task, {
      name,
      ...(signal === undefined ? {} : { signal }),
      ...(transfer === undefined ? {} : { transferList: transfer }),
    });
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      run.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Ends the threads; tasks that still run reject. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
