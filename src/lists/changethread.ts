/**
 * The thread that makes large changes of lists, as the server sees it. What comes in: orders. What
 * goes out: what came of each.
 * Invariant: orders are done one after the other, those of a tenant in the order in which they
 * came; tenants take turns by how many entries theirs have; the thread is there from the first
 * order on until it has had none for a while.
 * Why so: to copy a million entries, to write them, and to wait for the disk, takes tens of
 * milliseconds each, in which no request would be answered. So what comes is handed over in blocks,
 * and what is in order is in memory that both have.
 */

import { describeError, type Log } from "../process/log.ts";
import { ThreadPool } from "../process/threads.ts";
import { FairQueue } from "../scheduling/fairqueue.ts";
import type { ChangeOutcome, EntryTask, ListTask } from "./listchange.ts";
import type { ChangeWork } from "./listchange.worker.ts";

/** How long a thread without work stays, in milliseconds: it takes some megabytes. */
const IDLE_MS = 30_000;

/** Does orders in a thread. */
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

  /** Whether an order is under way: whoever writes meanwhile waits for its transaction. */
  get busy(): boolean {
    return this.#under > 0;
  }

  /**
   * Entries in order, each once, in memory that threads share; they come in blocks of which each
   * has memory of its own, and which are gone here then. Rejects on failure.
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

  /** Adds entries to a list, or takes them away. Rejects on failure. */
  change(order: EntryTask): Promise<ChangeOutcome> {
    const { tenantId, entries } = order;
    return this.#run(tenantId, entries.byteLength, (pool) =>
      pool.run("change", { dataDir: this.#dataDir, order }),
    );
  }

  /** Removes a list. Rejects as `change` does. */
  remove(order: ListTask): Promise<ChangeOutcome> {
    return this.#run(order.tenantId, 1, (pool) =>
      pool.run("remove", { dataDir: this.#dataDir, order }),
    );
  }

  /** Ends the thread; what is under way is waited for, for a second. */
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

  async #run<Told>(
    tenantId: string,
    bytes: number,
    order: (pool: ThreadPool<ChangeWork>) => Promise<Told>,
  ): Promise<Told> {
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
