/**
 * Turns the districts that a sentence names into a filter.
 * Input: the districts found by the place stages. Output: the districts to filter by, in the
 * cities that are known to have them.
 * Invariant: if a district cannot be applied, its city is not searched either, because a result
 * wider than requested is useless. The notes explain the reason.
 */

import { SPEC_LIMITS } from "../../../spec/limits.ts";
import type { Notes, Sentences } from "../../notes.ts";
import type { Sentence, Words } from "../../words/sentence.ts";
import type { City } from "../placenames.ts";
import { citiesOfDistricts, type PlaceAt } from "./districtcities.ts";
import type { DistrictNames, KnownDistrict } from "./districtnames.ts";

interface MentionedDistrict {
  /**
   * `from` is the first token of the district or of the words that introduce it; `to` is the token
   * after the district.
   */
  readonly from: number;
  readonly to: number;
  readonly words: Words;
  /** The name as written, without the words that introduce it. */
  readonly name: string;
  readonly negated: boolean;
  /** True if no word such as "bairro" marks the name as a district. */
  readonly implied: boolean;
  /** For each city (IBGE code) that has the district, its spellings and accounts there. */
  known: ReadonlyMap<string, KnownDistrict>;
  /**
   * Cities (IBGE codes) that the sentence names as the ones that have the district, as in "Santos
   * (Centro)". The district is in no other city.
   */
  readonly within?: ReadonlySet<string>;
  /** If the sentence names no city: the cities in the searched states that have the district. */
  homes?: readonly City[];
}

/** Districts of a sentence, collected while its places are found. */
export class MentionedDistricts {
  readonly names: DistrictNames;
  readonly all: MentionedDistrict[] = [];
  /** First tokens of the names of cities that stand directly next to one of their districts. */
  readonly cities = new Set<number>();
  /** Number of names without a city. They are looked up in all cities, which is slow. */
  homeless = 0;
  /**
   * First tokens of the place mentions that are also districts in `all`. The filter of such a
   * mention is set by its district.
   */
  readonly named = new Set<number>();

  constructor(names: DistrictNames) {
    this.names = names;
  }
}

/** The places of the sentence that are known so far. */
interface PlacesMeant {
  readonly cities: ReadonlyMap<string, City>;
  readonly states: ReadonlySet<string>;
  /** The requested places, as mentioned. */
  readonly sought: readonly PlaceAt[];
  /** True if the search covers other places than those that the sentence names. */
  unknown: boolean;
}

/** Max districts without a city that are looked up in all cities. */
const HOMELESS_MAX = 4;
/** Maximum number of cities of a search in which every district is looked up. */
const LOOKED_MAX = 40;
/** Maximum cities that a note names as alternatives. */
const HOMES_SHOWN = 5;

interface Cities {
  readonly states: readonly string[];
  city(ibge: string): City | undefined;
  citiesOf(uf: string): readonly City[];
}

/**
 * Finds the cities of districts that are named without a city. If one city has all of them,
 * uses that city. Otherwise, each district gets the only city that has it, or the city that has ten
 * times as many accounts in it as all others together. If there is none, the note names the largest
 * cities.
 */
export function findHomes(mentioned: MentionedDistricts, found: PlacesMeant, cities: Cities): void {
  if (found.cities.size > 0 || mentioned.names.lacking) return;
  const homeless = mentioned.all.filter(({ known, negated }) => known.size === 0 && !negated);
  const searched = homeless.slice(0, HOMELESS_MAX);
  if (searched.length === 0) return;
  const names = [...new Set(searched.map(({ name }) => name))];
  const known = mentioned.names.among(codesOf(cities), names);
  const inside = ({ uf }: City) => found.states.size === 0 || found.states.has(uf);
  const homesOf = names.map((_, i) =>
    [...(known[i]?.keys() ?? [])].flatMap((ibge) => cities.city(ibge) ?? []).filter(inside),
  );
  const common = homesOf.reduce((some, homes) => some.filter((one) => homes.includes(one)));
  const shared = names.length > 1 && common.length > 0;
  for (const [i, name] of names.entries()) {
    const sizeOf = ({ ibge }: City) => known[i]?.get(ibge)?.accounts ?? 0;
    const homes = dominant(shared ? common : (homesOf[i] ?? []), sizeOf);
    const [home] = homes;
    const only = home === undefined ? undefined : known[i]?.get(home.ibge);
    for (const one of searched.filter((each) => each.name === name)) {
      one.homes = homes;
      if (home !== undefined && only !== undefined && homes.length === 1) {
        one.known = new Map([[home.ibge, only]]);
      }
    }
  }
}

