/**
 * Proves: the lead query 1.0 accepts names and codes, one or several, in both languages. All
 * mistakes are reported in one answer with pointer, code, advice, and similar names. The rules hold
 * for cities of the same name, for contact and status, and for cities next to states. The normal
 * form fits its schema, does not change if normalized again, and is equal for equivalent queries.
 * For any random query, the compiled account query is normalized without a mistake.
 * Does not prove: which activities a name means (unit/translate/lexicon.test.ts), nor anything
 * about HTTP.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { AppError } from "../../../src/errors.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { LEAD_INPUT_SCHEMA, LEAD_SCHEMA, type LeadQuery } from "../../../src/spec/leadschema.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { readLeadQuery } from "../../../src/translate/leads/leadquery.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const normalForm = Compile(LEAD_SCHEMA);
const inputForm = Compile(LEAD_INPUT_SCHEMA);

describe("the lead query", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(2_000, 5);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const read = (input: unknown) =>
    readLeadQuery(input, { segment, limitDefault: 100, limitCap: 50_000 });
  const query = (input: unknown): LeadQuery => read(input).query;
  const account = (input: unknown): AccountQuerySpec =>
    normalizeSpec(read(input).compiled, {
      catalog: segment.catalog,
      limitDefault: 100,
      limitCap: 50_000,
      fullAllowed: false,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
    }).spec;
  const mistakes = (input: unknown) => {
    try {
      read(input);
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, "invalid_spec");
      return error.errors;
    }
    return assert.fail(`accepted ${JSON.stringify(input)}`);
  };
  const assumed = (input: unknown) =>
    (read(input).compiled.explain as { assumptions: { code: string }[] }).assumptions.map(
      ({ code }) => code,
    );

  it("defaults to active companies with some contact, one establishment each", () => {
    const normal = query({});
    assert.deepEqual(normal.status, [2]);
    assert.deepEqual([normal.has_email, normal.has_phone], [null, null]);
    assert.equal(normal.one_per_company, true);
    assert.equal(normal.limit, 100);
    assert.deepEqual(normal.sort, [{ field: "score", direction: "desc" }]);
    assert.deepEqual(assumed({}), ["active_only", "contact_needed"]);
  });

  it("accepts cities as people write them", () => {
    const one = query({ cities: ["4205407"] }).cities;
    assert.deepEqual(one, ["4205407"]);
    const tom = segment.catalog.municipalities.find(({ ibge }) => ibge === "4205407")?.tom;
    assert.deepEqual(query({ cities: [tom, Number(tom)] }).cities, one);
    for (const spelling of [
      ...[
        "Florianópolis",
        "Florianopolis",
        "FLORIANÓPOLIS",
        "florianopolis/sc",
        "Florianópolis - SC",
      ],
      ...["Florianópolis (SC)", "Florianópolis, Santa Catarina", "420540", 4205407],
    ]) {
      assert.deepEqual(query({ cities: [spelling] }).cities, one, String(spelling));
      assert.deepEqual(query({ cities: spelling }).cities, one, `alone: ${spelling}`);
    }
  });

  it("suggests the probable city", () => {
    const [mistake] = mistakes({ cities: ["Recife", "Florianópoli"] });
    assert.equal(mistake?.pointer, "/spec/cities/1");
    assert.equal(mistake?.code, "unknown_city");
    assert.match(mistake?.detail ?? "", /did you mean Florianópolis\/SC\?/);
    const elsewhere = mistakes({ cities: "Recife/SP" })[0];
    assert.equal(elsewhere?.pointer, "/spec/cities");
    assert.match(elsewhere?.detail ?? "", /did you mean Recife\/PE\?/);
    assert.match(mistakes({ cities: ["Bahia"] })[0]?.detail ?? "", /is a state: name it in states/);
    assert.match(
      mistakes({ cities: ["Xyzzyqua"] })[0]?.detail ?? "",
      /with its state: Bom Jesus\/PI/,
    );
    assert.match(mistakes({ cities: ["9999999"] })[0]?.detail ?? "", /No municipality has/);
    assert.match(mistakes({ states: ["Pernanbuco"] })[0]?.detail ?? "", /did you mean Pernambuco/);
    assert.match(mistakes({ regions: ["Leste"] })[0]?.detail ?? "", /Norte, .* or Sul\?/);
  });

  it("follows the rule for cities of the same name, and reports it", () => {
    const all = query({ cities: ["Bom Jesus"] }).cities;
    assert.ok(all.length > 1, "several municipalities are called Bom Jesus");
    assert.ok(assumed({ cities: ["Bom Jesus"] }).includes("city_of_several_states"));
    for (const spelling of [
      "Bom Jesus/PI",
      "Bom Jesus - PI",
      "bom jesus piauí",
      "Bom Jesus (PI)",
    ]) {
      assert.deepEqual(query({ cities: [spelling] }).cities, ["2201903"], spelling);
      assert.ok(!assumed({ cities: [spelling] }).includes("city_of_several_states"));
    }
    // The capital of a state has priority over other cities of the same name.
    assert.deepEqual(query({ cities: ["Palmas"] }).cities, ["1721000"]);
  });

  it("combines cities and states, and disambiguates cities by state", () => {
    const both = account({ cities: ["Florianópolis"], states: ["PR"] }).filters.geo;
    assert.deepEqual(both.uf_any_of, []);
    assert.ok(both.municipality_ibge_any_of.includes("4205407"));
    const parana = both.municipality_ibge_any_of.filter((ibge) => ibge.startsWith("41"));
    const known = segment.catalog.municipalities.filter(({ uf, ibge }) => uf === "PR" && ibge);
    assert.equal(parana.length, known.length);
    assert.equal(both.municipality_ibge_any_of.length, known.length + 1);
    const located = query({ cities: ["Bom Jesus"], states: ["PI"] });
    assert.deepEqual([located.cities, located.states], [["2201903"], []]);
    assert.ok(assumed({ cities: ["Campinas"], states: ["SP"] }).includes("city_in_state"));
    assert.deepEqual(account({ states: ["São Paulo", "rj"] }).filters.geo.uf_any_of, ["RJ", "SP"]);
    assert.deepEqual(query({ regions: ["Sul"] }).states, ["PR", "RS", "SC"]);
    assert.deepEqual(query({ regions: "south", states: "ex" }).states, ["EX", "PR", "RS", "SC"]);
    assert.deepEqual(
      query({ regions: ["Centro-Oeste"] }),
      query({ states: ["DF", "GO", "MS", "MT"] }),
    );
  });

  it("accepts activities by trade, by official name, and by code", () => {
    const codes = query({ activities: ["5611-2/01"] }).activities;
    assert.deepEqual(codes, ["5611-2/01"]);
    assert.deepEqual(query({ activities: "5611201" }).activities, codes);
    assert.deepEqual(query({ activities: ["Restaurantes e similares"] }).activities, codes);
    assert.ok(query({ activities: ["restaurante"] }).activities.includes("5611-2/01"));
    assert.ok(query({ activities: ["padarias"] }).activities.length > 0);
    assert.ok(query({ activities: ["56"] }).activities.length > 3);
    assert.deepEqual(query({ exclude_activities: ["5611-2/01"] }).exclude_activities, codes);
  });

  it("names the nearest activities for an unknown one", () => {
    const [one, code, word] = mistakes({
      activities: ["restaurantes de foguetes marcianos", "9999-9/99", "qwrtzplk"],
    });
    assert.equal(one?.pointer, "/spec/activities/0");
    assert.equal(one?.code, "unknown_activity");
    assert.match(one?.detail ?? "", /did you mean .*\d{4}-\d\/\d{2} \(.+\)/);
    assert.match(code?.detail ?? "", /has the code "9999-9\/99"/);
    assert.match(word?.detail ?? "", /There is no activity "qwrtzplk"/);
  });

  it("accepts sizes, statuses, and orders in both languages, and codes", () => {
    assert.deepEqual(query({ sizes: ["micro", "EPP", "05", 0] }).sizes, ["00", "01", "03", "05"]);
    assert.deepEqual(query({ sizes: "small" }).sizes, ["03"]);
    assert.deepEqual(query({ status: ["ativa", "closed", 3, "04"] }).status, [2, 3, 4, 8]);
    assert.deepEqual(query({ status: [] }).status, []);
    assert.deepEqual(query({ sort: "newest" }).sort, [{ field: "started_on", direction: "desc" }]);
    assert.deepEqual(query({ sort: ["maiores", "nome"] }).sort, [
      { field: "company_size", direction: "desc" },
      { field: "legal_name", direction: "asc" },
    ]);
    assert.deepEqual(query({ sort: ["share_capital"] }).sort, [
      { field: "share_capital", direction: "desc" },
    ]);
    assert.deepEqual(query({ sort: { field: "cnpj", direction: "desc" } }).sort, [
      { field: "cnpj", direction: "desc" },
    ]);
    assert.match(mistakes({ sizes: ["MEI"] })[0]?.detail ?? "", /asked for by mei/);
    assert.match(mistakes({ sort: ["bonitas"] })[0]?.detail ?? "", /best, newest/);
    assert.equal(mistakes({ sort: ["newest", "oldest"] })[0]?.code, "duplicate");
  });

  it("requires some contact unless e-mail or phone is mentioned", () => {
    const contact = (input: object) => {
      const { require_email, require_phone, require_any_contact } = account(input).filters.contact;
      return [require_email, require_phone, require_any_contact];
    };
    assert.deepEqual(contact({}), [false, false, true]);
    assert.deepEqual(contact({ has_email: null, has_phone: null }), [false, false, true]);
    assert.deepEqual(contact({ has_email: true }), [true, false, false]);
    assert.deepEqual(contact({ has_phone: true }), [false, true, false]);
    assert.deepEqual(contact({ has_email: false }), [false, false, false]);
    assert.deepEqual(contact({ has_email: true, has_phone: true }), [true, true, false]);
    assert.deepEqual(query({ has_email: false }), query({ has_phone: false }));
  });

  it("compiles every member to its filter", () => {
    const { filters, limit } = account({
      kind: "lead_query",
      spec_version: "1.0",
      ...{ activities: ["5611-2/01"], exclude_activities: ["4721102"], cities: ["Recife"] },
      ...{ sizes: ["micro"], status: ["baixada"], opened_after: "2019", opened_before: "2020-03" },
      ...{ min_share_capital: 1000.5, has_phone: true, only_headquarters: true, simples: true },
      ...{ mei: false, name_contains: ["Bar do Zé"], limit: 7 },
    });
    assert.equal(limit, 7);
    assert.deepEqual(filters.industry.cnae_any_of, ["5611-2/01"]);
    assert.deepEqual(filters.industry.cnae_exclude, ["4721-1/02"]);
    assert.deepEqual(filters.industry.text_hints, ["bar do ze"]);
    assert.deepEqual(filters.geo.municipality_ibge_any_of, ["2611606"]);
    assert.deepEqual(filters.company, {
      registration_status_any_of: [8],
      company_size_code_any_of: ["01"],
      headquarters_only: true,
      simples_opt_in: true,
      mei_opt_in: false,
      started_after: "2019-01-01",
      started_before: "2020-03-01",
      share_capital_min: 1000.5,
    });
  });

  it("reports every mistake in one error, unknown members by name", () => {
    const reported = mistakes({
      kind: "account_query",
      spec_version: "2.0",
      revenue: 5,
      activities: [7],
      cities: null,
      states: ["XX"],
      regions: {},
      sizes: ["huge"],
      status: [9],
      opened_after: "2020-13",
      opened_before: 5,
      min_share_capital: -1,
      has_email: "yes",
      has_phone: 1,
      only_headquarters: "no",
      simples: [],
      mei: 0,
      name_contains: ["!!!"],
      sort: ["nope"],
      limit: 0,
      one_per_company: null,
    });
    const places = reported.map(({ pointer }) => pointer).sort();
    assert.deepEqual(
      places,
      [
        ...["/kind", "/spec_version", "/revenue", "/activities/0", "/cities", "/states/0"],
        ...["/regions", "/sizes/0", "/status/0", "/opened_after", "/opened_before"],
        ...["/min_share_capital", "/has_email", "/has_phone", "/only_headquarters", "/simples"],
        ...["/mei", "/name_contains/0", "/sort/0", "/limit", "/one_per_company"],
      ]
        .map((place) => `/spec${place}`)
        .sort(),
    );
    for (const { detail, code } of reported) assert.ok(detail.length > 10 && code !== "");
    assert.match(
      reported.find(({ pointer }) => pointer === "/spec/revenue")?.detail ?? "",
      /known are/,
    );
    assert.equal(
      mistakes({ opened_after: "2020", opened_before: "2019" })[0]?.code,
      "empty_interval",
    );
  });

  it("is fast for thousands of wrong names, and lists fifty mistakes", () => {
    const names = Array.from({ length: 9_000 }, (_, i) => `Cidade Que Não Há ${i}`);
    const startMs = performance.now();
    assert.equal(mistakes({ cities: names }).length, 50);
    assert.ok(performance.now() - startMs < 5_000);
    const activities = Array.from({ length: 9_000 }, (_, i) => `ofício inventado ${i}`);
    assert.ok(mistakes({ activities }).some(({ code }) => code === "too_many"));
  });

  it("has a normal form that is stable and equal for equivalent queries", () => {
    const samples = [
      {},
      { activities: ["padaria", "56"], cities: ["Bom Jesus", "Recife"], states: ["PR"] },
      { regions: ["Nordeste"], has_email: false, status: [], sort: ["oldest", "name"] },
      { cities: ["Campinas"], states: ["SP", "RJ"], name_contains: "Loja", one_per_company: false },
    ];
    for (const input of samples) {
      const normal = query(input);
      assert.ok(normalForm.Check(normal), JSON.stringify(normal));
      assert.deepEqual(query(normal), normal);
      assert.deepEqual(account(normal).filters, account(input).filters);
    }
    const one = query({ activities: ["5611201"], cities: ["RECIFE"], sizes: [3, 1, 3] });
    const other = query({ sizes: ["micro", "03"], cities: "2611606", activities: ["5611-2/01"] });
    assert.equal(JSON.stringify(one), JSON.stringify(other));
  });

  it("parses any input without failing, and produces output valid against its schema", () => {
    const word = fc.constantFrom(
      ...["Recife", "Bom Jesus", "padaria", "56", "G", "SP", "São Paulo", "Sul", "micro", "ativa"],
      ...["newest", "2020", "2020-05-01", "nada disso", "", "💥", "2611606", "cnpj"],
    );
    const value = fc.oneof(
      word,
      fc.array(word, { maxLength: 3 }),
      fc.integer({ min: -1, max: 60_000 }),
      fc.boolean(),
      fc.constant(null),
      fc.record({ field: fc.constantFrom("score", "cnpj"), direction: fc.constant("asc") }),
    );
    const input = fc.dictionary(
      fc.constantFrom(...Object.keys(LEAD_INPUT_SCHEMA.properties), "other"),
      value,
      { maxKeys: 5 },
    );
    let accepted = 0;
    fc.assert(
      fc.property(input, (drawn) => {
        let normal: LeadQuery;
        try {
          normal = query(drawn);
        } catch (error) {
          assert.ok(error instanceof AppError && error.errors.length > 0, String(error));
          return;
        }
        accepted++;
        assert.ok(inputForm.Check(drawn), JSON.stringify(drawn));
        assert.ok(normalForm.Check(normal), JSON.stringify(normal));
        assert.deepEqual(query(normal), normal);
        account(drawn);
      }),
      { numRuns: 3_000, seed: 20_261_121 },
    );
    assert.ok(accepted > 150, `only ${accepted} were accepted`);
  });
});
