/**
 * Proves that an unknown name is never searched as the place with which it ends, such as the region
 * "Sul". Invented names are put before every state, point of the compass, and region, in every
 * usual phrase, in upper and lower case. They yield no state and no municipality, and the
 * confidence is too low to run. Existing names with such ends are found. Does not prove that every
 * invented name is reported. `spelling.test.ts` covers misspelled towns.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../src/translate/confidence.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";
import { inventedPlaces } from "../../support/translate/sweeps.ts";

/** Number of failures to show. */
const SHOWN = 12;
/** This suite tries an eighth of the texts that other systematic suites try. */
const SHARE = 8;

/** Regions of various kinds, from the table of regions. */
const REGIONS: readonly string[] = [
  ...["Serra Gaúcha", "Baixada Santista", "Zona da Mata", "Triângulo Mineiro", "Vale do Itajaí"],
  ...["Grande Recife", "Costa Verde", "Chapada Diamantina", "Campanha Gaúcha", "Norte de Minas"],
];

describe("unknown names", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  interface Geo {
    readonly uf_any_of: readonly string[];
    readonly municipality_ibge_any_of: readonly string[];
  }
  const read = (text: string) => {
    const { filters, explain } = probe.translate(text).spec;
    const { uf_any_of: ufs, municipality_ibge_any_of: codes } = (filters as { geo: Geo }).geo;
    return { places: ufs.length + codes.length, explain };
  };

  /** Names that are left out, because in lower case they are read as ordinary words. */
  const BY_CAPITALS = /qualquer nova|nárnia/;
  const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
    "as they are written": (text) => text,
    "in small letters": (text) => text.toLowerCase(),
  };
  for (const [name, write] of Object.entries(WRITTEN)) {
    it(`are no state, region, or city that they end with, ${name}`, () => {
      const all = [...inventedPlaces(REGIONS)].map(write).filter((text) => !BY_CAPITALS.test(text));
      const step = Math.max(1, Math.floor(all.length / (tries("sweep texts") / SHARE)));
      const some = all.filter((_, at) => at % step === SEED % step);
      const wrong = some.filter((text) => {
        const { places, explain } = read(text);
        const reported = explain.unmapped_constraints.length > 0;
        return places > 0 || !isUncertain(explain.confidence) || !reported;
      });
      assert.deepEqual(wrong.slice(0, SHOWN), [], `${wrong.length} of ${some.length} deviate`);
    });
  }

  it("are not found in existing names", () => {
    for (const { ibge, name, uf } of probe.segment.catalog.municipalities) {
      if (ibge === null || uf === null || uf === "EX") continue;
      const { explain } = read(`padarias em ${name}`);
      assert.ok(!isUncertain(explain.confidence), `${name}/${uf}: ${explain.confidence}`);
    }
  });
});
