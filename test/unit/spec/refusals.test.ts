/**
 * Proves: every wrong value of a spec is rejected with a pointer and a code, and all mistakes are
 * reported together. Each limit is tested at the limit and one beyond it.
 * Does not prove the normalized form of accepted specs (unit/spec/normalize.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { failure, filters, mistakes, normal } from "../../support/spec/outcome.ts";

/** Returns a spec whose `explain` has this many bytes as JSON. Some letters have two bytes. */
function explainOf(bytes: number): { readonly explain: object } {
  const of = (padding: string) => ({ ...EMPTY, assumptions: [{ words: `éé${padding}` }] });
  const least = Buffer.byteLength(JSON.stringify(of("")));
  return { explain: of("x".repeat(bytes - least)) };
}

const EMPTY = { assumptions: [], warnings: [], unmapped_constraints: [], confidence: 1 };

/** Rejected specs. Each string holds the pointer below /spec and the error code. */
const REFUSED: readonly (readonly [string, unknown])[] = [
  [" wrong_type", null],
  [" wrong_type", []],
  [" wrong_type", "{}"],
  ["/kind unknown_value", { kind: "lead_query" }],
  ["/kind unknown_value", { kind: null }],
  ["/spec_version unknown_value", { spec_version: 2 }],
  ["/entity unknown_value", { entity: "person" }],
  ["/nope unknown_member", { nope: 1 }],
  ["/constructor unknown_member", { constructor: 1 }],
  ["/a~1b~0c unknown_member", { "a/b~c": 1 }],
  ["/limit wrong_type", { limit: "10" }],
  ["/limit wrong_type", { limit: 1.5 }],
  ["/limit wrong_type", { limit: null }],
  ["/limit wrong_type", { limit: Number.NaN }],
  ["/limit wrong_type", { limit: Number.POSITIVE_INFINITY }],
  ["/limit out_of_range", { limit: 0 }],
  ["/limit out_of_range", { limit: 50_001 }],
  ["/filters wrong_type", { filters: null }],
  ["/filters wrong_type", { filters: [] }],
  ["/filters/people unknown_member", { filters: { people: {} } }],
  ["/filters/industry wrong_type", { filters: { industry: null } }],
  ["/filters/industry/cnae_any_of wrong_type", filters("industry", { cnae_any_of: "47" })],
  ["/filters/industry/cnae_any_of wrong_type", filters("industry", { cnae_any_of: null })],
  ["/filters/industry/cnae_any_of/0 wrong_type", filters("industry", { cnae_any_of: [4711301] })],
  ["/filters/industry/cnae_any_of/0 wrong_type", filters("industry", { cnae_any_of: [null] })],
  ...[
    "4",
    "471130",
    "47113011",
    "99",
    "V",
    "g",
    "",
    " 47",
    "4711-3",
    "4711/301",
    "888",
    "88888",
  ].map(
    (code) =>
      [
        "/filters/industry/cnae_any_of/0 unknown_cnae",
        filters("industry", { cnae_any_of: [code] }),
      ] as const,
  ),
  [
    "/filters/industry/secondary_cnae_mode unknown_value",
    filters("industry", { secondary_cnae_mode: null }),
  ],
  ["/filters/industry/text_hints/0 no_word", filters("industry", { text_hints: ["-- !"] })],
  ["/filters/industry/text_hints/0 no_word", filters("industry", { text_hints: ["\u0301"] })],
  ["/filters/industry/text_hints/1 wrong_type", filters("industry", { text_hints: ["a", {}] })],
  ["/filters/geo/uf_any_of/1 unknown_uf", filters("geo", { uf_any_of: ["SP", "XX"] })],
  ["/filters/geo/uf_any_of/0 unknown_uf", filters("geo", { uf_any_of: ["São Paulo"] })],
  ["/filters/geo/uf_any_of/0 unknown_uf", filters("geo", { uf_any_of: ["ﬆ"] })],
  [
    "/filters/geo/municipality_ibge_any_of/0 unknown_municipality",
    filters("geo", { municipality_ibge_any_of: ["3550309"] }),
  ],
  [
    "/filters/geo/municipality_ibge_any_of/0 wrong_type",
    filters("geo", { municipality_ibge_any_of: [3550308] }),
  ],
  [
    "/filters/geo/municipality_tom_any_of/0 unknown_municipality",
    filters("geo", { municipality_tom_any_of: ["00001"] }),
  ],
  [
    "/filters/geo/municipality_tom_any_of/0 unknown_municipality",
    filters("geo", { municipality_tom_any_of: ["2"] }),
  ],
  [
    "/filters/geo/postal_code_prefix_any_of/0 wrong_format",
    filters("geo", { postal_code_prefix_any_of: ["01310-100"] }),
  ],
  [
    "/filters/geo/postal_code_prefix_any_of/0 wrong_format",
    filters("geo", { postal_code_prefix_any_of: ["123456789"] }),
  ],
  ...["10", "1", "011", "١١"].map(
    (area) =>
      [
        "/filters/geo/area_code_any_of/0 wrong_format",
        filters("geo", { area_code_any_of: [area] }),
      ] as const,
  ),
  ...[5, "2", "5", 2.5, null, true, "002"].map(
    (status) =>
      [
        "/filters/company/registration_status_any_of/0 unknown_status",
        filters("company", { registration_status_any_of: [status] }),
      ] as const,
  ),
  ...["02", 2, "1", "5", null, ""].map(
    (size) =>
      [
        "/filters/company/company_size_code_any_of/0 unknown_company_size",
        filters("company", { company_size_code_any_of: [size] }),
      ] as const,
  ),
  ...["true", 1, null].map(
    (value) =>
      [
        "/filters/company/headquarters_only wrong_type",
        filters("company", { headquarters_only: value }),
      ] as const,
  ),
  ["/filters/company/mei_opt_in wrong_type", filters("company", { mei_opt_in: "false" })],
  ...[
    "2023-02-29",
    "1900-02-29",
    "2020-13",
    "2020-00",
    "2020-01-00",
    "0000",
    "20",
    2020,
    "",
    {},
  ].map(
    (date) =>
      [
        "/filters/company/started_after wrong_date",
        filters("company", { started_after: date }),
      ] as const,
  ),
  [
    "/filters/company/started_before empty_interval",
    filters("company", { started_after: "2020-01-01", started_before: "2020" }),
  ],
  ["/filters/company/share_capital_min wrong_type", filters("company", { share_capital_min: "1" })],
  [
    "/filters/company/share_capital_min wrong_type",
    filters("company", { share_capital_min: Number.POSITIVE_INFINITY }),
  ],
  [
    "/filters/company/share_capital_min out_of_range",
    filters("company", { share_capital_min: -1 }),
  ],
  [
    "/filters/company/share_capital_max out_of_range",
    filters("company", { share_capital_max: 90_000_000_000_001 }),
  ],
  [
    "/filters/company/share_capital_min wrong_format",
    filters("company", { share_capital_min: 0.005 }),
  ],
  [
    "/filters/company/federal_debt_max empty_interval",
    filters("company", { federal_debt_min: 2, federal_debt_max: 1 }),
  ],
  ["/filters/company/federal_debt_min out_of_range", filters("company", { federal_debt_min: -1 })],
  [
    "/filters/company/federal_debt_any_of/1 unknown_word",
    filters("company", { federal_debt_any_of: ["fgts", "previdenciária"] }),
  ],
  [
    "/filters/company/owned_companies_max empty_interval",
    filters("company", { owned_companies_min: 2, owned_companies_max: 1 }),
  ],
  [
    "/filters/company/owner_companies_min out_of_range",
    filters("company", { owner_companies_min: 0 }),
  ],
  [
    "/filters/company/share_capital_max empty_interval",
    filters("company", { share_capital_min: 2, share_capital_max: 1 }),
  ],
  [
    "/filters/company/branches_only contradiction",
    filters("company", { headquarters_only: true, branches_only: true }),
  ],
  [
    "/filters/company/legal_nature_any_of/0 unknown_legal_nature",
    filters("company", { legal_nature_any_of: ["206-2"] }),
  ],
  ["/filters/contact/require_email wrong_type", filters("contact", { require_email: null })],
  ["/sort wrong_type", { sort: {} }],
  ["/sort/0 wrong_type", { sort: [null] }],
  ["/sort/0 wrong_type", { sort: ["score"] }],
  ["/sort/0/field unknown_value", { sort: [{ field: "uf", direction: "asc" }] }],
  ["/sort/0/direction unknown_value", { sort: [{ field: "score", direction: "DESC" }] }],
  ["/sort/0/direction unknown_value", { sort: [{ field: "score" }] }],
  [
    "/sort/1/field duplicate",
    {
      sort: [
        { field: "cnpj", direction: "asc" },
        { field: "cnpj", direction: "desc" },
      ],
    },
  ],
  ["/scoring/strategy unknown_value", { scoring: { strategy: "best" } }],
  ["/scoring/strategy unknown_value", { scoring: { strategy: null } }],
  ["/scoring/random_seed missing", { scoring: { strategy: "random" } }],
  ["/scoring/random_seed wrong_type", { scoring: { random_seed: "1" } }],
  ["/scoring/random_seed out_of_range", { scoring: { random_seed: -1 } }],
  ["/scoring/random_seed out_of_range", { scoring: { random_seed: 2 ** 53 } }],
  ["/output/format unknown_value", { output: { format: "csv" } }],
  ["/output/format unknown_value", { output: { format: "xml" } }],
  ["/output/include_explain wrong_type", { output: { include_explain: 1 } }],
  ["/output/fields wrong_type", { output: { fields: "cnpj" } }],
  ["/output/fields/0 unknown_field", { output: { fields: ["CNPJ"] } }],
  ["/output/bom csv_only", { output: { bom: true } }],
  ["/output/bom wrong_type", { output: { bom: null } }],
  ["/output/delimiter csv_only", { output: { delimiter: ";" } }],
  ["/output/delimiter unknown_value", { output: { delimiter: "|" } }],
  ["/output/delimiter unknown_value", { output: { delimiter: null } }],
  ["/output/compression export_only", { output: { compression: "gzip" } }],
  ["/output/compression unknown_value", { output: { compression: "brotli" } }],
  ["/output/compression unknown_value", { output: { compression: null } }],
  ["/output/encoding unknown_member", { output: { encoding: "utf-8" } }],
  ["/explain/notes unknown_member", { explain: { notes: [] } }],
  ["/explain/warnings wrong_type", { explain: { warnings: "none" } }],
  ["/explain/warnings/0 wrong_type", { explain: { warnings: [null] } }],
  ["/explain/assumptions/0 too_long", { explain: { assumptions: ["x".repeat(4097)] } }],
  ["/explain/confidence wrong_type", { explain: { confidence: 1.01 } }],
  ["/explain/confidence wrong_type", { explain: { confidence: null } }],
];