/** Minimum ratio of the accounts in one district to those in all others of its name. */
const OUTWEIGHS = 10;

/** Returns the one city whose district outweighs all others of that name, or else all cities. */
function dominant(homes: readonly City[], sizeOf: (home: City) => number): readonly City[] {
  const [first, ...others] = homes;
  if (first === undefined || others.length === 0) return homes;
  const rest = others.reduce((sum, one) => sum + sizeOf(one), 0);
  return sizeOf(first) >= OUTWEIGHS * rest ? [first] : homes;
}

function* codesOf({ states, citiesOf }: Cities): Generator<string> {
  for (const uf of states) for (const { ibge } of citiesOf(uf)) yield ibge;
}

/** An element of the filter `district_any_of`. */
interface FilterDistrict {
  readonly municipality_ibge: string;
  readonly name: string;
}

/**
 * Returns the districts to filter by, or undefined if there are none. Sets `found.unknown` if a
 * district cannot be applied.
 */
export function districtFilterOf(
  mentions: MentionedDistricts,
  found: PlacesMeant,
  { sentence, notes }: { readonly sentence: Sentence; readonly notes: Notes },
): readonly FilterDistrict[] | undefined {
  const rows: FilterDistrict[] = [];
  const placed = new Set<string>();
  const left = new Set<MentionedDistrict>();
  const owners = citiesOfDistricts(sentence, mentions.all, found.sought);
  const ownersOf = (one: MentionedDistrict) => one.within ?? owners.get(one);
  lookUp(mentions, found, ownersOf);
  for (const one of mentions.all) {
    const seen = { mentions, found, notes, owners: ownersOf(one) };
    const matched = one.negated ? [] : meantOf(one, found, seen.owners);
    if (matched.length === 0) left.add(one);
    if (matched.length === 0) addUnmapped(one, seen);
    for (const { city, names } of matched) {
      placed.add(city.ibge);
      for (const name of names) rows.push({ municipality_ibge: city.ibge, name });
      assume(one, names, { city, notes, shared: matched.length > 1 });
    }
  }
  if (rows.length === 0) return undefined;
  if (rows.length > SPEC_LIMITS.districtsMax) {
    for (const one of mentions.all)
      if (!left.has(one)) notes.addUnmapped("district", TOO_MANY, one.words);
    found.unknown = true;
    return undefined;
  }
  const homely = mentions.all.every(({ homes }) => homes !== undefined);
  const whole =
    (found.states.size > 0 && !homely) ||
    [...found.cities.keys()].some((ibge) => !placed.has(ibge));
  if (!whole) return rows;
  // A search requires both municipality and district, so it cannot combine whole cities with
  // districts.
  for (const one of mentions.all) {
    if (left.has(one)) continue;
    notes.addUnmapped(
      "district",
      reasonForPlaces(one, requestedCities(found, ownersOf(one)), placed),
      one.words,
    );
  }
  found.unknown = true;
  return undefined;
}

/** Looks up every district in each city of the search that may contain it. */
function lookUp(
  mentioned: MentionedDistricts,
  found: PlacesMeant,
  ownersOf: (one: MentionedDistrict) => ReadonlySet<string> | undefined,
): void {
  if (mentioned.names.lacking || found.cities.size > LOOKED_MAX) return;
  const included = mentioned.all.filter(({ negated }) => !negated);
  const names = [...new Set(included.map(({ name }) => name))];
  for (const ibge of found.cities.keys()) {
    const known = new Map(
      mentioned.names.known(ibge, names).map((one, i) => [names[i] as string, one]),
    );
    for (const one of included) {
      const district = known.get(one.name) ?? null;
      const isRequested = ownersOf(one)?.has(ibge) ?? true;
      if (district !== null && isRequested) one.known = new Map([...one.known, [ibge, district]]);
    }
  }
}

function requestedCities({ cities }: PlacesMeant, owners: ReadonlySet<string> | undefined): City[] {
  return [...cities.values()].filter(({ ibge }) => owners?.has(ibge) ?? true);
}

/** Returns each city of the search that has a district, with its spellings there. */
function meantOf(
  { homes, known }: MentionedDistrict,
  found: PlacesMeant,
  owners: ReadonlySet<string> | undefined,
): { readonly city: City; readonly names: readonly string[] }[] {
  const home = homes?.length === 1 ? homes[0] : undefined;
  return [...known].flatMap(([ibge, { names }]) => {
    const city = found.cities.get(ibge) ?? (home?.ibge === ibge ? home : undefined);
    const isOwn = owners === undefined || owners.has(ibge);
    return city === undefined || !isOwn ? [] : [{ city, names }];
  });
}

