/**
 * Why a disk refuses to have a database opened on it, where SQLite's own code says less.
 * Apart because this is about the disk, and knows neither the schema nor the data directory.
 */
import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Bytes that SQLite's file of shared memory grows by. */
const SHARED_MEMORY_BYTES = 32_768;

function isSharedMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * SQLite reports an input/output error if a full disk has no room for its shared memory, and that
 * it cannot open a file if it may not make one on a read-only disk.
 */
export function causeOfDisk(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code?.startsWith("SQLITE_CANTOPEN")) {
    return readOnlyDisk(dirname(path)) ?? error;
  }
  if (!isSharedMemory(error)) return error;
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize >= SHARED_MEMORY_BYTES) return error;
  return Object.assign(new Error(String((error as Error).message), { cause: error }), {
    code: "SQLITE_FULL",
  });
}

/** The system's refusal to write to a folder of a read-only disk; null for every other folder. */
function readOnlyDisk(folder: string): unknown {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS" ? error : null;
  }
}

/** Returns the space that SQLite needs and the space that is free, in bytes, as a sentence. */
export function sharedMemoryWords(path: string): string {
  const { bavail, bsize } = statfsSync(dirname(path));
  const [needed, free] = [SHARED_MEMORY_BYTES, bavail * bsize].map((bytes) =>
    bytes.toLocaleString("en-US"),
  );
  return `SQLite needs ${needed} bytes for ${path}-shm, and ${free} are free on its disk.`;
}

/** True if `causeOfDisk` found that a full disk has no room for the shared memory. */
export function lacksSharedMemory(error: unknown, cause: unknown): boolean {
  return isSharedMemory(error) && cause !== error;
}
