/**
 * What each route is, for the OpenAPI document. What comes in: nothing. What goes out: by method
 * and path the words, parameters, bodies, answers and error codes of the route.
 * Invariant: a row here for every row of the table of routes and none beside them; a test holds
 * both, and that what a route answered in the tests is written down here.
 */
import Type from "typebox";
import { EXAMPLE_FACETS, EXAMPLE_LEAD_QUERY, EXAMPLE_SPEC } from "./examples.ts";
import {
  BODY_ERRORS,
  LISTS_COST,
  type Operation,
  PAGE_COST,
  SNAPSHOT_ERRORS,
  SPEC_ERRORS,
  unchanged,
} from "./operation.ts";
import { AGENT_OPERATIONS } from "./operations-agents.ts";
import { CHANGE_OPERATIONS } from "./operations-changes.ts";
import { EXPORT_OPERATIONS } from "./operations-exports.ts";

/** Every operation by `METHOD path`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /v1/accounts/search": {
    id: "searchAccounts",
    tag: "accounts",
    summary: "Search accounts",
    description:
      "Answers a page with its exact total. Send next_cursor as cursor with the same spec for " +
      "the next page, without limit and output. The same snapshot, spec and seed give the same " +
      `accounts, whenever and wherever they are asked for. ${PAGE_COST}`,
    parameters: [unchanged],
    body: {
      schema: "SearchRequest",
      example: { spec: EXAMPLE_SPEC, limit: 50, facets: EXAMPLE_FACETS },
    },
    answers: {
      200: { description: "One page.", schema: "SearchAnswer", headers: ["ETag"] },
      304: { description: "The page is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      ...BODY_ERRORS,
      ...SPEC_ERRORS,
      "query_too_broad",
      "invalid_cursor",
      "cursor_mismatch",
      "cursor_expired",
      ...SNAPSHOT_ERRORS,
    ],
  },
  "POST /v1/accounts/count": {
    id: "countAccounts",
    tag: "accounts",
    summary: "Count accounts",
    description:
      "The exact number of matches and, on request, how they spread over the values of fields, " +
      "without any account. Takes specs of searches and of exports. A spec without a limit comes " +
      `back with that of a search. ${LISTS_COST}`,
    parameters: [unchanged],
    body: { schema: "CountRequest", example: { spec: EXAMPLE_SPEC, facets: EXAMPLE_FACETS } },
    answers: {
      200: { description: "The total.", schema: "CountAnswer", headers: ["ETag"] },
      304: { description: "The total is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "query_too_broad", ...SNAPSHOT_ERRORS],
  },
  "GET /v1/accounts/{cnpj}": {
    id: "readAccount",
    tag: "accounts",
    summary: "Read one account",
    description: "The account of a CNPJ with every field of the plan.",
    parameters: [
      {
        name: "cnpj",
        in: "path",
        required: true,
        description:
          "14 characters, with or without punctuation, in any case; its slash as it is or encoded.",
        schema: Type.String(),
        example: "11222333000181",
      },
      unchanged,
    ],
    answers: {
      200: { description: "The account.", schema: "AccountAnswer", headers: ["ETag"] },
      304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: ["not_found", "snapshot_unavailable"],
  },
  "POST /v1/leads": {
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
      `understood is not run: translation_uncertain. ${PAGE_COST}`,
    parameters: [unchanged],
    body: {
      schema: "LeadsRequest",
      example: { spec: EXAMPLE_LEAD_QUERY, limit: 50, output_format: "json" },
    },
    answers: {
      200: { description: "One page.", schema: "LeadsAnswer", headers: ["ETag"] },
      304: { description: "The page is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      ...BODY_ERRORS,
      "invalid_spec",
      "translation_uncertain",
      "query_too_broad",
      "invalid_cursor",
      "cursor_mismatch",
      "cursor_expired",
      ...SNAPSHOT_ERRORS,
    ],
  },
  "POST /v1/leads/translate": {
    id: "translateLeads",
    tag: "spec",
    summary: "Translate a sentence",
    description:
      "Turns a Portuguese sentence into a spec without searching: what each part of it became, " +
      `what was assumed, what no filter expresses, and the exact total. ${LISTS_COST}`,
    body: {
      schema: "TranslateRequest",
      example: { query_text: "restaurantes em MG abertos desde 2020 com e-mail, exceto MEI" },
    },
    answers: { 200: { description: "The translation.", schema: "TranslateAnswer" } },
    errors: [...BODY_ERRORS, ...SNAPSHOT_ERRORS],
  },
  "POST /v1/spec/normalize": {
    id: "normalizeSpec",
    tag: "spec",
    summary: "Check and normalize a spec",
    description:
      "Names every mistake, or gives the normal form, what changed, and the total. Takes account " +
      `queries and lead queries; of the latter it also gives the account query. ${LISTS_COST}`,
    body: { schema: "NormalizeRequest", example: { spec: EXAMPLE_SPEC } },
    answers: { 200: { description: "The spec is valid.", schema: "NormalizeAnswer" } },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "snapshot_unavailable"],
  },
  ...CHANGE_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...AGENT_OPERATIONS,
  "GET /v1/status": {
    id: "status",
    tag: "service",
    summary: "What is loaded and what the plan allows",
    description:
      "Snapshot, plan, limits, use of today, fields, sort fields, and how the score is made. " +
      "Answered without a snapshot too: what is said of it is null then.",
    answers: { 200: { description: "The status.", schema: "Status" } },
    errors: [],
  },
  "GET /healthz": {
    id: "healthz",
    tag: "service",
    summary: "Whether the process is up",
    description: "Needs no key and touches nothing that could fail.",
    answers: { 200: { description: "It is up.", schema: "Health" } },
    errors: [],
  },
  "GET /readyz": {
    id: "readyz",
    tag: "service",
    summary: "Whether searches are answered",
    description: "Needs no key; 503 without a snapshot or while the server stops.",
    answers: { 200: { description: "They are.", schema: "Health" } },
    errors: ["snapshot_unavailable"],
  },
  "GET /metrics": {
    id: "metrics",
    tag: "service",
    summary: "Metrics for Prometheus",
    description: "Needs no key; 404 where the operator gave the metrics an address of their own.",
    answers: { 200: { description: "The metrics.", schema: null, types: ["text/plain"] } },
    errors: ["not_found"],
  },
};
