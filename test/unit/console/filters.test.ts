/**
 * Proves the logic of the console's filter form. Its groups contain every filter exactly once, days
 * and amounts are parsed as people write them, and a translated sentence is shown whole with every
 * part explained.
 * Does not prove: the look of the form or the requests that it sends (console end-to-end tests do).
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { TranslateAnswer } from "../../../src/console/web/app/answers.ts";
import { language } from "../../../src/console/web/app/language.ts";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import { amountText, readAmount } from "../../../src/console/web/find/filters/amount.ts";
import { chainOf, readCount, spanText } from "../../../src/console/web/find/filters/chainspan.ts";
import {
  dayTyped,
  readDay,
  readSpan,
  shiftDays,
  shiftMonths,
} from "../../../src/console/web/find/filters/days.ts";
import { describeFilter } from "../../../src/console/web/find/filters/filterwords.ts";
import {
  clearGroup,
  countAll,
  countSet,
  GROUPS,
} from "../../../src/console/web/find/filters/groups.ts";
import { remarksOf, spansOf } from "../../../src/console/web/find/parttext.ts";
import { emptyQuery, isEmpty, type Query, specOf } from "../../../src/console/web/find/question.ts";
import { offeredOf, readingOf } from "../../../src/console/web/find/suggested.ts";

/** A query in which every member of the filters is set. */
function fullQuery(): Query {
  const query = emptyQuery();
  query.filters = {
    industry: {
      cnae_any_of: ["4721-1/02"],
      cnae_exclude: ["4721-1/03"],
      text_hints: ["pao quente"],
      cnae_secondary_any_of: ["4721-1/04"],
    },
    geo: {
      uf_any_of: ["MG", "SP"],
      municipality_ibge_any_of: ["3106200"],
      municipality_tom_any_of: ["7107"],
      postal_code_prefix_any_of: ["301"],
      area_code_any_of: ["31"],
      district_any_of: [{ municipality_ibge: "3106200", name: "savassi" }],
    },
    company: {
      registration_status_any_of: [2, 3],
      company_size_code_any_of: ["01"],
      headquarters_only: true,
      simples_opt_in: false,
      mei_opt_in: true,
      started_after: "2020-01-01",
      started_before: "2021-01-01",
      share_capital_min: 1000,
      share_capital_max: 2000.5,
      legal_nature_any_of: ["2062"],
      branches_only: true,
      establishments_min: 2,
      establishments_max: 9,
      status_since: "2026-01-01",
      status_before: "2026-04-01",
      status_reason_any_of: ["01"],
      simples_excluded_since: "2025-01-01",
      simples_excluded_before: "2026-01-01",
      mei_excluded_since: "2025-01-01",
      mei_excluded_before: "2026-01-01",
      sanction_any_of: ["ceis", "cnep"],
      has_federal_debt: true,
      federal_debt_min: 1000,
      federal_debt_max: 2000.5,
      federal_debt_any_of: ["fgts", "other"],
      owned_by_any_of: ["11222333"],
      owned_by_depth: 2,
      owned_companies_min: 1,
      owned_companies_max: 5,
      owner_companies_min: 2,
    },
    contact: {
      require_email: true,
      require_phone: true,
      require_any_contact: true,
      require_mobile: true,
      require_landline: true,
      require_own_domain: true,
      email_shared_max: 1,
      phone_shared_max: 2,
      phone_any_of: ["+5511987654321"],
      email_any_of: ["ana@example.com"],
      missing_any_of: ["email", "mobile"],
    },
    lists: { any_of: [`lst_${"a".repeat(32)}`], exclude: [`lst_${"b".repeat(32)}`] },
  };
  return query;
}

/** Names that the server gives to filters. */
const NAMES = [
  ..."cnae cnae_exclude text_hints uf municipality postal_code area_code".split(" "),
  ..."registration_status company_size legal_nature headquarters simples mei started".split(" "),
  ..."share_capital email phone any_contact cnae_secondary branches mobile landline".split(" "),
  ..."establishments own_domain email_shared phone_shared lists lists_exclude district".split(" "),
  ..."phone_number email_address status_changed status_reason simples_excluded".split(" "),
  ..."mei_excluded sanction federal_debt federal_debt_total owned_by contact_missing".split(" "),
  ..."owned_companies owner_companies federal_debt_kind".split(" "),
];

