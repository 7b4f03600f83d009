/**
 * Creates a folder atomically. Input: its path, and files to copy into it. Output: the durable
 * folder at that path, with modes 0700 and 0600, and the SHA-256 of each file.
 * Invariant: until the folder is published, everything is in a hidden folder next to the path. Each
 * hidden folder is locked by its process. If the process was killed, the lock is free, and the next
 * process removes the folder.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../../errors.ts";
import { stderr } from "../../process/terminal.ts";
import { tryLock } from "../database.ts";
import { DIRECTORY_MODE, FILE_MODE, openDataDir, statOf, syncDirectory } from "../datadir.ts";

/** Size of a file, and the hash of its content. */
export interface FileFacts {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Names of the hidden folders, and the name of the lock file in them. */
const HIDDEN = /^\.peneira-new-[0-9a-f]{16}$/;
const LOCK = "lock";
/**
 * A hidden folder is created before it is locked, so a new folder without a lock may be in use. An
 * unlocked folder older than this, in milliseconds, belongs to a dead process.
 */
const UNLOCKED_MS_MAX = 60_000;
const CHUNK_BYTES = 1 << 20;
/** Disk space that is left for other writers, in bytes. */
const SPARE_BYTES = 16 << 20;

/** An unpublished folder. */
export class NewFolder {
  /** Path of the folder until it is published. */
  readonly path: string;
  readonly #target: string;
  readonly #unlock: () => void;

  private constructor(path: string, target: string, unlock: () => void) {
    this.path = path;
    this.#target = target;
    this.#unlock = unlock;
  }

  /**
   * Begins a folder for `target`, which must be missing or an empty folder. Errors call the target
   * `what`. Creates the parent folders. Throws `CommandError`.
   */
  static begin(target: string, what: string): NewFolder {
    const wanted = resolve(target);
    const parent = dirname(wanted);
    refuseTaken(wanted, what);
    makeParents(parent);
    refuseNoFolder(parent);
    removeDead(parent);
    const path = join(parent, `.peneira-new-${randomBytes(8).toString("hex")}`);
    openDataDir(path);
    const unlock = tryLock(path, LOCK);
    if (unlock === null) throw new CommandError(`${path} was taken by another process. Try again.`);
    return new NewFolder(path, wanted, unlock);
  }

  /**
   * Throws a `CommandError` that states the sizes, if `bytes` and the space for other writers do
   * not fit on the disk.
   */
  reserve(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    const free = bavail * bsize;
    const lacking = bytes + SPARE_BYTES - free;
    if (lacking <= 0) return;
    const [needed, spare, there, more] = [bytes, SPARE_BYTES, free, lacking].map((count) => {
      return count.toLocaleString("en-US");
    });
    throw new CommandError(
      `${this.#target} needs ${needed} bytes and a reserve of ${spare} bytes for other writers; ` +
        `${there} bytes are free on its disk. Free at least ${more} more.`,
    );
  }

  /** Creates a subfolder. */
  folder(name: string): void {
    openDataDir(join(this.path, name));
  }

  /** Copies a file into the folder. Calls `onBytes` with the number of bytes of each chunk. */
  async copy(from: string, name: string, onBytes: (bytes: number) => void): Promise<FileFacts> {
    const source = await open(from, "r");
    try {
      const copied = await open(join(this.path, name), "wx", FILE_MODE);
      try {
        const facts = await readAll(source, async (bytes) => {
          for (let done = 0; done < bytes.length; ) {
            done += (await copied.write(bytes, done)).bytesWritten;
          }
          onBytes(bytes.length);
        });
        await copied.chmod(FILE_MODE);
        await copied.sync();
        return facts;
      } finally {
        await copied.close();
      }
    } finally {
      await source.close();
    }
  }

  /** Makes durable a file that other code has written. Returns its size and hash. */
  async synced(name: string, onBytes: (bytes: number) => void): Promise<FileFacts> {
    const file = await open(join(this.path, name), "r+");
    try {
      await file.chmod(FILE_MODE);
      await file.sync();
      return await readAll(file, async (bytes) => onBytes(bytes.length));
    } finally {
      await file.close();
    }
  }

