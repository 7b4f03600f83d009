/**
 * Exports as text: CSV, JSON lines, and the rows of pages. Input: row ids in batches. Output: the
 * bytes of the file. The addon writes the rows (native-index/render/rows.h). The text before and
 * after them is made here, or for pages in html/html.ts.
 * Invariant: the bytes of a row do not depend on other rows, so batches of any size give the same
 * file. One slice of rows is in memory at a time. CSV is RFC 4180 in UTF-8. Its header has the
 * names of the fields, or headings in words if the file is for people. Every line ends with CR LF,
 * including the last. A byte order mark and semicolons are used only if the spec requests them.
 * Lines of JSON are never split or empty.
 */
import { guarded } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { explainCells, explainColumns } from "./explained.ts";
import { headerCells } from "./labels.ts";
import { OrderedWriter, type RenderContext, type Renderer } from "./renderer.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** Returns the text before the first row. */
export function csvHead(
  columns: readonly string[],
  output: Pick<AccountQuerySpec["output"], "bom" | "delimiter" | "labels" | "preset">,
): string {
  const { bom, delimiter = "," } = output;
  return `${bom ? BYTE_ORDER_MARK : ""}${headerCells(columns, output).join(delimiter)}\r\n`;
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

/** Renders JSON lines. */
export const openJsonlRenderer = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Renderer => renderFramed(context, { format: "jsonl", head: "", tail: "" }, write);

/**
 * Max rows per native call. They usually make some hundred kilobytes, which are still in the
 * processor's cache when they are hashed and written. In the worst case they make a few megabytes.
 */
const SLICE_ROWS = 2_048;

/** Bytes of a slice's buffer. It is reused, because page faults cost as much as a copy. */
const ROOM_BYTES = 1 << 20;

interface RowFrame {
  readonly format: "csv" | "html" | "jsonl";
  readonly head: string;
  readonly tail: string;
}

/** Makes a renderer of rows inside a frame. */
export function renderFramed(
  { segment, spec, spare = () => false }: RenderContext,
  { format, head, tail }: RowFrame,
  write: (bytes: Uint8Array) => void,
): Renderer {
  const { native } = segment;
  const { fields, delimiter = ",", labels } = spec.output;
  const written = new OrderedWriter(write);
  const buffer = Buffer.allocUnsafeSlow(ROOM_BYTES);
  const renderSlice = (rows: Uint32Array): void | Promise<void> => {
    const extra = explainCells(segment, spec, rows);
    const request = { format, fields, extra, labels, delimiter, firstNumber: 1 };
    if (spare()) return written.later(native.renderRowsAsync(rows, request));
    return written.now(() => {
      const made = guarded(() => native.renderRowsInto(rows, request, buffer));
      return typeof made === "number" ? buffer.subarray(0, made) : made;
    });
  };
  return {
    begin: () => write(Buffer.from(head)),
    async rows(batch) {
      for (let from = 0; from < batch.length; from += SLICE_ROWS) {
        await renderSlice(batch.subarray(from, from + SLICE_ROWS));
      }
    },
    async end() {
      await written.rest();
      write(Buffer.from(tail));
    },
  };
}
