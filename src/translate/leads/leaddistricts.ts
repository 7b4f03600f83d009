/**
 * Reads the districts of a lead query. Input: names with their cities, or districts in the form of
 * an account query, and the query's places. Output: districts by municipality and folded name, and
 * the places that remain as filters.
 * Invariant: if no account of a city has the named district, this is an error with the nearest
 * names. If the query has districts, its cities and states only locate them and are no filters. A
 * city or state that contains none of the districts is an error.
 */

import { districtsOf } from "../../search/districts.ts";
import type { Segment } from "../../search/segment.ts";
import { catalogLookup, notCounted } from "../../spec/catalog.ts";
import { foldDistrict } from "../../spec/districtname.ts";
import { ValueReader } from "../../spec/filters/read.ts";
import type { LeadQuery } from "../../spec/leadschema.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { isJsonObject, shown } from "../../spec/reader.ts";
import type { Notes } from "../notes.ts";
import { assumeSpellings } from "../places/districts/districtmentions.ts";
import { DistrictNames } from "../places/districts/districtnames.ts";
import { type Gazetteer, gazetteerOf, namesakesMeant } from "../places/gazetteer.ts";
import type { City } from "../places/placenames.ts";
import { citiesCalled, type LeadPlaces, nameOf } from "./leadplaces.ts";
import { type LeadReader, suggestion } from "./leadreader.ts";

type LeadDistrict = NonNullable<LeadQuery["districts"]>[number];

interface DistrictContext {
  readonly segment: Segment;
  readonly notes: Notes;
  readonly places: LeadPlaces;
}

/** Result of reading. */
interface ReadDistricts {
  /** The districts, sorted by municipality and name. */
  readonly list: LeadDistrict[];
  /** Places that remain as filters; empty if the query has districts. */
  readonly whole: LeadPlaces;
}

