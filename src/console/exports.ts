/**
 * Exports as the console shows them. Input: the requests of the public routes, one to repeat an
 * export, and one to estimate it. Output: the public records with when, by whom and what they hold;
 * for an estimate the exact number of rows, and the size of the file from rows that were rendered
 * for it.
 * Invariant: an expired export is still listed, its file is not; links lead below /v1/console;
 * again means the same spec and output on the present snapshot, checked like any other request. An
 * estimate refuses what an export would refuse, with the same mistakes, except too many rows of its
 * format, which it reports; a small export is rendered whole, so that its size is exact.
 */
import type { AcceptedExport } from "../export/exporter.ts";
import { FORMATS } from "../export/formats/format.ts";
import type { ExportFormat, ExportRecord } from "../export/record.ts";
import { measureRows, renderBytes } from "../export/render.ts";
import { whenAnyAccepted } from "../http/api/exports/changeexport.ts";
import { createdJson, recordJson } from "../http/api/exports/export-record.ts";
import { idOf, pageOf, readAs } from "../http/api/exports/kept-exports.ts";
import { boundExportSpec } from "../http/api/exports/newexport.ts";
import { matchesOf } from "../http/api/search/search-request.ts";
import type { ReadPart } from "../http/server/compute.ts";
import { calledWith } from "../http/server/requestcall.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import { currentSegment, type KeyCall, type SessionCall } from "../http/server/service.ts";
import { scroll } from "../search/scroll.ts";
import type { Segment } from "../search/segment.ts";
import { specHash } from "../spec/identity.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { type Answered, answered, membersOf, refuseMistakes } from "./bodies.ts";
import { namesOf } from "./usage.ts";
import type { CreatedExport, ExportEstimate, ExportList, ExportView } from "./web/app/answers.ts";

/** `GET /exports`: the tenant's exports, newest first. */
export function listConsoleExports(
  call: SessionCall<"exporter" | "keyring" | "secrets" | "users">,
): HttpAnswer {
  const { records, next } = pageOf(call);
  const names = namesOf(call);
  const exports = records.map((record) => consoleRecord(call, names, record));
  return answered<ExportList>({ exports, next_cursor: next, has_more: next !== null });
}

/** `GET /exports/{id}`: one export, expired or not; with `wait` when it has come to its end. */
export function readConsoleExport(
  call: SessionCall<"clock" | "exporter" | "keyring" | "stopping" | "users" | "waits">,
): Reply {
  const names = namesOf(call);
  return readAs(call, (record) => answered<ExportView>(consoleRecord(call, names, record)));
}

/** What making an export of either kind takes. */
type MakingCall = SessionCall<
  | "changeLists"
  | "clock"
  | "engine"
  | "exporter"
  | "hold"
  | "keyring"
  | "months"
  | "replaced"
  | "segment"
  | ReadPart
  | "stopping"
  | "telemetry"
  | "users"
>;

/** `POST /exports`, of accounts or, with `since`, of changes. */
export function createConsoleExport(call: MakingCall): Reply {
  return whenAnyAccepted(call, (accepted) => createdAnswer(call, accepted));
}

/** `POST /exports/{id}/again`: the same spec and output on the present snapshot. */
export function exportAgain(call: MakingCall): Reply {
  const { exporter } = call.service;
  const { spec } = exporter.origin(call.identity.tenantId, idOf(call));
  const { since } = exporter.read(call.identity.tenantId, idOf(call));
  refuseMistakes(membersOf(call, []));
  // What was said of the snapshot of then need not hold for that of now.
  const { explain: _, ...wanted } = spec;
  const changes =
    since === null ? {} : { since: since.snapshot, kinds: since.kinds, watch: since.watch };
  const members = { spec: wanted, output: spec.output, ...changes };
  const body = Buffer.from(JSON.stringify(members));
  return whenAnyAccepted(calledWith(call, { body }), (accepted) => createdAnswer(call, accepted));
}

function createdAnswer(
  call: SessionCall<"exporter" | "keyring" | "users">,
  accepted: AcceptedExport,
): HttpAnswer {
  const { record, spec, replayed } = accepted;
  const { object_key: _, ...created } = createdJson(record);
  const names = namesOf(call);
  const answer = {
    request_id: call.requestId,
    snapshot: record.snapshot,
    snapshot_date: record.snapshotDate,
    spec,
    export: { ...created, ...besides(call, names, record) },
  };
  const replay = replayed ? { "Idempotent-Replayed": "true" } : {};
  return {
    ...answered<CreatedExport>(answer, 201),
    headers: { Location: pathOf(record), ...replay },
  };
}

