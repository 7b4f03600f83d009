/**
 * `POST /v1/console/exports/estimate`: takes the body of `POST /exports` and returns the exact
 * number of rows and the size of the file, estimated from rendered sample rows.
 * Invariant: the estimate refuses the same mistakes as an export, except too many rows for the
 * format, which it reports. A small export is rendered whole, so its size is exact.
 */
import { FORMATS } from "../export/formats/format.ts";
import type { ExportFormat } from "../export/record.ts";
import { measureRows, renderBytes } from "../export/render.ts";
import { boundExportSpec } from "../http/api/exports/newexport.ts";
import { matchesOf } from "../http/api/search/search-request.ts";
import type { ReadPart } from "../http/server/body.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { KeyCall } from "../http/server/service.ts";
import { scroll } from "../search/scroll.ts";
import type { Segment } from "../search/segment.ts";
import { currentSegment } from "../search/segment.ts";
import { specHash } from "../spec/normalize.ts";
import { presetHeadings } from "../spec/presets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { ExportEstimate } from "./web/app/answers.ts";

/** Exports up to this many rows are rendered whole. */
const WHOLE_ROWS_MAX = 2_048;
/** If a limit cuts an export to at most this many rows, the sample comes from those rows. */
const FIRST_ROWS_MAX = 16_384;
/** Cached sizes. */
const CACHED_MAX = 128;

/** How to estimate the size of a long file from sample rows. */
interface Sampling {
  /**
   * Number of sample rows. The size of one more row is measured on the last three quarters of them.
   */
  readonly rows: number;
  /** Factor for the size of a row in a long file, relative to the size measured on the sample. */
  readonly long: number;
}

/**
 * Measured over 1,000,000 accounts of bench/questions/corpus.ts, exporting 10,000 to 285,000 rows
 * with default fields, all fields, codes alone, and names with contacts. The estimate is 0.96 to
 * 1.08 times the real size for xlsx, and 0.98 to 1.11 times for text with gzip. For text with zstd,
 * it is 1.00 to 1.12 times (500,000 accounts, 11,000 to 142,000 rows). For Parquet, it was 1.00 to
 * 1.30 times, because a dictionary serves more rows in long row groups. Therefore Parquet has the
 * factor 0.9 and a larger sample.
 */
const SAMPLINGS: Readonly<Record<ExportFormat, Sampling>> = {
  csv: { rows: 1_024, long: 1 },
  html: { rows: 1_024, long: 1 },
  jsonl: { rows: 1_024, long: 1 },
  xlsx: { rows: 1_024, long: 1 },
  parquet: { rows: 2_048, long: 0.9 },
};

const caches = new WeakMap<Segment, Map<string, number>>();

/** Answers with an export's size. */
export async function estimateExport(
  call: KeyCall<"engine" | "retain" | "segment" | ReadPart>,
): Promise<HttpAnswer> {
  const { service, requestId } = call;
  const segment = currentSegment(service);
  const release = service.retain(segment);
  try {
    const spec = await boundExportSpec(call, segment);
    const matches = await matchesOf(call, segment, spec);
    const rows = Math.min(spec.limit, matches);
    const { rowsMax } = FORMATS[spec.output.format as ExportFormat];
    const tooMany = rowsMax !== null && rows > rowsMax;
    const bytes = await knownBytes(segment, spec, { rows, matches });
    return typedAnswer<ExportEstimate>({
      request_id: requestId,
      rows,
      matches,
      bytes,
      rows_max: tooMany ? rowsMax : null,
      columns: presetHeadings(spec.output),
    });
  } finally {
    release();
  }
}

/** Number of rows in an export, and number of matches before limits. */
interface Extent {
  readonly rows: number;
  readonly matches: number;
}

/** Returns the size from the cache or computes it; dialogs request it often. */
async function knownBytes(
  segment: Segment,
  spec: AccountQuerySpec,
  extent: Extent,
): Promise<number> {
  const cache = caches.get(segment) ?? new Map<string, number>();
  caches.set(segment, cache);
  const key = specHash(spec);
  const bytes = cache.get(key) ?? (await bytesOf(segment, spec, extent));
  if (cache.size >= CACHED_MAX) cache.delete(cache.keys().next().value as string);
  cache.set(key, bytes);
  return bytes;
}

async function bytesOf(segment: Segment, spec: AccountQuerySpec, extent: Extent): Promise<number> {
  if (extent.rows <= WHOLE_ROWS_MAX) {
    let bytes = 0;
    await renderBytes({ segment, spec }, (part) => {
      bytes += part.byteLength;
    });
    return bytes;
  }
  const { rows, long } = SAMPLINGS[spec.output.format as ExportFormat];
  const wanted = { ...extent, sampled: rows };
  const sample = sampleOf(segment, spec, wanted);
  const few = await measureRows({ segment, spec }, sample.subarray(0, rows / 4));
  const all = await measureRows({ segment, spec }, sample);
  const perRow = (all - few) / (rows - rows / 4);
  return Math.round(all + perRow * long * (extent.rows - rows));
}

/**
 * Returns the sample rows. If a limit cuts the export to few rows, the sample is spread evenly over
 * these rows. Otherwise the sample is drawn from all matches in a random order with a fixed seed.
 */
function sampleOf(
  segment: Segment,
  spec: AccountQuerySpec,
  extent: Extent & { readonly sampled: number },
): Uint32Array {
  const { sampled } = extent;
  if (extent.rows < extent.matches && extent.rows <= FIRST_ROWS_MAX) {
    const first = firstRows(segment, spec, extent.rows);
    const step = first.length / sampled;
    return Uint32Array.from({ length: sampled }, (_, i) => first[Math.floor(i * step)] ?? 0);
  }
  const { industry } = spec.filters;
  const mode = industry.secondary_cnae_mode === "off" ? "off" : "full";
  const drawn: AccountQuerySpec = {
    ...spec,
    // With the mode `fallback`, matches come in two phases. The mode `full` selects the matches of
    // both phases with one query.
    filters: { ...spec.filters, industry: { ...industry, secondary_cnae_mode: mode } },
    sort: [{ field: "score", direction: "desc" }],
    scoring: { strategy: "random", random_seed: 1 },
  };
  return firstRows(segment, drawn, sampled);
}

function firstRows(segment: Segment, spec: AccountQuerySpec, limit: number): Uint32Array {
  const parts = [...scroll(segment, { ...spec, limit }).batches()];
  return Uint32Array.from(parts.flatMap((part) => [...part]));
}
