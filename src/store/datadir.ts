/**
 * A data directory and its files, accessible only to the user of this process. Input: its path.
 * Output: the checked paths.
 * Invariant: directories are 0700 and files 0600 before anything secret is written. Looser modes,
 * symbolic links, and other users' entries are refused with the command that fixes them; the modes
 * of the user's own empty directories are tightened.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { makeFolders } from "../files/newfolder.ts";
import { folderFailure } from "../files/storage.ts";

/** Mode of directories. */
export const DIRECTORY_MODE = 0o700;
/** Mode of files. */
export const FILE_MODE = 0o600;

/** Creates the data directory, or checks an existing one. */
export function openDataDir(path: string): void {
  const found = statOf(path);
  if (found === undefined) {
    try {
      makeFolders(path, DIRECTORY_MODE);
      // Sets the mode again, because the umask may have removed bits from it.
      chmodSync(path, DIRECTORY_MODE);
    } catch (error) {
      throw new CommandError(
        `Cannot make the data directory ${path}.`,
        1,
        folderFailure(path, error),
      );
    }
    return;
  }
  if (!found.isDirectory()) {
    throw new CommandError(`The data directory ${path} is not a directory. Name another one.`);
  }
  refuseLooser(path, tightened(path, found), DIRECTORY_MODE);
}

/**
 * Tightens the mode of an empty directory of the user, such as `mkdir` creates. Because it is
 * empty, other users cannot have read or placed anything there. A second check makes sure that
 * nothing was added meanwhile.
 */
function tightened(path: string, found: Stats): Stats {
  const user = process.getuid?.();
  if (found.uid !== user || (found.mode & 0o777 & ~DIRECTORY_MODE) === 0) return found;
  try {
    if (readdirSync(path).length > 0) return found;
    chmodSync(path, DIRECTORY_MODE);
    if (readdirSync(path).length === 0) return statOf(path) ?? found;
    chmodSync(path, found.mode & 0o7777);
    return found;
  } catch (error) {
    throw new CommandError(`Cannot make ${path} a data directory.`, 1, error);
  }
}

/** Creates an empty file of mode 0600 in the directory, or checks an existing one. */
export function openDataFile(directory: string, name: string): string {
  const path = join(directory, name);
  if (!checkDataFile(directory, name)) {
    try {
      closeSync(openSync(path, "wx", FILE_MODE));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new CommandError(`Cannot make ${path}.`, 1, error);
      }
    }
    checkDataFile(directory, name);
  }
  return path;
}

/**
 * Checks a file of the directory. Returns false if it is missing. Never opens the file: if this
 * process has locks on a database file, closing any descriptor of the file would drop them (POSIX).
 */
export function checkDataFile(directory: string, name: string): boolean {
  const path = join(directory, name);
  const found = statOf(path);
  if (found === undefined) return false;
  if (!found.isFile()) throw new CommandError(`${path} is not a plain file. Remove it.`);
  refuseLooser(path, found, FILE_MODE);
  return true;
}

/** Makes the entries of a directory durable. Otherwise, a power cut could undo a rename. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the stats of a path without following links, or undefined. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new CommandError(`Cannot look at ${path}. Check the folders above it.`, 1, error);
  }
}

/** Throws if the mode of a path permits more than `mode` does. */
function refuseLooser(path: string, found: Stats, mode: number): void {
  const present = found.mode & 0o7777;
  if ((present & ~mode) !== 0) {
    const octal = (bits: number) => bits.toString(8).padStart(4, "0");
    throw new CommandError(
      `${path} has mode ${octal(present)}, so others could reach it. ` +
        `Run: chmod ${octal(mode)} ${path}`,
    );
  }
  const user = process.getuid?.();
  if (user !== undefined && user !== 0 && found.uid !== user) {
    throw new CommandError(`${path} belongs to another user. Run as that user or chown it.`);
  }
}
