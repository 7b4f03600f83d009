/**
 * Files of list entries, for accounts that are added to the list `exported` later.
 * Input: entries in ascending order, each as two 32-bit numbers. Output: a file with 8 bytes per
 * entry; on reading, its entries.
 * Invariant: a file has its name only when it is complete and durable. Memory is bounded by a
 * chunk, not by the file. Separate because the file format is independent of the worker.
 */
import { closeSync, fsyncSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../../store/datadir.ts";

/** Bytes per read. They hold a whole number of entries. */
const CHUNK_BYTES = 1 << 19;

/** Writes entries to a file. */
export function writeEntryFile(path: string, entries: Iterable<Uint32Array>): void {
  const temporary = `${path}.tmp`;
  const fd = openSync(temporary, "w", 0o600);
  try {
    for (const pairs of entries) {
      const bytes = new Uint8Array(pairs.buffer, pairs.byteOffset, pairs.byteLength);
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(fd, bytes, done, bytes.length - done);
      }
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** Reads the entries of a file, chunk by chunk. */
export function* readEntryFile(path: string): Generator<Uint32Array> {
  const fd = openSync(path, "r");
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      let length = 0;
      for (let read = -1; read !== 0 && length < CHUNK_BYTES; length += read) {
        read = readSync(fd, chunk, length, CHUNK_BYTES - length, null);
      }
      if (length === 0) return;
      yield new Uint32Array(chunk.buffer, 0, length >>> 2);
    }
  } finally {
    closeSync(fd);
  }
}
