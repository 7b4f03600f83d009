/**
 * Renders one export to its file. Input: a segment, a spec, a path. Output: the complete file
 * at that path with its rows, size, and SHA-256, or no file.
 * Invariant: the same snapshot and spec give the same bytes. Memory use does not grow with the
 * number of rows. The file appears under its name only when it is complete and durable.
 */
import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { NO_ROW } from "../../native-index/napi/engine.ts";
import type { ChangeEntry } from "../changes/query.ts";
import { AppError } from "../errors.ts";
import { ColumnRefusal } from "../lists/column.ts";
import { faultPoint } from "../process/fault.ts";
import { scroll } from "../search/scroll.ts";
import type { Segment } from "../search/segment.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { enrichFile, type SheetFormat } from "./enrichment/enrichment.ts";
import type { OutcomeCounts } from "./enrichment/outcomes.ts";
import { type DiskCalls, writeWhole } from "./files/sink.ts";
import {
  type ChangesWork,
  changeParts,
  changesContext,
  openChangesRenderer,
} from "./formats/changes.ts";
import { openCompressed } from "./formats/compressed.ts";
import { refuseTooManyRows } from "./formats/format.ts";
import { openHtmlRenderer } from "./formats/html/html.ts";
import { openParquetRenderer } from "./formats/parquet/parquet.ts";
import type { OpenRenderer, RenderContext, Renderer } from "./formats/renderer.ts";
import { openCsvRenderer, openJsonlRenderer } from "./formats/text.ts";
import { openXlsxRenderer } from "./formats/xlsx/xlsx.ts";
import type { ExportFormat } from "./record.ts";

/** A render, independent of where its bytes go. */
interface RenderWork {
  readonly segment: Segment;
  /** The normalized spec, which has an export format. */
  readonly spec: AccountQuerySpec;
  /** Set if changes are rendered; `segment` is then the newer snapshot. */
  readonly changes?: ChangesWork;
  /** Called with the rows (or changes) of every batch after they were written. */
  readonly held?: (rows: Uint32Array) => void;
  readonly heldChanges?: (entries: readonly ChangeEntry[]) => void;
  /** Called after every batch. */
  readonly onProgress?: (rowsWritten: number, rowCount: number) => void;
  /** Called between batches; ends the work with `RenderCancelled` if it returns true. */
  readonly cancelled?: () => boolean;
  /** Returns true if other processors may help. If it is missing, none may. */
  readonly spare?: () => boolean;
}

/** A render into a file. */
export interface RenderJob extends RenderWork {
  /** Final path in an existing folder. An incomplete file is `<name>.<16 hex>.tmp` there. */
  readonly path: string;
  /** Max bytes of the file; unlimited if missing. */
  readonly bytesMax?: number;
}

/** A sent file to enrich. The spec sets the fields, labels, and format of the new file. */
interface EnrichmentJob extends Omit<RenderJob, "changes" | "heldChanges"> {
  readonly sentPath: string;
  readonly column: string | null;
  readonly sheet?: string;
  readonly fillZeros: boolean;
}

