/**
 * Proves: a sentence may name districts of several cities. Each district is looked up in the
 * adjacent city only, for every conjunction and order of words. A sentence with a district next to
 * a whole city does not run. A name before its city is a district, even if a town elsewhere
 * has that name.
 * Does not prove: that every district of a real registry is found (districts.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { districtsOf } from "../../../../src/search/districts.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import type { City } from "../../../../src/translate/places/placenames.ts";
import { notesOf, openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Cities of the sample that have a district with the name Centro. */
const NAMES = ["Campinas", "Santos", "Curitiba", "Salvador", "São Paulo", "Rio de Janeiro"];
const JOINTS: readonly (readonly [pt: string, en: string])[] = [
  [" e ", " and "],
  [", ", ", "],
  [" ou ", " or "],
  [", e ", ", and "],
];
/** Ways to say a district `@` of a city `#`. */
const PAIRS: readonly string[] = [
  "no bairro @ de #",
  "no bairro @ em #",
  "no bairro @, #",
  "em #, bairro @",
  "em # no bairro @",
];
const ENGLISH: readonly string[] = ["in the @ district of #", "in the neighborhood of @ in #"];

let probe: Probe;
let cities: City[];
let names: Map<string, string[]>;

before(async () => {
  probe = await openProbe();
  const { places } = gazetteerOf(probe.segment);
  cities = NAMES.map((name) => {
    const found = [...(places.named(name)?.cities ?? [])];
    return found.sort((a, b) => b.accounts - a.accounts)[0] as City;
  });
  names = new Map(
    cities.map(({ ibge }) => {
      const { districts } = districtsOf(probe.segment, { ibge, typed: "", limit: 10_000 });
      return [ibge, districts.map(({ name }) => name)];
    }),
  );
});
after(() => probe.close());

const outcome = (text: string) => {
  const spec = probe.spec(text);
  const { geo } = spec.filters;
  return {
    rows: (geo.district_any_of ?? []).map((one) => `${one.municipality_ibge} ${one.name}`).sort(),
    cities: [...geo.municipality_ibge_any_of].sort(),
    uncertain: isUncertain(spec.explain.confidence),
    left: notesOf(spec, "unmapped_constraints").map(({ code }) => code),
    assumed: notesOf(spec, "assumptions").map(({ code }) => code),
  };
};
const sentenceOf = (template: string, name: string, city: City) =>
  template.replace("@", () => name).replace("#", () => city.name);
const title = (name: string) =>
  name.toLowerCase().replace(/(^| )(?!d[aeo]s? )\p{L}/gu, (letter) => letter.toUpperCase());
const row = ({ ibge }: City, name: string) => `${ibge} ${name.toLowerCase()}`;
/** Returns a district of plain letters that only this city has and that is no town's name. */
const ownOf = (city: City) => {
  const others = cities.filter((one) => one !== city);
  const isOwn = (name: string) =>
    /^[A-Z]{6,}$/.test(name) && others.every(({ ibge }) => !names.get(ibge)?.includes(name));
  return (names.get(city.ibge) ?? []).find(
    (name) => isOwn(name) && gazetteerOf(probe.segment).places.named(name) === undefined,
  ) as string;
};
function* couples(): Generator<readonly [City, City]> {
  for (const one of cities) for (const other of cities) if (one !== other) yield [one, other];
}