describe("filter groups", () => {
  it("count every filter once", () => {
    assert.equal(countAll(emptyQuery()), 0);
    assert.equal(countAll(fullQuery()), NAMES.length);
  });

  it("clear only their own filters", () => {
    const query = fullQuery();
    for (const group of GROUPS) {
      const others = countAll(query) - countSet(query, group);
      clearGroup(query, group);
      assert.equal(countSet(query, group), 0, group);
      assert.equal(countAll(query), others, group);
    }
    assert.ok(isEmpty(query));
  });
});

describe("days", () => {
  it("are parsed as people type them, day first, and formatted the same way", () => {
    for (const typed of ["31/12/2020", "31.12.2020", "31-12-2020", "31122020", " 2020-12-31 "]) {
      assert.equal(readDay(typed), "2020-12-31", typed);
    }
    assert.equal(readDay("1/2/2020"), "2020-02-01");
    assert.equal(dayTyped("2020-02-01"), "01/02/2020");
    assert.equal(dayTyped(""), "");
    for (const typed of ["", "12/31/2020", "30/02/2020", "31/12/20", "0/1/2020", "01/01/1799"]) {
      assert.equal(readDay(typed), null, typed);
    }
    for (let day = "1999-12-30"; day < "2001-01-03"; day = shiftDays(day, 1)) {
      assert.equal(readDay(dayTyped(day)), day);
    }
  });

  it("may be a month or a year, which resolves to its first or last day", () => {
    for (const [typed, first, last] of [
      ["2020", "2020-01-01", "2020-12-31"],
      ["02/2020", "2020-02-01", "2020-02-29"],
      ["2-2021", "2021-02-01", "2021-02-28"],
      ["12/1999", "1999-12-01", "1999-12-31"],
      ["01/01/20", "2020-01-01", "2020-01-01"],
      ["31/12/99", "1999-12-31", "1999-12-31"],
      ["31/12/2020", "2020-12-31", "2020-12-31"],
    ] as const) {
      assert.equal(readSpan(typed, "first"), first, typed);
      assert.equal(readSpan(typed, "last"), last, typed);
    }
    for (const typed of ["", "20", "13/2020", "30/02/20", "1799", "abc", "202"]) {
      assert.equal(readSpan(typed, "first"), null, typed);
    }
  });

  it("step over months, years, and leap days", () => {
    assert.equal(shiftDays("2020-02-28", 1), "2020-02-29");
    assert.equal(shiftDays("2021-01-01", -1), "2020-12-31");
    assert.equal(shiftMonths("2026-10-31", -1), "2026-09-30");
    assert.equal(shiftMonths("2024-02-29", -12), "2023-02-28");
    assert.equal(shiftMonths("2026-01-15", -3), "2025-10-15");
  });
});

describe("amounts", () => {
  const cases = [
    ["pt", "250.000", 250_000],
    ["pt", "R$ 1.500,50", 1_500.5],
    ["pt", "1500", 1_500],
    ["pt", "0,5", 0.5],
    ["pt", "1.50", null],
    ["pt", "1,000.00", null],
    ["pt", "-1", null],
    ["pt", "mil", null],
    ["pt", "", null],
    ["en", "250,000", 250_000],
    ["en", "1,500.50", 1_500.5],
    ["en", "1.500", null],
  ] as const;
  for (const [spoken, text, amount] of cases) {
    it(`parses "${text}" (${spoken}) as ${amount ?? "none"}`, () => {
      language.value = spoken;
      assert.equal(readAmount(text), amount);
      if (amount !== null) assert.equal(readAmount(amountText(amount)), amount);
    });
  }
});

describe("numbers of establishments", () => {
  before(() => switchLanguage("pt"));

  it("are one of the choices, or have a label of their own", () => {
    assert.equal(chainOf(undefined, undefined), "any");
    assert.equal(chainOf(10, undefined), "many");
    for (const [min, max, reported] of [
      [6, undefined, "6 ou mais"],
      [3, 8, "3 a 8"],
      [undefined, 4, "até 4"],
      [7, 7, "7"],
    ] as const) {
      assert.equal(chainOf(min, max), null);
      assert.equal(spanText(min, max), reported);
    }
  });

  it("are positive integers", () => {
    assert.equal(readCount(" 1.000 "), 1_000);
    for (const typed of ["", "0", "-5", "cinco", "99999999999"])
      assert.equal(readCount(typed), null);
  });
});

