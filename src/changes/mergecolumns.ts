/**
 * Columns whose rows come from two snapshots. What comes in: the same fields of the rows of either
 * snapshot, and from which of them each row of the result is taken, each snapshot's rows in order.
 * What goes out: one set of columns.
 * Invariant: a value is copied as it is, bit by bit; a row of the result is the next one of its
 * snapshot. Layouts are those of Arrow: validity and booleans are bits, texts have offsets.
 */
import { strict as assert } from "node:assert";
import type { ColumnBuffers, FieldColumn } from "../../native-index/napi/engine.ts";

/** Bytes of a value of a type with values of one size. */
const WIDTHS: Readonly<Partial<Record<FieldColumn["type"], number>>> = {
  int32: 4,
  date32: 4,
  float64: 8,
};

/** A row of the result: from which of the two sources, and its position there. */
interface Place {
  readonly source: 0 | 1;
  readonly row: number;
}

/** Merges columns; `sources` says for every row of the result which of the two has it. */
export function mergeColumns(
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

/** Which rows have a value; null where all have one. */
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

/** The offsets of a column; the addon gives none for one without rows. */
function offsetsOf({ offsets }: ColumnBuffers): Int32Array {
  if (offsets === null) return new Int32Array(1);
  // The bytes may lie anywhere in their memory, and a view of integers needs them aligned.
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
