/**
 * Work that is done a little at a time, between requests. What comes in: short tasks of any number
 * of answers. What goes out: each is run once, in the order in which they came.
 * Invariant: all of them together get about a quarter of a millisecond of each turn of the event
 * loop, however many answers are under way, so that whoever asks something small hardly waits.
 */

import { outcomeOf, type Steps } from "../../scheduling/steps.ts";

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
export function laterResult<Value>(work: () => Value): Promise<Awaited<Value>> {
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

/** Time for steps at once, in milliseconds: an ordinary request is done by then. */
export const AT_ONCE_MS = 10;

/**
 * The value of steps: at once where they wait for nothing and take hardly any time, so that answers
 * leave in the order of the requests; else each further step is done as `later` does it, so that
 * nobody waits for longer than for one of them.
 */
export function stepwise<Value>(steps: Steps<Value>): Value | Promise<Value> {
  const began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const quick = performance.now() - began < AT_ONCE_MS;

    if (value !== undefined || !quick) return inTurns(steps, value);
  }
}

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

async function inTurns<Value>(
  steps: Steps<Value>,
  first: Promise<unknown> | undefined,
): Promise<Value> {
  let waiting = first;
  for (;;) {
    const failure = await outcomeOf(waiting);
    const { done, value } = await laterResult(() =>
      failure === null ? steps.next() : steps.throw(failure.error),
    );
    if (done === true) return value;
    waiting = value;
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
