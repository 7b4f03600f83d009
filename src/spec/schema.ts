/**
 * The JSON Schemas (2020-12) of the account query spec. One describes the spec as a client may
 * write it; the other describes the spec that normalization returns, from which a static type is
 * derived.
 * Invariant: `normalize.ts` accepts only values that match SPEC_INPUT_SCHEMA, and returns only
 * values that match SPEC_SCHEMA; tests verify both. The schemas serve the OpenAPI document and
 * checks that are not time-critical. Normalization itself is written by hand, for speed and clear
 * messages.
 */
import Type from "typebox";
import { LABEL_LANGUAGES } from "./fields/words.ts";
import {
  COMPRESSIONS,
  CSV_DELIMITERS,
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  SCORING_STRATEGIES,
  SORT_DIRECTIONS,
  SORT_FIELDS,
} from "./fields.ts";
import { rowsOf } from "./filters/members.ts";
import type { FilterGroup, FilterRow } from "./filters/table.ts";
import { SPEC_LIMITS } from "./limits.ts";
import { PRESET_NAMES } from "./presets.ts";
import { flag, oneOf, SHAPES } from "./shapes.ts";

/** Max length of a text, in UTF-16 units. */
export const TEXT_MAX = 2_000;

const LABELS_TEXT = "csv, xlsx, html: headers and values in words of this language.";
const COMPRESSION_TEXT =
  "csv, html, jsonl: compresses the file; its name then ends in .gz or .zst.";
const TITLE_TEXT = "Files only: the title, used in the file name and as the heading of a page.";

const closed = { additionalProperties: false } as const;
const sortField = oneOf(SORT_FIELDS, "Field to sort by. Ties are broken by cnpj, ascending.");
const direction = oneOf(SORT_DIRECTIONS, "Accounts without the value come last in both.");
const strategy = oneOf(
  SCORING_STRATEGIES,
  "Score that ranks the accounts when they are sorted by `score`.",
);
const format = oneOf(
  ["json", ...EXPORT_FORMATS] as const,
  "json is for searches; the others are for exports.",
);
const seed = Type.Union(
  [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
  {
    description:
      "Required by strategy random. With other strategies it shuffles accounts of equal score.",
  },
);

/** Type of a member's schema. Filters that were added later are optional. */
type NormalOf<Row extends FilterRow> = Row extends { readonly unset: undefined }
  ? Type.TOptional<ReturnType<Row["normal"]>>
  : ReturnType<Row["normal"]>;
type PropertiesOf<Group extends FilterGroup> = {
  [Row in Extract<FilterRow, { readonly group: Group }> as Row["member"]]: NormalOf<Row>;
};

function normalGroup<Group extends FilterGroup>(group: Group) {
  const properties = rowsOf(group).rows.map(({ member, normal, unset }) => {
    const schema: Type.TSchema = normal(SHAPES);
    return [member, unset === undefined ? Type.Optional(schema) : schema];
  });
  return Type.Object(Object.fromEntries(properties) as PropertiesOf<Group>, closed);
}

/** Returns the schema of a filter group as a client may send it: all members are optional. */
function sentGroup(group: FilterGroup) {
  const properties = rowsOf(group).rows.map((row): [string, Type.TSchema] => {
    return [row.member, ("input" in row ? row.input : row.normal)(SHAPES)];
  });
  return Type.Partial(Type.Object(Object.fromEntries(properties), closed), closed);
}

const explainItems = (description: string) =>
  Type.Array(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]), {
    maxItems: SPEC_LIMITS.explainItemsMax,
    description,
  });

const explainWhole =
  "Not part of the spec's identity. As JSON it may have up to " +
  `${SPEC_LIMITS.explainBytesMax} bytes.`;

const explain = {
  assumptions: explainItems("What a translator assumed."),
  warnings: explainItems("What the sender should know about how the spec was read."),
  unmapped_constraints: explainItems("Conditions that no filter expresses."),
  confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "Probability that the spec means its sentence; 1 without one.",
  }),
};

const limit = Type.Integer({
  minimum: 1,
  maximum: SPEC_LIMITS.exportLimitMax,
  description: "Accounts wanted; a search takes up to 50000. The plan's cap may lower it.",
});

