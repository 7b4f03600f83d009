/**
 * JSON Schemas of enrichment requests and answers. Part of the table in schemas.ts.
 * Invariant: statuses and reasons come from the only CNPJ parser (cnpjspelling.ts).
 */
import Type, { type TSchema } from "typebox";
import { REASONS, STATUSES } from "../../../export/enrichment/outcomes.ts";
import { OUTPUT_FIELD_NAMES } from "../../../spec/fields.ts";
import { OUTPUT_INPUT_SCHEMA } from "../../../spec/schema.ts";
import {
  closed,
  count,
  named,
  orNull,
  requestId,
  source,
  text,
} from "../../openapi/schema-parts.ts";
import { readFileSchema } from "./readfile-schema.ts";

/** Most CNPJs of one request. */
export const CNPJS_MAX = 1_000;

/** The schemas by name. */
export const ENRICH_SCHEMAS = {
  EnrichRequest: Type.Object(
    {
      cnpjs: Type.Array(Type.Union([Type.String(), Type.Number()]), {
        minItems: 1,
        maxItems: CNPJS_MAX,
        description: "CNPJs in any spelling, or roots of 8 characters.",
      }),
      fields: Type.Optional(
        Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]), {
          maxItems: OUTPUT_FIELD_NAMES.length,
          description: "Fields of the accounts; the plan's default set if empty or missing.",
        }),
      ),
      labels: Type.Optional(OUTPUT_INPUT_SCHEMA.properties.labels),
      lost_zeros: Type.Optional(
        Type.Enum(["fill", "refuse"], {
          description: "fill looks up numbers with the zeros that they have lost in front.",
        }),
      ),
    },
    closed,
  ),
  EnrichResult: Type.Object(
    {
      input: text("The text that was sent, without CPFs."),
      status: Type.Enum([...STATUSES], {
        description: "head_office: a root was sent, and this is the head office of its company.",
      }),
      cnpj: orNull(
        Type.String({ description: "14 characters; null if the text names no account." }),
      ),
      account: orNull(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "The fields of an Account; with labels, texts in words.",
        }),
      ),
      reason: orNull(Type.Enum(Object.keys(REASONS), { description: "Why it is not a CNPJ." })),
      offered: Type.Optional(text("For lost_zeros: the CNPJ with its zeros.")),
      zeros_restored: Type.Optional(
        Type.Literal(true, {
          description: "With lost_zeros: fill, the text had lost the zeros that cnpj has in front.",
        }),
      ),
    },
    closed,
  ),
  EnrichAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      results: Type.Array(named("EnrichResult"), {
        minItems: 1,
        maxItems: CNPJS_MAX,
        description: "One for each CNPJ, in the order of the request.",
      }),
    },
    closed,
  ),
  CreatedEnrichment: Type.Object(
    {
      request_id: requestId,
      ...source,
      ...readFileSchema,
      other_sheets: Type.Optional(count("Further sheets, whose rows are not enriched.")),
      hidden_sheets: Type.Optional(count("Hidden sheets, which are never read.")),
      rows: count("Rows below the header."),
      export: named("ExportRecord"),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
