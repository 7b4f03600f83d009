/**
 * Districts that a sentence names. What comes in: what the stages of places find of them. What goes
 * out: the districts of the filter, when it is known which cities the sentence means.
 * Invariant: a district that is not applied never leaves the search of its city running: what is
 * wider than what was asked for is worth nothing, and the notes say why.
 */

import { SPEC_LIMITS } from "../../../spec/limits.ts";
import type { Notes, Sentences } from "../../notes.ts";
import type { Sentence, Words } from "../../words/sentence.ts";
import type { City } from "../placenames.ts";
import { citiesOfDistricts, type PlaceAt } from "./districtcities.ts";
import type { DistrictNames, KnownDistrict } from "./districtnames.ts";

/** A district that is named. */
interface SaidDistrict {
  /** Its first token, with the words that lead to it, and the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly words: Words;
  /** The name alone, as said. */
  readonly name: string;
  readonly negated: boolean;
  /** Nothing says that it is a district but that there is one. */
  readonly implied: boolean;
  /** What it is in the cities that may be meant, by IBGE code; empty where none has it. */
  known: ReadonlyMap<string, KnownDistrict>;
  /** The cities (IBGE codes) that enclose it: "Santos (Centro)"; no other is meant. */
  readonly within?: ReadonlySet<string>;
  /** Where it is known of the cities of all the states that are searched, for want of a city. */
  homes?: readonly City[];
}

/** Districts of a sentence, while its places are found. */
export class SaidDistricts {
  readonly names: DistrictNames;
  readonly all: SaidDistrict[] = [];
  /** First tokens of names of cities right beside a district that they have. */
  readonly cities = new Set<number>();
  /** First tokens of mentions that are one: whether it bounds the search is known with its city. */
  readonly named = new Set<number>();

  constructor(names: DistrictNames) {
    this.names = names;
  }
}

/** What is known of the places of the sentence. */
interface PlacesMeant {
  readonly cities: ReadonlyMap<string, City>;
  readonly states: ReadonlySet<string>;
  /** The mentions of places that are wished. */
  readonly sought: readonly PlaceAt[];
  /** Set where what is named is not all that is searched. */
  unknown: boolean;
}

/** Districts without a city that are looked for in all of them. */
const HOMELESS_MAX = 4;
/** Cities of a search in which every district is looked for; no sentence names more one by one. */
const LOOKED_MAX = 40;
/** Cities that are named as alternatives. */
const HOMES_SHOWN = 5;

/** Where municipalities are looked up. */
interface Cities {
  readonly states: readonly string[];
  city(ibge: string): City | undefined;
  citiesOf(uf: string): readonly City[];
}

/**
 * Looks for the cities of districts that are named without one: a single city that has it
 * is the one that is meant, of several the largest are said.
 */
export function findHomes(said: SaidDistricts, found: PlacesMeant, cities: Cities): void {
  if (found.cities.size > 0 || said.names.lacking) return;
  const homeless = said.all.filter(({ known, negated }) => known.size === 0 && !negated);
  const asked = homeless.slice(0, HOMELESS_MAX);
  if (asked.length === 0) return;
  const names = [...new Set(asked.map(({ name }) => name))];
  const known = said.names.among(codesOf(cities), names);
  const inside = ({ uf }: City) => found.states.size === 0 || found.states.has(uf);
  for (const [i, name] of names.entries()) {
    const homes = [...(known[i]?.keys() ?? [])]
      .flatMap((ibge) => cities.city(ibge) ?? [])
      .filter(inside);
    const [home] = homes;
    const only = home === undefined ? undefined : known[i]?.get(home.ibge);
    for (const one of asked.filter((each) => each.name === name)) {
      one.homes = homes;
      if (home !== undefined && only !== undefined && homes.length === 1) {
        one.known = new Map([[home.ibge, only]]);
      }
    }
  }
}

function* codesOf({ states, citiesOf }: Cities): Generator<string> {
  for (const uf of states) for (const { ibge } of citiesOf(uf)) yield ibge;
}

/** A district as `district_any_of` takes it. */
interface FilterDistrict {
  readonly municipality_ibge: string;
  readonly name: string;
}

