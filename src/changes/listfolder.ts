/**
 * The files of change lists. What comes in: their folder, and which snapshots are there. What goes
 * out: the folder without what nobody can need, and without the least used of too many.
 * Invariant: a file with another name is left alone, and so is a list that is in use; a list is
 * never more than work that can be done again.
 */
import { readdirSync, type Stats, statSync, unlinkSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";

/** Name of the folder in the data directory. */
export const CHANGES_FOLDER = "changes";

/** Most lists that are kept, and most bytes; the one that was used last is kept in any case. */
const LISTS_MAX = 24;
const BYTES_MAX = 4 * 2 ** 30;

const ID = "[0-9a-f]{16}|[0-9a-f]{64}";
const LIST = new RegExp(`^(${ID})-(${ID})\\.changes$`);
const PARTIAL = new RegExp(`^(?:${ID})-(?:${ID})\\.changes\\.[0-9a-f]{16}\\.tmp$`);

/** Path of the list of two snapshots, whether it is there or not. */
export function changeListPath(dataDir: string, olderId: string, newerId: string): string {
  return join(resolve(dataDir, CHANGES_FOLDER), `${olderId}-${newerId}.changes`);
}

/** Removes what a crash has left half written. Call it before anything is written. */
export function removePartial(folder: string): void {
  for (const name of readdirSync(folder)) if (PARTIAL.test(name)) remove(join(folder, name));
}

/** Notes that a list was used; that this fails for once only changes which one goes first. */
export function markUsed(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The list itself is open and right.
  }
}

/** Removes lists as the head of this file says; gives the names of those that are gone. */
export function keepFewLists(
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
