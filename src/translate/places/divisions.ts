/**
 * Regions of the statistics by their names. What comes in: the places of a snapshot. What goes out:
 * for each kind of region the names, with the municipalities of each.
 * Invariant: a region is known by its kind, its state and its name; the names of a kind are taken
 * in when one is first asked for.
 * Apart because it knows a snapshot and no sentence; `saiddivisions.ts` reads them in one.
 */
import type { SnapshotPlaces } from "../../../native-index/format/snapshot/meta.ts";
import { type City, type Named, PlaceNames, type Region } from "./placenames.ts";

/** Kinds of regions: the cell of a municipality that holds its region, and what it is called. */
const KINDS = {
  meso: { cell: 1, title: "Mesorregião" },
  micro: { cell: 2, title: "Microrregião" },
  intermediate: { cell: 3, title: "Região intermediária" },
  immediate: { cell: 4, title: "Região imediata" },
} as const;
/** A kind of region. */
export type DivisionKind = keyof typeof KINDS;

/** The regions that a snapshot knows. */
export class Divisions {
  readonly #places: SnapshotPlaces;
  readonly #city: (ibge: string) => City | undefined;
  readonly #made = new Map<DivisionKind, PlaceNames>();

  /** `city` is a municipality of the snapshot by its code. */
  constructor(places: SnapshotPlaces, city: (ibge: string) => City | undefined) {
    this.#places = places;
    this.#city = city;
  }

  /** The regions of a kind by their names. */
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
      // A region lies in one state, and in another one another may have its name.
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
      // "Sul/Sudoeste de Minas" is said with one half as well.
      for (const said of new Set([name, ...name.split("/")])) {
        all.push({ name: said, place: () => ({ regions: [{ region, usual: false }] }) });
      }
    }
    const made = new PlaceNames();
    made.take(all);
    return made;
  }
}
