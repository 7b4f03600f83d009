/**
 * JSON Schemas (2020-12) of requests and answers by name: the components of the OpenAPI document
 * and the checks of the tests.
 * Invariant: every body that a route reads or answers has its schema here. Lists of values come
 * from the tables that the code itself uses. The order is the same as in the documents.
 */

import type { TSchema } from "typebox";
import Type from "typebox";
import { ERROR_CODES } from "../../errors.ts";
import { EXPORT_FAILURES } from "../../export/record.ts";
import { CNPJ_REFUSALS } from "../../spec/cnpj/cnpjspelling.ts";
import { SPEC_INPUT_SCHEMA, SPEC_SCHEMA } from "../../spec/schema.ts";
import { closed, count, label, named, requestId, text } from "../openapi/schema-parts.ts";
import { ACCOUNT_SCHEMAS, SEARCH_SCHEMAS } from "./accounts/accounts-schemas.ts";
import { FINDING_SCHEMAS } from "./accounts/finding-schemas.ts";
import { CHANGE_SCHEMAS } from "./changes/changes-schemas.ts";
import { ENRICH_SCHEMAS } from "./enrichment/enrich-schemas.ts";
import { EXPORT_SCHEMAS } from "./exports/exports-schemas.ts";
import { LEAD_SCHEMAS } from "./leads/leads-schemas.ts";
import { LIST_SCHEMAS } from "./lists/lists-schemas.ts";
import { NOTICE_SCHEMAS } from "./notices/notices-schemas.ts";
import { SAVED_SEARCH_SCHEMAS } from "./searches/searches-schemas.ts";
import { HEALTH_SCHEMAS, RPC_SCHEMAS, STATUS_SCHEMAS } from "./service/status-schemas.ts";
import { NORMALIZE_SCHEMAS, TRANSLATE_SCHEMAS } from "./spec/spec-schemas.ts";

const problem = Type.Object({
  type: text("Address of the error's description."),
  title: text("The same for every error of this code."),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  code: Type.Enum(Object.keys(ERROR_CODES), { description: "Stable." }),
  detail: text("What to change, for people."),
  request_id: requestId,
  errors: Type.Optional(
    Type.Array(named("Mistake"), {
      maxItems: 50,
      description: "Every mistake in the request; every 422 has one at least.",
    }),
  ),
  matches: Type.Optional(count("For query_too_broad: accounts that match the spec.")),
  spec: Type.Optional(
    named(
      "Spec",
      "For translation_uncertain: the spec of the sentence; check it and search with it.",
    ),
  ),
  explain: Type.Optional({
    ...SPEC_SCHEMA.properties.explain,
    description: "For translation_uncertain: what was understood and what was not.",
  } as TSchema),
  reason: Type.Optional(
    Type.Enum(Object.keys(EXPORT_FAILURES), { description: "For EXPORT_FAILED: the reason." }),
  ),
  changes_since: Type.Optional(
    Type.Array(label, { description: "For since_not_available: the months that since may name." }),
  ),
  progress: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "For changes_preparing: the progress." }),
  ),
});

const mistake = Type.Object({
  pointer: text(
    "Place in the body (RFC 6901); empty for the whole. Outside the body: /query/<parameter>, " +
      "/path/<variable>, /header/<name>.",
  ),
  code: Type.String(),
  detail: Type.String(),
  reason: Type.Optional(
    Type.Enum(Object.keys(CNPJ_REFUSALS), {
      description: "For a CNPJ: the reason why it is invalid.",
    }),
  ),
  offered: Type.Optional(text("For lost_zeros: the CNPJ with its zeros.")),
});

const SHARED_SCHEMAS = {
  Provenance: Type.Object(
    {
      rfb_snapshot: label,
      ibge_population_year: text("Year, or not_available."),
      ceis_as_of_date: text("Date, or not_available."),
      cnep_as_of_date: Type.Optional(text("Date of CNEP, if imported.")),
      cepim_as_of_date: Type.Optional(text("Date of CEPIM, if imported.")),
      pgfn_as_of_month: Type.Optional(text("Month of PGFN's list of debts, if imported.")),
      partners_snapshot: Type.Optional(text("Month of the corporate partners, if imported.")),
    },
    closed,
  ),
  Problem: problem,
  Mistake: mistake,
} as const satisfies Readonly<Record<string, TSchema>>;

/** Every named schema. `Spec` is the form in answers, `SpecInput` the form in requests. */
export const SCHEMAS = {
  SpecInput: SPEC_INPUT_SCHEMA,
  Spec: SPEC_SCHEMA,
  ...ACCOUNT_SCHEMAS,
  ...SHARED_SCHEMAS,
  ...SEARCH_SCHEMAS,
  ...FINDING_SCHEMAS,
  ...NORMALIZE_SCHEMAS,
  ...LEAD_SCHEMAS,
  ...CHANGE_SCHEMAS,
  ...TRANSLATE_SCHEMAS,
  ...EXPORT_SCHEMAS,
  ...ENRICH_SCHEMAS,
  ...LIST_SCHEMAS,
  ...SAVED_SEARCH_SCHEMAS,
  ...NOTICE_SCHEMAS,
  ...STATUS_SCHEMAS,
  ...RPC_SCHEMAS,
  ...HEALTH_SCHEMAS,
} as const satisfies Readonly<Record<string, TSchema>>;

/** Name of a schema. */
export type SchemaName = keyof typeof SCHEMAS;
