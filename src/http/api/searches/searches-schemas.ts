/**
 * JSON Schemas of saved searches. Part of the table in schemas.ts.
 * Invariant: every body of these routes has a schema.
 */
import Type, { type TSchema } from "typebox";
import { WATCHABLE_FIELDS } from "../../../changes/kinds.ts";
import { EXPORT_FORMATS } from "../../../spec/fields.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  label,
  limitSchema,
  named,
  orNull,
  outputSchema,
  requestId,
  text,
} from "../../openapi/schema-parts.ts";
import { kindsSchema } from "../changes/changes-schemas.ts";

const id = Type.String({ pattern: "^sch_[0-9a-f]{32}$" });
const name = Type.String({ minLength: 1, maxLength: 100, description: "A name of your choice." });
const watch = orNull(
  Type.Array(Type.Enum([...WATCHABLE_FIELDS]), {
    minItems: 1,
    description: "Fields whose difference makes an account changed in notices.",
  }),
);
const onlyChanges = Type.Boolean({
  description: "True: no notice is sent about a month in which nothing entered, left, or changed.",
});
const rollingDays = Type.Boolean({
  description:
    "True: the days of the spec move with the month. Each notice moves them by the days between " +
    "the snapshot for which the spec was saved and its own. False, the default: they are fixed.",
});
const paused = Type.Boolean({
  description:
    "True: newer months make no notice. The first notice after a pause begins where the last one " +
    "ended.",
});
const exportRequest = Type.Object(
  {
    output: outputSchema(EXPORT_FORMATS),
    kinds: Type.Optional(kindsSchema),
    limit: Type.Optional(limitSchema(SPEC_LIMITS.exportLimitMax)),
  },
  { ...closed, description: "The export that is made with each notice, as POST /v1/exports." },
);

const options = {
  watch: Type.Optional(watch),
  only_changes: Type.Optional(onlyChanges),
  export: Type.Optional(orNull(exportRequest)),
  feed: Type.Optional(
    Type.Boolean({
      description: "True: makes a new secret address of an Atom feed. False: withdraws it.",
    }),
  ),
  rolling_days: Type.Optional(rollingDays),
  paused: Type.Optional(paused),
};

/** A search without its spec. */
const entry = {
  id,
  name,
  saved: Type.Object(
    { snapshot: label, total: count("Matches then.") },
    { ...closed, description: "The last count." },
  ),
  created_at: Type.String({ format: "date-time" }),
  paused,
  last_notice: orNull(named("Notice", "The newest notice that was counted.")),
};

/** Schemas of saved searches by name. */
export const SAVED_SEARCH_SCHEMAS = {
  SearchEntry: Type.Object(entry, closed),
  SavedSearch: Type.Object(
    {
      ...entry,
      spec: named("Spec"),
      watch: orNull(Type.Array(Type.String(), { description: "Null: all of the plan." })),
      only_changes: onlyChanges,
      export: orNull(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "The export with each notice, as sent.",
        }),
      ),
      feed: orNull(text("Secret address of the Atom feed, without the host.")),
      rolling_days: rollingDays,
    },
    closed,
  ),
  SavedSearchRequest: Type.Object({ name, spec: named("SpecInput"), ...options }, closed),
  SavedSearchPatch: Type.Object(
    { name: Type.Optional(name), spec: Type.Optional(named("SpecInput")), ...options },
    closed,
  ),
  SavedSearchAnswer: Type.Object({ request_id: requestId, search: named("SavedSearch") }, closed),
  SavedSearches: Type.Object(
    { searches: Type.Array(named("SearchEntry")), next_cursor: cursor, has_more: hasMore },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
