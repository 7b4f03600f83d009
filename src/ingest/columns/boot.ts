/**
 * Opens any file that a person points at. Input: a path to a snapshot, or to a plain Arrow file
 * with the documented columns. Output: an opened segment.
 * Invariant: a plain file is ranked and indexed first and answers the same. Its temporary index is
 * in memory if the system offers that, and is gone when the segment is closed, at the latest with
 * the process.
 */

import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isIndexed } from "../../../native-index/format/snapshot/footer.ts";
import { openSegment, type Segment } from "../../search/segment.ts";

/** Opens a snapshot, indexing a plain Arrow file at boot; throws `CommandError` when refused. */
export async function openAnySegment(path: string): Promise<Segment> {
  if (isIndexed(path)) return openSegment(path);
  const indexed = await indexPlainArrow(path);
  const segment = await openSegment(indexed.path).catch((error: unknown) => {
    indexed.cleanup();
    throw error;
  });
  const close = () => {
    segment.close();
    indexed.cleanup();
  };
  return { ...segment, close };
}

/** A file system in memory, where Linux has one. */
const MEMORY_FOLDER = "/dev/shm";

/** The import needs about this many times the size of the source while it runs. */
const SPACE_FACTOR = 4;

/** A temporary snapshot. */
interface IndexedPlain {
  readonly path: string;
  /** Removes the snapshot; safe to call twice. */
  cleanup(): void;
}

/** Indexes a plain Arrow file. @throws CommandError when it lacks columns, label or date. */
export async function indexPlainArrow(source: string): Promise<IndexedPlain> {
  const folder = mkdtempSync(join(roomyFolder(source), "peneira-"));
  const cleanup = (): void => {
    rmSync(folder, { recursive: true, force: true });
    process.off("exit", cleanup);
  };
  process.once("exit", cleanup);
  try {
    const path = join(folder, "plain.peneira");
    const silent = { update: () => undefined, done: () => undefined };
    // Loaded only here, because it takes a third of the time in which a server starts.
    const { importColumns } = await import("./columns-import.ts");
    await importColumns({
      source: resolve(source),
      out: path,
      keepCpf: true,
      threads: Math.min(4, availableParallelism()),
      startStage: () => silent,
    });
    return { path, cleanup };
  } catch (error) {
    cleanup();
    throw error;
  }
}

function roomyFolder(source: string): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize > SPACE_FACTOR * statSync(source).size ? MEMORY_FOLDER : tmpdir();
}
