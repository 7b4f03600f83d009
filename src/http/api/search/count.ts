/**
 * `POST /v1/accounts/count`. Input: a spec, names of facets, and pairs of names. Output: the exact
 * number of matches, facets, and tables of pairs, as JSON, or as CSV or XLSX if Accept prefers it.
 * Invariant: the total equals that of a search or export of the same spec. Facets count all
 * matches. JSON lists the most frequent values, and a file lists all.
 */

import { AppError } from "../../../errors.ts";
import { countCsv, countXlsx } from "../../../export/formats/countfile.ts";
import { type CrossTable, countInTurn, tooLarge } from "../../../search/cross.ts";
import { FACET_VALUES_MAX } from "../../../search/facet.ts";
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
import { type ShapedAnswer, unchanged, weakTag, written } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { timedAsync } from "../../server/telemetry.ts";
import { answer } from "../typed-answer.ts";
import { tookMs } from "./page-answer.ts";
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

/** Counts the matches of a spec of any breadth; console users may see the whole registry. */
export function countAnyAccounts(call: CountCall): Reply<ShapedAnswer<"CountAnswer">> {
  return countBound(call, () => {});
}

/** Counts the matches of a spec. */
export function countAccounts(call: CountCall): Reply<ShapedAnswer<"CountAnswer">> {
  return countBound(call, ({ segment, spec, bound }) => {
    const missing = tooBroad(spec)?.missing ?? null;
    refuseTooBroad(call.service.engine, segment, { spec: bound, missing });
  });
}

function countBound(
  call: CountCall,
  refuseBroad: (question: BoundQuestion) => void,
): Reply<ShapedAnswer<"CountAnswer">> {
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

function answerCount(call: CountCall, question: BoundQuestion): Reply<ShapedAnswer<"CountAnswer">> {
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
  return jsonAnswer(call, question, tag);
}

function jsonAnswer(
  call: CountCall,
  question: BoundQuestion,
  tag: string,
): Reply<ShapedAnswer<"CountAnswer">> {
  const { segment, spec, bound, facets, pairs, startMs } = question;
  const { engine, clock } = call.service;
  const { tenantId } = call.identity;
  const counts = timedAsync(call, facets === null ? "count" : "facets", () =>
    engine.counts(segment, bound, facets, tenantId),
  );
  const crossed =
    pairs.length === 0 ? null : countInTurn(segment, bound, { names: [], pairs }, tenantId);
  return whenReady(counts, (counted) =>
    whenReady(crossed, (tables) => {
      const value = {
        request_id: call.requestId,
        snapshot: segment.label,
        snapshot_date: segment.snapshotDate,
        provenance: segment.provenance,
        spec,
        total: counted.total,
        ...(counted.facets === null ? {} : { facets: counted.facets }),
        ...(tables === null ? {} : { crosses: tables.crosses.map(cut) }),
        took_ms: tookMs(clock, startMs),
      };
      return answer("CountAnswer", value, { headers: { ETag: tag } });
    }),
  );
}

async function fileAnswer(
  call: CountCall,
  question: BoundQuestion,
  format: FileFormat,
  tag: string,
): Promise<ShapedAnswer<"CountAnswer">> {
  const { segment, spec, bound, facets, pairs, labels } = question;
  const request = { names: facets ?? [], pairs };
  const counts = await countInTurn(segment, bound, request, call.identity.tenantId);
  const layout = question.layout ?? (fitsTable(request.names, pairs) ? "table" : "lines");
  const file = { counts, labels, layout, segment, spec };
  const body = format === "csv" ? countCsv(file) : countXlsx(file);
  const disposition = `attachment; filename="counts-${segment.label}.${format}"`;
  const headers = { ETag: tag, "Content-Disposition": disposition };
  return written("CountAnswer", { status: 200, type: CONTENT_TYPES[format], body, headers });
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

/** Returns the most frequent rows and columns of a table, with sums of the omitted ones. */
function cut({ facets, rows, columns, counts }: CrossTable) {
  const some = <Item>(items: readonly Item[]) => items.slice(0, FACET_VALUES_MAX);
  return {
    facets,
    rows: some(rows),
    columns: some(columns),
    counts: some(counts).map(some),
    other_rows: others(rows),
    other_columns: others(columns),
  };
}

function others(all: CrossTable["rows"]): { readonly values: number; readonly count: number } {
  const rest = all.slice(FACET_VALUES_MAX);
  return { values: rest.length, count: rest.reduce((sum, { count }) => sum + count, 0) };
}
