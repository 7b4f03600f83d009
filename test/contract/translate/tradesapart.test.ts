/**
 * Proves, in three languages: two trades that each have their own condition or place are reported
 * as two requests, for any joint (a full stop, a hyphen, "bem como"). A sentence about
 * companies that have both of two trades does not run. A sentence about companies that left a tax
 * regime sets only the filter for that, whether or not they are in the regime today.
 * Does not prove which of several requests a person means.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const outcome = (text: string) => {
  const { confidence, unmapped_constraints: left } = probe.translate(text).spec.explain;
  return { isRun: !isUncertain(confidence), codes: left.map(({ code }) => code) };
};
/** Returns the texts that wrongly run or lack a note with this code. */
const silent = (texts: Iterable<string>, code: string) => {
  const wrong: string[] = [];
  let tried = 0;
  for (const text of texts) {
    const { isRun, codes } = outcome(text);
    if (isRun || !codes.includes(code)) wrong.push(`${text}: ${codes}`);
    tried++;
  }
  assert.ok(tried > 0);
  return wrong;
};

const LANGUAGES = [
  {
    trades: ["padarias", "restaurantes"],
    places: ["em Santos", "em Campinas"],
    joints: [". ", "! ", " - ", " + ", " bem como ", " assim como ", "\n", "? ", " e "],
    state: "em SP",
    conditions: [
      ["com telefone", "com e-mail"],
      ["ativas", "baixados"],
      ["MEI", "LTDA"],
      ["abertas em 2020", "abertos em 2021"],
      ["grandes", "pequenos"],
    ],
  },
  {
    trades: ["bakeries", "restaurants"],
    places: ["in Santos", "in Campinas"],
    joints: [". ", " - ", " + ", " as well as ", " plus ", " and "],
    state: "in SP",
    conditions: [
      ["with phone", "with e-mail"],
      ["opened in 2020", "opened in 2021"],
    ],
  },
  {
    trades: ["panaderías", "restaurantes"],
    places: ["en Santos", "en Campinas"],
    joints: [". ", " - ", " así como ", " y "],
    state: "en SP",
    conditions: [["con teléfono", "con correo"]],
  },
] as const;

function* places(): Generator<string> {
  for (const { trades, places: where, joints } of LANGUAGES) {
    for (const joint of joints) yield `${trades[0]} ${where[0]}${joint}${trades[1]} ${where[1]}`;
  }
}

function* conditions(): Generator<string> {
  for (const { trades, state, conditions: pairs } of LANGUAGES) {
    const joint = state.startsWith("in") ? " and " : state.startsWith("en") ? " y " : " e ";
    for (const [one, other] of pairs) {
      yield `${trades[0]} ${one}${joint}${trades[1]} ${other} ${state}`;
      yield `${trades[0]} ${state} ${one}${joint}${trades[1]} ${other}`;
      yield `${trades[0]} ${state} ${one}, ${trades[1]} ${other}`;
    }
  }
}

describe("trades with different conditions", () => {
  it("are two requests if each has a place, for any joint", () => {
    assert.deepEqual(silent(places(), "two_requests"), []);
  });

  it("are two requests if each has a condition", () => {
    assert.deepEqual(silent(conditions(), "two_requests"), []);
  });

  it("do not run as either if both must hold", () => {
    const texts = [
      ...["padarias em SP que também são lanchonetes", "padarias que sejam também lanchonetes"],
      ...["bakeries that are also snack bars", "panaderías en SP que también son cafeterías"],
    ];
    assert.deepEqual(silent(texts, "both_trades"), []);
  });

  for (const text of [
    "padarias e restaurantes com telefone em SP",
    "padarias com telefone e e-mail em SP",
    "padarias com telefone e restaurantes com telefone em SP",
    "padarias abertas desde 2020 e restaurantes abertos desde 2020",
    "padarias MEI e restaurantes em SP",
    "padarias grandes e pequenas em SP",
    "padarias em Santos. Com telefone.",
    "padarias em Santos - SP e restaurantes",
    "bakeries and restaurants with phone in SP",
  ]) {
    it(`are one request if the condition applies to both: ${text}`, () => {
      assert.deepEqual(
        outcome(text).codes.filter((code) => /two_requests|both_trades/.test(code)),
        [],
      );
      assert.ok(outcome(text).isRun);
    });
  }
});

describe("a regime that was left", () => {
  it("is a filter, and the companies need not be in it today", () => {
    const texts = [
      ...["deixaram de ser MEI", "saíram do Simples", "saíram do MEI"].map(
        (phrase) => `que ${phrase}`,
      ),
      ...["desenquadradas do MEI", "desenquadradas do Simples", "excluídas do Simples"],
    ].map((phrase) => `padarias em SP ${phrase}`);
    const others = [
      "bakeries in SP that left Simples",
      "panaderías en SP que salieron del Simples",
    ];
    for (const text of [...texts, ...others]) {
      assert.deepEqual(outcome(text), { isRun: true, codes: [] }, text);
      const { company } = probe.spec(text).filters;
      assert.deepEqual([company.simples_opt_in, company.mei_opt_in], [null, null], text);
      const days = [company.simples_excluded_since, company.mei_excluded_since];
      assert.equal(days.filter((day) => day === "2007-07-01").length, 1, text);
    }
  });

  for (const text of [
    "padarias em SP que não saíram do Simples",
    "padarias em SP fora do Simples",
    "padarias em SP, excluídas as MEI",
    "padarias em SP que não são MEI",
  ]) {
    it(`is not found in: ${text}`, () => {
      assert.deepEqual(outcome(text), { isRun: true, codes: [] });
    });
  }
});
