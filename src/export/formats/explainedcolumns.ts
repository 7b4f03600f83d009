/**
 * The columns of `include_explain` as Arrow buffers, for formats that take rows by column. What
 * comes in: rows that a spec matched. What goes out: one column for each that the spec adds,
 * integers as `int32`, texts as `utf8`.
 * Invariant: the same columns with no rows as with many; explanations are objects of some hundred
 * bytes, so only a slice of them is in memory at a time, the buffers hold their values.
 */
import type { ColumnBuffers, FieldColumn } from "../../../native-index/napi/engine.ts";
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { type ExplainColumn, explainCells, explainColumns } from "./explained.ts";

/** Rows explained at a time: some megabytes of objects. */
const SLICE_ROWS = 4_096;

/** The columns that a spec adds, with the values of rows; none without `include_explain`. */
export function explainedColumns(
  segment: Segment,
  spec: AccountQuerySpec,
  rows: Uint32Array,
): FieldColumn[] {
  const columns = explainColumns(spec).map((column) => growing(column, rows.length));
  if (columns.length === 0) return [];
  for (let from = 0; from < rows.length; from += SLICE_ROWS) {
    const cells = explainCells(segment, spec, rows.subarray(from, from + SLICE_ROWS));
    cells.forEach(({ values }, i) => {
      columns[i]?.append(values);
    });
  }
  return columns.map((column) => column.finish());
}

/** A column that grows by slices. */
interface GrowingColumn {
  append(values: readonly (string | null)[]): void;
  finish(): FieldColumn;
}

function growing({ name, kind }: ExplainColumn, length: number): GrowingColumn {
  return kind === "number" ? new IntegerColumn(name, length) : new TextColumn(name, length);
}

/** Which rows have a value. */
class Validity {
  readonly #bits: Uint8Array;
  readonly #length: number;
  #present = 0;

  constructor(length: number) {
    this.#length = length;
    this.#bits = new Uint8Array(Math.ceil(length / 8));
  }

  set(row: number): void {
    this.#bits[row >> 3] = (this.#bits[row >> 3] as number) | (1 << (row & 7));
    this.#present++;
  }

  buffers(offsets: Uint8Array | null, data: Uint8Array): ColumnBuffers {
    const nullCount = this.#length - this.#present;
    return { nullCount, validity: nullCount === 0 ? null : this.#bits, offsets, data };
  }
}

class IntegerColumn implements GrowingColumn {
  readonly #name: string;
  readonly #values: Int32Array;
  readonly #validity: Validity;
  #row = 0;

  constructor(name: string, length: number) {
    this.#name = name;
    this.#values = new Int32Array(length);
    this.#validity = new Validity(length);
  }

  append(values: readonly (string | null)[]): void {
    for (const value of values) {
      if (value !== null) {
        this.#values[this.#row] = Number(value);
        this.#validity.set(this.#row);
      }
      this.#row++;
    }
  }

  finish(): FieldColumn {
    const data = new Uint8Array(this.#values.buffer);
    const buffers = this.#validity.buffers(null, data);
    return { field: this.#name, type: "int32", length: this.#row, buffers, child: null };
  }
}

class TextColumn implements GrowingColumn {
  readonly #name: string;
  /** End of every text behind the first entry, which is 0. */
  readonly #ends: Int32Array;
  readonly #validity: Validity;
  readonly #parts: Buffer[] = [];
  #row = 0;

  constructor(name: string, length: number) {
    this.#name = name;
    this.#ends = new Int32Array(length + 1);
    this.#validity = new Validity(length);
  }

  append(values: readonly (string | null)[]): void {
    for (const value of values) {
      if (value !== null) this.#validity.set(this.#row);
      const end = this.#ends[this.#row++] as number;
      this.#ends[this.#row] = end + Buffer.byteLength(value ?? "");
    }
    this.#parts.push(Buffer.from(values.join("")));
  }

  finish(): FieldColumn {
    const offsets = new Uint8Array(this.#ends.buffer);
    const buffers = this.#validity.buffers(offsets, Buffer.concat(this.#parts));
    return { field: this.#name, type: "utf8", length: this.#row, buffers, child: null };
  }
}
