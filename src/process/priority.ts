/**
 * The rank of a thread among all others. What comes in: a call from a worker thread. What goes out:
 * a thread that gives way to those that answer requests.
 * Invariant: only ever the calling thread; where the system does not allow it (a sandbox), the work
 * is done all the same.
 */
import { constants, getPriority, setPriority } from "node:os";

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
