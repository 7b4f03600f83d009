/**
 * Threads that render exports, as the queue sees them. What comes in: what to render. What goes
 * out: how it went, and how far it is meanwhile.
 * Invariant: a render that was begun ends with exactly one outcome and never rejects, also when
 * its thread dies; closing waits for nothing, so whoever closes cancels first.
 */
import { BroadcastChannel, MessageChannel } from "node:worker_threads";
import { describeError } from "../../process/log.ts";
import { ThreadPool } from "../../process/threads.ts";
import {
  type RenderFunctions,
  type RenderOutcome,
  type RenderTask,
  type StageOutcome,
  type StageTask,
  searchCounter,
  UNPINNED,
} from "./rendertask.ts";

/** What to render, without what the threads need to talk. */
export type RenderRequest = Omit<RenderTask, "port" | "flag" | "searches">;

/** What to write for a list, likewise. */
type StageRequest = Omit<StageTask, "flag">;

/** Work that was begun. */
interface Started<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Asks it to end at the next batch. */
  cancel(): void;
}

/** A render that was begun. */
export type StartedRender = Started<RenderOutcome>;
/** The list `exported` of a tenant that is being written. */
export type StartedStage = Started<StageOutcome>;

/** Told now and then how far a render is. */
export type OnProgress = (rowsWritten: number, rowCount: number) => void;

/** Whoever renders; a test may put something else in its place. */
export interface RenderThreads {
  /** How many renders run at once. */
  readonly size: number;
  start(request: RenderRequest, onProgress: OnProgress): StartedRender;
  /** Stages what a rendered export has held, for its tenant's list. */
  stage(request: StageRequest): StartedStage;
  /** Says that no export needs a snapshot, so that threads close it. */
  forget(snapshotId: string): void;
  close(): Promise<void>;
}

/**
 * When threads start that nobody asked for: behind the start of a server, whose first answers need
 * the processors that loading a thread takes (a tenth of a second of one).
 */
const START_AFTER_MS = 2_000;

/** Renders in threads of piscina, over the pinned snapshot. */
export class RenderPool implements RenderThreads {
  readonly size: number;
  #pool: ThreadPool<RenderFunctions> | null = null;
  readonly #starting: NodeJS.Timeout;
  readonly #searches: Int32Array;
  readonly #unpinned = new BroadcastChannel(UNPINNED);

  /**
   * The threads start with the first work, or by themselves a while later; while nobody searches
   * they may use further processors.
   */
  constructor(threads: number, searches: Int32Array = searchCounter()) {
    this.size = threads;
    this.#searches = searches;
    this.#unpinned.unref();
    this.#starting = setTimeout(() => this.#threads(), START_AFTER_MS).unref();
  }

  /** Whether the threads were started. */
  get isStarted(): boolean {
    return this.#pool !== null;
  }

  #threads(): ThreadPool<RenderFunctions> {
    clearTimeout(this.#starting);
    this.#pool ??= new ThreadPool({
      worker: "export/queue/export.worker.ts",
      threads: this.size,
      listening: true,
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
    clearTimeout(this.#starting);
    this.#unpinned.close();
    await this.#pool?.close();
  }
}

function newFlag(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}
