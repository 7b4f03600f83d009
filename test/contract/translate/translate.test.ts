/**
 * Proves how sentences are translated, with a table of constructs and their results. The same words
 * always yield the same spec. No text makes the translator throw. The reported parts lie within the
 * text, and the spec can be normalized. Does not prove how often unseen sentences are right, nor
 * how fast it is, which the benchmark of translation measures.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, UFS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { suggestionsOf } from "../../../src/translate/suggestions.ts";
import { translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** Expected translation of a sentence; absent members are not checked. */
interface Expected {
  readonly cnae?: readonly string[];
  readonly without?: readonly string[];
  readonly ufs?: readonly string[];
  readonly cities?: readonly string[];
  readonly company?: Readonly<Record<string, unknown>>;
  readonly contact?: Readonly<Record<string, unknown>>;
  readonly limit?: number;
  readonly sort?: readonly string[];
  readonly unmapped?: readonly string[];
  readonly assumed?: readonly string[];
  readonly confidence?: number;
}

const SOUTH = ["PR", "RS", "SC"];
const ALL_BUT_SP = UFS.filter((uf) => uf !== "SP" && uf !== "EX").sort();

const SENTENCES: readonly (readonly [text: string, expected: Expected])[] = [
  [
    "padarias em Minas Gerais abertas desde 2020 com e-mail, exceto MEI",
    {
      ufs: ["MG"],
      company: { started_after: "2020-01-01", mei_opt_in: false, registration_status_any_of: [2] },
      contact: { require_email: true, require_phone: false },
      assumed: ["active_only"],
      unmapped: [],
    },
  ],
  ["dentistas", { cnae: ["8630-5/04"], ufs: [], cities: [] }],
  [
    "restaurantes em São Paulo",
    { cities: ["3550308"], ufs: [], assumed: ["city_not_state", "active_only"] },
  ],
  ["restaurantes no estado de São Paulo", { ufs: ["SP"], cities: [] }],
  ["restaurantes em SP", { ufs: ["SP"], cities: [] }],
  ["dentistas em Bom Jesus no Piauí", { cities: ["2201903"], ufs: [] }],
  ["dentistas em Campinas/SP", { cities: ["3509502"], ufs: [] }],
  ["bares em Florianópolis e Curitiba", { cities: ["4106902", "4205407"] }],
  ["fábricas de móveis no Sul", { cnae: ["3101-2/00", "3102-1/00", "3103-9/00"], ufs: SOUTH }],
  ["lojas de roupas e calçados em SC", { cnae: ["4781-4/00", "4782-2/01"], ufs: ["SC"] }],
  ["transportadoras paulistas", { ufs: ["SP"] }],
  ["farmácias em todo o Brasil exceto SP", { ufs: ALL_BUT_SP, cities: [], unmapped: [] }],
  ["clínicas sem telefone", { contact: { require_phone: false, missing_any_of: ["phone"] } }],
  ["conserto de celular com telefone", { cnae: ["9512-6/00"], contact: { require_phone: true } }],
  ["lojas que não sejam filiais", { company: { headquarters_only: true } }],
  ["oficinas fora do Simples", { company: { simples_opt_in: false } }],
  ["oficinas optantes pelo Simples Nacional", { company: { simples_opt_in: true } }],
  [
    "microempresas e pequenas empresas de limpeza",
    { company: { company_size_code_any_of: ["01", "03"] } },
  ],
  ["padarias fechadas", { company: { registration_status_any_of: [8] } }],
  [
    "padarias há mais de 5 anos",
    { company: { started_before: "2021-10-10", started_after: null } },
  ],
  [
    "padarias com menos de 2 anos",
    { company: { started_after: "2024-10-10", started_before: null } },
  ],
  ["padarias abertas nos últimos 6 meses", { company: { started_after: "2026-04-10" } }],
  [
    "padarias abertas entre 2015 e 2018",
    { company: { started_after: "2015-01-01", started_before: "2019-01-01" } },
  ],
  ["padarias abertas antes de março de 2019", { company: { started_before: "2019-03-01" } }],
  ["padarias abertas até 31/12/2020", { company: { started_before: "2021-01-01" } }],
  [
    "padarias abertas em 2021",
    { company: { started_after: "2021-01-01", started_before: "2022-01-01" } },
  ],
  ["padarias com capital acima de 100 mil", { company: { share_capital_min: 100_000 } }],
  [
    "padarias com capital entre 10 mil e 1,5 milhão",
    { company: { share_capital_min: 10_000, share_capital_max: 1_500_000 } },
  ],
  ["50 padarias em MG", { limit: 50, ufs: ["MG"] }],
  ["padarias, mais novas primeiro", { sort: ["started_on desc"] }],
  ["as 10 maiores construtoras por capital social", { limit: 10, sort: ["share_capital desc"] }],
  ["padarias com faturamento acima de 1 milhão", { unmapped: ["faturamento acima de 1 milhão"] }],
  ["padarias com mais de 10 funcionários", { limit: 100, unmapped: ["mais de 10 funcionários"] }],
  ["padarias em Nárnia", { ufs: [], cities: [], unmapped: ["em Nárnia"], confidence: 0 }],
  ["cnae 5611-2/01 em SP", { cnae: ["5611-2/01"], ufs: ["SP"], confidence: 0.99 }],
  [
    "lawyers in Recife with phone",
    { cnae: ["6911-7/01"], cities: ["2611606"], contact: { require_phone: true } },
  ],
];

