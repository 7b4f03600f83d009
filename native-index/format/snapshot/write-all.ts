/**
 * Writes byte arrays completely to an open file, in order.
 * Invariant: the kernel may accept fewer bytes than it was offered. These functions continue until
 * all bytes are written.
 */
import { writeSync, writev } from "node:fs";
import { promisify } from "node:util";

const writevAsync = promisify(writev);

/**
 * Writes all parts to the file, starting at `offset`, without blocking the main thread. The parts
 * must not change meanwhile.
 */
export async function writeAll(
  fd: number,
  parts: readonly Uint8Array[],
  offset: number,
): Promise<void> {
  let rest = parts.filter((part) => part.byteLength > 0);
  let position = offset;
  while (rest.length > 0) {
    const round = rest.slice(0, 512);
    let { bytesWritten } = await writevAsync(fd, round, position);
    position += bytesWritten;
    let done = 0;
    while (done < round.length && bytesWritten >= (round[done] as Uint8Array).byteLength) {
      bytesWritten -= (round[done] as Uint8Array).byteLength;
      done++;
    }
    rest = rest.slice(done);
    if (bytesWritten > 0) rest[0] = (rest[0] as Uint8Array).subarray(bytesWritten);
  }
}

/** Writes all bytes at `offset` synchronously. */
export function writeAllSync(fd: number, bytes: Uint8Array, offset: number): void {
  let done = 0;
  while (done < bytes.byteLength) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done, offset + done);
  }
}
