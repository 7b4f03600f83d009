/**
 * The reference implementation of the addon's file writer, in TypeScript on the calling thread.
 * Tests may replace its system calls by failing ones, whose errors it throws unchanged.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import type { DiskCalls, FileWriter } from "../../../src/export/files/sink.ts";

/** The system calls for a file, all on the calling thread. */
export type PlainCalls = Omit<DiskCalls, "openWriter"> & Pick<typeof fs, "writeSync">;

/** Number of bytes in each write. */
const CHUNK_BYTES = 1 << 20;

/**
 * Returns the system calls with which the product writes a file. Writing goes through `writeSync`
 * of `calls`.
 */
export function plainDisk(calls: PlainCalls = fs): DiskCalls {
  return { ...calls, openWriter: (fd) => openPlainWriter(fd, calls) };
}

function openPlainWriter(fd: number, calls: PlainCalls): FileWriter {
  const hash = createHash("sha256");
  let held = Buffer.alloc(0);
  const put = (bytes: Uint8Array) => {
    hash.update(bytes);
    for (let done = 0; done < bytes.byteLength; ) {
      done += calls.writeSync(fd, bytes, done, bytes.byteLength - done);
    }
  };
  return {
    write(bytes) {
      held = Buffer.concat([held, bytes]);
      for (; held.byteLength >= CHUNK_BYTES; held = held.subarray(CHUNK_BYTES)) {
        put(held.subarray(0, CHUNK_BYTES));
      }
    },
    finish() {
      put(held);
      return hash.digest("hex");
    },
    close() {},
  };
}