const sortKeys = Type.Array(Type.Object({ field: sortField, direction }, closed), {
  maxItems: SPEC_LIMITS.sortKeysMax,
  description: "Sort keys, most significant first; empty means score descending.",
});

/** The normalized spec: with all objects, sorted lists, and only the extensions in use. */
export const SPEC_SCHEMA = Type.Object(
  {
    kind: Type.Literal("account_query"),
    spec_version: Type.Literal("2.0"),
    entity: Type.Literal("company"),
    limit,
    filters: Type.Object(
      {
        industry: normalGroup("industry"),
        geo: normalGroup("geo"),
        company: normalGroup("company"),
        contact: normalGroup("contact"),
        lists: Type.Optional(normalGroup("lists")),
      },
      closed,
    ),
    sort: sortKeys,
    scoring: Type.Object({ strategy, random_seed: seed }, closed),
    output: Type.Object(
      {
        format,
        include_explain: flag("Adds to each account why it is listed and what its score is."),
        fields: Type.Array(oneOf(OUTPUT_FIELD_NAMES, "Output field."), {
          maxItems: OUTPUT_FIELD_NAMES.length,
          description: "Fields of each account, in this order.",
        }),
        bom: Type.Optional(
          Type.Boolean({
            description:
              "csv only: byte order mark at the start. In normal form only if true or with labels.",
            default: false,
          }),
        ),
        delimiter: Type.Optional(
          Type.Enum([...CSV_DELIMITERS], {
            description:
              "csv only: cell separator. In normal form only if a semicolon or with labels.",
            default: ",",
          }),
        ),
        labels: Type.Optional(
          Type.Enum([...LABEL_LANGUAGES], {
            description: LABELS_TEXT,
          }),
        ),
        preset: Type.Optional(
          Type.Enum([...PRESET_NAMES], {
            description: "csv, xlsx, html: the fields, order, and headers of a call list or a CRM.",
          }),
        ),
        title: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: SPEC_LIMITS.titleLengthMax,
            description: TITLE_TEXT,
          }),
        ),
        compression: Type.Optional(
          Type.Enum([...COMPRESSIONS], {
            description: `${COMPRESSION_TEXT} In normal form only if used.`,
            default: "none",
          }),
        ),
      },
      closed,
    ),
    explain: Type.Object(explain, { ...closed, description: explainWhole }),
  },
  { ...closed, description: "Account query spec, normalized." },
);

/** The account query spec after normalization. */
export type AccountQuerySpec = Type.Static<typeof SPEC_SCHEMA>;

/** One sort key of a normalized spec. */
export type SortKey = AccountQuerySpec["sort"][number];

/** A spec as a client sends it. It has not been checked yet. */
export type SpecInput = unknown;

const filtersInput = Type.Object(
  {
    industry: sentGroup("industry"),
    geo: sentGroup("geo"),
    company: sentGroup("company"),
    contact: sentGroup("contact"),
    lists: sentGroup("lists"),
  },
  closed,
);

/** The `output` object as a client may write it, in a spec or next to one in a request body. */
export const OUTPUT_INPUT_SCHEMA = Type.Partial(
  Type.Object({
    ...SPEC_SCHEMA.properties.output.properties,
    labels: Type.Union([Type.Enum([...LABEL_LANGUAGES]), Type.Null()], {
      // The schema states no default, because generated clients would then send it.
      description: LABELS_TEXT,
    }),
    // Leading, trailing, and doubled blanks are removed.
    title: Type.String({
      maxLength: SPEC_LIMITS.stringLengthMax,
      description: TITLE_TEXT,
    }),
  }),
  closed,
);

/** The spec as a client may write it: all members are optional, but those present are checked. */
export const SPEC_INPUT_SCHEMA = Type.Partial(
  Type.Object({
    kind: Type.Literal("account_query"),
    spec_version: Type.Literal("2.0"),
    entity: Type.Literal("company"),
    limit,
    filters: Type.Partial(filtersInput, closed),
    sort: sortKeys,
    scoring: Type.Partial(SPEC_SCHEMA.properties.scoring, closed),
    output: OUTPUT_INPUT_SCHEMA,
    explain: Type.Partial(Type.Object(explain), { ...closed, description: explainWhole }),
  }),
  { ...closed, description: "Account query spec, as a client may write it." },
);
