/**
 * Reads Arrow files and streams from other programs.
 * Input: a path, or the bytes of an IPC stream.
 * Output: record batches, with a reader per column.
 * Invariant: one batch is in memory at a time. Dictionaries are resolved, so a column of codes
 * reads the same if it is dictionary-encoded or plain text. Only this file and `arrow.ts` import
 * apache-arrow: this one its readers, `arrow.ts` its flatbuffers.
 */
import { open } from "node:fs/promises";
import { DataType, type RecordBatch, RecordBatchReader } from "apache-arrow";
import { CommandError } from "../../../src/errors.ts";
import { printable } from "../printable.ts";

/** Value of a cell: text, number, bigint, boolean, list of these, or null. */
export type Cell = unknown;

/** Rows of one record batch. */
export interface ColumnBatch {
  readonly rows: number;
  readonly names: readonly string[];
  /** Returns a reader of a column's cells by row, or undefined if there is no such column. */
  column(name: string): ((row: number) => Cell) | undefined;
}

/** Reads a file in the IPC file format. @throws CommandError if it cannot be read. */
export async function* readArrowFile(path: string): AsyncGenerator<ColumnBatch> {
  const handle = await open(path, "r");
  try {
    const reader = await RecordBatchReader.from(handle);
    for await (const batch of reader) yield batchOf(batch);
  } catch (error) {
    throw new CommandError(`${path} cannot be read as Arrow: ${reasonOf(error)}`, 1, error);
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Reads an IPC stream in memory. @throws Error if it is damaged. */
export function* readArrowStream(bytes: Uint8Array): Generator<ColumnBatch> {
  for (const batch of RecordBatchReader.from(bytes)) yield batchOf(batch);
}

/** Returns the columns of a schema with dictionaries of string views, or with lists of these. */
export function viewDictionaries(schema: Uint8Array): string[] {
  const { fields } = RecordBatchReader.from(schema).open().schema;
  const isView = (type: DataType): boolean =>
    DataType.isDictionary(type)
      ? DataType.isUtf8View(type.dictionary)
      : (type.children ?? []).some((child) => isView(child.type as DataType));
  return fields.filter(({ type }) => isView(type as DataType)).map(({ name }) => name);
}

function batchOf(batch: RecordBatch): ColumnBatch {
  const names = batch.schema.fields.map(({ name }) => name);
  return {
    rows: batch.numRows,
    names,
    column(name) {
      const vector = batch.getChild(name);
      if (vector === null) return undefined;
      return (row) => vector.get(row) as Cell;
    },
  };
}

function reasonOf(error: unknown): string {
  const reason = printable(error instanceof Error ? error.message : String(error));
  return /codec|compress/i.test(reason)
    ? "its record batches are compressed; write it uncompressed, or as Parquet"
    : reason;
}
