/**
 * The parts inside the single executable: bytes, a file, or a loaded addon by name.
 * Invariant: only the executable has parts. The bundle and the sources find files relative to
 * themselves (src/location.ts). Before a file is loaded, each thread that needs it checks its hash
 * once, and replaces the file if it differs.
 */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { CommandError } from "../errors.ts";
import { NAME_ANOTHER, openCacheFolder, writePart } from "./cachefolder.ts";

declare const BUILD_EXECUTABLE: boolean | undefined;

/** True if this program is the single executable. */
export const IS_EXECUTABLE: boolean = typeof BUILD_EXECUTABLE === "boolean" && BUILD_EXECUTABLE;

/** Name of the part that lists the parts to unpack to files (executable.mjs). */
const MANIFEST = "parts.json";

/** Files of the executable, by name; `folder` is a hash over all of them. */
interface Manifest {
  readonly folder: string;
  readonly parts: Readonly<Record<string, { readonly sha256: string }>>;
}

interface Sea {
  getRawAsset(name: string): ArrayBuffer;
}

let sea: Sea | null = null;
let manifest: Manifest | null = null;
let folder: string | null = null;
const checked = new Map<string, string>();

/** Returns the bytes of a part, in read-only memory. */
export function partBytes(name: string): Uint8Array {
  // This module is loaded on demand, because Node 20.11, which runs the bundle, lacks it.
  sea ??= process.getBuiltinModule("node:sea") as unknown as Sea;
  return new Uint8Array(sea.getRawAsset(name));
}

/**
 * Returns the path of a file that holds a part, in the cache folder
 * (src/executable/cachefolder.ts). Writes the file if it is missing or differs. @throws
 * CommandError if the file cannot be written
 */
export function partFile(name: string): string {
  const found = checked.get(name);
  if (found !== undefined) return found;
  manifest ??= JSON.parse(Buffer.from(partBytes(MANIFEST)).toString()) as Manifest;
  const wanted = manifest.parts[name];
  if (wanted === undefined) throw new Error(`the executable has no part ${name}`);
  // Threads run from a file in this folder, so they know its path.
  folder ??= isMainThread ? openCacheFolder(manifest.folder) : path.dirname(__filename);
  const file = path.join(folder, name);
  if (!isIntact(file, wanted.sha256)) writePart(file, partBytes(name));
  checked.set(name, file);
  return file;
}

/** Loads an addon. @throws CommandError if the system refuses to run code from the folder */
export function loadAddon(name: string): unknown {
  const file = partFile(name);
  try {
    return createRequire(file)(file);
  } catch (error) {
    const { message } = error as Error;
    const noexec = /failed to map segment|Operation not permitted|Permission denied/.test(message);
    const why = noexec
      ? `The system does not run code from ${path.dirname(file)} (mounted noexec?). ${NAME_ANOTHER}`
      : "A library that it needs is missing, or is older than that of Debian 12 (glibc 2.36).";
    throw new CommandError(`${name} cannot be loaded: ${message}.\n${why}`, 1, error);
  }
}

/** True if a file has the expected bytes, and only its owner may write it. */
function isIntact(file: string, sha256: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return false;
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user) return false;
  return createHash("sha256").update(readFileSync(file)).digest("hex") === sha256;
}
