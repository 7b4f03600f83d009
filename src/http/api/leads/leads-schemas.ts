/**
 * JSON Schemas of lead requests and leads. Part of the table in schemas.ts.
 * Invariant: the members of a lead are derived from lead.ts.
 */
import Type, { type TSchema } from "typebox";
import { OUTPUT_FIELDS } from "../../../spec/fields.ts";
import { LEAD_INPUT_SCHEMA, LEAD_SCHEMA } from "../../../spec/leadschema.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import { SPEC_SCHEMA } from "../../../spec/schema.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  named,
  orNull,
  parts,
  requestId,
  sentence,
  source,
  text,
  tookMs,
  VALUES,
} from "../../openapi/schema-parts.ts";
import { DOUBTS } from "../spec/spec-schemas.ts";
import { LEAD_FIELDS, type LEAD_WORDS } from "./lead.ts";

const leadsMembers = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SPEC_LIMITS.searchLimitMax,
      description: "Leads in a page; wins over the sentence and spec.limit. May change by page.",
    }),
  ),
  output_format: Type.Optional(Type.Literal("json")),
  cursor: Type.Optional(text("next_cursor of the page before, with the same sentence or spec.")),
};

const LEAD_MADE: Readonly<Record<keyof typeof LEAD_WORDS, TSchema>> = {
  phones: Type.Array(Type.String(), { description: "E.164; those that the account has." }),
  size: orNull(text("Size in words, in Portuguese, or in English for an English sentence.")),
  age: orNull(text("Time since the start of the activity in words, at the snapshot's date.")),
  score: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: "Score by the strategy of the spec.",
  }),
  score_reasons: Type.Array(Type.String(), {
    description: "Reasons for and against points, the most important first.",
  }),
};

/** A lead has the members that the plan allows. */
const lead = Type.Object(
  {
    ...Object.fromEntries(
      OUTPUT_FIELDS.filter(({ name }) => LEAD_FIELDS.some((field) => field === name)).map(
        ({ name, kind, description }) => {
          const value = VALUES[kind]();
          const schema = name === "cnpj" ? value : orNull(value);
          return [name, Type.Optional({ ...schema, description } as TSchema)];
        },
      ),
    ),
    ...Object.fromEntries(
      Object.entries(LEAD_MADE).map(([name, schema]) => [name, Type.Optional(schema)]),
    ),
  },
  { ...closed, description: "Members whose fields the plan does not allow are left out." },
);

/** Schemas of leads by name. */
export const LEAD_SCHEMAS = {
  LeadQueryInput: LEAD_INPUT_SCHEMA,
  LeadQuery: LEAD_SCHEMA,
  Lead: lead,
  LeadsBySentence: Type.Object(
    {
      query_text: sentence,
      ...leadsMembers,
      one_per_company: Type.Optional(
        Type.Boolean({
          description: "Only the best-ranked establishment of each company; true by default.",
        }),
      ),
    },
    closed,
  ),
  LeadsBySpec: Type.Object({ spec: named("LeadQueryInput"), ...leadsMembers }, closed),
  LeadsRequest: Type.Union([named("LeadsBySentence"), named("LeadsBySpec")]),
  LeadsAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      spec: named("Spec", "The account query that ran; a search of accounts finds the same."),
      one_per_company: Type.Boolean({
        description: "Whether a company comes once, with its best-placed establishment.",
      }),
      translation: Type.Optional(
        Type.Object(
          {
            spec: named("Spec", "What the sentence alone means: it may not ask for any contact."),
            explain: SPEC_SCHEMA.properties.explain,
            parts,
            doubts: DOUBTS,
          },
          {
            ...closed,
            description: "For a sentence: the answer of /v1/leads/translate, without suggestions.",
          },
        ),
      ),
      leads: Type.Array(named("Lead")),
      next_cursor: cursor,
      has_more: hasMore,
      total: count(
        "Exact number of accounts that match. With one_per_company there are fewer leads than " +
          "this where a company has several establishments among them.",
      ),
      took_ms: tookMs,
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
