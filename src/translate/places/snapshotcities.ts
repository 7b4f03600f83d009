/**
 * Holds the municipalities of a snapshot as cities, their statistical regions, and their seats.
 * Input: the catalog and places of the snapshot; data/seats.json, made from GeoNames. Output:
 * cities by code and state, regions by name, and the municipalities whose seats are near another
 * seat.
 * Invariant: each municipality has one object, made on first use, because a sentence names only a
 * few of five thousand. If two rows have the same IBGE code, the later row is used. A region is
 * identified by kind, state, and name. Distances between seats are measured on a sphere. A
 * municipality whose seat is unknown is within no distance of another. Accounts, region names, and
 * seats are read on first use.
 */
import seats from "../../../data/seats.json" with { type: "json" };
import { TABLES } from "../../../native-index/format/columns.ts";
import type { SnapshotPlaces } from "../../../native-index/format/snapshot/meta.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { type Catalog, type CatalogMunicipality, catalogLookup } from "../../spec/catalog.ts";
import { type City, type Named, PlaceNames, type Region } from "./placenames.ts";
import { CAPITALS } from "./states.ts";

/** A municipality in Brazil with a known code and state. */
interface CityRow {
  readonly ibge: string;
  readonly uf: string;
  readonly name: string;
}

/** The cities of a segment. */
export class SnapshotCities {
  readonly #catalog: Catalog;
  readonly #accounts: AccountsByCity;
  readonly #made = new Map<string, City>();
  #byState: ReadonlyMap<string, readonly City[]> | null = null;

  constructor(segment: Segment) {
    this.#catalog = segment.catalog;
    this.#accounts = new AccountsByCity(segment);
  }

  /** TOM codes of places abroad, which have no IBGE code. */
  get abroadTom(): string[] {
    const abroad = this.#catalog.municipalities.filter(({ uf }) => uf === "EX");
    return abroad.map(({ tom }) => tom);
  }

  /** Returns all cities in the order of the snapshot. */
  rows(): CityRow[] {
    return this.#catalog.municipalities.filter(isCity);
  }

  /** Returns a city by its IBGE code. */
  city(ibge: string): City | undefined {
    const known = this.#made.get(ibge);
    if (known !== undefined) return known;
    const row = catalogLookup(this.#catalog).municipalityByIbge(ibge);
    if (row?.ibge !== ibge || !isCity(row)) return undefined;
    const city = new CountedCity(row, this.#accounts);
    this.#made.set(ibge, city);
    return city;
  }

  /** Returns the cities of a state. */
  of(uf: string): readonly City[] {
    this.#byState ??= this.#grouped();
    return this.#byState.get(uf) ?? [];
  }

  /** Returns the states that have cities. */
  states(): readonly string[] {
    this.#byState ??= this.#grouped();
    return [...this.#byState.keys()];
  }

  capitalOf(uf: string): City | undefined {
    return this.city(CAPITALS[uf] ?? "");
  }

  #grouped(): ReadonlyMap<string, readonly City[]> {
    const byState = new Map<string, Set<City>>();
    for (const { ibge, uf } of this.rows()) {
      const city = this.city(ibge);
      if (city === undefined) continue;
      const neighbours = byState.get(uf);
      if (neighbours === undefined) byState.set(uf, new Set([city]));
      else neighbours.add(city);
    }
    return new Map([...byState].map(([uf, cities]) => [uf, [...cities]]));
  }
}

function isCity(row: CatalogMunicipality): row is CatalogMunicipality & CityRow {
  return row.ibge !== null && row.uf !== null && row.uf !== "EX";
}

/** Accounts of each municipality. Read on first use, because most sentences need none. */
class AccountsByCity {
  readonly #segment: Segment;
  #known: ReadonlyMap<string, number> | null = null;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  of(ibge: string): number {
    this.#known ??= accountsByIbge(this.#segment);
    return this.#known.get(ibge) ?? 0;
  }
}

class CountedCity implements City {
  readonly ibge: string;
  readonly uf: string;
  readonly name: string;
  readonly #accounts: AccountsByCity;

  constructor({ ibge, uf, name }: CityRow, accounts: AccountsByCity) {
    this.ibge = ibge;
    this.uf = uf;
    this.name = name;
    this.#accounts = accounts;
  }

  get capital(): boolean {
    return CAPITALS[this.uf] === this.ibge;
  }

