/**
 * `POST /v1/spec/normalize`. What comes in: a spec of either kind that somebody edited. What goes
 * out: its normal form, what that changed, and how many accounts it matches.
 * Invariant: runs nothing but the count; what it accepts is what a search or an export accepts.
 */

import { type Plan, specRowsMax } from "../../../access/plans.ts";
import { type Steps, waited } from "../../../scheduling/steps.ts";
import type { Segment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/breadth.ts";
import { DEFAULT_FIELDS, EXPORT_FORMATS } from "../../../spec/fields.ts";
import { describeChanges } from "../../../spec/normalizationnotes.ts";
import { type NormalizeContext, normalizingSteps } from "../../../spec/normalize.ts";
import { isJsonObject } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { leadQuerySteps } from "../../../translate/leads/leadquery.ts";
import { type BodyObject, readBody, withBodyMistakesIn } from "../../server/body.ts";
import { costOf } from "../../server/cost.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import { currentSegment, type KeyCall, type Question } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { answerSteps } from "../search/search.ts";
import { boundSteps, isSmall, SEARCH_LIMIT_DEFAULT } from "../search/search-request.ts";

/** Validates and normalizes an account query of a search or of an export, or a lead query. */
export function normalize(
  call: KeyCall<"engine" | "hold" | "listed" | "secondaryCnaeFull" | "segment">,
): Reply<ShapedAnswer<"NormalizeAnswer">> {
  const segment = currentSegment(call.service);
  return answerSteps(call, segment, normalizeSteps(call, segment));
}

function* normalizeSteps(
  call: KeyCall<"engine" | "listed" | "secondaryCnaeFull">,
  segment: Segment,
): Steps<ShapedAnswer<"NormalizeAnswer">> {
  const { body, requestId } = call;
  if (!isSmall(body)) yield;
  const read = readBody(body, ["spec"]);
  const { spec: input } = read.members;
  call.spend(costOf({ spec: input }));
  if (!isSmall(body)) yield;
  if (isJsonObject(input) && input.kind === "lead_query") {
    return yield* leadSteps(call, segment, read);
  }
  const normalized = yield* withBodyMistakesIn(read, () =>
    normalizingSteps(input, {
      ...eitherContext(call, segment, input),
      ...limitsFor(input, call.plan),
      listsKnown: true,
    }),
  );
  const { spec, warnings } = normalized;
  if (!isSmall(body)) yield;
  const bound = yield* boundSteps(call, segment, spec);
  const matches = yield* matchesOf(call, segment, bound);
  if (!isSmall(body)) yield;
  return answer("NormalizeAnswer", {
    request_id: requestId,
    valid: true,
    spec,
    changes: normalized.changes,
    warnings,
    matches,
    too_broad: tooBroad(spec) !== null,
  });
}

/** A lead query: its own normal form, and the account query that it stands for. */
function* leadSteps(
  call: KeyCall<"engine">,
  segment: Segment,
  body: BodyObject,
): Steps<ShapedAnswer<"NormalizeAnswer">> {
  const { plan, requestId } = call;
  const { spec: input } = body.members;
  const limits = limitsFor(undefined, plan);
  const { query, compiled, warnings } = yield* withBodyMistakesIn(body, function* () {
    const read = yield* leadQuerySteps(input, { segment, ...limits });
    const { spec } = yield* normalizingSteps(read.compiled, {
      catalog: segment.catalog,
      ...limits,
      fullAllowed: false,
      allowedFields: plan.fields,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
    });
    return { ...read, compiled: spec };
  });
  const matches = yield* matchesOf(call, segment, compiled);
  return answer("NormalizeAnswer", {
    request_id: requestId,
    valid: true,
    spec: query,
    compiled,
    changes: describeChanges(input, query, "/spec"),
    warnings,
    matches,
    too_broad: tooBroad(compiled) !== null,
  });
}

/** The exact number of matches; that of a long spec is counted aside. */
export function* matchesOf(
  { service: { engine }, identity: { tenantId } }: Question<"engine">,
  segment: Segment,
  spec: AccountQuerySpec,
): Steps<number> {
  return (yield* waited(engine.counts(segment, spec, null, tenantId))).total;
}

/** What a spec is normalized by that is only counted: what a search or an export would take. */
export function eitherContext(
  { service, plan }: Question<"secondaryCnaeFull">,
  segment: Segment,
  input: unknown,
): NormalizeContext {
  return {
    catalog: segment.catalog,
    // As of a search, so that what comes back can be sent to one.
    limitDefault: limitsFor(input, plan).limitDefault,
    limitCap: specRowsMax(plan),
    fullAllowed: plan.secondaryCnaeFull && service.secondaryCnaeFull,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "either",
  };
}

/** An export format in the spec says that it is meant for an export. */
function limitsFor(input: unknown, plan: Plan): { limitDefault: number; limitCap: number } {
  const output = isJsonObject(input) ? input.output : undefined;
  const format = isJsonObject(output) ? output.format : undefined;
  const searchLimit = plan.limits.search_limit;
  const exportRows = specRowsMax(plan);
  return EXPORT_FORMATS.some((known) => known === format)
    ? { limitDefault: exportRows, limitCap: exportRows }
    : { limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, searchLimit), limitCap: searchLimit };
}
