/**
 * Creates missing folders with all their parents.
 * Invariant: terminates. Node's own `recursive` loops forever if the system reports an existing
 * parent as missing, as under /proc.
 */
import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../errors.ts";

/**
 * Creates a folder and its missing parents with `mode`. Returns true if the folder was missing.
 * Throws the system's error for the first folder that fails, and `CommandError` for a dangling
 * link.
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

/** Creates one folder. Ignores one that another process has created. */
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
