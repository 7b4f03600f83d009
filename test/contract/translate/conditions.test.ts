/**
 * Proves the exact results of each construct of dates, ages, capital, limits, status, size, regime,
 * head offices, contact, and order. The results are filters, limit, order, parts that were not
 * understood, warnings, and assumptions. Every word of a text is in a part, and notes are in the
 * language of the request.
 * Does not prove: places and activities, which have their own suites.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { isSet, memberOf } from "../../../src/spec/filters/members.ts";
import { FILTERS, type FilterName } from "../../../src/spec/filters/table.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { confidenceOf, isUncertain } from "../../../src/translate/confidence.ts";
import { tokenize } from "../../../src/translate/words/tokens.ts";
import { CONDITION_ROWS } from "../../support/translate/condition-rows.ts";
import { FILTER_TEXTS, type FilterTexts, spoken } from "../../support/translate/filter-texts.ts";
import { NOTE_LISTS, notesOf, openProbe, type Probe } from "../../support/translate/probe.ts";
import { STATED_ROWS } from "../../support/translate/stated-rows.ts";

/** Summarizes a text's translation, without activities and the assumed active status. */
function summaryOf(probe: Probe, text: string): string {
  const spec = probe.spec(text);
  const { company, contact, geo } = spec.filters;
  const parts: string[] = [];
  const add = (name: string, value: unknown) => {
    if (value !== null && value !== undefined && value !== false) parts.push(`${name}=${value}`);
  };
  const list = (values: readonly unknown[]) => (values.length === 0 ? null : values.join(","));
  const status = company.registration_status_any_of.join(",");
  add("status", status === "2" ? null : status || "any");
  add("size", list(company.company_size_code_any_of));
  add("mei", company.mei_opt_in === null ? null : String(company.mei_opt_in));
  add("simples", company.simples_opt_in === null ? null : String(company.simples_opt_in));
  add("nature", list(company.legal_nature_any_of ?? []));
  add("words", list(spec.filters.industry.text_hints));
  add("areas", list(geo.area_code_any_of ?? []));
  add("postal", list(geo.postal_code_prefix_any_of ?? []));
  add("heads", company.headquarters_only);
  add("branches", company.branches_only);
  add("units", unitsOf(company.establishments_min, company.establishments_max));
  add("secondary", list(spec.filters.industry.cnae_secondary_any_of ?? []));
  add("from", company.started_after);
  add("before", company.started_before);
  add("changed", daysOf(company.status_since, company.status_before));
  add("leftsimples", daysOf(company.simples_excluded_since, company.simples_excluded_before));
  add("leftmei", daysOf(company.mei_excluded_since, company.mei_excluded_before));
  add("sanction", company.sanction_any_of?.join(","));
  add("debt", company.has_federal_debt === undefined ? null : String(company.has_federal_debt));
  add("owner", company.owned_by_any_of?.join(","));
  add("lacks", contact.missing_any_of?.join(","));
  add("min", company.share_capital_min);
  add("max", company.share_capital_max);
  add("email", contact.require_email);
  add("phone", contact.require_phone);
  add("contact", contact.require_any_contact);
  add("mobile", contact.require_mobile);
  add("landline", contact.require_landline);
  add("domain", contact.require_own_domain);
  add("emailmax", contact.email_shared_max);
  add("phonemax", contact.phone_shared_max);
  add("limit", spec.limit === 100 ? null : spec.limit);
  const sort = list(spec.sort.map(({ field, direction }) => `${field}.${direction}`));
  add("sort", sort === "score.desc" ? null : sort);
  add("uf", geo.uf_any_of.length > 9 ? geo.uf_any_of.length : list(geo.uf_any_of));
  add("city", list(geo.municipality_ibge_any_of));
  const left = notesOf(spec, "unmapped_constraints");
  add("left", list(left.map(({ code, words }) => `${code}(${words})`)));
  add("warned", list(notesOf(spec, "warnings").map(({ code }) => code)));
  const assumed = notesOf(spec, "assumptions").map(({ code }) => code);
  add("assumed", list(assumed.filter((code) => code !== "active_only")));
  return parts.join(" ");
}

function daysOf(since?: string, before?: string): string | null {
  return since === undefined && before === undefined ? null : `${since ?? ""}..${before ?? ""}`;
}

function unitsOf(min?: number, max?: number): string | null {
  return min === undefined && max === undefined ? null : `${min ?? ""}-${max ?? ""}`;
}

