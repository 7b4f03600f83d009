/**
 * Formats sizes, times, and lists of files for messages of downloads.
 * Invariant: decimal units, as in the share and `ls --si`. No positive value is rounded to zero.
 */
import { wordFor } from "../text/amounts.ts";

/** A size: `812 bytes`, `3.4 MB`, `7.01 GB`. */
export function sizeText(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB", "PB"];
  if (bytes < 1000) return `${bytes} ${wordFor(bytes, "byte")}`;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** A wait: `0.4 s`, `30 s`, `12 min`. */
export function waitText(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Lists the first `most` names and the number of the others ("a.zip, b.zip and 3 more"). */
export function namesText(names: readonly string[], most = 4): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** Returns the reason of a failure, as one phrase without a full stop. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
