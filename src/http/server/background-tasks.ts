/**
 * Runs background tasks between requests. Input: short tasks that belong to many answers. Output:
 * each task runs once, in order.
 * Invariant: together the tasks get about 0.25 ms of each turn of the event loop, regardless of the
 * number of unfinished answers. Therefore small requests hardly wait.
 */

/** Time budget for tasks in one turn, in milliseconds; at least one task runs. */
const TURN_MS = 0.25;

interface Entry {
  task: (() => void) | null;
}

const waiting: Entry[] = [];
let planned = false;

/** Schedules `task` for a later turn. Returns a function that cancels it. */
export function later(task: () => void): () => void {
  const entry: Entry = { task };
  waiting.push(entry);
  plan();
  return () => {
    entry.task = null;
  };
}

/** Like `later`, but returns a promise for the result of `work`. */
function laterResult<Value>(work: () => Value): Promise<Awaited<Value>> {
  return new Promise((resolve, reject) => {
    later(() => {
      try {
        resolve(work() as Awaited<Value>);
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Time for parts that run inline, in milliseconds. An ordinary request finishes within it. */
const INLINE_MS = 10;

/** Splits long work into parts, each as short as a request. */
export class TimeSlices {
  #began = performance.now();

  /**
   * Await the result before each part. During the first `INLINE_MS`, there is nothing to wait for,
   * so answers leave in request order. After that, the wait yields to other requests.
   */
  taken(): Promise<void> | undefined {
    if (performance.now() - this.#began < INLINE_MS) return undefined;
    return laterResult(() => {
      this.#began = performance.now() - INLINE_MS;
    });
  }
}

function plan(): void {
  if (planned) return;
  planned = true;
  setImmediate(run);
}

function run(): void {
  planned = false;
  const began = performance.now();
  let entry = waiting.shift();
  while (entry !== undefined) {
    // A throwing task is a bug, but the other tasks must still run.
    if (waiting.length > 0) plan();
    entry.task?.();
    entry = performance.now() - began < TURN_MS ? waiting.shift() : undefined;
  }
  if (waiting.length > 0) plan();
}
