/**
 * Proves: in a list after an exclusion, each further element is excluded, or the sentence does not
 * run and a note spells out both possible meanings. Each of these translates to its own filters.
 * Tests first elements, conjunctions, and further elements in three languages. A condition after an
 * excluded element without a comma ("exceto MEI com telefone") does not run either. Does not prove
 * how lists that can run are read (exclusions.test.ts, polarity.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

type Filters = AccountQuerySpec["filters"];

/**
 * An element of a list, without an article (`bare`) and with one. The functions tell if a spec
 * requires or excludes it.
 */
interface Item {
  readonly bare: string;
  readonly noun: string;
  isRequested(filters: Filters): boolean;
  isOut(filters: Filters): boolean;
}

const mei = (bare: string, noun: string): Item => ({
  ...{ bare, noun },
  isRequested: ({ company }) => company.mei_opt_in === true,
  isOut: ({ company }) => company.mei_opt_in === false,
});
const branches = (bare: string, noun: string): Item => ({
  ...{ bare, noun },
  isRequested: ({ company }) => company.branches_only === true,
  isOut: ({ company }) => company.headquarters_only === true,
});
const town = (noun: string): Item => ({
  ...{ bare: "", noun },
  isRequested: ({ geo }) => geo.municipality_ibge_any_of?.join() === "3509502",
  isOut: ({ geo }) => geo.municipality_ibge_any_of?.includes("3509502") === false,
});

/**
 * A sentence consists of subject, negator, first element (`turned` or `apart`), joint, and a
 * further element (`items`). Each further element is tried with an article and without one.
 */
const LANGUAGES = [
  {
    subject: "empresas de SP",
    negators: ["exceto", "menos", "tirando"],
    joints: [" e "],
    items: [mei("MEI", "os MEI"), branches("filiais", "as filiais"), town("as de Campinas")],
    turned: ["os sem telefone", "as sem e-mail", "as que não têm telefone"],
    apart: ["abertas antes de 2020", "com capital abaixo de 10 mil", "DDD 11", "CEP 11"],
    contact: ["as com telefone", "as com e-mail"],
  },
  {
    subject: "companies in SP",
    negators: ["except", "excluding"],
    joints: [" and "],
    items: [mei("MEI", "the MEI"), branches("branches", "the branches")],
    turned: ["those without phone", "those that do not have e-mail"],
    apart: ["opened before 2020", "with capital below 10000", "area code 11"],
    contact: ["those with a phone", "those with e-mail"],
  },
  {
    subject: "empresas de SP en Brasil",
    negators: ["excepto"],
    joints: [" y "],
    items: [mei("MEI", "los MEI"), branches("sucursales", "las sucursales")],
    turned: ["los sin teléfono", "las sin correo"],
    apart: ["abiertas antes de 2020"],
    contact: ["las con teléfono"],
  },
] as const;

const noteOf = (text: string) =>
  probe
    .translate(text)
    .spec.explain.unmapped_constraints.find(({ code }) => code === "out_or_wished");
