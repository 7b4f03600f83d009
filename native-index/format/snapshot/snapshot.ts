/**
 * Writer and opener of the snapshot file: a valid Arrow IPC file with an index region between the
 * end of the stream and the footer (layout: `format.h`).
 * Input: metadata and record batches in rank order; or a path.
 * Output: the finished file under its name; or the checked locations of its parts.
 * Invariant: the file appears under its name only when complete (temporary name, fsync, rename,
 * fsync of the folder), and the opener checks every number against the file before use.
 */
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { CommandError } from "../../../src/errors.ts";
import {
  buildIndex,
  type ColumnBuffers,
  type DirectoryLocation,
  type PreparedSection,
} from "../../napi/engine.ts";
import type { NativeBatch } from "../../napi/import-handles.ts";
import { encodeBatch, encodeDictionary, encodeFooter, encodeSchema } from "../arrow/arrow.ts";
import {
  ARROW_END,
  ARROW_MAGIC,
  alignUp,
  dictionaryIds,
  type EncodedBatch,
  type EncodedMessage,
  type MessageBlock,
} from "../arrow/arrow-parts.ts";
import { COLUMNS, TABLES } from "../columns.ts";
import { CheckedFile } from "./checked-file.ts";
import { INDEX_KEY, META_KEY, readFooter } from "./footer.ts";
import { digestsJson, identityOf } from "./identity.ts";
import { dictionaryOf, encodeTable, type SnapshotMeta, tableValues } from "./meta.ts";
import { META_BYTES_MAX, parseMeta } from "./meta-schema.ts";
import {
  parseLocation,
  readDirectory,
  readSections,
  SECTION,
  type SnapshotSection,
  sectionOf,
} from "./region.ts";
import { FORMAT_VERSION, tablesOf } from "./versions.ts";
import { writeAll, writeAllSync } from "./write-all.ts";

export type { SnapshotMeta } from "./meta.ts";

/** Options of `finish`. */
export interface FinishOptions {
  readonly threads: number;
  /** The bytes of the part OWNERS (owners.ts). By default, there is none. */
  readonly owners?: Uint8Array | null;
  /** Shared u32 that counts from 0 to 1,000 during the index build. */
  readonly progress?: Uint32Array;
}

/** Writes one snapshot: append batches in rank order, then call `finish`; or call `abandon`. */
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

  /** Creates a temporary file next to `path`; see `createSnapshotWriter`. */
  constructor(path: string, meta: SnapshotMeta) {
    this.path = path;
    this.temporary = `${path}.${process.pid}.partial`;
    this.meta = meta;
    this.metaText = metaText(meta);
    this.fd = openSync(this.temporary, "w");
    this.write([Buffer.from(`${ARROW_MAGIC}\0\0`)]);
    this.writeMessage(encodeSchema(COLUMNS, { [META_KEY]: this.metaText }, this.position));
    for (const [name, id] of dictionaryIds(COLUMNS)) {
      const values = meta.dictionaries[dictionaryOf(name)];
      const isNumber = dictionaryOf(name) === "number";
      const held = isNumber ? Uint32Array.from(values, Number) : values;
      this.dictionaries.push(this.writeMessage(encodeDictionary(id, held)));
    }
  }

  /**
   * Appends a record batch. `buffers` are in column order and must not change until the promise
   * resolves. The previous batch is written to disk while the caller prepares the next one.
   */
  async writeBatch(rows: number, buffers: readonly ColumnBuffers[]): Promise<void> {
    const before = this.pending;
    const batch = encodeBatch(COLUMNS, buffers, rows);
    const { offset } = this.addBatch(rows, batch);
    const parts = [batch.head, ...batch.body];
    this.pending = before.then(() => writeAll(this.descriptor(), parts, offset));
    return this.pending;
  }

  /**
   * Appends the rows collected in a native batch, and empties it; their bytes bypass JavaScript.
   * Resolves when the next rows may be appended.
   */
  async writeCollected(collected: NativeBatch): Promise<void> {
    const before = this.pending;
    const rows = collected.rowCount;
    const batch = encodeBatch(COLUMNS, collected.seal(), rows);
    const { offset, metadataLength } = this.addBatch(rows, batch);
    const { head, spans } = batch;
    const places = Float64Array.from(
      spans.flatMap(({ validity, offsets, data }) =>
        [validity, offsets, data].map((span) => offset + metadataLength + span.offset),
      ),
    );
    const request = { path: this.temporary, head, offset, places };
    this.pending = before.then(() => collected.writeSealed(request));
    return this.pending;
  }

  private addBatch(
    rows: number,
    batch: Pick<EncodedBatch, "head" | "spans" | "bodyLength">,
  ): MessageBlock {
    const { head, bodyLength } = batch;
    const block = { offset: this.position, metadataLength: head.length, bodyLength };
    const body = block.offset + block.metadataLength;
    const table = [BigInt(this.rows), BigInt(rows)];
    for (const { validity, data, offsets } of batch.spans) {
      for (const span of [validity, data, offsets]) {
        table.push(span.length === 0 ? 0n : BigInt(body + span.offset), BigInt(span.length));
      }
    }
    this.batches.push(block);
    this.batchTable.push(table);
    this.position = body + bodyLength;
    this.rows += rows;
    return block;
  }

  /** Builds the index region, writes the footer, and renames the file. */
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
      ...(options.owners == null ? {} : { owners: options.owners }),
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    });
    this.position = fstatSync(this.descriptor()).size;
    await this.proveIdentity(directory);
    this.pad();
    this.write([this.footer(directory)]);
    this.publish();
  }

  /**
   * Hashes the bytes in the file and compares the result with the addon's hash of its buffers. The
   * two use different implementations.
   */
  private async proveIdentity({ digests }: DirectoryLocation): Promise<void> {
    if (digests !== undefined) await identityOf(new CheckedFile(this.temporary), digests);
  }

  /** Closes and removes the partial file. */
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

