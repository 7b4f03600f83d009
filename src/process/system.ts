/**
 * Queries to the operating system: running processes, and this process's limit of open files and
 * connections.
 * Invariant: processes of other users count as well. Process ids are reused, so an ended process
 * may seem to run, but a running process is always found. The limit applies to this process. Its
 * shell or service manager may have another limit.
 */
import { readFileSync } from "node:fs";

/** True if a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 is not sent to the process and only checks that the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the limit of open files (proc(5), "limits"), or null if the system reports none. */
export function openFilesMax(path = "/proc/self/limits"): number | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  // The soft limit comes first; Node has raised it to the hard limit.
  const [, limit] = /^Max open files +(\d+|unlimited) /m.exec(text) ?? [];
  return limit === undefined || limit === "unlimited" ? null : Number(limit);
}
