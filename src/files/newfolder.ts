/**
 * Folders that are not there yet. What comes in: a path. What goes out: nothing; afterwards the
 * folder and all above it are there.
 * Invariant: ends. Node's own `recursive` tries again for ever where the system says that a parent
 * is missing although it is there, as under /proc.
 */
import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../errors.ts";

/**
 * Makes a folder and those above it that are missing; true if there was none. `mode` is that of
 * each that is made. Throws the error of the system for the first one that cannot be made, and
 * `CommandError` for a link that leads nowhere.
 */
export function makeFolders(folder: string, mode?: number): boolean {
  const missing: string[] = [];
  for (let at = path.resolve(folder); found(at) === undefined; at = path.dirname(at)) {
    missing.push(at);
  }
  for (const one of missing.reverse()) makeOne(one, mode);
  if (missing.length === 0) makeOne(folder, mode);
  return missing.length > 0;
}

/** Makes one, unless it is there: another process may have been quicker. */
function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && isDangling(folder)) {
      throw new CommandError(`${folder} is a link that leads nowhere. Name a folder.`, 1, error);
    }
    if (code !== "EEXIST" || found(folder)?.isDirectory() !== true) throw error;
  }
}

function isDangling(file: string): boolean {
  return found(file) === undefined && lstatSync(file).isSymbolicLink();
}

function found(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}
