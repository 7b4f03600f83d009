/**
 * The shapes of requests and answers. What comes in: nothing. What goes out: JSON Schemas
 * (2020-12) by name, as the components of the OpenAPI document and as the checks of the tests.
 * Invariant: every body that a route reads or answers has its schema here; the lists in them are
 * those of the tables that the code itself reads.
 */
import Type, { type TSchema } from "typebox";
import { PLAN_NAMES } from "../../access/plans.ts";
import { ERROR_CODES } from "../../errors.ts";
import { EXPORT_FAILURES } from "../../export/record.ts";
import { FACETS } from "../../search/facet.ts";
import { SCORE_PARTS } from "../../search/score.ts";
import {
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  OUTPUT_FIELDS,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_FIELDS,
} from "../../spec/fields.ts";
import { SPEC_INPUT_SCHEMA, SPEC_LIMITS, SPEC_SCHEMA } from "../../spec/schema.ts";
import {
  closed,
  count,
  cursor,
  eitherSpec,
  hasMore,
  label,
  named,
  orNull,
  parts,
  requestId,
  sentence,
  source,
  text,
  tookMs,
  VALUES,
  words,
} from "../openapi/schema-parts.ts";
import { CHANGE_SCHEMAS, kindsSchema, sinceSchema, watchSchema } from "./changes-schemas.ts";
import { EXPORT_SCHEMAS } from "./exports-schemas.ts";
import { LEAD_SCHEMAS } from "./leads-schemas.ts";
import { RPC_SCHEMAS } from "./mcp-schemas.ts";

/** An account has the chosen fields only; every one but `cnpj` may be null. */
const account = Type.Object(
  {
    ...Object.fromEntries(
      OUTPUT_FIELDS.map(({ name, kind, description }) => {
        const value = VALUES[kind]();
        const schema = name === "cnpj" ? value : orNull(value);
        return [name, Type.Optional({ ...schema, description } as TSchema)];
      }),
    ),
    explain: Type.Optional(named("Explanation", "With include_explain only.")),
  },
  closed,
);

const explanation = Type.Object(
  {
    strategy: Type.Enum([...SCORING_STRATEGIES]),
    score: Type.Integer({ minimum: 0, maximum: 1000 }),
    parts: Type.Object({
      ...Object.fromEntries(SCORE_PARTS.map((part) => [part, Type.Optional(Type.Integer())])),
      sanction: Type.Integer({ maximum: 0 }),
    }),
    matched: Type.Record(Type.String(), Type.Unknown(), {
      description: "By filter what in the account met it; cnae is {code, as primary or secondary}.",
    }),
  },
  closed,
);

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
  matches: Type.Optional(count("Of query_too_broad: accounts that would have matched.")),
  spec: Type.Optional(
    named("Spec", "Of translation_uncertain: the spec that would have run; check it and search."),
  ),
  explain: Type.Optional({
    ...SPEC_SCHEMA.properties.explain,
    description: "Of translation_uncertain: what was and what was not understood.",
  } as TSchema),
  reason: Type.Optional(
    Type.Enum(Object.keys(EXPORT_FAILURES), { description: "Of EXPORT_FAILED: why it failed." }),
  ),
  changes_since: Type.Optional(
    Type.Array(label, { description: "Of since_not_available: the months that since may name." }),
  ),
  progress: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Of changes_preparing: how far it is." }),
  ),
});

const mistake = Type.Object({
  pointer: text(
    "Place in the body (RFC 6901); empty for the whole. Outside the body: /query/<parameter>, " +
      "/path/<variable>, /header/<name>.",
  ),
  code: Type.String(),
  detail: Type.String(),
});

const facet = Type.Object(
  {
    values: Type.Array(
      Type.Object(
        {
          value: Type.Union([Type.String(), Type.Integer(), Type.Boolean()]),
          label: Type.Optional(
            text(
              "Name of the value, where the registry's own tables have one: those of subclasses, " +
                "municipalities and legal natures. They name no section, division, group or class.",
            ),
          ),
          count: count("Matches with this value."),
        },
        closed,
      ),
      { description: "Most frequent first." },
    ),
    other: Type.Object(
      { values: count("Values that are not listed."), count: count("Matches they hold.") },
      closed,
    ),
    missing: count(
      "Matches without a value. Of cnae_section, cnae_division, cnae_group and cnae_class also " +
        "those whose activity is 8888-8/88 (not informed), which belongs to none; of " +
        "cnae_section also those of an unknown division. cnae_subclass counts both as values.",
    ),
  },
  closed,
);

const facetNames = Type.Array(Type.Enum([...FACETS]), {
  maxItems: FACETS.length,
  uniqueItems: true,
  description: "Fields whose values are counted over all matches.",
});

const limit = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, description: "Wins over spec.limit." });

function output(formats: readonly string[]): TSchema {
  return Type.Object(
    {
      format: Type.Optional(Type.Enum([...formats])),
      include_explain: Type.Optional(Type.Boolean()),
      fields: Type.Optional(
        Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]), { maxItems: OUTPUT_FIELD_NAMES.length }),
      ),
      ...(formats.includes("csv")
        ? {
            bom: Type.Optional(Type.Boolean({ description: "csv: begin with a byte order mark." })),
            delimiter: Type.Optional(Type.Enum([",", ";"], { description: "csv: between cells." })),
          }
        : {}),
    },
    { ...closed, description: "Members win over those of spec.output." },
  );
}

const suggested = Type.Object(
  { code: Type.String(), description: Type.String(), matches: count("Matches of it alone.") },
  closed,
);

