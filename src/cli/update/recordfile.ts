/**
 * Small JSON files that an update leaves beside the snapshots. What comes in: a folder, a name, a
 * value. What goes out: the file, or what stands in it.
 * Invariant: a file is replaced in one step; its name begins with a dot, so that nobody takes it
 * for a snapshot; one that is missing, too long or no JSON reads as nothing.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Longest file that is read. */
const BYTES_MAX = 1 << 18;

/** What stands in a file; null where there is none that can be read. */
export function readRecord(folder: string, name: string): unknown {
  const path = join(folder, name);
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > BYTES_MAX) return null;
    return JSON.parse(readFileSync(path, "utf8")) as unknown;
  } catch {
    return null;
  }
}

/** Replaces a file. @throws Error of the system, with its `code` */
export function writeRecord(folder: string, name: string, value: unknown): void {
  const fresh = join(folder, `${name}.${process.pid}.tmp`);
  try {
    writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(fresh, join(folder, name));
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
