/**
 * Joins Parquet files of one row group each into one file. What comes in: whole files of the same
 * schema, one after the other. What goes out: the column chunks as they are, then one footer.
 * Invariant: every offset of the footer is where its bytes went; only the footer is kept in
 * memory, some hundred bytes for each column of a row group.
 * Why: the library's streaming writer drops errors and goes on without the rows, and only its
 * writer of whole files reports them. Format: parquet.thrift of the Apache Parquet specification.
 */
import {
  decodeStruct,
  encodeStruct,
  THRIFT,
  type ThriftField,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
} from "./thrift.ts";

const MAGIC = Buffer.from("PAR1");
/** Length of the footer and the magic behind it. */
const TAIL_BYTES = 8;

/** Numbers of the fields that joining reads or changes. */
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

/** Joins row groups into one Parquet file, which goes out through `write`. */
export class RowGroups {
  private position = 0;
  private rows = 0n;
  /** Footer of the first file; all others say the same but for their row groups. */
  private footer: ThriftStruct | undefined;
  private readonly groups: Uint8Array[] = [];
  private readonly write: (bytes: Uint8Array) => void;

  constructor(write: (bytes: Uint8Array) => void) {
    this.write = write;
  }

  /** Adds the row groups of a whole file; one without rows gives the schema only. */
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

  /** Ends the file with `metadata` beside the library's own; at least one file was added. */
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

  /** The row group as it stands in the joined file, encoded. */
  private moved(group: ThriftStruct, shift: bigint): Uint8Array {
    this.rows += integer(group, GROUP.rows);
    for (const chunk of chunks(group)) {
      const column = struct(chunk, CHUNK.metadata);
      const { dataOffset, indexOffset, dictionaryOffset } = COLUMN;
      for (const field of [dataOffset, indexOffset, dictionaryOffset]) move(column, field, shift);
      move(chunk, CHUNK.offset, shift);
      // The page indexes hold offsets of their own and no reader needs them: they are left out.
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

/** End of a column chunk's bytes in its file. */
function endOf(chunk: ThriftStruct): number {
  const column = struct(chunk, CHUNK.metadata);
  const first = column.has(COLUMN.dictionaryOffset) ? COLUMN.dictionaryOffset : COLUMN.dataOffset;
  return Number(integer(column, first) + integer(column, COLUMN.compressedBytes));
}

/** Moves an offset; zero and a missing one say that there is nothing. */
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
