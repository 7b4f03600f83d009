/**
 * Every place that a sentence can name. What comes in: a segment. What goes out: names with the
 * states and municipalities they stand for, and how many accounts each municipality has.
 * Invariant: made from the municipalities of the snapshot, once per segment; all municipalities of
 * a name are known, never just one of them.
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
  /** Regions of the statistics; null where the snapshot has none. */
  readonly divisions: Divisions | null;
  readonly seats: Seats;
  /** TOM codes of places abroad, which have no IBGE code. */
  readonly abroadTom: readonly string[];
  /** States that it has municipalities of. */
  readonly states: readonly string[];
  /** A municipality by its IBGE code. */
  city(ibge: string): City | undefined;
  /** All municipalities of a state, by IBGE code. */
  citiesOf(uf: string): readonly City[];
  /** The capital of a state. */
  capitalOf(uf: string): City | undefined;
}

/** A namesake with ten times the accounts of all others together is the one that is meant. */
const OUTWEIGHS = 10;

/** Returns the gazetteer of a segment, which is made on first use. */
export const gazetteerOf = lazyByKey(makeGazetteer);

/** Makes the tables that speed up lookups of places. */
export function speedUpPlaces({ places, states, capitalOf }: Gazetteer): void {
  // Reading the accounts of one city counts those of all.
  void capitalOf(states[0] ?? "")?.accounts;
  places.speedUp();
}

/**
 * Which namesakes a name without a state means: the capital, else the one with ten times the
 * accounts of all others together, else all of them.
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

/** Names that wait to be looked for: hardly anything is made of them here. */
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

/** Every name but those of cities with what it stands for; one may come several times. */
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

/** How a name is also written: its title shortened, `d'Oeste` as one word. */
function otherSpellings(name: string, title = ""): string[] {
  const others = (SHORT_TITLES.get(title) ?? []).map((short) => short + name.slice(title.length));
  if (!APOSTROPHE.test(name)) return others;
  const joined = name.replace(/\b[dD]['’](\p{L})/gu, (_, letter: string) => `d${letter}`);
  return joined === name ? others : [...others, joined];
}

/** Titles that names begin with, and how they are shortened. */
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
/** A name that has another spelling: its title, or an apostrophe. */
const OTHERWISE = new RegExp(`^(${[...SHORT_TITLES.keys()].join("|")}) |${APOSTROPHE.source}`);

/** Adjectives by gender and number. */
function formsOf(name: string): string[] {
  const stem = name.slice(0, -1);
  if (name.endsWith("o")) return [name, `${stem}a`, `${name}s`, `${stem}as`];
  return [name, name.endsWith("r") ? `${name}es` : `${name}s`];
}
