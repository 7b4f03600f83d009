/**
 * Proves: a sentence never runs if "e" joins an element of another kind to an excluded contact,
 * place, or list. A note spells out both possible meanings, and each translates to its own filters.
 * Tests excluded elements, negating words, and joined elements in three languages. The sentence
 * runs if the joined element is of the same kind or an adjective, or follows a preposition, a verb,
 * a negation, or a comma.
 * Does not prove how lists of one kind are read (exclusions.test.ts, polarity.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

type Filters = AccountQuerySpec["filters"];

/** An element in three languages. The functions tell if a spec requires or excludes it. */
interface Item {
  readonly phrases: readonly [pt: string, en: string, es: string];
  isRequested(filters: Filters): boolean;
  isOut(filters: Filters): boolean;
}

const ITEMS: readonly Item[] = [
  {
    phrases: ["MEI", "MEI", "MEI"],
    isRequested: ({ company }) => company.mei_opt_in === true,
    isOut: ({ company }) => company.mei_opt_in === false,
  },
  {
    phrases: ["Simples", "Simples", "Simples"],
    isRequested: ({ company }) => company.simples_opt_in === true,
    isOut: ({ company }) => company.simples_opt_in === false,
  },
  {
    phrases: ["filiais", "branches", "sucursales"],
    isRequested: ({ company }) => company.branches_only === true,
    isOut: ({ company }) => company.headquarters_only === true,
  },
  {
    phrases: ["padarias", "bakeries", "panaderías"],
    isRequested: ({ industry }) => industry.cnae_any_of.includes("4721-1/02"),
    isOut: ({ industry }) => industry.cnae_exclude.includes("4721-1/02"),
  },
];
const LANGUAGES = [
  {
    subject: "empresas",
    joints: ["e", "e as"],
    outs: [
      ...["sem telefone", "sem e-mail", "que não tenham telefone", "que não têm e-mail"],
      ...["fora de Santos", "que não ficam em Santos", "que não estão em Santos"],
    ],
  },
  {
    subject: "companies",
    joints: ["and", "and the"],
    outs: [
      ...["without phone", "without e-mail", "that do not have a phone", "that have no phone"],
      ...["outside Santos", "not in Santos", "that are not in Santos"],
    ],
  },
  {
    subject: "empresas",
    joints: ["y", "y las"],
    outs: ["sin teléfono", "sin correo", "fuera de Santos", "que no tengan teléfono"],
  },
] as const;

const noteOf = (text: string) =>
  probe
    .translate(text)
    .spec.explain.unmapped_constraints.find(({ code }) => code === "out_or_wished");
/** Returns the two sentences that a note quotes, one for each possible meaning. */
const readingsOf = (detail: string) =>
  [...detail.matchAll(/[“"]([^”"]+)[”"]/g)].map((one) => one[1]);

describe("an item after an exclusion", () => {
  it("does not run if it may be included or excluded, and both readings are spelled out", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [language, { subject, joints, outs }] of LANGUAGES.entries()) {
      for (const out of outs) {
        for (const item of ITEMS) {
          for (const joint of joints) {
            const phrase = item.phrases[language as 0 | 1 | 2];
            const text = `${subject} ${out} ${joint} ${phrase}`;
            const note = noteOf(text);
            const [, needed = "", left = ""] = readingsOf(note?.detail ?? "");
            const [yes, no] = [needed, left].map((one) => probe.spec(`${subject}, ${one}`).filters);
            const isRight = item.isRequested(yes as Filters) && item.isOut(no as Filters);
            const { confidence } = probe.spec(text).explain;
            tried++;
            if (note === undefined || !isUncertain(confidence) || !isRight) {
              wrong.push(`${text}: ${note?.detail}`);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 130, String(tried));
  });

  for (const [text, needed] of [
    ["padarias fora de Santos e telefone", /"require_phone":true/],
    ["bakeries outside Santos and e-mail", /"require_email":true/],
    ["padarias fora de Santos e LTDA", /"legal_nature_any_of":\["2062"\]/],
    ["bakeries outside Santos and LTDA", /"legal_nature_any_of":\["2062"\]/],
  ] as const) {
    it(`is suggested only if a filter accepts it: ${text}`, () => {
      const [, yes = "", ...others] = readingsOf(noteOf(text)?.detail ?? "");
      assert.ok(needed.test(JSON.stringify(probe.spec(`empresas ${yes}`).filters)), yes);
      assert.deepEqual(others, []);
    });
  }

  it("does not run after an excluded list of the user either, except after exceto", () => {
    const names = [{ id: "Clientes", name: "Clientes" }];
    const left = (text: string) => {
      const translation = translate(text, probe.segment, { lists: () => names });
      return translation.spec.explain.unmapped_constraints.map(({ code }) => code);
    };
    for (const out of ["que não estão na", "fora da", "sem as da"]) {
      for (const joined of ["MEI", "Simples", "filiais", "bares", "telefone", "Santos"]) {
        const text = `padarias ${out} lista Clientes e ${joined}`;
        assert.deepEqual(left(text), ["out_or_wished"], text);
      }
      const list = `padarias ${out} lista Clientes, MEI e filiais`;
      assert.deepEqual(left(list), ["out_or_wished"], list);
    }
    assert.deepEqual(left("padarias exceto lista Clientes e MEI"), []);
    assert.deepEqual(left("padarias fora da lista Clientes e com telefone"), []);
    assert.deepEqual(left("padarias que não estão na lista Clientes e com telefone"), []);
    assert.deepEqual(left("padarias que não estão na lista Clientes, MEI"), []);
  });

  for (const text of [
    "padarias sem telefone e sem e-mail",
    "padarias sem telefone e com e-mail",
    "padarias sem telefone e e-mail",
    "padarias sem telefone nem MEI",
    "padarias sem telefone, MEI",
    "padarias sem telefone e não MEI",
    "padarias sem telefone e que sejam MEI",
    "padarias sem telefone e do Simples",
    "padarias sem telefone e grandes",
    "padarias sem telefone e abertas desde 2020",
    "padarias sem telefone e em Santos",
    "padarias fora de Santos e Campinas",
    "padarias fora de Santos e com telefone",
    "padarias fora do Simples e MEI",
    "padarias exceto Santos e MEI",
    "padarias sem MEI e filiais",
    "padarias em Santos e MEI",
    "bakeries without phone and with e-mail",
    "bakeries outside Santos and Campinas",
    "panaderías sin teléfono y con correo",
  ]) {
    it(`is clear: ${text}`, () => {
      assert.equal(noteOf(text), undefined);
      assert.ok(!isUncertain(probe.spec(text).explain.confidence));
    });
  }
});
