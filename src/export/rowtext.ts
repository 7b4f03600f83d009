/**
 * Formats whose rows the addon writes and whose frame is text. What comes in: the text before and
 * behind the rows, row ids in batches. What goes out: the bytes of the file.
 * Invariant: the bytes of a row do not depend on its neighbours, so that batches of any size give
 * the same file; one slice of rows is in memory at a time.
 */
import { guarded } from "../search/segment.ts";
import { explainCells } from "./explained.ts";
import type { RenderContext, Renderer } from "./renderer.ts";

/** Most rows of one native call: some hundred kilobytes, at the very worst a few megabytes. */
const SLICE_ROWS = 4_096;

/** What stands around the rows. */
export interface RowFrame {
  readonly format: "csv" | "html" | "jsonl";
  readonly head: string;
  readonly tail: string;
}

/** Makes a renderer of a frame around rows. */
export function renderFramed(
  { segment, spec }: RenderContext,
  { format, head, tail }: RowFrame,
  write: (bytes: Uint8Array) => void,
): Renderer {
  const { fields, delimiter = "," } = spec.output;
  const renderSlice = (rows: Uint32Array): Uint8Array => {
    const extra = explainCells(segment, spec, rows);
    return guarded(() =>
      segment.native.renderRows(rows, { format, fields, extra, delimiter, firstNumber: 1 }),
    );
  };
  return {
    begin: () => write(Buffer.from(head)),
    rows(batch) {
      for (let from = 0; from < batch.length; from += SLICE_ROWS) {
        write(renderSlice(batch.subarray(from, from + SLICE_ROWS)));
      }
    },
    end: () => write(Buffer.from(tail)),
  };
}
