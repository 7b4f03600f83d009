/**
 * The folder of a release in the making. What comes in: the path that it shall have.
 * What goes out: a hidden folder beside it, which takes that path when it is whole.
 * Invariant: however the process ends, nothing of an unfinished release stays: at its exit the
 * folder is removed, and what a killed process of this machine left goes with the next release.
 */
import { readdirSync, rmSync } from "node:fs";
import { chmod, mkdtemp, open, readdir, rename, rmdir } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import { isRunning } from "../../process/system.ts";

/** Behind it stand the number of the process and six letters of `mkdtemp`. */
const OWNER = /^(\d+)-\w{6}$/;

/** A release that is being written. */
export class ReleaseDraft {
  /** Where its files go. */
  readonly path: string;
  readonly #folder: string;
  readonly #onExit = (): void => this.remove();

  private constructor(path: string, folder: string) {
    this.path = path;
    this.#folder = folder;
    process.once("exit", this.#onExit);
  }

  /** Begins a release that shall lie at `wanted`. @throws CommandError where it cannot. */
  static async begin(wanted: string): Promise<ReleaseDraft> {
    const folder = resolve(wanted);
    await checkFree(folder);
    const parent = dirname(folder);
    makeFolders(parent);
    const prefix = prefixOf(folder);
    removeDead(parent, prefix);
    return new ReleaseDraft(await mkdtemp(join(parent, `${prefix}${process.pid}-`)), folder);
  }

  /** Gives it its path. @throws CommandError where something lies there by now. */
  async publish(): Promise<void> {
    // The draft is private while it is written; the release is as readable as any new folder.
    await chmod(this.path, 0o777 & ~process.umask());
    await rmdir(this.#folder).catch(() => undefined);
    try {
      await rename(this.path, this.#folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw code === "ENOTEMPTY" || code === "EEXIST" ? taken(this.#folder, error) : error;
    }
    process.off("exit", this.#onExit);
    await syncFolder(dirname(this.#folder));
  }

  /** Removes what there is of it. */
  remove(): void {
    process.off("exit", this.#onExit);
    // Threads of the system may write meanwhile.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The machine is in the name, because on a shared disk the process may be another one's. */
function prefixOf(folder: string): string {
  const machine = hostname().replaceAll(/[^A-Za-z0-9]/g, "");
  return `.${basename(folder)}-${machine}-`;
}

/** Removes drafts of processes of this machine that are gone. */
function removeDead(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = OWNER.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

async function checkFree(folder: string): Promise<void> {
  let names: string[] = [];
  try {
    names = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new CommandError(`${folder} is not a folder that can be written to (${code}).`, 1, error);
  }
  if (names.length > 0) throw taken(folder);
}

function taken(folder: string, cause?: unknown): CommandError {
  const words = `${folder} is not empty; name a new folder or empty this one.`;
  return new CommandError(words, 1, cause);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}
