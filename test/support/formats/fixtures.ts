/**
 * The kept files of every format version. What comes in: a kind and a version. What goes out: the
 * bytes as a program of that version has written them.
 * Invariant: what is kept is never made again: a file of an old version cannot be made by a new
 * program, and one that could be made anew would prove nothing.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Kinds of kept files with the ends of their names. */
const ENDINGS = {
  state: ".db",
  snapshot: ".peneira",
  answers: ".json",
  backup: ".json",
} as const;

/** What is kept: the database, a snapshot, its answers, a backup as paths with base64. */
export type FixtureKind = keyof typeof ENDINGS;

/** The folder of this file. */
export const FIXTURES = dirname(fileURLToPath(import.meta.url));

/** Path of a kept file. */
export function fixturePath(kind: FixtureKind, version: number, folder = FIXTURES): string {
  return join(folder, `${kind}-v${version}${ENDINGS[kind]}.br`);
}

/** Bytes of a kept file. Throws with the command that makes the one of the present version. */
export function readFixture(kind: FixtureKind, version: number): Buffer {
  const path = fixturePath(kind, version);
  if (existsSync(path)) return brotliDecompressSync(readFileSync(path));
  throw new Error(
    `there is no ${path}: run node --import tsx test/support/formats/make.ts before this ` +
      "version is released, and never again",
  );
}

/** Keeps bytes; throws where a file of the version is there. */
export function keepFixture(path: string, bytes: Uint8Array): void {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  writeFileSync(path, brotliCompressSync(bytes, { params }), { flag: "wx" });
}
