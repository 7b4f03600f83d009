/**
 * Proves how activities in a sentence are translated: names, goods and roles, codes in any
 * spelling, exclusions, and unknown activities. Official names are ranked by BM25 (compared with a
 * slow reference implementation), and only the words of the chosen descriptions count. The number
 * of suggestions is limited, and their numbers of accounts are exact. Does not prove how often the
 * lexicon is right, which the translation benchmark measures.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { TABLES } from "../../../native-index/format/columns.ts";
import { countMatches } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { catalogLookup, punctuateCnae } from "../../../src/spec/catalog.ts";
import { DEFAULT_FIELDS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { findActivities } from "../../../src/translate/activities/activities.ts";
import { findCodes } from "../../../src/translate/activities/cnaecodes.ts";
import { rankDescriptions } from "../../../src/translate/activities/officialtexts.ts";
import { Notes } from "../../../src/translate/notes.ts";
import { suggestionsOf } from "../../../src/translate/suggestions.ts";
import { translate } from "../../../src/translate/translate.ts";
import { settleLeftovers } from "../../../src/translate/unmapped.ts";
import { wordsOf } from "../../../src/translate/words/phrases.ts";
import { Sentence } from "../../../src/translate/words/sentence.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** Codes to search for a text, codes to exclude, and words reported as not understood. */
interface Meaning {
  readonly codes?: string;
  readonly excluded?: string;
  /** Codes that must be suggested but not searched. */
  readonly also?: string;
  readonly unmapped?: readonly string[];
}

const MEANINGS: readonly (readonly [text: string, meaning: Meaning])[] = [
  ["dentistas", { codes: "8630504", unmapped: [] }],
  ["padarias", { codes: "1091102 4721102", also: "4721101" }],
  ["borracharias", { codes: "4520006" }],
  ["confeitarias e docerias", { codes: "1091102 4721102 4721104" }],
  // Activities with goods, named before and after them.
  ["fábrica de móveis", { codes: "3101200 3102100 3103900" }],
  ["móveis", { codes: "4754701" }],
  ["móveis sob medida", { codes: "3101200" }],
  ["roupas", { codes: "4781400" }],
  ["roupas por atacado", { codes: "4642701" }],
  ["roupas no atacado e varejo", { codes: "4642701 4781400" }],
  ["peças para motos no atacado", { codes: "4541202" }],
  ["lojas de roupas, calçados e bolsas", { codes: "4781400 4782201 4782202" }],
  ["loja online de roupas", { codes: "4781400", unmapped: [] }],
  ["oficina especializada em motos", { codes: "4543900", unmapped: [] }],
  ["empresas que vendem móveis", { codes: "4754701", unmapped: [] }],
  ["loja de conserto de celular", { codes: "9512600", unmapped: [] }],
  ["distribuidora de medicamentos", { codes: "4644301" }],
  ["aluguel de andaimes", { codes: "7732202" }],
  ["plantação de café", { codes: "0134200" }],
  ["fábrica de café", { codes: "1081302" }],
  // Words that mean many activities.
  ["comércio varejista", { codes: "47" }],
  ["lojas", { codes: "47" }],
  ["indústrias", { codes: "C" }],
  ["construção", { codes: "F" }],
  ["saúde", { codes: "86" }],
  ["transporte", { codes: "49" }],
  // English.
  ["bakeries", { codes: "1091102 4721102" }],
  ["law firms", { codes: "6911701" }],
  ["wholesale of clothing", { codes: "4642701" }],
  ["furniture manufacturers", { codes: "3101200 3102100 3103900" }],
  ["tire shops", { codes: "4530705", excluded: "" }],
  ["auto repair shops", { codes: "4520001", unmapped: [] }],
  // In a list, the noun "escolas de" before the first element applies to the next element as well.
  ["escolas de inglês e música", { codes: "8592903 8593700", unmapped: [] }],
  // Exclusions.
  ["restaurantes exceto bares", { codes: "5611201", excluded: "5611204 5611205" }],
  ["restaurantes exceto pizzarias", { codes: "5611201", excluded: "", unmapped: ["pizzarias"] }],
  ["lojas que não sejam de roupas", { codes: "47", excluded: "4781400" }],
  ["bares exceto cnae 5611-2/04", { codes: "5611204 5611205", excluded: "5611204" }],
  // Words for what a company has or is close to are not activities.
  ["academias com piscina", { codes: "9313100", unmapped: ["piscina"] }],
  ["farmácias com mais de 3 lojas", { codes: "4771701 4771702", unmapped: ["mais de 3 lojas"] }],
  // Customers of the requested companies are not activities.
  [
    "contadores para restaurantes e bares",
    { codes: "6920601", unmapped: ["restaurantes e bares"] },
  ],
  ["dentistas para minha loja", { codes: "8630504", unmapped: ["loja"] }],
  ["advogados na OAB", { codes: "6911701", unmapped: ["OAB"] }],
  // Official names, and names with words that no official name contains.
  ["fabricação de aditivos de uso industrial", { codes: "2093200", unmapped: [] }],
  ["dentistas e fabricação de aditivos de uso industrial", { codes: "2093200 8630504" }],
  ["dentistas e fabricação de zorblax", { codes: "8630504", unmapped: ["fabricação de zorblax"] }],
  ["empresas de zorblax", { codes: "", unmapped: ["zorblax"] }],
  ["comércio de zorblax", { codes: "", unmapped: ["comércio de zorblax"] }],
  ["lojas de zorblax", { codes: "", unmapped: ["lojas de zorblax"] }],
  ["zorblax", { codes: "", unmapped: ["zorblax"] }],
];

