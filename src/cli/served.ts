/**
 * What a server serves. What comes in: a path to a snapshot file or to a folder of them. What goes
 * out: one opened segment, or none where a folder holds nothing valid yet.
 * Invariant: of a folder the newest valid snapshot is served; what is none is named on standard
 * error and never hides an older valid one. A plain Arrow file named directly is indexed first.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { openAnySegment } from "../ingest/boot.ts";
import { openSegment, type Segment } from "../search/segment.ts";

/**
 * Opens what is to be served; null for a folder without a valid snapshot, where one may still
 * come. Throws `CommandError` when a named file is missing or refused.
 */
export async function openServed(path: string): Promise<Segment | null> {
  return isFolder(path) ? openNewest(path) : openAnySegment(path);
}

/** Whether a path leads to a folder. Throws `CommandError` when there is nothing. */
export function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`There is no snapshot at ${path}.`, 1);
  return found.isDirectory();
}

/** Opens every snapshot of a folder (that costs milliseconds) and keeps the newest. */
async function openNewest(folder: string): Promise<Segment | null> {
  let newest: Segment | null = null;
  const refused: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (/^\.|\.tmp$/.test(name) || !statSync(path).isFile()) continue;
    try {
      const segment = await openSegment(path);
      if (newest === null || order(segment) >= order(newest)) {
        newest?.close();
        newest = segment;
      } else {
        segment.close();
      }
    } catch (error) {
      refused.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  for (const line of refused) process.stderr.write(`not served: ${line}\n`);
  return newest;
}

/** Whether a snapshot holds later data than another one. */
export function isNewer(segment: Segment, than: Segment): boolean {
  return order(segment) > order(than);
}

/** By date of the data; two releases of the same day are told apart by their label. */
function order(segment: Segment): string {
  return `${segment.snapshotDate} ${segment.label}`;
}
