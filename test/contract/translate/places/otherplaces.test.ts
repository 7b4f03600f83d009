/**
 * Proves: a place that belongs to another condition ("perto de Campinas", "com CEP de Campinas") is
 * never searched together with the companies' place, for every condition and order, in three
 * languages. A district is found after its city, with a hyphen, a state, a comma, or nothing
 * between them. If a phone number and its area code are not adjacent, a note says to write both
 * together.
 * Does not prove how radii and lists of places are read (radius.test.ts, places.test.ts).
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

const outcome = (text: string) => {
  const { confidence, unmapped_constraints: left } = probe.translate(text).spec.explain;
  return { isRun: !isUncertain(confidence), codes: left.map(({ code }) => code), left };
};

const LANGUAGES = [
  {
    subjects: ["padarias em Santos", "empresas com telefone em Santos"],
    conditions: [
      ...["perto de Campinas", "próximas a Campinas", "próximas de Campinas"],
      ...["que atendem Campinas", "que entregam em Campinas", "atendendo Campinas"],
      ...["com CEP de Campinas", "com DDD de Campinas", "com telefone de Campinas"],
      ...["cuja matriz fica em Campinas", "com e-mail de Campinas", "com sede em Campinas"],
      "que atendem toda a região de Campinas",
    ],
  },
  {
    subjects: ["bakeries in Santos"],
    conditions: [
      ...["near Campinas", "close to Campinas", "that serve Campinas"],
      ...["that deliver to Campinas", "with a ZIP code of Campinas", "with a phone of Campinas"],
    ],
  },
  {
    subjects: ["panaderías en Santos"],
    conditions: ["cerca de Campinas", "que atienden Campinas", "que entregan en Campinas"],
  },
] as const;

describe("a place of another condition", () => {
  it("is not searched together with the companies' place", () => {
    const silent: string[] = [];
    for (const { subjects, conditions } of LANGUAGES) {
      for (const subject of subjects) {
        for (const condition of conditions) {
          for (const comma of [" ", ", "]) {
            const text = `${subject}${comma}${condition}`;
            const { isRun, codes } = outcome(text);
            const isNoted = codes.some((code) =>
              /^(place_of_condition|branch_place|two_requests)$/.test(code),
            );
            if (isRun || !isNoted) silent.push(`${text}: ${codes}`);
          }
        }
      }
    }
    assert.equal(outcome("padarias perto de Campinas, em Santos").isRun, false);
    assert.deepEqual(silent, []);
  });

  for (const text of [
    "padarias perto de Campinas",
    "padarias que atendem Campinas e Santos",
    "padarias em Santos e em Campinas",
    "padarias de Santos, Campinas e Guarujá",
    "telefones de padarias de Santos e Campinas",
    "padarias com telefone em Santos e Campinas",
    "matrizes em Santos e Campinas",
  ]) {
    it(`is not found if it is the only one, or in a list: ${text}`, () => {
      assert.ok(!outcome(text).codes.includes("place_of_condition"));
      assert.ok(outcome(text).isRun);
    });
  }
});

describe("a district after its city", () => {
  it("is found after a hyphen, a state, a comma, and nothing", () => {
    const wrong: string[] = [];
    for (const [subject, centre] of [
      ["restaurantes em", "Centro"],
      ["restaurantes em", "centro"],
      ["restaurants in", "downtown"],
      ["restaurantes en", "Centro"],
    ] as const) {
      for (const [city, ibge] of [
        ["Santos", "3548500"],
        ["Recife", "2611606"],
      ] as const) {
        const uf = city === "Santos" ? "SP" : "PE";
        for (const joint of [" - ", " – ", ": ", ", ", " "]) {
          for (const state of ["", `/${uf}`, `-${uf}`, ` - ${uf}`, `, ${uf}`, ` (${uf})`]) {
            if (joint === " " && state !== "") continue;
            const text = `${subject} ${city}${state}${joint}${centre}`;
            const { district_any_of: found } = probe.spec(text).filters.geo;
            const isFound = found?.[0]?.municipality_ibge === ibge && found[0].name === "centro";
            if (!isFound || !outcome(text).isRun) wrong.push(text);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const text of [
    "restaurantes em São Paulo (capital), Centro",
    "restaurantes centro Campinas",
    "restaurantes no centro Campinas",
  ]) {
    it(`is found: ${text}`, () => {
      assert.equal(probe.spec(text).filters.geo.district_any_of?.[0]?.name, "centro");
      assert.ok(outcome(text).isRun);
    });
  }

  for (const text of [
    "restaurantes em Santos - Centro e Gonzaga",
    "restaurantes em Santos - Vila Xurupita",
    "restaurantes nos centros de Campinas e Santos",
    "restaurantes em São Paulo - Moema",
  ]) {
    it(`does not let the whole city run: ${text}`, () => {
      assert.equal(outcome(text).isRun, false);
      assert.ok(outcome(text).codes.length > 0);
    });
  }

  for (const [text, cities] of [
    ["padarias em Santos - SP e Campinas - SP", 2],
    ["padarias em Santos – SP e Campinas – SP", 2],
    ["padarias em Santos - Campinas - Guarujá", 3],
    ["padarias em Curitiba - Joinville - Londrina", 3],
    ["padarias em Recife - Pernambuco", 1],
    ["padarias em Santos - com telefone", 1],
  ] as const) {
    it(`is not found in towns and their states: ${text}`, () => {
      assert.equal(probe.spec(text).filters.geo.municipality_ibge_any_of?.length, cities);
      assert.ok(outcome(text).isRun);
    });
  }
});

describe("a phone with its area code elsewhere", () => {
  for (const [text, phrase] of [
    ["empresas com DDD 14 e telefone 98613-1577", "14 98765-4321"],
    ["companies with area code 14 and phone 98613-1577", "14 98765-4321"],
    ["empresas con DDD 14 y teléfono 98613-1577", "14 98765-4321"],
    ["empresas com telefone 98613-1577", "11 98765-4321"],
  ] as const) {
    it(`is reported with a request to write both together: ${text}`, () => {
      const { left, isRun } = outcome(text);
      const note = left.find(({ code }) => code === "phone_area_code");
      assert.ok(note?.detail?.includes(phrase), note?.detail);
      assert.equal(isRun, false);
    });
  }
});
