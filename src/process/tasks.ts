/**
 * The worker side of a thread pool (threads.ts): the `run` export of a worker file, and the order
 * that a pool sends to it.
 * Invariant: a thread that reports ready loads no more modules. A pool may end it from then on,
 * and Node aborts the process if a thread ends while it loads an ES module (20.20,
 * `Module::IsGraphAsync`). piscina loads the file again for a function that only a task names, so
 * tasks name their function in the order.
 */

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
