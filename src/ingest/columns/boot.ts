/**
 * Opens any source file: a snapshot, or a plain Arrow file with the documented columns.
 * Invariant: a plain file is first ranked and indexed, so it returns the same answers as a
 * snapshot. The temporary index is in memory if the system supports that. It is removed when the
 * segment is closed or the process ends.
 */

import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isIndexed } from "../../../native-index/format/snapshot/footer.ts";
import { openSegment, type Segment } from "../../search/segment.ts";

/**
 * Opens a snapshot. Indexes the file first if it is a plain Arrow file. Throws `CommandError` if
 * the file is refused.
 */
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

/** An in-memory file system, on Linux. */
const MEMORY_FOLDER = "/dev/shm";

/** The import temporarily needs about this many times the size of the source. */
const SPACE_FACTOR = 4;

interface IndexedPlain {
  readonly path: string;
  /** Removes the snapshot; safe to call twice. */
  cleanup(): void;
}

/** Indexes a plain Arrow file. @throws CommandError if it lacks columns, label, or date. */
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
    // Imported only when needed, because loading this module takes a third of a server's start
    // time.
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
