/**
 * Builds the columns of a file of changes in a columnar format. Input: the changes of a list, and
 * the requested fields. Output, in this order: the kind of each change, the names of its changed
 * fields as a list, the fields, and the compared groups. The fields have the values of the newer
 * snapshot if it has the account, else of the older one.
 * Invariant: the columns do not depend on the number of changes. Values equal those of other
 * formats, and are copied bit by bit from the snapshot that has the row. Rows keep the order of
 * each snapshot. Layouts are those of Arrow: validity and booleans are bits, and texts have
 * offsets.
 */

import { strict as assert } from "node:assert";
import type { ColumnBuffers, FieldColumn } from "../../native-index/napi/engine.ts";
import { guarded } from "../search/segment.ts";
import { type ComparedOptions, comparedCells } from "./compared.ts";
import type { ChangeList } from "./list.ts";
import type { ChangeEntry } from "./query.ts";
import { CHANGE_COLUMNS } from "./rows.ts";

const NOTHING = new Uint8Array(0);

/** The requested fields, and the groups of fields with columns of old and new values. */
interface ChangeColumnsOptions {
  readonly fields: readonly string[];
  readonly compared: ComparedOptions;
}

/** Returns the columns of changes. */
export function changeColumnsOf(
  list: ChangeList,
  entries: readonly ChangeEntry[],
  { fields, compared }: ChangeColumnsOptions,
): FieldColumn[] {
  const { older, newer } = list;
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
  const last = comparedCells(list, entries, compared).map(({ name, values }) => {
    return textColumn(name, values);
  });
  if (then.length === 0) return [...leading, ...columnsNow, ...last];
  const columnsThen = guarded(() => older.native.columnsOf(rowsThen, fields));
  const sources = entries.map(({ rowNewer }) => (rowNewer < 0 ? 1 : 0));
  return [...leading, ...mergeColumns(columnsNow, columnsThen, sources), ...last];
}

function textColumn(field: string, values: readonly (string | null)[]): FieldColumn {
  const texts = values.map((value) => Buffer.from(value ?? ""));
  const validity = new Uint8Array(Math.ceil(values.length / 8));
  for (const [at, value] of values.entries()) if (value !== null) setBit(validity, at);
  const nullCount = values.filter((value) => value === null).length;
  const buffers = {
    ...{ nullCount, validity: nullCount === 0 ? null : validity },
    offsets: offsetsOfLengths(texts.map(({ length }) => length)),
    data: new Uint8Array(Buffer.concat(texts)),
  };
  return { field, type: "utf8", length: values.length, buffers, child: null };
}

function listColumn(field: string, lists: readonly (readonly string[])[]): FieldColumn {
  const values = lists.flat();
  const offsets = offsetsOfLengths(lists.map(({ length }) => length));
  return {
    ...{ field, type: "list<utf8>", length: lists.length },
    buffers: { nullCount: 0, validity: null, offsets, data: NOTHING },
    child: { length: values.length, buffers: asciiTexts(values) },
  };
}

/** Names are ASCII, so they have as many bytes as characters. */
function asciiTexts(values: readonly string[]): ColumnBuffers {
  const offsets = offsetsOfLengths(values.map(({ length }) => length));
  const data = new Uint8Array(Buffer.from(values.join(""), "latin1"));
  return { nullCount: 0, validity: null, offsets, data };
}

function offsetsOfLengths(lengths: readonly number[]): Uint8Array {
  const offsets = new Int32Array(lengths.length + 1);
  for (const [at, length] of lengths.entries()) offsets[at + 1] = (offsets[at] as number) + length;
  return new Uint8Array(offsets.buffer);
}

/** Bytes of a value, for types of fixed size. */
const WIDTHS: Readonly<Partial<Record<FieldColumn["type"], number>>> = {
  int32: 4,
  date32: 4,
  float64: 8,
};

/** A row of the result: its source, and its position in the source. */
interface Place {
  readonly source: 0 | 1;
  readonly row: number;
}

/** Merges the columns of two sources. `sources` names the source of each row of the result. */
function mergeColumns(
  one: readonly FieldColumn[],
  other: readonly FieldColumn[],
  sources: readonly (0 | 1)[],
): FieldColumn[] {
  const next = [0, 0];
  const places = sources.map((source): Place => {
    const row = next[source] as number;
    next[source] = row + 1;
    return { source, row };
  });
  return one.map((column, at) => merged([column, other[at] as FieldColumn], places));
}

