/**
 * An export as a Parquet file. Input: row ids in batches. Output: row groups of equal size, then a
 * footer with snapshot, provenance, and spec.
 * Invariant: row groups depend neither on batches nor on threads, and only a bounded number is in
 * memory. Every offset in the footer matches the written bytes. Only the footer stays in memory:
 * some hundred bytes per column of a row group.
 * The addon writes each row group as a whole file (native-index/render/parquet.h), and this file
 * joins them. Format: parquet.thrift of the Apache Parquet specification.
 */
import type { FieldColumn } from "../../../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../../../search/segment.ts";
import { specText } from "../../../spec/normalize.ts";
import { explainedColumns } from "../explained.ts";
import {
  type OpenRenderer,
  OrderedWriter,
  type RenderContext,
  type Renderer,
  RowSlices,
  type Slices,
} from "../renderer.ts";
import { limitText } from "../source.ts";
import {
  decodeStruct,
  encodeStruct,
  THRIFT,
  type ThriftField,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
} from "./thrift.ts";

/**
 * Number of rows of every row group except the last. Measured with all fields: a process takes 290
 * MB with this size. With twice as many rows it takes 390 MB and is not faster.
 */
export const ROW_GROUP_ROWS = 65_536;

/** Renders a Parquet file. */
export const openParquetRenderer: OpenRenderer = (context, write): Renderer => {
  const { segment, spec } = context;
  const { native } = segment;
  const { fields } = spec.output;
  const extraOf = (rows: Uint32Array) => explainedColumns(segment, spec, rows);
  const source = {
    context,
    slices: new RowSlices(ROW_GROUP_ROWS),
    fileOf: (rows: Uint32Array) => guarded(() => native.parquetOf(rows, fields, extraOf(rows))),
    fileAsync: (rows: Uint32Array) => native.parquetOfAsync(rows, fields, extraOf(rows)),
  };
  return parquetRenderer(source, write);
};

interface GroupSource<Batch> {
  readonly context: RenderContext;
  /** Cuts batches into chunks of `ROW_GROUP_ROWS` rows. */
  readonly slices: Slices<Batch>;
  /** Returns a file with one row group of these rows. */
  readonly fileOf: (rows: Batch) => Uint8Array;
  /** Like `fileOf`, but on another processor. Missing if this is not possible. */
  readonly fileAsync?: (rows: Batch) => Promise<Uint8Array>;
}

/** Renders a Parquet file of any rows. */
export function parquetRenderer<Batch extends { readonly length: number }>(
  { context, slices, fileOf, fileAsync }: GroupSource<Batch>,
  write: (bytes: Uint8Array) => void,
): Renderer<Batch> {
  const groups = new RowGroups(write);
  const written = new OrderedWriter((file) => groups.add(file));
  const add = (rows: Batch): void | Promise<void> => {
    if (fileAsync !== undefined && context.spare?.() === true) {
      return written.later(fileAsync(rows));
    }
    return written.now(() => fileOf(rows));
  };
  return {
    // Writes the schema even if the file has no rows.
    begin: () => add(slices.rest()),
    async rows(batch) {
      for (const slice of slices.add(batch)) await add(slice);
    },
    async end() {
      if (slices.rest().length > 0) await add(slices.rest());
      await written.rest();
      groups.finish(metadataOf(context));
    },
  };
}

/** Returns a file with one row group of prepared columns. */
export function columnsFile({ native }: Segment, columns: readonly FieldColumn[]): Uint8Array {
  return guarded(() => native.parquetOf(new Uint32Array(), [], columns));
}

/** Returns the metadata of the file. The spec in it lacks `explain`, which is not an input. */
function metadataOf(context: RenderContext): Record<string, string> {
  const { segment, spec, matches, changes } = context;
  return {
    "peneira.snapshot": segment.label,
    "peneira.snapshot_date": segment.snapshotDate,
    "peneira.provenance": JSON.stringify(segment.provenance),
    "peneira.spec": specText(spec, limitText(context)),
    "peneira.matches": String(matches),
    ...(changes === undefined
      ? {}
      : {
          "peneira.since": changes.older.label,
          "peneira.since_date": changes.older.snapshotDate,
          "peneira.kinds": changes.kinds.join(","),
          "peneira.watch": changes.watch.join(","),
        }),
  };
}

const MAGIC = Buffer.from("PAR1");
/** Length of the file's end: the footer length and the magic. */
const TAIL_BYTES = 8;

/** Numbers of the Thrift fields that this file reads or changes when it joins row groups. */
const FILE = { rows: 3, rowGroups: 4, metadata: 5 } as const;
const GROUP = { columns: 1, rows: 3, offset: 5, ordinal: 7 } as const;
const CHUNK = { offset: 2, metadata: 3, pageIndexes: [4, 5, 6, 7] } as const;
const COLUMN = {
  compressedBytes: 7,
  dataOffset: 9,
  indexOffset: 10,
  dictionaryOffset: 11,
} as const;
const PAIR = { key: 1, value: 2 } as const;

