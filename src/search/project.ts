/**
 * Reads the chosen fields of the rows of a page. What comes in: a segment, rows, field names.
 * What goes out: JSON bytes of the accounts, with an `explain` member each when asked for; or the
 * explanations alone, for a renderer that has the fields from elsewhere.
 * Invariant: the result depends on snapshot, rows, fields and spec alone.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Page } from "./collect.ts";
import { EXPLAIN_FIELDS, type ExplainedRow, type Explanation, explainer } from "./explain.ts";
import { guarded, type Segment } from "./segment.ts";

/** Rows whose facts are parsed at a time: about 2 MB of text. */
const SLICE_ROWS = 4_096;

/** Renders the accounts of a page as the text of one JSON array. */
export function project(segment: Segment, page: Page, fields: readonly string[]): Uint8Array {
  return render(segment, page.rows, fields);
}

/** As `project`, with `explain` added to every account. */
export function projectExplained(
  segment: Segment,
  page: Page,
  fields: readonly string[],
  spec: AccountQuerySpec,
): Uint8Array {
  const accounts = parse(project(segment, page, fields)) as Record<string, unknown>[];
  const explanations = explainRows(segment, spec, page.rows);
  const explained = accounts.map((account, i) => ({ ...account, explain: explanations[i] }));
  return Buffer.from(JSON.stringify(explained));
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
