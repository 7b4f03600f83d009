/**
 * Spec routes: translate a sentence, and normalize a spec. Also the handler of `POST
 * /v1/spec/normalize`. Input: an account query or a lead query, possibly edited by hand.
 * Output: its normal form, the alterations, and its number of matches.
 * Invariant: only counts of matches are computed, and no search runs. Searches and exports accept
 * every spec accepted here.
 */

import { currentSegment, type Segment } from "../../../search/segment.ts";
import { DEFAULT_FIELDS } from "../../../spec/fields.ts";
import type { LeadQuery } from "../../../spec/leadschema.ts";
import {
  describeChanges,
  type NormalizationNote,
  normalizeSpec,
  tooBroad,
} from "../../../spec/normalize.ts";
import { isJsonObject } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { readLeadQuery } from "../../../translate/leads/leadquery.ts";
import {
  EXAMPLE_REQUEST,
  EXAMPLE_SOURCE,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  computed,
  mayContainWord,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  readTask,
  whenReady,
  withBodyMistakes,
} from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS, SPEC_ERRORS } from "../route.ts";
import { answerWith } from "../search/search.ts";
import { anySpecContext, bindLists, limitsFor, matchesOf } from "../search/search-request.ts";
import { answer } from "../typed-answer.ts";
import { translateLeads } from "./translate.ts";

function translated() {
  const { spec } = exampleNormalized("search");
  return {
    ...{ ...EXAMPLE_REQUEST, ...EXAMPLE_SOURCE, spec, explain: spec.explain },
    parts: [{ words: "restaurantes", start: 0, end: 12, role: "activity" }],
    ...{ matches: 1, suggestions: [], doubts: [] },
  };
}

function normalized() {
  const { spec, changes, warnings } = exampleNormalized("search");
  const found = { changes, warnings, matches: 1, too_broad: false };
  return { ...EXAMPLE_REQUEST, valid: true, spec, ...found };
}

/** Routes of specs. */
export const SPEC_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/leads/translate",
    access: "key",
    sheds: "first",
    cost: "lists",
    id: "translateLeads",
    tag: "spec",
    summary: "Translate a sentence",
    description:
      "Turns a Portuguese sentence into a spec without searching: what each part of it became, " +
      "what was assumed, what no filter expresses, and the exact total.",
    body: {
      schema: "TranslateRequest",
      example: { query_text: "restaurantes em MG abertos desde 2020 com e-mail, exceto MEI" },
    },
    answers: {
      200: { description: "The translation.", schema: "TranslateAnswer", example: translated },
    },
    errors: [...BODY_ERRORS, "field_not_allowed", ...SNAPSHOT_ERRORS],
    handle: translateLeads,
  }),
  route({
    method: "POST",
    path: "/v1/spec/normalize",
    access: "key",
    cost: "lists",
    id: "normalizeSpec",
    tag: "spec",
    summary: "Check and normalize a spec",
    description:
      "Names every mistake, or gives the normal form, what changed, and the total. Takes account " +
      "queries and lead queries; of the latter it also gives the account query.",
    body: { schema: "NormalizeRequest", example: { spec: EXAMPLE_SPEC } },
    answers: {
      200: { description: "The spec is valid.", schema: "NormalizeAnswer", example: normalized },
    },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "snapshot_unavailable"],
    handle: normalize,
  }),
];

interface ReadSpec {
  /** The spec in the normal form of its kind. */
  readonly spec: AccountQuerySpec | LeadQuery;
  /** The account query: the spec itself, or the result of compiling a lead query. */
  readonly query: AccountQuerySpec;
  readonly isLead: boolean;
  readonly changes: readonly NormalizationNote[];
  readonly warnings: readonly string[];
}

/** Parses a spec: an account query (search or export) or a lead query. */
export const NORMALIZE: Computation<ReadTask, ReadSpec> = {
  name: "normalize",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec"]);
    const { spec: input } = body.members;
    payer.spend(costOf({ spec: input }));
    if (isJsonObject(input) && input.kind === "lead_query") return readLead(task, segment, body);
    const { spec, warnings, changes } = withBodyMistakes(body, () =>
      normalizeSpec(input, {
        ...anySpecContext(task, segment, input),
        ...limitsFor(input, task.plan),
        listsKnown: true,
      }),
    );
    return { spec, query: spec, isLead: false, changes, warnings };
  },
};

/** Returns a lead query's normal form and the account query it compiles to. */
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

function normalize(
  call: KeyCall<"engine" | "retain" | "segment" | ReadPart>,
): Reply<ShapedAnswer<"NormalizeAnswer">> {
  const segment = currentSegment(call.service);
  // Lead queries need the translator's tables, which the worker has.
  const read = mayContainWord(call.body, "lead_query")
    ? computed(call, NORMALIZE, readTask(call), { segment })
    : readRequest(call, segment, NORMALIZE);
  return answerWith(call, segment, read, ({ spec, query, isLead: lead, changes, warnings }) => {
    const matched = whenReady(bindLists(call, segment, query), (bound) =>
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
