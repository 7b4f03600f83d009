/**
 * The municipalities of a sample: 5,572, from the brazilian-utils package, with TOM code, registry
 * name, state, area code, postal code range, and share of companies.
 * Invariant: codes are unique and have 4 digits. Codes are real for the largest cities and for the
 * 17 whose registry name differs from IBGE's. The others are invented, in state order.
 */
import {
  getAreaCodesByState,
  getMunicipalities,
  type StateCode,
} from "@brazilian-utils/brazilian-utils";
import { hash, Weighted } from "./random.ts";
import { latin1 } from "./zip/bytes.ts";

/** A municipality of the sample, or the registry's EXTERIOR. */
export interface SampleCity {
  readonly tom: number;
  /** Name as in the Municipios table: upper case, no accents. */
  readonly name: string;
  /** Two letters; `EX` for EXTERIOR. */
  readonly uf: string;
  readonly ufBytes: Uint8Array;
  readonly areaCode: number;
  /** First five digits of its postal codes. */
  readonly postalPrefix: number;
}

/** TOM code of EXTERIOR. */
const FOREIGN_TOM = 9707;

type StateRow = readonly [share: number, from: number, to: number];

/** Share of all establishments in percent, and range of postal codes (first five digits). */
const STATES: ReadonlyMap<string, StateRow> = new Map(
  `
  SP 28.6 1000 19999, MG 9.8 30000 39999, RJ 7.5 20000 28999, PR 6.8 80000 87999,
  RS 6.7 90000 99999, SC 5.2 88000 89999, BA 5.2 40000 48999, PE 3.9 50000 56999,
  GO 3.3 72800 76799, CE 3.0 60000 63999, ES 2.5 29000 29999, MT 1.9 78000 78899,
  MA 1.8 65000 65999, PA 1.8 66000 68899, MS 1.8 79000 79999, PB 1.6 58000 58999,
  DF 1.5 70000 72799, RN 1.2 59000 59999, AL 1.1 57000 57999, AM 1.1 69000 69299,
  PI 1.0 64000 64999, TO 0.8 77000 77999, RO 0.8 76800 76999, SE 0.5 49000 49999,
  RR 0.4 69300 69399, AP 0.1 68900 68999, AC 0.2 69900 69999`
    .split(",")
    .map((line): [string, StateRow] => {
      const [uf, share, from, to] = line.trim().split(" ");
      return [uf as string, [Number(share), Number(from), Number(to)]];
    }),
);

const FOREIGN_SHARE = 0.24;

/** TOM codes and percentages of all establishments by IBGE code, for cities with known shares. */
const LARGEST: Readonly<Record<string, readonly [tom: number, share: number]>> = {
  "3550308": [7107, 9.2],
  "3304557": [6001, 3.8],
  "3106200": [4123, 2.5],
  "5300108": [9701, 1.5],
  "4314902": [8801, 1.4],
  "2304400": [1389, 1.4],
  "4106902": [7535, 1.2],
  "2927408": [3849, 1.2],
};

/** Capitals without a known share, by IBGE code. Each gets 30% of its state. */
const CAPITALS = new Set(
  (
    "1100205 1200401 1302603 1400100 1501402 1600303 1721000 2111300 2211001 2408102 2507507 " +
    "2611606 2704302 2800308 3205309 4205407 5002704 5103403 5208707"
  ).split(" "),
);

/** Large cities other than capitals, by IBGE code. They come first in their state's long tail. */
const LARGE = new Set(
  (
    "3518800 3509502 3549904 3547809 3548708 3543402 3552205 3534401 3548500 3530607 3170206 " +
    "3118601 3136702 3303500 3301702 3304904 4113700 4115200 4209102 4202404 4305108 4304606 " +
    "2910800 2933307 2607901 2611101 5201405 5201108 2304004 3205200 3205002 5108402 2105302 " +
    "1500800 5003702 2504009 2408003 2700300 2207702 1702109 1100122 2804805"
  ).split(" "),
);

/** The 17 municipalities whose registry name differs from IBGE's: IBGE code to TOM code, name. */
const RENAMED: Readonly<Record<string, readonly [tom: number, name: string]>> = {
  "1400605": [315, "SAO LUIZ"],
  "1708254": [345, "FORTALEZA DO TABOCAO"],
  "1502954": [377, "ELDORADO DOS CARAJAS"],
  "1506500": [529, "SANTA ISABEL DO PARA"],
  "2401206": [1623, "ARES"],
  "2405306": [1703, "BOA SAUDE"],
  "2922250": [3005, "MUQUEM DE SAO FRANCISCO"],
  "2800100": [3101, "AMPARO DE SAO FRANCISCO"],
  "2928505": [3869, "SANTA TERESINHA"],
  "3102506": [4049, "AMPARO DA SERRA"],
  "3108909": [4177, "BRASOPOLIS"],
  "3303807": [5875, "PARATI"],
  "4212809": [8251, "BALNEARIO DE PICARRAS"],
  "4317103": [8845, "SANTANA DO LIVRAMENTO"],
  "5107800": [9155, "SANTO ANTONIO DO LEVERGER"],
  "1706001": [9321, "COUTO DE MAGALHAES"],
  "1720499": [9691, "SAO VALERIO DA NATIVIDADE"],
};

