/**
 * Every place that a sentence can name. What comes in: a segment. What goes out: names with the
 * states and municipalities they stand for, and how many accounts each municipality has.
 * Invariant: made from the municipalities of the snapshot, once per segment; all municipalities of
 * a name are known, never just one of them.
 */
import { TABLES } from "../../native-index/columns.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { Phrases } from "./phrases.ts";
import { CAPITALS, CITY_NICKNAMES, DEMONYMS, REGIONS, STATE_NAMES } from "./states.ts";

/** A municipality that a name may mean. */
export interface City {
  readonly ibge: string;
  readonly uf: string;
  readonly name: string;
  /** Accounts in the snapshot. */
  readonly accounts: number;
  readonly capital: boolean;
}

/** What a name stands for; a name may be both a state and a city. */
export interface Place {
  readonly states: readonly string[];
  readonly cities: readonly City[];
  /** Region or adjective: never mistaken for anything else. */
  readonly kind: "state" | "region" | "demonym" | "city" | "nickname";
}

/** The places of a segment. */
export interface Gazetteer {
  readonly places: Phrases<Place>;
  /** A municipality by its IBGE code. */
  city(ibge: string): City | undefined;
}

const gazetteers = new WeakMap<Segment, Gazetteer>();

/** The gazetteer of a segment. */
export function gazetteerOf(segment: Segment): Gazetteer {
  const known = gazetteers.get(segment);
  if (known !== undefined) return known;
  const made = makeGazetteer(segment);
  gazetteers.set(segment, made);
  return made;
}

function makeGazetteer(segment: Segment): Gazetteer {
  const places = new Phrases<Place>();
  const cities = new Map<string, City>();
  const accounts = accountsByIbge(segment);
  for (const { ibge, uf, name } of segment.catalog.municipalities) {
    if (ibge === null || uf === null || uf === "EX") continue;
    const capital = CAPITALS[uf] === ibge;
    cities.set(ibge, { ibge, uf, name, accounts: accounts.get(ibge) ?? 0, capital });
  }
  for (const city of cities.values()) addPlace(places, city.name, { cities: [city], kind: "city" });
  for (const [name, ibge] of Object.entries(CITY_NICKNAMES)) {
    const city = cities.get(ibge);
    if (city !== undefined) addPlace(places, name, { cities: [city], kind: "nickname" });
  }
  for (const [uf, name] of Object.entries(STATE_NAMES)) {
    addPlace(places, name, { states: [uf], kind: "state" });
  }
  for (const [name, states] of Object.entries(REGIONS)) {
    addPlace(places, name, { states: states.split(" "), kind: "region" });
  }
  for (const [name, uf] of Object.entries(DEMONYMS)) {
    for (const form of genders(name)) addPlace(places, form, { states: [uf], kind: "demonym" });
  }
  return { places, city: (ibge) => cities.get(ibge) };
}

/** Adjectives that end in o have a form that ends in a. */
function genders(name: string): string[] {
  return name.endsWith("o") ? [name, `${name.slice(0, -1)}a`] : [name];
}

function addPlace(places: Phrases<Place>, name: string, place: Partial<Place>): void {
  const { states = [], cities = [], kind = "city" } = place;
  places.add(name, { states, cities, kind }, (old, added) => ({
    states: [...old.states, ...added.states],
    cities: [...old.cities, ...added.cities],
    kind: old.kind === "city" || old.kind === "nickname" ? added.kind : old.kind,
  }));
}

function accountsByIbge(segment: Segment): Map<string, number> {
  const codes = segment.native.table(TABLES.indexOf("municipality_ibge"));
  const [counts] = guarded(() => segment.native.facets([], ["municipality"]));
  return new Map(codes.map((ibge, code) => [ibge, counts?.[code] ?? 0]));
}
