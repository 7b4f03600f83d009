/**
 * The folder for executable parts that the system must load from files. Input: the setting
 * cache_dir, the data directory, the environment. Output: a folder that only the process's user can
 * change, and the parts written there.
 * Invariant: code is never loaded from a folder that other users own or can write to. Problems of a
 * folder are reported with the fix. Threads and processes may write the same part concurrently, and
 * always find it complete.
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

/** Mode of the folder: full access for its owner, none for others. */
const FOLDER_MODE = 0o700;

/** Advice at the end of all refusals. */
export const NAME_ANOTHER =
  "Name another folder with the variable PENEIRA_CACHE_DIR (or the setting cache_dir).";

/** Folders from the settings of a command. They take precedence over those from the environment. */
interface KnownFolders {
  readonly cacheDir: string | null;
  readonly dataDir: string | null;
}

let known: KnownFolders = { cacheDir: null, dataDir: null };

/** Sets the configured folders, before the first part is used. */
export function useFolders(folders: KnownFolders): void {
  known = folders;
}

/**
 * Creates or checks the folder `name` in the cache folder. A configured cache folder is the only
 * candidate. Otherwise, the candidates are the cache folder of the user's home, an existing data
 * directory, and a folder of the user in the temporary folder. Returns the first usable one.
 * @throws CommandError that lists every candidate
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

/** Candidates if no folder is configured, in order of preference. */
function places(): string[] {
  const { XDG_CACHE_HOME, CACHE_DIRECTORY } = process.env;
  const { dataDir } = known;
  const user = process.getuid?.() ?? "user";
  return [
    // systemd sets this for a service with CacheDirectory=.
    ...(CACHE_DIRECTORY ? [CACHE_DIRECTORY] : []),
    ...userCache(XDG_CACHE_HOME),
    ...(dataDir !== null && statOf(dataDir)?.isDirectory() ? [path.resolve(dataDir, "cache")] : []),
    path.join(tmpdir(), `peneira-${user}`),
  ];
}

function userCache(xdg: string | undefined): string[] {
  if (xdg && path.isAbsolute(xdg)) return [path.join(xdg, "peneira")];
  let home = "";
  try {
    home = homedir();
  } catch {
    // The list of users lacks the current user, as in a container.
  }
  // A missing home is never created, because it would have no proper owner.
  return path.isAbsolute(home) && home !== "/" && statOf(home)?.isDirectory()
    ? [path.join(home, ".cache", "peneira")]
    : [];
}

/**
 * Returns why a folder is unusable, as a sentence. Creates a missing folder first. Returns null if
 * the folder is usable. `ours` is the folder itself, and `around` its parent. The parent may belong
 * to the administrator. Others may write to it if they can only rename their own files there, as in
 * the system's temporary folder.
 */
function problemOf(folder: string, kind: "around" | "ours"): string | null {
  try {
    if (makeFolders(folder, FOLDER_MODE)) {
      // The process's umask may have removed bits. It never adds any.
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

function statOf(place: string) {
  return lstatSync(place, { throwIfNoEntry: false });
}

/** Mode of files: read-only, so that running code is not changed by mistake. */
const FILE_MODE = 0o500;

/** Writes a file atomically. @throws CommandError if the folder rejects the file */
export function writePart(file: string, bytes: Uint8Array): void {
  // Random, because all threads have the same process id.
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
