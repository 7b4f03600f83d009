/**
 * Fields of rows as an Arrow IPC stream, for programs that take rows by column. What comes in: the
 * columns that `columnsOf` made. What goes out: one stream: schema, at most one batch, its end.
 * Invariant: every stream of the same fields has the same schema, with no rows as with many; only
 * the CNPJ is promised to be there. Apart because Arrow is an affair of the addon and not of the
 * formats.
 */
import { encodeBatch, encodeSchema } from "../format/arrow.ts";
import { ARROW_END, type ArrowColumn } from "../format/arrow-parts.ts";
import type { FieldColumn } from "../napi/engine.ts";

/** Encodes `rows` rows of columns; every column has that length. */
export function encodeFieldStream(columns: readonly FieldColumn[], rows: number): Uint8Array {
  const fields = columns.map(arrowColumn);
  const parts = [encodeSchema(fields, {}, 0).head];
  if (rows > 0) {
    const buffers = columns.map(({ buffers, child }) => ({ ...buffers, child }));
    const batch = encodeBatch(fields, buffers, rows);
    parts.push(batch.head, ...batch.body);
  }
  return Buffer.concat([...parts, ARROW_END]);
}

function arrowColumn({ field, type }: FieldColumn): ArrowColumn {
  return { name: field, type, nullable: field !== "cnpj" };
}
