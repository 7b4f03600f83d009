/**
 * Proves: an exclusion that applies to one place only ("em SP, exceto MEI em Santos") is reported
 * and does not run. Tests every kind of excluded element, negating word, and place, in both
 * languages. An exclusion that applies everywhere runs.
 * Does not prove: that an exclusion that names its place first is found.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

/** Excluded items. */
const ITEMS = {
  pt: ["MEI", "as do Simples", "filiais", "as de grande porte", "padarias", "baixadas"],
  en: ["MEI", "branches", "bakeries"],
};
const NEGATORS = {
  pt: ["exceto", "menos", "tirando", "que não sejam"],
  en: ["except", "excluding"],
};
/** The place of the search, and the place of the exclusion. */
const PLACES = {
  pt: [
    ["em SP", "em Santos"],
    ["em SP", "de Santos"],
    ["no estado de São Paulo", "em Campinas"],
    ["em Campinas", "em Santos"],
    ["no Sudeste", "em SP"],
    ["em SP", "que ficam em Santos"],
    ["em SP", "no bairro Centro de Santos"],
    ["em SP", "em Santos e Campinas"],
  ],
  en: [
    ["in SP", "in Santos"],
    ["in the state of São Paulo", "in Campinas"],
    ["in Campinas", "in Santos"],
  ],
} as const;

/** Conditions on the excluded companies only. */
const CONDITIONS = ["que têm e-mail", "abertas desde 2020", "abertas antes de 2010", "do Simples"];

function* texts(): Generator<readonly [text: string, apart: string]> {
  for (const language of ["pt", "en"] as const) {
    const subject = language === "pt" ? "açougues com telefone" : "butcher shops with a phone";
    for (const item of ITEMS[language]) {
      for (const negator of NEGATORS[language]) {
        for (const [whole, there] of PLACES[language]) {
          for (const comma of [",", ""]) {
            const head = `${subject} ${whole}${comma} ${negator} ${item}`;
            yield [`${head} ${there}`, `${subject} ${negator} ${item} ${there}`];
          }
        }
      }
    }
  }
}

const outcome = (text: string) => {
  const { confidence, unmapped_constraints: left } = probe.translate(text).spec.explain;
  return {
    uncertain: isUncertain(confidence),
    isReported: left.some(({ code }) => /^(excluded_there|two_requests)$/.test(code)),
  };
};

describe("an exclusion in one place", () => {
  it("is reported and does not run", () => {
    const silent: string[] = [];
    let tried = 0;
    for (const [text] of texts()) {
      const { uncertain, isReported } = outcome(text);
      if (!uncertain || !isReported) silent.push(text);
      tried++;
    }
    assert.deepEqual(silent, []);
    assert.ok(tried > 400, String(tried));
  });

  it("applies to the whole search if no other place is named", () => {
    const wrong = [...texts()].map(([, apart]) => apart).filter((text) => outcome(text).isReported);
    assert.deepEqual(wrong, []);
  });

  it("with or, or with its own condition, does not run", () => {
    const silent: string[] = [];
    for (const negator of NEGATORS.pt.slice(0, 3)) {
      for (const item of ["as MEI", "as filiais", "as baixadas", "padarias"]) {
        for (const phrase of CONDITIONS) {
          const text = `empresas de Santos ${negator} ${item} ${phrase}`;
          const { confidence, unmapped_constraints: left } = probe.translate(text).spec.explain;
          const isNoted = left.some(({ code }) => code === "excluded_with_condition");
          if (!isNoted || !isUncertain(confidence)) silent.push(text);
        }
      }
    }
    assert.deepEqual(silent, []);
    assert.equal(outcome("padarias que não sejam MEI do Simples").uncertain, true);
    assert.equal(outcome("padarias em Santos exceto MEI do bairro Centro").uncertain, true);
    assert.equal(outcome("padarias exceto MEI abertas desde 2020").uncertain, true);
    assert.equal(outcome("padarias exceto MEI, abertas desde 2020").uncertain, false);
    assert.equal(outcome("padarias exceto MEI com telefone").uncertain, true);
    assert.equal(outcome("padarias exceto MEI, com telefone").uncertain, false);
  });

  for (const text of [
    "padarias em SP, exceto MEI, em Santos",
    "padarias em SP, exceto MEI",
    "padarias em SP, exceto em Santos",
    "padarias em SP, exceto MEI e exceto em Santos",
    "padarias em SP e RJ que não sejam MEI, com telefone",
    "padarias em SP com telefone em Santos",
    "padarias exceto MEI em Santos e Campinas",
    "padarias em SP, exceto Santos e Campinas",
  ]) {
    it(`is not found if it applies everywhere: ${text}`, () => {
      assert.equal(outcome(text).isReported, false);
    });
  }
});
