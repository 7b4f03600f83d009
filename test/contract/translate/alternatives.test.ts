/**
 * Proves: "or" between two filters of different kinds is reported, because a search can only
 * combine them with "and". Two requests that each have a place are reported as two. No such
 * sentence runs without a report.
 * Does not prove: that every wording of an alternative is recognized.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

type Pair = readonly [pt: string, en: string];
const LANGUAGES = [0, 1] as const;
const SUBJECTS: Pair = ["padarias", "bakeries"];

/** One filter of every kind. No two kinds can express the same filter. */
const FILTERS: Readonly<Record<string, Pair>> = {
  place: ["em Santos", "in Santos"],
  state: ["em SP", "in SP"],
  contact: ["com telefone", "with a phone"],
  number: ["com o telefone (18) 4172-3666", "with the phone (18) 4172-3666"],
  date: ["abertas desde 2020", "opened since 2020"],
  mei: ["que sejam MEI", "that are MEI"],
  headquarters: ["só matriz", "headquarters only"],
  capital: ["com capital acima de 100 mil", "with capital above 100 thousand"],
  "area code": ["com DDD 11", "with area code 11"],
  "postal code": ["com CEP 13010", "with zip code 13010"],
};
/** Negated conditions. Some can be expressed by a filter, others cannot. */
const NEGATED: readonly (readonly [kind: string, phrase: Pair])[] = [
  ["contact", ["sem telefone", "without a phone"]],
  ["contact", ["sem e-mail", "without an email"]],
  ["contact", ["que não tenham telefone", "that do not have a phone"]],
  ["mei", ["que não sejam MEI", "that are not MEI"]],
  ["headquarters", ["sem filiais", "without branches"]],
];
/** Kinds that set the same filter, so that "or" between them needs no report. */
const PLACES = new Set(["place", "state"]);
const ORS: readonly Pair[] = [
  ["ou", "or"],
  [", ou", ", or"],
  ["e/ou", "and/or"],
];
const ANDS: readonly Pair[] = [
  ["e", "and"],
  [",", ","],
];

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const joined = (one: string, joint: string, other: string) =>
  `${one} ${joint} ${other}`.replaceAll(" ,", ",");
const codesOf = (text: string) =>
  probe.translate(text).spec.explain.unmapped_constraints.map(({ code }) => code);

function* pairs(): Generator<readonly [one: Pair, other: Pair, alike: boolean]> {
  for (const [a, one] of Object.entries(FILTERS)) {
    for (const [b, other] of Object.entries(FILTERS)) {
      if (a !== b) yield [one, other, PLACES.has(a) && PLACES.has(b)];
    }
  }
}

