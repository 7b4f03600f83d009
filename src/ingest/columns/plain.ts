/**
 * A plain Arrow file, indexed out of sight so that it can be searched at once.
 * What comes in: the path of an Arrow file with the documented columns but without an index.
 * What goes out: the path of a temporary snapshot, in memory where the system offers that.
 * Invariant: the temporary snapshot goes with `cleanup`, and at the latest with the process. Apart
 * because an index made for one process is no import.
 */
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { importColumns } from "./columns-import.ts";

/** A file system in memory, where Linux has one. */
const MEMORY_FOLDER = "/dev/shm";

/** The import needs about this many times the size of the source while it runs. */
const SPACE_FACTOR = 4;

/** A temporary snapshot. */
export interface IndexedPlain {
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