describe("normalizeSpec: rejections", () => {
  for (const [expected, spec] of REFUSED) {
    it(`rejects ${JSON.stringify(spec)?.slice(0, 90)} at ${expected}`, () => {
      assert.deepEqual(mistakes(spec), [`/spec${expected}`]);
      assert.equal(failure(spec).code, "invalid_spec");
    });
  }

  it("rejects a missing spec", () => {
    assert.deepEqual(mistakes(undefined), ["/spec missing"]);
  });

  it("reports every mistake of a spec in one error, in order", () => {
    const spec = {
      kind: "x",
      limit: "many",
      filters: {
        industry: { cnae_any_of: ["47", "zz"] },
        geo: { uf_any_of: ["SP", "Q1", "r"] },
        contact: { email: true },
      },
      sort: [{ field: "score", direction: "up" }],
      output: { fields: ["cnpj", "cpf"] },
    };
    assert.deepEqual(mistakes(spec).sort(), [
      "/spec/filters/contact/email unknown_member",
      "/spec/filters/geo/uf_any_of/1 unknown_uf",
      "/spec/filters/geo/uf_any_of/2 unknown_uf",
      "/spec/filters/industry/cnae_any_of/1 unknown_cnae",
      "/spec/kind unknown_value",
      "/spec/limit wrong_type",
      "/spec/output/fields/1 unknown_field",
      "/spec/sort/0/direction unknown_value",
    ]);
    assert.match(failure(spec).message, /8 mistakes/);
  });

  it("lists 50 mistakes at most and counts all", () => {
    const codes = Array.from({ length: 9_999 }, (_, position) => `x${position}`);
    const error = failure(filters("industry", { cnae_any_of: codes }));
    assert.equal(error.errors.length, 50);
    assert.match(error.message, /9999 mistakes/);
    const many = Object.fromEntries(codes.map((code) => [code, 1]));
    assert.match(failure(many).message, /9999 mistakes/);
  });

  it("uses the given pointer", () => {
    assert.deepEqual(mistakes({ limit: 0 }, { pointer: "" }), ["/limit out_of_range"]);
  });
});

