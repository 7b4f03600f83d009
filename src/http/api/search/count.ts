/**
 * `POST /v1/accounts/count`. Input: a spec, names of facets, and pairs of names. Output: the exact
 * number of matches, facets, and tables of pairs, as JSON, or as CSV or XLSX if Accept prefers it.
 * Invariant: the total equals that of a search or export of the same spec. Facets count all
 * matches. JSON lists the most frequent values, and a file lists all. Tables and files are made on
 * the compute thread (count-tables.ts).
 */

import { AppError } from "../../../errors.ts";
import { countInTurn, type FacetRequest, tooLarge } from "../../../search/cross.ts";
import type { MatchCounts } from "../../../search/searcher.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import {
  COUNT_LAYOUTS,
  type CountLayout,
  type FacetName,
  type FacetPair,
  fitsTable,
} from "../../../spec/facets.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "../../../spec/fields/words.ts";
import { tooBroad } from "../../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  whenReady,
} from "../../server/body.ts";
import { JSON_TYPE, type ShapedAnswer, unchanged, weakTag, written } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { timedAsync } from "../../server/telemetry.ts";
import { answer } from "../typed-answer.ts";
import { COUNT_TABLES, type CountTablesTask, movedMemory } from "./count-tables.ts";
import { tookMs, withBytes } from "./page-answer.ts";
import { answerWith } from "./search.ts";
import {
  bindLists,
  CONTENT_TYPES,
  type FileFormat,
  notOfJson,
  readAnySpec,
  readChoice,
  readFacetPairs,
  refuseTooBroad,
  wantedFormat,
} from "./search-request.ts";

interface CountQuestion {
  readonly spec: AccountQuerySpec;
  readonly facets: readonly FacetName[] | null;
  readonly pairs: readonly FacetPair[];
  /** Label language of a file, or null for machine-readable names. */
  readonly labels: LabelLanguage | null;
  /** Layout of a file, or null if the request names none. */
  readonly layout: CountLayout | null;
}

/** Parses and charges a request. Throws `AppError` with every mistake in it. */
export const COUNT: Computation<ReadTask, CountQuestion> = {
  name: "count",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec", "facets", "labels", "layout"]);
    const { spec: input, facets: named } = body.members;
    payer.spend(costOf({ spec: input, facets: named }));
    const { names: facets, pairs } = readFacetPairs(body);
    const labels = readChoice(body, "labels", LABEL_LANGUAGES);
    const layout = readChoice(body, "layout", COUNT_LAYOUTS);
    if (layout !== null) refuseTable(body, layout, fitsTable(facets ?? [], pairs));
    return { spec: readAnySpec(task, segment, body).spec, facets, pairs, labels, layout };
  },
};

/** Adds a mistake if a table is requested without exactly one pair of facets. */
function refuseTable({ mistakes }: BodyObject, layout: CountLayout | null, fits: boolean): void {
  if (layout !== "table" || fits) return;
  const detail = "A table needs exactly one pair in facets, and no other facet. Use lines.";
  mistakes.push({ pointer: "/layout", code: "not_one_pair", detail });
}

type CountCall = QueryContext<"clock" | "engine" | "retain" | "segment" | "telemetry" | ReadPart>;
type CountReply = Reply<ShapedAnswer<"CountAnswer">>;

/** Counts the matches of a spec of any breadth; console users may see the whole registry. */
export function countAnyAccounts(call: CountCall): CountReply {
  return countBound(call, () => {});
}

/** Counts the matches of a spec. */
export function countAccounts(call: CountCall): CountReply {
  return countBound(call, ({ segment, spec, bound }) => {
    const missing = tooBroad(spec)?.missing ?? null;
    refuseTooBroad(call.service.engine, segment, { spec: bound, missing });
  });
}

function countBound(call: CountCall, refuseBroad: (question: BoundQuestion) => void): CountReply {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, COUNT), (question) =>
    whenReady(bindLists(call, segment, question.spec), (bound) => {
      const whole = { ...question, segment, bound, startMs };
      refuseBroad(whole);
      return answerCount(call, whole);
    }),
  );
}

/** A count request. In `bound`, the ids of lists are replaced by the lists' current revisions. */
interface BoundQuestion extends CountQuestion {
  readonly segment: Segment;
  readonly bound: AccountQuerySpec;
  readonly startMs: number;
}

