/**
 * Renders the rows of a page. Input: a segment, rows, field names. Output: JSON bytes of the
 * accounts, with an `explain` member each if that is asked for; the explanations alone, for a
 * renderer that has the fields from elsewhere; or the same text in pieces, a few accounts at a
 * time.
 * Invariant: the result depends on snapshot, rows, fields and spec alone. The pieces joined are the
 * text of all rows at once, byte for byte, each time they are asked for; no piece is rendered
 * before it is asked for, and none is kept.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import { EXPLAIN_FIELDS, type ExplainedRow, type Explanation, explainer } from "./explain.ts";
import { guarded, type Segment } from "./segment.ts";

/** Rows whose facts are parsed at a time: about 2 MB of text. */
const PROJECTED_ROWS = 4_096;

/** Renders rows as the text of one JSON array, in memory of its own. */
export type Projector = (rows: Uint32Array) => Uint8Array;

/** Makes what renders rows; with a spec every account gets an `explain` member. */
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

/** Explains rows that a spec matched, one explanation each, in their order. */
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

/** Rows that are rendered at a time: about 60 kB of text, 0.15 ms. */
export const SLICE_ROWS = 64;
/** As many with explanations take ten times as long, and everybody else waits meanwhile. */
export const EXPLAINED_SLICE_ROWS = 16;

const COMMA = 0x2c;

/** The accounts of one page. */
export interface AccountSlices {
  readonly rowCount: number;
  /** The whole text, rendered at once. */
  whole(): Uint8Array;
  /** The text in pieces, from its beginning. Throws `AppError` where the snapshot is damaged. */
  texts(): Generator<Uint8Array, void>;
}

/** Prepares the accounts of a page, so many rows to a piece of text; renders nothing yet. */
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

/** An array of each slice: all but the last lose their bracket, all but the first have a comma. */
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