/** Names of keys and e-mails of users by what stands for them in exports. */
type Names = ReadonlyMap<string, string>;

function consoleRecord(
  call: SessionCall<"exporter">,
  names: Names,
  record: ExportRecord,
): Answered<ExportView> {
  return { ...recordJson(record), ...besides(call, names, record) };
}

/** What the console says of an export beside the public record. */
type Besides = Pick<
  ExportView,
  "download_url" | "expired" | "created_at" | "created_by" | "slug" | "spec"
>;

function besides(
  { service, identity }: SessionCall<"exporter">,
  names: Names,
  record: ExportRecord,
): Answered<Besides> {
  const { spec, keyId } = service.exporter.origin(identity.tenantId, record.id);
  const ready = record.state === "done" && !record.expired;
  return {
    download_url: ready ? `${pathOf(record)}/download` : null,
    expired: record.expired,
    created_at: new Date(record.createdAtMs).toISOString(),
    created_by: names.get(keyId ?? "") ?? null,
    slug: record.slug,
    spec,
  };
}

function pathOf({ id }: ExportRecord): string {
  return `/v1/console/exports/${id}`;
}

/** Up to so many rows are rendered whole. */
const WHOLE_ROWS_MAX = 2_048;
/** Up to so many rows of an answer that is cut the sample is taken from those that stay. */
const FIRST_ROWS_MAX = 16_384;
/** Sizes kept per snapshot. */
const KEPT_MAX = 128;

/** How the size of a long file follows from samples of it. */
interface Sampling {
  /** Rows of the sample; what they take beyond a quarter of them is what further rows take. */
  readonly rows: number;
  /** Bytes of a row in a long file, in those of a further row of the sample. */
  readonly long: number;
}

/**
 * Measured over 1,000,000 accounts of bench/questions/corpus.ts, exports of 10,000 to 285,000 rows
 * with the default fields, all fields, codes alone, and names with contacts: xlsx comes out 0.96 to
 * 1.08 of the real size. Parquet came out 1.00 to 1.30, because its dictionaries serve more rows in
 * long row groups; hence 0.9 and the larger sample.
 */
const SAMPLINGS: Readonly<Record<ExportFormat, Sampling>> = {
  csv: { rows: 1_024, long: 1 },
  html: { rows: 1_024, long: 1 },
  jsonl: { rows: 1_024, long: 1 },
  xlsx: { rows: 1_024, long: 1 },
  parquet: { rows: 2_048, long: 0.9 },
};

const caches = new WeakMap<Segment, Map<string, number>>();

/** Tells how large an export would be. */
export async function estimateExport(
  call: KeyCall<"engine" | "hold" | "segment" | ReadPart>,
): Promise<HttpAnswer> {
  const { service, requestId } = call;
  const segment = currentSegment(service);
  const release = service.hold(segment);
  try {
    const spec = await boundExportSpec(call, segment);
    const matches = await matchesOf(call, segment, spec);
    const rows = Math.min(spec.limit, matches);
    const { rowsMax } = FORMATS[spec.output.format as ExportFormat];
    const tooMany = rowsMax !== null && rows > rowsMax;
    const bytes = await knownBytes(segment, spec, { rows, matches });
    return answered<ExportEstimate>({
      request_id: requestId,
      rows,
      matches,
      bytes,
      rows_max: tooMany ? rowsMax : null,
    });
  } finally {
    release();
  }
}

/** How many rows an export has, of how many matches. */
interface Extent {
  readonly rows: number;
  readonly matches: number;
}

/** A dialog asks for the same size again and again. */
async function knownBytes(
  segment: Segment,
  spec: AccountQuerySpec,
  extent: Extent,
): Promise<number> {
  const cache = caches.get(segment) ?? new Map<string, number>();
  caches.set(segment, cache);
  const key = specHash(spec);
  const bytes = cache.get(key) ?? (await bytesOf(segment, spec, extent));
  if (cache.size >= KEPT_MAX) cache.delete(cache.keys().next().value as string);
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
 * Rows that stand for an export: drawn from all matches by the seeded order, or where a limit cuts
 * the answer, spread over those that stay. Of a long answer that is cut they are drawn from all.
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
    // The two phases of a fallback hold what `full` holds as one.
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
