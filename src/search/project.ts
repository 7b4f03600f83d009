/**
 * Reads the chosen fields of the rows of a page. What comes in: a segment, a page, field names.
 * What goes out: JSON bytes of the accounts, with an `explain` member each when asked for.
 * Invariant: the bytes depend on snapshot, rows and fields alone.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Page } from "./collect.ts";
import { EXPLAIN_FIELDS, type ExplainedRow, explainAccount } from "./explain.ts";
import { guarded, type Segment } from "./segment.ts";

/** Renders the accounts of a page as the text of one JSON array. */
export function project(segment: Segment, page: Page, fields: readonly string[]): Uint8Array {
  return guarded(() => segment.native.renderJson(page.rows, fields));
}

/** As `project`, with `explain` added to every account. */
export function projectExplained(
  segment: Segment,
  page: Page,
  fields: readonly string[],
  spec: AccountQuerySpec,
): Uint8Array {
  const accounts = parse(project(segment, page, fields)) as Record<string, unknown>[];
  const facts = parse(project(segment, page, EXPLAIN_FIELDS)) as unknown as ExplainedRow[];
  const explained = accounts.map((account, i) => ({
    ...account,
    explain: explainAccount(segment, spec, facts[i] as ExplainedRow),
  }));
  return Buffer.from(JSON.stringify(explained));
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}
