/**
 * Proves that a district without a city is looked up in the sentence's state, or in the whole
 * country. If no city has such a district, the sentence does not become a search of the whole
 * state. Does not prove which city is meant if several have the district. A note lists those.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { districtsOf } from "../../../../src/search/districts.ts";
import { foldDistrict } from "../../../../src/spec/districtname.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import type { City } from "../../../../src/translate/places/placenames.ts";
import { notesOf, openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Matches districts that are no part of a longer name, no trade, and no ordinary word. */
const PLAIN = /^[A-Z]{5,}(?: [A-Z]{5,})?$/;
const FEW = 40;

let probe: Probe;
/** Districts that only one city of the country has, with that city. */
let unique: { readonly name: string; readonly city: City }[];

before(async () => {
  probe = await openProbe();
  const gazetteer = gazetteerOf(probe.segment);
  const homes = new Map<string, City[]>();
  for (const uf of gazetteer.states) {
    for (const city of gazetteer.citiesOf(uf)) {
      const { districts } = districtsOf(probe.segment, { ibge: city.ibge, typed: "", limit: 1000 });
      for (const { name } of districts) homes.set(name, [...(homes.get(name) ?? []), city]);
    }
  }
  unique = [...homes].flatMap(([name, cities]) => {
    const [city, ...others] = cities;
    const isPlace = gazetteer.places.named(name) !== undefined;
    const isPlain = PLAIN.test(name) && !isPlace && !/^(?:CENTRO|ZONA|DISTRITO|SETOR)/.test(name);
    return city === undefined || others.length > 0 || !isPlain ? [] : [{ name, city }];
  });
});
after(() => probe.close());

const title = (name: string) => name.toLowerCase().replace(/(^| )\p{L}/gu, (c) => c.toUpperCase());
const outcome = (text: string) => {
  const spec = probe.spec(text);
  const { geo } = spec.filters;
  return {
    rows: (geo.district_any_of ?? []).map(
      (one) => `${one.municipality_ibge} ${foldDistrict(one.name)}`,
    ),
    isWide: geo.uf_any_of.length + geo.municipality_ibge_any_of.length > 0,
    uncertain: isUncertain(spec.explain.confidence),
    left: notesOf(spec, "unmapped_constraints"),
  };
};

describe("districts without a city", () => {
  for (const template of [
    "padarias na @, #",
    "padarias na @ #",
    "padarias na @",
    "bakeries in @, #",
  ]) {
    it(`are found in: ${template}`, () => {
      const wrong: string[] = [];
      let found = 0;
      for (const { name, city } of unique.slice(0, FEW)) {
        const text = template.replace("@", title(name)).replace("#", city.uf);
        const { rows, uncertain } = outcome(text);
        if (rows.includes(`${city.ibge} ${foldDistrict(name)}`) && !uncertain) found++;
        else if (!uncertain) wrong.push(`${text}: ${rows.join()}`);
      }
      assert.deepEqual(wrong, [], "never a wider place");
      assert.ok(found >= 0.7 * Math.min(FEW, unique.length), `${found} of ${unique.length}`);
    });
  }

  it("do not run with the whole state if no city of it has them", () => {
    const names = ["Xurupita", "Vila Xurupita", "Jardim Quaxel", "Zorblin"];
    const wrong = names.flatMap((name) =>
      [`padarias na ${name}, SP`, `padarias em ${name}, MG`]
        .filter((text) => !outcome(text).uncertain)
        .map((text) => text),
    );
    assert.deepEqual(wrong, []);
  });

  it("name the refused part", () => {
    const { left } = outcome("padarias na Vila Xurupita, SP");
    assert.ok(left.some(({ words = "" }) => words.includes("Xurupita")));
  });

  for (const text of [
    "padarias em Taguatinga, PB",
    "padarias em Pinheiros e Moema, RS",
    "padarias em Xurupita, DF",
  ]) {
    it(`are not replaced by the state: ${text}`, () => assert.ok(outcome(text).uncertain));
  }
});
