/**
 * The temporary folder of an import: in memory if small, else next to the output. Also checks disk
 * space and write permission. Input: the output's path, the folders, and the expected bytes.
 * Output: paths, or an error with the path and the required space.
 * Invariant: when the import ends in any way except kill -9 (an error, Ctrl-C, SIGTERM), the folder
 * and the unfinished snapshot are removed. After a kill -9, the next import removes them. It
 * removes all such folders in memory, and all such files next to its own output. Space is checked
 * before the first row is read, so that minutes of work do not end in a full disk. If an estimate
 * is too low, the import starts, and the full disk is reported later.
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

/** An in-memory file system, on Linux. */
const MEMORY_FOLDER = "/dev/shm";

/** Max bytes of a workspace in memory, so that an import uses less than 4 GB of memory. */
const MEMORY_BYTES_MAX = 2 ** 31;

/** Names of temporary folders in memory are this prefix and the process id. */
const MEMORY_PREFIX = "peneira-import-";

/** Expected bytes of an import. */
export interface WorkspaceEstimate {
  /** Bytes of temporary files that exist at the same time as the whole snapshot. */
  readonly work: number;
  readonly snapshot: number;
  /** Max bytes of temporary files at any time. They decide whether the folder can be in memory. */
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

  /** Creates the folder. @throws CommandError if space or permission is lacking. */
  constructor(out: string, estimate: WorkspaceEstimate, freeBytes = freeBytesOf) {
    this.out = out;
    sweepMemory();
    sweepLeftovers(out);
    const parent = dirname(out);
    const isInMemory = fitsMemory(estimate.memory);
    this.folder = isInMemory
      ? join(MEMORY_FOLDER, `${MEMORY_PREFIX}${process.pid}`)
      : `${out}.${process.pid}.work`;
    this.unfinished = `${out}.${process.pid}.partial`;
    this.needs = [
      { folder: parent, bytes: estimate.snapshot, what: "the snapshot" },
      ...(isInMemory || estimate.work === 0
        ? []
        : [{ folder: parent, bytes: estimate.work, what: "temporary files" }]),
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

  /**
   * Converts disk errors to `DiskRefusal`s about this workspace; returns other errors unchanged.
   */
  refusalOf(error: unknown): unknown {
    return diskRefusal(error, this.out, this.needs, this.freeBytes);
  }

  /** Returns the path of a file in the folder. */
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

/** True if the workspace may be in memory: it is small, and half of the memory remains free. */
function fitsMemory(bytes: number): boolean {
  if (bytes > MEMORY_BYTES_MAX || !existsSync(MEMORY_FOLDER)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bytes <= (bavail * bsize) / 2;
}

/** Removes temporary folders in memory if their processes have ended. */
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

/** Removes workspaces and unfinished snapshots next to the output if their process has ended. */
function sweepLeftovers(out: string): void {
  const folder = dirname(out);
  for (const name of readdirSync(folder)) {
    const [, base, pid] = /^(.+)\.(\d+)\.(?:work|partial|partial\.scratch)$/.exec(name) ?? [];
    const isOurs = base === basename(out) || base?.endsWith(".peneira");
    if (!isOurs || Number(pid) === 0 || isRunning(Number(pid))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The bytes that an import is expected to write to a folder. */
interface Need {
  readonly folder: string;
  readonly bytes: number;
  /** Purpose of the bytes, such as `the snapshot`. */
  readonly what: string;
}

/** Returns the free bytes of the disk that a folder is on. */
export type FreeBytes = (folder: string) => number;

const freeBytesOf: FreeBytes = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Returns bytes in the decimal units of disks, such as `31.4 GB`. Callers round required space up
 * and free space down, so that two different sizes never look equal.
 */
function sizeText(bytes: number, round: (value: number) => number): string {
  const [unit, name] = bytes >= 1e9 ? [1e9, "GB"] : [1e6, "MB"];
  return `${(round((bytes / unit) * 10) / 10).toFixed(1)} ${name}`;
}

/** Throws if a disk is too small for all files that will be on it. @throws CommandError */
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
  // The disk was full during the import. Enough bytes are free now because the written files were
  // removed, so the estimate was too low.
  const there = sizeText(free, Math.floor);
  if (bytes <= free) return `the import needs more than the ${there} that are free there.`;
  const parts = needs.map((need) => `${need.what} ${sizeText(need.bytes, Math.ceil)}`);
  const each = parts.length > 1 ? ` (${parts.join(", ")})` : "";
  const needed = sizeText(bytes, Math.ceil);
  return `the import needs about ${needed} there${each}, and ${there} are free.`;
}

/** Error for a disk that is too small, full, or read-only; a retry may succeed. */
export class DiskRefusal extends CommandError {}

/** Checks that a file can be written; removes it. @throws Error of the system */
function tryWriting(path: string): void {
  closeSync(openSync(path, "w"));
  rmSync(path);
}

/** Messages for system errors. */
const REASONS: Readonly<Record<string, (folder: string) => string>> = {
  ENOSPC: (folder) => `the disk of ${folder} is full`,
  EDQUOT: (folder) => `the quota of this user on the disk of ${folder} is used up`,
  EROFS: (folder) => `${folder} is on a disk that may only be read`,
  EIO: (folder) => `the disk of ${folder} reported an input/output error`,
  EACCES: (folder) => `this user may not write to ${folder}`,
  EPERM: (folder) => `this user may not write to ${folder}`,
};

/** Codes of errors that may also come from reading the source. */
const OF_READING = ["EACCES", "EPERM"];

/** Converts errors of a full or read-only disk to `DiskRefusal`; returns other errors unchanged. */
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
  const spaceHint = isFull ? `; ${needText(together, freeBytes(place))}` : ".";
  return new DiskRefusal(
    `${out} was not written: ${reason(place)} (${code})${spaceHint}`,
    1,
    error,
  );
}
