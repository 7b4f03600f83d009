/**
 * Reads statistical regions and seats of municipalities from a CSV file in this program's format,
 * for a snapshot.
 * Invariant: a file is read whole, or refused with every wrong line. Kind, state, and name identify
 * a region. An empty cell means unknown.
 */

import { isPrintable } from "../../native-index/format/printable.ts";
import type {
  PlacedMunicipality,
  SnapshotPlaces,
} from "../../native-index/format/snapshot/meta.ts";
import { readTableText, TableFile, tableText } from "./tablefile.ts";

/** Columns with names of regions, in snapshot order. */
const REGION_COLUMNS = [
  "mesoregion",
  "microregion",
  "intermediate_region",
  "immediate_region",
] as const;
/** Columns of the seat, in degrees. */
const SEAT_COLUMNS = ["latitude", "longitude"] as const;
const CODE_COLUMN = "municipality_ibge";

/** Bounding box of Brazil in degrees, including its islands. */
const DEGREES = { latitude: [-34, 6], longitude: [-75, -28] } as const;
const REGION_NAME_MAX = 100;

/** A municipality with the names of its regions, as in a file. */
export interface PlaceRow {
  readonly ibge: string;
  /** Names in column order. A name is empty if the municipality has no such region. */
  readonly regions: readonly string[];
}

/** Reads a file of places. @throws CommandError (exit 2) that names every wrong line. */
export function readPlaces(path: string): SnapshotPlaces {
  return placesOf(path, readTableText(path));
}

/** Parses the text of such a file; `path` is its name in messages. */
export function placesOf(path: string, text: string): SnapshotPlaces {
  const table = new TableFile(path, text, {
    needed: [CODE_COLUMN],
    optional: [...REGION_COLUMNS, ...SEAT_COLUMNS],
    fix: "`peneira download --places --to DIR` makes such a file; docs/load.md has its columns.",
  });
  const seats = SEAT_COLUMNS.filter((name) => table.columns.includes(name));
  if (seats.length === 1) table.problem(1, "latitude and longitude go together");
  if (table.columns.length === 1) table.problem(1, "there is no column besides municipality_ibge");
  const seen = new Set<string>();
  const numbers = new Map<string, number>();
  const rows = table.rows.map(({ line, cell }): PlacedMunicipality => {
    const ibge = cell(CODE_COLUMN);
    if (!/^\d{7}$/.test(ibge)) table.problem(line, `${CODE_COLUMN} must be a code of 7 digits`);
    else if (seen.has(ibge)) table.problem(line, `${ibge} stands there twice`);
    seen.add(ibge);
    const wrong = (words: string) => table.problem(line, words);
    const regions = REGION_COLUMNS.map((name) =>
      numberOf(regionOf(name, cell(name), wrong), numbers),
    );
    const [latitude, longitude] = seatOf(cell, wrong);
    return [ibge, ...(regions as [number, number, number, number]), latitude, longitude];
  });
  table.check();
  return ordered([...numbers.keys()], rows);
}

type Wrong = (words: string) => void;

function regionOf(column: string, name: string, wrong: Wrong): string {
  if (name.length > REGION_NAME_MAX || !isPrintable(name)) {
    wrong(`${column} must be one line of printable text, up to ${REGION_NAME_MAX} characters`);
  }
  return name;
}

function numberOf(name: string, numbers: Map<string, number>): number | null {
  if (name === "") return null;
  const number = numbers.get(name) ?? numbers.size;
  numbers.set(name, number);
  return number;
}

function seatOf(
  cell: (column: string) => string,
  wrong: Wrong,
): readonly [number | null, number | null] {
  const texts = SEAT_COLUMNS.map(cell);
  if (texts.every((text) => text === "")) return [null, null];
  return [degreesOf("latitude", cell, wrong), degreesOf("longitude", cell, wrong)];
}

function degreesOf(
  column: keyof typeof DEGREES,
  cell: (column: string) => string,
  wrong: Wrong,
): number {
  const [least, most] = DEGREES[column];
  const text = cell(column);
  const value = /^-?\d{1,3}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    wrong(`${column} must be degrees from ${least} to ${most}, such as -22.9056`);
  }
  return value;
}

/** Sorts names and municipalities, so that the order of a file has no effect. */
function ordered(names: readonly string[], rows: readonly PlacedMunicipality[]): SnapshotPlaces {
  const sorted = [...names].sort();
  const places = new Map(sorted.map((name, at) => [name, at]));
  const moved = (number: number | null) =>
    number === null ? null : (places.get(names[number] ?? "") ?? null);
  return {
    names: sorted,
    municipalities: [...rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ibge, meso, micro, intermediate, immediate, latitude, longitude]) => {
        const regions = [moved(meso), moved(micro), moved(intermediate), moved(immediate)] as const;
        return [ibge, ...regions, latitude, longitude];
      }),
  };
}

/** Writes a file of places without seats. */
export function placesText(rows: readonly PlaceRow[]): string {
  const lines = rows.map(({ ibge, regions }) => [ibge, ...regions]);
  return tableText([[CODE_COLUMN, ...REGION_COLUMNS], ...lines]);
}
