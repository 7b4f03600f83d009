/**
 * Work that is done a little at a time, between requests. What comes in: short tasks of any number
 * of answers. What goes out: each is run once, in the order in which they came.
 * Invariant: all of them together get about a quarter of a millisecond of each turn of the event
 * loop, however many answers are under way, so that whoever asks something small hardly waits.
 */

/** Time for tasks in one turn, in milliseconds; at least one task is run. */
const TURN_MS = 0.25;

interface Entry {
  task: (() => void) | null;
}

const waiting: Entry[] = [];
let planned = false;

/** Runs a task soon, never at once; gives the way to take it back. */
export function later(task: () => void): () => void {
  const entry: Entry = { task };
  waiting.push(entry);
  plan();
  return () => {
    entry.task = null;
  };
}

/** Does something soon, never at once, as `later` does; rejects with what it throws. */
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

/** Time for parts in the call, in milliseconds: an ordinary request is done by then. */
const AT_ONCE_MS = 10;

/** Work of many parts, each of them as short as that of a request. */
export class Turns {
  #began = performance.now();

  /**
   * To be awaited before each part: at once as long as all of them together take hardly any time,
   * so that answers leave in the order of the requests; then others have their turn in between.
   */
  taken(): Promise<void> | undefined {
    if (performance.now() - this.#began < AT_ONCE_MS) return undefined;
    return laterResult(() => {
      this.#began = performance.now() - AT_ONCE_MS;
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
    // What a task throws is a mistake of the program; the others must not wait for ever for it.
    if (waiting.length > 0) plan();
    entry.task?.();
    entry = performance.now() - began < TURN_MS ? waiting.shift() : undefined;
  }
  if (waiting.length > 0) plan();
}