  remove(name: string): void {
    unlinkSync(join(this.path, name));
  }

  async write(name: string, text: string): Promise<void> {
    const file = await open(join(this.path, name), "wx", FILE_MODE);
    try {
      await file.chmod(FILE_MODE);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Moves the folder to its target, so that it survives a power cut. Throws `CommandError`. */
  publish(): void {
    for (const entry of readdirSync(this.path, { withFileTypes: true })) {
      if (entry.isDirectory()) syncDirectory(join(this.path, entry.name));
    }
    unlinkSync(join(this.path, LOCK));
    syncDirectory(this.path);
    try {
      renameSync(this.path, this.#target);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const remedy =
        code === "EBUSY" || code === "EXDEV"
          ? "it is a mounted folder; name a folder in it"
          : "something was put there meanwhile; name another folder";
      throw new CommandError(`${this.#target} cannot be put in its place: ${remedy}.`, 1, error);
    }
    syncDirectory(dirname(this.#target));
    this.#unlock();
  }

  /** Removes the folder unless it was published. */
  discard(): void {
    rmSync(this.path, { recursive: true, force: true });
    this.#unlock();
  }
}

/** Returns size and SHA-256 of a file. */
export async function factsOf(
  path: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<FileFacts> {
  const file = await open(path, "r");
  try {
    return await readAll(file, async (bytes) => onBytes(bytes.length));
  } finally {
    await file.close();
  }
}

async function readAll(
  file: FileHandle,
  each: (bytes: Uint8Array) => Promise<void>,
): Promise<FileFacts> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const hash = createHash("sha256");
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") };
    const piece = chunk.subarray(0, bytesRead);
    bytes += bytesRead;
    hash.update(piece);
    await each(piece);
  }
}

function refuseTaken(target: string, what: string): void {
  const found = statOf(target);
  if (found === undefined) return;
  const name = `${what} ${target}`;
  if (!found.isDirectory()) throw new CommandError(`${name} is there and is not a folder.`);
  if (readdirSync(target).length > 0) {
    throw new CommandError(`${name} is not empty. Name a folder that is not there yet.`);
  }
  if (found.dev !== statSync(dirname(target)).dev) {
    throw new CommandError(`${name} is a mounted folder. Name a folder in it.`);
  }
}

/** Throws if the path of a parent folder is a file or a dangling link. */
function refuseNoFolder(parent: string): void {
  if (statSync(parent, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const why = statOf(parent)?.isSymbolicLink() ? "a link that leads to no folder" : "no folder";
  throw new CommandError(`${parent} is ${why}. Name another place.`);
}

/** Creates the parent folders. Each is made durable in the folder that contains it. */
function makeParents(parent: string): void {
  const found: Stats | undefined = statOf(parent);
  if (found !== undefined) return;
  makeParents(dirname(parent));
  try {
    mkdirSync(parent, { mode: DIRECTORY_MODE });
    chmodSync(parent, DIRECTORY_MODE);
    syncDirectory(dirname(parent));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    refuseNoFolder(dirname(parent));
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`Cannot make the folder ${parent} (${code}). Name another.`, 1, error);
  }
}

/** Removes hidden folders of ended processes; leaves those of other users. */
function removeDead(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => HIDDEN.test(one))) {
    const path = join(parent, name);
    try {
      if (!isDead(path)) continue;
      rmSync(path, { recursive: true, force: true });
      stderr.print(`removed ${path}, which was left unfinished\n`);
    } catch (error) {
      if (!(error instanceof CommandError) && !isRefusal(error)) throw error;
    }
  }
}

function isDead(path: string): boolean {
  if (statOf(join(path, LOCK)) === undefined) {
    const found = statOf(path);
    return found !== undefined && Date.now() - found.mtimeMs > UNLOCKED_MS_MAX;
  }
  const unlock = tryLock(path, LOCK);
  unlock?.();
  return unlock !== null;
}

function isRefusal(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "ENOENT";
}
