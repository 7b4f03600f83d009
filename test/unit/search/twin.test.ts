/**
 * Proves that the reference implementation of the engine is right, with answers computed by hand.
 * They concern every filter, missing values (last in both directions), ties, seeds, pages, and the
 * modes of secondary activities. The random order equals stored examples and is a permutation.
 * Random specs use every feature.
 * Does not prove: anything about the engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OUTPUT_FIELD_NAMES, SORT_FIELDS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { contextWith, SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import { feistelOf, Twin, type TwinRow, type TwinValue } from "../../support/twin.ts";

type Members = Readonly<Record<string, unknown>>;

/** An account with only the given values. */
function account(given: Readonly<Record<string, TwinValue>>): TwinRow {
  const empty = Object.fromEntries(OUTPUT_FIELD_NAMES.map((name) => [name, null]));
  const scores = { score: 0, score_contactable: 0, score_newest: 0, score_established: 0 };
  return { ...empty, ...scores, ...given } as TwinRow;
}

const A = account({
  cnpj: "00000000000191",
  score: 900,
  score_newest: 5,
  legal_name: "PADARIA SÃO JOSÉ LTDA",
  trade_name: "Pão Quente",
  headquarters: true,
  registration_status: 2,
  started_on: "2020-01-01",
  cnae_primary: "4721102",
  cnae_secondary: ["5611201"],
  legal_nature: "2062",
  company_size_code: "01",
  share_capital: 1_000.5,
  simples_opt_in: true,
  mei_opt_in: false,
  uf: "SP",
  municipality_ibge: "3550308",
  municipality_tom: "7107",
  municipality_population: 11_000_000,
  postal_code: "01310100",
  email: "contato@padaria.test",
  phone_1: "+551133330000",
});
const B = account({
  cnpj: "00000000000272",
  score: 500,
  score_newest: 9,
  legal_name: "BAR DO ZE",
  headquarters: false,
  registration_status: 8,
  cnae_primary: "5611201",
  cnae_secondary: ["4721102"],
  company_size_code: "05",
  simples_opt_in: false,
  mei_opt_in: false,
  uf: "RJ",
  municipality_ibge: "3304557",
  municipality_tom: "6001",
  municipality_population: 6_000_000,
  phone_2: "+5521988887777",
});
const C = account({
  cnpj: "00ABC000000101",
  score: 500,
  score_newest: 9,
  legal_name: "Ácido & Filhos",
  started_on: "2019-12-31",
  cnae_primary: "8888888",
  uf: "EX",
  municipality_tom: "9707",
  share_capital: 0,
});

const TWIN = new Twin([C, B, A]);

function spec(filters: Members, more: Members = {}): AccountQuerySpec {
  return normalizeSpec({ filters, ...more }, contextWith({ mode: "either", fullAllowed: true }))
    .spec;
}

describe("Twin: matching", () => {
  it("numbers the rows by balanced score, then CNPJ", () => {
    assert.deepEqual(TWIN.rows, [A, B, C]);
  });

  for (const [filters, rows] of [
    [{}, [0, 1, 2]],
    [{ industry: { cnae_any_of: ["47"] } }, [0]],
    [{ industry: { cnae_any_of: ["8888888", "I"] } }, [1, 2]],
    [{ industry: { cnae_exclude: ["5611201"] } }, [0, 2]],
    [{ industry: { text_hints: ["quente sao"] } }, [0]],
    [{ industry: { text_hints: ["filhos padaria", "ZÉ"] } }, [1]],
    [{ industry: { text_hints: ["pad"] } }, []],
    [{ geo: { uf_any_of: ["rj", "ex"] } }, [1, 2]],
    [{ geo: { municipality_ibge_any_of: ["3550308"], municipality_tom_any_of: ["9707"] } }, [0, 2]],
    [{ geo: { postal_code_prefix_any_of: ["013"] } }, [0]],
    [{ geo: { postal_code_prefix_any_of: ["13"] } }, []],
    [{ geo: { area_code_any_of: ["21"] } }, [1]],
    [{ company: { registration_status_any_of: [2, 3] } }, [0]],
    [{ company: { company_size_code_any_of: ["05"] } }, [1]],
    [{ company: { headquarters_only: true } }, [0]],
    [{ company: { simples_opt_in: false } }, [1, 2]],
    [{ company: { simples_opt_in: true, mei_opt_in: false } }, [0]],
    [{ company: { started_after: "2020" } }, [0]],
    [{ company: { started_before: "2020" } }, [2]],
    [{ company: { started_before: "2020-01-02" } }, [0, 2]],
    [{ company: { share_capital_min: 0 } }, [0, 2]],
    [{ company: { share_capital_min: 1_000.5, share_capital_max: 1_000.5 } }, [0]],
    [{ company: { share_capital_max: 1_000.49 } }, [2]],
    [{ company: { legal_nature_any_of: ["2"] } }, [0]],
    [{ contact: { require_email: true } }, [0]],
    [{ contact: { require_phone: true } }, [0, 1]],
    [{ contact: { require_any_contact: true } }, [0, 1]],
  ] as const) {
    it(JSON.stringify(filters), () => {
      assert.deepEqual(TWIN.answer(spec(filters)), rows);
    });
  }

  for (const [mode, limit, rows] of [
    ["off", 9, [0]],
    ["full", 9, [0, 1]],
    ["fallback", 9, [0, 1]],
    ["fallback", 1, [0]],
  ] as const) {
    it(`matches secondary activities in mode ${mode}, limit ${limit}`, () => {
      const industry = { cnae_any_of: ["47"], secondary_cnae_mode: mode };
      assert.deepEqual(TWIN.answer(spec({ industry }, { limit })), rows);
      const exclude = { cnae_exclude: ["47"], secondary_cnae_mode: mode };
      assert.deepEqual(TWIN.answer(spec({ industry: exclude })), mode === "off" ? [1, 2] : [2]);
    });
  }

  it("puts fallback matches after all primary ones, for any sort", () => {
    const industry = { cnae_any_of: ["5611201"], secondary_cnae_mode: "fallback" };
    assert.deepEqual(TWIN.answer(spec({ industry })), [1, 0]);
  });
});

