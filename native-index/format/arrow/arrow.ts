/**
 * The Arrow IPC file format, and the only importer of `apache-arrow`'s flatbuffers.
 * Input: columns, dictionaries, and buffers; or the footer of any file. Output: messages and
 * footers as bytes; the schema, metadata, and blocks of a footer.
 * Invariant: every message and buffer starts on a multiple of 64 in the file. Only the schema
 * message starts at byte 8, after the magic, and is padded to end on a multiple of 64. Nothing here
 * depends on the clock.
 * Format: Arrow columnar format 1.5, "IPC file format", metadata version 5, little endian.
 */
import { Block } from "apache-arrow/fb/block";
import { Bool } from "apache-arrow/fb/bool";
import { Buffer as BufferSpan } from "apache-arrow/fb/buffer";
import { Date as DateType } from "apache-arrow/fb/date";
import { DateUnit } from "apache-arrow/fb/date-unit";
import { DictionaryBatch } from "apache-arrow/fb/dictionary-batch";
import { DictionaryEncoding } from "apache-arrow/fb/dictionary-encoding";
import { Endianness } from "apache-arrow/fb/endianness";
import { Field } from "apache-arrow/fb/field";
import { FieldNode } from "apache-arrow/fb/field-node";
import { FloatingPoint } from "apache-arrow/fb/floating-point";
import { Footer } from "apache-arrow/fb/footer";
import { Int } from "apache-arrow/fb/int";
import { KeyValue } from "apache-arrow/fb/key-value";
import { List } from "apache-arrow/fb/list";
import { Message } from "apache-arrow/fb/message";
import { MessageHeader } from "apache-arrow/fb/message-header";
import { MetadataVersion } from "apache-arrow/fb/metadata-version";
import { Precision } from "apache-arrow/fb/precision";
import { RecordBatch } from "apache-arrow/fb/record-batch";
import { Schema } from "apache-arrow/fb/schema";
import { Type } from "apache-arrow/fb/type";
import { Utf8 } from "apache-arrow/fb/utf8";
import { Builder, ByteBuffer } from "flatbuffers";
import type { Sized } from "../../napi/engine.ts";
import {
  ARROW_MAGIC,
  type ArrowBuffers,
  type ArrowColumn,
  alignUp,
  type BufferSpans,
  type DecodedFooter,
  dictionaryIds,
  type EncodedBatch,
  type EncodedMessage,
  type FooterParts,
  type MessageBlock,
  type Metadata,
  type Span,
} from "./arrow-parts.ts";

/** Encodes a schema message at file offset `at`, so that it ends on a multiple of 64. */
export function encodeSchema(
  columns: readonly ArrowColumn[],
  metadata: Metadata,
  at: number,
): EncodedMessage {
  const builder = new Builder(1 << 16);
  const schema = buildSchema(builder, columns, metadata);
  return finishMessage(builder, MessageHeader.Schema, schema, { at, body: [] });
}

type Values = readonly string[] | Uint32Array<ArrayBuffer>;
/** Encodes a dictionary message: the texts or numbers of one dictionary column, in code order. */
export function encodeDictionary(id: bigint, values: Values): EncodedMessage {
  const body = new BodyBuilder<Uint8Array>();
  body.node(values.length, 0);
  body.buffer(null);
  if (values instanceof Uint32Array) body.buffer(new Uint8Array(values.buffer));
  else addTexts(body, values);
  const builder = new Builder(1024);
  const batch = body.build(builder, values.length);
  DictionaryBatch.startDictionaryBatch(builder);
  DictionaryBatch.addId(builder, id);
  DictionaryBatch.addData(builder, batch);
  const header = DictionaryBatch.endDictionaryBatch(builder);
  return finishMessage(builder, MessageHeader.DictionaryBatch, header, { at: 0, body: body.parts });
}

function addTexts(body: BodyBuilder<Uint8Array>, values: readonly string[]): void {
  const texts = values.map((value) => Buffer.from(value));
  const offsets = new Int32Array(values.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = (offsets[i] as number) + text.length;
  });
  body.buffer(new Uint8Array(offsets.buffer));
  body.buffer(Buffer.concat(texts));
}