/** Boa Esperanca do Norte/MT, founded in 2025: older tables lack it. */
const NEWEST: readonly [ibge: string, tom: number] = ["5101837", 1182];

/** All municipalities and the distribution of companies. */
export interface Cities {
  readonly list: readonly SampleCity[];
  /** Picks an index of `list`. */
  readonly spread: Weighted;
  /** The share of each municipality in `list`. The shares sum to one. */
  readonly shares: Float64Array;
  /** Index of EXTERIOR in `list`. */
  readonly foreign: number;
  /** Index of the municipality that older tables lack. */
  readonly newest: number;
}

interface Place {
  readonly ibge: string;
  readonly name: string;
  readonly uf: string;
}

let built: Cities | null = null;

/** Builds all municipalities. They are the same for every seed. */
export function buildCities(): Cities {
  built ??= build();
  return built;
}

function build(): Cities {
  const places: Place[] = getMunicipalities()
    .map(({ code, name, stateCode }) => ({ ibge: code, name, uf: stateCode as string }))
    .sort((a, b) => (a.ibge < b.ibge ? -1 : 1));
  const toms = assignCodes(places);
  const byState = new Map<string, Place[]>();
  for (const place of places) byState.set(place.uf, [...(byState.get(place.uf) ?? []), place]);
  const list: SampleCity[] = [];
  const weights: number[] = [];
  for (const [uf, members] of byState) {
    const shares = stateShares(uf, members);
    const areas = getAreaCodesByState(uf as StateCode);
    for (const [index, place] of members.entries()) {
      const [, from, to] = STATES.get(uf) as StateRow;
      list.push({
        tom: toms.get(place.ibge) as number,
        name: RENAMED[place.ibge]?.[1] ?? fold(place.name),
        uf,
        ufBytes: latin1(uf),
        areaCode: Number(areas[Math.floor((index * areas.length) / members.length)]),
        postalPrefix: from + Math.floor((index * (to - from)) / members.length),
      });
      weights.push(shares[index] as number);
    }
  }
  const newest = list.findIndex((city) => city.tom === NEWEST[1]);
  list.push({
    tom: FOREIGN_TOM,
    name: "EXTERIOR",
    uf: "EX",
    ufBytes: latin1("EX"),
    areaCode: 0,
    postalPrefix: 0,
  });
  weights.push(FOREIGN_SHARE);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = Float64Array.from(weights, (weight) => weight / total);
  return { list, spread: new Weighted(weights), shares, foreign: list.length - 1, newest };
}

/** Converts a name to the registry's spelling: upper case, no accents, other marks unchanged. */
function fold(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}

function assignCodes(places: readonly Place[]): Map<string, number> {
  const toms = new Map<string, number>([[NEWEST[0], NEWEST[1]]]);
  for (const [ibge, [tom]] of Object.entries({ ...LARGEST, ...RENAMED })) toms.set(ibge, tom);
  const taken = new Set([...toms.values(), FOREIGN_TOM]);
  let tom = 0;
  for (const { ibge } of places) {
    if (toms.has(ibge)) continue;
    do tom += 1 + (hash(7, 1, tom) < 2 ** 31 ? 1 : 0);
    while (taken.has(tom));
    toms.set(ibge, tom);
  }
  return toms;
}

/** Returns the shares of a state's municipalities. Unknown shares form a long tail. */
function stateShares(uf: string, members: readonly Place[]): number[] {
  const total = (STATES.get(uf) as StateRow)[0];
  const fixed = members.map(({ ibge }) =>
    CAPITALS.has(ibge) ? total * 0.3 : (LARGEST[ibge]?.[1] ?? 0),
  );
  const order = members
    .map((place, index) => ({ index, large: LARGE.has(place.ibge), key: hash(7, 2, index) }))
    .filter(({ index }) => fixed[index] === 0)
    .sort((a, b) => Number(b.large) - Number(a.large) || a.key - b.key);
  const tail = order.map((_, rank) => (rank + 2) ** -0.85);
  const left = total - fixed.reduce((sum, share) => sum + share, 0);
  const tailSum = tail.reduce((sum, weight) => sum + weight, 0);
  for (const [rank, { index }] of order.entries()) {
    fixed[index] = (Math.max(left, 0) * (tail[rank] as number)) / tailSum;
  }
  return fixed;
}