describe("Twin: order", () => {
  for (const [sort, rows] of [
    ["score desc", [0, 1, 2]],
    ["score asc", [1, 2, 0]],
    ["started_on desc", [0, 2, 1]],
    ["started_on asc", [2, 0, 1]],
    ["share_capital desc", [0, 2, 1]],
    ["share_capital asc", [2, 0, 1]],
    ["legal_name asc", [1, 0, 2]],
    ["legal_name desc", [2, 0, 1]],
    ["cnpj desc", [2, 1, 0]],
    ["company_size asc", [0, 1, 2]],
    ["company_size desc", [1, 0, 2]],
    ["municipality_population asc", [1, 0, 2]],
    ["municipality_population desc", [0, 1, 2]],
    ["score desc,cnpj desc", [0, 2, 1]],
  ] as const) {
    it(sort, () => {
      const keys = sort.split(",").map((key) => {
        const [field, direction] = key.split(" ");
        return { field, direction };
      });
      assert.deepEqual(TWIN.answer(spec({}, { sort: keys })), rows);
    });
  }

  it("follows the strategy", () => {
    assert.deepEqual(TWIN.answer(spec({}, { scoring: { strategy: "newest" } })), [1, 2, 0]);
  });

  it("follows the seed under random, forwards and backwards", () => {
    const scoring = { strategy: "random", random_seed: 42 };
    const place = feistelOf(3, 42);
    const expected = [0, 1, 2].sort((left, right) => place(left) - place(right));
    assert.deepEqual(TWIN.answer(spec({}, { scoring })), expected);
    const sort = [{ field: "score", direction: "asc" }];
    assert.deepEqual(TWIN.answer(spec({}, { scoring, sort })), expected.reverse());
  });

  it("breaks ties by the seed only for equal scores, and only when sorting by score", () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const scoring = { strategy: "balanced", random_seed: seed };
      orders.add(TWIN.answer(spec({}, { scoring })).join());
      const sort = [{ field: "municipality_population", direction: "asc" }];
      assert.deepEqual(TWIN.answer(spec({}, { scoring, sort })), [1, 0, 2]);
    }
    assert.deepEqual([...orders].sort(), ["0,1,2", "0,2,1"]);
  });

  it("joins pages to the whole answer", () => {
    const walked: number[] = [];
    let after = -1;
    for (let more = true; more; ) {
      const page = TWIN.page(spec({}, { limit: 1 }), after);
      assert.equal(page.total, 3);
      walked.push(...page.rows);
      after = page.rows.at(-1) ?? after;
      more = page.more;
    }
    assert.deepEqual(walked, [0, 1, 2]);
  });
});

/**
 * Stored examples of the random order, which the engine must match too: the number of rows, the
 * seed, and the positions of the first ten rows.
 */
const FEISTEL_VECTORS: readonly (readonly [number, number, readonly number[]])[] = [
  [1_000, 42, [731, 218, 307, 33, 670, 545, 139, 988, 283, 892]],
  [1, 5, [0]],
  [5, 0, [2, 3, 0, 1, 4]],
  [65_536, 2 ** 53 - 1, [38713, 51706, 47756, 15374, 14299, 51488, 35803, 35099, 34588, 17979]],
  [
    5_000_000,
    42,
    [1855974, 1971690, 3459288, 1098802, 3870471, 1004988, 4175600, 3721381, 306595, 3110676],
  ],
  [
    72_000_000,
    123_456_789,
    [
      67768655, 29483382, 55151021, 49345897, 25725340, 11587992, 415307, 14685935, 69119522,
      37782662,
    ],
  ],
];

