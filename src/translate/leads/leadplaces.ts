/**
 * Reads the places of a lead query. Input: names and codes of cities, states, and regions, as sent.
 * Output: cities and states by code.
 * Invariant: names are compared without accents, case, and words such as "de". An unknown name is
 * an error with the nearest names, never a guess or a wider search.
 */

import { lazyByKey } from "../../scheduling/lazy.ts";
import type { Segment } from "../../search/segment.ts";
import { analyzeWords } from "../../spec/analyzer.ts";
import { catalogLookup } from "../../spec/catalog.ts";
import { UFS } from "../../spec/fields.ts";
import { shown } from "../../spec/reader.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import type { Notes } from "../notes.ts";
import { type Gazetteer, gazetteerOf, namesakesMeant } from "../places/gazetteer.ts";
import { type City, placeWords } from "../places/placenames.ts";
import { SpellIndex } from "../spelling/spelling.ts";
import { type LeadReader, type LeadText, REGION_WORDS, suggestion } from "./leadreader.ts";

/** Maximum number of words in the name of a state. "Rio Grande do Norte" has four. */
const STATE_WORDS_MAX = 4;
const SUGGESTED_MAX = 3;

/** Places of a lead query: cities by IBGE code, TOM codes of other places, and states. */
export interface LeadPlaces {
  readonly cities: ReadonlyMap<string, City>;
  readonly toms: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
}

interface PlaceInput {
  readonly cities: unknown;
  readonly states: unknown;
  readonly regions: unknown;
}

/** Reads the places of a lead query. Reports errors to `reader`. */
export function readPlaces(
  input: PlaceInput,
  pointer: string,
  reader: LeadReader,
  { segment, notes }: { readonly segment: Segment; readonly notes: Notes },
): LeadPlaces {
  const found = new PlaceReader(reader, segment, notes);
  found.readStates(input.states, `${pointer}/states`);
  found.readRegions(input.regions, `${pointer}/regions`);
  found.readCities(input.cities, `${pointer}/cities`);
  found.dropLocating();
  return found;
}

class PlaceReader implements LeadPlaces {
  readonly cities = new Map<string, City>();
  readonly toms = new Set<string>();
  readonly states = new Set<string>();
  readonly #reader: LeadReader;
  readonly #segment: Segment;
  readonly #gazetteer: Gazetteer;
  readonly #notes: Notes;

  constructor(reader: LeadReader, segment: Segment, notes: Notes) {
    this.#reader = reader;
    this.#segment = segment;
    this.#gazetteer = gazetteerOf(segment);
    this.#notes = notes;
  }

  readStates(value: unknown, pointer: string): void {
    this.#reader.eachText(value, pointer, ({ text, place }) => {
      const uf = stateOf(text);
      if (uf !== undefined) this.states.add(uf);
      else this.#unknown(place, "unknown_state", text, () => nearest(stateSpellings, text));
    });
  }

  readRegions(value: unknown, pointer: string): void {
    this.#reader.eachText(value, pointer, ({ text, place }) => {
      const states = REGION_WORDS.get(analyzeWords(text).join(" "));
      if (states !== undefined) for (const uf of states.split(" ")) this.states.add(uf);
      else this.#unknown(place, "unknown_region", text, () => REGIONS);
    });
  }

  readCities(value: unknown, pointer: string): void {
    const read = ({ text, place }: LeadText) =>
      /^\d+$/.test(text) ? this.#readCode(text, place) : this.#readCity(text, place);
    this.#reader.eachText(value, pointer, read, true);
  }

  /** Drops each state that contains a city of the query, because it only locates the city. */
  dropLocating(): void {
    const located = new Map<string, City>();
    for (const city of this.cities.values()) {
      if (this.states.has(city.uf)) located.set(city.uf, city);
    }
    for (const [uf, { name }] of located) {
      this.states.delete(uf);
      this.#notes.assume("city_in_state", {
        pt: `${uf} só diz em que estado fica ${name}; o resto do estado não é buscado.`,
        en: `${uf} only says where ${name} is; the rest of the state is not searched.`,
      });
    }
  }

  #readCode(text: string, place: string): void {
    const lookup = catalogLookup(this.#segment.catalog);
    const found =
      text.length > 4
        ? lookup.municipalityByIbge(text)
        : lookup.municipalityByTom(text.padStart(4, "0"));
    const city = found?.ibge ? this.#gazetteer.city(found.ibge) : undefined;
    if (city !== undefined) this.cities.set(city.ibge, city);
    else if (found !== undefined) this.toms.add(found.tom);
    else {
      const detail = () => `No municipality has the IBGE or TOM code ${shown(text)}.`;
      this.#reader.mistake(place, "unknown_city", detail);
    }
  }

  #readCity(text: string, place: string): void {
    const whole = namesakes(this.#gazetteer, text);
    if (whole.length > 0) {
      for (const city of this.#meant(text, whole)) this.cities.set(city.ibge, city);
      return;
    }
    const split = splitState(text);
    const inState = split === null ? [] : namesakes(this.#gazetteer, split.name);
    const matches = inState.filter(({ uf }) => uf === split?.uf);
    for (const city of matches) this.cities.set(city.ibge, city);
    if (matches.length > 0) return;
    this.#unknown(place, "unknown_city", text, () =>
      inState.length > 0
        ? inState.map(nameOf)
        : this.#nearestCities(split?.name ?? text, split?.uf),
    );
  }

  /**
   * Returns the cities with this name that are in the query's states. If there are none, returns
   * those that `namesakesMeant` picks.
   */
  #meant(text: string, all: readonly City[]): readonly City[] {
    const inStates = all.filter(({ uf }) => this.states.has(uf));
    const chosen = inStates.length > 0 ? inStates : namesakesMeant(all);
    if (all.length > 1) {
      const list = chosen.map(nameOf).join(", ");
      this.#notes.assume("city_of_several_states", {
        pt: `Há ${all.length} municípios com o nome ${shown(text)}; foi usado ${list}.`,
        en: `${all.length} municipalities are called ${shown(text)}; used: ${list}.`,
      });
    }
    return chosen;
  }

  /** Returns cities with similar names. Those in the given state come first. */
  #nearestCities(name: string, uf: string | undefined): string[] {
    const { spelling, byName } = cityIndexOf(this.#gazetteer);
    const near = spelling.nearest(placeWords(name).join(" "), { countMax: SUGGESTED_MAX });
    const cities = near.flatMap(({ word }) => byName.get(word) ?? []);
    const inState = cities.filter((city) => city.uf === uf);
    return (inState.length > 0 ? inState : cities).slice(0, SUGGESTED_MAX).map(nameOf);
  }

  #unknown(place: string, code: string, text: string, near: () => readonly string[]): void {
    this.#reader.unknown(place, code, () => {
      const state = code === "unknown_city" ? stateOf(text) : undefined;
      if (state !== undefined) return `${shown(text)} is a state: name it in states.`;
      const kind = { unknown_city: "municipality", unknown_state: "state" }[code] ?? "region";
      return `There is no ${kind} ${shown(text)}; ${suggestion(near(), FIXES[code] ?? "")}`;
    });
  }
}

