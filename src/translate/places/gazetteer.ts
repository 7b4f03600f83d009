/**
 * Lists every place that a sentence can name.
 * Input: a segment. Output: names with states and municipalities, and the number of accounts by
 * municipality.
 * Invariant: built once per segment from the snapshot's municipalities. A name maps to all
 * municipalities with that name.
 */

import { lazyByKey } from "../../scheduling/lazy.ts";
import type { Segment } from "../../search/segment.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import { type City, type Named, PlaceNames } from "./placenames.ts";
import { regionNames } from "./regiontable.ts";
import { Divisions, Seats, SnapshotCities } from "./snapshotcities.ts";
import * as called from "./states.ts";
import { AREAS, COUNTRIES, HERE } from "./states.ts";

/** The places of a segment. */
export interface Gazetteer {
  readonly places: PlaceNames;
  /** Statistical regions; null if the snapshot has none. */
  readonly divisions: Divisions | null;
  readonly seats: Seats;
  /** TOM codes of places abroad, which have no IBGE code. */
  readonly abroadTom: readonly string[];
  /** States with municipalities in the segment. */
  readonly states: readonly string[];
  /** Returns a municipality by its IBGE code. */
  city(ibge: string): City | undefined;
  /** Returns all municipalities of a state, by IBGE code. */
  citiesOf(uf: string): readonly City[];
  capitalOf(uf: string): City | undefined;
}

/** Minimum ratio of the accounts of a municipality to those of all its namesakes together. */
const OUTWEIGHS = 10;

/** Returns the gazetteer of a segment, which is made on first use. */
export const gazetteerOf = lazyByKey(makeGazetteer);

/** Builds the tables that make lookups of places faster. */
export function speedUpPlaces({ places, states, capitalOf }: Gazetteer): void {
  // Counts the accounts of all cities, which the first access to the accounts of one city does.
  void capitalOf(states[0] ?? "")?.accounts;
  places.speedUp();
}

/**
 * Returns the municipalities that a name without a state means. A capital comes first, then a
 * municipality with ten times as many accounts as all others together. If there is neither, returns
 * all.
 */
export function namesakesMeant(cities: readonly City[]): readonly City[] {
  if (cities.length < 2) return cities;
  const capital = cities.find((city) => city.capital);
  if (capital !== undefined) return [capital];
  const all = cities.reduce((sum, { accounts }) => sum + accounts, 0);
  const largest = cities.find((city) => {
    const others = all - city.accounts;
    return city.accounts > 0 && city.accounts >= OUTWEIGHS * others;
  });
  return largest === undefined ? cities : [largest];
}

function makeGazetteer(segment: Segment): Gazetteer {
  const cities = new SnapshotCities(segment);
  const city = (ibge: string) => cities.city(ibge);
  const { places: given } = segment;
  return {
    divisions: given === undefined ? null : new Divisions(given, city),
    seats: new Seats(given),
    places: namesOf(cities),
    abroadTom: cities.abroadTom,
    get states() {
      return cities.states();
    },
    city,
    citiesOf: (uf) => cities.of(uf),
    capitalOf: (uf) => cities.capitalOf(uf),
  };
}

/**
 * Returns the names. Each is processed only when it is first looked up, so that this call is cheap.
 */
function namesOf(cities: SnapshotCities): PlaceNames {
  const all: Named[] = [];
  for (const row of cities.rows()) {
    all.push(row);
    const found = OTHERWISE.exec(row.name);
    if (found === null) continue;
    for (const name of otherSpellings(row.name, found[1])) all.push({ name, ibge: row.ibge });
  }
  all.push(...otherPlaces(cities));
  const names = new PlaceNames((ibge) => ({ cities: existing(cities.city(ibge)) }));
  names.take(all);
  return names;
}

function existing(city: City | undefined): readonly City[] {
  return city === undefined ? [] : [city];
}

/** Yields names other than the official names of cities, possibly repeated, with meanings. */
function* otherPlaces(cities: SnapshotCities): Generator<Named> {
  const citiesOf = (...codes: readonly string[]) =>
    codes.flatMap((ibge) => cities.city(ibge) ?? []);
  for (const [name, ibge] of Object.entries(called.CITY_NICKNAMES)) {
    yield { name, place: () => ({ nicknamed: citiesOf(ibge) }) };
  }
  for (const [name, codes] of Object.entries(called.CITY_SHORT_NAMES)) {
    yield { name, place: () => ({ cities: citiesOf(...codes.split(" ")) }) };
  }
  for (const [uf, name] of Object.entries(STATE_NAMES)) yield stateOf(name, uf);
  for (const [name, uf] of Object.entries(called.STATE_NICKNAMES)) yield stateOf(name, uf);
  for (const [name, states] of Object.entries(called.REGIONS)) {
    yield { name, place: () => ({ states: states.split(" "), region: true }) };
  }
  for (const [word, states] of Object.entries(called.DEMONYMS)) {
    for (const name of formsOf(word)) {
      yield { name, place: () => ({ demonymStates: states.split(" ") }) };
    }
  }
  for (const [word, ibge] of Object.entries(called.CITY_DEMONYMS)) {
    for (const name of formsOf(word))
      yield { name, place: () => ({ demonymCities: citiesOf(ibge) }) };
  }
  for (const { name, region, usual } of regionNames()) {
    yield { name, place: () => ({ regions: [{ region, usual }] }) };
  }
  for (const [name, states] of Object.entries(AREAS)) {
    yield { name, place: () => ({ area: states.split(" ") }) };
  }
  for (const name of COUNTRIES) yield { name, place: () => ({ abroad: true }) };
  for (const name of HERE) yield { name, place: () => ({ here: true }) };
}

function stateOf(name: string, uf: string): Named {
  return { name, place: () => ({ states: [uf] }) };
}

/**
 * Returns other spellings of a name: with its title abbreviated, and with `d'Oeste` as one word.
 */
function otherSpellings(name: string, title = ""): string[] {
  const others = (SHORT_TITLES.get(title) ?? []).map((short) => short + name.slice(title.length));
  if (!APOSTROPHE.test(name)) return others;
  const joined = name.replace(/\b[dD]['’](\p{L})/gu, (_, letter: string) => `d${letter}`);
  return joined === name ? others : [...others, joined];
}

/** Titles at the beginning of names, and their abbreviations. */
const SHORT_TITLES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Santa", ["Sta"]],
  ["Santo", ["Sto"]],
  ["São", ["S"]],
  ["Presidente", ["Pres"]],
  ["Governador", ["Gov"]],
  ["Coronel", ["Cel"]],
  ["Senador", ["Sen"]],
  ["Doutor", ["Dr"]],
  ["Engenheiro", ["Eng"]],
  ["Marechal", ["Mal"]],
  ["Nossa Senhora", ["N Sra", "N S"]],
  ["Professor", ["Prof"]],
  ["Conselheiro", ["Cons"]],
  ["Desembargador", ["Des"]],
]);

const APOSTROPHE = /['’]/;
/** Matches a name that has another spelling, because of a title or an apostrophe. */
const OTHERWISE = new RegExp(`^(${[...SHORT_TITLES.keys()].join("|")}) |${APOSTROPHE.source}`);

/** Returns the forms of an adjective by gender and number. */
function formsOf(name: string): string[] {
  const stem = name.slice(0, -1);
  if (name.endsWith("o")) return [name, `${stem}a`, `${name}s`, `${stem}as`];
  return [name, name.endsWith("r") ? `${name}es` : `${name}s`];
}
