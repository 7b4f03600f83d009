/**
 * The temporary folder of an import, in memory if it stays small, else beside the output; and the
 * space and permission that an import needs where it writes. Input: the output's path, the folders,
 * and how many bytes are expected there. Output: paths, or a refusal with the path and the need.
 * Invariant: however the process ends, short of a kill -9 (an error, Ctrl-C, SIGTERM), the folder
 * and the unfinished snapshot are gone afterwards; what a kill -9 leaves goes with the next import:
 * in memory any, beside the output that of the same output and of every `.peneira` there. Space is
 * checked before the first row is read, so that minutes of work do not end in a full disk; an
 * estimate that is too low lets the import begin, and the full disk is reported after all.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../errors.ts";
import { makeFolders } from "../files/newfolder.ts";
import { isRunning } from "../process/system.ts";
import { stderr } from "../process/terminal.ts";

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

/** What an import will write into a folder. */
interface Need {
  readonly folder: string;
  readonly bytes: number;
  /** What for, such as `the snapshot`. */
  readonly what: string;
}

/** Free bytes of the disk of a folder. */
export type FreeBytes = (folder: string) => number;

/** What the system says of the disk of a folder. */
const freeBytesOf: FreeBytes = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Returns bytes in the decimal units of disks, such as `31.4 GB`. Callers round needs up and free
 * space down, so that two figures that differ never look equal.
 */
function sizeText(bytes: number, round: (value: number) => number): string {
  const [unit, name] = bytes >= 1e9 ? [1e9, "GB"] : [1e6, "MB"];
  return `${(round((bytes / unit) * 10) / 10).toFixed(1)} ${name}`;
}

/** Refuses disks that are too small for everything that goes there. @throws CommandError */
export function checkRoom(out: string, needs: readonly Need[], freeBytes = freeBytesOf): void {
  const disks = new Map<number, Need[]>();
  for (const need of needs) {
    const { dev } = statSync(need.folder);
    disks.set(dev, [...(disks.get(dev) ?? []), need]);
  }
  const problems = [...disks.values()].flatMap((together) => {
    const { folder } = together[0] as Need;
    const free = freeBytes(folder);
    const bytes = together.reduce((sum, need) => sum + need.bytes, 0);
    return bytes <= free ? [] : [`the disk of ${folder} is too small: ${needText(together, free)}`];
  });
  if (problems.length > 0) throw new DiskRefusal(`${out} was not written: ${problems.join("; ")}`);
}

function needText(needs: readonly Need[], free: number): string {
  const bytes = needs.reduce((sum, need) => sum + need.bytes, 0);
  // The estimate was too low, as it is meant to be; what was written is gone by now.
  const there = sizeText(free, Math.floor);
  if (bytes <= free) return `the import needs more than the ${there} that are free there.`;
  const parts = needs.map((need) => `${need.what} ${sizeText(need.bytes, Math.ceil)}`);
  const each = parts.length > 1 ? ` (${parts.join(", ")})` : "";
  const needed = sizeText(bytes, Math.ceil);
  return `the import needs about ${needed} there${each}, and ${there} are free.`;
}

/** A disk that is too small, full, or may not be written: another day it may do. */
export class DiskRefusal extends CommandError {}

/** Tries to write a file, and removes it. @throws Error of the system */
function tryWriting(path: string): void {
  closeSync(openSync(path, "w"));
  rmSync(path);
}

/** What each refusal of the system means to a person. */
const REASONS: Readonly<Record<string, (folder: string) => string>> = {
  ENOSPC: (folder) => `the disk of ${folder} is full`,
  EDQUOT: (folder) => `the quota of this user on the disk of ${folder} is used up`,
  EROFS: (folder) => `${folder} is on a disk that may only be read`,
  EIO: (folder) => `the disk of ${folder} reported an input/output error`,
  EACCES: (folder) => `this user may not write to ${folder}`,
  EPERM: (folder) => `this user may not write to ${folder}`,
};

/** Refusals that a read of the source meets as well. */
const OF_READING = ["EACCES", "EPERM"];

/**
 * In place of an error of a disk that is full or may not be written a refusal with place and need;
 * every other error as it is.
 */
export function diskRefusal(
  error: unknown,
  out: string,
  needs: readonly Need[],
  freeBytes = freeBytesOf,
): unknown {
  if (!(error instanceof Error) || error instanceof CommandError) return error;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "read") return error;
  const folder = path === undefined ? dirname(out) : dirname(path);
  const need = needs.find((one) => folder === one.folder || folder.startsWith(`${one.folder}/`));
  const reason = REASONS[code];
  if (reason === undefined || (need === undefined && OF_READING.includes(code))) return error;
  const place = need?.folder ?? folder;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  const together = needs.filter((one) => one.folder === place);
  const room = isFull ? `; ${needText(together, freeBytes(place))}` : ".";
  return new DiskRefusal(`${out} was not written: ${reason(place)} (${code})${room}`, 1, error);
}
