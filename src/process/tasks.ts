/**
 * Worker side of a thread pool (threads.ts): the `run` export of a worker file, the order from the
 * pool, and the thread's priority.
 * Invariant: a thread that reports ready loads no more modules, so a pool may then end it: Node
 * aborts the process if a thread ends while it loads an ES module (20.20, `Module::IsGraphAsync`).
 * If a task named its function to piscina, piscina would load the file again; so the order contains
 * the name. Only the calling thread's priority is changed; if the system refuses (a sandbox), the
 * work continues.
 */
import { constants, getPriority, setPriority } from "node:os";

/** Task and result types of a worker's functions, by name. */
export type WorkTable<Work> = { [Name in keyof Work]: readonly [task: unknown, result: unknown] };

/** Functions described by a table. */
type Functions<Work extends WorkTable<Work>> = {
  readonly [Name in keyof Work]: (task: Work[Name][0]) => Work[Name][1] | Promise<Work[Name][1]>;
};

/** Message from a pool to a thread. */
export interface Order<Work extends WorkTable<Work>, Name extends keyof Work = keyof Work> {
  readonly name: Name;
  readonly task: Work[Name][0];
}

/** Returns a worker file's `run`; it throws or rejects like the named function. */
export function worker<Work extends WorkTable<Work>>(functions: Functions<Work>) {
  return ({ name, task }: Order<Work>): unknown => functions[name](task);
}

/** Lowers the calling thread's priority. */
export function lowerPriority(): void {
  // On Linux, 0 means only the calling thread; elsewhere, the change would slow down requests too.
  if (process.platform !== "linux") return;
  try {
    // Does not raise a lower priority that the operator has set.
    if (getPriority(0) >= constants.priority.PRIORITY_BELOW_NORMAL) return;
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Ignored, because the priority only affects the speed of other threads.
  }
}
