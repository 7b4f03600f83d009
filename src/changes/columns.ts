/**
 * Changes as columns, for formats that take rows by column. What comes in: changes of a list and
 * the wanted fields. What goes out: the kind of each, its changed fields as a list of names, then
 * the fields, of the newer snapshot where the account is in it, else of the older one.
 * Invariant: the same columns with no changes as with many; values are those of the other formats.
 */
import type { ColumnBuffers, FieldColumn } from "../../native-index/napi/engine.ts";
import { guarded } from "../search/segment.ts";
import type { ChangeList } from "./list.ts";
import { mergeColumns } from "./mergecolumns.ts";
import type { ChangeEntry } from "./query.ts";
import { CHANGE_COLUMNS } from "./rows.ts";

const NOTHING = new Uint8Array(0);

/** The columns of changes. */
export function changeColumnsOf(
  { older, newer }: ChangeList,
  entries: readonly ChangeEntry[],
  fields: readonly string[],
): FieldColumn[] {
  const now = entries.filter(({ rowNewer }) => rowNewer >= 0);
  const then = entries.filter(({ rowNewer }) => rowNewer < 0);
  const rowsNow = Uint32Array.from(now, ({ rowNewer }) => rowNewer);
  const rowsThen = Uint32Array.from(then, ({ rowOlder }) => rowOlder);
  const columnsNow = guarded(() => newer.native.columnsOf(rowsNow, fields));
  const [kind, changed] = CHANGE_COLUMNS;
  const leading = [
    textColumn(
      kind,
      entries.map((entry) => entry.kind),
    ),
    listColumn(
      changed,
      entries.map((entry) => entry.changed),
    ),
  ];
  if (then.length === 0) return [...leading, ...columnsNow];
  const columnsThen = guarded(() => older.native.columnsOf(rowsThen, fields));
  const sources = entries.map(({ rowNewer }) => (rowNewer < 0 ? 1 : 0));
  return [...leading, ...mergeColumns(columnsNow, columnsThen, sources)];
}

function textColumn(field: string, values: readonly string[]): FieldColumn {
  return { field, type: "utf8", length: values.length, buffers: texts(values), child: null };
}

function listColumn(field: string, lists: readonly (readonly string[])[]): FieldColumn {
  const values = lists.flat();
  const offsets = offsetsOf(lists.map(({ length }) => length));
  return {
    ...{ field, type: "list<utf8>", length: lists.length },
    buffers: { nullCount: 0, validity: null, offsets, data: NOTHING },
    child: { length: values.length, buffers: texts(values) },
  };
}

/** Names and kinds are ASCII, so that they have as many bytes as characters. */
function texts(values: readonly string[]): ColumnBuffers {
  const offsets = offsetsOf(values.map(({ length }) => length));
  const data = new Uint8Array(Buffer.from(values.join(""), "latin1"));
  return { nullCount: 0, validity: null, offsets, data };
}

function offsetsOf(lengths: readonly number[]): Uint8Array {
  const offsets = new Int32Array(lengths.length + 1);
  for (const [at, length] of lengths.entries()) offsets[at + 1] = (offsets[at] as number) + length;
  return new Uint8Array(offsets.buffer);
}
