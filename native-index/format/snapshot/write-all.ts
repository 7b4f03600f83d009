/**
 * Writes that leave nothing out. What comes in: byte parts and a place in an open file.
 * What goes out: the parts on their way to the disk, one after another.
 * Invariant: the kernel may take fewer bytes than it is offered; these functions go on until all
 * of them are taken.
 */
import { writeSync, writev } from "node:fs";
import { promisify } from "node:util";

const writevAsync = promisify(writev);

/** Writes all parts from `offset` on, off the main thread; they must not change meanwhile. */
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

/** Writes all bytes at `offset` before it returns. */
export function writeAllSync(fd: number, bytes: Uint8Array, offset: number): void {
  let done = 0;
  while (done < bytes.byteLength) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done, offset + done);
  }
}
