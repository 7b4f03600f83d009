/**
 * The folder of change list files. Its cleanup removes lists whose two snapshots are both missing,
 * and the least recently used lists if there are too many.
 * Invariant: files with other names and lists in use are left alone. Every list can be rebuilt.
 */
import { readdirSync, type Stats, statSync, unlinkSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";

/** Name of the folder in the data directory. */
export const CHANGES_FOLDER = "changes";

/** Max number of lists, and their max bytes. The most recently used list is never removed. */
const LISTS_MAX = 24;
const BYTES_MAX = 4 * 2 ** 30;

const ID = "[0-9a-f]{16}|[0-9a-f]{64}";
const LIST = new RegExp(`^(${ID})-(${ID})\\.changes$`);
const PARTIAL = new RegExp(`^(?:${ID})-(?:${ID})\\.changes\\.[0-9a-f]{16}\\.tmp$`);

/** Returns the path of the list of two snapshots, which may not exist. */
export function changeListPath(dataDir: string, olderId: string, newerId: string): string {
  return join(resolve(dataDir, CHANGES_FOLDER), `${olderId}-${newerId}.changes`);
}

/** Removes partial files of a crash. Call it before anything is written. */
export function removePartial(folder: string): void {
  for (const name of readdirSync(folder)) if (PARTIAL.test(name)) remove(join(folder, name));
}

/** Marks a list as used. A failure only changes which list is evicted first. */
export function markUsed(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // A failure is ignored, because the list itself is open and intact.
  }
}

/** Removes lists by the rules in the file header. Returns their names. */
export function evictOldLists(
  folder: string,
  isThere: (snapshotId: string) => boolean,
  busy: ReadonlySet<string>,
): string[] {
  const removed: string[] = [];
  let lists = 0;
  let bytes = 0;
  for (const { name, size } of youngestFirst(folder)) {
    const [, older = "", newer = ""] = LIST.exec(name) ?? [];
    lists++;
    bytes += size;
    const wanted = isThere(older) || isThere(newer);
    const fits = lists === 1 || (lists <= LISTS_MAX && bytes <= BYTES_MAX);
    if (busy.has(name) || (wanted && fits)) continue;
    lists--;
    bytes -= size;
    remove(join(folder, name));
    removed.push(name);
  }
  return removed;
}

function youngestFirst(folder: string): { readonly name: string; readonly size: number }[] {
  const files = readdirSync(folder)
    .filter((name) => LIST.test(name))
    .map((name) => ({ name, found: statSync(join(folder, name), { throwIfNoEntry: false }) }))
    .filter((file): file is { name: string; found: Stats } => file.found !== undefined);
  files.sort((a, b) => b.found.mtimeMs - a.found.mtimeMs || (a.name < b.name ? -1 : 1));
  return files.map(({ name, found }) => ({ name, size: found.size }));
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
