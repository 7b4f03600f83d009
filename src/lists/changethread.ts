/**
 * The thread that makes large changes of lists, as the server sees it. What comes in: orders. What
 * goes out: what came of each.
 * Invariant: orders are done one after the other, in the order in which they came; the thread is
 * there from the first one on until it has had none for a while.
 * Why so: to copy a million entries, to write them, and to wait for the disk, takes tens of
 * milliseconds each, in which no request would be answered. So what comes is handed over in blocks,
 * and what goes back is written to memory that both have.
 */
import { describeError, type Log } from "../log.ts";
import { ThreadPool } from "../threads.ts";
import { ENTRY_BYTES } from "./entries.ts";
import type { ChangeOutcome, ListTask, SentTask } from "./listchange.ts";
import type { ChangeWork } from "./listchange.worker.ts";

/** How long a thread without work stays, in milliseconds: it takes some megabytes. */
const IDLE_MS = 30_000;

/** What came of a change. */
export interface ThreadChange {
  readonly outcome: ChangeOutcome;
  /** What was sent: ascending, each once. In memory that the thread has left. */
  readonly entries: Uint8Array;
}

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
   * Adds entries to a list, or takes them away; they come in any order, in blocks that are gone
   * here then. What comes back beside the outcome is the same entries in order, each once. Rejects
   * on failure.
   */
  async change(order: SentTask, sent: readonly Uint8Array[]): Promise<ThreadChange> {
    const bytes = sent.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const sorted = new SharedArrayBuffer(bytes);
    const transfer = sent.map(({ buffer }) => buffer as ArrayBuffer);
    const task = { dataDir: this.#dataDir, order, sent, sorted };
    const { outcome, distinct } = await this.#run((pool) => pool.run("change", task, { transfer }));
    return { outcome, entries: new Uint8Array(sorted, 0, distinct * ENTRY_BYTES) };
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
