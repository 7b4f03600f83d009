/**
 * The footer of an untrusted Arrow file. Input: a path. Output: its columns and metadata,
 * and whether it is a snapshot. A plain file may still contain metadata of the snapshot that it was
 * made from. This metadata is returned too.
 * Invariant: a file is rejected with a message before any of its content is trusted, and reading a
 * footer costs no more than its length.
 */
import { CommandError } from "../../../src/errors.ts";
import {
  type KindId,
  kindOf,
  SIGNATURE_BYTES,
  wrongKindText,
} from "../../../src/files/filekind.ts";
import { decodeFooter } from "../arrow/arrow.ts";
import { ARROW_MAGIC, type DecodedFooter } from "../arrow/arrow-parts.ts";
import { COLUMNS } from "../columns.ts";
import { CheckedFile } from "./checked-file.ts";
import type { SnapshotMeta } from "./meta.ts";
import { META_BYTES_MAX, parseMeta } from "./meta-schema.ts";
import { columnsOf } from "./versions.ts";

/** Key of the metadata JSON in the Arrow schema. */
export const META_KEY = "peneira.meta";

/** Key of the directory's location in the Arrow footer. */
export const INDEX_KEY = "peneira.index";

/** Maximum footer size: the metadata, and the batch locations of any registry. */
const FOOTER_BYTES_MAX = 2 * META_BYTES_MAX;

/** Columns that snapshots of earlier versions lack. */
const LATER_COLUMNS: readonly string[] = COLUMNS.slice(columnsOf(1).length).map(({ name }) => name);

/** Columns that a plain file may omit, because they are recomputed. */
const COMPUTED_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name as string).filter(
  (name) => name === "score" || name.startsWith("score_") || LATER_COLUMNS.includes(name),
);

/** Reads the footer of a file with the columns of a snapshot. @throws CommandError for others. */
export function readFooter(path: string): { footer: DecodedFooter; file: CheckedFile } {
  const file = new CheckedFile(path);
  refuseOtherKinds(file);
  const tail = file.read(file.bytes - 10, 10);
  if (tail.toString("latin1", 4) !== ARROW_MAGIC) {
    file.refuse("it does not end as an Arrow file does; it was cut off or is still being written");
  }
  const length = tail.readInt32LE(0);
  const isSound = length > 0 && length <= file.bytes - 18 && length <= FOOTER_BYTES_MAX;
  if (!isSound) file.refuse("its footer is damaged");
  file.footerOffset = file.bytes - 10 - length;
  const footer = decode(file, length);
  const missing = COLUMNS.filter(({ name }) => !footer.columns.includes(name));
  const optional = footer.metadata[INDEX_KEY] === undefined ? COMPUTED_COLUMNS : LATER_COLUMNS;
  const names = missing.map(({ name }) => name).filter((name) => !optional.includes(name));
  if (names.length > 0) {
    file.refuse(`it is an Arrow file of something else; it lacks the columns ${names.join(", ")}`);
  }
  return { footer, file };
}

function refuseOtherKinds(file: CheckedFile): void {
  const kind = kindOf(file.read(0, Math.min(file.bytes, SIGNATURE_BYTES)));
  if (kind === null) file.refuse("it is not an Arrow file");
  if (kind.id !== "arrow") file.refuse(`${wrongKindText(kind, "a snapshot")}. ${wayOut(kind.id)}`);
  if (file.bytes < 18) file.refuse("it was cut off or is still being written");
}

function wayOut(kind: KindId): string {
  if (kind === "parquet") return "Make one of it with `peneira import`";
  if (kind === "zip") return "Import the folder with all zips of the month, or unpack it";
  if (kind === "archive") return "Unpack it first";
  return "Check the path, or copy the snapshot again";
}

function decode(file: CheckedFile, length: number): DecodedFooter {
  try {
    return decodeFooter(file.read(file.footerOffset, length));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return file.refuse("its footer is damaged");
  }
}

/** True if the Arrow file at `path` has an index region. @throws CommandError if not Arrow. */
export function isIndexed(path: string): boolean {
  return readFooter(path).footer.metadata[INDEX_KEY] !== undefined;
}

/** Reads a snapshot's metadata from a plain Arrow file. @throws CommandError as `plainMeta`. */
export function readPlainMeta(path: string): SnapshotMeta | null {
  return plainMeta(path, readFooter(path).footer.schemaMetadata[META_KEY]);
}

/**
 * Parses the metadata of the snapshot that a file was made from; null if the file has none.
 * @throws CommandError if it is not the metadata of a snapshot.
 */
export function plainMeta(path: string, text: string | undefined): SnapshotMeta | null {
  if (text === undefined) return null;
  const parsed = parseMeta(text);
  if (parsed.meta !== null) return parsed.meta;
  throw new CommandError(
    `${path} cannot be read: its metadata "${META_KEY}" are not a snapshot's ` +
      `(${parsed.problem}); remove that key, or write the file again from a snapshot`,
  );
}