describe("normalizeSpec: limits, each at the limit and one beyond it", () => {
  const repeat = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    [
      "/filters/geo/uf_any_of too_many",
      filters("geo", { uf_any_of: repeat(10_000, "SP") }),
      filters("geo", { uf_any_of: repeat(10_001, "SP") }),
    ],
    [
      "/filters/company/registration_status_any_of too_many",
      filters("company", { registration_status_any_of: repeat(10_000, 2) }),
      filters("company", { registration_status_any_of: repeat(10_001, 2) }),
    ],
    [
      "/filters/industry/text_hints too_many",
      filters("industry", { text_hints: repeat(20, "a") }),
      filters("industry", { text_hints: repeat(21, "a") }),
    ],
    [
      "/filters/industry/text_hints/0 too_long",
      filters("industry", { text_hints: ["é".repeat(80)] }),
      filters("industry", { text_hints: ["é".repeat(81)] }),
    ],
    [
      "/filters/industry/text_hints/0 too_long",
      filters("industry", { text_hints: ["ß".repeat(40)] }),
      filters("industry", { text_hints: ["ß".repeat(41)] }),
    ],
    [
      "/sort too_many",
      { sort: ["score", "cnpj", "started_on"].map((field) => ({ field, direction: "asc" })) },
      { sort: repeat(4, { field: "score", direction: "asc" }) },
    ],
    [
      "/explain/warnings too_many",
      { explain: { warnings: repeat(1_000, "w") } },
      { explain: { warnings: repeat(1_001, "w") } },
    ],
    ["/explain too_long", explainOf(131_072), explainOf(131_073)],
    ["/limit out_of_range", { limit: 50_000 }, { limit: 50_001 }],
    ["/limit out_of_range", { limit: 1 }, { limit: 0 }],
    [
      "/scoring/random_seed out_of_range",
      { scoring: { random_seed: 2 ** 53 - 1 } },
      { scoring: { random_seed: 2 ** 53 } },
    ],
    [
      "/filters/geo/uf_any_of/0 too_long",
      filters("geo", { uf_any_of: [] }),
      filters("geo", { uf_any_of: ["x".repeat(257)] }),
    ],
  ];
  for (const [expected, atLimit, past] of cases) {
    it(expected, () => {
      normal(atLimit);
      assert.deepEqual(mistakes(past), [`/spec${expected}`]);
    });
  }

  it("1,400 subclasses", () => {
    const catalogOf = (count: number) => ({
      ...SAMPLE_CATALOG,
      cnaeCodes: Array.from({ length: count }, (_, code) => String(1_000_000 + code)),
    });
    const spec = filters("industry", { cnae_any_of: ["10"] });
    assert.equal(
      normal(spec, { catalog: catalogOf(1_400) }).filters.industry.cnae_any_of.length,
      1_400,
    );
    assert.deepEqual(mistakes(spec, { catalog: catalogOf(1_401) }), [
      "/spec/filters/industry/cnae_any_of too_many",
    ]);
  });

  it("rejects an explain that leaves no space for its warnings", () => {
    const full = explainOf(131_072);
    normal({ ...full, limit: 10 }, { limitCap: 10 });
    const found = mistakes({ ...full, limit: 11 }, { limitCap: 10 });
    assert.deepEqual(found, ["/spec/explain too_long"]);
  });

  it("rejects warnings that leave no space for those of the spec", () => {
    const warnings = Array.from({ length: 1_000 }, (_, position) => `w${position}`);
    const found = mistakes({ limit: 11, explain: { warnings } }, { limitCap: 10 });
    assert.deepEqual(found, ["/spec/explain/warnings too_many"]);
  });

  it("repeats no CPF that was sent as an owner", () => {
    for (const sent of ["123.456.789-09", "12345678909", "Fulana Inventada 123.456.789-09"]) {
      const owners = filters("company", { owned_by_any_of: [sent] });
      const shown = JSON.stringify(failure(owners));
      assert.match(shown, /Must be a CNPJ or its first 8 characters, not .*\*\*\*\.\*\*\*/);
      assert.doesNotMatch(shown, /456\.?789/);
    }
  });

  it("reports a nonexistent day as such, not as a wrong form", () => {
    const detailOf = (date: string) =>
      String(JSON.stringify(failure(filters("company", { started_before: date }))));
    assert.match(detailOf("2023-02-29"), /Must be a day of the calendar, not .*2023-02-29/);
    assert.match(detailOf("29/02/2023"), /Must be a date as YYYY-MM-DD, YYYY-MM or YYYY, not/);
  });
});
