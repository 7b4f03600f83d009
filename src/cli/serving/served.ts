/**
 * Opens the snapshot to serve. Input: a path to a snapshot file or to a folder of them. Output: an
 * opened segment, or null if a folder holds no valid snapshot yet.
 * Invariant: the newest valid snapshot of a folder is served. An invalid snapshot is reported on
 * standard error, and then an older valid one is served. This holds even if only the first queries
 * reveal the damage. If the path names a plain Arrow file, it is indexed first.
 */
import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, CommandError } from "../../errors.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr } from "../../process/terminal.ts";
import { openSegment, type Segment } from "../../search/segment.ts";

/** Runs the first queries on a segment. Throws if it is damaged. */
type Ready = (segment: Segment) => Promise<void>;

const AS_IT_IS: Ready = () => Promise.resolve();

/**
 * Opens and warms the snapshot. Returns null if a folder has no valid one yet. Throws
 * `CommandError` if a named file is missing, refused, or damaged.
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

/** True if a path leads to a folder. Throws `CommandError` if it does not exist. */
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
 * Returns the state of the plain file at a path, or undefined if it is missing or a broken link.
 * Times are in nanoseconds, because a write may take less than a millisecond.
 */
export function fileAt(path: string): BigIntStats | undefined {
  try {
    const found = statSync(path, { bigint: true });
    return found.isFile() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Opens every snapshot of a folder (milliseconds each), and returns the newest valid one. */
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
  // Sorts the newest snapshot first. Among equally new ones, the last name comes first.
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

function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.code === "snapshot_unavailable";
}

/** Describes a file's problem in one line. Adds the remedy for damage. */
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

/** True if `segment` has later data than `than`. */
export function isNewer(segment: Segment, than: Segment): boolean {
  return order(segment) > order(than);
}

/** Returns a sort key: the date of the data, then the label. */
function order(segment: Segment): string {
  return `${segment.snapshotDate} ${segment.label}`;
}
