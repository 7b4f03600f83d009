/**
 * JSON Schemas of enrichment requests and answers. Part of the table in schemas.ts.
 * Invariant: statuses and reasons come from the only CNPJ parser (cnpjspelling.ts).
 */
import Type, { type TSchema } from "typebox";
import { REASONS, STATUSES } from "../../../export/enrichment/outcomes.ts";
import { SHEET_REASONS } from "../../../lists/xlsx/workbook.ts";
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
      column: text("The column of CNPJs: its header, or its number or letters."),
      sheet: orNull(text("The sheet of a workbook; null of CSV.")),
      sheet_reason: Type.Optional(
        Type.Enum([...SHEET_REASONS], {
          description:
            "Why this sheet of several: the first with a column of CNPJs; the one with such a " +
            "column after a cover with a single CNPJ; or the only visible one with data.",
        }),
      ),
      other_sheets: Type.Optional(count("Further sheets, whose rows are not enriched.")),
      hidden_sheets: Type.Optional(count("Hidden sheets, which are never read.")),
      rows: count("Rows below the header."),
      export: named("ExportRecord"),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
