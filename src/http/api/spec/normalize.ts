/**
 * `POST /v1/spec/normalize`. What comes in: a spec of either kind that somebody edited. What goes
 * out: its normal form, what that changed, and how many accounts it matches.
 * Invariant: runs nothing but the count; what it accepts is what a search or an export accepts.
 */

import { type Plan, specRowsMax } from "../../../access/plans.ts";
import { whenReady } from "../../../scheduling/ready.ts";
import type { Segment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/breadth.ts";
import { DEFAULT_FIELDS, EXPORT_FORMATS } from "../../../spec/fields.ts";
import type { LeadQuery } from "../../../spec/leadschema.ts";
import { describeChanges, type NormalizationNote } from "../../../spec/normalizationnotes.ts";
import { type NormalizeContext, normalizeSpec } from "../../../spec/normalize.ts";
import { isJsonObject } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { readLeadQuery } from "../../../translate/leads/leadquery.ts";
import { type BodyObject, mayHold, readBody, withBodyMistakes } from "../../server/body.ts";
import {
  computed,
  type ReadPart,
  type ReadTask,
  readRequest,
  readTask,
  type Work,
} from "../../server/compute.ts";
import { costOf } from "../../server/cost.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import { currentSegment, type KeyCall, type Question } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { answerWith } from "../search/search.ts";
import { boundTo, SEARCH_LIMIT_DEFAULT } from "../search/search-request.ts";

/** A spec of either kind that was read. */
interface ReadSpec {
  /** In its own normal form. */
  readonly spec: AccountQuerySpec | LeadQuery;
  /** The account query that it is or stands for. */
  readonly query: AccountQuerySpec;
  readonly isLead: boolean;
  readonly changes: readonly NormalizationNote[];
  readonly warnings: readonly string[];
}

/** Reads an account query of a search or of an export. */
export const NORMALIZE: Work<ReadTask, ReadSpec> = {
  name: "normalize",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec"]);
    const { spec: input } = body.members;
    payer.spend(costOf({ spec: input }));
    if (isJsonObject(input) && input.kind === "lead_query") return readLead(task, segment, body);
    const { spec, warnings, changes } = withBodyMistakes(body, () =>
      normalizeSpec(input, {
        ...eitherContext(task, segment, input),
        ...limitsFor(input, task.plan),
        listsKnown: true,
      }),
    );
    return { spec, query: spec, isLead: false, changes, warnings };
  },
};

/** A lead query: its own normal form, and the account query that it stands for. */
function readLead({ plan }: ReadTask, segment: Segment, body: BodyObject): ReadSpec {
  const { spec: input } = body.members;
  const limits = limitsFor(undefined, plan);
  return withBodyMistakes(body, () => {
    const { query: lead, compiled, warnings } = readLeadQuery(input, { segment, ...limits });
    const { spec } = normalizeSpec(compiled, {
      catalog: segment.catalog,
      ...limits,
      fullAllowed: false,
      allowedFields: plan.fields,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
    });
    const changes = describeChanges(input, lead, "/spec");
    return { spec: lead, query: spec, isLead: true, changes, warnings };
  });
}

/** Validates and normalizes an account query of a search or of an export, or a lead query. */
export function normalize(
  call: KeyCall<"engine" | "hold" | "segment" | ReadPart>,
): Reply<ShapedAnswer<"NormalizeAnswer">> {
  const segment = currentSegment(call.service);
  // A lead query needs the tables of the translator, which the thread has.
  const read = mayHold(call.body, "lead_query")
    ? computed(call, NORMALIZE, readTask(call), { segment })
    : readRequest(call, segment, NORMALIZE);
  return answerWith(call, segment, read, ({ spec, query, isLead: lead, changes, warnings }) => {
    const matched = whenReady(boundTo(call, segment, query), (bound) =>
      matchesOf(call, segment, bound),
    );
    return whenReady(matched, (matches) =>
      answer("NormalizeAnswer", {
        request_id: call.requestId,
        valid: true,
        spec,
        ...(lead ? { compiled: query } : {}),
        changes,
        warnings,
        matches,
        too_broad: tooBroad(query) !== null,
      }),
    );
  });
}

/** The exact number of matches; the engine counts a long spec off the thread that answers. */
export function matchesOf(
  { service: { engine }, identity: { tenantId } }: Question<"engine">,
  segment: Segment,
  spec: AccountQuerySpec,
): number | Promise<number> {
  return whenReady(engine.counts(segment, spec, null, tenantId), ({ total }) => total);
}

/** Reads the spec in a body as a search or an export would take it. */
export function readEither(
  task: ReadTask,
  segment: Segment,
  body: BodyObject,
): { readonly spec: AccountQuerySpec; readonly warnings: readonly string[] } {
  const { spec: input } = body.members;
  const { listsKnown } = task;
  const { spec, warnings } = withBodyMistakes(body, () =>
    normalizeSpec(input, { ...eitherContext(task, segment, input), listsKnown }),
  );
  return { spec, warnings };
}

/** What a spec is normalized by that is only counted: what a search or an export would take. */
export function eitherContext(
  { plan, secondaryCnaeFull }: Pick<ReadTask, "plan" | "secondaryCnaeFull">,
  segment: Segment,
  input: unknown,
): NormalizeContext {
  return {
    catalog: segment.catalog,
    // As of a search, so that what comes back can be sent to one.
    limitDefault: limitsFor(input, plan).limitDefault,
    limitCap: specRowsMax(plan),
    fullAllowed: plan.secondaryCnaeFull && secondaryCnaeFull,
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
