/**
 * Proves which codes an exclusion removes from a general trade. Kinds of companies that the
 * registry does not distinguish are reported. Notes quote the text with its white space. A list of
 * exclusions may have elements of every kind: tested are all pairs and triples of kinds, with every
 * negating word and conjunction.
 * Does not prove how often the lexicon is right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

const ROWS: readonly (readonly [text: string, codes: string, excluded: string, phrase: string])[] =
  [
    // Goods after "exceto" are read together with the trade before it. So "alimentos" in the next
    // row excludes all of food manufacturing.
    ["indústrias exceto alimentos", "C", "10", ""],
    ["escolas exceto música", "8512-1/00 8513-9/00 8520-1/00", "8592-9/03", ""],
    ["academias sem franquias", "9313-1/00", "", "franchises"],
    ["franquias de academias", "9313-1/00", "", "franchises"],
    ["no franchises, gyms in Recife", "9313-1/00", "", "franchises"],
    ["restaurantes, sem franquias, exceto bares", "5611-2/01", "5611-2/04 5611-2/05", "franchises"],
    ["franquias", "7740-3/00", "", ""],
    ["agência franqueada dos correios", "5310-5/02", "", ""],
    ["hospitais filantrópicos", "8610-1/01 8610-1/02", "", "kind_not_separated"],
    ["escolas municipais", "8513-9/00", "", "kind_not_separated"],
    ["restaurantes orgânicos", "5611-2/01", "", "kind_not_separated"],
    ["oficinas de funilaria e pintura", "4520-0/02", "", ""],
    // Trades as Spanish speakers call them.
    ["fontaneros", "4322-3/01", "", ""],
    ["cerrajerías", "9529-1/02", "", ""],
    ["guarderías", "8511-2/00", "", ""],
    ["tiendas de mascotas", "4789-0/04 9609-2/08", "", ""],
    ["jewelers", "4783-1/01", "", ""],
    ["ice cream parlors", "5611-2/03", "", ""],
    ["fretes e mudanças", "4930-2/01 4930-2/02 4930-2/04", "", ""],
  ];

describe("exclusions of activities, and kinds", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  for (const [text, codes, excluded, phrase] of ROWS) {
    it(text, () => {
      const { spec } = probe.translate(text);
      const { industry } = spec.filters as {
        industry: { cnae_any_of: string[]; cnae_exclude: string[] };
      };
      const { assumptions, unmapped_constraints } = spec.explain;
      const notes = [...assumptions, ...unmapped_constraints].map(({ code }) => code);
      assert.equal([...industry.cnae_any_of].sort().join(" "), codes);
      assert.equal(industry.cnae_exclude.join(" "), excluded);
      if (phrase !== "") assert.ok(notes.includes(phrase), `${notes}`);
    });
  }

  it("are quoted as they were written, with tabs between their words", () => {
    const text = "bebidas tirando atacado de\tdistribuidora de bebidas gaúchas";
    const { unmapped_constraints } = probe.translate(text).spec.explain;
    const note = unmapped_constraints.find(({ code }) => code === "not_told_apart");
    assert.ok(note?.words?.includes("de\tdistribuidora") === true, `${note?.words}`);
    assert.equal(note.words, text.slice(note.start, note.end));
  });
});

type Filters = AccountQuerySpec["filters"];

/** An element of a list in three languages. `isOut` returns true if a spec excludes it. */
interface Item {
  readonly phrases: readonly [pt: string, en: string, es: string];
  isOut(filters: Filters): boolean;
}