const TOO_MANY: Sentences = {
  pt: `Uma busca aceita ${SPEC_LIMITS.districtsMax} bairros, com as grafias: cite menos deles.`,
  en: `A search takes ${SPEC_LIMITS.districtsMax} districts with their spellings: name fewer.`,
};

const WHOLE_PLACES: Sentences = {
  pt: "Bairros de uma cidade não se juntam a outros lugares inteiros numa busca: faça duas.",
  en: "Districts of one city and other whole places are two searches, not one.",
};

/**
 * Returns the note for a district that cannot be a filter. If some of the requested cities do not
 * have the district, the note names them.
 */
function reasonForPlaces(
  { name }: MentionedDistrict,
  cities: readonly City[],
  placed: ReadonlySet<string>,
): Sentences {
  const lacking = cities.filter(({ ibge }) => !placed.has(ibge));
  if (lacking.length === 0 || cities.length > LOOKED_MAX) return WHOLE_PLACES;
  return unknownIn(lacking, name);
}

function unknownIn(cities: readonly City[], name: string): Sentences {
  const shown = cities.slice(0, HOMES_SHOWN).map((city) => `${city.name}/${city.uf}`);
  const list = shown.join(", ") + (cities.length > shown.length ? " …" : "");
  return {
    pt: `Nenhuma empresa de ${list} informa o bairro ${name}.`,
    en: `No company of ${list} names the district ${name}.`,
  };
}

interface Leaving {
  readonly mentions: MentionedDistricts;
  readonly found: PlacesMeant;
  readonly notes: Notes;
  readonly owners: ReadonlySet<string> | undefined;
}

function addUnmapped(one: MentionedDistrict, seen: Leaving): void {
  seen.notes.addUnmapped("district", reasonOf(one, seen), one.words);
  seen.found.unknown = true;
}

const UNCLEAR: Sentences = {
  pt: "Não é claro de que cidade é o bairro: diga a cidade logo depois de cada bairro.",
  en: "The city of the district is not clear: name the city right after each district.",
};

function reasonOf(one: MentionedDistrict, { mentions, found, owners }: Leaving): Sentences {
  const { negated, name } = one;
  if (negated) {
    return { pt: "Nenhum filtro exclui um bairro.", en: "No filter leaves out a district." };
  }
  if (mentions.names.lacking) {
    return {
      pt: "Esta base não tem bairros: importe-a de novo com esta versão.",
      en: "This snapshot has no districts: import it again with this version.",
    };
  }
  if (found.cities.size === 0) return whichCity(one);
  const searched = requestedCities(found, owners);
  if (searched.length === 0 || searched.length > LOOKED_MAX) return UNCLEAR;
  return unknownIn(searched, name);
}

/**
 * Returns a note that the user should name the municipality of the district. If several have it,
 * the note lists the largest ones.
 */
function whichCity({ homes = [], name }: MentionedDistrict): Sentences {
  if (homes.length === 0) {
    return { pt: "Diga de que município é o bairro.", en: "Say which municipality it is in." };
  }
  const shown = homes.slice(0, HOMES_SHOWN).map((city) => `${city.name}/${city.uf}`);
  const more = homes.length - shown.length;
  const list = shown.join(", ");
  return {
    pt: `Diga de que município: ${homes.length} têm ${name}: ${list}${more > 0 ? " …" : ""}.`,
    en: `Say which municipality: ${homes.length} have ${name}: ${list}${more > 0 ? " …" : ""}.`,
  };
}

/**
 * If the words are ambiguous, adds a note that says which district and which spelling were assumed.
 */
function assume(
  { implied, homes, name, words }: MentionedDistrict,
  names: readonly string[],
  { city, notes, shared }: { readonly city: City; readonly notes: Notes; readonly shared: boolean },
): void {
  if (implied || shared || homes !== undefined) {
    const where = `${city.name}/${city.uf}`;
    notes.assume(
      "district",
      {
        pt: `${name} foi entendido como bairro de ${where}.`,
        en: `${name} was taken for a district of ${where}.`,
      },
      words,
    );
  }
  assumeSpellings(names, notes, words);
}

/** If accounts spell a district in several ways, adds a note with these spellings. */
export function assumeSpellings(names: readonly string[], notes: Notes, words?: Words): void {
  if (names.length < 2) return;
  const list = names.join(", ");
  notes.assume(
    "district_spellings",
    {
      pt: `Bairro como as empresas o escrevem: ${list}.`,
      en: `The district as companies write it: ${list}.`,
    },
    words,
  );
}