/** Encodes a record batch of `rows` rows; refers to the buffers without copying them. */
export function encodeBatch<Part extends Sized>(
  columns: readonly ArrowColumn[],
  buffers: readonly ArrowBuffers<Part>[],
  rows: number,
): EncodedBatch<Part> {
  const body = new BodyBuilder<Part>();
  const spans = columns.map((column, i) => {
    const parts = buffers[i];
    if (parts === undefined) throw new RangeError(`column ${column.name} has no buffers`);
    return addColumn(body, column.type, parts, rows);
  });
  const builder = new Builder(8192);
  const header = body.build(builder, rows);
  const place = { at: 0, body: body.parts };
  return { ...finishMessage(builder, MessageHeader.RecordBatch, header, place), spans };
}

function addColumn<Part extends Sized>(
  body: BodyBuilder<Part>,
  type: ArrowColumn["type"],
  parts: ArrowBuffers<Part>,
  rows: number,
): BufferSpans {
  const none: Span = { offset: 0, length: 0 };
  body.node(rows, parts.nullCount);
  const validity = body.buffer(parts.nullCount === 0 ? null : parts.validity);
  const isList = type === "list_dictionary16" || type === "list<utf8>";
  if (type !== "utf8" && !isList) {
    return { validity, offsets: none, data: body.buffer(parts.data) };
  }
  const offsets = body.buffer(parts.offsets);
  if (type === "list<utf8>") {
    if (!parts.child) throw new RangeError("a list of texts has no texts");
    const { buffers, length } = parts.child;
    return { validity, offsets, data: addColumn(body, "utf8", buffers, length).data };
  }
  if (type === "list_dictionary16") {
    body.node(parts.data.byteLength / 2, 0);
    body.buffer(null);
  }
  return { validity, offsets, data: body.buffer(parts.data) };
}

/** Collects nodes and buffers of a record batch; every buffer starts on a multiple of 64. */
class BodyBuilder<Part extends Sized> {
  readonly parts: (Part | Uint8Array)[] = [];
  private readonly nodes: [number, number][] = [];
  private readonly spans: Span[] = [];
  private length = 0;

  node(length: number, nullCount: number): void {
    this.nodes.push([length, nullCount]);
  }

  buffer(bytes: Part | null): Span {
    const length = bytes?.byteLength ?? 0;
    const span = { offset: this.length, length };
    this.spans.push(span);
    if (bytes !== null && length > 0) {
      this.parts.push(bytes);
      const padding = alignUp(length) - length;
      if (padding > 0) this.parts.push(new Uint8Array(padding));
      this.length += length + padding;
    }
    return span;
  }

  build(builder: Builder, rows: number): number {
    RecordBatch.startNodesVector(builder, this.nodes.length);
    for (const [length, nulls] of [...this.nodes].reverse()) {
      FieldNode.createFieldNode(builder, BigInt(length), BigInt(nulls));
    }
    const nodes = builder.endVector();
    RecordBatch.startBuffersVector(builder, this.spans.length);
    for (const { offset, length } of [...this.spans].reverse()) {
      BufferSpan.createBuffer(builder, BigInt(offset), BigInt(length));
    }
    const buffers = builder.endVector();
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, BigInt(rows));
    RecordBatch.addNodes(builder, nodes);
    RecordBatch.addBuffers(builder, buffers);
    return RecordBatch.endRecordBatch(builder);
  }
}

interface Placement<Part extends Sized> {
  readonly at: number;
  readonly body: readonly (Part | Uint8Array)[];
}

function finishMessage<Part extends Sized = Uint8Array>(
  builder: Builder,
  type: MessageHeader,
  header: number,
  { at, body }: Placement<Part>,
): EncodedMessage<Part> {
  const bodyLength = body.reduce((sum, part) => sum + part.byteLength, 0);
  Message.startMessage(builder);
  Message.addVersion(builder, MetadataVersion.V5);
  Message.addHeaderType(builder, type);
  Message.addHeader(builder, header);
  Message.addBodyLength(builder, BigInt(bodyLength));
  Message.finishMessageBuffer(builder, Message.endMessage(builder));
  const metadata = builder.asUint8Array();
  const length = alignUp(at + 8 + metadata.length) - at;
  const head = new Uint8Array(length);
  const view = new DataView(head.buffer);
  view.setInt32(0, -1, true);
  view.setInt32(4, length - 8, true);
  head.set(metadata, 8);
  return { head, body, bodyLength };
}