describe("feistelOf", () => {
  for (const [rowCount, seed, places] of FEISTEL_VECTORS) {
    it(`maps ${rowCount} rows under seed ${seed} to fixed positions`, () => {
      assert.deepEqual(places.map((_, row) => row).map(feistelOf(rowCount, seed)), places);
    });
  }

  it("is a permutation for every row count", () => {
    for (const rowCount of [1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 257, 1_000]) {
      const places = Array.from({ length: rowCount }, (_, row) => row).map(feistelOf(rowCount, 7));
      assert.equal(new Set(places).size, rowCount);
      assert.ok(places.every((place) => place >= 0 && place < rowCount));
    }
  });
});

/** Every feature that the random specs must use. */
const EXPECTED_USES: readonly string[] = [
  ...["cnae_any_of", "cnae_exclude", "text_hints", "uf_any_of", "municipality_ibge_any_of"],
  ...[
    "municipality_tom_any_of",
    "postal_code_prefix_any_of",
    "district_any_of",
    "area_code_any_of",
  ],
  ...["registration_status_any_of", "company_size_code_any_of", "legal_nature_any_of"],
  ...["started_after", "started_before", "share_capital_min", "share_capital_max"],
  ...["headquarters_only", "simples_opt_in", "mei_opt_in"].flatMap(bothOf),
  ...["require_email", "require_phone", "require_any_contact"].flatMap(bothOf),
  ...["cnae_secondary_any_of", "branches_only true"],
  ...["require_mobile true", "require_landline true", "require_own_domain true"],
  ...["establishments_min", "establishments_max", "email_shared_max", "phone_shared_max"],
  ...["phone_any_of", "email_any_of", "missing_any_of"],
  ...["status_since", "status_before", "status_reason_any_of", "sanction_any_of"],
  ...["simples_excluded_since", "simples_excluded_before"],
  ...["mei_excluded_since", "mei_excluded_before", "owned_by_any_of", "owned_by_depth"],
  ...bothOf("has_federal_debt"),
  ...["federal_debt_min", "federal_debt_max", "federal_debt_any_of"],
  ...["owned_companies_min", "owned_companies_max"],
  ...["owner_companies_min", "owner_companies_max"],
  ...SORT_FIELDS.flatMap((field) => [`${field} asc`, `${field} desc`]),
  ...["balanced", "contactable", "newest", "established"].flatMap((strategy) => [
    `${strategy} plain`,
    `${strategy} seeded`,
  ]),
  "random seeded",
];

function bothOf(flag: string): string[] {
  return [`${flag} true`, `${flag} false`];
}

describe("randomSpec", () => {
  const specs = (seed: number) => {
    const rng = seededRng(seed);
    return Array.from({ length: 2_000 }, () => randomSpec(rng, SAMPLE_CATALOG, TWIN.rows));
  };

  it("returns the same specs for the same seed", () => {
    assert.deepEqual(specs(1).slice(0, 50), specs(1).slice(0, 50));
    assert.notDeepEqual(specs(1).slice(0, 50), specs(2).slice(0, 50));
  });

  it("uses every filter, extension, sort key, and strategy, often with results", () => {
    const used = new Set<string>();
    let filled = 0;
    for (const one of specs(3)) {
      if (TWIN.answer(one).length > 0) filled++;
      for (const use of usesOf(one)) used.add(use);
    }
    assert.ok(filled > 600 && filled < 1_900, `${filled} of 2000 answers are not empty`);
    assert.deepEqual([...used].sort(), [...EXPECTED_USES].sort());
  });
});

/**
 * Returns the features that a spec uses: filters that are set, booleans with their value, sort
 * keys, and strategies.
 */
function usesOf({ filters, sort, scoring }: AccountQuerySpec): string[] {
  const { secondary_cnae_mode: _, ...industry } = filters.industry;
  const members = { ...industry, ...filters.geo, ...filters.company, ...filters.contact };
  const set = Object.entries(members).filter(([, value]) => `${value ?? ""}` !== "");
  return [
    ...set.map(([name, value]) => (typeof value === "boolean" ? `${name} ${value}` : name)),
    ...sort.map(({ field, direction }) => `${field} ${direction}`),
    `${scoring.strategy} ${scoring.random_seed === null ? "plain" : "seeded"}`,
  ];
}
