/**
 * Controls the thread that makes change lists. Input: pairs of snapshots. Output: progress and
 * results.
 * Invariant: one list at a time. The thread exists only while lists are made. If the thread dies,
 * only its current list fails. The promise of a result never rejects, because failures are results
 * too.
 */
import { MessageChannel } from "node:worker_threads";
import { describeError, type Log } from "../process/log.ts";
import { ThreadPool } from "../process/threads.ts";
import type { Segment } from "../search/segment.ts";
import type { ListOrder, ListOutcome, ListWork } from "./list.worker.ts";

interface ListOptions {
  readonly older: Segment;
  readonly newer: Segment;
  readonly path: string;
}

/** A list in progress, or queued. */
export interface ListBuild {
  readonly outcome: Promise<ListOutcome>;
  /** Progress, 0-1. */
  progress(): number;
}

/** Makes lists one at a time. */
export class ListThread {
  readonly #log: Log;
  /** End of the latest order. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #pool: ThreadPool<ListWork> | null = null;
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(log: Log) {
    this.#log = log;
  }

  /** Queues a list after the earlier lists. */
  make(options: ListOptions): ListBuild {
    let share = 0;
    this.#waiting++;
    const outcome = this.#last.then(() =>
      this.#run(options, (done) => {
        share = done;
      }),
    );
    this.#last = outcome;
    return { outcome, progress: () => share };
  }

  /** Cancels everything, including the list in progress. */
  stop(): void {
    Atomics.store(this.#flag, 0, 1);
  }

  /** Stops the thread; resolves when it has ended. */
  async close(): Promise<void> {
    this.stop();
    await this.#last;
  }

  async #run(options: ListOptions, report: (share: number) => void): Promise<ListOutcome> {
    try {
      if (Atomics.load(this.#flag, 0) === 1) return { kind: "cancelled" };
      this.#pool ??= new ThreadPool({ worker: "changes/list.worker.ts", threads: 1 });
      return await this.#order(this.#pool, options, report);
    } catch (error) {
      return { kind: "failed", why: "other", error: describeError(error) };
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) await this.#end();
    }
  }

  async #order(
    pool: ThreadPool<ListWork>,
    { older, newer, path }: ListOptions,
    report: (share: number) => void,
  ): Promise<ListOutcome> {
    const { port1: ours, port2: theirs } = new MessageChannel();
    ours.on("message", report);
    const order: ListOrder = {
      older: { path: older.path, snapshotId: older.snapshotId },
      newer: { path: newer.path, snapshotId: newer.snapshotId },
      ...{ path, port: theirs, flag: this.#flag },
    };
    try {
      return await pool.run("make", order, { transfer: [theirs] });
    } finally {
      ours.close();
    }
  }

  /** Ends the thread: lists are made once a month, so an idle thread would only take memory. */
  async #end(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    try {
      await pool?.close();
    } catch (error) {
      this.#log.warn(describeError(error), "the thread of change lists did not end well");
    }
  }
}
