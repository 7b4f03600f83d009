/**
 * Reads the chosen fields of the rows of a page. What comes in: a segment, rows, field names.
 * What goes out: JSON bytes of the accounts, with an `explain` member each when asked for; or the
 * explanations alone, for a renderer that has the fields from elsewhere.
 * Invariant: the result depends on snapshot, rows, fields and spec alone.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import { EXPLAIN_FIELDS, type ExplainedRow, type Explanation, explainer } from "./explain.ts";
import { guarded, type Segment } from "./segment.ts";

/** Rows whose facts are parsed at a time: about 2 MB of text. */
const SLICE_ROWS = 4_096;

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
  for (let from = 0; from < rows.length; from += SLICE_ROWS) {
    const slice = rows.subarray(from, from + SLICE_ROWS);
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
