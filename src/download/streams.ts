/**
 * Processes items concurrently, fewer at a time if the share refuses.
 * Invariant: at most `streamLimit.streams` run. If the share refuses concurrent streams, the number
 * drops by one and the refused item runs later. A failure stops the others before it is thrown.
 */
import { DownloadError } from "./downloaderror.ts";

/** Number of streams that the share accepts. It decreases with refusals. */
export interface StreamLimit {
  streams: number;
}

/** Context of the work on one item. */
interface StreamContext {
  /** Fires when the work is canceled. */
  readonly signal: AbortSignal;
  /** True if no other stream runs. Then the work must handle `crowded` errors itself. */
  readonly alone: () => boolean;
}

interface ParallelWork<T> {
  readonly items: readonly T[];
  readonly streamLimit: StreamLimit;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
  readonly work: (item: T, lane: StreamContext) => Promise<void>;
}

/** Processes every item, started in order. @throws the first failure. */
export async function inParallelStreams<T>(lanes: ParallelWork<T>): Promise<void> {
  const { items, streamLimit, signal, report, work } = lanes;
  const queue = [...items];
  const control = new AbortController();
  const onAbort = (): void => control.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  const count = Math.min(streamLimit.streams, queue.length);
  let running = count;
  const lane = { signal: control.signal, alone: () => running === 1 };
  const failures: unknown[] = [];
  const run = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await work(item, lane);
      } catch (error) {
        if (error instanceof DownloadError && error.kind === "crowded" && failures.length === 0) {
          queue.unshift(item);
          // If no other stream is still running, this stream must continue, or nothing would
          // process the remaining items.
          if (running === 1) continue;
          streamLimit.streams = Math.max(1, Math.min(streamLimit.streams, running) - 1);
          report(`${error.message}; going on with ${streamLimit.streams} at the same time`);
          break;
        }
        failures.push(error);
        control.abort(error);
        break;
      }
    }
    running--;
  };
  try {
    await Promise.all(Array.from({ length: count }, run));
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  if (failures.length > 0) throw failures[0];
}
