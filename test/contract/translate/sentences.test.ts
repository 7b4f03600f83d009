/**
 * Proves that the labeled sentences are sound. A hash of each sentence decides in which half it is,
 * no sentence occurs twice, and every construct is in both halves. Every code exists, and every
 * expected spec is valid. The function that compares a spec with a label finds each wrong field and
 * no right one. Does not prove that the labels are right, which people have read. Nothing is
 * translated here.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { catalogLookup } from "../../../src/spec/catalog.ts";
import { FILTERS, type FilterRow } from "../../../src/spec/filters/table.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type EvaluationSnapshot,
  evaluate,
  expectationsOf,
  FIELDS,
  type Field,
  HALVES,
  halfOf,
  type LabelledSentence,
  loadSentences,
  normalizedForEvaluation,
  resolveDay,
  specOf,
} from "../../support/translate/sentences.ts";

const SENTENCES_MIN = 440;
const HALF_MIN = 200;
const GROUPS = (
  "activity-place several-activities trade-role hierarchy codes states cities homonyms " +
  "city-or-state place-exclusion unknown-place part-of-place dates ages capital limits sort " +
  "sizes mei simples status headquarters contact negation unmapped typos diminutives-plurals " +
  "no-accents-caps colloquial professions english long polite no-filter paraphrase"
).split(" ");

const MEMBERS = new Set(["text", "group", "expect", "or", "same_as"]);
const EXPECTED_MEMBERS = new Set(
  (
    "cnae cnae_exclude cnae_secondary words area postal " +
    "uf municipality not_municipality district company contact limit sort unmapped " +
    "unmapped_may uncertain"
  ).split(" "),
);

const halves = HALVES.map((half) => ({ half, sentences: loadSentences(half) }));
const all = halves.flatMap(({ sentences }) => sentences);
const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

describe("labelled sentences", () => {
  it("are enough, in both halves and of every construct", () => {
    assert.ok(all.length >= SENTENCES_MIN, `${all.length} sentences`);
    for (const { half, sentences } of halves) {
      assert.ok(sentences.length >= HALF_MIN, `${half}: ${sentences.length}`);
      const groups = new Set(sentences.map(({ group }) => group));
      assert.deepEqual([...groups].sort(), [...GROUPS].sort(), half);
    }
  });

  it("are in the half that the hash decides, each once", () => {
    for (const { half, sentences } of halves) {
      for (const sentence of sentences) assert.equal(halfOf(sentence), half, sentence.text);
    }
    assert.equal(new Set(all.map(({ text }) => text)).size, all.length);
  });

  it("have only evaluated members, and unmapped words of their text", () => {
    for (const sentence of all) {
      assert.deepEqual(
        Object.keys(sentence).filter((name) => !MEMBERS.has(name)),
        [],
      );
      for (const expected of expectationsOf(sentence)) {
        const strange = Object.keys(expected).filter((name) => !EXPECTED_MEMBERS.has(name));
        assert.deepEqual(strange, [], sentence.text);
        for (const words of [...(expected.unmapped ?? []), ...(expected.unmapped_may ?? [])]) {
          const written = words === "*" || folded(sentence.text).includes(folded(words));
          assert.ok(written, `${sentence.text}: ${words}`);
        }
      }
    }
  });

  it("mean the same as the sentences that they paraphrase", () => {
    for (const sentence of all.filter(({ same_as }) => same_as !== undefined)) {
      const first = all.find(({ text }) => text === sentence.same_as);
      assert.ok(first !== undefined && first.same_as === undefined, sentence.text);
      assert.deepEqual(sentence.expect, first.expect, sentence.text);
    }
  });
});

describe("expected specs", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  /** Describes the snapshot as if all public lists had been imported. */
  let imported: EvaluationSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(500, 11);
    segment = await openSegment(sample.snapshot);
    const { snapshotDate, catalog } = segment;
    const lacks = Object.keys(catalog).filter((name) => name.startsWith("lacks"));
    const all = Object.fromEntries(lacks.map((name) => [name, false]));
    imported = { snapshotDate, catalog: { ...catalog, ...all } };
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  it("name codes of the snapshot's catalog only", () => {
    const lookup = catalogLookup(segment.catalog);
    const unknown = all.flatMap((sentence) =>
      expectationsOf(sentence).flatMap(({ cnae, cnae_exclude, ...expected }) => [
        ...[cnae, cnae_exclude]
          .flatMap((codes) => [...(codes?.must ?? []), ...(codes?.may ?? [])])
          .flatMap((code) => code.split("|"))
          .filter((code) => lookup.cnae(code).length === 0),
        ...[...(expected.municipality ?? []), ...(expected.not_municipality ?? [])].filter(
          (code) => lookup.municipalityByIbge(code) === undefined,
        ),
      ]),
    );
    assert.deepEqual([...new Set(unknown)], []);
  });

  it("normalize, and are right by their own label", () => {
    for (const sentence of all) {
      for (const expected of expectationsOf(sentence)) {
        const spec = specOf(expected, segment);
        normalizedForEvaluation(spec, segment);
        const { right, fields } = evaluate(sentence, spec, segment);
        const wrong = FIELDS.filter((field) => !fields[field]);
        assert.ok(right, `${sentence.text}: ${wrong.join(", ")}`);
      }
    }
  });

  it("evaluates each field by itself", () => {
    for (const [field, change] of CHANGES) {
      const spec = { ...specOf(BASE.expect, segment), ...change(specOf(BASE.expect, segment)) };
      const { right, fields } = evaluate(BASE, spec, segment);
      assert.deepEqual(
        FIELDS.filter((one) => !fields[one]),
        [field],
      );
      assert.equal(right, false, field);
    }
    assert.deepEqual(
      [...new Set(CHANGES.map(([field]) => field))].sort(),
      [...FIELDS].sort(),
      "every field has a change that is found",
    );
  });

  it("evaluates places, statuses, and ages by their meaning", () => {
    for (const [text, expect, given] of MEANINGS) {
      const sentence: LabelledSentence = { text, group: "meaning", expect };
      assert.ok(evaluate(sentence, { ...specOf(expect, segment), ...given }, segment).right, text);
    }
  });

  it("accepts one day more or less of an age, and no other day", () => {
    const evaluated = (label: string, started_before: string) => {
      const expect = { company: { started_before: label } };
      return evaluate({ text: "", group: "", expect }, only({ started_before }), segment).right;
    };
    const day = resolveDay("-P5Y", segment.snapshotDate);
    const between = (days: number) =>
      new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual(
      [-2, -1, 0, 1, 2].map((days) => evaluated("-P5Y", between(days))),
      [false, true, true, true, false],
    );
    assert.equal(evaluated(day, between(1)), false, "a day that was said is exact");
  });

  it("accepts all cities but one only as the list of all others", () => {
    const expect = { uf: ["SC"], not_municipality: ["4205407"] };
    const sentence: LabelledSentence = { text: "", group: "", expect };
    const others = segment.catalog.municipalities.flatMap(({ ibge, uf }) =>
      uf === "SC" && ibge !== null && ibge !== "4205407" ? [ibge] : [],
    );
    const right = (ufs: string[], codes: string[], words: string[]) =>
      evaluate(
        sentence,
        {
          ...place(ufs, codes),
          explain: { unmapped_constraints: words.map((one) => ({ words: one })) },
        },
        segment,
      ).right;
    assert.equal(right([], others, []), true);
    assert.equal(right(["SC"], others, []), true);
    assert.equal(right(["SC"], [], ["exceto Florianópolis"]), false);
    assert.equal(right(["SC"], [], []), false);
    assert.equal(right([], others.slice(1), []), false);
    assert.equal(right(["SC"], [...others, "4205407"], []), false);
  });

  it("finds an unexpected value of every filter of companies and contacts", () => {
    for (const { group, member } of FILTERS) {
      if (group !== "company" && group !== "contact") continue;
      const spec = specOf({}, imported);
      const given = filters(spec, group, { [member]: UNEXPECTED[member], ...BESIDE[member] });
      const sentence: LabelledSentence = { text: "", group: "", expect: {} };
      assert.equal(evaluate(sentence, { ...spec, ...given }, imported).right, false, member);
    }
  });

  it("accepts the value of every filter of companies and contacts that is labelled", () => {
    for (const { group, member } of FILTERS) {
      if (group !== "company" && group !== "contact") continue;
      const value = { [member]: UNEXPECTED[member], ...BESIDE[member] };
      const expect = { [group]: value } as LabelledSentence["expect"];
      const sentence: LabelledSentence = { text: "", group: "", expect };
      assert.ok(evaluate(sentence, specOf(expect, imported), imported).right, member);
      assert.equal(evaluate(sentence, specOf({}, imported), imported).right, false, member);
    }
  });

  it("counts unmapped words", () => {
    const unmapped = (words: readonly string[]) => ({
      ...specOf(BASE.expect, segment),
      explain: { unmapped_constraints: words.map((one) => ({ words: one })) },
    });
    const count = (words: readonly string[]) => evaluate(BASE, unmapped(words), segment).unmapped;
    assert.deepEqual(count(["com site próprio"]), { found: 1, missed: 0, extra: 0 });
    assert.deepEqual(count([]), { found: 0, missed: 1, extra: 0 });
    assert.deepEqual(count(["Site próprio", "urgente"]), { found: 1, missed: 0, extra: 0 });
    assert.deepEqual(count(["próprio", "lua cheia"]), { found: 0, missed: 1, extra: 1 });
  });

  it("counts relative days back from the snapshot's date", () => {
    assert.equal(resolveDay("-P2Y", "2026-10-10"), "2024-10-10");
    assert.equal(resolveDay("-P1Y", "2024-02-29"), "2023-02-28");
    assert.equal(resolveDay("-P6M", "2026-08-31"), "2026-02-28");
    assert.equal(resolveDay("-P10M", "2026-10-10"), "2025-12-10");
    assert.equal(resolveDay("-P30D", "2026-03-01"), "2026-01-30");
    assert.equal(resolveDay("@Y-1", "2026-10-10"), "2025-01-01");
    assert.equal(resolveDay("@M", "2026-10-10"), "2026-10-01");
    assert.equal(resolveDay("2020-01-01", "2026-10-10"), "2020-01-01");
  });
});

