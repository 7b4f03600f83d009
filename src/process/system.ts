/**
 * Questions to the operating system: if a process is running, and how many files and connections
 * this one may have open.
 * Invariant: a process of another user counts as well. The number of one that ended may belong to
 * another one by now: a yes may be wrong, a no is right. The limit of open files is that of this
 * process, not of its shell or service manager.
 */
import { readFileSync } from "node:fs";

/** Whether a process of this machine has the number. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 asks only whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the limit (proc(5), "limits"); null if the system does not publish it (Linux does). */
export function openFilesMax(path = "/proc/self/limits"): number | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  // The soft limit stands first; Node has raised it to the hard one by now.
  const [, limit] = /^Max open files +(\d+|unlimited) /m.exec(text) ?? [];
  return limit === undefined || limit === "unlimited" ? null : Number(limit);
}
