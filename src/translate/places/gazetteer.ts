/**
 * Every place that a sentence can name. What comes in: a segment. What goes out: names with the
 * states and municipalities they stand for, and how many accounts each municipality has.
 * Invariant: made from the municipalities of the snapshot, once per segment; all municipalities of
 * a name are known, never just one of them.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import { GradualByKey, inSteps, type Steps } from "../../steps.ts";
import { AREAS, COUNTRIES, HERE } from "./areas.ts";
import { Divisions } from "./divisions.ts";
import { type City, NO_PLACE, type Place, PlaceNames } from "./placenames.ts";
import { regionNames } from "./regiontable.ts";
import { Seats } from "./seats.ts";
import * as called from "./states.ts";

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

/** Municipalities that are taken in, and names that are added, in one step: about a millisecond. */
const STEP_CITIES = 512;
const STEP_NAMES = 64;

const gazetteers = new GradualByKey<Segment, Gazetteer>(makeGazetteer);

/** The gazetteer of a segment. */
export function gazetteerOf(segment: Segment): Gazetteer {
  return gazetteers.of(segment).now();
}

/** Makes the gazetteer of a segment, in steps; of a large one `countCities` before. */
export function gazetteerSteps(segment: Segment): Steps<Gazetteer> {
  return gazetteers.of(segment).steps();
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

function* makeGazetteer(segment: Segment): Steps<Gazetteer> {
  const cities = new Map<string, City>();
  const byState = new Map<string, City[]>();
  const accounts = accountsByIbge(segment);
  yield;
  yield* inSteps(segment.catalog.municipalities, STEP_CITIES, ({ ibge, uf, name }) => {
    if (ibge === null || uf === null || uf === "EX") return;
    const capital = called.CAPITALS[uf] === ibge;
    const city = { ibge, uf, name, accounts: accounts.get(ibge) ?? 0, capital };
    cities.set(ibge, city);
    const neighbours = byState.get(uf);
    if (neighbours === undefined) byState.set(uf, [city]);
    else neighbours.push(city);
  });
  const abroad = segment.catalog.municipalities.filter(({ uf }) => uf === "EX");
  const city = (ibge: string) => cities.get(ibge);
  const { places: given } = segment;
  return {
    divisions: given === undefined ? null : new Divisions(given, city),
    seats: new Seats(given),
    places: yield* namesOf(cities),
    abroadTom: abroad.map(({ tom }) => tom),
    states: [...byState.keys()],
    city,
    citiesOf: (uf) => byState.get(uf) ?? [],
    capitalOf: (uf) => cities.get(called.CAPITALS[uf] ?? ""),
  };
}

function* namesOf(cities: ReadonlyMap<string, City>): Steps<PlaceNames> {
  const names = new PlaceNames();
  yield* inSteps(placesOf(cities), STEP_NAMES, ([name, place]) => {
    names.add(name, { ...NO_PLACE, ...place });
  });
  return names;
}

/** Every name with what it stands for; one may come several times. */
function* placesOf(cities: ReadonlyMap<string, City>): Generator<[string, Partial<Place>]> {
  for (const city of cities.values()) {
    for (const name of spellings(city.name)) yield [name, { cities: [city] }];
  }
  for (const [name, ibge] of Object.entries(called.CITY_NICKNAMES)) {
    const city = cities.get(ibge);
    if (city !== undefined) yield [name, { nicknamed: [city] }];
  }
  for (const [name, codes] of Object.entries(called.CITY_SHORT_NAMES)) {
    yield [name, { cities: codes.split(" ").flatMap((ibge) => cities.get(ibge) ?? []) }];
  }
  for (const [uf, name] of Object.entries(STATE_NAMES)) yield [name, { states: [uf] }];
  for (const [name, uf] of Object.entries(called.STATE_NICKNAMES)) yield [name, { states: [uf] }];
  for (const [name, states] of Object.entries(called.REGIONS)) {
    yield [name, { states: states.split(" "), region: true }];
  }
  for (const [name, states] of Object.entries(called.DEMONYMS)) {
    for (const form of formsOf(name)) yield [form, { demonymStates: states.split(" ") }];
  }
  for (const [name, ibge] of Object.entries(called.CITY_DEMONYMS)) {
    const city = cities.get(ibge);
    if (city === undefined) continue;
    for (const form of formsOf(name)) yield [form, { demonymCities: [city] }];
  }
  for (const { name, region, usual } of regionNames()) {
    yield [name, { regions: [{ region, usual }] }];
  }
  for (const [name, states] of Object.entries(AREAS)) yield [name, { area: states.split(" ") }];
  for (const name of COUNTRIES) yield [name, { abroad: true }];
  for (const name of HERE) yield [name, { here: true }];
}

/** A name, and how it is also written: titles shortened, `d'Oeste` as one word. */
function spellings(name: string): string[] {
  const all = [name];
  const first = name.slice(0, name.indexOf(" "));
  for (const [long, short] of TITLED.has(first) ? SHORTENED : []) {
    if (name.startsWith(`${long} `)) all.push(`${short} ${name.slice(long.length + 1)}`);
  }
  if (!/['’]/.test(name)) return all;
  const joined = name.replace(/\b[dD]['’](\p{L})/gu, (_, letter: string) => `d${letter}`);
  if (joined !== name) all.push(joined);
  return all;
}

/** Words that names begin with, and how they are shortened. */
const SHORTENED: readonly (readonly [string, string])[] = [
  ["Santa", "Sta"],
  ["Santo", "Sto"],
  ["São", "S"],
  ["Presidente", "Pres"],
  ["Governador", "Gov"],
  ["Coronel", "Cel"],
  ["Senador", "Sen"],
  ["Doutor", "Dr"],
  ["Engenheiro", "Eng"],
  ["Marechal", "Mal"],
  ["Nossa Senhora", "N Sra"],
  ["Nossa Senhora", "N S"],
  ["Professor", "Prof"],
  ["Conselheiro", "Cons"],
  ["Desembargador", "Des"],
];

/** First words of them. */
const TITLED = new Set(SHORTENED.map(([long]) => long.split(" ")[0] ?? long));

/** Adjectives by gender and number. */
function formsOf(name: string): string[] {
  const stem = name.slice(0, -1);
  if (name.endsWith("o")) return [name, `${stem}a`, `${name}s`, `${stem}as`];
  return [name, name.endsWith("r") ? `${name}es` : `${name}s`];
}

/** Accounts by the code of their municipality. */
const counted = new WeakMap<Segment, Uint32Array>();

/** Counts the accounts of each municipality aside, which reads all of a registry. */
export async function countCities(segment: Segment): Promise<void> {
  if (counted.has(segment)) return;
  const [counts] = await guarded(() => segment.native.facetsAside([], ["municipality"]));
  if (counts !== undefined) counted.set(segment, counts);
}

function accountsByIbge(segment: Segment): Map<string, number> {
  const codes = segment.native.table(TABLES.indexOf("municipality_ibge"));
  const counts =
    counted.get(segment) ?? guarded(() => segment.native.facets([], ["municipality"]))[0];
  return new Map(codes.map((ibge, code) => [ibge, counts?.[code] ?? 0]));
}
