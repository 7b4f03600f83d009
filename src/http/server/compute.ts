/**
 * JavaScript of a request that may take longer than a millisecond: reading a large body,
 * translating a sentence, looking up names. It runs in a thread (compute.worker.ts), which keeps
 * the tables of the translator and the snapshots that it has opened.
 * Invariant: the same synchronous function does the work in the thread and in the call, so that the
 * result does not depend on the place. A thread opens a snapshot by its path and compares its
 * identity. If another file has taken that path, the work is done in the call.
 */
import type { Plan } from "../../access/plans.ts";
import { AppError, type ErrorCode, type Mistake } from "../../errors.ts";
import { ThreadPool } from "../../process/threads.ts";
import { FairQueue } from "../../scheduling/fairqueue.ts";
import type { Segment } from "../../search/segment.ts";
import type { Question } from "./service.ts";

/** Largest body that is read in the call, in bytes: about 1 ms for the slowest one of this size. */
const SMALL_BYTES_MAX = 8 * 1024;

/** Returns true if a body is small enough to be read in the call and to be cached. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= SMALL_BYTES_MAX;
}

/** Is charged for a request; throws `rate_limited`. */
interface Payer {
  spend(cost: number): void;
}

/** A pure function that may run in a thread: task and value must survive a structured clone. */
export interface Work<Task, Value> {
  readonly name: string;
  /** `older` is the snapshot that a question about changes compares with. */
  run(task: Task, segment: Segment, payer: Payer, older?: Segment): Value | Promise<Value>;
}

/** What a work runs with, beside its task. */
interface WorkContext {
  readonly segment: Segment;
  readonly older?: Segment | undefined;
  readonly payer: Payer;
  /** The tenant; tenants take turns. */
  readonly asker: string;
  /** How much there is to do, for the turns: bytes. */
  readonly size: number;
}

/** Runs works. */
export interface Compute {
  /** Runs a work, in the call or in a thread. Throws or rejects as the work does. */
  run<Task, Value>(
    work: Work<Task, Value>,
    task: Task,
    context: WorkContext,
  ): Value | Promise<Value>;
}

/** Runs every work in the call; for a process that answers one client. */
export const IN_CALL: Compute = {
  run: (work, task, { segment, payer, older }) => work.run(task, segment, payer, older),
};

/** The part of a request that reading it depends on. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly plan: Plan;
  /** True if the sender may have lists that a spec can name. */
  readonly listsKnown: boolean;
  /** True if the server allows `secondary_cnae_mode: full`. */
  readonly secondaryCnaeFull: boolean;
}

/** The parts of the service that reading a request needs. */
export type ReadPart = "compute" | "listed" | "secondaryCnaeFull";

/** Reads a request: a small body in the call, a larger one where `compute` runs it. */
export function readRequest<Value>(
  call: Question<ReadPart>,
  segment: Segment,
  work: Work<ReadTask, Value>,
): Value | Promise<Value> {
  if (isSmall(call.body)) return work.run(readTask(call, call.body), segment, call);
  return computed(call, work, readTask(call), { segment });
}

/** Runs a work where `compute` runs it, for the sender of a request. */
export function computed<Task, Value>(
  call: Question<"compute">,
  work: Work<Task, Value>,
  task: Task,
  { segment, older }: Pick<WorkContext, "segment" | "older">,
): Value | Promise<Value> {
  const asker = call.identity.tenantId;
  const size = call.body.byteLength;
  return call.service.compute.run(work, task, { segment, older, payer: call, asker, size });
}

/** Returns what reading a request depends on; copies the body, which may be reused after the call. */
export function readTask(
  { service, plan, body: sent }: Question<"listed" | "secondaryCnaeFull">,
  body: Uint8Array = new Uint8Array(sent),
): ReadTask {
  const { listed, secondaryCnaeFull } = service;
  return { body, plan, listsKnown: listed !== null, secondaryCnaeFull };
}

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