/** Every way in which people write a subclass. */
const SPELLINGS: readonly ((code: string) => string)[] = [
  (code) => code,
  punctuateCnae,
  (code) => `${code.slice(0, 5)}/${code.slice(5)}`,
  (code) => `${code.slice(0, 5)}-${code.slice(5)}`,
  (code) => `${code.slice(0, 2)}.${code.slice(2, 4)}-${code.slice(4, 5)}-${code.slice(5)}`,
  (code) => `${code.slice(0, 2)}.${code.slice(2, 4)}-${code.slice(4, 5)}/${code.slice(5)}`,
  (code) => `${code.slice(0, 4)}-${code.slice(4, 5)}-${code.slice(5)}`,
];

/** Codes of notes about words that no activity distinguishes, such as "japonês". */
const KIND_CODES = new Set(["kind_not_separated", "foreign_trade"]);

describe("the stage of activities", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(2_000, 7);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  function read(text: string) {
    const sentence = new Sentence(text);
    const notes = new Notes("pt");
    const context = { segment, sentence, notes };
    const activities = findActivities(context, findCodes(context));
    settleLeftovers(sentence, notes, { segment, activities });
    const codes = (excluded: boolean) =>
      activities
        .filter((one) => one.excluded === excluded)
        .flatMap((one) => one.codes.map((code) => code.replace(/[-/]/g, "")));
    const also = activities.flatMap((one) => one.also.map((code) => code.replace(/[-/]/g, "")));
    return { activities, notes, sentence, also, wanted: codes(false), excluded: codes(true) };
  }

  const sorted = (codes: readonly string[]) => [...new Set(codes)].sort().join(" ");

  it("reads names, goods, roles, exclusions and unknown words as the table says", () => {
    for (const [text, { codes, excluded, also, unmapped }] of MEANINGS) {
      const seen = read(text);
      if (codes !== undefined) assert.equal(sorted(seen.wanted), codes, text);
      if (excluded !== undefined) assert.equal(sorted(seen.excluded), excluded, text);
      if (also !== undefined) assert.ok(seen.also.includes(also), text);
      if (unmapped !== undefined) {
        assert.deepEqual(
          seen.notes.unmapped.map(({ words }) => words),
          unmapped,
          text,
        );
      }
    }
  });

  it("has no certainty for an unknown activity, and less for official names", () => {
    for (const text of ["empresas de zorblax", "comércio de zorblax", "CNAE 5611-9/99"]) {
      assert.equal(read(text).activities[0]?.certainty, 0, text);
    }
    const [named] = read("fabricação industrial de aditivos").activities;
    const [known] = read("dentistas").activities;
    assert.ok((named?.certainty ?? 1) < (known?.certainty ?? 0));
  });

  it("offers activities with names like an unknown one, without searching for it", () => {
    const [activity] = read("empresas de dentixtas").activities;
    assert.deepEqual(activity?.codes, []);
    assert.ok(activity?.also.includes("8630-5/04"));
    const far = read("empresas de zorblax").activities[0];
    assert.deepEqual([far?.codes, far?.also], [[], []]);
  });

  it("accepts every code of the snapshot in every spelling", () => {
    const codes = segment.catalog.cnaeCodes.filter((code) => code !== "8888888");
    for (const [at, code] of codes.entries()) {
      const spell = SPELLINGS[at % SPELLINGS.length] as (code: string) => string;
      for (const text of [spell(code), `cnae ${spell(code)}`, `código ${spell(code)} em SP`]) {
        const { wanted, notes } = read(text);
        assert.deepEqual(wanted, [code], text);
        assert.deepEqual(
          notes.unmapped.filter(({ code: kind }) => kind === "unknown_code"),
          [],
          text,
        );
      }
    }
  });

  it("accepts lists of codes, prefixes, and sections", () => {
    const table: readonly (readonly [text: string, codes: string])[] = [
      ["CNAE 56", "56"],
      ["cnaes 4721-1/02 e 4721-1/04", "4721102 4721104"],
      ["CNAEs 56 e 47", "47 56"],
      ["código 5611-2", "56112"],
      ["classe 56.11-2", "56112"],
      ["grupo 561", "561"],
      ["divisão 56", "56"],
      ["divisão 1", "01"],
      ["seção I", "I"],
      ["seções G e I", "G I"],
      ["CNAE fiscal principal 5611201", "5611201"],
      ["CNAE que começa com 56", "56"],
      ["CNAE 5611-2/01, 50 empresas", "5611201"],
      ["capital de 5611201 reais", ""],
    ];
    for (const [text, codes] of table) assert.equal(sorted(read(text).wanted), codes, text);
  });

  it("names an unknown code with the nearest ones, and searches for nothing", () => {
    const { activities, notes } = read("CNAE 5611-9/99");
    assert.deepEqual(activities[0]?.codes, []);
    assert.ok(activities[0]?.also.every((code) => code.startsWith("5611-2/")));
    const [note] = notes.unmapped;
    assert.equal(note?.code, "unknown_code");
    assert.match(note?.detail ?? "", /5611-9\/99 não existe.*5611-2\/0/);
    // One wrong code in a list does not make the other codes invalid.
    assert.deepEqual(read("cnaes 5611-2/01 e 5611-9/99").wanted, ["5611201"]);
  });

  it("reads a list of goods like its members one by one", () => {
    const goods = ["roupas", "calçados", "móveis", "brinquedos", "livros", "tintas", "óculos"];
    const roles = ["lojas de", "fábrica de", "atacado de", "comércio varejista de", ""];
    const list = fc.uniqueArray(fc.constantFrom(...goods), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(list, fc.constantFrom(...roles), (members, role) => {
        const last = members.at(-1);
        const text = `${role} ${members.slice(0, -1).join(", ")} e ${last}`;
        const single = members.flatMap((one) => read(`${role} ${one}`).wanted);
        assert.equal(sorted(read(text).wanted), sorted(single), text);
      }),
      { numRuns: 60 },
    );
  });

  it("leaves words that it does not use, uses no word twice, and never throws", () => {
    const names = "padarias|fábrica de|roupas|no atacado|zorblax|cnae|5611-2/01".split("|");
    const small = [
      "e",
      "de",
      ",",
      "exceto",
      "sem",
      "com",
      "em",
      "empresas de",
      "loja",
      "seção",
      "G",
    ];
    const text = fc
      .array(fc.constantFrom(...names, ...small, "aditivos", "extração", "9999999"), {
        maxLength: 14,
      })
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(text, (written) => {
        const { activities, sentence } = read(written);
        const lookup = catalogLookup(segment.catalog);
        for (const { words, start, end, codes, also, certainty } of activities) {
          assert.equal(words, written.slice(start, end));
          assert.ok(certainty >= 0 && certainty <= 1);
          assert.ok(codes.length > 0 || certainty === 0, written);
          for (const code of [...codes, ...also]) assert.ok(lookup.cnae(code).length > 0, code);
          assert.deepEqual(
            codes.filter((code) => also.includes(code)),
            [],
          );
        }
        for (let at = 0; at < sentence.tokens.length; at++) assert.ok(!sentence.free(at), written);
      }),
      { numRuns: 1_000 },
    );
  });

  it("ranks official names as BM25 does", () => {
    const texts = officialTexts(segment);
    const vocabulary = [...new Set(texts.flatMap(({ words }) => words))];
    const query = fc.uniqueArray(fc.constantFrom(...vocabulary, "zorblax"), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(query, (words) => {
        const expected = slowRanking(texts, words);
        const ranked = rankDescriptions(segment, words, "make");
        assert.equal(ranked.length, expected.size);
        for (const [at, { code, score, explained }] of ranked.entries()) {
          assert.ok(Math.abs(score - (expected.get(code) ?? -1)) < 1e-9, code);
          assert.ok(explained >= 0 && explained <= 1 + 1e-9);
          const next = ranked[at + 1];
          if (next === undefined) continue;
          assert.ok(next.score < score || (next.score === score && code < next.code));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("reads every name of a trade alone, whole, with the lexicon's meaning", () => {
    const odd: string[] = [];
    const lookup = catalogLookup(segment.catalog);
    let names = 0;
    for (const file of ["trades-services", "trades-commerce", "trades-industry"]) {
      const text = readFileSync(join(ROOT, "data/lexicon", `${file}.json`), "utf8");
      for (const entry of JSON.parse(text) as { names: string[]; codes: string[] }[]) {
        for (const name of entry.names) {
          names++;
          const { wanted, activities, notes } = read(name);
          const others = notes.unmapped.filter(({ code }) => !KIND_CODES.has(code));
          const whole = activities.length === 1 && others.length === 0;
          const codes = entry.codes.filter((code) => lookup.cnae(code).length > 0);
          if (codes.length > 0 && (!whole || sorted(wanted) !== sorted(codes))) odd.push(name);
        }
      }
    }
    assert.ok(names > 10_000);
    assert.deepEqual(odd, []);
  });

  it("offers activities with the exact counts, up to its limit", () => {
    for (const text of [
      "padarias",
      "empresas de zorblax",
      "lojas, indústria, saúde, comércio, bares",
    ]) {
      const translation = translate(text, segment);
      const { spec } = normalizeSpec(translation.spec, {
        catalog: segment.catalog,
        ...{ limitDefault: 10, limitCap: 100, mode: "search", fullAllowed: false },
        ...{ allowedFields: DEFAULT_FIELDS, defaultFields: DEFAULT_FIELDS },
      });
      const suggestions = suggestionsOf(segment, translation, spec);
      const offered = suggestions.flatMap(({ activities }) => activities);
      assert.ok(offered.length <= 48);
      for (const { code, description, matches } of offered) {
        const industry = { ...spec.filters.industry, cnae_any_of: [code] };
        const one = { ...spec, filters: { ...spec.filters, industry } };
        assert.equal(matches, countMatches(segment, one), code);
        assert.ok(description.length > 5);
      }
      for (const { words, start, end } of suggestions) assert.equal(words, text.slice(start, end));
    }
  });
});

interface OfficialText {
  readonly code: string;
  readonly words: readonly string[];
}

/** Returns the official names as lists of word stems. */
function officialTexts(segment: Segment): OfficialText[] {
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const names = segment.native.table(TABLES.indexOf("cnae_description"));
  return codes
    .map((code, at) => ({ code, words: stems(names[at] ?? "") }))
    .filter(({ code, words }) => code !== "8888888" && words.length > 0);
}

/** Returns the stems of a name: its words before "exceto", without a final a, e, or o. */
function stems(name: string): string[] {
  const phrase = name.split(/,? *exceto|,? *não especificad[oa]s? anteriormente/i)[0] ?? "";
  return wordsOf(phrase).map(stemOf);
}

function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/[aeo]$/, "") : word;
}

/**
 * Reference implementation: BM25 as in a textbook, one text at a time. Scores of codes outside
 * manufacturing are multiplied by 0.3.
 */
function slowRanking(texts: readonly OfficialText[], query: readonly string[]) {
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const scores = new Map<string, number>();
  const requested = [...new Set(query.map(stemOf))];
  const having = requested.map((stem) => texts.filter(({ words }) => words.includes(stem)).length);
  for (const { code, words } of texts) {
    let score = 0;
    for (const [at, stem] of requested.entries()) {
      const count = words.filter((word) => word === stem).length;
      const has = having[at] as number;
      const rarity = Math.log(1 + (texts.length - has + 0.5) / (has + 0.5));
      const norm = 1.2 * (1 - 0.75 + (0.75 * words.length) / average);
      score += (rarity * count * 2.2) / (count + norm);
    }
    const made = /^(0|1|2|30|31|32)/.test(code);
    if (score > 0) scores.set(code, score * (made ? 1 : 0.3));
  }
  const best = Math.max(...scores.values());
  return new Map([...scores].map(([code, score]) => [code, score / best]));
}