/** Returns metadata as JSON. @throws CommandError if the opener would reject it. */
function metaText(meta: SnapshotMeta): string {
  const text = JSON.stringify(meta);
  const parsed = parseMeta(text);
  if (parsed.meta !== null) return text;
  throw new CommandError(`No snapshot can be made with these metadata: ${parsed.problem}`);
}

/** Returns the location of a directory as JSON, in which 64-bit numbers are strings. */
export function locationText(directory: DirectoryLocation): string {
  const { offset, length, crc32c } = directory;
  const numbers = { offset: String(offset), length: String(length), crc32c };
  return JSON.stringify({ version: FORMAT_VERSION, ...numbers, ...digestsJson(directory) });
}

/** An indexed snapshot with validated footer, directory, and metadata. */
export interface OpenedSnapshot {
  readonly path: string;
  readonly bytes: number;
  readonly directory: DirectoryLocation;
  readonly sections: readonly SnapshotSection[];
  readonly rowCount: number;
  readonly meta: SnapshotMeta;
  /** Hash over every byte of the snapshot, as 64 hexadecimal digits; null without digests. */
  readonly identity: string | null;
  /** Start of the Arrow footer. */
  readonly footerOffset: number;
}

/**
 * Opens a snapshot and checks footer, directory, and metadata; no descriptor stays open.
 * @throws CommandError if the file is not ours, of another version, damaged, or cut off.
 */
export async function openSnapshot(path: string): Promise<OpenedSnapshot> {
  const { footer, file } = readFooter(path);
  const directory = parseLocation(file, footer.metadata[INDEX_KEY]);
  // Lets other events run, because footer and metadata take milliseconds each.
  await setImmediate();
  const { sections, rowCount, version } = readDirectory(file, directory);
  const text = readMeta(file, sections);
  if (footer.schemaMetadata[META_KEY] !== text) {
    file.refuse("its footer is damaged (the metadata differ from the index region)");
  }
  const parsed = parseMeta(text);
  if (parsed.meta === null) return refuseMeta(file, parsed.problem);
  const { meta } = parsed;
  if (meta.format !== version) {
    refuseMeta(file, `/format is ${meta.format}, but the index has version ${version}`);
  }
  if (meta.accounts !== rowCount) {
    refuseMeta(file, `/accounts is ${meta.accounts}, but the index has ${rowCount} rows`);
  }
  await setImmediate();
  checkTables(file, sections, meta);
  const { bytes, footerOffset } = file;
  const { digests } = directory;
  const identity = digests === undefined ? null : await identityOf(file, digests);
  return { path, bytes, directory, sections, rowCount, meta, identity, footerOffset };
}

/**
 * Throws an error for metadata that is invalid although its checksums are right. Checksums
 * prove that a file is undamaged, not who wrote it.
 */
function refuseMeta(file: CheckedFile, problem: string): never {
  return file.refuse(
    `its metadata are not a snapshot's (${problem}); it was not made by \`peneira import\`, or ` +
      "was changed since: import the dump again",
  );
}

/** Returns the metadata as text, after checking the checksums of its blocks. */
function readMeta(file: CheckedFile, sections: readonly SnapshotSection[]): string {
  const meta = sectionOf(file, sections, SECTION.meta);
  if (meta.length > META_BYTES_MAX) return refuseMeta(file, `${meta.length} bytes of them`);
  const [bytes] = readSections(file, sections, [meta]);
  return (bytes as Buffer).toString();
}

/** Rejects a file if a string table differs from the metadata from which it is derived. */
function checkTables(
  file: CheckedFile,
  sections: readonly SnapshotSection[],
  meta: SnapshotMeta,
): void {
  const names = tablesOf(meta.format);
  const tables = names.map((_, argument) => sectionOf(file, sections, SECTION.table, argument));
  const expected = names.map((name) => encodeTable(tableValues(meta, name)));
  const check = (isEqual: (table: number) => boolean): void => {
    const other = names.find((_, table) => !isEqual(table));
    if (other !== undefined) refuseMeta(file, `table ${other} of its index has other values`);
  };
  // A table of unexpected length is not read, because it may be as long as the file.
  check((table) => tables[table]?.length === expected[table]?.length);
  const found = readSections(file, sections, tables);
  check((table) => expected[table]?.equals(found[table] as Buffer) === true);
}
