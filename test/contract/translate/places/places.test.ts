/**
 * Proves how places are read, with a table of constructs and their results. Every municipality of
 * the registry is found by its name with and without its state, compared with a slow look-up that
 * shares no code with the product. Accents and case do not matter, lists that are too long are
 * reported, and the work is proportional to the text. Does not prove that a name is recognized next
 * to any words, which the benchmark of sentences measures.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { STATE_NAMES } from "../../../../src/spec/states.ts";
import { Notes } from "../../../../src/translate/notes.ts";
import { MentionedDistricts } from "../../../../src/translate/places/districts/districtmentions.ts";
import { DistrictNames } from "../../../../src/translate/places/districts/districtnames.ts";
import { findDistricts } from "../../../../src/translate/places/districts/districts.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import { geoOf } from "../../../../src/translate/places/geo.ts";
import type { City } from "../../../../src/translate/places/placenames.ts";
import { findPlaces } from "../../../../src/translate/places/places.ts";
import { CAPITALS, CITY_SHORT_NAMES } from "../../../../src/translate/places/states.ts";
import { findUnknownPlaces } from "../../../../src/translate/places/unknownplaces.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { Sentence, type TokenRole } from "../../../../src/translate/words/sentence.ts";
import { decodeSnapshot } from "../../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { PLACE_TABLES, type PlaceRow } from "../../../support/translate/place-table.ts";
import type { TwinRow } from "../../../support/twin.ts";

/** Codes of the notes that concern places. */
const ABOUT_PLACES = new Set(
  (
    "place part_of_place excluded_part country neighbourhood which_capital " +
    "contradictory_places city_not_state state_not_city city_of_several_states " +
    "states_as_municipalities state_of_cities region_as_municipalities region_of_several " +
    "region_of_cities"
  ).split(" "),
);

