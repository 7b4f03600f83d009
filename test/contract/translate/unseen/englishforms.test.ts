/**
 * Proves that English wordings of conditions mean the same as the plain ones, and run: contacts of
 * any kind, required contacts, bounds of dates, great regions, regimes, mining, and purchases.
 * Also proves that words with other meanings keep them, and that a request without a filter is
 * named. Does not prove that the plain sentence is read right; the other suites do.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Kinds of wordings, each with sets of sentences that mean the same as their first. */
const KINDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "leave open which contact": [
    [
      "opticians in Belém with contact",
      "opticians in Belém, any contact works",
      "opticians in Belém, any kind of contact is okay",
      "opticians in Belém, whatever contact they have is fine",
      "opticians in Belém, it doesn't matter which contact",
      "opticians in Belém, no matter which contact",
    ],
  ],
  "require contacts": [
    [
      "opticians in Belém with landline",
      "landline required, opticians in Belém",
      "opticians in Belém, landline is mandatory",
      "opticians in Belém with a fixed telephone",
      "opticians in Belém that have a fixed-line phone",
    ],
    [
      "opticians in Belém with phone and email",
      "opticians in Belém, phone and e-mail are required",
      "opticians in Belém with phone as well as email",
      "opticians in Belém that I can both call and email",
    ],
    ["opticians in Belém with phone or email", "opticians in Belém, phone or email needed"],
  ],
  "bound the year of opening": [
    [
      "opticians in Belém opened before 1998",
      "opticians in Belém founded prior to 1998",
      "opticians in Belém established before the year 1998",
      "opticians in Belém, founding date up to the end of 1997",
      "opticians in Belém that already existed before 1998",
      "opticians in Belém opened by the end of 1997",
    ],
  ],
  "name a great region": [
    [
      "opticians in the Northeast",
      "opticians in Brazil's Northeast",
      "opticians, northeast Brazil",
      "Northeast of Brazil, opticians",
      "opticians from the Northeast region",
      "opticians in the northeast region of Brazil",
    ],
    ["opticians in the South", "opticians, south region, please", "opticians, Brazilian South"],
  ],
  "name regimes": [
    [
      "opticians in Belém in Simples and not MEI",
      "opticians in Belém, Simples yes, MEI no",
      "opticians in Belém in Simples without being MEI",
    ],
    ["opticians in Belém, only Ltda", "opticians in Belém, exclusively Ltda"],
    [
      "opticians that are not MEI in Belém and Marabá",
      "opticians not MEI, cities Belém and Marabá",
    ],
  ],
  "name a trade by a verb": [
    ["gold mining companies in Pará", "companies that mine gold in Pará"],
    ["iron ore mining in Minas Gerais", "which firms mine iron ore in Minas Gerais?"],
    ["shoe wholesalers in Belém", "wholesale companies selling shoes in Belém"],
  ],
};

/** Sentences, each with the codes of its requests that no filter takes. */
const NAMED: readonly (readonly [text: string, codes: readonly string[]])[] = [
  ["opticians in Belém, annual turnover under 3 million", ["revenue"]],
  ["opticians in Belém that earn below 3 million in revenue per year", ["revenue"]],
  ["opticians in Belém with Saturday opening hours", ["opening_hours"]],
  ["tanneries in Franca, I purchase hides for a bag factory", ["own_offer"]],
  ["tanneries in Franca with email, buying hides for a bag factory", ["own_offer"]],
];

/** Returns the codes of notes. */
function codesOf(notes: readonly unknown[]): readonly unknown[] {
  return notes.map((note) => (note as { readonly code: unknown }).code);
}

describe("English wordings", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns the spec as JSON, without `explain`. */
  function bytes(text: string): string {
    const { explain: _, ...spec } = probe.spec(text);
    return JSON.stringify(spec);
  }

  for (const [kind, sets] of Object.entries(KINDS)) {
    it(`that ${kind} mean the same, and run`, () => {
      const wrong = sets.flatMap(([first = "", ...others]) =>
        [first, ...others].filter((text) => {
          return bytes(text) !== bytes(first) || isUncertain(probe.spec(text).explain.confidence);
        }),
      );
      assert.deepEqual(
        wrong.map((text) => `${text}: ${probe.spec(text).explain.confidence} ${bytes(text)}`),
        [],
      );
    });
  }

  it("name what no filter takes, and run", () => {
    for (const [text, codes] of NAMED) {
      const { unmapped_constraints: unmapped, confidence } = probe.spec(text).explain;
      const found = codesOf(unmapped);
      assert.deepEqual(found, codes, text);
      assert.ok(!isUncertain(confidence), text);
    }
  });

  it("never read the number of stars as a limit", () => {
    const spec = probe.spec("Belém, gyms, 4 stars and up");
    assert.equal(spec.limit, probe.spec("Belém, gyms").limit);
    assert.deepEqual(codesOf(spec.explain.unmapped_constraints), ["rating"]);
  });

  it("leave machines for mining and parts of states as they are", () => {
    const machines = probe.spec("mining equipment makers in Belém").filters.industry.cnae_any_of;
    assert.deepEqual(machines, ["2852-6/00"]);
    const { geo } = probe.spec("opticians in the south of Bahia").filters;
    assert.ok(!geo.uf_any_of.includes("PR"));
  });
});
