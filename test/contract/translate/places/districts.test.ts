/**
 * Proves: a district that is named with its city and the word "bairro" becomes the filter for that
 * district. The tests try up to twelve districts of each larger municipality of a sample. Without
 * the word "bairro", the district becomes that filter, or the sentence does not run. An excluded
 * district, a district that the city lacks, and a district without a city never run as a search of
 * the whole city. Does not prove how names are folded (unit/native-index/districtname.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { districtsOf } from "../../../../src/search/districts.ts";
import { foldDistrict } from "../../../../src/spec/districtname.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import type { City } from "../../../../src/translate/places/placenames.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { notesOf, openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Number of municipalities to try, from the largest on, and of districts in each. */
const CITIES = 40;
const DISTRICTS = 12;

/** Sentences that mark a name as a district. `@` is the name, `#` the city. */
const MARKED = [
  "padarias no bairro @ em #",
  "padarias no bairro @, #",
  "padarias do bairro @ de #",
  "padarias no bairro de @, #",
  "padarias em #, bairro @",
  "padarias em # no bairro @ com telefone",
  "bakeries in the @ district of #",
  "bakeries in the @ neighborhood of #",
  "bakeries in the neighborhood of @ in #",
];
/** Sentences in which the name may be a district, another place, or a trade. */
const BARE = ["padarias em @, #", "padarias na @ em #", "padarias em #, @", "bakeries in @, #"];

let probe: Probe;
let cities: City[];
let districts: Map<string, string[]>;

before(async () => {
  probe = await openProbe();
  const gazetteer = gazetteerOf(probe.segment);
  cities = probe.segment.catalog.municipalities
    .flatMap(({ ibge }) => (ibge === null ? [] : (gazetteer.city(ibge) ?? [])))
    .filter(({ name }) => gazetteer.places.named(name)?.cities.length === 1)
    .sort((a, b) => b.accounts - a.accounts)
    .slice(0, CITIES);
  districts = new Map(
    cities.map(({ ibge }) => {
      const found = districtsOf(probe.segment, { ibge, typed: "", limit: 10_000 });
      return [ibge, found.districts.map(({ name }) => name)];
    }),
  );
});
after(() => probe.close());

const outcome = (text: string) => {
  const spec = probe.spec(text);
  const { geo } = spec.filters;
  return {
    named: (geo.district_any_of ?? []).map((one) => `${one.municipality_ibge} ${one.name}`),
    cities: geo.municipality_ibge_any_of,
    uncertain: isUncertain(spec.explain.confidence),
    left: notesOf(spec, "unmapped_constraints").filter(({ code }) => code === "district"),
  };
};
const sentenceOf = (template: string, name: string, city: City) =>
  template.replace("@", () => name).replace("#", () => city.name);
const title = (name: string) =>
  name.toLowerCase().replace(/(^| )(?!d[aeo]s? )\p{L}/gu, (letter) => letter.toUpperCase());