describe("places", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  const label = new Map<string, string>();
  before(async () => {
    sample = await makeSampleSnapshot(3_000, 5);
    segment = await openSegment(sample.snapshot);
    for (const { ibge, name, uf } of segment.catalog.municipalities) {
      if (ibge !== null) label.set(ibge, `${name}/${uf}`);
    }
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  interface Geo {
    readonly uf_any_of: readonly string[];
    readonly municipality_ibge_any_of: readonly string[];
    readonly municipality_tom_any_of?: readonly string[];
  }
  const sureness = (text: string) => translate(text, segment).spec.explain.confidence;
  const geoOfText = (text: string) =>
    (translate(text, segment).spec.filters as { readonly geo: Geo }).geo;

  function check([text, expected]: PlaceRow): void {
    const { explain } = translate(text, segment).spec;
    const geo = geoOfText(text);
    const codes = geo.municipality_ibge_any_of;
    const about = (notes: readonly { readonly code: string; readonly words?: string }[]) =>
      notes.filter(({ code }) => ABOUT_PLACES.has(code));
    const contradictory = about(explain.unmapped_constraints).some(({ code }) =>
      code.startsWith("contra"),
    );
    const left = about(explain.unmapped_constraints).map(({ words }) => words);
    if (expected.count === undefined) {
      const cities = codes.map((code) => label.get(code)).sort();
      assert.equal([...geo.uf_any_of].sort().join(" "), expected.ufs ?? "", `${text}: states`);
      assert.equal(cities.join(" "), expected.cities ?? "", `${text}: cities`);
    } else {
      assert.deepEqual([geo.uf_any_of.length, codes.length], [0, expected.count], text);
    }
    if (!contradictory) assert.deepEqual(left, expected.left ?? [], `${text}: left`);
    if (expected.assumed !== undefined) {
      assert.deepEqual(
        about(explain.assumptions).map(({ code }) => code),
        expected.assumed,
        text,
      );
    }
    assert.equal(explain.confidence === 0, expected.unknown ?? false, `${text}: unknown`);
  }

  for (const [name, rows] of Object.entries(PLACE_TABLES)) {
    it(`reads every row of the table ${name}`, () => {
      for (const row of rows)
        if (row[0].startsWith("empresas")) checkStates(row);
        else check(row);
    });
  }

  for (const text of ["perto de mim", "aqui perto", "por perto", "próximas a mim", "near me"]) {
    it(`does not run without a place: ${text}`, () => {
      assert.equal(sureness(`padarias ${text}`), 0);
      assert.ok(sureness(`padarias ${text} em Campinas`) > 0.9);
      assert.ok(sureness(`padarias ${text} com DDD 19`) > 0.9);
    });
  }

  it("is uncertain about a small town of another state after a large city", () => {
    assert.equal(sureness("padarias em Brasília, Pindoba"), 0);
    assert.ok(sureness("padarias em Brasília e Pindoba") > 0.9);
    assert.ok(sureness("padarias em Brasília, Goiânia") > 0.9);
  });

  /** Checks only the states, because a row without an activity has no confidence to check. */
  function checkStates([text, { ufs }]: PlaceRow): void {
    assert.equal(geoOfText(text).uf_any_of.join(" "), ufs, text);
  }

  /** Returns a name without accents, hyphens, and short words, which people often leave out. */
  const plain = (name: string) =>
    name
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .replace(/\b(de|da|do|das|dos|d)\b/g, " ")
      .replace(/[^a-z]+/g, " ")
      .trim();

  it("finds every municipality by name and state, and by name as namesakes are chosen", () => {
    const accounts = accountsOf(decodeSnapshot(sample.snapshot).rows);
    const all = segment.catalog.municipalities.filter((m) => m.ibge !== null && m.uf !== "EX");
    const byName = new Map<string, typeof all>();
    for (const one of all)
      byName.set(plain(one.name), [...(byName.get(plain(one.name)) ?? []), one]);
    const stateNames = new Set(Object.values(STATE_NAMES).map(plain));
    let homonyms = 0;
    for (const { ibge, name, uf } of all) {
      const known = geoOfText(`padarias em ${name}/${uf}`);
      assert.deepEqual([known.uf_any_of, known.municipality_ibge_any_of], [[], [ibge]], name);
      const namesakes = byName.get(plain(name)) ?? [];
      if (namesakes.length > 1) homonyms++;
      const short = Object.entries(CITY_SHORT_NAMES).find(
        ([shortName]) => plain(shortName) === plain(name),
      );
      const others = short?.[1].split(" ") ?? [];
      const codes = [...namesakes.map((one) => one.ibge as string), ...others];
      const capital = codes.find((code) => Object.values(CAPITALS).includes(code));
      const total = codes.reduce((sum, code) => sum + (accounts.get(code) ?? 0), 0);
      const big = codes.find((code) => {
        const own = accounts.get(code) ?? 0;
        return own > 0 && own >= 10 * (total - own);
      });
      const found = geoOfText(`padarias em ${name}`);
      if (stateNames.has(plain(name)) && capital === undefined) {
        assert.equal(found.municipality_ibge_any_of.length, 0, name);
        assert.equal(found.uf_any_of.length, 1, name);
        continue;
      }
      const one = capital ?? big;
      const meant = one === undefined ? codes : [one];
      assert.deepEqual([...found.municipality_ibge_any_of].sort(), [...meant].sort(), name);
    }
    assert.ok(all.length > 5_500 && homonyms > 400, `${all.length}, ${homonyms}`);
  });

  /** Returns the number of accounts of each municipality, counted row by row. */
  function accountsOf(rows: readonly TwinRow[]): Map<string, number> {
    const seen = new Map<string, number>();
    for (const { municipality_ibge: ibge } of rows) {
      if (typeof ibge === "string") seen.set(ibge, (seen.get(ibge) ?? 0) + 1);
    }
    assert.ok(seen.size > 100);
    return seen;
  }

  it("reads names alike without accents and in any case", () => {
    const every = segment.catalog.municipalities.filter((m) => m.ibge !== null && m.uf !== "EX");
    const bare = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "");
    for (const [i, { name, uf }] of every.entries()) {
      if (i % 7 !== 0 || ["Poá", "Parati"].includes(name)) continue;
      const text = `padarias em ${name}/${uf}`;
      const expected = geoOfText(text);
      for (const other of [bare(text), text.toLowerCase(), bare(text).toUpperCase()]) {
        assert.deepEqual(geoOfText(other), expected, other);
      }
    }
  });

  it("reports a list that is too long instead of silently widening the search", () => {
    const gazetteer = gazetteerOf(segment);
    const notes = new Notes("pt");
    const campinas = gazetteer.city("3509502") as City;
    const found = {
      states: new Set(["SP"]),
      cities: new Map<string, City>(),
      excludedStates: new Set<string>(),
      excludedCities: new Map([[campinas.ibge, campinas]]),
      words: { words: "SP exceto Campinas", start: 0, end: 18 },
      wide: [],
      sought: [],
      unsettled: 0,
      unknown: false,
    };
    assert.equal(geoOf(found, { gazetteer, notes }).municipality_ibge_any_of.length, 644);
    const geo = geoOf(found, { gazetteer, notes, listMax: 643 });
    assert.deepEqual(geo, { uf_any_of: ["SP"], municipality_ibge_any_of: [] });
    assert.deepEqual(
      notes.unmapped.map(({ code }) => code),
      ["too_many_municipalities"],
    );
    assert.deepEqual(
      notes.warnings.map(({ code }) => code),
      ["too_many_municipalities"],
    );
  });

  it("expands abroad next to cities by its TOM codes", () => {
    const geo = geoOfText("padarias em Campinas e no exterior");
    assert.deepEqual(geo.municipality_ibge_any_of, ["3509502"]);
    assert.deepEqual(geo.municipality_tom_any_of, gazetteerOf(segment).abroadTom);
  });

  it("does work in proportion to the text on places, prepositions and near names", () => {
    const pieces = [
      "em de do ",
      "São José do ",
      "SP ",
      "norte sul ",
      "capital do ",
      "e em ",
      "em X ",
    ];
    const others = ["Campinas e ", "exceto SP e ", "interior de ", "paulistas ", "São Paulo, "];
    for (const piece of [
      ...pieces,
      ...others,
      "rua Brasil ",
      "bairro Moema em São Paulo, ",
      "na Savassi, ",
      "Porto de Xyzw ",
      "sem Nárnia e ",
      ...REGION_PIECES,
    ]) {
      const [half, whole] = [1_000, 2_000].map((length) => {
        const sentence = new CountingSentence(piece.repeat(Math.floor(length / piece.length)));
        let looks = 0;
        const tradeEnd = (at: number) => {
          looks++;
          return at;
        };
        const gazetteer = gazetteerOf(segment);
        const districts = new MentionedDistricts(new DistrictNames(segment));
        const notes = new Notes("pt");
        const context = { sentence, gazetteer, districts, tradeEnd, notes, accounts: 3_000 };
        findDistricts(context);
        const found = findPlaces(context);
        for (const pass of ["long", "named", "left"] as const) {
          findUnknownPlaces(context, found, pass);
        }
        return (sentence.reads + looks) / sentence.tokens.length;
      }) as [number, number];
      assert.ok(whole < 400, `${piece}: ${whole} reads of words per word`);
      assert.ok(whole < half * 1.3 + 5, `${piece}: ${half} reads per word, then ${whole}`);
    }
  });
});

const REGION_PIECES = ["no Agreste, ", "Vale do Xyz ", "Zona da Mata e ", "Campinas e região "];

/** A sentence that counts how often its words are read. */
class CountingSentence extends Sentence {
  reads = 0;

  override folded(index: number): string {
    this.reads++;
    return super.folded(index);
  }

  override owner(index: number): TokenRole | null {
    this.reads++;
    return super.owner(index);
  }

  override free(index: number): boolean {
    this.reads++;
    return super.free(index);
  }
}
