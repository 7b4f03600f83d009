/**
 * Holds the popular names of regions and the municipalities of each region.
 * Input: data/regions, compiled by this project. Output: names with their regions, and the
 * municipalities of each region.
 * Invariant: a region is only a list of municipalities, so that it never widens a search to a
 * state. A name may have several regions. Municipalities are looked up at first use, so that
 * startup loads only the names.
 */
import coast from "../../../data/regions/coast.json" with { type: "json" };
import midwest from "../../../data/regions/midwest.json" with { type: "json" };
import north from "../../../data/regions/north.json" with { type: "json" };
import northeast from "../../../data/regions/northeast.json" with { type: "json" };
import south from "../../../data/regions/south.json" with { type: "json" };
import southeast from "../../../data/regions/southeast.json" with { type: "json" };
import type { City, CitySource, MeantRegion, Region } from "./placenames.ts";
import { DEMONYMS, STATE_NICKNAMES } from "./states.ts";

/** For each state, the names of municipalities, separated by ", ". */
type Members = Readonly<Partial<Record<string, string>>>;

interface RegionRow {
  /** The city of a metropolitan region. The many names of the region are derived from it. */
  readonly metro?: string;
  /** Names of the region; a star marks the default region of an ambiguous name. */
  readonly names: readonly string[];
  /** True if the "region" is a place inside a municipality. The municipality then stands for it. */
  readonly part?: boolean;
  /** First names of the regions whose municipalities this region combines. */
  readonly of?: readonly string[];
  readonly cities?: Members;
  /** Municipalities that belong to the regions in `of` but not to this region. */
  readonly but?: Members;
}

interface RegionName extends MeantRegion {
  readonly name: string;
}

/** A list of lists, because the compiler takes seconds to join the types of long literal lists. */
const LISTS: readonly (readonly RegionRow[])[] = [southeast, south, northeast, midwest, north];

/** Functions that derive the names of a metropolitan region from its city. */
const METRO_FORMS: readonly ((city: string) => string)[] = [
  (city) => `Grande ${city}`,
  (city) => `região metropolitana de ${city}`,
  (city) => `RM de ${city}`,
  (city) => `região de ${city}`,
  (city) => `área metropolitana de ${city}`,
  (city) => `metropolitana de ${city}`,
  (city) => `Greater ${city}`,
  (city) => `${city} metropolitan area`,
  (city) => `${city} metropolitan region`,
  (city) => `${city} metro area`,
  (city) => `metropolitan area of ${city}`,
  (city) => `metropolitan region of ${city}`,
  (city) => `Gran ${city}`,
];

class RowRegion implements Region {
  readonly #row: RegionRow;
  readonly name: string;
  readonly part: boolean;
  readonly #known = new WeakMap<CitySource, readonly City[]>();

  constructor(row: RegionRow) {
    this.#row = row;
    this.name = firstNameOf(row);
    this.part = row.part === true;
  }

  members(source: CitySource): readonly City[] {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    const { cities = {}, of = [], but = {} } = this.#row;
    const parts = of.flatMap((name) => regionNamed(name)?.members(source) ?? []);
    const without = new Set(citiesNamed(but, source));
    const all = new Set([...parts, ...citiesNamed(cities, source)]);
    const members = [...all].filter((city) => !without.has(city));
    this.#known.set(source, members);
    return members;
  }
}

function firstNameOf({ metro, names }: RegionRow): string {
  return metro === undefined ? (names[0] ?? "").replace("*", "") : `Grande ${metro}`;
}

const rows: readonly RegionRow[] = LISTS.flat();
const regions: readonly RowRegion[] = rows.map((row) => new RowRegion(row));
const byFirstName = new Map(regions.map((region) => [region.name, region]));

function regionNamed(name: string): Region | undefined {
  return byFirstName.get(name);
}

/** Returns every region in the table. */
export function allRegions(): readonly Region[] {
  return regions;
}

/** Yields every name of every region. A name may occur several times. */
export function* regionNames(): Generator<RegionName> {
  for (const [at, { names, metro }] of rows.entries()) {
    const region = regions[at] as Region;
    for (const form of metro === undefined ? [] : METRO_FORMS) {
      yield { name: form(metro as string), region, usual: false };
    }
    for (const name of names) {
      yield { name: name.replace("*", ""), region, usual: name.endsWith("*") };
    }
  }
}

/** Returns the municipalities with these names. Names that the snapshot lacks are left out. */
function citiesNamed(members: Members, source: CitySource): City[] {
  return Object.entries(members).flatMap(([uf, names = ""]) =>
    names.split(", ").flatMap((name) => {
      const place = source.places.named(name);
      const cities = place === undefined ? [] : [...place.cities, ...place.nicknamed];
      return cities.find((city) => city.uf === uf) ?? [];
    }),
  );
}

const made = new Map<string, Region>();

/** Returns a region that is not in the table. Caches the result of `find` per snapshot. */
function once(name: string, find: (source: CitySource) => readonly City[]): Region {
  const known = new WeakMap<CitySource, readonly City[]>();
  const members = (source: CitySource) => {
    const cities = known.get(source) ?? find(source);
    known.set(source, cities);
    return cities;
  };
  const region = made.get(name) ?? { name, part: false, members };
  made.set(name, region);
  return region;
}

/**
 * Returns the inland region of a state ("interior de SP"): the state without the metropolitan
 * region of its capital. Returns null for the Federal District and abroad.
 */
export function interiorOf(uf: string): Region | null {
  if (uf === "DF" || uf === "EX") return null;
  return once(`Interior de ${uf}`, (source) => {
    const capital = source.capitalOf(uf);
    const metro = regionNamed(`Grande ${capital?.name}`)?.members(source) ?? [];
    const without = new Set(metro);
    return source.citiesOf(uf).filter((city) => city !== capital && !without.has(city));
  });
}

/**
 * Returns the coastal region of a state ("litoral de SC"): its municipalities on the sea. Returns
 * null for a state without coast.
 */
export function coastOf(uf: string): Region | null {
  const members: Members = coast;
  const names = members[uf];
  if (names === undefined) return null;
  return once(`Litoral de ${uf}`, (source) => citiesNamed({ [uf]: names }, source));
}

/**
 * Returns the forms of a state's name that may follow the word for a part of it: "do Pará" in "sul
 * do Pará", "paraense" in "sul paraense".
 */
export function formsOfState(uf: string, name: string): readonly string[] {
  const nicknames = Object.entries(STATE_NICKNAMES).filter(([, state]) => state === uf);
  const demonyms = Object.entries(DEMONYMS).filter(([, states]) => states === uf);
  const feminine = demonyms.map(([form]) => form.replace(/o$/, "a"));
  return [name, uf, ...[...nicknames, ...demonyms].map(([form]) => form), ...feminine];
}
