/**
 * What comes in: nothing. What goes out: the JSON Schemas (2020-12) of the account query spec, as
 * a client may write it and as normalization returns it, and the static type of the latter.
 * Invariant: `normalize.ts` returns only values that SPEC_SCHEMA accepts, and accepts only values
 * that SPEC_INPUT_SCHEMA accepts; tests hold both. The schemas feed the OpenAPI document and
 * checks off the hot path; normalization itself is hand-written, for speed and clear messages.
 */
import Type from "typebox";
import {
  COMPANY_SIZE_CODES,
  CSV_DELIMITERS,
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  REGISTRATION_STATUSES,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_DIRECTIONS,
  SORT_FIELDS,
} from "./fields.ts";

/** Limits of a spec; each is tested at the limit and one past it. */
export const SPEC_LIMITS = {
  /** Accounts in one answer of a search. */
  searchLimitMax: 50_000,
  /** Rows of one export before the plan's cap is applied. */
  exportLimitMax: 1_000_000_000,
  /** Elements of any array. */
  arrayLengthMax: 10_000,
  /** UTF-16 units of any string outside `explain`. */
  stringLengthMax: 256,
  /** Subclasses after the expansion of one CNAE list. */
  cnaeCodesMax: 1_400,
  /** Phrases of `text_hints`. */
  textHintsMax: 20,
  /** Characters (code points) of one phrase, as written and as normalized. */
  textHintLengthMax: 80,
  /** Keys of `sort`. */
  sortKeysMax: 3,
  /** Elements of each array of `explain`. */
  explainItemsMax: 1_000,
  /** UTF-16 units of a string in `explain`. */
  explainStringMax: 4_096,
  /** Bytes of all of `explain`, as JSON in UTF-8; a translator never says as much. */
  explainBytesMax: 131_072,
  /** Reais; its cents are still exact in a double. */
  shareCapitalMax: 90_000_000_000_000,
} as const;

const closed = { additionalProperties: false } as const;
const list = { maxItems: SPEC_LIMITS.arrayLengthMax } as const;

/** Makes an enum of literals with its static type. */
function oneOf<const Values extends readonly (string | number)[]>(
  values: Values,
  description: string,
) {
  return Type.Enum([...values] as Values[number][], { description });
}

const sortField = oneOf(SORT_FIELDS, "Field to sort by. Ties end on cnpj ascending.");
const direction = oneOf(SORT_DIRECTIONS, "Accounts without the value come last in both.");
const strategy = oneOf(SCORING_STRATEGIES, "Which documented score `score` means.");
const mode = oneOf(
  SECONDARY_CNAE_MODES,
  "off: primary activity only. fallback: secondary matches fill up after all primary ones. " +
    "full: either. Search takes off only.",
);
const format = oneOf(["json", ...EXPORT_FORMATS] as const, "json for a search, else of an export.");
const flag = (description: string) => Type.Boolean({ description, default: false });
const optIn = (what: string) =>
  Type.Union([Type.Boolean(), Type.Null()], {
    description: `null: no filter; false: known not to be ${what}.`,
    default: null,
  });
const seed = Type.Union(
  [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
  {
    description: "Strategy random needs it; else it re-orders accounts of equal score only.",
  },
);
const capital = (description: string) =>
  Type.Number({ minimum: 0, maximum: SPEC_LIMITS.shareCapitalMax, description });
const patterns = (pattern: string, description: string) =>
  Type.Array(Type.String({ pattern }), { ...list, description });
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

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
  unmapped_constraints: explainItems("Wishes that no filter expresses."),
  confidence: Type.Number({ minimum: 0, maximum: 1, description: "0 to 1." }),
};

const limit = Type.Integer({
  minimum: 1,
  maximum: SPEC_LIMITS.exportLimitMax,
  description: "Accounts wanted; a search takes up to 50000. The plan's cap may lower it.",
});

const geoExtensions = {
  postal_code_prefix_any_of: Type.Optional(
    patterns("^[0-9]{1,8}$", "CEP prefixes, 1 to 8 digits. Absent unless used."),
  ),
  area_code_any_of: Type.Optional(
    patterns("^(1[1-9]|[2-9][0-9])$", "Area codes of either phone, 2 digits. Absent unless used."),
  ),
};

const capitalExtensions = {
  share_capital_min: Type.Optional(capital("Reais, inclusive. Absent unless used.")),
  share_capital_max: Type.Optional(capital("Reais, inclusive. Absent unless used.")),
};

const sortKeys = Type.Array(Type.Object({ field: sortField, direction }, closed), {
  maxItems: SPEC_LIMITS.sortKeysMax,
  description: "Sort keys, most significant first; empty means score descending.",
});

const date = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" });