const BAKERIES: Item = {
  phrases: ["padarias", "bakeries", "panaderías"],
  isOut: ({ industry }) =>
    industry.cnae_any_of.length === 0 && industry.cnae_exclude.includes("4721-1/02"),
};
const ITEMS: readonly Item[] = [
  BAKERIES,
  {
    phrases: ["restaurantes", "restaurants", "restaurantes"],
    isOut: ({ industry }) =>
      industry.cnae_any_of.length === 0 && industry.cnae_exclude.includes("5611-2/01"),
  },
  { phrases: ["MEI", "MEI", "MEI"], isOut: ({ company }) => company.mei_opt_in === false },
  {
    phrases: ["Simples", "Simples", "Simples"],
    isOut: ({ company }) => company.simples_opt_in === false,
  },
  {
    phrases: ["filiais", "branches", "sucursales"],
    isOut: ({ company }) => company.headquarters_only === true,
  },
  {
    phrases: ["as grandes", "large", "las grandes"],
    isOut: ({ company: { company_size_code_any_of: sizes } }) =>
      sizes.length > 0 && !sizes.includes("05"),
  },
  {
    phrases: ["baixadas", "closed", "cerradas"],
    isOut: ({ company: { registration_status_any_of: statuses } }) =>
      statuses.length > 0 && !statuses.includes(8),
  },
  {
    phrases: ["Santos", "Santos", "Santos"],
    isOut: ({ geo }) =>
      (geo.municipality_ibge_any_of?.length ?? 0) > 600 &&
      geo.municipality_ibge_any_of?.includes("3548500") === false,
  },
];
/** For each language, a subject, negating words, and conjunctions. */
const LANGUAGES = [
  ["empresas de SP", ["exceto", "menos", "tirando", "excluindo"], [" e ", " ou "]],
  ["companies in SP", ["except", "excluding"], [" and ", " or "]],
  ["empresas de SP en Brasil", ["excepto", "menos"], [" y ", " o "]],
] as const;

function* excludedLists(): Generator<readonly Item[]> {
  for (const one of ITEMS) {
    for (const other of ITEMS) {
      if (one === other) continue;
      yield [one, other];
      for (const third of ITEMS) if (third !== one && third !== other) yield [one, other, third];
    }
  }
}

describe("the list of an exclusion", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns the texts that do not run, or whose spec does not exclude each element. */
  const misread = (subject: string, negator: string, joint: string, language: 0 | 1 | 2) => {
    const wrong: string[] = [];
    for (const items of excludedLists()) {
      const phrase = items.map((item) => item.phrases[language]);
      const list = phrase.slice(0, -1).join(", ") + joint + phrase.at(-1);
      const text = `${subject} ${negator} ${list}`;
      const { filters, explain } = probe.spec(text);
      const isRight = items.every((item) => item.isOut(filters));
      if (!isRight || isUncertain(explain.confidence)) wrong.push(text);
    }
    return wrong;
  };

  for (const [language, [subject, negators, joints]] of LANGUAGES.entries()) {
    for (const negator of negators) {
      it(`continues over every kind: ${subject} ${negator}`, () => {
        const wrong = joints.flatMap((joint) =>
          misread(subject, negator, joint, language as 0 | 1 | 2),
        );
        assert.deepEqual(wrong, []);
      });
    }
  }

  it(`continues over trades after every quality, with a verb and with "sem"`, () => {
    const wrong: string[] = [];
    for (const [negator, joints] of [
      ["que não sejam", [" e ", " ou "]],
      ["que não são", [" e ", " ou "]],
      ["sem", [" e "]],
    ] as const) {
      for (const one of ITEMS.slice(2, 6)) {
        for (const joint of joints) {
          const text = `empresas de SP ${negator} ${one.phrases[0]}${joint}padarias`;
          const { filters } = probe.spec(text);
          if (!one.isOut(filters) || !BAKERIES.isOut(filters)) wrong.push(text);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const text of ["exceto MEI e padarias em SP", "sem MEI e padarias em SP"]) {
    it(`at the start of a sentence ends at the request: ${text}`, () => {
      const { cnae_any_of: wanted, cnae_exclude: out } = probe.spec(text).filters.industry;
      assert.deepEqual([wanted.includes("4721-1/02"), out], [true, []]);
    });
  }
});