/** A finished file. */
export interface RenderedFile {
  readonly rowCount: number;
  /** Number of charged rows, if only some of the rows are charged. */
  readonly chargedRows?: number;
  /** Rows of an enrichment by outcome. */
  readonly outcomes?: OutcomeCounts;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Thrown after `cancelled` returned true and the file was removed. */
export class RenderCancelled extends Error {}

/** Rows between two checks of `cancelled`: a few milliseconds of work. */
const BATCH_ROWS = 4_096;

const RENDERERS: Readonly<Record<ExportFormat, OpenRenderer>> = {
  csv: openCsvRenderer,
  html: openHtmlRenderer,
  xlsx: openXlsxRenderer,
  parquet: openParquetRenderer,
  jsonl: openJsonlRenderer,
};

/**
 * Renders an export. Rejects with `RenderCancelled`, the system's error (ENOSPC …) if writing
 * fails, or `AppError` `snapshot_unavailable`, `quota_exceeded` (more than `bytesMax`), or
 * `invalid_spec` (more rows than the format holds).
 */
export async function renderExport(job: RenderJob, disk?: DiskCalls): Promise<RenderedFile> {
  faultPoint("render.begin");
  const context = await contextOf(job);
  const { sizeBytes, sha256 } = await writeWhole(
    job.path,
    (write) => renderInto(job, context, write),
    disk,
    job.bytesMax,
  );
  return { rowCount: context.rowCount, sizeBytes, sha256 };
}

/**
 * Enriches a sent file. Rejects like `renderExport`, and with `ColumnRefusal` or `XlsxRefusal` if
 * the file is missing or cannot be read.
 */
export async function renderEnrichment(
  job: EnrichmentJob,
  disk?: DiskCalls,
): Promise<RenderedFile> {
  faultPoint("render.begin");
  if (!existsSync(job.sentPath)) throw new ColumnRefusal("The sent file is gone.");
  const { segment, spec, sentPath, held, cancelled, onProgress, spare } = job;
  const { column, sheet, fillZeros } = job;
  const { fields, labels = null } = spec.output;
  const work = {
    ...{ segment, path: sentPath, format: spec.output.format as SheetFormat },
    options: { fields, labels, column: column ?? undefined, sheet, fillZeros },
    onProgress: (written: number, rows: number) => onProgress?.(written, rows),
    onFound: (rows: Uint32Array) => held?.(rows.filter((row) => row !== NO_ROW)),
    checkCancelled: () => {
      if (cancelled?.()) throw new RenderCancelled();
    },
    spare: spare ?? (() => false),
  };
  const fill = (write: (bytes: Uint8Array) => void) => enrichFile({ ...work, write });
  const { filled, sizeBytes, sha256 } = await writeWhole(job.path, fill, disk, job.bytesMax);
  refusePoisoned(segment);
  const { rows: rowCount, found: chargedRows, outcomes } = filled;
  return { rowCount, chargedRows, outcomes, sizeBytes, sha256 };
}

/** Renders an export and passes the bytes to `write`. Rejects like `renderExport`. */
export async function renderBytes(
  work: RenderWork,
  write: (bytes: Uint8Array) => void,
): Promise<Pick<RenderContext, "rowCount" | "matches">> {
  const context = await contextOf(work);
  await renderInto(work, context, write);
  return context;
}

/** Returns the size in bytes of an export file with only these rows. */
export async function measureRows(
  { segment, spec }: Pick<RenderWork, "segment" | "spec">,
  rows: Uint32Array,
): Promise<number> {
  const context = { segment, spec, rowCount: rows.length, matches: rows.length };
  let bytes = 0;
  const renderer = openRows(context, (part) => {
    bytes += part.byteLength;
  });
  try {
    await renderer.begin();
    await renderer.rows(rows);
    await renderer.end();
    return bytes;
  } catch (error) {
    renderer.abort?.();
    throw error;
  }
}

/** Counts the rows before any is written. Matches above the limit are counted while reading. */
async function contextOf({ segment, spec, changes, spare }: RenderWork): Promise<RenderContext> {
  if (changes !== undefined) return changesContext(spec, changes);
  const answer = scroll(segment, spec);
  const { rowCount } = answer;
  refuseTooManyRows(formatOf(spec), rowCount);
  return {
    segment,
    spec,
    rowCount,
    ...(spare === undefined ? {} : { spare }),
    get matches() {
      return answer.matches;
    },
  };
}

async function renderInto(
  work: RenderWork,
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Promise<void> {
  const { spec, segment, changes } = work;
  if (changes === undefined) {
    const renderer = openRows(context, write);
    const feed = { renderer, batches: rowBatches(segment, spec), written: work.held };
    await renderWith(work, context.rowCount, feed);
  } else {
    const renderer = openCompressed(context, write, (given, to) =>
      openChangesRenderer(given, changes, to),
    );
    const feed = { renderer, batches: changeParts(spec, changes), written: work.heldChanges };
    await renderWith(work, context.rowCount, feed);
    refusePoisoned(changes.list.older);
  }
  refusePoisoned(segment);
}

function openRows(context: RenderContext, write: (bytes: Uint8Array) => void): Renderer {
  return openCompressed(context, write, RENDERERS[formatOf(context.spec)]);
}

interface Feed<Batch> {
  readonly renderer: Renderer<Batch>;
  readonly batches: Iterable<Batch> | AsyncIterable<Batch>;
  readonly written: ((batch: Batch) => void) | undefined;
}

/** Yields to the event loop after each batch, so that messages and signals arrive. */
async function renderWith<Batch extends { readonly length: number }>(
  { onProgress, cancelled }: RenderWork,
  rowCount: number,
  { renderer, batches, written: reported }: Feed<Batch>,
): Promise<void> {
  let written = 0;
  try {
    await renderer.begin();
    for await (const rows of batches) {
      if (cancelled?.()) throw new RenderCancelled();
      const { length } = rows;
      await renderer.rows(rows);
      reported?.(rows);
      written += length;
      onProgress?.(written, rowCount);
      await nextTurn();
    }
    if (cancelled?.()) throw new RenderCancelled();
    assert(written === rowCount, `announced ${rowCount} rows and wrote ${written}`);
    await renderer.end();
  } catch (error) {
    renderer.abort?.();
    throw error;
  }
}

/** Yields the rows of a result, a few milliseconds of work at a time. */
function* rowBatches(segment: Segment, spec: AccountQuerySpec): Generator<Uint32Array, void> {
  for (const batch of scroll(segment, spec).batches()) {
    for (let from = 0; from < batch.length; from += BATCH_ROWS) {
      yield batch.subarray(from, from + BATCH_ROWS);
    }
  }
}

/** Throws if the file was truncated while mapped, because the missing part reads as zeros. */
function refusePoisoned(segment: Segment): void {
  if (!segment.native.poisoned()) return;
  const detail = "The snapshot file could not be read; the operator must replace it.";
  throw new AppError("snapshot_unavailable", detail);
}

function formatOf({ output: { format } }: AccountQuerySpec): ExportFormat {
  assert(format !== "json", "an export has a format of its own");
  return format;
}
