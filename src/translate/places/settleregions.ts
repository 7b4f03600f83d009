/**
 * Which region is meant, and what is said of it. What comes in: the mentions of a sentence, when
 * states beside them have been read. What goes out: nothing; of regions that share a name the meant
 * ones are left, and the notes count their municipalities.
 * Invariant: a region beside cities that lie in it only says where they are; its name never stands
 * for more than its regions.
 */
import type { Mention, PlaceContext } from "./mention.ts";
import type { City, MeantRegion } from "./placenames.ts";
import { linkOf } from "./readings.ts";

/** "Santos e Guarujá, Baixada Santista", "na Serra Gaúcha, em Gramado": the cities are meant. */
export function dropOuterRegions(context: PlaceContext, mentions: readonly Mention[]): void {
  for (const [at, outer] of mentions.entries()) {
    if (outer.regions.length === 0 || outer.joined || outer.dropped) continue;
    const inner = [...run(context, mentions, at, -1), ...run(context, mentions, at, 1)];
    const inside = (one: Mention) => one.cities.filter((city) => setOf(outer.cities).has(city));
    if (inner.length === 0 || inner.some((one) => inside(one).length === 0)) continue;
    for (const one of inner) one.cities = inside(one);
    outer.dropped = true;
    assumeInside(context, outer);
  }
}

/** Cities in a list that ends or begins beside a region. */
function run(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
  at: number,
  step: 1 | -1,
): Mention[] {
  const found: Mention[] = [];
  for (let next = at + step; next >= 0 && next < mentions.length; next += step) {
    const [one, last] = [mentions[next] as Mention, mentions[next - step] as Mention];
    const link = step > 0 ? linkOf(sentence, last, one) : linkOf(sentence, one, last);
    if (link === "apart") break;
    if (link === "listed" && found.length === 0) return [];
    if (one.states.length > 0 && one.cities.length === 0) break;
    const plain = one.regions.length === 0 && !one.capital && !one.part && !one.dropped;
    if (!plain || one.negated !== last.negated || one.cities.length === 0) return [];
    found.push(one);
  }
  return found;
}

function assumeInside({ notes, gazetteer }: PlaceContext, { regions, words, cities }: Mention) {
  const meant = regions.find(({ region }) => {
    return region.members(gazetteer).some((city) => cities.includes(city));
  });
  const name = meant?.region.name ?? words.words;
  notes.assume(
    "region_of_cities",
    {
      pt: `${name}: entendida como a região das cidades citadas.`,
      en: `${name}: taken for the region of the cities that are named.`,
    },
    words,
  );
}

/** Leaves of every mention of regions the meant ones, and counts them in the notes. */
export function settleRegions(context: PlaceContext, mentions: readonly Mention[]): void {
  const wished = keepingOf(wishedStates(mentions));
  for (const one of mentions) {
    if (one.dropped || one.regions.length === 0 || one.cities.length === 0) continue;
    if (one.negated) one.cities = wished(one.cities);
    const kept = (meant: MeantRegion) => keptOf(context, one, meant);
    const possible = one.regions.filter((meant) => kept(meant).length > 0);
    const usual = possible.filter((meant) => meant.usual);
    const chosen = possible.length > 1 && usual.length > 0 ? usual : possible;
    const [first] = chosen;
    if (first === undefined || chosen.length > 1) one.cities = [...new Set(chosen.flatMap(kept))];
    else one.cities = kept(first);
    if (possible.length > 1) assumeOne(context, one, { possible, chosen });
    for (const meant of chosen) assumeCount(context, one, meant, kept(meant));
  }
}

/** The municipalities of a region that are left of a mention; all of them are the region's list. */
function keptOf(
  { gazetteer }: PlaceContext,
  { cities }: Mention,
  { region }: MeantRegion,
): readonly City[] {
  const members = region.members(gazetteer);
  return members === cities ? members : members.filter((city) => setOf(cities).has(city));
}

/** Lists of municipalities as sets, made once for a list. */
const sets = new WeakMap<readonly City[], ReadonlySet<City>>();

function setOf(cities: readonly City[]): ReadonlySet<City> {
  const set = sets.get(cities) ?? new Set(cities);
  sets.set(cities, set);
  return set;
}

/**
 * "em Pernambuco, exceto a Zona da Mata": the one in the wished places is left out. Each list is
 * gone through once.
 */
function keepingOf(wished: ReadonlySet<string>): (cities: readonly City[]) => readonly City[] {
  const kept = new Map<readonly City[], readonly City[]>();
  return (cities) => {
    const known = kept.get(cities);
    if (known !== undefined) return known;
    const inside = cities.filter(({ uf }) => wished.has(uf));
    const own = inside.length === 0 || inside.length === cities.length ? cities : inside;
    kept.set(cities, own);
    return own;
  };
}

/** States that are wished, or that wished cities lie in. */
function wishedStates(mentions: readonly Mention[]): ReadonlySet<string> {
  const states = new Set<string>();
  const lists = new Set<readonly City[]>();
  for (const one of mentions) {
    if (one.negated || one.dropped) continue;
    for (const uf of one.states) states.add(uf);
    if (!lists.has(one.cities)) for (const { uf } of one.cities) states.add(uf);
    lists.add(one.cities);
  }
  return states;
}

interface Choice {
  readonly possible: readonly MeantRegion[];
  readonly chosen: readonly MeantRegion[];
}

function assumeOne({ notes }: PlaceContext, { words }: Mention, { possible, chosen }: Choice) {
  const used = chosen.map(({ region }) => region.name).join(", ");
  notes.assume(
    "region_of_several",
    {
      pt: `Há ${possible.length} regiões com esse nome; usado: ${used}.`,
      en: `${possible.length} regions have this name; used: ${used}.`,
    },
    words,
  );
}

function assumeCount(
  { notes }: PlaceContext,
  { words }: Mention,
  { region: { name } }: MeantRegion,
  cities: readonly City[],
): void {
  const one = cities.length === 1;
  notes.assume(
    "region_as_municipalities",
    {
      pt: `${name}: ${cities.length} ${one ? "município" : "municípios"}.`,
      en: `${name}: ${cities.length} ${one ? "municipality" : "municipalities"}.`,
    },
    words,
  );
}
