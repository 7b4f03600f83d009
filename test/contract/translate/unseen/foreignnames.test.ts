/**
 * Proves that usual English and Spanish names of activities lead to the codes of the official
 * table, in a sentence that is run. Does not prove that every usual name is known.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UNCERTAIN_BELOW } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Sentences with a code that must be chosen. */
const NAMES: readonly (readonly [text: string, code: string])[] = [
  ["iron ore miners in Belém", "0710301"],
  ["lithium mines in Belém", "0729404"],
  ["salt pans in Belém", "0892401"],
  ["cattle slaughterhouses in Belém", "1011201"],
  ["fish canneries in Belém", "1020102"],
  ["sugarcane plantations in Belém", "0113000"],
  ["carton box factories in Belém", "1732000"],
  ["cement block manufacturers in Belém", "2330302"],
  ["auto parts manufacturers in Belém", "2941700"],
  ["battery makers in Belém", "2721000"],
  ["highway construction companies in Belém", "4211101"],
  ["interstate bus companies in Belém", "4922102"],
  ["dance companies in Belém", "9001903"],
  ["human rights NGOs in Belém", "9430800"],
  ["aserraderos en Belém", "1610203"],
  ["panaderias Belém", "4721102"],
  ["curtiembres de Belém", "1510600"],
  ["fábricas de yerba mate en Belém", "1099605"],
  ["mineras de litio en Belém", "0729404"],
  ["fábricas de cables en Belém", "2733300"],
  ["corredores de bolsa en Belém", "6612601"],
  ["gremios de trabajadores en Belém", "9420100"],
  ["cámaras empresariales en Belém", "9411100"],
  ["transporte interestatal de pasajeros en Belém", "4922102"],
];

describe("usual English and Spanish names of activities", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  for (const [text, code] of NAMES) {
    it(`reads ${code} in "${text}"`, () => {
      const { filters, explain } = probe.spec(text);
      const chosen = filters.industry.cnae_any_of.map((one) => one.replace(/\D/g, ""));
      assert.ok(
        chosen.some((one) => code.startsWith(one)),
        `${chosen.join()}`,
      );
      assert.ok(explain.confidence >= UNCERTAIN_BELOW, `${explain.confidence}`);
    });
  }
});
