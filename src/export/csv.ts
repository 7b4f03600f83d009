/**
 * An export as CSV. What comes in: row ids in batches. What goes out: RFC 4180 in UTF-8: a header
 * of field names, then the rows as the addon writes them (native-index/rows.h).
 * Invariant: every line ends on CR LF, the last one too; the byte order mark and the semicolon
 * stand there only when the spec asks for them.
 */
import { explainColumns } from "./explained.ts";
import type { RenderContext, Renderer } from "./renderer.ts";
import { renderFramed } from "./rowtext.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** Renders a CSV file. */
export const openCsvRenderer = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Renderer => {
  const { fields, bom, delimiter = "," } = context.spec.output;
  const columns = [...fields, ...explainColumns(context.spec).map(({ name }) => name)];
  const head = `${bom ? BYTE_ORDER_MARK : ""}${columns.join(delimiter)}\r\n`;
  return renderFramed(context, { format: "csv", head, tail: "" }, write);
};
