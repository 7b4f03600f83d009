/**
 * `POST /v1/accounts/count`. Input: a spec and names of facets. Output: the exact number of
 * matches, and facets.
 * Invariant: the total equals that of a search or export of the same spec; facets count all
 * matches.
 */
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import type { FacetName } from "../../../spec/facets.ts";
import { tooBroad } from "../../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
import {
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  whenReady,
} from "../../server/body.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { timedAsync } from "../../server/telemetry.ts";
import { answer } from "../typed-answer.ts";
import { tookMs } from "./page-answer.ts";
import { answerWith } from "./search.ts";
import { boundTo, readEither, readFacets, refuseTooBroad } from "./search-request.ts";

interface CountQuestion {
  readonly spec: AccountQuerySpec;
  readonly facets: readonly FacetName[] | null;
}

/** Parses and charges a request. Throws `AppError` with every mistake in it. */
export const COUNT: Computation<ReadTask, CountQuestion> = {
  name: "count",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec", "facets"]);
    const { spec: input, facets: named } = body.members;
    payer.spend(costOf({ spec: input, facets: named }));
    const facets = readFacets(body);
    return { spec: readEither(task, segment, body).spec, facets };
  },
};

type CountCall = QueryContext<"clock" | "engine" | "retain" | "segment" | "telemetry" | ReadPart>;

/** Counts the matches of a spec. */
export function countAccounts(call: CountCall): Reply<ShapedAnswer<"CountAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, COUNT), (question) =>
    whenReady(boundTo(call, segment, question.spec), (bound) =>
      answerCount(call, { ...question, segment, bound, startMs }),
    ),
  );
}

/** A count request whose spec is bound to its lists. */
interface BoundQuestion extends CountQuestion {
  readonly segment: Segment;
  readonly bound: AccountQuerySpec;
  readonly startMs: number;
}

function answerCount(
  call: CountCall,
  { segment, spec, bound, facets, startMs }: BoundQuestion,
): Reply<ShapedAnswer<"CountAnswer">> {
  const { engine, clock } = call.service;
  const missing = tooBroad(spec)?.missing ?? null;
  refuseTooBroad(engine, segment, { spec: bound, missing });
  const { lists } = bound.filters;
  const tag = weakTag([
    ...["count", segment.snapshotId],
    JSON.stringify(lists === undefined ? spec : [spec, lists]),
    String(facets),
  ]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const counts = timedAsync(call, facets === null ? "count" : "facets", () =>
    engine.counts(segment, bound, facets, call.identity.tenantId),
  );
  return whenReady(counts, (counted) => {
    const value = {
      request_id: call.requestId,
      snapshot: segment.label,
      snapshot_date: segment.snapshotDate,
      provenance: segment.provenance,
      spec,
      total: counted.total,
      ...(counted.facets === null ? {} : { facets: counted.facets }),
      took_ms: tookMs(clock, startMs),
    };
    return answer("CountAnswer", value, { headers: { ETag: tag } });
  });
}