describe("alternatives", () => {
  it("reports every 'or' between two kinds of filters, in both languages", () => {
    const silent: string[] = [];
    for (const [one, other, alike] of pairs()) {
      if (alike) continue;
      for (const language of LANGUAGES) {
        for (const or of ORS) {
          const requested = joined(one[language], or[language], other[language]);
          const text = `${SUBJECTS[language]} ${requested}`;
          if (!codesOf(text).some((code) => /^either_/.test(code))) silent.push(text);
        }
      }
    }
    assert.deepEqual(silent, []);
  });

  it("reports every 'or' between a filter and a negated one, in either order", () => {
    const silent: string[] = [];
    for (const [kind, filter] of Object.entries(FILTERS)) {
      for (const [negatedKind, negated] of NEGATED) {
        // "not MEI or headquarters" excludes both and needs no report (neither.test.ts).
        const isOneKind = kind === negatedKind || `${negatedKind}+${kind}` === "mei+headquarters";
        if (isOneKind) continue;
        for (const language of LANGUAGES) {
          for (const or of ORS) {
            const [one, other] = [filter[language], negated[language]];
            const ahead = joined(one, or[language], other);
            for (const requested of [ahead, joined(other, or[language], one)]) {
              const text = `${SUBJECTS[language]} ${requested}`;
              const { confidence } = probe.translate(text).spec.explain;
              const isReported = codesOf(text).some((code) => /^either_/.test(code));
              const mustNotRun = PLACES.has(kind) || negatedKind === "contact";
              if (!isReported || (mustNotRun && !isUncertain(confidence))) silent.push(text);
            }
          }
        }
      }
    }
    assert.deepEqual(silent, []);
  });

  it("reports 'or' between a trade and a filter", () => {
    for (const language of LANGUAGES) {
      for (const [or] of ORS.map((pair) => [pair[language]])) {
        for (const filter of Object.values(FILTERS)) {
          const text = joined(SUBJECTS[language], or as string, filter[language]);
          assert.ok(codesOf(text).includes("either_wish"), text);
        }
      }
    }
  });

  it("reports no 'and' and no comma between two kinds of filters", () => {
    const wrong: string[] = [];
    for (const [one, other] of pairs()) {
      for (const language of LANGUAGES) {
        for (const and of ANDS) {
          const requested = joined(one[language], and[language], other[language]);
          const text = `${SUBJECTS[language]} ${requested}`;
          if (codesOf(text).some((code) => /either|two_requests/.test(code))) wrong.push(text);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("does not run where a place, a trade or a named contact is one of two", () => {
    for (const text of [
      "padarias em Santos ou MEI",
      "padarias em Santos ou abertas desde 2020",
      "padarias em Campinas ou com telefone",
      "bakeries in Santos or with a phone",
      "padarias em Santos ou com DDD 11",
      "padarias em Campinas ou no DDD 13",
      "padarias em Santos ou CEP 13010",
      "padarias com telefone (18) 4172-3666 ou em Santos",
      "padarias ou com telefone em Santos",
      "padarias MEI ou que fiquem em Santos",
      "padarias em Santos com o telefone (18) 4172-3666 ou e-mail",
    ]) {
      const { confidence } = probe.translate(text).spec.explain;
      assert.ok(isUncertain(confidence), `${text}: ${confidence}`);
    }
  });

  for (const text of [
    "padarias em Santos ou Campinas com telefone",
    "padarias em Santos ou em SP",
    "padarias ou açougues em Santos",
    "padarias em Santos ou açougues",
    "padarias ou pequenas mercearias em Santos",
    "padarias ou empresas com telefone em Santos",
    "padarias, ou seja, panificadoras em Santos",
    "padarias com 5 anos ou mais em Santos",
    "padarias com capital de 10 mil ou mais em Santos",
    "padarias com DDD 11 ou com DDD 13",
    "padarias exceto em Santos ou MEI",
    "padarias com ou sem telefone em Santos",
    "padarias em Santos com telefone ou não",
    "empresas com e-mail a@b.com.br ou c@d.com.br",
    "empresas com telefone (18) 4172-3666 ou (18) 4172-3667",
  ]) {
    it(`reports nothing if one filter covers both: ${text}`, () => {
      assert.deepEqual(codesOf(text), []);
    });
  }
});

/** Conditions that a sentence may state for the companies of only one of two places. */
const REQUESTED: readonly Pair[] = [
  ["com telefone", "with a phone"],
  ["com e-mail", "with an email"],
  ["MEI", "MEI"],
  ["abertas desde 2020", "opened since 2020"],
  ["com capital acima de 100 mil", "with capital above 100 thousand"],
];
const TOWNS: Pair = ["em Campinas", "in Campinas"];
const OTHERS: Pair = ["em Santos", "in Santos"];
const JOINTS: readonly Pair[] = [...ANDS, ["ou", "or"], [", e", ", and"]];

describe("requests with a place each", () => {
  it("are two requests by any joint, in either order and language", () => {
    const silent: string[] = [];
    for (const one of REQUESTED) {
      for (const other of REQUESTED) {
        if (one === other) continue;
        for (const language of LANGUAGES) {
          for (const joint of JOINTS) {
            const [a, b] = [one[language], other[language]];
            const [here, there] = [TOWNS[language], OTHERS[language]];
            const after = joined(`${a} ${here}`, joint[language], `${b} ${there}`);
            const ahead = joined(`${here} ${a}`, joint[language], `${there} ${b}`);
            for (const requested of [after, ahead]) {
              const text = `${SUBJECTS[language]} ${requested}`;
              const { confidence } = probe.translate(text).spec.explain;
              const isReported = codesOf(text).includes("two_requests") && isUncertain(confidence);
              if (!isReported) silent.push(text);
            }
          }
        }
      }
    }
    assert.deepEqual(silent, []);
  });

  for (const text of [
    "padarias com telefone em Campinas e com telefone em Santos",
    "padarias com telefone em Campinas e em Santos",
    "padarias com telefone e e-mail em Campinas e Santos",
    "padarias MEI no estado de SP, com telefone em Campinas",
    "padarias paulistas com telefone e MEI em Campinas",
  ]) {
    it(`are one request: ${text}`, () => {
      assert.deepEqual(codesOf(text), []);
    });
  }
});
