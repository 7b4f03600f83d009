/**
 * Proves: abbreviations mean the same as the whole words, also after a negation. Letters with a
 * slash that are no abbreviation, such as "S/A", keep their meaning. Does not prove that people use
 * no other abbreviations.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

const PAIRS: readonly (readonly [short: string, long: string])[] = [
  ["padarias c/ email em Natal", "padarias com email em Natal"],
  ["padarias c/email c/celular em Natal", "padarias com email com celular em Natal"],
  ["padarias s/ telefone em Natal", "padarias sem telefone em Natal"],
  ["padarias p/ revenda em Natal", "padarias para revenda em Natal"],
  [
    "padarias em uberlandia q abriram dps de 2021",
    "padarias em uberlandia que abriram depois de 2021",
  ],
  ["vc tem padarias q tb tenham email?", "você tem padarias que também tenham email?"],
];

/** Letters with a slash that are not an abbreviation. */
const OTHERS: readonly (readonly [text: string, filters: Readonly<Record<string, unknown>>])[] = [
  ["S/A em Natal", { legal_nature_any_of: ["2046", "2054"] }],
  ["padarias em Natal/RN", {}],
];

describe("abbreviations", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const outcome = (text: string) => {
    const { filters, explain } = probe.spec(text);
    return { filters, left: explain.unmapped_constraints.length, sure: explain.confidence };
  };

  for (const [short, long] of PAIRS) {
    it(`are read as their words: ${short}`, () => assert.deepEqual(outcome(short), outcome(long)));
  }

  for (const [text, wanted] of OTHERS) {
    it(`keep their other meaning: ${text}`, () => {
      const { filters, left } = outcome(text);
      const company = filters.company as unknown as Record<string, unknown>;
      for (const [name, value] of Object.entries(wanted)) assert.deepEqual(company[name], value);
      assert.equal(left, 0);
      assert.equal(filters.geo.municipality_ibge_any_of.length, 1);
    });
  }
});
