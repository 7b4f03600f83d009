/**
 * Writer and opener of the snapshot file: a valid Arrow IPC file whose index region lies between
 * the end of the stream and the footer (layout: `format.h`).
 * What comes in: metadata, record batches in rank order; or a path.
 * What goes out: the finished file under its name; or where its parts lie, checked.
 * Invariant: the file appears under its name only when whole (temporary name, fsync, rename, fsync
 * of the folder), and the opener believes no number before it has checked it against the file.
 */
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { CommandError } from "../src/errors.ts";
import {
  decodeFooter,
  encodeBatch,
  encodeDictionary,
  encodeFooter,
  encodeSchema,
} from "./arrow.ts";
import {
  ARROW_ALIGN,
  ARROW_END,
  ARROW_MAGIC,
  alignUp,
  type DecodedFooter,
  dictionaryIds,
  type EncodedBatch,
  type EncodedMessage,
  type MessageBlock,
} from "./arrow-parts.ts";
import { CheckedFile } from "./checked-file.ts";
import { COLUMNS, TABLES } from "./columns.ts";
import {
  buildIndex,
  type ColumnBuffers,
  crc32c,
  type DirectoryLocation,
  type PreparedSection,
} from "./engine.ts";
import { dictionaryOf, encodeTable, type SnapshotMeta, tableValues } from "./meta.ts";
import { ADMITTED, FORMAT_VERSION, versionRefusal } from "./versions.ts";
import { writeAll, writeAllSync } from "./write-all.ts";

export type { SnapshotMeta } from "./meta.ts";

/** Key of the metadata JSON in the Arrow schema. */
export const META_KEY = "peneira.meta";

/** Key of the directory's location in the Arrow footer. */
export const INDEX_KEY = "peneira.index";

/** Kinds of section that the writer prepares; the numbers of `format.h`. */
export const SECTION = { meta: 1, columns: 2, table: 3, blocks: 12 } as const;

/** Bytes that one checksum of the BLOCKS section covers. */
export const BLOCK_BYTES = 1 << 16;

/** What finishing may be told. */
export interface FinishOptions {
  readonly threads: number;
  /** Shared u32 that counts from 0 to 1,000 while the index is built. */
  readonly progress?: Uint32Array;
}

/** Writes one snapshot. Call `writeBatch` in rank order, then `finish`; or `abandon`. */
export class SnapshotWriter {
  private readonly path: string;
  private readonly temporary: string;
  private readonly meta: SnapshotMeta;
  private readonly metaText: string;
  private fd: number | null;
  private position = 0;
  private pending: Promise<void> = Promise.resolve();
  private rows = 0;
  private readonly dictionaries: MessageBlock[] = [];
  private readonly batches: MessageBlock[] = [];
  private readonly batchTable: bigint[][] = [];

  /** Starts `path` under a temporary name beside it; see `createSnapshotWriter`. */
  constructor(path: string, meta: SnapshotMeta) {
    this.path = path;
    this.temporary = `${path}.${process.pid}.partial`;
    this.meta = meta;
    this.metaText = JSON.stringify(meta);
    this.fd = openSync(this.temporary, "w");
    this.write([Buffer.from(`${ARROW_MAGIC}\0\0`)]);
    this.writeMessage(encodeSchema(COLUMNS, { [META_KEY]: this.metaText }, this.position));
    for (const [name, id] of dictionaryIds(COLUMNS)) {
      const values = meta.dictionaries[dictionaryOf(name)];
      this.dictionaries.push(this.writeMessage(encodeDictionary(id, values)));
    }
  }

  /**
   * Appends a record batch; `buffers` are in column order and must stay as they are until the
   * promise is kept. The bytes go to the disk while the caller prepares the next batch.
   */
  async writeBatch(rows: number, buffers: readonly ColumnBuffers[]): Promise<void> {
    const before = this.pending;
    const batch = encodeBatch(COLUMNS, buffers, rows);
    const { head, body, bodyLength } = batch;
    const block = { offset: this.position, metadataLength: head.length, bodyLength };
    this.position += head.length + bodyLength;
    this.addBatch(rows, batch, block);
    this.pending = before.then(() => writeAll(this.descriptor(), [head, ...body], block.offset));
    return this.pending;
  }

  private addBatch(rows: number, batch: EncodedBatch, block: MessageBlock): void {
    const body = block.offset + block.metadataLength;
    const table = [BigInt(this.rows), BigInt(rows)];
    for (const { validity, data, offsets } of batch.spans) {
      for (const span of [validity, data, offsets]) {
        table.push(span.length === 0 ? 0n : BigInt(body + span.offset), BigInt(span.length));
      }
    }
    this.batches.push(block);
    this.batchTable.push(table);
    this.rows += rows;
  }

  /** Builds the index region, writes the footer and gives the file its name. */
  async finish(options: FinishOptions): Promise<void> {
    if (this.rows !== this.meta.accounts) {
      throw new RangeError(`${this.rows} rows written, ${this.meta.accounts} announced`);
    }
    await this.pending;
    this.write([ARROW_END]);
    this.pad();
    const directory = await buildIndex({
      path: this.temporary,
      regionOffset: this.position,
      rowCount: this.rows,
      sections: this.sections(),
      threads: options.threads,
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    });
    this.position = fstatSync(this.descriptor()).size;
    this.pad();
    this.write([this.footer(directory)]);
    this.publish();
  }

