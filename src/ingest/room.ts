/**
 * Room and permission where an import writes.
 * What comes in: the folders, and bytes that are expected there. What goes out: nothing, or a
 * refusal in words with the path and the need.
 * Invariant: asked before the first row is read, so that minutes of work do not end in a full disk;
 * an estimate that is too low lets the import begin, and is told when the disk is full after all.
 */
import { closeSync, openSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CommandError } from "../errors.ts";

/** What an import will write into a folder. */
export interface Need {
  readonly folder: string;
  readonly bytes: number;
  /** What for, such as `the snapshot`. */
  readonly what: string;
}

/** Free bytes of the disk of a folder. */
export type FreeBytes = (folder: string) => number;

/** What the system says of the disk of a folder. */
export const freeBytesOf: FreeBytes = (folder) => {
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
export function tryWriting(path: string): void {
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
