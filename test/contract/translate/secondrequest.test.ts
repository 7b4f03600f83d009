/**
 * Proves: two requests that each have a place never run as one. Tests every condition of the first
 * request (an exclusion, a contact, a date, a regime), with every conjunction, in either order, in
 * three languages. If the requests share the place or the activity, they are one request. A
 * list that continues after an exclusion is one request too. Does not prove which requests a person
 * means.
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
  const codes = left.map(({ code }) => code);
  return { runs: !isUncertain(confidence), isTwo: codes.includes("two_requests") };
};

/** Two trades, two places, conditions on the first trade, and conjunctions, for each language. */
const LANGUAGES = [
  {
    trades: ["padarias", "farmácias"],
    places: ["em SP", "no Paraná"],
    conditions: [
      ...[
        "",
        ", exceto em Santos",
        ", menos Santos e Campinas",
        ", exceto MEI",
        ", exceto filiais",
      ],
      ...[" com telefone", " abertas desde 2020", ", fora de Santos", ", sem filiais"],
      ...[", tirando Santos", " que não sejam MEI"],
    ],
    joints: [", e ", "; ", ", mas ", ", e também "],
  },
  {
    trades: ["bakeries", "pharmacies"],
    places: ["in SP", "in Paraná"],
    conditions: ["", ", except in Santos", ", except MEI", " with a phone", ", excluding Santos"],
    joints: [", and ", "; ", ", and also "],
  },
  {
    trades: ["panaderías", "farmacias"],
    places: ["en SP", "en Paraná"],
    conditions: ["", ", excepto en Santos", ", excepto MEI", " con teléfono"],
    joints: [", y ", "; "],
  },
] as const;

function* requests(): Generator<string> {
  for (const { trades, places, conditions, joints } of LANGUAGES) {
    for (const about of conditions) {
      for (const joint of joints) {
        yield `${trades[0]} ${places[0]}${about}${joint}${trades[1]} ${places[1]}`;
        yield `${places[0]} ${trades[0]}${about}${joint}${places[1]} ${trades[1]}`;
      }
    }
  }
}

describe("two requests in one sentence", () => {
  it("are reported as two and do not run", () => {
    const silent: string[] = [];
    let tried = 0;
    for (const text of requests()) {
      const { runs, isTwo } = outcome(text);
      if (runs || !isTwo) silent.push(text);
      tried++;
    }
    assert.deepEqual(silent, []);
    assert.ok(tried > 120, String(tried));
  });

  for (const text of [
    "padarias em SP, exceto em Santos, e com telefone no Paraná",
    "padarias em SP, exceto em Santos, e MEI no Paraná",
    "padarias em SP e com telefone no Paraná",
    "padarias em SP, exceto em Santos, com telefone e no Paraná com e-mail",
    "padarias em SP com telefone e padarias no Paraná com e-mail",
    "bakeries in SP, except in Santos, and with a phone in Paraná",
  ]) {
    it(`have a request for something else in each place: ${text}`, () => {
      assert.deepEqual(outcome(text), { runs: false, isTwo: true });
    });
  }

  for (const text of [
    "padarias em SP e padarias no Paraná",
    "padarias em Santos e farmácias em Santos",
    "padarias e farmácias em SP, exceto em Santos",
    "padarias em SP, exceto em Santos, e no Paraná",
    "padarias em SP, exceto em Santos, e farmácias",
    "padarias em Campinas e em Santos com telefone",
    "padarias em SP e RJ, com telefone e MEI",
    "em SP, padarias e farmácias",
    "transportadoras em SP, com frota em Campinas",
  ]) {
    it(`are one: ${text}`, () => {
      assert.deepEqual(outcome(text), { runs: true, isTwo: false });
    });
  }

  it("begin after the comma that closes the list of an exclusion", () => {
    const { industry, geo } = probe.spec(
      "padarias em SP, exceto em Santos e em Campinas, e farmácias",
    ).filters;
    assert.ok(industry.cnae_any_of.includes("4771-7/01"));
    assert.deepEqual(industry.cnae_exclude, []);
    assert.equal(geo.municipality_ibge_any_of.includes("3509502"), false);
  });
});
