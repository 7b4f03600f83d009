/**
 * What a server serves. What comes in: a path to a snapshot file or to a folder of them. What goes
 * out: one opened segment, or none where a folder holds nothing valid yet.
 * Invariant: of a folder the newest valid snapshot is served; what is none is named on standard
 * error and never hides an older valid one, whether it is refused when it is opened or found
 * damaged by its first questions. A plain Arrow file named directly is indexed first.
 */
import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, CommandError } from "../../errors.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr } from "../../process/terminal.ts";
import { openSegment, type Segment } from "../../search/segment.ts";

/** Asks a segment its first questions; throws as they do where it is damaged. */
type Ready = (segment: Segment) => Promise<void>;

const AS_IT_IS: Ready = () => Promise.resolve();

/**
 * Opens what is to be served and makes it ready; null for a folder without a valid snapshot, where
 * one may still come. Throws `CommandError` when a named file is missing, refused or damaged.
 */
export async function openServed(path: string, ready: Ready = AS_IT_IS): Promise<Segment | null> {
  if (isFolder(path)) return openNewest(path, ready);
  const segment = await openAnySegment(path);
  try {
    await ready(segment);
    return segment;
  } catch (error) {
    segment.close();
    throw isDamage(error) ? new CommandError(`${path}: ${wordsOf(error)}`, 1, error) : error;
  }
}

/** Whether a path leads to a folder. Throws `CommandError` when there is nothing. */
export function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) return found.isDirectory();
  throw new CommandError(
    `There is no snapshot at ${path}. Check the path, or make one with peneira import; npm start ` +
      "in a checkout makes a small demo and serves it.",
    1,
  );
}

/**
 * State of the plain file at a path; undefined where there is none, or a link that leads nowhere or
 * to itself. Times are to the nanosecond: what writes a block may need less than a millisecond.
 */
export function fileAt(path: string): BigIntStats | undefined {
  try {
    const found = statSync(path, { bigint: true });
    return found.isFile() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Opens every snapshot of a folder (that costs milliseconds) and keeps the newest sound one. */
async function openNewest(folder: string, ready: Ready): Promise<Segment | null> {
  const refused = (path: string, error: unknown) => {
    stderr.print(`not served: ${path}: ${wordsOf(error)}\n`);
  };
  const opened: { readonly path: string; readonly segment: Segment }[] = [];
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (/^\.|\.tmp$/.test(entry.name)) continue;
    if (fileAt(path) === undefined) {
      if (entry.isSymbolicLink()) refused(path, "it is a link that leads to no file");
      continue;
    }
    try {
      opened.push({ path, segment: await openSegment(path) });
    } catch (error) {
      refused(path, error);
    }
  }
  // Of equal ones the last name comes first.
  opened
    .reverse()
    .sort(
      (a, b) => Number(isNewer(b.segment, a.segment)) || -Number(isNewer(a.segment, b.segment)),
    );
  let newest: Segment | null = null;
  for (const { path, segment } of opened) {
    try {
      if (newest === null) await ready(segment);
    } catch (error) {
      segment.close();
      if (!isDamage(error)) throw error;
      refused(path, error);
      continue;
    }
    if (newest === null) newest = segment;
    else segment.close();
  }
  return newest;
}

/** Whether a question found that the file is not what was written. */
function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.code === "snapshot_unavailable";
}

/** In one line what is wrong with a file, and for damage what there is to do. */
function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  if (!isDamage(error)) return words;
  const { cause } = error as Error;
  const found = cause instanceof Error ? cause.message : words;
  return (
    `The file is damaged (${found}). peneira verify says where; put a good copy in its place, ` +
    "or make it anew with peneira import."
  );
}

/** Whether a snapshot holds later data than another one. */
export function isNewer(segment: Segment, than: Segment): boolean {
  return order(segment) > order(than);
}

/** By date of the data; two releases of the same day are told apart by their label. */
function order(segment: Segment): string {
  return `${segment.snapshotDate} ${segment.label}`;
}
