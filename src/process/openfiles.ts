/**
 * The max files and connections that this process may have open.
 * Apart because it knows the format of the system's limits, and its user the needs of a server.
 * Invariant: the limit is that of this process, not of its shell or service manager.
 */
import { readFileSync } from "node:fs";

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