const FIXES: Readonly<Record<string, string>> = {
  unknown_city: "write the name as the registry has it, with its state: Bom Jesus/PI.",
  unknown_state: "write two letters or the name of one of the 27 states, or EX.",
};
const REGIONS = ["Norte", "Nordeste", "Centro-Oeste", "Sudeste", "Sul"];

/** Returns the name of a city with its state: "Santos/SP". */
export const nameOf = ({ name, uf }: City): string => `${name}/${uf}`;

/** Returns all cities that a text names, with or without a state; empty if there are none. */
export function citiesCalled(gazetteer: Gazetteer, text: string): readonly City[] {
  const whole = namesakes(gazetteer, text);
  const split = whole.length > 0 ? null : splitState(text);
  if (split === null) return whole;
  return namesakes(gazetteer, split.name).filter(({ uf }) => uf === split.uf);
}

function namesakes(gazetteer: Gazetteer, name: string): readonly City[] {
  const place = gazetteer.places.named(name);
  if (place === undefined) return [];
  return place.cities.length > 0 ? place.cities : place.nicknamed;
}

const STATE_BY_WORDS = new Map(
  Object.entries(STATE_NAMES).map(([uf, name]) => [placeWords(name).join(" "), uf]),
);

/** Returns the abbreviation of the state that a text names or abbreviates, or undefined. */
function stateOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return UFS.includes(code) ? code : STATE_BY_WORDS.get(placeWords(text).join(" "));
}

/**
 * Correct spellings of names and their meanings. Built only when an error first needs suggestions.
 */
interface Spellings {
  readonly index: SpellIndex;
  readonly meaning: ReadonlyMap<string, string>;
}

let known: Spellings | null = null;

/** Returns the correct spellings of the states. Built when a state is first misspelled. */
function stateSpellings(): Spellings {
  if (known === null) {
    const names = [...STATE_BY_WORDS].map(([words, uf]) => [words, STATE_NAMES[uf] ?? uf] as const);
    const meaning = new Map(names);
    known = { index: new SpellIndex(meaning.keys()), meaning };
  }
  return known;
}

function nearest(spellings: () => Spellings, text: string): string[] {
  const { index, meaning } = spellings();
  const near = index.nearest(placeWords(text).join(" "), { countMax: SUGGESTED_MAX });
  return near.map(({ word }) => meaning.get(word) ?? word);
}

/**
 * Splits a text such as "Bom Jesus/PI", "Bom Jesus - PI", or "Bom Jesus (Piauí)" into the city's
 * name and its state. Returns null if it does not end with a state.
 */
function splitState(text: string): { readonly name: string; readonly uf: string } | null {
  const words = text.split(/[\s/,()–-]+/u).filter((word) => word !== "");
  for (let count = Math.min(STATE_WORDS_MAX, words.length - 1); count >= 1; count--) {
    const uf = stateOf(words.slice(-count).join(" "));
    if (uf !== undefined) return { name: words.slice(0, -count).join(" "), uf };
  }
  return null;
}

interface CityIndex {
  readonly spelling: SpellIndex;
  readonly byName: ReadonlyMap<string, readonly City[]>;
}

/** Returns the index of city names. Built on first use. */
export const cityIndexOf = lazyByKey((gazetteer: Gazetteer): CityIndex => {
  const byName = new Map<string, City[]>();
  const cities = UFS.flatMap((uf) => gazetteer.citiesOf(uf));
  for (const city of cities) {
    const words = placeWords(city.name).join(" ");
    byName.set(words, [...(byName.get(words) ?? []), city]);
  }
  return { spelling: new SpellIndex(byName.keys()), byName };
});
