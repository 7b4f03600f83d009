/**
 * Proves: a name after a city, with a colon, in brackets, or after a dash, is a district of that
 * city. If the city has no such district, the sentence does not run. The name is never read as a
 * town elsewhere. If several districts precede a city, all of them are used. If a note says that no
 * company has a district, this is true.
 * Does not prove how a name alone before a city is read (districts.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { districtsOf } from "../../../../src/search/districts.ts";
import { foldDistrict } from "../../../../src/spec/districtname.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

/** Cities with their codes. The last city has the name of a state. */
const CITIES = [
  ["Santos", "3548500"],
  ["Recife", "2611606"],
  ["Curitiba", "4106902"],
  ["Campinas", "3509502"],
  ["São Paulo", "3550308"],
] as const;
/** Lists of districts after a city. `#` is the city, `@` the names. */
const ENCLOSED = [
  "padarias em #: @",
  "padarias em # (@)",
  "padarias em # [@]",
  "bakeries in # (@)",
];
/** Names of districts. Many of them are also towns in several other states. */
const NAMES = [
  ...["Centro", "Maracanã", "Liberdade", "Pinheiros", "Boa Vista", "Santa Luzia", "Praia Grande"],
  ...["Santa Cruz", "Bela Vista", "Jardim Paulista", "Planalto", "Cidade Nova", "Vila Nova"],
  ...["Parque Industrial", "Boa Viagem", "Campo Grande", "Moema", "Gonzaga", "Xurupita"],
];
/** Ways to name two districts before their city. */
const BEFORE = [
  ...["padarias na @ e no % em #", "padarias na @ ou na % em #", "padarias na @, no % em #"],
  ...["bakeries in @ and in % in #", "padarias na @ e no %, #"],
  ...["padarias em #, na @ e no %", "panaderías en la @ y en el % en #"],
];

const has = (ibge: string, name: string) => {
  const found = districtsOf(probe.segment, { ibge, typed: "", limit: 10_000 }).districts;
  return found.some((one) => foldDistrict(one.name) === foldDistrict(name));
};
/** Returns true if the state of the city has a town of this name. */
const isTownNear = (name: string, ibge: string) =>
  gazetteerOf(probe.segment)
    .places.named(name)
    ?.cities.some((one) => one.ibge.slice(0, 2) === ibge.slice(0, 2)) === true;
const outcome = (text: string) => {
  const { filters, explain } = probe.spec(text);
  const left = explain.unmapped_constraints as unknown as { code: string; detail: string }[];
  return {
    runs: !isUncertain(explain.confidence),
    cities: filters.geo.municipality_ibge_any_of,
    named: (filters.geo.district_any_of ?? []).map((one) => `${one.municipality_ibge} ${one.name}`),
    left,
  };
};
/** Returns the districts that a note wrongly says no company has. */
const untrueOf = (left: readonly { readonly detail: string }[], ibge: string) => {
  const reported = left.map(({ detail }) => {
    return /(?:informa o bairro|names the district) (.*)\.$/.exec(detail)?.[1] ?? "";
  });
  return reported.filter((name) => name !== "" && has(ibge, name));
};

describe("names after a city that enclose its districts", () => {
  it("are districts of that city, or the sentence does not run", () => {
    const wrong: string[] = [];
    let ran = 0;
    for (const [city, ibge] of CITIES) {
      for (const [i, name] of NAMES.entries()) {
        const other = NAMES[(i + 1) % NAMES.length] as string;
        for (const template of ENCLOSED) {
          for (const list of [name, `${name}, ${other}`, `${name} e ${other}`]) {
            const text = template.replace("#", city).replace("@", list);
            const { runs, cities, named, left } = outcome(text);
            const requested = list === name ? [name] : [name, other];
            const expected = requested.map((one) => `${ibge} ${foldDistrict(one)}`).sort();
            const isWhole = cities.join() === ibge && expected.every((one) => named.includes(one));
            // "São Paulo" may mean the state, and the names after it its towns.
            const isState = city === "São Paulo" && cities.length > 1;
            ran += Number(runs);
            if (runs ? !(isWhole || isState) : untrueOf(left, ibge).length > 0) {
              wrong.push(`${text}: ${cities} ${named}`);
            }
            const isClear = requested.every((one) => has(ibge, one) && !isTownNear(one, ibge));
            if (isClear && !runs) {
              wrong.push(`${text}: not run`);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(ran > 200, String(ran));
  });

  for (const [text, code] of [
    ["padarias em Santos: Centro, Maracanã", "place"],
    ["padarias em Santos (Centro, Gonzaga)", "place"],
    ["padarias em Santos (Guarujá)", "place"],
    ["padarias em Santos (Xurupita)", "district"],
    ["padarias em Campinas, Santos (Centro)", "district"],
  ] as const) {
    it(`do not run if they are ambiguous: ${text}`, () => {
      const { runs, left } = outcome(text);
      assert.deepEqual([runs, left.map((one) => one.code)], [false, [code]]);
    });
  }

  for (const [text, cities] of [
    ["padarias em Santos (SP)", "3548500"],
    ["padarias em Santos (com telefone)", "3548500"],
    ["Santos: padarias, bares", "3548500"],
    ["padarias em Santos: Quero só MEI", "3548500"],
    ["padarias no estado de São Paulo: Campinas, Santos", "3509502,3548500"],
    ["padarias na Baixada Santista (Santos, Guarujá)", "3518701,3548500"],
    ["cidades: Santos, Campinas", "3509502,3548500"],
  ] as const) {
    it(`are no districts: ${text}`, () => {
      const { runs, cities: found, named } = outcome(text);
      assert.deepEqual([runs, found.join(), named], [true, cities, []]);
    });
  }

  it("name districts of two cities each with their own", () => {
    const { named } = outcome("padarias em Santos: Centro; Campinas: Vila Nova");
    assert.deepEqual(named.sort(), ["3509502 vila nova", "3548500 centro"]);
  });
});

describe("several districts before their city", () => {
  it("are all used if the city has them, and notes on the others are true", () => {
    const wrong: string[] = [];
    let whole = 0;
    for (const [city, ibge] of CITIES.slice(0, 4)) {
      for (const name of ["Vila Nova", "Jardim Primavera", "Bela Vista", "Morada do Sol"]) {
        for (const other of ["Parque Industrial", "Jardim Europa", "Setor Central"]) {
          for (const template of BEFORE) {
            const text = template.replace("#", city).replace("@", name).replace("%", other);
            const { runs, named, left } = outcome(text);
            const untrue = untrueOf(left, ibge);
            const isWhole = named.length === 2 && named.every((one) => one.startsWith(ibge));
            whole += Number(runs && isWhole);
            if (untrue.length > 0) wrong.push(`${text}: untrue of ${untrue}`);
            if (runs && !isWhole && left.length === 0) wrong.push(`${text}: ${named}`);
            if (has(ibge, name) && has(ibge, other) && !(runs && isWhole)) {
              wrong.push(`${text}: not run`);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(whole > 20, String(whole));
  });
});