/** The districts to filter by; undefined without any. Sets `found.unknown` where one is left. */
export function districtFilterOf(
  said: SaidDistricts,
  found: PlacesMeant,
  { sentence, notes }: { readonly sentence: Sentence; readonly notes: Notes },
): readonly FilterDistrict[] | undefined {
  const rows: FilterDistrict[] = [];
  const placed = new Set<string>();
  const left = new Set<SaidDistrict>();
  const owners = citiesOfDistricts(sentence, said.all, found.sought);
  const ownersOf = (one: SaidDistrict) => one.within ?? owners.get(one);
  lookUp(said, found, ownersOf);
  for (const one of said.all) {
    const seen = { said, found, notes, owners: ownersOf(one) };
    const meant = one.negated ? [] : meantOf(one, found, seen.owners);
    if (meant.length === 0) left.add(one);
    if (meant.length === 0) leave(one, seen);
    for (const { city, names } of meant) {
      placed.add(city.ibge);
      for (const name of names) rows.push({ municipality_ibge: city.ibge, name });
      assume(one, names, { city, notes, shared: meant.length > 1 });
    }
  }
  if (rows.length === 0) return undefined;
  if (rows.length > SPEC_LIMITS.districtsMax) {
    for (const one of said.all) if (!left.has(one)) notes.leave("district", TOO_MANY, one.words);
    found.unknown = true;
    return undefined;
  }
  const homely = said.all.every(({ homes }) => homes !== undefined);
  const whole =
    (found.states.size > 0 && !homely) ||
    [...found.cities.keys()].some((ibge) => !placed.has(ibge));
  if (!whole) return rows;
  // Municipality and district must both hold, so that whole cities beside districts are no filter.
  for (const one of said.all) {
    if (left.has(one)) continue;
    notes.leave("district", besideOf(one, askedOf(found, ownersOf(one)), placed), one.words);
  }
  found.unknown = true;
  return undefined;
}

/** Looks for every district in each city of the search that it may lie in. */
function lookUp(
  said: SaidDistricts,
  found: PlacesMeant,
  ownersOf: (one: SaidDistrict) => ReadonlySet<string> | undefined,
): void {
  if (said.names.lacking || found.cities.size > LOOKED_MAX) return;
  const wished = said.all.filter(({ negated }) => !negated);
  const names = [...new Set(wished.map(({ name }) => name))];
  for (const ibge of found.cities.keys()) {
    const known = new Map(said.names.known(ibge, names).map((one, i) => [names[i] as string, one]));
    for (const one of wished) {
      const district = known.get(one.name) ?? null;
      const isAsked = ownersOf(one)?.has(ibge) ?? true;
      if (district !== null && isAsked) one.known = new Map([...one.known, [ibge, district]]);
    }
  }
}

/** The cities of the search in which a district may lie. */
function askedOf({ cities }: PlacesMeant, owners: ReadonlySet<string> | undefined): City[] {
  return [...cities.values()].filter(({ ibge }) => owners?.has(ibge) ?? true);
}

/** The cities of the search that have a district, with their spellings of its name. */
function meantOf(
  { homes, known }: SaidDistrict,
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

const BESIDE: Sentences = {
  pt: "Bairros de uma cidade não se juntam a outros lugares inteiros numa busca: faça duas.",
  en: "Districts of one city and other whole places are two searches, not one.",
};

/** Why a district of some cities is no filter: some that were asked for do not have it. */
function besideOf(
  { name }: SaidDistrict,
  asked: readonly City[],
  placed: ReadonlySet<string>,
): Sentences {
  const lacking = asked.filter(({ ibge }) => !placed.has(ibge));
  if (lacking.length === 0 || asked.length > LOOKED_MAX) return BESIDE;
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
  readonly said: SaidDistricts;
  readonly found: PlacesMeant;
  readonly notes: Notes;
  readonly owners: ReadonlySet<string> | undefined;
}

/** Says why a district is not applied. */
function leave(one: SaidDistrict, seen: Leaving): void {
  seen.notes.leave("district", reasonOf(one, seen), one.words);
  seen.found.unknown = true;
}

const UNCLEAR: Sentences = {
  pt: "Não é claro de que cidade é o bairro: diga a cidade logo depois de cada bairro.",
  en: "The city of the district is not clear: name the city right after each district.",
};

function reasonOf(one: SaidDistrict, { said, found, owners }: Leaving): Sentences {
  const { negated, name } = one;
  if (negated) {
    return { pt: "Nenhum filtro exclui um bairro.", en: "No filter leaves out a district." };
  }
  if (said.names.lacking) {
    return {
      pt: "Esta base não tem bairros: importe-a de novo com esta versão.",
      en: "This snapshot has no districts: import it again with this version.",
    };
  }
  if (found.cities.size === 0) return whichCity(one);
  const asked = askedOf(found, owners);
  if (asked.length === 0 || asked.length > LOOKED_MAX) return UNCLEAR;
  return unknownIn(asked, name);
}

/** Several cities have it, or none: the largest are named. */
function whichCity({ homes = [], name }: SaidDistrict): Sentences {
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

/** Says which district was meant where the words did not, and how it is spelled. */
function assume(
  { implied, homes, name, words }: SaidDistrict,
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

/** Says how the accounts spell a district, where there is more than one way. */
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