/** The normalized spec: every object present, every list sorted, extensions only where used. */
export const SPEC_SCHEMA = Type.Object(
  {
    kind: Type.Literal("account_query"),
    spec_version: Type.Literal("2.0"),
    entity: Type.Literal("company"),
    limit,
    filters: Type.Object(
      {
        industry: Type.Object(
          {
            cnae_any_of: patterns("^\\d{4}-\\d/\\d{2}$", "Subclasses as NNNN-N/NN, sorted."),
            cnae_exclude: patterns("^\\d{4}-\\d/\\d{2}$", "Subclasses left out, sorted."),
            secondary_cnae_mode: mode,
            text_hints: Type.Array(Type.String(), {
              maxItems: SPEC_LIMITS.textHintsMax,
              description: "Folded words joined by single spaces.",
            }),
          },
          closed,
        ),
        geo: Type.Object(
          {
            uf_any_of: patterns("^[A-Z]{2}$", "States in upper case, sorted."),
            municipality_ibge_any_of: patterns("^\\d{7}$", "IBGE codes, 7 digits, sorted."),
            municipality_tom_any_of: patterns("^\\d{4}$", "TOM codes, 4 digits, sorted."),
            ...geoExtensions,
          },
          closed,
        ),
        company: Type.Object(
          {
            registration_status_any_of: Type.Array(
              oneOf(REGISTRATION_STATUSES, "1 null, 2 active, 3 suspended, 4 unfit, 8 closed."),
              list,
            ),
            company_size_code_any_of: Type.Array(
              oneOf(COMPANY_SIZE_CODES, "00 not informed, 01 micro, 03 small, 05 other."),
              list,
            ),
            headquarters_only: flag("Head offices only."),
            simples_opt_in: optIn("in Simples Nacional"),
            mei_opt_in: optIn("a MEI"),
            started_after: orNull(date),
            started_before: orNull(date),
            ...capitalExtensions,
            legal_nature_any_of: Type.Optional(
              patterns("^\\d{4}$", "Legal natures, 4 digits, sorted. Absent unless used."),
            ),
          },
          closed,
        ),
        contact: Type.Object(
          {
            require_email: flag("Only accounts with an e-mail address."),
            require_phone: flag("Only accounts with a phone."),
            require_any_contact: flag("Only accounts with an e-mail address or a phone."),
          },
          closed,
        ),
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
            description: "csv only: begins with a byte order mark. Absent unless true.",
            default: false,
          }),
        ),
        delimiter: Type.Optional(
          Type.Enum([...CSV_DELIMITERS], {
            description: "csv only: what stands between cells. Absent unless a semicolon.",
            default: ",",
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

/** What a client sends as a spec, before anything is known about it. */
export type SpecInput = unknown;

const partialDate = orNull(
  Type.String({
    pattern: "^\\d{4}(-\\d{2}(-\\d{2})?)?$",
    description: "YYYY-MM-DD, YYYY-MM or YYYY (their first day).",
  }),
);
const strings = (description: string) =>
  Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), { ...list, description });

const industryInput = Type.Object(
  {
    cnae_any_of: strings(
      "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits, or a section letter A-U; expanded to the " +
        "known subclasses.",
    ),
    cnae_exclude: strings("The same spellings; these activities are left out."),
    secondary_cnae_mode: mode,
    text_hints: Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), {
      maxItems: SPEC_LIMITS.textHintsMax,
      description: "Phrases of up to 80 characters; every word of one of them must be in a name.",
    }),
  },
  closed,
);

const geoInput = Type.Object(
  {
    uf_any_of: strings("The 27 states and EX, in any case."),
    municipality_ibge_any_of: strings("7 digits, or 6 without the check digit."),
    municipality_tom_any_of: strings("1 to 4 digits; a union with the IBGE list."),
    postal_code_prefix_any_of: orNull(strings("CEP prefixes, 1 to 8 digits.")),
    area_code_any_of: orNull(strings("Area codes of either phone, 2 digits.")),
  },
  closed,
);

const companyInput = Type.Object(
  {
    registration_status_any_of: Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      ...list,
      description: "1 null, 2 active, 3 suspended, 4 unfit, 8 closed; integers or 02. Empty: all.",
    }),
    company_size_code_any_of: Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      ...list,
      description: "00 not informed, 01 micro, 03 small, 05 other; strings or integers.",
    }),
    headquarters_only: flag("Head offices only."),
    simples_opt_in: optIn("in Simples Nacional"),
    mei_opt_in: optIn("a MEI"),
    started_after: partialDate,
    started_before: partialDate,
    share_capital_min: orNull(capital("Reais, inclusive, at most two decimals.")),
    share_capital_max: orNull(capital("Reais, inclusive, at most two decimals.")),
    legal_nature_any_of: orNull(strings("4 digits, or a prefix of 1 to 3.")),
  },
  closed,
);

const filtersInput = Type.Object(
  {
    industry: Type.Partial(industryInput, closed),
    geo: Type.Partial(geoInput, closed),
    company: Type.Partial(companyInput, closed),
    contact: Type.Partial(SPEC_SCHEMA.properties.filters.properties.contact, closed),
  },
  closed,
);

/** The `output` object as a client may write it, in a spec or beside one. */
export const OUTPUT_INPUT_SCHEMA = Type.Partial(SPEC_SCHEMA.properties.output, closed);

/** The spec as a client may write it: everything may be missing; the rest is checked. */
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