/** Encodes a footer with its length and the closing magic. */
export function encodeFooter(parts: FooterParts): Uint8Array {
  const builder = new Builder(1 << 16);
  const schema = buildSchema(builder, parts.columns, parts.schemaMetadata);
  const metadata = Footer.createCustomMetadataVector(builder, keyValues(builder, parts.metadata));
  Footer.startDictionariesVector(builder, parts.dictionaries.length);
  addBlocks(builder, parts.dictionaries);
  const dictionaries = builder.endVector();
  Footer.startRecordBatchesVector(builder, parts.batches.length);
  addBlocks(builder, parts.batches);
  const batches = builder.endVector();
  Footer.startFooter(builder);
  Footer.addVersion(builder, MetadataVersion.V5);
  Footer.addSchema(builder, schema);
  Footer.addDictionaries(builder, dictionaries);
  Footer.addRecordBatches(builder, batches);
  Footer.addCustomMetadata(builder, metadata);
  Footer.finishFooterBuffer(builder, Footer.endFooter(builder));
  const footer = builder.asUint8Array();
  const length = new Uint8Array(Int32Array.of(footer.length).buffer);
  return Buffer.concat([footer, length, Buffer.from(ARROW_MAGIC)]);
}

function addBlocks(builder: Builder, blocks: readonly MessageBlock[]): void {
  for (const { offset, metadataLength, bodyLength } of [...blocks].reverse()) {
    Block.createBlock(builder, BigInt(offset), metadataLength, BigInt(bodyLength));
  }
}

function keyValues(builder: Builder, metadata: Metadata): number[] {
  return Object.entries(metadata).map(([key, value]) =>
    KeyValue.createKeyValue(builder, builder.createString(key), builder.createString(value)),
  );
}

function buildSchema(
  builder: Builder,
  columns: readonly ArrowColumn[],
  metadata: Metadata,
): number {
  const ids = dictionaryIds(columns);
  const fields = columns.map((column) => buildColumn(builder, column, ids.get(column.name)));
  const fieldVector = Schema.createFieldsVector(builder, fields);
  const metadataVector = Schema.createCustomMetadataVector(builder, keyValues(builder, metadata));
  Schema.startSchema(builder);
  Schema.addEndianness(builder, Endianness.Little);
  Schema.addFields(builder, fieldVector);
  Schema.addCustomMetadata(builder, metadataVector);
  return Schema.endSchema(builder);
}

/** For each list type, the type of its items. */
const LIST_ITEMS = new Map<ArrowColumn["type"], ArrowColumn["type"]>([
  ["list_dictionary16", "dictionary16"],
  ["list<utf8>", "utf8"],
]);

function buildColumn(builder: Builder, column: ArrowColumn, id: bigint | undefined): number {
  const { name, type, nullable } = column;
  const itemType = LIST_ITEMS.get(type);
  if (itemType === undefined) return buildField(builder, { name, nullable, type, id });
  const item = { name: "item", nullable: false, type: itemType, id };
  const child = buildField(builder, item);
  return buildField(builder, { name, nullable, type, id: undefined, child });
}

interface FieldParts {
  readonly name: string;
  readonly nullable: boolean;
  readonly type: ArrowColumn["type"];
  readonly id: bigint | undefined;
  readonly child?: number;
}

function buildField(builder: Builder, parts: FieldParts): number {
  const name = builder.createString(parts.name);
  const children = parts.child === undefined ? [] : [parts.child];
  const childVector = Field.createChildrenVector(builder, children);
  const [typeType, type] = buildType(builder, parts.type);
  const encoding = parts.id === undefined ? 0 : buildEncoding(builder, parts.type, parts.id);
  Field.startField(builder);
  Field.addName(builder, name);
  Field.addNullable(builder, parts.nullable);
  Field.addTypeType(builder, typeType);
  Field.addType(builder, type);
  if (encoding !== 0) Field.addDictionary(builder, encoding);
  Field.addChildren(builder, childVector);
  return Field.endField(builder);
}

