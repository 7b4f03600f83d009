/**
 * An export as CSV. What comes in: row ids in batches. What goes out: RFC 4180 in UTF-8: a header
 * of field names, then the rows as the addon writes them (native-index/render/rows.h).
 * Invariant: every line ends on CR LF, the last one too; the byte order mark and the semicolon
 * stand there only when the spec asks for them.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import { explainColumns } from "./explained.ts";
import type { RenderContext, Renderer } from "./renderer.ts";
import { renderFramed } from "./rowtext.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** What stands before the first row. */
export function csvHead(
  columns: readonly string[],
  { bom, delimiter = "," }: Pick<AccountQuerySpec["output"], "bom" | "delimiter">,
): string {
  return `${bom ? BYTE_ORDER_MARK : ""}${columns.join(delimiter)}\r\n`;
}

/** Renders a CSV file. */
export const openCsvRenderer = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Renderer => {
  const { output } = context.spec;
  const columns = [...output.fields, ...explainColumns(context.spec).map(({ name }) => name)];
  const head = csvHead(columns, output);
  return renderFramed(context, { format: "csv", head, tail: "" }, write);
};
