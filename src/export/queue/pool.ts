/**
 * Worker threads that render exports, as the queue uses them. Input: a render request. Output: its
 * progress, then its outcome.
 * Invariant: a started render ends with exactly one outcome and never rejects, even if its thread
 * dies. Closing does not wait, so callers must cancel first.
 */
import { BroadcastChannel, MessageChannel } from "node:worker_threads";
import { describeError } from "../../process/log.ts";
import { ThreadPool, YOUNG_MB } from "../../process/threads.ts";
import {
  type RenderFunctions,
  type RenderOutcome,
  type RenderTask,
  type StageOutcome,
  type StageTask,
  searchCounter,
  UNPINNED,
} from "./rendertask.ts";

/** A render request, without the fields for communication between threads. */
export type RenderRequest = Omit<RenderTask, "port" | "flag" | "searches">;

type StageRequest = Omit<StageTask, "flag">;

interface Started<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Asks the thread to stop at the next batch. */
  cancel(): void;
}

/** A render in progress. */
export type StartedRender = Started<RenderOutcome>;
/**
 * A running task that writes new blocks of a tenant's list `exported`, to which the list does not
 * refer yet (staging).
 */
export type StartedStage = Started<StageOutcome>;

/** Receives the progress of a render at intervals. */
export type OnProgress = (rowsWritten: number, rowCount: number) => void;

/** Renders exports; tests may replace it. */
export interface RenderThreads {
  /** Max concurrent renders. */
  readonly size: number;
  start(request: RenderRequest, onProgress: OnProgress): StartedRender;
  /** Stages the rows of a rendered export for its tenant's list. */
  stage(request: StageRequest): StartedStage;
  /** Makes the threads close a snapshot that no export needs. */
  forget(snapshotId: string): void;
  close(): Promise<void>;
}

/**
 * Renders exports in piscina threads. Each render reads the snapshot to which its export is pinned.
 */
export class RenderPool implements RenderThreads {
  readonly size: number;
  #pool: ThreadPool<RenderFunctions> | null = null;
  readonly #searches: Int32Array;
  readonly #unpinned = new BroadcastChannel(UNPINNED);

  /**
   * The threads start with the first work: loading one takes 0.1 s of a processor, and it holds
   * 15 MB. While no search runs, they may use more processors.
   */
  constructor(threads: number, searches: Int32Array = searchCounter()) {
    this.size = threads;
    this.#searches = searches;
    this.#unpinned.unref();
  }

  get isStarted(): boolean {
    return this.#pool !== null;
  }

  #threads(): ThreadPool<RenderFunctions> {
    this.#pool ??= new ThreadPool({
      worker: "export/queue/export.worker.ts",
      threads: this.size,
      listening: true,
      youngMb: YOUNG_MB,
    });
    return this.#pool;
  }

  stage(request: StageRequest): StartedStage {
    const flag = newFlag();
    const outcome = this.#threads()
      .run("stage", { ...request, flag })
      .catch((error: unknown): StageOutcome => ({ kind: "crashed", error: describeError(error) }));
    return { outcome, cancel: () => Atomics.store(flag, 0, 1) };
  }

  start(request: RenderRequest, onProgress: OnProgress): StartedRender {
    const { port1: ours, port2: theirs } = new MessageChannel();
    const flag = newFlag();
    ours.on("message", ([rowsWritten, rowCount]: [number, number]) => {
      onProgress(rowsWritten, rowCount);
    });
    const order: RenderTask = { ...request, port: theirs, flag, searches: this.#searches };
    const outcome = this.#threads()
      .run("render", order, { transfer: [theirs] })
      .catch((error: unknown): RenderOutcome => ({ kind: "crashed", error: describeError(error) }))
      .finally(() => ours.close());
    return { outcome, cancel: () => Atomics.store(flag, 0, 1) };
  }

  forget(snapshotId: string): void {
    this.#unpinned.postMessage(snapshotId);
  }

  async close(): Promise<void> {
    this.#unpinned.close();
    await this.#pool?.close();
  }
}

function newFlag(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}
