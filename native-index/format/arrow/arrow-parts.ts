/**
 * What messages of the Arrow IPC format are made of, apart from their flatbuffers.
 * What comes in: columns, lengths. What goes out: the shapes that `arrow.ts` reads and writes, the
 * marks of a file, the ids of its dictionaries.
 * Invariant: everything starts on a multiple of 64 in the file.
 */

import type { ColumnBuffers, FieldType, Sized } from "../../napi/engine.ts";
import type { ColumnType } from "../columns.ts";

/** What an Arrow file begins and ends with (the beginning is padded to 8 bytes). */
export const ARROW_MAGIC = "ARROW1";

/** Alignment of messages and buffers in the file. */
export const ARROW_ALIGN = 64;

/** End-of-stream marker: a continuation word and a length of zero. */
export const ARROW_END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** A column of a message: a stored one, or a field of rows. */
export interface ArrowColumn {
  readonly name: string;
  readonly type: ColumnType | FieldType;
  readonly nullable: boolean;
}

/** Buffers of a column; a `list<utf8>` has a child. */
export interface ArrowBuffers<Part extends Sized = Uint8Array> extends ColumnBuffers<Part> {
  readonly child?: { readonly length: number; readonly buffers: ColumnBuffers<Part> } | null;
}

/** Where a message lies: prefix and metadata first, then the body. All in bytes. */
export interface MessageBlock {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

/** A message ready to be written: `head` (prefix and metadata), then the parts of the body. */
export interface EncodedMessage<Part extends Sized = Uint8Array> {
  readonly head: Uint8Array;
  /** Body parts in order, padding included; empty for a schema. */
  readonly body: readonly (Part | Uint8Array)[];
  readonly bodyLength: number;
}

/** Record batch, and where each column's buffers lie relative to the body. */
export interface EncodedBatch<Part extends Sized = Uint8Array> extends EncodedMessage<Part> {
  readonly spans: readonly BufferSpans[];
}

/** Offsets in the body and true lengths (without padding) of a column's buffers. */
export interface BufferSpans {
  readonly validity: Span;
  readonly data: Span;
  readonly offsets: Span;
}

/** A range of bytes. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** Key and value of the metadata of a schema or a footer. */
export type Metadata = Readonly<Record<string, string>>;

/** What a footer of ours is made of. */
export interface FooterParts {
  readonly columns: readonly ArrowColumn[];
  readonly schemaMetadata: Metadata;
  readonly dictionaries: readonly MessageBlock[];
  readonly batches: readonly MessageBlock[];
  readonly metadata: Metadata;
}

/** What a footer says, as far as we need it. */
export interface DecodedFooter {
  /** Name of every top-level field, in order. */
  readonly columns: readonly string[];
  readonly schemaMetadata: Metadata;
  readonly metadata: Metadata;
}

/** Next multiple of 64. */
export function alignUp(value: number): number {
  return Math.ceil(value / ARROW_ALIGN) * ARROW_ALIGN;
}

/** Dictionary ids of the dictionary columns, by column name, in file order. */
export function dictionaryIds(columns: readonly ArrowColumn[]): Map<string, bigint> {
  const ids = new Map<string, bigint>();
  for (const { name, type } of columns) {
    if (type.includes("dictionary")) ids.set(name, BigInt(ids.size));
  }
  return ids;
}