type Both<Value> = readonly [Value, Value];

function merged(columns: Both<FieldColumn>, places: readonly Place[]): FieldColumn {
  const [{ field, type }] = columns;
  const { length } = places;
  const buffers = columns.map((column) => column.buffers) as unknown as Both<ColumnBuffers>;
  const valid = validityOf(buffers, places);
  const width = WIDTHS[type];
  if (type === "utf8") {
    return { field, type, length, child: null, buffers: { ...valid, ...texts(buffers, places) } };
  }
  if (type === "bool") {
    const data = bitsOf(buffers, places);
    return { field, type, length, child: null, buffers: { ...valid, offsets: null, data } };
  }
  if (width !== undefined) {
    const data = fixed(buffers, places, width);
    return { field, type, length, child: null, buffers: { ...valid, offsets: null, data } };
  }
  assert(type === "list<utf8>", `columns of ${type} are merged nowhere`);
  return mergedLists(columns, places, valid);
}

/** Returns a bitmap of the rows that have a value, or null if all do. */
function validityOf(buffers: Both<ColumnBuffers>, places: readonly Place[]) {
  const validity = new Uint8Array(Math.ceil(places.length / 8));
  let nullCount = 0;
  for (const [at, { source, row }] of places.entries()) {
    const { validity: bits, nullCount: nulls } = buffers[source];
    if (nulls === 0 || bits === null || bitAt(bits, row)) setBit(validity, at);
    else nullCount++;
  }
  return { nullCount, validity: nullCount === 0 ? null : validity };
}

function bitsOf(buffers: Both<ColumnBuffers>, places: readonly Place[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(places.length / 8));
  for (const [at, { source, row }] of places.entries()) {
    if (bitAt(buffers[source].data, row)) setBit(bits, at);
  }
  return bits;
}

function fixed(buffers: Both<ColumnBuffers>, places: readonly Place[], width: number): Uint8Array {
  const data = new Uint8Array(places.length * width);
  for (const [at, { source, row }] of places.entries()) {
    data.set(buffers[source].data.subarray(row * width, (row + 1) * width), at * width);
  }
  return data;
}

function texts(buffers: Both<ColumnBuffers>, places: readonly Place[]) {
  const ends = buffers.map(offsetsOf) as unknown as Both<Int32Array>;
  const offsets = new Int32Array(places.length + 1);
  const parts: Uint8Array[] = [];
  for (const [at, { source, row }] of places.entries()) {
    const from = ends[source][row] as number;
    const to = ends[source][row + 1] as number;
    offsets[at + 1] = (offsets[at] as number) + to - from;
    parts.push(buffers[source].data.subarray(from, to));
  }
  return { offsets: bytesOf(offsets), data: new Uint8Array(Buffer.concat(parts)) };
}

function mergedLists(
  columns: Both<FieldColumn>,
  places: readonly Place[],
  valid: Pick<ColumnBuffers, "nullCount" | "validity">,
): FieldColumn {
  const [{ field, type }] = columns;
  const ends = columns.map((column) => offsetsOf(column.buffers)) as unknown as Both<Int32Array>;
  const children = columns.map(({ child }) => {
    assert(child !== null, "a list has values");
    return child.buffers;
  }) as unknown as Both<ColumnBuffers>;
  const offsets = new Int32Array(places.length + 1);
  const elements: Place[] = [];
  for (const [at, { source, row }] of places.entries()) {
    const to = ends[source][row + 1] as number;
    for (let i = ends[source][row] as number; i < to; i++) elements.push({ source, row: i });
    offsets[at + 1] = elements.length;
  }
  const data = new Uint8Array(0);
  const buffers = { ...validityOf(children, elements), ...texts(children, elements) };
  return {
    ...{ field, type, length: places.length },
    buffers: { ...valid, offsets: bytesOf(offsets), data },
    child: { length: elements.length, buffers },
  };
}

/** Returns the offsets of a column. The addon omits them if there are no rows. */
function offsetsOf({ offsets }: ColumnBuffers): Int32Array {
  if (offsets === null) return new Int32Array(1);
  // The bytes may be unaligned, and an Int32Array needs alignment.
  return new Int32Array(Uint8Array.from(offsets).buffer);
}

function bytesOf(numbers: Int32Array): Uint8Array {
  return new Uint8Array(numbers.buffer);
}

function bitAt(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] as number) >> (at & 7)) & 1) === 1;
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
}
