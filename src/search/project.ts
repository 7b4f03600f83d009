/**
 * Renders the rows of a page as JSON, in one piece or in chunks. Each account may have an `explain`
 * member. Explanations can also be computed alone, for renderers that already have the fields.
 * Invariant: the result depends only on snapshot, rows, fields, and spec. The chunks, joined, equal
 * the whole text byte for byte. A chunk is rendered when it is requested, and is not cached.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import { EXPLAIN_FIELDS, type ExplainedRow, type Explanation, explainer } from "./explain.ts";
import { guarded, type Segment } from "./segment.ts";

/** Number of rows that are rendered and parsed together to explain them: about 2 MB of text. */
const PROJECTED_ROWS = 4_096;

/** Renders rows as one JSON array and returns its bytes in newly allocated memory. */
export type Projector = (rows: Uint32Array) => Uint8Array;

/** Returns a renderer of these fields. A spec in `explained` adds an `explain` member. */
export function projector(
  segment: Segment,
  fields: readonly string[],
  explained: AccountQuerySpec | null,
): Projector {
  if (explained === null) return (rows) => render(segment, rows, fields);
  return (rows) => {
    const accounts = parse(render(segment, rows, fields)) as Record<string, unknown>[];
    const explanations = explainRows(segment, explained, rows);
    const joined = accounts.map((account, i) => ({ ...account, explain: explanations[i] }));
    return Buffer.from(JSON.stringify(joined));
  };
}

/** Returns an explanation for each row, in the order of `rows`. The spec must match every row. */
export function explainRows(
  segment: Segment,
  spec: AccountQuerySpec,
  rows: Uint32Array,
): Explanation[] {
  const explain = explainer(segment, spec);
  const explanations: Explanation[] = [];
  for (let from = 0; from < rows.length; from += PROJECTED_ROWS) {
    const slice = rows.subarray(from, from + PROJECTED_ROWS);
    const facts = parse(render(segment, slice, EXPLAIN_FIELDS)) as ExplainedRow[];
    for (const row of facts) explanations.push(explain(row));
  }
  return explanations;
}

function render(segment: Segment, rows: Uint32Array, fields: readonly string[]): Uint8Array {
  return guarded(() => segment.native.renderJson(rows, fields));
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** Number of rows that are rendered as one chunk: about 60 kB of text, in 0.15 ms. */
export const SLICE_ROWS = 64;
/** Rows of an explained chunk. Explaining takes ten times as long as rendering. */
export const EXPLAINED_SLICE_ROWS = 16;

const COMMA = 0x2c;

/** The accounts of one page, which are rendered on demand. */
export interface AccountSlices {
  readonly rowCount: number;
  /** Renders the whole text in one call. */
  whole(): Uint8Array;
  /** Renders the text in chunks. Throws `AppError` if the snapshot is damaged. */
  texts(): Generator<Uint8Array, void>;
}

/** Prepares a page that is rendered in chunks of `sliceRows` rows. Renders nothing yet. */
export function accountSlices(
  rows: Uint32Array,
  project: Projector,
  sliceRows = SLICE_ROWS,
): AccountSlices {
  return {
    rowCount: rows.length,
    whole: () => project(rows),
    texts: () => texts(rows, project, sliceRows),
  };
}

/**
 * Renders each chunk as a JSON array. To join them, removes the closing bracket of every chunk but
 * the last, and replaces the opening bracket of every chunk but the first by a comma.
 */
function* texts(
  rows: Uint32Array,
  project: Projector,
  sliceRows: number,
): Generator<Uint8Array, void> {
  let from = 0;
  do {
    const text = project(rows.subarray(from, from + sliceRows));
    if (from > 0) text[0] = COMMA;
    from += sliceRows;
    yield from < rows.length ? text.subarray(0, -1) : text;
  } while (from < rows.length);
}