/** Joins row groups into one Parquet file and passes it to `write`. */
class RowGroups {
  private position = 0;
  private rows = 0n;
  /** Footer of the first file. Other footers differ only in their row groups. */
  private footer: ThriftStruct | undefined;
  private readonly groups: Uint8Array[] = [];
  private readonly write: (bytes: Uint8Array) => void;

  constructor(write: (bytes: Uint8Array) => void) {
    this.write = write;
  }

  /** Adds the row groups of a file. A file without rows adds only the schema. */
  add(file: Uint8Array): void {
    const footer = readFooter(file);
    if (this.footer === undefined) {
      this.footer = footer;
      this.put(MAGIC);
    }
    const groups = list(footer, FILE.rowGroups).items as ThriftStruct[];
    const end = groups.flatMap(chunks).reduce((last, chunk) => Math.max(last, endOf(chunk)), 4);
    const shift = BigInt(this.position - MAGIC.length);
    for (const group of groups) this.groups.push(this.moved(group, shift));
    this.put(file.subarray(MAGIC.length, end));
  }

  /**
   * Ends the file with `metadata` and the library's own. At least one file must have been added.
   */
  finish(metadata: Readonly<Record<string, string>>): void {
    const { footer } = this;
    if (footer === undefined) throw new RangeError("a Parquet file needs a schema");
    setInteger(footer, FILE.rows, this.rows);
    footer.set(FILE.rowGroups, listField(this.groups));
    const pairs = [...pairsOf(footer), ...Object.entries(metadata).map(pairOf)];
    footer.set(FILE.metadata, listField(pairs.sort(byKey)));
    const bytes = encodeStruct(footer);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    for (const part of [bytes, length, MAGIC]) this.put(part);
  }

  private put(bytes: Uint8Array): void {
    this.write(bytes);
    this.position += bytes.length;
  }

  /** Returns the encoded row group, with its offsets moved to the joined file. */
  private moved(group: ThriftStruct, shift: bigint): Uint8Array {
    this.rows += integer(group, GROUP.rows);
    for (const chunk of chunks(group)) {
      const column = struct(chunk, CHUNK.metadata);
      const { dataOffset, indexOffset, dictionaryOffset } = COLUMN;
      for (const field of [dataOffset, indexOffset, dictionaryOffset]) move(column, field, shift);
      move(chunk, CHUNK.offset, shift);
      // Page indexes have their own offsets, and no reader needs them, so they are dropped.
      for (const field of CHUNK.pageIndexes) chunk.delete(field);
    }
    move(group, GROUP.offset, shift);
    group.set(GROUP.ordinal, { type: THRIFT.i16, value: BigInt(this.groups.length) });
    return encodeStruct(group);
  }
}

function readFooter(file: Uint8Array): ThriftStruct {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = file.length - TAIL_BYTES;
  return decodeStruct(file.subarray(end - view.getUint32(end, true), end));
}

function chunks(group: ThriftStruct): ThriftStruct[] {
  return list(group, GROUP.columns).items as ThriftStruct[];
}

/** Returns the end offset of a column chunk in its file. */
function endOf(chunk: ThriftStruct): number {
  const column = struct(chunk, CHUNK.metadata);
  const first = column.has(COLUMN.dictionaryOffset) ? COLUMN.dictionaryOffset : COLUMN.dataOffset;
  return Number(integer(column, first) + integer(column, COLUMN.compressedBytes));
}

/** Adds `shift` to an offset. If the offset is zero or missing, the column has no such part. */
function move(fields: ThriftStruct, number: number, shift: bigint): void {
  const old = fields.get(number)?.value as bigint | undefined;
  if (old !== undefined && old !== 0n) setInteger(fields, number, old + shift);
}

function setInteger(fields: ThriftStruct, number: number, value: bigint): void {
  fields.set(number, { type: THRIFT.i64, value });
}

function integer(fields: ThriftStruct, number: number): bigint {
  return fields.get(number)?.value as bigint;
}

function struct(fields: ThriftStruct, number: number): ThriftStruct {
  return fields.get(number)?.value as ThriftStruct;
}

function list(fields: ThriftStruct, number: number): ThriftList {
  return fields.get(number)?.value as ThriftList;
}

function listField(items: readonly ThriftValue[]): ThriftField {
  return { type: THRIFT.list, value: { element: THRIFT.struct, items } };
}

function pairsOf(footer: ThriftStruct): ThriftStruct[] {
  return footer.has(FILE.metadata) ? (list(footer, FILE.metadata).items as ThriftStruct[]) : [];
}

function pairOf([key, value]: [string, string]): ThriftStruct {
  const text = (value: string) => ({ type: THRIFT.binary, value: Buffer.from(value) });
  return new Map([
    [PAIR.key, text(key)],
    [PAIR.value, text(value)],
  ]);
}

function byKey(a: ThriftStruct, b: ThriftStruct): number {
  const key = (pair: ThriftStruct) => pair.get(PAIR.key)?.value as Uint8Array;
  return Buffer.compare(key(a), key(b));
}