function buildEncoding(builder: Builder, type: ArrowColumn["type"], id: bigint): number {
  const index = Int.createInt(builder, type === "dictionary8" ? 8 : 16, false);
  DictionaryEncoding.startDictionaryEncoding(builder);
  DictionaryEncoding.addId(builder, id);
  DictionaryEncoding.addIndexType(builder, index);
  DictionaryEncoding.addIsOrdered(builder, false);
  return DictionaryEncoding.endDictionaryEncoding(builder);
}

function buildType(builder: Builder, type: ArrowColumn["type"]): [Type, number] {
  switch (type) {
    case "bool":
      Bool.startBool(builder);
      return [Type.Bool, Bool.endBool(builder)];
    case "uint8":
      return [Type.Int, Int.createInt(builder, 8, false)];
    case "uint16":
      return [Type.Int, Int.createInt(builder, 16, false)];
    case "uint32":
    case "dictionary16_uint32":
      return [Type.Int, Int.createInt(builder, 32, false)];
    case "int32":
      return [Type.Int, Int.createInt(builder, 32, true)];
    case "int64":
      return [Type.Int, Int.createInt(builder, 64, true)];
    case "date32":
      return [Type.Date, DateType.createDate(builder, DateUnit.DAY)];
    case "float64":
      return [Type.FloatingPoint, FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE)];
    case "list_dictionary16":
    case "list<utf8>":
      List.startList(builder);
      return [Type.List, List.endList(builder)];
    default:
      Utf8.startUtf8(builder);
      return [Type.Utf8, Utf8.endUtf8(builder)];
  }
}

/**
 * Decodes a footer (without length and magic). A forged footer may state more entries than its
 * bytes can hold, or refer to the same text repeatedly, so sizes are checked before reading.
 * @throws RangeError or TypeError on damaged bytes.
 */
export function decodeFooter(bytes: Uint8Array): DecodedFooter {
  const footer = Footer.getRootAsFooter(new ByteBuffer(bytes));
  const schema = footer.schema();
  if (schema === null) throw new RangeError("the footer has no schema");
  const texts = new Texts(bytes.length);
  const columns: string[] = [];
  for (let i = 0; i < texts.counted(schema.fieldsLength()); i++) {
    columns.push(texts.taken(schema.fields(i)?.name()));
  }
  const schemaMetadata = readMetadata(schema, texts);
  return { columns, schemaMetadata, metadata: readMetadata(footer, texts) };
}

/**
 * A budget for the texts of a footer. In a valid footer, texts do not overlap, so together they are
 * not longer than the footer.
 */
class Texts {
  readonly #length: number;
  #left: number;

  constructor(length: number) {
    this.#length = length;
    this.#left = length;
  }

  /** Returns `count` after checking it. Each entry takes at least the four bytes of an offset. */
  counted(count: number): number {
    if (count * 4 > this.#length) throw new RangeError("the footer lists more than it can hold");
    return count;
  }

  /** Subtracts a text from the budget. Its bytes are at least as many as its UTF-16 units. */
  taken(text: string | null | undefined): string {
    this.#left -= text?.length ?? 0;
    if (this.#left < 0) throw new RangeError("the texts of the footer are longer than it");
    return text ?? "";
  }
}

/** Decodes the blocks that a footer lists. @throws RangeError or TypeError on damaged bytes. */
export function decodeBlocks(bytes: Uint8Array): Pick<FooterParts, "dictionaries" | "batches"> {
  const footer = Footer.getRootAsFooter(new ByteBuffer(bytes));
  const texts = new Texts(bytes.length);
  const list = (count: number, get: (i: number) => Block | null): MessageBlock[] =>
    Array.from({ length: texts.counted(count) }, (_, i) => {
      const block = get(i);
      return {
        offset: Number(block?.offset() ?? -1),
        metadataLength: block?.metaDataLength() ?? -1,
        bodyLength: Number(block?.bodyLength() ?? -1),
      };
    });
  return {
    dictionaries: list(footer.dictionariesLength(), (i) => footer.dictionaries(i)),
    batches: list(footer.recordBatchesLength(), (i) => footer.recordBatches(i)),
  };
}

function readMetadata(holder: Schema | Footer, texts: Texts): Metadata {
  const metadata: Record<string, string> = {};
  for (let i = 0; i < texts.counted(holder.customMetadataLength()); i++) {
    const pair = holder.customMetadata(i);
    metadata[texts.taken(pair?.key())] = texts.taken(pair?.value());
  }
  return metadata;
}
