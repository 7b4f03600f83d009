/**
 * Whether a process is there. What comes in: its number. What goes out: yes or no.
 * Invariant: a process of another user counts as well. The number of one that ended may belong to
 * another one by now: a yes may be wrong, a no is right.
 */

/** Whether a process of this machine has the number. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 asks only whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