function answerCount(call: CountCall, question: BoundQuestion): CountReply {
  const { segment, spec, bound, facets, pairs, labels, layout } = question;
  refuseLarge(segment, pairs);
  const format = wantedFormat(call);
  if (format === "json" && labels !== null) throw notOfJson("labels");
  if (format === "json" && layout !== null) throw notOfJson("layout");
  const { lists } = bound.filters;
  const tag = weakTag([
    ...["count", segment.snapshotId],
    JSON.stringify(lists === undefined ? spec : [spec, lists]),
    String(facets),
    ...(pairs.length === 0 ? [] : [JSON.stringify(pairs)]),
    ...(format === "json" ? [] : [format, String(labels), String(layout)]),
  ]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  if (format !== "json") return fileAnswer(call, question, format, tag);
  return pairs.length === 0 ? jsonAnswer(call, question, tag) : tablesAnswer(call, question, tag);
}

/** Answers with the total and the facets. */
function jsonAnswer(call: CountCall, question: BoundQuestion, tag: string): CountReply {
  return whenReady(countedFacets(call, question), (counted) => {
    const took_ms = tookMs(call.service.clock, question.startMs);
    const value = { ...membersOf(call, question, counted), took_ms };
    return answer("CountAnswer", value, { headers: { ETag: tag } });
  });
}

/** Answers with the total, the facets, and the tables of pairs. */
async function tablesAnswer(
  call: CountCall,
  question: BoundQuestion,
  tag: string,
): Promise<ShapedAnswer<"CountAnswer">> {
  call.service.compute.ensureHere();
  const counted = await countedFacets(call, question);
  const bytes = await tablesOf(call, question, { names: [], pairs: question.pairs }, null);
  const took = tookMs(call.service.clock, question.startMs);
  const body = withBytes(membersOf(call, question, counted), "crosses", bytes, took);
  const headers = { ETag: tag };
  return written("CountAnswer", { status: 200, type: JSON_TYPE, body, headers });
}

function countedFacets(call: CountCall, { segment, bound, facets }: BoundQuestion) {
  return timedAsync(call, facets === null ? "count" : "facets", () =>
    call.service.engine.counts(segment, bound, facets, call.identity.tenantId),
  );
}

function membersOf(
  { requestId }: CountCall,
  { segment, spec }: BoundQuestion,
  { total, facets }: MatchCounts,
) {
  return {
    request_id: requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    spec,
    total,
    ...(facets === null ? {} : { facets }),
  };
}

async function fileAnswer(
  call: CountCall,
  question: BoundQuestion,
  format: FileFormat,
  tag: string,
): Promise<ShapedAnswer<"CountAnswer">> {
  call.service.compute.ensureHere();
  const { segment, spec, pairs, labels } = question;
  const request = { names: question.facets ?? [], pairs };
  const layout = question.layout ?? (fitsTable(request.names, pairs) ? "table" : "lines");
  const body = await tablesOf(call, question, request, { format, layout, labels, spec });
  const disposition = `attachment; filename="counts-${segment.label}.${format}"`;
  const headers = { ETag: tag, "Content-Disposition": disposition };
  return written("CountAnswer", { status: 200, type: CONTENT_TYPES[format], body, headers });
}

/** Counts when it is the tenant's turn, and has the compute thread make the tables. */
async function tablesOf(
  call: CountCall,
  { segment, bound }: BoundQuestion,
  request: FacetRequest,
  file: CountTablesTask["file"],
): Promise<Uint8Array> {
  const { tenantId } = call.identity;
  const codes = await countInTurn(segment, bound, request, tenantId);
  const context = { segment, payer: call, tenantId, ...movedMemory([codes]) };
  return call.service.compute.run(COUNT_TABLES, { request, codes, file }, context);
}

/** Throws for a pair whose table would be too large. */
function refuseLarge(segment: Segment, pairs: readonly FacetPair[]): void {
  const large = pairs.filter((pair) => tooLarge(segment, pair));
  if (large.length === 0) return;
  const names = large.map((pair) => pair.join(" and ")).join("; ");
  const detail = `A table of ${names} has too many cells. Name a coarser facet.`;
  const errors = [{ pointer: "/facets", code: "too_many_cells", detail }];
  throw new AppError("invalid_request", detail, { errors });
}