describe("districts of several cities", () => {
  it("are those of the adjacent cities", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [one, other] of couples()) {
      for (const [i, template] of [...PAIRS, ...ENGLISH].entries()) {
        const english = i >= PAIRS.length;
        for (const joint of JOINTS) {
          const subject = english ? "bakeries" : "padarias";
          const parts = [
            sentenceOf(template, "Centro", one),
            sentenceOf(template, title(ownOf(other)), other),
          ];
          const text = `${subject} ${parts.join(joint[english ? 1 : 0])}`;
          const expected = [row(one, "centro"), row(other, ownOf(other))].sort();
          const { rows, cities: places, uncertain } = outcome(text);
          tried++;
          const both = [one.ibge, other.ibge].sort();
          const right = rows.join() === expected.join() && places.join() === both.join();
          if (!right || uncertain) wrong.push(text);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 500, String(tried));
  });

  it("are found in telegraphic sentences", () => {
    const templates = [
      "padarias, @, #",
      "@, #, padarias",
      "padarias da @, #",
      "com e-mail, @, #, padarias",
    ];
    const wrong = cities.flatMap((city) =>
      templates.flatMap((template) => {
        const text = sentenceOf(template, title(ownOf(city)), city);
        const { rows, uncertain, left } = outcome(text);
        const right = rows.join() === row(city, ownOf(city)) && !uncertain && left.length === 0;
        return right ? [] : [`${text}: ${rows.join()} ${left.join()}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it("run if the word for a district precedes each of them", () => {
    for (const [one, other] of couples()) {
      const own = sentenceOf("no bairro @ de #", title(ownOf(other)), other);
      const text = `padarias no bairro Centro de ${one.name} e ${own}`;
      const { rows, uncertain, left } = outcome(text);
      assert.deepEqual(rows, [row(one, "centro"), row(other, ownOf(other))].sort(), text);
      assert.ok(!uncertain && left.length === 0, text);
    }
  });

  it("do not run in a city without such a district", () => {
    for (const [one, other] of couples()) {
      for (const name of [title(ownOf(one)), "Xurupita"]) {
        for (const template of [
          "nos bairros Centro de # e @ de *",
          "no Centro de # e no bairro @ de *",
        ]) {
          const text = `padarias ${sentenceOf(template, name, one).replace("*", () => other.name)}`;
          const { rows, uncertain, left } = outcome(text);
          assert.ok(uncertain && left.includes("district"), text);
          assert.ok(!rows.some((each) => each.startsWith(other.ibge)), text);
        }
      }
    }
  });

  it("do not run next to a whole city", () => {
    for (const [one, other] of couples()) {
      for (const text of [
        `padarias em ${one.name} e no bairro Centro de ${other.name}`,
        `padarias em ${one.name} e bairro Centro de ${other.name}`,
        `padarias em ${one.name} ou no bairro Centro de ${other.name}`,
        `padarias no bairro Centro de ${one.name} e em ${other.name}`,
        `padarias em Sorocaba, ${one.name} e bairro Centro de ${other.name}`,
        `bakeries in ${one.name} and in the Centro district of ${other.name}`,
      ]) {
        const { rows, uncertain, left } = outcome(text);
        assert.ok(uncertain && left.includes("district"), text);
        assert.deepEqual(rows, [], text);
      }
    }
  });

  it("of one name are those of all cities in a list, which is reported", () => {
    for (const [one, other] of couples()) {
      for (const text of [
        `padarias nos bairros Centro de ${one.name} e de ${other.name}`,
        `padarias em ${one.name} e ${other.name}, bairro Centro`,
        `padarias no bairro Centro de ${one.name} e ${other.name}`,
      ]) {
        const { rows, assumed } = outcome(text);
        assert.deepEqual(rows, [row(one, "centro"), row(other, "centro")].sort(), text);
        assert.ok(assumed.includes("district"), text);
      }
    }
  });

  it("do not run if a list of cities is between two districts", () => {
    const text = "padarias no bairro Centro de Campinas e Santos, bairro Centro";
    const { rows, uncertain } = outcome(text);
    assert.ok(uncertain && rows.length === 0);
  });
});

/** Districts of at least two cities of the sample. Towns in other states have these names. */
const TOWNS = ["Liberdade", "Bela Vista", "Bom Retiro", "Pinheiros", "Maracanã", "Boa Vista"];

describe("a town's name before a city that has such a district", () => {
  const spelled = (name: string) => name.normalize("NFD").replace(/\p{M}/gu, "");
  /** Returns the cities that have such a district, if no town in the same state has the name. */
  const homesOf = (name: string) => {
    const towns = gazetteerOf(probe.segment).places.named(name)?.cities ?? [];
    return cities.filter(
      ({ ibge, uf }) =>
        names.get(ibge)?.includes(spelled(name).toUpperCase()) &&
        !towns.some((one) => one.uf === uf),
    );
  };

  it("is that district, which is reported", () => {
    let tried = 0;
    for (const name of TOWNS) {
      for (const city of homesOf(name)) {
        for (const text of [
          `padarias em ${name}, ${city.name}`,
          `padarias em ${name} de ${city.name}`,
          `bakeries in ${name}, ${city.name}`,
        ]) {
          const { rows, cities: places, assumed, uncertain } = outcome(text);
          assert.deepEqual(rows, [row(city, spelled(name))], text);
          assert.deepEqual(places, [city.ibge], text);
          assert.ok(assumed.includes("district") && !uncertain, text);
          tried++;
        }
      }
    }
    assert.ok(tried > 20, String(tried));
  });

  it("is that district in a list before the city", () => {
    let tried = 0;
    for (const one of TOWNS) {
      for (const other of TOWNS) {
        for (const city of homesOf(one).filter((each) => homesOf(other).includes(each))) {
          if (one === other) continue;
          for (const text of [
            `restaurantes em ${one} e ${other}, ${city.name}`,
            `restaurantes em ${one} ou ${other}, ${city.name}`,
            `restaurantes em ${one}, ${other}, ${city.name}`,
            `restaurantes em ${one} e em ${other}, ${city.name}`,
            `restaurants in ${one} and ${other}, ${city.name}`,
          ]) {
            const { rows, cities: places } = outcome(text);
            assert.deepEqual(
              rows,
              [row(city, spelled(one)), row(city, spelled(other))].sort(),
              text,
            );
            assert.deepEqual(places, [city.ibge], text);
            tried++;
          }
        }
      }
    }
    assert.ok(tried > 30, String(tried));
  });

  it("is that district in a list of pairs", () => {
    const text = "restaurantes em Liberdade, São Paulo e Boa Vista, Curitiba";
    const { rows } = outcome(text);
    assert.deepEqual(rows, ["3550308 liberdade", "4106902 boa vista"]);
  });

  it("is a town in a list of towns, which is reported if the next one has such a district", () => {
    for (const [text, count, isMentioned] of [
      ["padarias em Santos, Campinas e Sorocaba", 3, false],
      ["padarias em Recife, Salvador, Fortaleza", 3, false],
      ["padarias em Santos, Campinas", 2, false],
      ["padarias em Boa Vista, Campinas", 2, true],
      ["padarias em Boa Vista, Curitiba e Santos", 3, true],
    ] as const) {
      const { cities: places, rows, assumed } = outcome(text);
      assert.equal(places.length, count, text);
      assert.deepEqual(rows, [], text);
      assert.equal(assumed.includes("two_towns"), isMentioned, text);
    }
  });
});
