/**
 * How many files and connections this process may have open. What comes in: what the system says of
 * its limits. What goes out: the number; null where the system does not tell (Linux does).
 * Apart because it knows how the system writes its limits, and its user what a server needs.
 * Invariant: the limit is that of this process, whatever its shell or service manager was told.
 */
import { readFileSync } from "node:fs";

/** Reads the limit of this process (proc(5), "limits"). */
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
