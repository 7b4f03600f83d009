/**
 * The threads' side of a pool (threads.ts). What comes in: the functions of a worker file. What
 * goes out: what the file exports as `run`, and how an order for one of them looks.
 * Invariant: a thread that says that it is ready loads nothing any more before a task begins. A
 * pool may end a thread at any time from then on, and Node aborts the whole process where a thread
 * is ended while it loads an ES module (20.20, `Module::IsGraphAsync`); piscina looks for a
 * function that is named by its task in the file again, and only then.
 */

/** Task and result of every function of a worker, by its name. */
export type WorkTable<Work> = { [Name in keyof Work]: readonly [task: unknown, result: unknown] };

/** The functions that a table describes. */
type Functions<Work extends WorkTable<Work>> = {
  readonly [Name in keyof Work]: (task: Work[Name][0]) => Work[Name][1] | Promise<Work[Name][1]>;
};

/** What a pool sends to a thread. */
export interface Order<Work extends WorkTable<Work>, Name extends keyof Work = keyof Work> {
  readonly name: Name;
  readonly task: Work[Name][0];
}

/** Makes the `run` of a worker file; a rejection of a function is the answer's. */
export function worker<Work extends WorkTable<Work>>(functions: Functions<Work>) {
  return ({ name, task }: Order<Work>): unknown => functions[name](task);
}