  /** Closes and removes what was written so far. */
  abandon(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
    rmSync(this.temporary, { force: true });
  }

  private footer(directory: DirectoryLocation): Uint8Array {
    return encodeFooter({
      columns: COLUMNS,
      schemaMetadata: { [META_KEY]: this.metaText },
      dictionaries: this.dictionaries,
      batches: this.batches,
      metadata: { [INDEX_KEY]: locationText(directory) },
    });
  }

  private sections(): PreparedSection[] {
    const columns = Buffer.alloc(8 + this.batchTable.length * (16 + COLUMNS.length * 48));
    columns.writeUInt32LE(this.batchTable.length, 0);
    columns.writeUInt32LE(COLUMNS.length, 4);
    let at = 8;
    for (const number of this.batchTable.flat()) at = columns.writeBigUInt64LE(number, at);
    return [
      { kind: SECTION.meta, argument: 0, bytes: Buffer.from(this.metaText) },
      { kind: SECTION.columns, argument: 0, bytes: columns },
      ...TABLES.map((name, argument) => {
        return { kind: SECTION.table, argument, bytes: encodeTable(tableValues(this.meta, name)) };
      }),
    ];
  }

  private publish(): void {
    const fd = this.descriptor();
    fsyncSync(fd);
    closeSync(fd);
    this.fd = null;
    renameSync(this.temporary, this.path);
    const folder = openSync(dirname(this.path), "r");
    fsyncSync(folder);
    closeSync(folder);
  }

  private writeMessage({ head, body, bodyLength }: EncodedMessage): MessageBlock {
    const offset = this.position;
    this.write([head, ...body]);
    return { offset, metadataLength: head.length, bodyLength };
  }

  private pad(): void {
    const padding = alignUp(this.position) - this.position;
    if (padding > 0) this.write([new Uint8Array(padding)]);
  }

  private descriptor(): number {
    if (this.fd === null) throw new Error("the snapshot writer is closed");
    return this.fd;
  }

  private write(parts: readonly Uint8Array[]): void {
    const fd = this.descriptor();
    for (const part of parts) {
      writeAllSync(fd, part, this.position);
      this.position += part.byteLength;
    }
  }
}

/**
 * Starts writing a snapshot at `path`. `meta.accounts` must be the number of rows to come.
 * @throws Error of the file system, with its `code`.
 */
export function createSnapshotWriter(path: string, meta: SnapshotMeta): SnapshotWriter {
  return new SnapshotWriter(path, meta);
}

/** The JSON text of a directory's location; 64-bit numbers are strings in it. */
function locationText({ offset, length, crc32c }: DirectoryLocation): string {
  const numbers = { offset: String(offset), length: String(length), crc32c };
  return JSON.stringify({ version: FORMAT_VERSION, ...numbers });
}

/** One entry of the directory. */
export interface SnapshotSection {
  readonly kind: number;
  readonly argument: number;
  readonly offset: number;
  readonly length: number;
}

/** An indexed snapshot whose footer, directory and metadata were found sound. */
export interface OpenedSnapshot {
  readonly path: string;
  readonly bytes: number;
  readonly directory: DirectoryLocation;
  readonly sections: readonly SnapshotSection[];
  readonly rowCount: number;
  readonly meta: SnapshotMeta;
  /** Where the Arrow footer starts. */
  readonly footerOffset: number;
}

/**
 * Opens a snapshot and checks footer, directory and metadata; nothing stays open.
 * @throws CommandError when the file is none of ours, of another version, damaged or cut off.
 */
export async function openSnapshot(path: string): Promise<OpenedSnapshot> {
  const { footer, file } = readFooter(path);
  const directory = parseLocation(file, footer.metadata[INDEX_KEY]);
  // The footer and the metadata take milliseconds each; other work may have its turn.
  await setImmediate();
  const { sections, rowCount } = readDirectory(file, directory);
  const metaText = readMeta(file, sections);
  if (footer.schemaMetadata[META_KEY] !== metaText) {
    file.refuse("its footer is damaged (the metadata differ from the index region)");
  }
  const meta = JSON.parse(metaText) as SnapshotMeta;
  const { bytes, footerOffset } = file;
  return { path, bytes, directory, sections, rowCount, meta, footerOffset };
}

/** Whether the Arrow file at `path` carries an index region. @throws CommandError if no Arrow. */
export function isIndexed(path: string): boolean {
  return readFooter(path).footer.metadata[INDEX_KEY] !== undefined;
}

/** Reads our metadata of a plain Arrow file that was once a snapshot; null when it has none. */
export function readPlainMeta(path: string): SnapshotMeta | null {
  const text = readFooter(path).footer.schemaMetadata[META_KEY];
  return text === undefined ? null : parseMeta(text);
}