describe("filters as text", () => {
  before(() => switchLanguage("pt"));

  it("name every filter", () => {
    for (const name of NAMES) {
      const text = describeFilter(name, fullQuery(), null);
      assert.ok(text !== "" && text !== name, name);
    }
  });

  it("name the last included day", () => {
    assert.equal(
      describeFilter("started", fullQuery(), null),
      "abertas de 1 de jan. de 2020 a 31 de dez. de 2020",
    );
  });
});

describe("words with several possible activities", () => {
  const activity = (code: string, matches: number) => ({ code, description: code, matches });
  const of = (...activities: ReturnType<typeof activity>[]) => ({
    ...{ words: "construtoras", start: 0, end: 12 },
    activities,
  });
  const building = activity("4120-4/00", 0);
  const developing = activity("4110-7/00", 1);

  it("are unknown only if they matched nothing, for any choices", () => {
    const suggestion = of(building, developing);
    assert.equal(readingOf(suggestion, ["4120-4/00"]), "others");
    assert.deepEqual(offeredOf(suggestion, ["4120-4/00"]), [developing]);
    assert.equal(readingOf(of({ ...building, matches: 7 }, developing), ["4120-4/00"]), "one");
    assert.equal(readingOf(suggestion, []), "none");
  });

  it("include fully selected groups, such as a section, not only parts of them", () => {
    const taken = ["4120-4/00", "4110-7/00", "4399-1/03"];
    assert.equal(readingOf(of(building, developing), taken), "all");
  });
});

describe("a sentence", () => {
  before(() => switchLanguage("pt"));
  const sentence = "padarias, não MEI em MG com faturamento alto";
  const part = (words: string, role: string) => {
    const start = sentence.indexOf(words);
    return { words, start, end: start + words.length, role };
  };
  const query = emptyQuery();
  query.filters.geo.uf_any_of = ["MG"];
  query.filters.company.mei_opt_in = false;
  const unmapped = { code: "revenue", detail: "Sem filtro.", ...part("faturamento alto", "") };
  const answer = {
    spec: specOf(query),
    explain: {
      assumptions: [],
      warnings: [],
      unmapped_constraints: [unmapped],
      confidence: 0.9,
    },
    parts: [
      part("padarias", "activity"),
      part("não", "negation"),
      part("MEI", "regime"),
      part("em MG", "place"),
      part("com", "filler"),
      part("faturamento alto", "unmapped"),
    ],
    suggestions: [],
  } as unknown as TranslateAnswer;

  it("is shown whole, every part in its color", () => {
    const spans = spansOf(sentence, answer, null);
    assert.equal(spans.map(({ text }) => text).join(""), sentence);
    const coloured = spans.flatMap(({ text, colour }) => (colour ? [[text, colour]] : []));
    assert.deepEqual(coloured, [
      ["padarias", "activity"],
      ["não", "company"],
      ["MEI", "company"],
      ["em MG", "place"],
      ["faturamento alto", "unmapped"],
    ]);
  });

  it("shows what each part became, or that it became nothing", () => {
    const reported = new Map(
      spansOf(sentence, answer, null).map((one) => [one.text, one.meanings]),
    );
    assert.deepEqual(reported.get("em MG"), ["Minas Gerais"]);
    assert.deepEqual(reported.get("MEI"), ["não MEI"]);
    assert.deepEqual(reported.get("faturamento alto"), ["Sem filtro."]);
    assert.deepEqual(reported.get("padarias"), ["Não usei na busca"]);
  });

  it("shows one note for the same words, the most important one", () => {
    const contradiction = { code: "contradiction", start: 20, end: 33, detail: "It contradicts." };
    const left = { code: "contradiction", start: 40, end: 50, detail: "Not understood." };
    const uncertain = { code: "uncertain", detail: "Little was understood." };
    const explain = {
      ...{ assumptions: [], warnings: [uncertain, contradiction, "A text without a place."] },
      unmapped_constraints: [{ ...contradiction }, left],
    };
    const reported = remarksOf({ explain } as unknown as TranslateAnswer);
    assert.deepEqual(reported.minded, [contradiction, { detail: "A text without a place." }]);
    assert.deepEqual(reported.unused, [left]);
  });
});