type Spec = ReturnType<typeof specOf>;

const BASE: LabelledSentence = {
  text: "padarias urgente em Campinas com site próprio",
  group: "meaning",
  expect: {
    cnae: { must: ["1091102"], may: ["4721102"] },
    municipality: ["3509502"],
    unmapped: ["site próprio"],
    unmapped_may: ["urgente"],
  },
};

const filters = (spec: Spec, group: keyof Spec["filters"], members: object) => ({
  filters: { ...spec.filters, [group]: { ...spec.filters[group], ...members } },
});
const company = (members: object) => (spec: Spec) => filters(spec, "company", members);

/** Changes of a right spec, each with the only field that it makes wrong. */
const CHANGES: readonly (readonly [field: Field, change: (spec: Spec) => object])[] = [
  ["activities", (spec) => filters(spec, "industry", { cnae_any_of: ["1091102", "5611201"] })],
  ["activities", (spec) => filters(spec, "industry", { cnae_any_of: ["4721102"] })],
  ["excluded", (spec) => filters(spec, "industry", { cnae_exclude: ["5611201"] })],
  ["uf", (spec) => filters(spec, "geo", { uf_any_of: ["RJ"] })],
  ["municipality", (spec) => filters(spec, "geo", { municipality_ibge_any_of: [] })],
  ["status", company({ registration_status_any_of: [8] })],
  ["size", company({ company_size_code_any_of: ["01"] })],
  ["mei", company({ mei_opt_in: false })],
  ["simples", company({ simples_opt_in: true })],
  ["headquarters", company({ headquarters_only: true })],
  ["started", company({ started_after: "2020-01-01" })],
  ["capital", company({ share_capital_min: 1 })],
  ["contact", (spec) => filters(spec, "contact", { require_email: true })],
  ["secondary", (spec) => filters(spec, "industry", { cnae_secondary_any_of: ["5611201"] })],
  ["nature", company({ legal_nature_any_of: ["2062"] })],
  ["units", company({ branches_only: true })],
  ["name", (spec) => filters(spec, "industry", { text_hints: ["sol"] })],
  ["codes", (spec) => filters(spec, "geo", { area_code_any_of: ["11"] })],
  ["limit", () => ({ limit: 100 })],
  ["sort", () => ({ sort: [{ field: "legal_name", direction: "asc" }] })],
  ["district", (spec) => filters(spec, "geo", { district_any_of: [CENTER] })],
  ["facts", company({ status_since: "2025-01-01" })],
  ["unmapped", () => ({ explain: { unmapped_constraints: [] } })],
];

