/**
 * `POST /v1/leads`. Input: a sentence or a lead query, with a cursor for further pages.
 * Output: one page of leads, with the account query that ran.
 * Invariant: the leads are those of a search with the shown spec, in its order. For each company,
 * only the first matching account is returned unless all establishments are requested. A
 * sentence that was hardly understood is refused, never run.
 */

import type { Segment } from "../../../search/segment.ts";
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_END,
  EXAMPLE_HEAD,
  exampleNormalized,
} from "../../openapi/examples.ts";
import type { ReadPart } from "../../server/body.ts";
import type { HttpAnswer, ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import {
  type ApiRoute,
  BODY_ERRORS,
  CURSOR_ERRORS,
  IF_NONE_MATCH,
  route,
  SNAPSHOT_ERRORS,
} from "../route.ts";
import {
  answerPage,
  cacheableOf,
  cachedPage,
  cachePage,
  segmentFor,
  withRetainedSegment,
} from "../search/search.ts";
import { leadProjector } from "./lead.ts";
import { type LeadsRequest, prepareLeads } from "./leads-request.ts";

/** Spec of the examples as a lead query. */
const EXAMPLE_QUERY = {
  kind: "lead_query",
  spec_version: "1.0",
  activities: ["restaurantes"],
  cities: ["Belo Horizonte", "Bom Jesus/PI"],
  sizes: ["micro", "pequena"],
  opened_after: "2020",
  has_email: true,
  mei: false,
};

const EXAMPLE_LEAD = {
  ...EXAMPLE_ACCOUNT,
  cnpj_root: "11222333",
  trade_name: "CANTINA INVENTADA",
  headquarters: true,
  cnae_primary_description: "Restaurantes e similares",
  municipality_name: "Belo Horizonte",
  email: "contato@cantina-inventada.example",
  phones: ["+553130000000"],
  size: "microempresa",
  age: "6 anos e 2 meses",
  score: 812,
  score_reasons: ["situação cadastral: +420", "tem e-mail: +110", "tem telefone: +81"],
};
const example = () => ({
  ...{ ...EXAMPLE_HEAD, spec: exampleNormalized("search").spec },
  ...{ one_per_company: true, leads: [EXAMPLE_LEAD], ...EXAMPLE_END, total: 1, took_ms: 0.412 },
});

/** The route of leads. */
export const LEAD_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/leads",
    access: "key",
    sheds: "last",
    cost: "page",
    id: "searchLeads",
    tag: "accounts",
    summary: "Search leads by a sentence or a flat spec",
    description:
      "Answers a page of companies with what a seller needs of each. Send query_text, a sentence " +
      "in Portuguese or English, or spec, a lead_query. The answer shows the account query that " +
      "ran; POST /v1/accounts/search finds the same accounts with it, in the same order. Of a " +
      "company with several establishments only the best-placed one comes, unless " +
      "one_per_company is false; total counts the accounts that match. Accounts without e-mail " +
      "address and phone are left out unless the sentence or the spec speaks of contact. Fields " +
      "outside the plan are left out. Words are Portuguese, or English where the sentence is. " +
      "Send next_cursor as cursor with the same sentence or spec for the next page; limit may " +
      "change from page to page. A sentence that is hardly " +
      "understood is not run: translation_uncertain.",
    parameters: [IF_NONE_MATCH],
    body: {
      schema: "LeadsRequest",
      example: { spec: EXAMPLE_QUERY, limit: 50, output_format: "json" },
    },
    answers: {
      200: { description: "One page.", schema: "LeadsAnswer", example: example, headers: ["ETag"] },
      304: { description: "The page is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      ...BODY_ERRORS,
      "invalid_spec",
      "field_not_allowed",
      "translation_uncertain",
      "query_too_broad",
      ...CURSOR_ERRORS,
      ...SNAPSHOT_ERRORS,
    ],
    handle: searchLeads,
  }),
];

/** Route name in cursors and cached pages, and the schema of pages. */
const LEADS = { endpoint: "leads", schema: "LeadsAnswer" } as const;

type LeadsCall = KeyCall<
  | ReadPart
  | "clock"
  | "engine"
  | "retain"
  | "log"
  | "overload"
  | "replaced"
  | "responses"
  | "secrets"
  | "segment"
  | "streams"
  | "telemetry"
>;

function searchLeads(call: LeadsCall): Reply<ShapedAnswer<"LeadsAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  const cached = cachedPage(call, segment, LEADS, startMs);
  if (cached !== null) return cached;
  const answer = (prepared: LeadsRequest, mayShareBuffer: boolean) =>
    answerLeads(call, { segment, startMs, mayShareBuffer }, prepared);
  const prepared = prepareLeads(call, segment);
  if (!(prepared instanceof Promise)) return answer(prepared, true);
  return withRetainedSegment(
    call,
    segment,
    prepared.then((read) => answer(read, false)),
  );
}

function answerLeads(
  call: LeadsCall,
  input: { readonly segment: Segment; readonly startMs: number; readonly mayShareBuffer: boolean },
  prepared: LeadsRequest,
): Reply<ShapedAnswer<"LeadsAnswer">> {
  const { segment } = input;
  const { spec, onePerCompany, language, refusal } = prepared;
  if (refusal !== null) throw refusal;
  const project = leadProjector({ segment, spec, allowed: call.plan.fields, language });
  const kind = { ...LEADS, onePerCompany, project };
  const keep = (made: HttpAnswer) =>
    cachePage(call, cacheableOf({ segment, kind }, prepared), made);
  return answerPage(call, { ...input, prepared, kind, keep: prepared.cacheable ? keep : null });
}
