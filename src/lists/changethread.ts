/**
 * The thread that makes large changes of lists, as the server sees it. What comes in: orders. What
 * goes out: what came of each.
 * Invariant: orders are done one after the other, in the order in which they came; the thread is
 * there from the first one on until it has had none for a while.
 * Why so: to copy a million entries, to write them, and to wait for the disk, takes tens of
 * milliseconds each, in which no request would be answered. So what comes is handed over in blocks,
 * and what is in order is in memory that both have.
 */
import { describeError, type Log } from "../log.ts";
import { ThreadPool } from "../threads.ts";
import type { ChangeOutcome, EntryTask, ListTask } from "./listchange.ts";
import type { ChangeWork } from "./listchange.worker.ts";

/** How long a thread without work stays, in milliseconds: it takes some megabytes. */
const IDLE_MS = 30_000;

/** Does orders in a thread. */
export class ChangeThread {
  readonly #dataDir: string;
  readonly #log: Log;
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
  async sort(sent: readonly Uint8Array[]): Promise<Uint8Array> {
    const bytes = sent.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const sorted = new SharedArrayBuffer(bytes);
    const transfer = sent.map(({ buffer }) => buffer as ArrayBuffer);
    const length = await this.#run((pool) => pool.run("sort", { sent, sorted }, { transfer }));
    return new Uint8Array(sorted, 0, length);
  }

  /** Adds entries to a list, or takes them away. Rejects on failure. */
  change(order: EntryTask): Promise<ChangeOutcome> {
    return this.#run((pool) => pool.run("change", { dataDir: this.#dataDir, order }));
  }

  /** Removes a list. Rejects as `change` does. */
  remove(order: ListTask): Promise<ChangeOutcome> {
    return this.#run((pool) => pool.run("remove", { dataDir: this.#dataDir, order }));
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

  async #run<Told>(order: (pool: ThreadPool<ChangeWork>) => Promise<Told>): Promise<Told> {
    clearTimeout(this.#idle);
    this.#under++;
    try {
      this.#pool ??= new ThreadPool({ worker: "lists/listchange.worker.ts", threads: 1 });
      return await order(this.#pool);
    } finally {
      this.#under--;
      if (this.#under === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}