describe("districts in sentences", () => {
  it("are those of the named city", () => {
    let tried = 0;
    const gazetteer = gazetteerOf(probe.segment);
    for (const city of cities) {
      // District and city together may be the name of a town, such as "São Francisco de Assis".
      const town = (name: string) =>
        gazetteer.places.named(`${name} de ${city.name}`) !== undefined;
      const all = districts.get(city.ibge) ?? [];
      const names = all.filter((name) => /^[A-Z ]+$/.test(name) && !town(name));
      for (const [i, name] of names.slice(0, DISTRICTS).entries()) {
        const template = MARKED[(i + tried) % MARKED.length] as string;
        for (const spelled of [title(name), name.toLowerCase()]) {
          const text = sentenceOf(template, spelled, city);
          const { named, uncertain, cities: in_, left } = outcome(text);
          assert.ok(named.includes(`${city.ibge} ${foldDistrict(name)}`), `${text}: ${named}`);
          assert.ok(named.length <= 2 && left.length === 0, `${text}: ${named}`);
          assert.deepEqual(in_, [city.ibge], text);
          assert.equal(uncertain, false, text);
        }
        tried++;
      }
    }
    assert.ok(tried > 150, String(tried));
  });

  it("are found without the word, or nothing wider runs", () => {
    let found = 0;
    let tried = 0;
    for (const city of cities) {
      for (const name of (districts.get(city.ibge) ?? []).slice(0, DISTRICTS)) {
        const spelled = title(name);
        for (const template of BARE) {
          const text = sentenceOf(template, spelled, city);
          const { named, uncertain, cities: places } = outcome(text);
          const whole = named.length === 0 && places.length === 1 && places[0] === city.ibge;
          tried++;
          found += Number(named.length > 0);
          // The whole city may be searched only for names that begin with "Centro", "Zona", or
          // "Cidade", which do not always mean a district.
          if (whole && !/^(Centro|Zona|Cidade)/.test(spelled)) assert.ok(uncertain, text);
          const other = named.filter((one) => !one.startsWith(city.ibge));
          assert.deepEqual(other, [], text);
        }
      }
    }
    assert.ok(found > tried / 2, `${found} of ${tried}`);
  });

  it(`are found after "of" before a city after "in"`, () => {
    let [found, tried] = [0, 0];
    for (const city of cities) {
      for (const name of (districts.get(city.ibge) ?? []).slice(0, DISTRICTS)) {
        if (/^(CENTRO|ZONA|CIDADE)/.test(name)) continue;
        const { named } = outcome(sentenceOf("padarias do @, em #", title(name), city));
        tried++;
        found += Number(named.includes(`${city.ibge} ${foldDistrict(name)}`));
      }
    }
    assert.ok(found > tried / 2, `${found} of ${tried}`);
  });

  it("that the city lacks never run", () => {
    for (const city of cities.slice(0, 12)) {
      for (const template of MARKED) {
        const text = sentenceOf(template, "Xurupita", city);
        const { named, uncertain, left } = outcome(text);
        assert.deepEqual(named, [], text);
        assert.ok(uncertain, text);
        assert.equal(left.length, 1, text);
      }
    }
  });

  it("that are excluded, without a city, or next to a whole city never run", () => {
    const [city, other] = cities as [City, City];
    const name = (districts.get(city.ibge) ?? []).map(title).find((one) => one.includes(" ")) ?? "";
    for (const text of [
      `padarias em ${city.name}, exceto no bairro ${name}`,
      `padarias em ${city.name} fora do bairro ${name}`,
      `padarias no bairro ${name} em ${city.name} e em ${other.name}`,
    ]) {
      const { named, uncertain, left } = outcome(text);
      assert.ok(uncertain && left.length > 0, text);
      assert.deepEqual(named, [], text);
    }
  });

  it("without a city are those of the only city that has them, or name the cities", () => {
    let unique = 0;
    let several = 0;
    const all = probe.segment.catalog.municipalities.flatMap(({ ibge }) => ibge ?? []);
    const homes = new Map<string, string[]>();
    const long = (name: string) =>
      name
        .replace(/^(jd\.?|jard) /, "jardim ")
        .replace(/^vl\.? /, "vila ")
        .replace(/^(pq\.?|pque) /, "parque ");
    for (const ibge of all) {
      const { districts: list } = districtsOf(probe.segment, { ibge, typed: "", limit: 10_000 });
      // Several spellings may fold to one name.
      for (const name of new Set(list.map((one) => long(foldDistrict(one.name))))) {
        homes.set(name, [...(homes.get(name) ?? []), ibge]);
      }
    }
    const reported = (name: string) =>
      /^(jardim|vila|parque) [a-z]{4}|^[a-z]{4}.* [a-z]{4}/.test(name);
    const other = /^(conj|cj|res|st[ao]|sant|n[ .o])/;
    for (const [name, ibges] of [...homes].filter(([one]) => reported(one) && !other.test(one))) {
      const text = `padarias no bairro ${title(name)} com telefone`;
      const { named, uncertain, left } = outcome(text);
      if (ibges.length === 1) {
        if (named.length === 0) continue;
        unique++;
        const meant = named.map((one) => `${one.slice(0, 8)}${long(one.slice(8))}`);
        assert.deepEqual([...new Set(meant)], [`${ibges[0]} ${name}`], text);
        assert.ok(!uncertain, text);
      } else {
        several++;
        assert.deepEqual(named, [], text);
        assert.ok(uncertain && left.length === 1, text);
        assert.match(String(left[0]?.detail), new RegExp(`${ibges.length} têm `), text);
      }
    }
    assert.ok(unique > 50 && several > 2, `${unique} of one, ${several} of several`);
  });

  it("of a list are all used", () => {
    const [city] = cities as [City];
    const names = (districts.get(city.ibge) ?? []).filter((one) => / /.test(one)).slice(0, 3);
    const [one, two, three] = names.map(title);
    const text = `padarias nos bairros ${one}, ${two} e ${three}, ${city.name}`;
    const wanted = names.map((name) => `${city.ibge} ${foldDistrict(name)}`);
    const { named } = outcome(text);
    for (const district of wanted) assert.ok(named.includes(district), `${text}: ${named}`);
  });

  it("of a snapshot without districts are reported as missing", () => {
    const { catalog } = probe.segment;
    const older = { ...probe.segment, catalog: { ...catalog, lacksDistricts: true as const } };
    const { spec } = translate("padarias no bairro Centro, Curitiba", older);
    assert.ok(isUncertain(spec.explain.confidence));
    const [left] = spec.explain.unmapped_constraints;
    assert.match(left?.detail ?? "", /importe-a de novo/);
  });
});
