/**
 * The temporary folder of an import: in memory when it stays small, else beside the output.
 * What comes in: the output's path and how many bytes are expected. What goes out: paths.
 * Invariant: whatever ends the process short of a kill -9 (an error, Ctrl-C, SIGTERM), the folder
 * and the unfinished snapshot are gone afterwards; what a kill -9 leaves goes with the next import:
 * in memory any, beside the output that of the same output and of every `.peneira` there.
 */
import { existsSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolders } from "../files/newfolder.ts";
import { isRunning } from "../process/system.ts";
import { stderr } from "../process/terminal.ts";
import {
  checkRoom,
  diskRefusal,
  type FreeBytes,
  freeBytesOf,
  type Need,
  tryWriting,
} from "./room.ts";

/** A file system in memory, where Linux has one. */
const MEMORY_FOLDER = "/dev/shm";

/** Larger workspaces go to the disk, so that an import stays below 4 GB of memory. */
const MEMORY_BYTES_MAX = 2 ** 31;

/** Names of workspaces in memory: this and the number of the process. */
const MEMORY_PREFIX = "peneira-import-";

/** What an import is expected to write, in bytes. */
export interface WorkspaceNeed {
  /** Its temporary files beside the whole snapshot, where they lie on a disk. */
  readonly work: number;
  readonly snapshot: number;
  /** Its temporary files at most, for the choice of a folder in memory. */
  readonly memory: number;
}

/** A temporary folder that removes itself. */
export class Workspace {
  private readonly out: string;
  private readonly folder: string;
  private readonly unfinished: string;
  private readonly needs: readonly Need[];
  private readonly freeBytes: FreeBytes;
  private readonly onExit = (): void => this.remove();
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    stderr.print(`\npeneira: ${signal} ended the import; ${this.out} was not written\n`);
    process.exit(signal === "SIGINT" ? 130 : 143);
  };

  /** Makes the folder. @throws CommandError when there is no room, or no permission to write. */
  constructor(out: string, need: WorkspaceNeed, freeBytes = freeBytesOf) {
    this.out = out;
    sweepMemory();
    sweepBeside(out);
    const beside = dirname(out);
    const isInMemory = fitsMemory(need.memory);
    this.folder = isInMemory
      ? join(MEMORY_FOLDER, `${MEMORY_PREFIX}${process.pid}`)
      : `${out}.${process.pid}.work`;
    this.unfinished = `${out}.${process.pid}.partial`;
    this.needs = [
      { folder: beside, bytes: need.snapshot, what: "the snapshot" },
      ...(isInMemory || need.work === 0
        ? []
        : [{ folder: beside, bytes: need.work, what: "temporary files" }]),
    ];
    this.freeBytes = freeBytes;
    try {
      tryWriting(this.unfinished);
      checkRoom(out, this.needs, freeBytes);
      rmSync(this.folder, { recursive: true, force: true });
      makeFolders(this.folder);
    } catch (error) {
      throw this.refusalOf(error);
    }
    process.once("exit", this.onExit);
    process.once("SIGINT", this.onSignal);
    process.once("SIGTERM", this.onSignal);
  }

  /** In place of an error of the disk a refusal with place and need; others as they are. */
  refusalOf(error: unknown): unknown {
    return diskRefusal(error, this.out, this.needs, this.freeBytes);
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

/** Removes workspaces and unfinished snapshots beside the output whose process is gone. */
function sweepBeside(out: string): void {
  const folder = dirname(out);
  for (const name of readdirSync(folder)) {
    const [, base, pid] = /^(.+)\.(\d+)\.(?:work|partial)$/.exec(name) ?? [];
    const isOurs = base === basename(out) || base?.endsWith(".peneira");
    if (!isOurs || Number(pid) === 0 || isRunning(Number(pid))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
