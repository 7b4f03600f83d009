/**
 * Specs: the routes that translate a sentence into one, and that check and normalize one. What
 * comes in: nothing. What goes out: the rows of both.
 * Invariant: nothing is executed but counts.
 */
import {
  EXAMPLE_REQUEST,
  EXAMPLE_SOURCE,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS, SPEC_ERRORS } from "../route.ts";
import { normalize } from "./normalize.ts";
import { translateLeads } from "./translate.ts";

function translated() {
  const { spec } = exampleNormalized("search");
  return {
    ...{ ...EXAMPLE_REQUEST, ...EXAMPLE_SOURCE, spec, explain: spec.explain },
    parts: [{ words: "restaurantes", start: 0, end: 12, role: "activity" }],
    ...{ matches: 1, suggestions: [] },
  };
}

function normalized() {
  const { spec, changes, warnings } = exampleNormalized("search");
  const found = { changes, warnings, matches: 1, too_broad: false };
  return { ...EXAMPLE_REQUEST, valid: true, spec, ...found };
}

/** The routes of specs. */
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
