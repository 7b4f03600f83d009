/**
 * The folder in which the executable keeps the parts that the system must load from files, and how
 * a part is written there. Input: the setting cache_dir, the data directory, the environment.
 * Output: a folder that nobody but the user of this process can change.
 * Invariant: code is never taken from a folder that others can write into or that belongs to
 * another user; what is wrong with a place is reported together with the mend. Threads of one
 * process and other processes may write the same part at once; each finds it whole, whichever was
 * last.
 */

import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { CommandError } from "../errors.ts";
import { makeFolders } from "../files/newfolder.ts";

/** Mode of the folder: its owner may do everything, others nothing. */
const FOLDER_MODE = 0o700;

/** What the mends of all refusals end with. */
export const NAME_ANOTHER =
  "Name another folder with the variable PENEIRA_CACHE_DIR (or the setting cache_dir).";

/** Folders that a command knows of, beside those of the environment. */
interface KnownFolders {
  readonly cacheDir: string | null;
  readonly dataDir: string | null;
}

let known: KnownFolders = { cacheDir: null, dataDir: null };

/** Tells what the configuration says, before the first part is asked for. */
export function useFolders(folders: KnownFolders): void {
  known = folders;
}

/**
 * Makes the folder `name` in the cache, or checks the one that is there. A place that was named is
 * the only one; otherwise the first that can be used is: the user's cache, the data directory that
 * is there already, a folder of the user's own in the temporary one.
 * @throws CommandError that names every place that was tried
 */
export function openCacheFolder(name: string): string {
  const named = known.cacheDir ?? process.env.PENEIRA_CACHE_DIR ?? null;
  const refused: string[] = [];
  for (const place of named === null ? places() : [path.resolve(named)]) {
    const folder = path.join(place, name);
    const problem = problemOf(place, "around") ?? problemOf(folder, "ours");
    if (problem === null) return folder;
    refused.push(problem);
  }
  throw new CommandError(
    "The program must put parts of itself into a folder and cannot:\n" +
      `${refused.map((problem) => `- ${problem}\n`).join("")}${NAME_ANOTHER}`,
  );
}

/** Where the cache may be when nobody has named a place, the best one first. */
function places(): string[] {
  const { XDG_CACHE_HOME, CACHE_DIRECTORY } = process.env;
  const { dataDir } = known;
  const user = process.getuid?.() ?? "user";
  return [
    // Set by systemd for a service with CacheDirectory=.
    ...(CACHE_DIRECTORY ? [CACHE_DIRECTORY] : []),
    ...userCache(XDG_CACHE_HOME),
    ...(dataDir !== null && lookAt(dataDir)?.isDirectory() ? [path.resolve(dataDir, "cache")] : []),
    path.join(tmpdir(), `peneira-${user}`),
  ];
}

function userCache(xdg: string | undefined): string[] {
  if (xdg && path.isAbsolute(xdg)) return [path.join(xdg, "peneira")];
  let home = "";
  try {
    home = homedir();
  } catch {
    // The user is not in the list of users, as in a container.
  }
  // Never made by us: a home that is not there belongs to nobody.
  return path.isAbsolute(home) && home !== "/" && lookAt(home)?.isDirectory()
    ? [path.join(home, ".cache", "peneira")]
    : [];
}

/**
 * Why a folder cannot be used, as a sentence; null when it can, being made where it was not. The
 * one around ours may be the administrator's, and may be shared when nobody can rename there what
 * is not his, as in the temporary folder of a system.
 */
function problemOf(folder: string, kind: "around" | "ours"): string | null {
  try {
    if (makeFolders(folder, FOLDER_MODE)) {
      // The process's umask may have taken bits away; it never adds any.
      chmodSync(folder, FOLDER_MODE);
    }
    const found = lstatSync(folder);
    const user = process.getuid?.();
    if (!found.isDirectory()) return `${folder} is not a folder. Remove it.`;
    const foreign = user !== undefined && found.uid !== user;
    if (foreign && !(kind === "around" && found.uid === 0)) {
      return `${folder} belongs to another user (${found.uid}), who could change what is run.`;
    }
    const sticky = kind === "around" && (found.mode & 0o1000) !== 0;
    if ((found.mode & 0o022) !== 0 && !sticky) {
      return `${folder} can be written into by others. Run: chmod 0700 ${folder}`;
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${folder} cannot be written into: ${(error as Error).message}.`;
  }
}

function lookAt(place: string) {
  return lstatSync(place, { throwIfNoEntry: false });
}

/** Nobody changes what is run, not even by mistake. */
const FILE_MODE = 0o500;

/**
 * Writes a file of its own beside it and renames that.
 * @throws CommandError where the folder takes no such file
 */
export function writePart(file: string, bytes: Uint8Array): void {
  // Threads share a process id, so it would not keep them apart.
  const fresh = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeFileSync(fresh, bytes, { mode: FILE_MODE, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    const reason = (error as Error).message;
    throw new CommandError(`${file} cannot be written: ${reason}. ${NAME_ANOTHER}`, 1, error);
  }
}