describe("conditions", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  for (const [name, rows] of Object.entries({ ...CONDITION_ROWS, ...STATED_ROWS })) {
    it(`maps every construct of ${name}`, () => {
      const wrong = rows.flatMap(([short, summary]) => {
        const text = short.startsWith(" ") || short.startsWith(",") ? `padarias${short}` : short;
        const seen = summaryOf(probe, text);
        return seen === summary ? [] : [`${text}: ${seen}; not ${summary}`];
      });
      assert.deepEqual(wrong, []);
    });
  }

  it("sets every filter by every one of its phrases, and no other", () => {
    const set = (filters: AccountQuerySpec["filters"]) =>
      FILTERS.filter((row) => isSet(filters, row)).map(({ member }): FilterName => member);
    const plain = set(probe.spec("padarias em Curitiba").filters);
    const byFilter: Readonly<Record<FilterName, FilterTexts | null>> = FILTER_TEXTS;
    for (const row of FILTERS) {
      const one = byFilter[row.member];
      if (one === null) continue;
      const without = plain.filter((name) => !one.not?.includes(name));
      const wanted = [...new Set([...without, row.member])].sort();
      for (const texts of one.rows) {
        const first = JSON.stringify(memberOf(probe.spec(spoken(texts[0] as string)).filters, row));
        for (const text of texts) {
          const { filters } = probe.spec(spoken(text));
          assert.deepEqual(set(filters).sort(), wanted, spoken(text));
          assert.equal(JSON.stringify(memberOf(filters, row)), first, spoken(text));
          assert.deepEqual(probe.unmapped(spoken(text)), [], spoken(text));
        }
      }
    }
  });

  it("omits no activity that was requested by name", () => {
    const { industry } = probe.spec("bares e restaurantes exceto fast food").filters;
    assert.ok(industry.cnae_any_of.includes("5611-2/01"));
    assert.ok(!industry.cnae_exclude.includes("5611-2/01"));
    const some = probe.spec("farmácias exceto farmácias de manipulação").filters.industry;
    assert.deepEqual(some.cnae_exclude, ["4771-7/02"]);
  });

  it("reads two trades in the plural as both, and their names together as one shop", () => {
    const codes = (text: string) => probe.spec(text).filters.industry.cnae_any_of;
    assert.deepEqual(codes("livrarias e papelarias"), ["4761-0/01", "4761-0/03"]);
    assert.deepEqual(codes("livraria e papelaria"), ["4761-0/01"]);
    assert.deepEqual(codes("hotéis e restaurantes"), ["5510-8/01", "5611-2/01"]);
    assert.deepEqual(codes("representantes do ramo de calçados"), ["4616-8/00"]);
    assert.deepEqual(codes("cartórios"), ["6912-5/00"]);
  });

  it("reads no words for possessions or locations as activities", () => {
    const codes = (text: string) => probe.spec(text).filters.industry.cnae_any_of;
    assert.deepEqual(codes("dentistas com domínio próprio na internet"), codes("dentistas"));
    assert.deepEqual(codes("farmácias com 5 ou mais lojas"), codes("farmácias"));
    assert.deepEqual(codes("dentistas no bairro Jardim das Flores"), codes("dentistas"));
    assert.ok(codes("textile factories").every((code) => code.startsWith("13")));
  });

  it("reports that a kind is not separated, and which quarter is not applied", () => {
    const noted = (text: string, list: (typeof NOTE_LISTS)[number]) =>
      notesOf(probe.spec(text), list).map(({ code, words }) => `${code}(${words})`);
    const kinds = noted("restaurantes japoneses em Curitiba", "unmapped_constraints");
    assert.ok(kinds.includes("kind_not_separated(japoneses)"), `${kinds}`);
    const quarter = probe.spec("padarias em Campinas, Goiânia");
    assert.deepEqual(quarter.filters.geo.municipality_ibge_any_of, ["5208707"]);
    assert.deepEqual(probe.unmapped("padarias em Campinas, Goiânia"), ["em Campinas"]);
  });

  it("assumes that companies are active only if no status is named", () => {
    const codes = (text: string) =>
      notesOf(probe.spec(text), "assumptions").map(({ code }) => code);
    assert.ok(codes("padarias").includes("active_only"));
    for (const text of ["padarias ativas", "padarias baixadas", "padarias ativas ou não"]) {
      assert.ok(!codes(text).includes("active_only"), text);
    }
  });

  it("writes notes in the language of the request", () => {
    const details = (text: string) => {
      const { explain } = probe.translate(text).spec;
      return NOTE_LISTS.flatMap((list) => explain[list].map(({ detail }) => detail)).join(" ");
    };
    assert.match(details("padarias sem telefone fixo"), /falta de contato/);
    assert.match(details("padarias"), /Somente empresas ativas/);
    assert.match(details("maiores padarias"), /capital social/);
    assert.match(details("bakeries without landline"), /missing contact/);
    assert.match(details("bakeries in Curitiba"), /Active companies only/);
    assert.match(details("largest bakeries"), /share capital/);
  });

  it("has every word of a text in exactly one part", () => {
    const words = [...Object.values(CONDITION_ROWS).flat()].flatMap(([text]) => text.split(" "));
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...words, ",", "(", "Nárnia", "xyz"), { maxLength: 30 }),
      fc.array(fc.string({ maxLength: 8 }), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(texts, (list) => {
        const text = list.join(" ");
        const { parts } = probe.translate(text);
        for (const [i, { start, end }] of parts.entries()) {
          assert.ok(start < end && start >= (parts[i - 1]?.end ?? 0));
        }
        for (const token of tokenize(text)) {
          if (token.kind === "mark") continue;
          const inside = parts.filter(({ start, end }) => start <= token.start && token.end <= end);
          assert.equal(
            inside.length,
            1,
            `${JSON.stringify(token.text)} of ${JSON.stringify(text)}`,
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keeps an e-mail together after its negation", () => {
    const { parts } = probe.translate("dentistas sem e-mail");
    assert.deepEqual(
      parts.map(({ words, role }) => [words, role]),
      [
        ["dentistas", "activity"],
        ["sem", "negation"],
        ["e-mail", "contact"],
      ],
    );
  });

  it("counts fillers as parts", () => {
    const { parts } = probe.translate("quero padarias, por favor");
    assert.deepEqual(
      parts.map(({ words, role }) => [words, role]),
      [
        ["quero", "filler"],
        ["padarias", "activity"],
        ["por favor", "filler"],
      ],
    );
  });
});

describe("confidence", () => {
  const sure = {
    ...{ tellingWords: 3, weakestActivity: 0.95, placed: true, unknownPlace: false },
    ...{ unknownWords: 0, unmappedRequests: 0, homonyms: 0, corrections: 0, contradictions: 0 },
    ...{ abroad: 0, strayWords: 0, unknownRequests: 0 },
  };
  const counts = fc.record({
    tellingWords: fc.nat(40),
    weakestActivity: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    placed: fc.boolean(),
    unknownPlace: fc.boolean(),
    unknownWords: fc.nat(20),
    strayWords: fc.nat(20),
    unknownRequests: fc.nat(4),
    unmappedRequests: fc.nat(5),
    homonyms: fc.nat(3),
    corrections: fc.nat(5),
    contradictions: fc.nat(3),
    abroad: fc.nat(2),
  });

  it("is between 0 and 1 with two decimals, and falls with every unknown part", () => {
    const worse = [
      ...(["unknownWords", "unmappedRequests", "homonyms", "corrections"] as const),
      ...(["contradictions", "abroad", "strayWords", "unknownRequests"] as const),
    ];
    fc.assert(
      fc.property(counts, fc.constantFrom(...worse), (features, name) => {
        const value = confidenceOf(features);
        assert.ok(value >= 0 && value <= 1);
        assert.equal(value, Math.round(value * 100) / 100);
        assert.ok(confidenceOf({ ...features, [name]: features[name] + 1 }) <= value);
        assert.ok(confidenceOf({ ...features, unknownPlace: true }) <= value);
      }),
    );
  });

  it("is uncertain if running the spec would mislead, and not for a named condition", () => {
    assert.ok(!isUncertain(confidenceOf(sure)));
    assert.ok(!isUncertain(confidenceOf({ ...sure, unmappedRequests: 1 })));
    assert.ok(!isUncertain(confidenceOf({ ...sure, unknownWords: 2, unknownRequests: 1 })));
    assert.ok(!isUncertain(confidenceOf({ ...sure, unmappedRequests: 2, weakestActivity: 0.9 })));
    // An unknown word far from the words that were understood is reported, but the translation may
    // still run.
    assert.ok(!isUncertain(confidenceOf({ ...sure, unknownWords: 1, strayWords: 1 })));
    const misleading = [
      { tellingWords: 0, weakestActivity: null, placed: false },
      { unknownPlace: true },
      { weakestActivity: 0 },
      { weakestActivity: null, unknownWords: 2 },
      { weakestActivity: null, placed: false },
      { unknownWords: 20, tellingWords: 24 },
      { unknownWords: 1, strayWords: 1, nearWords: 1 },
      { unknownWords: 1, strayWords: 1, namedWords: 1 },
      { unknownWords: 2, strayWords: 2 },
      { abroad: 1 },
      { lists: 1 },
      { contradictions: 1 },
    ];
    for (const one of misleading) {
      assert.ok(isUncertain(confidenceOf({ ...sure, ...one })), JSON.stringify(one));
    }
  });

  it("warns of an uncertain translation and names the conditions of a certain one", async () => {
    const probe = await openProbe();
    const codes = (text: string) => notesOf(probe.spec(text), "warnings").map(({ code }) => code);
    const strange = ["xyzzy em SP", "quero vender", "clínicas xyzzy em SP"];
    for (const text of ["padarias em Nárnia", "oi, tudo bem?", ...strange]) {
      assert.ok(codes(text).includes("uncertain"), text);
    }
    const named = ["restaurantes em SP com faturamento acima de 1 milhão", "bares com manobrista"];
    for (const text of ["padarias", ...named]) {
      assert.ok(!codes(text).includes("uncertain"), text);
    }
    probe.close();
  });
});
