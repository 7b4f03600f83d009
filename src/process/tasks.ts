/**
 * The worker's side of a thread pool (threads.ts): the `run` export of a worker file, the
 * message that starts a task (`Order`), bytes in shared memory, and the thread's priority.
 * Invariant: once a thread has reported that it is ready, it loads no more modules, so the pool may
 * end it. Node aborts the process if a thread ends while it loads an ES module (20.20,
 * `Module::IsGraphAsync`). The message therefore names the function to call; if piscina got this
 * name, it would load the file again. Only the calling thread's priority is changed. If the system
 * refuses this (a sandbox), the work continues.
 */
import { constants, getPriority, setPriority } from "node:os";

/** Task and result types of a worker's functions, by name. */
export type WorkTable<Work> = { [Name in keyof Work]: readonly [task: unknown, result: unknown] };

/** The functions that such a table describes. */
type Functions<Work extends WorkTable<Work>> = {
  readonly [Name in keyof Work]: (task: Work[Name][0]) => Work[Name][1] | Promise<Work[Name][1]>;
};

/** Message from a pool to a thread. */
export interface Order<Work extends WorkTable<Work>, Name extends keyof Work = keyof Work> {
  readonly name: Name;
  readonly task: Work[Name][0];
}

/** Returns a copy of bytes in shared memory, which is sent to another thread without a copy. */
export function shareBytes(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  shared.set(bytes);
  return shared;
}

/** Returns a worker file's `run`, which throws or rejects like the function that it calls. */
export function worker<Work extends WorkTable<Work>>(functions: Functions<Work>) {
  return ({ name, task }: Order<Work>): unknown => functions[name](task);
}

/** Lowers the calling thread's priority. */
export function lowerPriority(): void {
  // On Linux, process id 0 means only the calling thread. On other systems, the change would affect
  // the whole process and slow down requests.
  if (process.platform !== "linux") return;
  try {
    // Does nothing if the operator has already set a lower priority.
    if (getPriority(0) >= constants.priority.PRIORITY_BELOW_NORMAL) return;
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Ignored, because the priority only affects the speed of other threads.
  }
}
