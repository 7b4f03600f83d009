/**
 * JSON Schemas of requests and answers for normalization and translation. Part of the table in
 * schemas.ts.
 */
import Type, { type TSchema } from "typebox";
import { SPEC_SCHEMA } from "../../../spec/schema.ts";
import { LANGUAGES } from "../../../translate/notes.ts";
import {
  closed,
  count,
  named,
  parts,
  requestId,
  sentence,
  source,
  specUnion,
  words,
} from "../../openapi/schema-parts.ts";

/** Named schemas for normalizing a spec. */
export const NORMALIZE_SCHEMAS = {
  NormalizeRequest: Type.Object({ spec: specUnion("SpecInput", "LeadQueryInput") }, closed),
  NormalizeAnswer: Type.Object(
    {
      request_id: requestId,
      valid: Type.Literal(true),
      spec: specUnion("Spec", "LeadQuery"),
      compiled: Type.Optional(
        named("Spec", "For a lead query: the account query that it compiles to."),
      ),
      changes: Type.Array(
        Type.Object({
          pointer: Type.String(),
          from: Type.Optional(Type.Unknown()),
          to: Type.Optional(Type.Unknown()),
          detail: Type.String(),
        }),
      ),
      warnings: Type.Array(Type.String()),
      matches: count("Exact number of matches."),
      too_broad: Type.Boolean({ description: "Whether a search would refuse the spec." }),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;

const suggested = Type.Object(
  { code: Type.String(), description: Type.String(), matches: count("Matches of it alone.") },
  closed,
);

/** Schema of words that can also be understood in another way. */
export const DOUBTS = Type.Array(
  Type.Object(
    {
      code: Type.String(),
      detail: Type.String(),
      ...words,
      query_text: Type.String({ description: "Send this to take the other reading." }),
      matches: count("What the other reading finds."),
    },
    closed,
  ),
  { description: "Words that may be meant otherwise; the spec has the likelier reading." },
);

/** Named schemas for translating a sentence. */
export const TRANSLATE_SCHEMAS = {
  TranslateRequest: Type.Object(
    {
      query_text: sentence,
      language: Type.Optional(
        Type.Enum([...LANGUAGES], {
          description: "Language of `explain`; that of the sentence by default.",
        }),
      ),
    },
    closed,
  ),
  TranslateAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      spec: named("Spec"),
      explain: SPEC_SCHEMA.properties.explain,
      parts,
      matches: count("Exact number of matches."),
      suggestions: Type.Array(
        Type.Object({ ...words, activities: Type.Array(suggested) }, closed),
        { description: "Words that stand for several activities." },
      ),
      doubts: DOUBTS,
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
