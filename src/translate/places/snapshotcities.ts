/**
 * The municipalities of a snapshot as cities that a sentence may name. What comes in: its catalog.
 * What goes out: a city by its code, those of a state, and how many accounts each has.
 * Invariant: one object per municipality, made when somebody asks for it: a sentence names a few of
 * five thousand; of two rows with one IBGE code the later one counts. Accounts are counted when the
 * first ones are asked for.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { type Catalog, type CatalogMunicipality, catalogLookup } from "../../spec/catalog.ts";
import type { City } from "./placenames.ts";
import { CAPITALS } from "./states.ts";

/** A municipality in Brazil whose code and state are known. */
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

  /** All of them as they are in the snapshot. */
  rows(): CityRow[] {
    return this.#catalog.municipalities.filter(isCity);
  }

  /** A city by its IBGE code. */
  city(ibge: string): City | undefined {
    const known = this.#made.get(ibge);
    if (known !== undefined) return known;
    const row = catalogLookup(this.#catalog).municipalityByIbge(ibge);
    if (row?.ibge !== ibge || !isCity(row)) return undefined;
    const city = new CountedCity(row, this.#accounts);
    this.#made.set(ibge, city);
    return city;
  }

  /** The cities of a state. */
  of(uf: string): readonly City[] {
    this.#byState ??= this.#grouped();
    return this.#byState.get(uf) ?? [];
  }

  /** States that have one. */
  states(): readonly string[] {
    this.#byState ??= this.#grouped();
    return [...this.#byState.keys()];
  }

  /** The capital of a state. */
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

/** Accounts of municipalities, which most sentences do not ask for. */
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

/** Accounts by the code of their municipality. */
const counted = new WeakMap<Segment, Uint32Array>();

/** Counts the accounts of each municipality aside, which reads all of a registry. */
export async function countCities(segment: Segment): Promise<void> {
  if (counted.has(segment)) return;
  const [counts] = await guarded(() => segment.native.facetsAside([], ["municipality"]));
  if (counts !== undefined) counted.set(segment, counts);
}

function accountsByIbge(segment: Segment): ReadonlyMap<string, number> {
  const codes = segment.native.table(TABLES.indexOf("municipality_ibge"));
  const counts =
    counted.get(segment) ?? guarded(() => segment.native.facets([], ["municipality"]))[0];
  return new Map(codes.map((ibge, code) => [ibge, counts?.[code] ?? 0]));
}
