/**
 * Lists all activities of a sample (a synthetic release of the registry) with their names, their
 * weights by status, and the favorites of each city.
 * Invariant: every current subclass can occur. Discontinued codes and 8888888 (not informed) come
 * last in the list, and only on old or closed establishments.
 */
import { activityName } from "../activities.ts";
import { buildCities } from "./cities.ts";
import { hash, Random, Weighted } from "./random.ts";

interface Activity {
  /** Seven digits as a number. */
  readonly code: number;
  readonly name: string;
}

/** Discontinued subclasses on old rows, with their former names. */
const DISCONTINUED: Readonly<Record<string, string>> = {
  "1610201": "Serrarias com desdobramento de madeira",
  "4541205": "Com\u00e9rcio a varejo de pe\u00e7as e acess\u00f3rios para motocicletas e motonetas",
  "4713001": "Lojas de departamentos ou magazines",
  "4721101": "Padaria e confeitaria com predomin\u00e2ncia de produ\u00e7\u00e3o pr\u00f3pria",
  "4751200": "Com\u00e9rcio varejista de equipamentos e suprimentos de inform\u00e1tica",
  "5611202": "Bares e outros estabelecimentos especializados em servir bebidas",
  "5812300": "Edi\u00e7\u00e3o de jornais",
  "6201500": "Desenvolvimento de programas de computador sob encomenda",
  "8020000": "Atividades de monitoramento de sistemas de seguran\u00e7a",
  "9412000": "Atividades de organiza\u00e7\u00f5es associativas profissionais",
  "9609203": "Alojamento, higiene e embelezamento de animais",
};

const CNAE_NOT_INFORMED = 8888888;
/** Code of election campaigns, which have their own legal nature. */
export const CNAE_CAMPAIGN = 9492800;

/** Parses `code share, code share`. */
function shares(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    text.split(",").map((pair): [string, number] => {
      const [code, share] = pair.trim().split(" ");
      return [code as string, Number(share)];
    }),
  );
}

/** Most frequent activities of active establishments, with shares in percent. */
const FREQUENT = shares(`
  4781400 3.9, 9602501 3.8, 8219999 2.2, 4399103 2.2, 7319002 2.0, 8599604 1.9, 5611203 1.8,
  4321500 1.8, 6462000 1.5, 5229099 1.5, 4712100 1.5, 4930202 1.5, 8112500 0.3, 9602502 1.4,
  9430800 0.3, 5612100 1.2, 8211300 1.2, 4930201 1.2, 4744099 1.2, 5320202 1.2, 5620104 1.2,
  9700500 1.2, 5320201 1.2, 4520001 1.1, 5611201 1.1`);

/** Divisions whose share of active establishments is known, in percent. */
const DIVISIONS = shares(`
  47 17.6, 96 6.2, 56 6.1, 43 5.5, 82 4.9, 49 4.6, 85 4.5, 45 4.5, 86 3.5, 94 3.3, 01 2.7, 46 2.8,
  62 1.9, 73 2.6, 68 1.3, 53 2.4, 81 0.8, 71 1.3, 69 1.3, 41 1.1, 74 1.1, 14 1.1, 10 0.9, 95 1.3,
  77 0.9, 93 0.9, 90 0.9, 64 1.8, 66 0.6, 52 1.9, 97 1.2, 25 0.6, 33 0.6, 31 0.5, 55 0.4, 63 0.5,
  70 0.9, 79 0.3, 80 0.3`);
const OTHER_DIVISION = 0.07;

/** Probability of one of the city's favorite activities, which correlates activity and city. */
const FAVOURITE_CHANCE = 0.4;
const FAVOURITES = 10;

/** All activities and their distribution. */
export interface Activities {
  readonly list: readonly Activity[];
  /** Number of current subclasses. They come first in `list`. */
  readonly current: number;
  /** Picks an index of `list` for an establishment in a city; `active` excludes old codes. */
  pick(random: Random, city: number, active: boolean): number;
}

let built: Activities | null = null;

/** Builds all activities. They are the same for every seed. */
export function buildActivities(): Activities {
  built ??= build(buildCities().list.length);
  return built;
}

function build(cityCount: number): Activities {
  const list = currentActivities();
  const current = list.length;
  for (const [code, name] of Object.entries(DISCONTINUED)) list.push({ code: Number(code), name });
  list.push({ code: CNAE_NOT_INFORMED, name: "Atividade Econ\u00f4nica n\u00e3o informada" });
  const weights = list.map(({ code }, index) => (index < current ? weigh(code, list) : 0));
  const spread = new Weighted(weights);
  const old = new Weighted(
    list.map((_, i) => (i < current ? (weights[i] as number) : i < list.length - 1 ? 0.04 : 3.6)),
  );
  const favourites = new Uint16Array(cityCount * FAVOURITES);
  const random = new Random(20);
  for (let i = 0; i < favourites.length; i++) favourites[i] = spread.pick(random.place(1, i));
  const pick = (source: Random, city: number, active: boolean): number => {
    if (source.chance(FAVOURITE_CHANCE * (active ? 1 : 0.8))) {
      // The product of two uniform numbers makes the first favorites more likely.
      const slot = (source.unit() * source.unit() * FAVOURITES) | 0;
      return favourites[city * FAVOURITES + slot] as number;
    }
    return (active ? spread : old).pick(source);
  };
  return { list, current, pick };
}

/**
 * Lists current subclasses. The package only looks up single codes, so this function tries codes
 * one by one. A class without the subclasses 00 to 03 has no others, and is skipped.
 */
function currentActivities(): Activity[] {
  const list: Activity[] = [];
  const add = (code: number): boolean => {
    const name = activityName(String(code).padStart(7, "0"));
    if (name !== null) list.push({ code, name });
    return name !== null;
  };
  for (let group = 1000; group < 100_000; group++) {
    const first = group * 100;
    let isClass = false;
    for (let suffix = 0; suffix < 4; suffix++) isClass = add(first + suffix) || isClass;
    for (let suffix = 4; isClass && suffix < 100; suffix++) add(first + suffix);
  }
  return list;
}

/** Returns a code's share. Codes without a known share get parts of their division's remainder. */
function weigh(code: number, list: readonly Activity[]): number {
  const text = String(code).padStart(7, "0");
  const known = FREQUENT[text];
  if (known !== undefined) return known;
  const division = text.slice(0, 2);
  const named = Object.entries(FREQUENT)
    .filter(([other]) => other.startsWith(division))
    .reduce((sum, [, share]) => sum + share, 0);
  const left = Math.max((DIVISIONS[division] ?? OTHER_DIVISION) - named, 0.05);
  return (left * tailWeight(code)) / divisionTail(division, list);
}

const tails = new Map<string, number>();

function divisionTail(division: string, list: readonly Activity[]): number {
  const known = tails.get(division);
  if (known !== undefined) return known;
  const first = Number(division) * 100_000;
  const sum = list
    .filter(({ code }) => code >= first && code < first + 100_000)
    .reduce((total, { code }) => total + tailWeight(code), 0);
  tails.set(division, sum);
  return sum;
}

/** Returns a heavy-tailed weight that depends only on the code. */
function tailWeight(code: number): number {
  return 1 / (1 + (hash(7, 3, code) % 40)) ** 1.2;
}