  get accounts(): number {
    return this.#accounts.of(this.ibge);
  }
}

/** Numbers of accounts by municipality code, per segment. */
const counted = new WeakMap<Segment, Uint32Array>();

/**
 * Counts the accounts of each municipality. Runs in another thread, because it scans the registry.
 */
export async function countCities(segment: Segment): Promise<void> {
  if (counted.has(segment)) return;
  const [counts] = await guarded(() => segment.native.facetsAsync([], ["municipality"]));
  if (counts !== undefined) counted.set(segment, counts);
}

function accountsByIbge(segment: Segment): ReadonlyMap<string, number> {
  const codes = segment.native.table(TABLES.indexOf("municipality_ibge"));
  const counts =
    counted.get(segment) ?? guarded(() => segment.native.facets([], ["municipality"]))[0];
  return new Map(codes.map((ibge, code) => [ibge, counts?.[code] ?? 0]));
}

/**
 * For each kind of region: the index of its column in the table of municipalities, and its title.
 */
const KINDS = {
  meso: { cell: 1, title: "Mesorregião" },
  micro: { cell: 2, title: "Microrregião" },
  intermediate: { cell: 3, title: "Região intermediária" },
  immediate: { cell: 4, title: "Região imediata" },
} as const;
/** A kind of region. */
export type DivisionKind = keyof typeof KINDS;

/** The regions in a snapshot. */
export class Divisions {
  readonly #places: SnapshotPlaces;
  readonly #city: (ibge: string) => City | undefined;
  readonly #made = new Map<DivisionKind, PlaceNames>();

  /** `city` returns a municipality of the snapshot by its code. */
  constructor(places: SnapshotPlaces, city: (ibge: string) => City | undefined) {
    this.#places = places;
    this.#city = city;
  }

  /** Returns the names of all regions of one kind. */
  named(kind: DivisionKind): PlaceNames {
    const known = this.#made.get(kind) ?? this.#make(kind);
    this.#made.set(kind, known);
    return known;
  }

  #make(kind: DivisionKind): PlaceNames {
    const { cell, title } = KINDS[kind];
    const { names, municipalities } = this.#places;
    const cities = new Map<string, City[]>();
    for (const row of municipalities) {
      const city = this.#city(row[0]);
      const name = names[row[cell] ?? -1];
      if (city === undefined || name === undefined) continue;
      // A region lies in one state, and another state may have a region of the same name, so the
      // key includes the state.
      const key = `${city.uf} ${name}`;
      const members = cities.get(key);
      if (members === undefined) cities.set(key, [city]);
      else members.push(city);
    }
    const all: Named[] = [];
    for (const [key, members] of cities) {
      const name = key.slice(3);
      const region: Region = {
        ...{ name: `${title} ${name}/${key.slice(0, 2)}`, part: false },
        members: () => members,
      };
      // A name such as "Sul/Sudoeste de Minas" is also found by each half alone.
      for (const spelling of new Set([name, ...name.split("/")])) {
        all.push({ name: spelling, place: () => ({ regions: [{ region, usual: false }] }) });
      }
    }
    const made = new PlaceNames();
    made.take(all);
    return made;
  }
}

/** Mean radius of the earth, in kilometers. */
const EARTH_KM = 6_371;
/** Kilometers per degree of latitude. */
const DEGREE_KM = 111;

interface Seat {
  readonly ibge: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The municipal seats. Those of the snapshot replace those bundled with the program. */
export class Seats {
  readonly #given: SnapshotPlaces | undefined;
  #made: ReadonlyMap<string, Seat> | undefined;

  /** `given` has the municipal seats that the operator supplied at import, if any. */
  constructor(given: SnapshotPlaces | undefined) {
    this.#given = given;
  }

  /**
   * Returns the IBGE codes of the municipalities within a distance of a municipality, which is
   * itself included. Returns null if its seat is unknown.
   */
  within(ibge: string, km: number): readonly string[] | null {
    this.#made ??= new Map([...packedSeats(), ...givenSeats(this.#given)]);
    const center = this.#made.get(ibge);
    if (center === undefined) return null;
    const near: string[] = [];
    for (const seat of this.#made.values()) {
      if (Math.abs(seat.latitude - center.latitude) * DEGREE_KM > km + 1) continue;
      if (distance(center, seat) <= km) near.push(seat.ibge);
    }
    return near;
  }
}

function* packedSeats(): Generator<[string, Seat]> {
  for (const [state, list] of Object.entries(seats.seats)) {
    for (const one of list.split(",")) {
      const [code, latitude, longitude] = one.split(" ");
      const ibge = `${state}${code}`;
      const seat = { latitude: Number(latitude) / 100, longitude: Number(longitude) / 100 };
      yield [ibge, { ibge, ...seat }];
    }
  }
}

function* givenSeats(given: SnapshotPlaces | undefined): Generator<[string, Seat]> {
  for (const [ibge, , , , , latitude, longitude] of given?.municipalities ?? []) {
    if (latitude !== null && longitude !== null) yield [ibge, { ibge, latitude, longitude }];
  }
}

/** Returns the distance between two seats, in kilometers. */
function distance(one: Seat, other: Seat): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [a, b] = [radians(one.latitude), radians(other.latitude)];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const across = Math.cos(a) * Math.cos(b) * half(radians(other.longitude - one.longitude));
  return 2 * EARTH_KM * Math.asin(Math.sqrt(half(b - a) + across));
}
