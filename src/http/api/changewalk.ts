/**
 * Work on change lists that takes its time. What comes in: tasks that walk through a list slice by
 * slice. What goes out: their results, one task after the other.
 * Invariant: at most one slice is walked in a turn of the event loop, however many questions there
 * are, so that whoever asks something small hardly waits; too many that wait are refused.
 */
import { overloaded } from "../server/pressure.ts";

/** More questions than this would wait longer than anybody does. */
const WAITING_MAX = 64;

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Runs a task when those before it have ended. Throws `overloaded` where too many wait. */
export async function inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
  if (waiting >= WAITING_MAX) throw overloaded();
  waiting++;
  const turn = last.then(task);
  last = turn.catch(() => {});
  try {
    return await turn;
  } finally {
    waiting--;
  }
}
