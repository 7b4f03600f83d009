/**
 * Room on the disk.
 * What comes in: a folder and the bytes that are to be written there. What goes out: nothing, or
 * words that name what is needed and what there is.
 * Invariant: asked before the first byte, so that hours of downloading do not end in a full disk.
 */
import { statfsSync, statSync } from "node:fs";
import { CommandError } from "../errors.ts";
import { sizeText } from "./words.ts";

/** Room that is left to others. */
const SPARE_BYTES = 64 * 2 ** 20;

/** What wants room. */
export interface Demand {
  readonly folder: string;
  readonly bytes: number;
  /** What the bytes are for, such as `the zips of 2026-10`. */
  readonly what: string;
}

/** Checks demands together, by the disk that they fall on. @throws CommandError */
export function checkSpace(demands: readonly Demand[]): void {
  const disks = new Map<number, Demand[]>();
  for (const demand of demands) {
    const { dev } = statSync(demand.folder);
    disks.set(dev, [...(disks.get(dev) ?? []), demand]);
  }
  const problems = [...disks.values()].flatMap((together) => {
    const { folder } = together[0] as Demand;
    const { bavail, bsize } = statfsSync(folder);
    const needed = together.reduce((sum, { bytes }) => sum + bytes, 0);
    if (needed === 0 || needed + SPARE_BYTES <= bavail * bsize) return [];
    const parts = together.map(({ what, bytes }) => `${what} (${sizeText(bytes)})`);
    return [
      `The disk of ${folder} has ${sizeText(bavail * bsize)} free, which is not enough for ` +
        `${parts.join(" and ")} and ${sizeText(SPARE_BYTES)} to spare.`,
    ];
  });
  if (problems.length > 0) throw new CommandError(problems.join("\n"));
}
