/**
 * Starts the thread that makes large changes of lists, and sends it tasks.
 * Invariant: one task runs at a time. Tasks of a tenant run in arrival order. Tenants take turns,
 * weighted by numbers of entries. The thread starts with the first task and ends after some idle
 * time. Copying, writing, and syncing a million entries takes tens of milliseconds each, which
 * would block requests. So input is transferred in blocks, and sorted entries are in shared memory.
 */

import { describeError, type Log } from "../process/log.ts";
import { ThreadPool } from "../process/threads.ts";
import { FairQueue } from "../scheduling/fairqueue.ts";
import type { ChangeOutcome, EntryTask, ListTask } from "./listchange.ts";
import type { ChangeWork } from "./listchange.worker.ts";

/** Milliseconds after which an idle thread, which takes some megabytes, ends. */
const IDLE_MS = 30_000;

/** Runs changes of lists in a worker thread. */
export class ChangeThread {
  readonly #dataDir: string;
  readonly #log: Log;
  readonly #queue = new FairQueue({
    ...{ running: 1, waiting: 512, waitingOfOwner: 64 },
    what: "Changes of lists",
  });
  #pool: ThreadPool<ChangeWork> | null = null;
  #under = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(dataDir: string, log: Log) {
    this.#dataDir = dataDir;
    this.#log = log;
  }

  /** True if a task is running. The transaction of that task would block other writers. */
  get busy(): boolean {
    return this.#under > 0;
  }

  /**
   * Sorts entries into shared memory and removes repeats. Each block must have a buffer of its own,
   * because the buffer is transferred to the thread and is unusable afterwards. Rejects on failure.
   */
  async sort(tenantId: string, sent: readonly Uint8Array[]): Promise<Uint8Array> {
    const bytes = sent.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const sorted = new SharedArrayBuffer(bytes);
    const transfer = sent.map(({ buffer }) => buffer as ArrayBuffer);
    const length = await this.#run(tenantId, bytes, (pool) =>
      pool.run("sort", { sent, sorted }, { transfer }),
    );
    return new Uint8Array(sorted, 0, length);
  }

  /** Adds entries to a list, or removes them. Rejects on failure. */
  change(order: EntryTask): Promise<ChangeOutcome> {
    const { tenantId, entries } = order;
    return this.#run(tenantId, entries.byteLength, (pool) =>
      pool.run("change", { dataDir: this.#dataDir, order }),
    );
  }

  /** Removes a list. Rejects like `change`. */
  remove(order: ListTask): Promise<ChangeOutcome> {
    return this.#run(order.tenantId, 1, (pool) =>
      pool.run("remove", { dataDir: this.#dataDir, order }),
    );
  }

  /** Ends the thread; waits up to a second for a running task. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const pool = this.#pool;
    this.#pool = null;
    try {
      await pool?.close();
    } catch (error) {
      this.#log.warn(describeError(error), "the thread of lists did not end well");
    }
  }

  async #run<Result>(
    tenantId: string,
    bytes: number,
    order: (pool: ThreadPool<ChangeWork>) => Promise<Result>,
  ): Promise<Result> {
    clearTimeout(this.#idle);
    this.#under++;
    try {
      return await this.#queue.run(tenantId, bytes, () => {
        this.#pool ??= new ThreadPool({ worker: "lists/listchange.worker.ts", threads: 1 });
        return order(this.#pool);
      });
    } finally {
      this.#under--;
      if (this.#under === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}
