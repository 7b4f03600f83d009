/**
 * JSON Schemas of export requests and answers. Part of the table in schemas.ts.
 * Invariant: only change exports have the members of changes.
 */
import Type, { type TSchema } from "typebox";
import { EXPORT_FAILURES, EXPORT_STATES } from "../../../export/record.ts";
import { COMPRESSIONS, EXPORT_FORMATS } from "../../../spec/fields.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  limitSchema,
  named,
  orNull,
  outputSchema,
  requestId,
  source,
  text,
} from "../../openapi/schema-parts.ts";
import {
  changedAnyOfSchema,
  kindsSchema,
  sinceSchema,
  watchSchema,
} from "../changes/changes-schemas.ts";
import { readFileSchema } from "../enrichment/readfile-schema.ts";

const enrichment = Type.Object(
  {
    ...readFileSchema,
    rows_by_status: Type.Optional(
      Type.Object(
        {
          found: count("Rows with the account of their CNPJ."),
          head_office: count("Rows with the head office of their root."),
          not_in_snapshot: count("Rows with a CNPJ that the snapshot lacks."),
          not_a_cnpj: count("Rows with another text, for one of the reasons."),
          no_cnpj: count("Rows whose cell is empty."),
          reasons: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
            description: "The rows that are not_a_cnpj, by reason.",
          }),
        },
        { ...closed, description: "Present once the export is done." },
      ),
    ),
  },
  { ...closed, description: "For an enrichment: what was read of the sent file." },
);

const exportRecord = Type.Object(
  {
    export_id: Type.String({ pattern: "^exp_[0-9a-f]{32}$" }),
    status: Type.Enum([...EXPORT_STATES]),
    format: Type.Enum([...EXPORT_FORMATS]),
    kind: Type.Optional(
      Type.Literal("enrichment", {
        description: "Present if it is a file that was sent, with columns appended.",
      }),
    ),
    enrichment: Type.Optional(enrichment),
    compression: Type.Optional(
      Type.Enum(
        COMPRESSIONS.filter((one) => one !== "none"),
        { description: "Present if the file is compressed; size and hash are those of the file." },
      ),
    ),
    ...source,
    since: Type.Optional(text("For an export of changes: the older month.")),
    since_date: Type.Optional(Type.String({ format: "date" })),
    kinds: Type.Optional(kindsSchema),
    watch: Type.Optional(watchSchema),
    row_count: orNull(count("Rows of the file; null until finished.")),
    size_bytes: orNull(count("Bytes of the file; null until finished.")),
    object_key: Type.Optional(
      Type.Null({ description: "Only in the answer that creates the export." }),
    ),
    expires_at: orNull(Type.String({ format: "date-time" })),
    download_url: orNull(text("Relative; set when done.")),
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    rows_written: Type.Optional(count("While running.")),
    sha256: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
    error: Type.Optional(
      Type.Object({ code: Type.Enum(Object.keys(EXPORT_FAILURES)), detail: Type.String() }, closed),
    ),
  },
  closed,
);

/** Schemas of exports by name. */
export const EXPORT_SCHEMAS = {
  ExportRequest: Type.Object(
    {
      spec: named("SpecInput"),
      output: outputSchema(EXPORT_FORMATS),
      limit: Type.Optional(limitSchema(SPEC_LIMITS.exportLimitMax)),
      since: Type.Optional({
        ...sinceSchema,
        description: "Makes it an export of changes since that month; see POST /v1/changes.",
      } as TSchema),
      kinds: Type.Optional(kindsSchema),
      watch: Type.Optional(watchSchema),
      changed_any_of: Type.Optional(changedAnyOfSchema),
    },
    closed,
  ),
  ExportRecord: exportRecord,
  CreatedExport: Type.Object(
    {
      request_id: requestId,
      ...source,
      spec: named("Spec"),
      preview_accounts: Type.Array(named("Account"), { maxItems: 0 }),
      export: named("ExportRecord"),
    },
    closed,
  ),
  ExportList: Type.Object(
    {
      exports: Type.Array(named("ExportRecord"), { maxItems: 200 }),
      next_cursor: cursor,
      has_more: hasMore,
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
