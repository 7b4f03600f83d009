/**
 * The committed files of every format version, as a program of that version wrote them.
 * Invariant: they are never recreated: a new program cannot write an old version's file, and a
 * recreated one would prove nothing.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Kinds of committed files, each with the extension of its name. */
const ENDINGS = {
  state: ".db",
  snapshot: ".peneira",
  answers: ".json",
  backup: ".json",
} as const;

/**
 * A kind of file: a database, a snapshot, the answers to queries about it, or a backup as paths
 * with base64 content.
 */
export type FixtureKind = keyof typeof ENDINGS;

/** The folder of the committed files. */
export const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "released");

/** Returns the path of a committed file. */
export function fixturePath(kind: FixtureKind, version: number, folder = FIXTURES): string {
  return join(folder, `${kind}-v${version}${ENDINGS[kind]}.br`);
}

/**
 * Returns the bytes of a committed file. If the file is missing, throws an error that names the
 * command to make it.
 */
export function readFixture(kind: FixtureKind, version: number): Buffer {
  const path = fixturePath(kind, version);
  if (existsSync(path)) return brotliDecompressSync(readFileSync(path));
  throw new Error(
    `there is no ${path}: run node --import tsx test/support/formats/make.ts before this ` +
      "version is released, and never again",
  );
}

/** Compresses and stores bytes. Throws if the file already exists. */
export function storeFixture(path: string, bytes: Uint8Array): void {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  writeFileSync(path, brotliCompressSync(bytes, { params }), { flag: "wx" });
}
