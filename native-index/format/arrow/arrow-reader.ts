/**
 * Reads Arrow files and streams that other programs wrote.
 * What comes in: a path, or the bytes of an IPC stream.
 * What goes out: one record batch after the other, with a reader per column.
 * Invariant: one batch is in memory at a time; dictionaries are resolved, so a column of codes
 * reads the same whether it is dictionary-encoded or plain text. Together with `arrow.ts` the only
 * importer of apache-arrow: there its flatbuffers are written, here its readers are used.
 */
import { open } from "node:fs/promises";
import { DataType, type RecordBatch, RecordBatchReader } from "apache-arrow";
import { CommandError } from "../../../src/errors.ts";
import { printable } from "../printable.ts";

/** Value of a cell: text, number, bigint, boolean, list of such, or null. */
export type Cell = unknown;

/** Rows of one record batch. */
export interface ColumnBatch {
  readonly rows: number;
  readonly names: readonly string[];
  /** Reader of a column's cells by row; undefined when there is no such column. */
  column(name: string): ((row: number) => Cell) | undefined;
}

/** Reads a file in the IPC file format. @throws CommandError when it cannot be read. */
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

/** Reads an IPC stream that is in memory. @throws Error when it is damaged. */
export function* readArrowStream(bytes: Uint8Array): Generator<ColumnBatch> {
  for (const batch of RecordBatchReader.from(bytes)) yield batchOf(batch);
}

/** Names of columns in a schema message that are dictionaries of string views, lists included. */
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
