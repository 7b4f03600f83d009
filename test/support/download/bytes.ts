/**
 * Yields the bodies that a share (a simulated web server for downloads) sends: a range of a file in
 * memory or on the disk, in pieces. On request, a body is longer than the file.
 * Invariant: a file on the disk is never read into memory as a whole.
 */
import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";

/** A file of the share: bytes in memory, or a path. */
export interface SharedFile {
  readonly content: Buffer | { readonly path: string; readonly bytes: number };
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Returns the size of a file in bytes. */
export function sizeOf({ content }: SharedFile): number {
  return Buffer.isBuffer(content) ? content.length : content.bytes;
}

/** Yields the bytes of a file from `start` up to but not including the end. */
export async function* slices(
  file: SharedFile,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(file.content)) yield* pieces(file.content.subarray(start, end));
  else if (end > start) {
    yield* createReadStream(file.content.path, { start, end: end - 1 }) as AsyncIterable<Buffer>;
  }
}

/** Yields the bytes in pieces of 16 KiB, as a server sends them. */
export async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 16_384) yield content.subarray(at, at + 16_384);
}

/** Yields the body and then `by` more bytes than it has. */
export async function* longer(body: AsyncIterable<Buffer>, by: number): AsyncGenerator<Buffer> {
  yield* body;
  yield Buffer.alloc(by);
}

/** Resolves when the response can take more bytes, or is closed. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      response.off("drain", end).off("close", end);
      done();
    };
    response.on("drain", end).on("close", end);
  });
}
