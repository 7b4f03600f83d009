/**
 * JSON Schemas of accounts, and of requests and answers about them. Part of the table in
 * schemas.ts.
 */
import Type, { type TSchema } from "typebox";
import { SCORE_PARTS } from "../../../search/score.ts";
import { COMPARED, COUNT_LAYOUTS, FACET_PAIRS_MAX, FACETS } from "../../../spec/facets.ts";
import { LABEL_LANGUAGES } from "../../../spec/fields/words.ts";
import { OUTPUT_FIELDS, SCORING_STRATEGIES } from "../../../spec/fields.ts";
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
  tookMs,
  VALUES,
} from "../../openapi/schema-parts.ts";

/** An account has only the selected fields. Every field but `cnpj` may be null. */
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

const facetsAndPairs = Type.Array(
  Type.Union([
    Type.Enum([...FACETS]),
    Type.Array(Type.Enum([...FACETS]), {
      ...{ minItems: 2, maxItems: 2, uniqueItems: true },
      description: "Two fields whose pairs of values are counted.",
    }),
  ]),
  {
    maxItems: FACETS.length + FACET_PAIRS_MAX,
    uniqueItems: true,
    description:
      "Fields whose values are counted over all matches, and pairs of them: at most " +
      `${FACET_PAIRS_MAX}.`,
  },
);

const facetValue = {
  value: orNull(Type.Union([Type.String(), Type.Integer(), Type.Boolean()])),
  label: Type.Optional(text("Name of the value, if it has one.")),
};
const crossValues = (what: string) =>
  Type.Array(Type.Object({ ...facetValue, count: count("Matches with this value.") }, closed), {
    description: `${what}, most frequent first; without a value last.`,
  });
const crossRest = Type.Object(
  { values: count("Values that are not listed."), count: count("Matches they hold.") },
  closed,
);

/** Schemas of accounts by name. */
export const ACCOUNT_SCHEMAS = {
  Account: account,
  Explanation: explanation,
  Facet: facet,
  Facets: Type.Object(
    Object.fromEntries(FACETS.map((name) => [name, Type.Optional(named("Facet"))])),
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;

/** Language of headings and values. Only for answers in the form of files. */
const fileLabels = Type.Optional(
  orNull(Type.Enum([...LABEL_LANGUAGES], { description: "Language of a file; of files alone." })),
);

/** Schemas of account requests by name. */
export const SEARCH_SCHEMAS = {
  SearchRequest: Type.Object(
    {
      spec: named("SpecInput"),
      limit: Type.Optional(limitSchema(SPEC_LIMITS.searchLimitMax)),
      cursor: Type.Optional(text("next_cursor of the page before; then without limit and output.")),
      output: Type.Optional(outputSchema(["json"])),
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
    {
      spec: named("SpecInput"),
      facets: Type.Optional(facetsAndPairs),
      labels: fileLabels,
      layout: Type.Optional(
        orNull(
          Type.Enum([...COUNT_LAYOUTS], {
            description:
              "Of files alone. lines: a line for each value and each pair that has matches. " +
              "table: one pair with its rows, columns, and totals; the default if facets is " +
              "one pair.",
          }),
        ),
      ),
    },
    closed,
  ),
  CompareRequest: Type.Object(
    {
      specs: Type.Array(named("SpecInput"), { minItems: COMPARED.min, maxItems: COMPARED.max }),
      facets: Type.Optional(facetNames),
      snapshots: Type.Optional(
        Type.Array(orNull(Type.String({ pattern: "^\\d{4}-\\d{2}$" })), {
          ...{ minItems: COMPARED.min, maxItems: COMPARED.max },
          description: "Month of each spec; null is the served one.",
        }),
      ),
      labels: fileLabels,
    },
    closed,
  ),
  CompareAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      specs: Type.Array(named("Spec"), { description: "Normalized, in the order sent." }),
      registry: count("Accounts of the snapshot."),
      totals: Type.Array(count("Exact number of matches of a spec.")),
      bases: Type.Array(
        Type.Object(
          {
            ...{ snapshot: source.snapshot, snapshot_date: source.snapshot_date },
            registration_status_any_of: Type.Array(Type.Integer(), {
              description: "The status that all specs ask for; empty for all accounts.",
            }),
            accounts: count("Accounts of the base."),
          },
          closed,
        ),
        { description: "What the index of each group compares with." },
      ),
      facets: Type.Object(
        Object.fromEntries(FACETS.map((name) => [name, Type.Optional(named("Comparison"))])),
        closed,
      ),
      took_ms: tookMs,
    },
    closed,
  ),
  Comparison: Type.Object(
    {
      values: Type.Array(
        Type.Object(
          {
            ...facetValue,
            registry: count("Accounts of the snapshot with this value."),
            counts: Type.Array(count("Matches of a spec with this value.")),
            bases: Type.Array(count("Accounts of the base with this value.")),
            shares: Type.Array(Type.Number({ description: "Counts by the totals, 0 to 1." })),
            index: Type.Array(
              orNull(Type.Number({ description: "100 if the share is that of the base." })),
            ),
          },
          closed,
        ),
        { description: "Most frequent in all specs first; without a value last." },
      ),
      other: Type.Object(
        { values: count("Values that are not listed."), counts: Type.Array(count("By spec.")) },
        closed,
      ),
    },
    closed,
  ),
  Cross: Type.Object(
    {
      facets: Type.Array(Type.Enum([...FACETS]), { minItems: 2, maxItems: 2 }),
      rows: crossValues("Values of the first facet"),
      columns: crossValues("Values of the second facet"),
      counts: Type.Array(Type.Array(count("Matches with both values.")), {
        description: "By row, then by column.",
      }),
      other_rows: crossRest,
      other_columns: crossRest,
    },
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
      crosses: Type.Optional(
        Type.Array(named("Cross"), { description: "Tables of pairs, in the order sent." }),
      ),
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
} as const satisfies Readonly<Record<string, TSchema>>;
