/**
 * Whether anybody searches while exports are rendered. What comes in: each search, in the thread of
 * the requests. What goes out: in the threads that render, whether there was none for a while, so
 * that a render may use the processor that searches would need.
 * Invariant: the threads share one number, which only grows; nobody waits for anybody.
 */
import { availableParallelism } from "node:os";

/** So long there must have been no search. */
const QUIET_MS = 1_000;

/** Counts searches where other threads see it. */
export class SearchCount {
  /** The number, which may begin anew behind 2^32. */
  readonly shared: Int32Array;

  constructor(shared = new Int32Array(new SharedArrayBuffer(4))) {
    this.shared = shared;
  }

  /** Returns the counter whose number another thread made. */
  static join(shared: Int32Array): SearchCount {
    return new SearchCount(shared as Int32Array<SharedArrayBuffer>);
  }

  /** Counts one. */
  add(): void {
    Atomics.add(this.shared, 0, 1);
  }
}

/** Asked again and again, says whether there is a processor that no search needs. */
export function spareProcessor(
  searches: Int32Array,
  nowMs: () => number = () => performance.now(),
  processors: number = availableParallelism(),
): () => boolean {
  let seen = Atomics.load(searches, 0);
  let seenMs = nowMs();
  return () => {
    const count = Atomics.load(searches, 0);
    if (count !== seen) [seen, seenMs] = [count, nowMs()];
    return processors > 1 && nowMs() - seenMs >= QUIET_MS;
  };
}
