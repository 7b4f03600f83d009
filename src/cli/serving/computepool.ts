/**
 * The thread for long JavaScript of requests, as the server sees it. It keeps the tables of the
 * translator and the snapshots that it has opened (compute.worker.ts).
 * Invariant: the thread opens a snapshot by its path and compares its identity. If another file has
 * taken that path, the call does the work.
 */
import { AppError, type ErrorCode, type Mistake } from "../../errors.ts";
import type { Compute, Work, WorkContext } from "../../http/server/compute.ts";
import { ThreadPool } from "../../process/threads.ts";
import { FairQueue } from "../../scheduling/fairqueue.ts";
import type { Segment } from "../../search/segment.ts";

/** A snapshot as a thread finds it. */
export interface SnapshotFile {
  readonly path: string;
  readonly snapshotId: string;
}

/** A work that is sent to a thread. */
export interface ComputeOrder {
  readonly name: string;
  readonly task: unknown;
  readonly segment: SnapshotFile;
  readonly older?: SnapshotFile | undefined;
  /** Identities of the snapshots that the server has open; the thread closes all others. */
  readonly open: readonly string[];
}

/** What became of a work in a thread; null if a snapshot is not at its path any more. */
export type ComputeOutcome = {
  /** What the work was charged, in order. */
  readonly spent: readonly number[];
} & ({ readonly value: unknown } | { readonly refusal: Refusal });

/** An `AppError` on its way between threads, where it would lose its class. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly Mistake[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A part of the translator's tables that is to be made. */
export interface WarmOrder extends Pick<ComputeOrder, "segment" | "open"> {
  readonly part: number;
}

/** Functions of the thread. */
export interface ComputeWork {
  readonly compute: readonly [ComputeOrder, ComputeOutcome | null];
  /** Makes a part of the translator's tables for a snapshot; true if further parts follow. */
  readonly warm: readonly [WarmOrder, boolean];
}

/** One thread: a second one would take the memory of the translator's tables again. */
const THREADS = 1;
/** One works, the next one is on its way to it. The connections bound how many wait. */
const QUEUE = {
  ...{ running: THREADS + 1, waiting: 65_536, waitingOfOwner: 65_536 },
  what: "Long requests",
};

/** Runs works in a thread, which is started on first use. */
export class ComputePool implements Compute {
  readonly #opened: () => readonly Segment[];
  readonly #queue = new FairQueue(QUEUE);
  #pool: ThreadPool<ComputeWork> | null = null;
  /** The snapshot that was warmed last; the server may not have it among its own yet. */
  #warmed = "";

  /** `opened` returns the snapshots that the server has open. */
  constructor(opened: () => readonly Segment[]) {
    this.#opened = opened;
  }

  /** Runs a work in its tenant's turn. */
  run<Task, Value>(work: Work<Task, Value>, task: Task, context: WorkContext): Promise<Value> {
    return this.#queue.run(context.asker, context.size, () => this.#order(work, task, context));
  }

  /**
   * Makes the tables of the translator for a snapshot, which takes about a second. Requests are
   * answered between its parts. Ends early when `ended` returns true.
   */
  async warm(segment: Segment, ended: () => boolean = () => false): Promise<void> {
    this.#warmed = segment.snapshotId;
    for (let part = 0, more = true; more && !ended(); part++) {
      const order = { segment: fileOf(segment), open: this.#open(), part };
      more = await this.#started().run("warm", order);
    }
  }

  /** Ends the thread; work that is not done within a second rejects. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }

  async #order<Task, Value>(
    work: Work<Task, Value>,
    task: Task,
    { segment, older, payer }: WorkContext,
  ): Promise<Value> {
    const outcome = await this.#started().run("compute", {
      ...{ name: work.name, task, segment: fileOf(segment), open: this.#open() },
      older: older === undefined ? undefined : fileOf(older),
    });
    if (outcome === null) return work.run(task, segment, payer, older);
    for (const cost of outcome.spent) payer.spend(cost);
    if ("value" in outcome) return outcome.value as Value;
    const { code, detail, ...details } = outcome.refusal;
    throw new AppError(code, detail, details);
  }

  #started(): ThreadPool<ComputeWork> {
    const worker = "cli/serving/compute.worker.ts";
    this.#pool ??= new ThreadPool({ worker, threads: THREADS });
    return this.#pool;
  }

  #open(): string[] {
    return [...this.#opened().map(({ snapshotId }) => snapshotId), this.#warmed];
  }
}

function fileOf({ path, snapshotId }: Segment): SnapshotFile {
  return { path, snapshotId };
}
