/**
 * The temporary folder of an import: in memory when it stays small, else beside the output.
 * What comes in: the output's path and how many bytes are expected. What goes out: paths.
 * Invariant: whatever ends the process short of a kill -9 (an error, Ctrl-C, SIGTERM), the folder
 * and the unfinished snapshot are gone afterwards; what a kill -9 leaves in memory goes with the
 * next import.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** A file system in memory, where Linux has one. */
const MEMORY_FOLDER = "/dev/shm";

/** Larger workspaces go to the disk, so that an import stays below 4 GB of memory. */
const MEMORY_BYTES_MAX = 2 ** 31;

/** Names of workspaces in memory: this and the number of the process. */
const MEMORY_PREFIX = "peneira-import-";

/** A temporary folder that removes itself. */
export class Workspace {
  private readonly folder: string;
  private readonly unfinished: string;
  private readonly onExit = (): void => this.remove();
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    process.exit(signal === "SIGINT" ? 130 : 143);
  };

  /** Makes the folder. @throws Error of the file system. */
  constructor(out: string, bytesExpected: number) {
    sweepMemory();
    this.folder = fitsMemory(bytesExpected)
      ? join(MEMORY_FOLDER, `${MEMORY_PREFIX}${process.pid}`)
      : `${out}.${process.pid}.work`;
    this.unfinished = `${out}.${process.pid}.partial`;
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    process.once("exit", this.onExit);
    process.once("SIGINT", this.onSignal);
    process.once("SIGTERM", this.onSignal);
  }

  /** Path of a file in the folder. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** Removes everything; safe to call twice. */
  close(): void {
    this.remove();
    process.off("exit", this.onExit);
    process.off("SIGINT", this.onSignal);
    process.off("SIGTERM", this.onSignal);
  }

  private remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.unfinished, { force: true });
  }
}

/** Whether the workspace may lie in memory: it is small, and half of the room stays free. */
function fitsMemory(bytes: number): boolean {
  if (bytes > MEMORY_BYTES_MAX || !existsSync(MEMORY_FOLDER)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bytes <= (bavail * bsize) / 2;
}

/** Removes workspaces in memory whose process is gone. */
function sweepMemory(): void {
  if (!existsSync(MEMORY_FOLDER)) return;
  for (const name of readdirSync(MEMORY_FOLDER)) {
    if (!name.startsWith(MEMORY_PREFIX)) continue;
    const pid = Number(name.slice(MEMORY_PREFIX.length));
    if (pid > 0 && !isRunning(pid)) {
      rmSync(join(MEMORY_FOLDER, name), { recursive: true, force: true });
    }
  }
}

/** Signal 0 asks only whether the process exists; EPERM means that it does, as another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
