/**
 * Shapes of Arrow IPC messages, apart from their flatbuffers: the types that `arrow.ts` reads and
 * writes, the markers of a file, and the ids of its dictionaries.
 * Invariant: everything starts on a multiple of 64 in the file.
 */

import type { ColumnBuffers, FieldType, Sized } from "../../napi/engine.ts";
import type { ColumnType } from "../columns.ts";

/** Magic at the start and end of an Arrow file (padded to 8 bytes at the start). */
export const ARROW_MAGIC = "ARROW1";

/** Alignment of messages and buffers in the file. */
export const ARROW_ALIGN = 64;

/** End-of-stream marker: a continuation word and a length of zero. */
export const ARROW_END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** A column of a message: either a stored column, or a field of rows that are sent. */
export interface ArrowColumn {
  readonly name: string;
  readonly type: ColumnType | FieldType;
  readonly nullable: boolean;
}

/** Buffers of a column; `list<utf8>` has a child. */
export interface ArrowBuffers<Part extends Sized = Uint8Array> extends ColumnBuffers<Part> {
  readonly child?: { readonly length: number; readonly buffers: ColumnBuffers<Part> } | null;
}

/** Location of a message: prefix and metadata first, then the body. All in bytes. */
export interface MessageBlock {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

/** A message ready to write: `head` (prefix and metadata), then the parts of the body. */
export interface EncodedMessage<Part extends Sized = Uint8Array> {
  readonly head: Uint8Array;
  /** Parts of the body in order, including padding. A schema has no body. */
  readonly body: readonly (Part | Uint8Array)[];
  readonly bodyLength: number;
}

/** Record batch, with the location of each column's buffers relative to the body. */
export interface EncodedBatch<Part extends Sized = Uint8Array> extends EncodedMessage<Part> {
  readonly spans: readonly BufferSpans[];
}

/** Where a column's buffers are in the body, with their lengths without padding. */
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

/** Metadata of a schema or a footer. */
export type Metadata = Readonly<Record<string, string>>;

/** The contents of a footer that this program writes. */
export interface FooterParts {
  readonly columns: readonly ArrowColumn[];
  readonly schemaMetadata: Metadata;
  readonly dictionaries: readonly MessageBlock[];
  readonly batches: readonly MessageBlock[];
  readonly metadata: Metadata;
}

/** The decoded parts of a footer. */
export interface DecodedFooter {
  /** Name of every top-level field, in order. */
  readonly columns: readonly string[];
  readonly schemaMetadata: Metadata;
  readonly metadata: Metadata;
}

/** Rounds up to a multiple of 64. */
export function alignUp(value: number): number {
  return Math.ceil(value / ARROW_ALIGN) * ARROW_ALIGN;
}

/** Returns the dictionary ids by column name, in file order. */
export function dictionaryIds(columns: readonly ArrowColumn[]): Map<string, bigint> {
  const ids = new Map<string, bigint>();
  for (const { name, type } of columns) {
    if (type.includes("dictionary")) ids.set(name, BigInt(ids.size));
  }
  return ids;
}
