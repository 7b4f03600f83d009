/**
 * `POST /v1/accounts/count`. What comes in: a spec and the names of facets. What goes out: the
 * exact number of matches and how they spread, without any account.
 * Invariant: the total is that of a search or the number of matches of an export of the same spec;
 * facets are counted over all of them.
 */
import { type Steps, waited } from "../../../scheduling/steps.ts";
import type { Segment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/breadth.ts";
import { normalizingSteps } from "../../../spec/normalize.ts";
import { readBody, withBodyMistakesIn } from "../../server/body.ts";
import { costOf } from "../../server/cost.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import { currentSegment, type Question, timedLater } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { eitherContext } from "../spec/normalize.ts";
import { answerSteps } from "./search.ts";
import { boundSteps, isSmall, readFacets, refuseTooBroad } from "./search-request.ts";

/** Counts the matches of a spec. */
export function countAccounts(
  call: Question<
    "clock" | "engine" | "hold" | "listed" | "secondaryCnaeFull" | "segment" | "telemetry"
  >,
): Reply<ShapedAnswer<"CountAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerSteps(call, segment, countSteps(call, segment, startMs));
}

function* countSteps(
  call: Question<"clock" | "engine" | "listed" | "secondaryCnaeFull" | "telemetry">,
  segment: Segment,
  startMs: number,
): Steps<ShapedAnswer<"CountAnswer">> {
  const { service } = call;
  if (!isSmall(call.body)) yield;
  const body = readBody(call.body, ["spec", "facets"]);
  call.spend(costOf({ spec: body.members.spec, facets: body.members.facets }));
  const names = readFacets(body);
  if (!isSmall(call.body)) yield;
  const { spec } = yield* withBodyMistakesIn(body, () =>
    normalizingSteps(body.members.spec, {
      ...eitherContext(call, segment, body.members.spec),
      listsKnown: service.listed !== null,
    }),
  );
  const bound = yield* boundSteps(call, segment, spec);
  if (!isSmall(call.body)) yield;
  refuseTooBroad(service.engine, segment, {
    spec: bound,
    missing: tooBroad(spec)?.missing ?? null,
  });
  const tag = weakTag([
    "count",
    segment.snapshotId,
    JSON.stringify(bound.filters.lists === undefined ? spec : [spec, bound.filters.lists]),
    String(names),
  ]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const counted = yield* waited(
    timedLater(call, names === null ? "count" : "facets", () =>
      service.engine.counts(segment, bound, names, call.identity.tenantId),
    ),
  );
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    spec,
    total: counted.total,
    ...(counted.facets === null ? {} : { facets: counted.facets }),
    took_ms: Math.round((service.clock.monotonicMs() - startMs) * 1000) / 1000,
  };
  return answer("CountAnswer", value, { headers: { ETag: tag } });
}
