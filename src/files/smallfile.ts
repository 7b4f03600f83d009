/**
 * Reads a small file named by a user, which may be an endless device or pipe.
 * Invariant: reads at most one chunk beyond the limit, even if the file reports a smaller size.
 */
import { closeSync, openSync, readSync } from "node:fs";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum bytes by kind of file. */
export const SMALL_FILE_BYTES = {
  /** A file with only a secret or a password. */
  secret: 64 * KIB,
  /** Settings, secrets of the state, and the address of a state in PostgreSQL. */
  settings: MIB,
  /** A spec in JSON; even the longest valid spec is far smaller. */
  spec: 16 * MIB,
  /** A table, a registry list, or the manifest of a backup. */
  table: 64 * MIB,
} as const;

/** The file has more bytes than its kind allows. */
export class FileTooLong extends Error {
  constructor(bytesMax: number) {
    super(`it has more than ${limitText(bytesMax)}, the most that is read of such a file`);
  }
}

/** Returns a limit in words: `64 KiB`. */
export function limitText(bytesMax: number): string {
  return bytesMax >= MIB ? `${bytesMax / MIB} MiB` : `${bytesMax / KIB} KiB`;
}

/** Reads a file, or standard input (0). @throws FileTooLong, and system errors */
export function readSmallFile(file: string | 0, bytesMax: number): Buffer {
  const fd = file === 0 ? 0 : openSync(file, "r");
  try {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(64 * KIB);
      const read = readSync(fd, piece, 0, piece.length, null);
      if (read === 0) return Buffer.concat(pieces);
      bytes += read;
      if (bytes > bytesMax) throw new FileTooLong(bytesMax);
      pieces.push(piece.subarray(0, read));
    }
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}