const isRun = (text: string) => !isUncertain(probe.spec(text).explain.confidence);
/** Returns the sentences that a note suggests, without the element that it quotes first. */
const suggestedBy = (detail = "") =>
  [...detail.matchAll(/[“"]([^”"]+)[”"]/g)].map((one) => one[1] ?? "").slice(1);

describe("the list of an exclusion", () => {
  it("excludes every item, or does not run and spells out both readings", () => {
    const wrong: string[] = [];
    let tried = 0;
    const check = (subject: string, list: string, item: Item) => {
      const text = `${subject} ${list}`;
      tried++;
      if (isRun(text)) {
        if (!item.isOut(probe.spec(text).filters)) wrong.push(text);
        return;
      }
      const detail = noteOf(text)?.detail;
      const [included = "", out = ""] = suggestedBy(detail);
      const [yes, no] = [included, out].map((one) => probe.spec(`empresas, ${one}`).filters);
      const isRight = item.isRequested(yes as Filters) && item.isOut(no as Filters);
      if (!isRight) wrong.push(`${text}: ${detail}`);
    };
    for (const { subject, negators, joints, items, turned, apart } of LANGUAGES) {
      for (const negator of negators) {
        for (const joint of joints) {
          for (const item of items) {
            for (const first of [...turned, ...apart]) {
              check(subject, `${negator} ${first}${joint}${item.noun}`, item);
              if (item.bare !== "") check(subject, `${negator} ${first}${joint}${item.bare}`, item);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 120, String(tried));
  });

  it("does not require a contact that it joins with an article", () => {
    const wrong: string[] = [];
    for (const { subject, negators, joints, items, contact } of LANGUAGES) {
      for (const negator of negators) {
        for (const joint of [...joints, ", "]) {
          for (const { noun } of items) {
            for (const phrase of contact) {
              const text = `${subject} ${negator} ${noun}${joint}${phrase}`;
              if (isRun(text) || noteOf(text) === undefined) wrong.push(text);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const [text, out] of [
    ["padarias em SP exceto Santos, MEI", mei("", "")],
    ["padarias em SP sem MEI, filiais, com telefone", branches("", "")],
    ["bakeries in SP except Santos, MEI", mei("", "")],
    ["panaderías en SP excepto Santos, MEI", mei("", "")],
    ["padarias em SP fora do DDD 11 e MEI", mei("", "")],
  ] as const) {
    it(`does not run if a comma alone or an area code joins: ${text}`, () => {
      assert.equal(isRun(text), false);
      const [included = "", left = ""] = suggestedBy(noteOf(text)?.detail);
      assert.ok(out.isRequested(probe.spec(`padarias ${included}`).filters), included);
      assert.ok(out.isOut(probe.spec(`padarias ${left}`).filters), left);
    });
  }

  for (const text of [
    "padarias em SP exceto MEI e com telefone",
    "padarias em SP exceto MEI, com telefone",
    "padarias em SP exceto MEI, abertas desde 2020",
    "padarias em SP exceto MEI e abertas desde 2020",
    "padarias em SP exceto Santos e MEI",
    "padarias em SP sem MEI, filiais e Simples",
    "padarias em SP, sem filiais, MEI, com telefone",
    "padarias em SP exceto MEI, maiores primeiro",
    "exceto MEI, padarias e bares em SP",
    "restaurantes em SP, exceto MEI e filiais, e bares",
    "bakeries in SP except MEI and with a phone",
  ]) {
    it(`is clear: ${text}`, () => {
      assert.deepEqual([noteOf(text), isRun(text)], [undefined, true]);
    });
  }
});

describe("a condition on an excluded item", () => {
  it("is no separate condition without a comma", () => {
    const silent: string[] = [];
    for (const [subject, negators, items, conditions] of [
      [
        "empresas de SP",
        ["exceto", "menos", "tirando"],
        ["MEI", "filiais", "lanchonetes"],
        ["abertas antes de 2020", "abertas em 2020", "com telefone", "com capital acima de 10 mil"],
      ],
      [
        "companies in SP",
        ["except", "excluding"],
        ["MEI", "branches", "bakeries"],
        ["opened before 2020", "with a phone", "opened in 2020"],
      ],
      [
        "empresas de SP en Brasil",
        ["excepto"],
        ["MEI", "sucursales", "panaderías"],
        ["abiertas antes de 2020", "con teléfono"],
      ],
    ] as const) {
      for (const negator of negators) {
        for (const item of items) {
          for (const phrase of conditions) {
            const text = `${subject} ${negator} ${item} ${phrase}`;
            const { confidence, unmapped_constraints: left } = probe.translate(text).spec.explain;
            const isNoted = left.some(({ code }) => code === "excluded_with_condition");
            if (!isNoted || !isUncertain(confidence)) silent.push(text);
          }
        }
      }
    }
    for (const text of ["empresas exceto lanchonetes MEI", "companies except MEI bakeries"]) {
      const { mei_opt_in: included } = probe.spec(text).filters.company;
      if (isRun(text) && included === true) silent.push(text);
    }
    assert.deepEqual(silent, []);
  });
});
