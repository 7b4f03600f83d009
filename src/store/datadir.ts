/**
 * What comes in: the path of a data directory. What goes out: a directory and files in it that
 * nobody but the user of this process can read or write.
 * Invariant: directories are 0700 and files 0600 before anything secret is written into them; what
 * is found looser, a symbolic link or another user's is refused with the command that mends it,
 * but for an empty directory of our own, which is tightened.
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

/** Mode of the data directory. */
export const DIRECTORY_MODE = 0o700;
/** Mode of every file in it. */
export const FILE_MODE = 0o600;

/** Makes the data directory if there is none, or checks the one that is there. */
export function openDataDir(path: string): void {
  const found = lookAt(path);
  if (found === undefined) {
    try {
      makeFolders(path, DIRECTORY_MODE);
      // The process's umask may have taken bits away; it never adds any.
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
 * A directory that is empty and our own holds nothing that others could have read or put there, as
 * one that was made for us by `mkdir`; it gets its mode, and a look afterwards shows that nothing
 * came in meanwhile.
 */
function tightened(path: string, found: Stats): Stats {
  const user = process.getuid?.();
  if (found.uid !== user || (found.mode & 0o777 & ~DIRECTORY_MODE) === 0) return found;
  try {
    if (readdirSync(path).length > 0) return found;
    chmodSync(path, DIRECTORY_MODE);
    if (readdirSync(path).length === 0) return lookAt(path) ?? found;
    chmodSync(path, found.mode & 0o7777);
    return found;
  } catch (error) {
    throw new CommandError(`Cannot make ${path} a data directory.`, 1, error);
  }
}

/** Makes an empty file of mode 0600 in the directory, or checks the one that is there. */
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
 * Checks a file of the directory; false when there is none. It is never opened for that: closing
 * any descriptor of a database file drops every lock this process holds on it (POSIX).
 */
export function checkDataFile(directory: string, name: string): boolean {
  const path = join(directory, name);
  const found = lookAt(path);
  if (found === undefined) return false;
  if (!found.isFile()) throw new CommandError(`${path} is not a plain file. Remove it.`);
  refuseLooser(path, found, FILE_MODE);
  return true;
}

/** Makes the directory's entries durable: without it a power cut can undo a rename. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What is at a path, links not followed; undefined when nothing is. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new CommandError(`Cannot look at ${path}. Check the folders above it.`, 1, error);
  }
}

/** Refuses what others can reach; `mode` is the loosest one that is allowed. */
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
