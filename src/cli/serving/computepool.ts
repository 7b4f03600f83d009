/**
 * The server's interface to the thread for long computations, which caches the translator's tables
 * and opened snapshots (compute.worker.ts).
 * Invariant: the thread opens a snapshot by its path and checks its identity. If the path now leads
 * to another file, the thread returns the task, and the calling thread does the work.
 */
import { AppError } from "../../errors.ts";
import type { Computation, ComputationContext, Compute } from "../../http/server/body.ts";
import { shareBytes } from "../../process/tasks.ts";
import { ThreadPool, YOUNG_MB } from "../../process/threads.ts";
import { FairQueue } from "../../scheduling/fairqueue.ts";
import type { Segment } from "../../search/segment.ts";
import { descriptorsInUse } from "../../translate/activities/officialtexts.ts";
import type { ComputeOrder, ComputeWork, SnapshotFile } from "./compute.worker.ts";

/** One thread, because a second thread would duplicate the memory of the translator's tables. */
const THREADS = 1;
/**
 * The queue sends the thread one task to run and one more that waits there. The queue has no limit
 * of its own, because the number of connections limits it.
 */
const QUEUE = {
  ...{ running: THREADS + 1, waiting: 65_536, waitingOfOwner: 65_536 },
  what: "Long requests",
};

/** Runs computations in a thread that starts on first use. */
export class ComputePool implements Compute {
  readonly #opened: () => readonly Segment[];
  readonly #queue = new FairQueue(QUEUE);
  #pool: ThreadPool<ComputeWork> | null = null;
  /** The snapshot warmed last. The server may not have registered it yet. */
  #warmed = "";
  #descriptors: Uint8Array | null = null;
  #ended = false;
  /** The snapshots that were open at the thread's last sweep. */
  #swept = "";

  /** `opened` returns the snapshots that the server has open. */
  constructor(opened: () => readonly Segment[]) {
    this.#opened = opened;
  }

  ensureHere(): void {}

  /** Runs a computation when it is its tenant's turn. */
  run<Task, Value>(
    work: Computation<Task, Value>,
    task: Task,
    context: ComputationContext,
  ): Promise<Value> {
    return this.#queue.run(context.tenantId, context.size, () => this.#order(work, task, context));
  }

  /**
   * Builds the translator's tables for a snapshot, which takes about a second. The tables are built
   * part by part, so that requests are answered in between. Stops early when `ended` returns true.
   */
  async warm(segment: Segment, ended: () => boolean = () => false): Promise<void> {
    this.#warmed = segment.snapshotId;
    for (let part = 0, more = true; more && !ended(); part++) {
      const order = { segment: fileOf(segment), ...this.#around(), part };
      more = await this.#started().run("warm", order);
    }
  }

  /** Makes the thread close the snapshots that the server has closed. Never rejects. */
  async sweep(): Promise<void> {
    if (this.#pool === null) return;
    const { open } = this.#around();
    if (open.join() === this.#swept) return;
    this.#swept = open.join();
    // If the thread has died, it has nothing open. The request on which it worked reports its
    // death.
    await this.#pool.run("close", open).catch(() => undefined);
  }

  /** Ends the thread. A computation that takes longer than another second is rejected. */
  async close(): Promise<void> {
    this.#ended = true;
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }

  async #order<Task, Value>(
    work: Computation<Task, Value>,
    task: Task,
    { segment, others = [], payer, moved = [] }: ComputationContext,
  ): Promise<Value> {
    const order: ComputeOrder = {
      ...{ name: work.name, task, segment: fileOf(segment), ...this.#around() },
      others: others.map(fileOf),
    };
    const transfer = [...moved];
    const outcome = await this.#started().run("compute", order, { transfer });
    if ("returned" in outcome) return work.run(outcome.returned as Task, segment, payer, others);
    for (const cost of outcome.spent) payer.spend(cost);
    if ("value" in outcome) return outcome.value as Value;
    const { code, detail, ...details } = outcome.refusal;
    throw new AppError(code, detail, details);
  }

  #started(): ThreadPool<ComputeWork> {
    if (this.#ended) throw new Error("the compute thread has ended");
    const worker = "cli/serving/compute.worker.ts";
    // V8 collects the garbage of an idle thread only if it has an event loop.
    const options = { threads: THREADS, listening: true, youngMb: YOUNG_MB };
    this.#pool ??= new ThreadPool({ worker, ...options });
    return this.#pool;
  }

  #around(): Pick<ComputeOrder, "open" | "descriptors"> {
    // In shared memory, the text can be sent repeatedly without a copy.
    this.#descriptors ??= shareBytes(Buffer.from(JSON.stringify(descriptorsInUse())));
    const open = this.#opened().map(({ snapshotId }) => snapshotId);
    if (open.includes(this.#warmed)) this.#warmed = "";
    else open.push(this.#warmed);
    return { open, descriptors: this.#descriptors };
  }
}

function fileOf({ path, snapshotId }: Segment): SnapshotFile {
  return { path, snapshotId };
}