/** Parses metadata JSON; null when it is not ours or of another format. */
export function parseMeta(text: string): SnapshotMeta | null {
  try {
    const meta = JSON.parse(text) as SnapshotMeta | null;
    return meta?.format === FORMAT_VERSION ? meta : null;
  } catch {
    return null;
  }
}

function readFooter(path: string): { footer: DecodedFooter; file: CheckedFile } {
  const file = new CheckedFile(path);
  if (file.bytes < 18 || file.read(0, 6).toString("latin1") !== ARROW_MAGIC) {
    file.refuse("it is not an Arrow file");
  }
  const tail = file.read(file.bytes - 10, 10);
  if (tail.toString("latin1", 4) !== ARROW_MAGIC) {
    file.refuse("it does not end as an Arrow file does; it was cut off or is still being written");
  }
  const length = tail.readInt32LE(0);
  if (length <= 0 || length > file.bytes - 18) file.refuse("its footer is damaged");
  file.footerOffset = file.bytes - 10 - length;
  const footer = decode(file, length);
  const missing = COLUMNS.filter(({ name }) => !footer.columns.includes(name));
  const optional = footer.metadata[INDEX_KEY] === undefined ? SCORE_COLUMNS : [];
  const names = missing.map(({ name }) => name).filter((name) => !optional.includes(name));
  if (names.length > 0) {
    file.refuse(`it is an Arrow file of something else; it lacks the columns ${names.join(", ")}`);
  }
  return { footer, file };
}

/** Columns that a plain file may leave out: they are computed anew. */
const SCORE_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name as string).filter(
  (name) => name === "score" || name.startsWith("score_"),
);

function decode(file: CheckedFile, length: number): DecodedFooter {
  try {
    return decodeFooter(file.read(file.footerOffset, length));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return file.refuse("its footer is damaged");
  }
}

function parseLocation(file: CheckedFile, text: string | undefined): DirectoryLocation {
  if (text === undefined) {
    return file.refuse("it is an Arrow file without an index; run `peneira import` on it first");
  }
  let json: { version?: unknown; offset?: unknown; length?: unknown; crc32c?: unknown };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return file.refuse("its footer is damaged (the index location is not JSON)");
  }
  const version = Number(json?.version);
  if (!ADMITTED.has(version)) return file.refuse(versionRefusal(json?.version));
  const offset = Number(json.offset);
  const length = Number(json.length);
  const crc = Number(json.crc32c);
  const isSound =
    [offset, length, crc].every((number) => Number.isSafeInteger(number) && number >= 0) &&
    offset % ARROW_ALIGN === 0 &&
    length >= 48 &&
    offset <= file.footerOffset - length;
  if (!isSound) file.refuse("its footer is damaged (the index lies outside of the file)");
  return { offset, length, crc32c: crc };
}

function readDirectory(
  file: CheckedFile,
  location: DirectoryLocation,
): { sections: SnapshotSection[]; rowCount: number } {
  const bytes = file.read(location.offset, location.length);
  if (crc32c(bytes) !== location.crc32c) file.refuse("its index directory is damaged");
  const columns = ADMITTED.get(bytes.readUInt32LE(8));
  if (bytes.toString("latin1", 0, 8) !== "PNRINDEX" || columns === undefined) {
    file.refuse("its index directory is of another version; import the dump again");
  }
  if (bytes.readBigUInt64LE(24) !== columns) {
    file.refuse("it has the columns of another version of the program; import the dump again");
  }
  const count = bytes.readUInt32LE(12);
  if (location.length < 48 + 24 * count) file.refuse("its index directory is damaged");
  const sections = Array.from({ length: count }, (_, i) => {
    const at = 48 + 24 * i;
    const section = {
      kind: bytes.readUInt32LE(at),
      argument: bytes.readUInt32LE(at + 4),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      length: Number(bytes.readBigUInt64LE(at + 16)),
    };
    if (section.offset > location.offset - section.length) {
      file.refuse("its index directory is damaged (a section lies outside)");
    }
    return section;
  });
  return { sections, rowCount: Number(bytes.readBigUInt64LE(16)) };
}

/** The metadata's text, after its blocks were checked against their checksums. */
function readMeta(file: CheckedFile, sections: readonly SnapshotSection[]): string {
  const meta = sections.find(({ kind }) => kind === SECTION.meta);
  const blocks = sections.find(({ kind }) => kind === SECTION.blocks);
  if (meta === undefined || blocks === undefined) {
    return file.refuse("its index region lacks a section; import the dump again");
  }
  const first = Math.floor(meta.offset / BLOCK_BYTES);
  const last = Math.ceil((meta.offset + meta.length) / BLOCK_BYTES);
  const sums = file.read(blocks.offset + 4 * first, 4 * (last - first));
  for (let block = first; block < last; block++) {
    const start = block * BLOCK_BYTES;
    const bytes = file.read(start, Math.min(BLOCK_BYTES, blocks.offset - start));
    if (crc32c(bytes) !== sums.readUInt32LE(4 * (block - first))) {
      file.refuse(`its metadata are damaged (block ${block})`);
    }
  }
  return file.read(meta.offset, meta.length).toString();
}