const SUGGESTED_MAX = 3;
/** Number of first letters of an unknown name that a suggested name must begin with. */
const BEGINNING = 3;
/** Separators between a district and its city: "Savassi, Belo Horizonte", "Moema (São Paulo)". */
const BETWEEN = /\s*[,(/]\s*|\s+[-–]\s+/g;

const NOWHERE: LeadPlaces = { cities: new Map(), toms: new Set(), states: new Set() };

/** Reads the districts of a lead query. Reports errors to `reader`. */
export function readDistricts(
  value: unknown,
  pointer: string,
  reader: LeadReader,
  context: DistrictContext,
): ReadDistricts {
  const { places: whole } = context;
  const elements = reader.elements(value, pointer, SPEC_LIMITS.districtsMax);
  if (elements.length === 0) return { list: [], whole };
  if (catalogLookup(context.segment.catalog).lacks("districts")) {
    reader.mistake(pointer, "not_in_snapshot", notCounted("districts"));
    return { list: [], whole };
  }
  const found = new DistrictReader(reader, context);
  for (const { element, place } of elements) found.read(element, place);
  found.checkPlaces(pointer);
  return { list: found.sorted(pointer), whole: NOWHERE };
}

class DistrictReader {
  readonly #reader: LeadReader;
  readonly #context: DistrictContext;
  readonly #codes: ValueReader;
  readonly #gazetteer: Gazetteer;
  readonly #names: DistrictNames;
  readonly #found = new Map<string, LeadDistrict>();
  #wrong = false;

  constructor(reader: LeadReader, context: DistrictContext) {
    this.#reader = reader;
    this.#context = context;
    this.#codes = new ValueReader(reader, catalogLookup(context.segment.catalog));
    this.#gazetteer = gazetteerOf(context.segment);
    this.#names = new DistrictNames(context.segment);
  }

  read(element: unknown, place: string): void {
    if (isJsonObject(element)) {
      const district = this.#codes.district(element, place);
      if (district === undefined) this.#wrong = true;
      else this.#add(district);
      return;
    }
    const text = this.#reader.string(element, place);
    if (text === undefined) this.#wrong = true;
    else if (foldDistrict(text) === "") {
      this.#mistake(place, "no_word", () => "Holds no name: only white space.");
    } else this.#readName(text, place);
  }

  /** Reads a district of one of the query's cities, or a district followed by its own city. */
  #readName(text: string, place: string): void {
    const cities = [...this.#context.places.cities.values()];
    if (this.#take(text, cities)) return;
    let near: { readonly name: string; readonly cities: readonly City[] } | null = null;
    for (const { index, 0: between } of text.matchAll(BETWEEN)) {
      const name = text.slice(0, index);
      const called = this.#called(text.slice(index + between.length).replace(/\)\s*$/, ""));
      if (foldDistrict(name) === "" || called.length === 0) continue;
      if (this.#take(name, this.#meant(called, name))) return;
      near ??= { name, cities: called };
    }
    if (near === null && cities.length > 0) near = { name: text, cities };
    if (near !== null) this.#unknown(place, near.name, near.cities);
    else {
      this.#mistake(place, "needs_city", () => {
        return `Say the city of ${shown(text)}: "Savassi, Belo Horizonte", or name it in cities.`;
      });
    }
  }

  /** Returns the cities with this name. If some are in the query's states, returns only those. */
  #called(text: string): readonly City[] {
    const all = citiesCalled(this.#gazetteer, text);
    const inStates = all.filter(({ uf }) => this.#context.places.states.has(uf));
    return inStates.length > 0 ? inStates : all;
  }

  /**
   * Returns the cities of this name that have the district. If several have it, returns the one
   * usually meant.
   */
  #meant(called: readonly City[], name: string): readonly City[] {
    const having = called.filter(({ ibge }) => this.#names.known(ibge, [name])[0] !== null);
    const chosen = namesakesMeant(having);
    if (having.length > 1) {
      const list = chosen.map(nameOf).join(", ");
      this.#context.notes.assume("city_of_several_states", {
        pt: `Há o bairro ${shown(name)} em ${having.map(nameOf).join(", ")}; foi usado ${list}.`,
        en: `${having.map(nameOf).join(", ")} have a district ${shown(name)}; used: ${list}.`,
      });
    }
    return chosen;
  }

  /** Adds a district in each spelling used in the cities. Returns false if no account has it. */
  #take(name: string, cities: readonly City[]): boolean {
    let taken = false;
    for (const { ibge } of cities) {
      const known = this.#names.known(ibge, [name])[0] ?? null;
      if (known === null) continue;
      taken = true;
      for (const spelled of known.names) this.#add({ municipality_ibge: ibge, name: spelled });
      assumeSpellings(known.names, this.#context.notes);
    }
    return taken;
  }

  #add(district: LeadDistrict): void {
    this.#found.set(`${district.municipality_ibge} ${district.name}`, district);
  }

  /**
   * Reports an error for each city or state that contains none of the districts. Otherwise adds the
   * assumption that cities and states only locate the districts.
   */
  checkPlaces(pointer: string): void {
    const { cities, states, toms } = this.#context.places;
    // A place without a district may be the place of a district that an error dropped.
    if (this.#wrong || cities.size + states.size + toms.size === 0) return;
    const placed = new Set([...this.#found.values()].map((one) => one.municipality_ibge));
    const placedStates = new Set([...placed].map((ibge) => this.#gazetteer.city(ibge)?.uf));
    const lone = [
      ...[...cities.values()].filter(({ ibge }) => !placed.has(ibge)).map(nameOf),
      ...[...states].filter((uf) => !placedStates.has(uf)),
      ...toms,
    ];
    for (const name of lone) {
      this.#mistake(pointer, "no_district_of_place", () => {
        return `None is in ${name}: name a district of it, leave it out, or make two queries.`;
      });
    }
    this.#context.notes.assume("place_of_districts", {
      pt: "Cidades e estados só dizem onde ficam os bairros; o resto deles não é buscado.",
      en: "Cities and states only say where the districts are; the rest is not searched.",
    });
  }

  #unknown(place: string, name: string, cities: readonly City[]): void {
    this.#wrong = true;
    this.#reader.unknown(place, "unknown_district", () => {
      const near = [name, foldDistrict(name).slice(0, BEGINNING)]
        .map((typed) => cities.flatMap((city) => this.#beginning(typed, city)))
        .find((found) => found.length > 0);
      const fix = "GET /v1/districts lists those of a municipality.";
      const where = cities.slice(0, SUGGESTED_MAX).map(nameOf).join(", ");
      const hint = suggestion((near ?? []).slice(0, SUGGESTED_MAX), fix);
      return `No account of ${where} names the district ${shown(name)}; ${hint}`;
    });
  }

  /** Returns the names of a city's largest districts in which a word begins with `typed`. */
  #beginning(typed: string, { ibge }: City): readonly string[] {
    const wanted = { ibge, typed, limit: SUGGESTED_MAX };
    return districtsOf(this.#context.segment, wanted).districts.map(({ name }) => name);
  }

  #mistake(place: string, code: string, detail: () => string): void {
    this.#wrong = true;
    this.#reader.mistake(place, code, detail);
  }

  /**
   * Returns the districts sorted by municipality and name. Each spelling of a name counts as one
   * district towards the limit.
   */
  sorted(pointer: string): LeadDistrict[] {
    const { districtsMax } = SPEC_LIMITS;
    if (this.#found.size > districtsMax) {
      const detail = `Stands for ${this.#found.size} districts; at most ${districtsMax}.`;
      this.#reader.mistake(pointer, "too_many", detail);
    }
    return [...this.#found.keys()].sort().map((key) => this.#found.get(key) as LeadDistrict);
  }
}
