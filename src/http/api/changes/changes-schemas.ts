/**
 * JSON Schemas of change queries and their answers. Part of the table in schemas.ts.
 * Invariant: an item holds the selected fields and the fields that changed.
 */
import Type, { type TSchema } from "typebox";
import { CHANGE_KINDS, WATCHABLE_FIELDS } from "../../../changes/kinds.ts";
import { CHANGE_GROUPS } from "../../../spec/fields/groups.ts";
import { OUTPUT_FIELD_NAMES } from "../../../spec/fields.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  label,
  named,
  orNull,
  requestId,
  source,
  specUnion,
  text,
  tookMs,
} from "../../openapi/schema-parts.ts";

/** Requested kinds of changes. */
export const kindsSchema = Type.Array(Type.Enum([...CHANGE_KINDS]), {
  description: "Kinds of changes to list; empty means all. Totals count all kinds.",
});

/** Watched fields. */
export const watchSchema = Type.Array(Type.Enum([...WATCHABLE_FIELDS]), {
  description:
    "Fields whose difference makes an account changed; those of the plan that are facts of their " +
    "own where there are none. sanctioned only where both snapshots had the CEIS list.",
});

/** Groups of changed fields. */
export const changedAnyOfSchema = Type.Array(Type.Enum([...CHANGE_GROUPS]), {
  description:
    "Groups of fields: an account counts as changed only if a field of one of them differs. " +
    "Becomes watch; without kinds, only changed accounts are listed.",
});

/** The older month of a change query. */
export const sinceSchema = {
  ...label,
  description: "Label of an older snapshot, YYYY-MM; GET /v1/status lists them in changes_since.",
} as TSchema;

const values = (description: string) => orNull(named("Account", description));
const changedFields = Type.Array(Type.Enum([...WATCHABLE_FIELDS]), {
  description: "Watched fields that differ, if the account is in both snapshots.",
});

/** Schemas of changes by name. */
export const CHANGE_SCHEMAS = {
  ChangesRequest: Type.Object(
    {
      since: sinceSchema,
      spec: specUnion("SpecInput", "LeadQueryInput"),
      kinds: Type.Optional(kindsSchema),
      watch: Type.Optional(watchSchema),
      changed_any_of: Type.Optional(changedAnyOfSchema),
      output: Type.Optional(
        Type.Object(
          {
            format: Type.Optional(Type.Literal("json")),
            fields: Type.Optional(
              Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]), {
                maxItems: OUTPUT_FIELD_NAMES.length,
              }),
            ),
          },
          { ...closed, description: "Fields win over those of spec.output." },
        ),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: SPEC_LIMITS.searchLimitMax,
          description: "Changes in a page. May change by page.",
        }),
      ),
      cursor: Type.Optional(text("next_cursor of the page before; with the same question.")),
    },
    closed,
  ),
  ChangesAnswer: Type.Object(
    {
      request_id: requestId,
      since: Type.Object(source, { ...closed, description: "The older snapshot." }),
      until: Type.Object(source, { ...closed, description: "The newer snapshot." }),
      spec: named("Spec", "The normalized account query; of it only the filters count."),
      kinds: kindsSchema,
      watch: watchSchema,
      totals: Type.Object(
        {
          entered: count("Match now and did not, because they are new or have changed."),
          left: count("Matched and do not now, because they are gone or have changed."),
          changed: count("Match in both snapshots, and a watched field differs."),
        },
        { ...closed, description: "Exact, whichever kinds are wanted." },
      ),
      count: count("Changes in this page."),
      changes: Type.Array(named("Change"), { description: "Ascending by CNPJ." }),
      next_cursor: cursor,
      has_more: hasMore,
      warnings: Type.Array(Type.String(), { description: "What of the question was ignored." }),
      provenance: named("Provenance", "Provenance of the newer snapshot."),
      took_ms: tookMs,
    },
    closed,
  ),
  Change: Type.Object(
    {
      cnpj: Type.String(),
      change: Type.Enum([...CHANGE_KINDS]),
      changed_fields: changedFields,
      before: values("Wanted and changed fields then; null where it was not in the registry."),
      after: values("Wanted and changed fields now; null where it is not in the registry."),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