describe("translation", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(3_000, 5);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  function normalized(text: string): AccountQuerySpec {
    return normalizeSpec(translate(text, segment).spec, {
      catalog: segment.catalog,
      limitDefault: 100,
      limitCap: 50_000,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    }).spec;
  }

  const notesOf = (spec: AccountQuerySpec, list: "assumptions" | "unmapped_constraints") =>
    spec.explain[list] as { code: string; words?: string; start?: number; end?: number }[];

  it("maps every construct of the table", () => {
    for (const [text, expected] of SENTENCES) {
      const spec = normalized(text);
      const { industry, geo, company, contact } = spec.filters;
      const seen: Expected = {
        cnae: industry.cnae_any_of,
        without: industry.cnae_exclude,
        ufs: geo.uf_any_of,
        cities: geo.municipality_ibge_any_of,
        company,
        contact,
        limit: spec.limit,
        sort: spec.sort.map(({ field, direction }) => `${field} ${direction}`),
        unmapped: notesOf(spec, "unmapped_constraints").map(({ words = "" }) => words),
        assumed: notesOf(spec, "assumptions").map(({ code }) => code),
        confidence: spec.explain.confidence,
      };
      for (const [name, value] of Object.entries(expected)) {
        const actual = seen[name as keyof Expected];
        if (name === "company" || name === "contact") {
          for (const [member, wanted] of Object.entries(value as object)) {
            const got = (actual as Record<string, unknown>)[member] ?? null;
            assert.deepEqual(got, wanted, `${text}: ${member}`);
          }
        } else {
          assert.deepEqual(actual, value, `${text}: ${name}`);
        }
      }
    }
  });

  it("reads accents, case, number and order alike", () => {
    const groups = [
      [
        "padarias em Goiânia com telefone",
        "PADARIAS EM GOIANIA COM TELEFONE",
        "padaria em goiânia com telefone",
        "com telefone, padarias em Goiânia",
      ],
      ["salões de beleza no Paraná", "salao de beleza no parana", "Salões de Beleza no Paraná"],
    ];
    for (const [first = "", ...others] of groups) {
      const expected = JSON.stringify(normalized(first).filters);
      for (const text of others)
        assert.equal(JSON.stringify(normalized(text).filters), expected, text);
    }
  });

  it("yields the same bytes every time", () => {
    for (const [text] of SENTENCES) {
      const first = JSON.stringify(translate(text, segment));
      for (let i = 0; i < 5; i++) assert.equal(JSON.stringify(translate(text, segment)), first);
    }
  });

  it("accepts any text: spans are in it, nothing is lost, and the spec is valid", () => {
    const vocabulary = SENTENCES.flatMap(([text]) => text.split(" "));
    const anything = fc.oneof(
      fc.string({ maxLength: 200, unit: "binary" }),
      fc
        .array(fc.constantFrom(...vocabulary, ",", "-", "/", "1.000", "99/99/9999", "\u0000"), {
          maxLength: 40,
        })
        .map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const { parts } = translate(text, segment);
        let end = 0;
        for (const part of parts) {
          assert.ok(part.start >= end && part.end > part.start);
          assert.equal(part.words, text.slice(part.start, part.end));
          end = part.end;
        }
        const spec = normalized(text);
        for (const { words, start, end: to } of notesOf(spec, "unmapped_constraints")) {
          assert.equal(words, text.slice(start, to));
        }
        const { confidence } = spec.explain;
        assert.ok(confidence >= 0 && confidence <= 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it("offers a choice if words mean several activities, with exact counts", () => {
    const text = "padarias em SP";
    const translation = translate(text, segment);
    const spec = normalized(text);
    const [suggestion] = suggestionsOf(segment, translation, spec);
    assert.equal(suggestion?.words, "padarias");
    assert.ok((suggestion?.activities.length ?? 0) >= 2);
    for (const { code, description } of suggestion?.activities ?? []) {
      assert.match(code, /^\d{4}-\d\/\d{2}$/);
      assert.ok(description.length > 5);
    }
  });
});
