/**
 * The worker side of a thread pool (threads.ts): the `run` export of a worker file, the order that
 * a pool sends to it, and the priority of its thread.
 * Invariant: a thread that reports ready loads no more modules. A pool may end it from then on, and
 * Node aborts the process if a thread ends while it loads an ES module (20.20,
 * `Module::IsGraphAsync`). piscina loads the file again for a function that only a task names, so
 * tasks name their function in the order. Only the calling thread's priority is ever changed; if
 * the system does not allow it (a sandbox), the work is done all the same.
 */
import { constants, getPriority, setPriority } from "node:os";

/** Task and result of every function of a worker, by its name. */
export type WorkTable<Work> = { [Name in keyof Work]: readonly [task: unknown, result: unknown] };

/** The functions that a table describes. */
type Functions<Work extends WorkTable<Work>> = {
  readonly [Name in keyof Work]: (task: Work[Name][0]) => Work[Name][1] | Promise<Work[Name][1]>;
};

/** Message from a pool to a thread. */
export interface Order<Work extends WorkTable<Work>, Name extends keyof Work = keyof Work> {
  readonly name: Name;
  readonly task: Work[Name][0];
}

/** Returns the `run` of a worker file; it throws or rejects as the named function does. */
export function worker<Work extends WorkTable<Work>>(functions: Functions<Work>) {
  return ({ name, task }: Order<Work>): unknown => functions[name](task);
}

/** Lets the calling thread give way to the others. */
export function stepBack(): void {
  // On Linux 0 means the calling thread alone; elsewhere it would slow down the requests as well.
  if (process.platform !== "linux") return;
  try {
    // A process that somebody has put lower still stays there.
    if (getPriority(0) >= constants.priority.PRIORITY_BELOW_NORMAL) return;
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Nothing depends on it but the speed of others.
  }
}
