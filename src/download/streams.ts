/**
 * Several files at the same time, and fewer when the share does not want that.
 * What comes in: items and the work on one of them. What goes out: all done, or the first failure.
 * Invariant: never more than `crowd.streams` works run; a share that refuses several gets one less
 * and what was refused is done later; a failure ends the others before it is thrown.
 */
import { DownloadError } from "./downloaderror.ts";

/** How many streams the share takes; shrinks while we learn. */
export interface Crowd {
  streams: number;
}

/** What the work on one item knows of the others. */
interface DownloadLane {
  /** Fires when the work is not wanted any more. */
  readonly signal: AbortSignal;
  /** Whether it is the only one, so that trouble of kind `crowded` is its own to bear. */
  readonly alone: () => boolean;
}

/** What runs. */
interface DownloadLanes<T> {
  readonly items: readonly T[];
  readonly crowd: Crowd;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly work: (item: T, lane: DownloadLane) => Promise<void>;
}

/** Does the work on every item, in their order. @throws the first failure. */
export async function inStreams<T>(lanes: DownloadLanes<T>): Promise<void> {
  const { items, crowd, signal, say, work } = lanes;
  const queue = [...items];
  const control = new AbortController();
  const onAbort = (): void => control.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  const count = Math.min(crowd.streams, queue.length);
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
          // The others may have ended in the meantime; then this one has to go on.
          if (running === 1) continue;
          crowd.streams = Math.max(1, Math.min(crowd.streams, running) - 1);
          say(`${error.message}; going on with ${crowd.streams} at the same time`);
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