const planLimits = Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean()]), {
  description:
    "Numbers of the plan, and whether secondary_cnae_mode full may be used. An " +
    "export_rows_per_day of 0 sets no quota.",
});
/** How far the snapshot is checked again. */
const verification = Type.Object(
  {
    pass_seconds: count(
      "Seconds in which every block is checked again; 0: only touched files are.",
    ),
    blocks: count("Blocks of 64 KiB in the snapshot."),
    checked_blocks: count("Blocks that this pass has checked."),
    passes: count("Whole passes since the snapshot was opened."),
    last_pass_at: orNull(Type.String({ format: "date-time" })),
  },
  closed,
);

const usage = Type.Object(
  {
    today: Type.Object(
      {
        requests: count("Requests of all keys of the tenant, this one not yet counted."),
        accounts: count("Accounts in their answers."),
        export_rows: count("Rows of exports that were done today."),
      },
      closed,
    ),
    export_rows_left: orNull(
      count("Rows that exports may still be created for today; null where there is no quota."),
    ),
    export_bytes_kept: count("Bytes of the files of exports that are kept now."),
    export_bytes_left: orNull(
      count("Bytes that files of exports may still have; null where there is no bound."),
    ),
  },
  { ...closed, description: "Of the tenant; what is of today is counted since midnight UTC." },
);
const fieldList = Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]));

/** Every named schema; `Spec` is what comes back, `SpecInput` what may be sent. */
export const SCHEMAS = {
  SpecInput: SPEC_INPUT_SCHEMA,
  Spec: SPEC_SCHEMA,
  Account: account,
  Explanation: explanation,
  Facet: facet,
  Facets: Type.Object(
    Object.fromEntries(FACETS.map((name) => [name, Type.Optional(named("Facet"))])),
    closed,
  ),
  Provenance: Type.Object(
    {
      rfb_snapshot: label,
      ibge_population_year: text("Year, or not_available."),
      ceis_as_of_date: text("Date, or not_available."),
    },
    closed,
  ),
  Problem: problem,
  Mistake: mistake,
  SearchRequest: Type.Object(
    {
      spec: named("SpecInput"),
      limit: Type.Optional(limit(SPEC_LIMITS.searchLimitMax)),
      cursor: Type.Optional(text("next_cursor of the page before; then without limit and output.")),
      output: Type.Optional(output(["json"])),
      facets: Type.Optional(facetNames),
    },
    closed,
  ),
  SearchAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      spec: named("Spec", "The normalized spec; send it for the next page."),
      accounts: Type.Array(named("Account")),
      next_cursor: cursor,
      has_more: hasMore,
      total: count("Exact number of matches."),
      facets: Type.Optional(named("Facets")),
      took_ms: tookMs,
    },
    closed,
  ),
  CountRequest: Type.Object(
    { spec: named("SpecInput"), facets: Type.Optional(facetNames) },
    closed,
  ),
  CountAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      spec: named("Spec"),
      total: count("Exact number of matches."),
      facets: Type.Optional(named("Facets")),
      took_ms: tookMs,
    },
    closed,
  ),
  AccountAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      account: named("Account"),
    },
    closed,
  ),
  NormalizeRequest: Type.Object({ spec: eitherSpec("SpecInput", "LeadQueryInput") }, closed),
  NormalizeAnswer: Type.Object(
    {
      request_id: requestId,
      valid: Type.Literal(true),
      spec: eitherSpec("Spec", "LeadQuery"),
      compiled: Type.Optional(
        named("Spec", "Of a lead query: the account query that it stands for."),
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
  ...LEAD_SCHEMAS,
  ...CHANGE_SCHEMAS,
  TranslateRequest: Type.Object({ query_text: sentence }, closed),
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
    },
    closed,
  ),
  ExportRequest: Type.Object(
    {
      spec: named("SpecInput"),
      output: output(EXPORT_FORMATS),
      limit: Type.Optional(limit(SPEC_LIMITS.exportLimitMax)),
      since: Type.Optional({
        ...sinceSchema,
        description: "Makes it an export of changes since that month; see POST /v1/changes.",
      } as TSchema),
      kinds: Type.Optional(kindsSchema),
      watch: Type.Optional(watchSchema),
    },
    closed,
  ),
  ...EXPORT_SCHEMAS,
  Status: Type.Object(
    {
      request_id: requestId,
      status: Type.Enum(["ok", "no_snapshot", "snapshot_damaged"]),
      version: Type.String(),
      snapshot: orNull(source.snapshot),
      snapshot_date: orNull(source.snapshot_date),
      provenance: orNull(named("Provenance")),
      accounts: orNull(count("Accounts in the snapshot.")),
      verification: orNull(verification),
      changes_since: Type.Array(label, {
        description: "Older snapshots that since of /v1/changes may name, the newest first.",
      }),
      plan: Type.Enum([...PLAN_NAMES]),
      limits: planLimits,
      field_allowlist: fieldList,
      field_allowlist_by_plan: Type.Record(Type.Enum([...PLAN_NAMES]), fieldList),
      allowed_sort_fields: Type.Array(Type.Enum([...SORT_FIELDS])),
      scoring_strategies: Type.Array(Type.Enum([...SCORING_STRATEGIES])),
      export_formats: Type.Array(Type.Enum([...EXPORT_FORMATS])),
      secondary_cnae_modes: Type.Array(Type.Enum([...SECONDARY_CNAE_MODES])),
      facets: Type.Array(Type.Enum([...FACETS])),
      usage,
      score: Type.Object({
        version: Type.Integer(),
        weights: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer())),
      }),
    },
    closed,
  ),
  ...RPC_SCHEMAS,
  Health: Type.Object({ status: Type.String() }, { additionalProperties: true }),
} as const satisfies Readonly<Record<string, TSchema>>;

/** Name of a schema. */
export type SchemaName = keyof typeof SCHEMAS;
