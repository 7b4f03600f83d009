/**
 * Regions by the names that people give them, as the municipalities that belong to them. What comes
 * in: data/regions, facts of our own. What goes out: names with the region they stand for, and the
 * municipalities of a region.
 * Invariant: a region is a list of municipalities and nothing else, so that it never widens a
 * search to a state; one name may stand for several regions; members are looked up when a region is
 * first asked for, so that the table costs a start only its names.
 */
import coast from "../../../data/regions/coast.json" with { type: "json" };
import midwest from "../../../data/regions/midwest.json" with { type: "json" };
import north from "../../../data/regions/north.json" with { type: "json" };
import northeast from "../../../data/regions/northeast.json" with { type: "json" };
import south from "../../../data/regions/south.json" with { type: "json" };
import southeast from "../../../data/regions/southeast.json" with { type: "json" };
import type { City, CitySource, MeantRegion, Region } from "./placenames.ts";
import { DEMONYMS, STATE_NICKNAMES } from "./states.ts";

/** Municipalities of a state: their names, separated by commas. */
type Members = Readonly<Partial<Record<string, string>>>;

/** A region as the table has it. */
interface RegionRow {
  /** The city of a metropolitan region, which has names in many forms. */
  readonly metro?: string;
  /** Its names; a star marks the region that a name of several usually means. */
  readonly names: readonly string[];
  /** True for a place inside of a municipality, which stands for the municipality. */
  readonly part?: boolean;
  /** Regions that it is put together from, by their first name. */
  readonly of?: readonly string[];
  readonly cities?: Members;
  /** Municipalities of those regions that are not in this one. */
  readonly but?: Members;
}

/** A name with the region it stands for. */
interface RegionName extends MeantRegion {
  readonly name: string;
}

/** A list of lists, since the compiler takes seconds to join the types of long literal lists. */
const LISTS: readonly (readonly RegionRow[])[] = [southeast, south, northeast, midwest, north];

/** What a metropolitan region is called after its city. */
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

/** Every region of the table. */
export function allRegions(): readonly Region[] {
  return regions;
}

/** Every name of every region; one may come several times. */
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

/** The municipalities of some names; a name of the table that the snapshot lacks gives none. */
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

/** A region that no row of the table lists; its members are found once for a snapshot. */
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

/** "interior de SP": a state without the metropolitan region of its capital. */
export function interiorOf(uf: string): Region | null {
  if (uf === "DF" || uf === "EX") return null;
  return once(`Interior de ${uf}`, (source) => {
    const capital = source.capitalOf(uf);
    const metro = regionNamed(`Grande ${capital?.name}`)?.members(source) ?? [];
    const without = new Set(metro);
    return source.citiesOf(uf).filter((city) => city !== capital && !without.has(city));
  });
}

/** "litoral de SC": the municipalities of a state that face the sea. */
export function coastOf(uf: string): Region | null {
  const members: Members = coast;
  const names = members[uf];
  if (names === undefined) return null;
  return once(`Litoral de ${uf}`, (source) => citiesNamed({ [uf]: names }, source));
}

/** What a state is called behind the name of a part of it. */
export function formsOfState(uf: string, name: string): readonly string[] {
  const nicknames = Object.entries(STATE_NICKNAMES).filter(([, state]) => state === uf);
  const demonyms = Object.entries(DEMONYMS).filter(([, states]) => states === uf);
  const feminine = demonyms.map(([form]) => form.replace(/o$/, "a"));
  return [name, uf, ...[...nicknames, ...demonyms].map(([form]) => form), ...feminine];
}
