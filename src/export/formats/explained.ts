/**
 * The columns that a layout and `include_explain` add after the fields of a file: as texts, or as
 * Arrow buffers for columnar formats. Input: rows that a spec matched. Output: for each column its
 * name, its kind, and a text per row or a buffer (integers as `int32`, texts as `utf8`).
 * Invariant: the columns depend only on the spec, so they are known before the first row.
 * Explanations are objects of some hundred bytes, so only one slice of them is in memory at a time.
 */
import type { ColumnBuffers, ExtraColumn, FieldColumn } from "../../../native-index/napi/engine.ts";
import type { Explanation } from "../../search/explain.ts";
import { explainRows } from "../../search/project.ts";
import { SCORE_PARTS, SCORE_WEIGHTS, type ScorePart, scoredStrategy } from "../../search/score.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { punctuateCnae } from "../../spec/catalog.ts";
import { type LabelLanguage, valueWord } from "../../spec/fields/words.ts";
import type { OutputField } from "../../spec/fields.ts";
import { addedColumns, type PresetName } from "../../spec/presets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

/** One column; `number` is an integer, `json` is one JSON object per row. */
type ExplainColumn = Pick<ExtraColumn, "name" | "kind">;

interface Cells extends ExplainColumn {
  readonly cellOf: (explanation: Explanation, labels?: LabelLanguage) => string | null;
}

/** Column for jsonl, because only jsonl can hold the object of a search's answer. */
const AS_JSON: readonly Cells[] = [
  { name: "explain", kind: "json", cellOf: (explanation) => JSON.stringify(explanation) },
];

/** The strategy's score, which is the sum of its parts. */
const SCORE: Cells = {
  name: "explain_score",
  kind: "number",
  cellOf: ({ score }) => String(score),
};

/**
 * The activity that matched. Empty without an activity filter. `explain_activity` is something
 * else: the score's part for a known activity.
 */
const ACTIVITY: readonly Cells[] = [
  {
    name: "explain_matched",
    kind: "text",
    cellOf: (explanation, labels) => {
      const { code } = activity(explanation);
      return labels === undefined || code === null ? code : punctuateCnae(code);
    },
  },
  {
    name: "explain_matched_as",
    kind: "text",
    cellOf: (explanation, labels) => {
      const { as } = activity(explanation);
      return labels === undefined || as === null ? as : valueWord(as, labels);
    },
  },
];

/** Returns the columns that a spec's layout and its `include_explain` add, if any. */
export function explainColumns(spec: AccountQuerySpec): readonly ExplainColumn[] {
  const added = addedColumns(spec.output.preset).map(
    ({ name }) => ({ name, kind: "text" }) as const,
  );
  return [...added, ...cellsOf(spec).map(({ name, kind }) => ({ name, kind }))];
}

/** Returns `explainColumns` with their values for rows. */
export function explainCells(
  segment: Segment,
  spec: AccountQuerySpec,
  rows: Uint32Array,
): ExtraColumn[] {
  const added = layoutCells(segment, spec.output.preset, rows);
  const cells = cellsOf(spec);
  if (cells.length === 0) return added;
  const explanations = explainRows(segment, spec, rows);
  const explained = cells.map(({ name, kind, cellOf }) => ({
    name,
    kind,
    values: explanations.map((explanation) => cellOf(explanation, spec.output.labels)),
  }));
  return [...added, ...explained];
}

/** Returns the columns that a layout adds, with their values for rows. */
export function layoutCells(
  segment: Segment,
  preset: PresetName | undefined,
  rows: Uint32Array,
): ExtraColumn[] {
  return addedColumns(preset).map(({ name, firstOf }) => ({
    name,
    kind: "text",
    values:
      firstOf.length === 0
        ? new Array(rows.length).fill(null)
        : firstValues(segment, firstOf, rows),
  }));
}

function firstValues(
  segment: Segment,
  fields: readonly OutputField[],
  rows: Uint32Array,
): (string | null)[] {
  const json = Buffer.from(guarded(() => segment.native.renderJson(rows, fields)));
  const accounts = JSON.parse(json.toString()) as Readonly<Record<string, string | null>>[];
  return accounts.map((account) => {
    const field = fields.find((name) => account[name] !== null);
    return field === undefined ? null : (account[field] as string);
  });
}

function cellsOf({ output, scoring }: AccountQuerySpec): readonly Cells[] {
  if (!output.include_explain) return [];
  if (output.format === "jsonl") return AS_JSON;
  const weights = SCORE_WEIGHTS[scoredStrategy(scoring.strategy)];
  const parts = SCORE_PARTS.filter((part) => weights[part] > 0);
  return [SCORE, ...[...parts, "sanction" as const].map(partCells), ...ACTIVITY];
}

function partCells(part: ScorePart | "sanction"): Cells {
  return { name: `explain_${part}`, kind: "number", cellOf: ({ parts }) => String(parts[part]) };
}

/** Returns the matched activity, and if it is the primary one. Null without an activity filter. */
function activity({ matched }: Explanation): {
  code: string | null;
  as: "primary" | "secondary" | null;
} {
  const cnae = matched.cnae as { code: string | null; as: "primary" | "secondary" } | undefined;
  return cnae ?? { code: null, as: null };
}

/** Number of rows explained at a time. They make some megabytes of objects. */
const SLICE_ROWS = 4_096;

/** Returns the columns that `include_explain` adds, with values for rows, or none without it. */
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

/** Tracks which rows have a value. */
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
  /** End offset of every text, after the first entry, which is 0. */
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