type GroupMember<Group> = Extract<FilterRow, { readonly group: Group }>["member"];
type Unexpected = GroupMember<"company"> | GroupMember<"contact">;

/** For each filter, a value that is wrong for a sentence whose label does not have the filter. */
const UNEXPECTED: Readonly<Record<Unexpected, unknown>> = {
  ...{ registration_status_any_of: [8], company_size_code_any_of: ["00"] },
  ...{ headquarters_only: true, branches_only: true, simples_opt_in: true, mei_opt_in: false },
  ...{ started_after: "2020-01-01", started_before: "2020-01-01" },
  ...{ share_capital_min: 1, share_capital_max: 1, legal_nature_any_of: ["2062"] },
  ...{ establishments_min: 2, establishments_max: 2 },
  ...{ status_since: "2025-01-01", status_before: "2025-01-01", status_reason_any_of: ["01"] },
  ...{ simples_excluded_since: "2025-01-01", simples_excluded_before: "2025-01-01" },
  ...{ mei_excluded_since: "2025-01-01", mei_excluded_before: "2025-01-01" },
  ...{ sanction_any_of: ["ceis"], has_federal_debt: true, federal_debt_any_of: ["fgts"] },
  ...{ federal_debt_min: 1, federal_debt_max: 1, owned_by_any_of: ["33000167"] },
  ...{ owned_by_depth: 2, owned_companies_min: 2, owned_companies_max: 2 },
  ...{ owner_companies_min: 2, owner_companies_max: 2 },
  ...{ require_email: true, require_phone: true, require_any_contact: true },
  ...{ require_mobile: true, require_landline: true, require_own_domain: true },
  ...{ email_shared_max: 2, phone_shared_max: 2, phone_any_of: ["11987654321"] },
  ...{ email_any_of: ["ana@example.com"], missing_any_of: ["email"] },
};

/** What some filters have no effect without. */
const BESIDE: Readonly<Partial<Record<string, object>>> = {
  owned_by_depth: { owned_by_any_of: ["33000167"] },
};
const CENTER = { municipality_ibge: "3509502", name: "centro" };

const place = (uf_any_of: string[], municipality_ibge_any_of: string[]) => ({
  filters: {
    industry: {},
    company: { registration_status_any_of: [2] },
    geo: { uf_any_of, municipality_ibge_any_of },
  },
});
const only = (members: object) => ({
  filters: { company: { registration_status_any_of: [2], ...members } },
});

/** Labels, each with a spec that is right although it has another form. */
const MEANINGS: readonly (readonly [string, LabelledSentence["expect"], object])[] = [
  ["a city with its state", { municipality: ["3509502"] }, place(["SP"], ["3509502"])],
  ["Brasília is the DF", { municipality: ["5300108"] }, place(["DF"], [])],
  ["all statuses", { company: { registration_status_any_of: [] } }, onlyStatuses()],
  ["all sizes", {}, only({ company_size_code_any_of: ["00", "01", "03", "05"] })],
];

function onlyStatuses() {
  return { filters: { company: { registration_status_any_of: [1, 2, 3, 4, 8] } } };
}
