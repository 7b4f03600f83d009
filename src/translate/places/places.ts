/**
 * Reads the places of a sentence.
 * Input: a sentence and the gazetteer. Output: requested and excluded states and municipalities,
 * and the assumptions about ambiguous names.
 * Invariant: an unknown place is reported and never widens the search. A state directly next to a
 * city only says where the city is. A state joined by "e" or "ou" is requested.
 */

import { STATE_NAMES } from "../../spec/states.ts";
import { forgetReach } from "../negation.ts";
import type { Words } from "../words/sentence.ts";
import { requestAfterExclusion } from "./afterexclusion.ts";
import {
  settleLoneTown,
  settleQuarters,
  settleStateQuarters,
  settleTowns,
} from "./districts/quarters.ts";
import { namesakesMeant } from "./gazetteer.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import { findMentions } from "./mentions.ts";
import type { City } from "./placenames.ts";
import {
  chooseReadings,
  dropOuterRegions,
  linkOf,
  settleCapitals,
  settleRegions,
} from "./readings.ts";
import { dropBeyond } from "./unknownnames.ts";

/** Results of the stage. */
export interface FoundPlaces {
  readonly states: Set<string>;
  readonly cities: Map<string, City>;
  readonly excludedStates: Set<string>;
  readonly excludedCities: Map<string, City>;
  /** Words from the first to the last place of the sentence; undefined if there is no place. */
  readonly words: Words | undefined;
  /** Tokens of requested states and regions. An unknown name next to one of them lies inside it. */
  readonly wide: readonly Pick<Mention, "from" | "to">[];
  /** Tokens of every requested place. */
  readonly sought: readonly Mention[];
  /**
   * Number of ambiguous city names. Several municipalities have such a name, and none is much
   * larger than the others, so all of them are searched.
   */
  unsettled: number;
  /**
   * True if the sentence names an unknown place without which the search would cover more than
   * requested.
   */
  unknown: boolean;
}

/** Finds and claims every place. */
export function findPlaces(context: PlaceContext): FoundPlaces {
  const { sentence } = context;
  const mentions = findMentions(context);
  forgetReach(sentence);
  excludeListed(context, mentions);
  requestAfterExclusion(context, mentions);
  dropIncluded(context, mentions);
  const apart = leaveBranchPlaces(context, mentions);
  chooseReadings(sentence, mentions);
  settleQuarters(context, mentions);
  settleTowns(context, mentions);
  settleLoneTown(context, mentions);
  settleStateQuarters(context, mentions);
  dropOuterRegions(context, mentions);
  const beyond = dropBeyond(context, mentions);
  const lost = qualify(context, mentions) || beyond;
  settleCapitals(context, mentions);
  narrowApart(mentions);
  settleNamesakes(context, mentions);
  settleRegions(context, mentions);
  const first = mentions[0];
  const found: FoundPlaces = {
    ...{ states: new Set<string>(), cities: new Map<string, City>() },
    ...{ excludedStates: new Set<string>(), excludedCities: new Map<string, City>() },
    words: first && sentence.words(first.from, Math.max(...mentions.map(({ to }) => to))),
    ...{ wide: mentions.filter(isWide), unsettled: 0, unknown: false },
    sought: mentions.filter((one) => !one.negated && !one.dropped),
  };
  // Exclusions are collected last, because they apply to all requested places, wherever these stand
  // in the sentence.
  for (const negated of [false, true]) {
    const lists = new Set<readonly City[]>();
    for (const one of mentions) {
      if (one.negated === negated && !one.dropped) collect(context, found, one, lists);
    }
  }
  const isUnrestricted = found.states.size + found.cities.size === 0;
  const bare = mentions.some((one) => {
    const district = context.districts.named.has(one.at);
    return one.part && !one.negated && isEmpty(one) && !one.dropped && !district;
  });
  const widened = mentions.some((one) => {
    return one.lost && (one.negated || !isEmpty(one) || found.states.size > 0);
  });
  const strange = mentions.some((one, i) => {
    // In "SP e Xurupita do Pará", Xurupita is unknown. Without it, only the whole state SP would be
    // searched.
    const isRequested = one.strange && !one.negated;
    const isAdjacent = one.strange && isNextToPlace(context, mentions, i);
    return (isRequested && found.states.size > 0) || isAdjacent;
  });
  found.unknown = (isUnrestricted && bare) || lost || widened || strange || apart;
  return found;
}

/** Drops "Recife" in "em Pernambuco, incluindo Recife": another place contains it. */
function dropIncluded({ sentence }: PlaceContext, mentions: readonly Mention[]): void {
  for (const one of mentions) {
    if (one.negated || !INCLUDING.test(sentence.folded(one.from - 1))) continue;
    const codes = [...one.states, ...one.cities.map(({ uf }) => uf)];
    const wider = mentions.some((other) => {
      const here = other.dropped && isEmpty(other);
      return other !== one && (here || codes.some((uf) => other.states.includes(uf)));
    });
    if (wider) one.dropped = true;
  }
}

const INCLUDING = /^(inclusive|incluindo|including|incluyendo|inclusa|inclusas)$/;

const BRANCH = /^(filial|filiais|sucursal|sucursais|matriz|sede|branch|branches)$/;
const HAVING = /^(com|tem|tenha|tenham|possui|possua|possuam|with|have|has|having|uma|a)$/;

/**
 * Adds a note for the places of branches, because no filter takes them: "Londrina" in "padarias de
 * Curitiba com filial em Londrina". Returns true if the sentence also requests another place.
 */
function leaveBranchPlaces(
  { sentence, notes }: PlaceContext,
  mentions: readonly Mention[],
): boolean {
  const of = mentions.filter(({ from, negated, lead }, i) => {
    const number = sentence.tokens[from - 2]?.kind === "number";
    const had =
      BRANCH.test(sentence.folded(from - 1)) && (number || HAVING.test(sentence.folded(from - 2)));
    return had && lead.kind === "in" && !negated && i > 0;
  });
  const hasOther = mentions.some((one) => !of.includes(one) && !one.negated && !one.dropped);
  if (!hasOther) return false;
  for (const one of of) {
    one.dropped = true;
    notes.addUnmapped("branch_place", BRANCH_PLACE, one.words);
  }
  return of.length > 0;
}

const BRANCH_PLACE = {
  pt: "Nenhum filtro pergunta onde ficam os outros estabelecimentos de uma empresa.",
  en: "No filter asks where the other establishments of a company are.",
};

/**
 * Excludes a place that a comma joins to an excluded place if earlier places contain both: "no
 * Paraná, exceto Curitiba, Londrina".
 */
function excludeListed({ sentence }: PlaceContext, mentions: readonly Mention[]): void {
  const wide = new Set<string>();
  for (const [i, one] of mentions.entries()) {
    const last = mentions[i - 1];
    if (!one.negated && isWide(one)) for (const uf of one.states) wide.add(uf);
    if (last === undefined || !last.negated || one.negated || one.lead.kind !== "") continue;
    if (linkOf(sentence, last, one) !== "comma" || isLetters(one)) continue;
    const inside = (mention: Mention) =>
      mention.states.some((uf) => wide.has(uf)) || mention.cities.some(({ uf }) => wide.has(uf));
    if (isCity(one) === isCity(last) && inside(last) && inside(one)) one.negated = true;
  }
}

/**
 * True if the mention at index `at` stands next to a place that may contain it: "Xurupita do Sul,
 * RS", "Barra da Tijuca, Rio".
 */
function isNextToPlace(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
  at: number,
): boolean {
  const [before, one, following] = [mentions[at - 1], mentions[at] as Mention, mentions[at + 1]];
  const near = (link: string) => link === "direct" || link === "comma";
  const isAround =
    following !== undefined && (isWide(following) || isCity(following)) && !following.dropped;
  const ahead = isAround && near(linkOf(sentence, one, following));
  return ahead || (before !== undefined && isWide(before) && near(linkOf(sentence, before, one)));
}

/** True for a requested state or region. */
function isWide({ states, regions, dropped, negated }: Mention): boolean {
  return !dropped && !negated && states.length + regions.length > 0;
}

function isEmpty({ states, cities }: Mention): boolean {
  return states.length + cities.length === 0;
}

/**
 * Restricts the name of a city to the state next to it: "Bom Jesus/PI". Returns true if one of
 * these states has no such city.
 */
function qualify(context: PlaceContext, mentions: readonly Mention[]): boolean {
  let lost = false;
  for (const [i, mention] of mentions.entries()) {
    const last = mentions[i - 1];
    if (last === undefined || last.negated !== mention.negated) continue;
    if (mention.dropped || last.dropped || mention.capital) continue;
    const link = linkOf(context.sentence, last, mention);
    if (link !== "direct" && link !== "comma") continue;
    const next = mentions[i + 1];
    const ends = next === undefined || linkOf(context.sentence, mention, next) === "apart";
    const isLast = !last.joined || link === "comma";
    const address = ends && isLast && mention.to - mention.at === 1 && isLetters(mention);
    if (isCity(last) && isState(mention)) {
      lost = stateBehind(context, { city: last, state: mention, address }) || lost;
      if (mention.dropped) narrowList(context, mentions, i);
    } else if (isState(last) && isCity(mention) && narrow(mention, last))
      assumeInside(context, last);
  }
  return lost;
}

/**
 * Adds the assumption that the state in "em SP, Campinas e Santos" only says where the cities are.
 */
function assumeInside({ notes }: PlaceContext, { words, states }: Mention): void {
  notes.assume(
    "state_of_cities",
    {
      pt: `${states.join(", ")} foi entendido como o estado das cidades citadas em seguida.`,
      en: `${states.join(", ")} was taken for the state of the cities named after it.`,
    },
    words,
  );
}

function isCity({ states, cities }: Mention): boolean {
  return cities.length > 0 && states.length === 0;
}

function isState({ states, cities }: Mention): boolean {
  return states.length > 0 && cities.length === 0;
}

/**
 * Keeps only those cities with a name that are in the state. The state itself is then not a filter.
 * Returns false if the state has no such city.
 */
function narrow(city: Mention, state: Mention): boolean {
  const inside = citiesInside(city.cities, state.states);
  if (inside.length === 0) return false;
  city.cities = inside;
  state.dropped = true;
  return true;
}

const INSIDE = new WeakMap<readonly City[], Map<string, readonly City[]>>();

/** Returns the cities that are in the given states. Equal arguments return the same list object. */
function citiesInside(cities: readonly City[], states: readonly string[]): readonly City[] {
  let byStates = INSIDE.get(cities);
  if (byStates === undefined) {
    byStates = new Map();
    INSIDE.set(cities, byStates);
  }
  const key = states.join();
  let inside = byStates.get(key);
  if (inside === undefined) {
    const some = cities.filter(({ uf }) => states.includes(uf));
    // If all cities remain, the original list is returned, so that caches keyed by it stay valid.
    inside = some.length === cities.length ? cities : some;
    byStates.set(key, inside);
  }
  return inside;
}

/**
 * Applies a state also to the other cities in the list before it: "Praia Grande e São Vicente, SP".
 */
function narrowList(context: PlaceContext, mentions: readonly Mention[], i: number): void {
  const state = mentions[i] as Mention;
  if (linkOf(context.sentence, mentions[i - 1] as Mention, state) === "direct") {
    if (!state.part && !state.lead.mark) return;
  }
  for (let at = i - 2; at >= 0; at--) {
    const [city, next] = [mentions[at] as Mention, mentions[at + 1] as Mention];
    const link = linkOf(context.sentence, city, next);
    if (!isCity(city) || link === "apart" || link === "direct" || city.cities.length < 2) return;
    if (narrow(city, state)) assumeInside(context, state);
  }
}

/** True for a state named by its two letters, as at the end of an address. */
function isLetters({ words }: Mention): boolean {
  return /(^|[^\p{L}])\p{L}{2}$/u.test(words.words);
}

interface AdjacentNames {
  readonly city: Mention;
  readonly state: Mention;
  /** True if city and state are written as in an address: "Taguatinga, DF". */
  readonly address: boolean;
}

/**
 * Reads a state after a city: "Bom Jesus/PI". If the state has no such city and the name means no
 * other place, searches the state, reports the name as unknown, and returns true.
 */
function stateBehind(context: PlaceContext, { city, state, address }: AdjacentNames): boolean {
  if (narrow(city, state)) return false;
  const { sentence, notes } = context;
  const binds =
    address || state.lead.mark || (state.lead.kind !== "" && !state.region && !state.adjective);
  if (!binds || state.states.length > 1 || city.part) return false;
  const [uf = ""] = state.states;
  const full = `${sentence.words(city.at, city.to).words} ${STATE_NAMES[uf]}`;
  const cities = context.gazetteer.places.named(full)?.cities.filter((one) => one.uf === uf) ?? [];
  if (cities.length > 0) {
    city.cities = cities;
    state.dropped = true;
    return false;
  }
  const words = sentence.words(city.from, state.to);
  const detail = {
    pt: `Não há município com esse nome em ${uf}.`,
    en: `There is no municipality of this name in ${uf}.`,
  };
  notes.warn("unknown_place", detail, words);
  notes.addUnmapped("place", detail, words);
  city.dropped = true;
  return true;
}

/**
 * If city and state stand in different parts of the sentence, the state only says where the city
 * is: "empresas paulistas em Campinas", "de SP, abertas em Campinas".
 */
function narrowApart(mentions: readonly Mention[]): void {
  const included = mentions.filter((one) => !one.negated && !one.dropped);
  const cities = included.filter((one) => isCity(one) && !one.joined);
  // A state named again has the same effect as before, so the result is cached for each state.
  const inside = new Map<string, boolean>();
  for (const state of included) {
    if (!isState(state) || state.joined) continue;
    const key = state.states.join();
    const known = inside.get(key);
    if (known === true) state.dropped = true;
    if (known !== undefined) continue;
    for (const city of cities) narrow(city, state);
    inside.set(key, state.dropped);
  }
  const named = new Set(
    included
      .filter((one) => !one.adjective && !one.dropped && isState(one))
      .flatMap((s) => s.states),
  );
  for (const one of included) {
    if (!one.adjective || one.joined || !isState(one)) continue;
    if (one.states.some((uf) => named.has(uf))) one.dropped = true;
  }
}

/**
 * Chooses one city for each name that several cities share, unless one of them is a capital. The
 * city must be in the state of the other cities: "Mossoró, Macau e Areia Branca".
 */
function settleNamesakes({ notes }: PlaceContext, mentions: readonly Mention[]): void {
  const included = mentions.filter((one) => !one.negated && !one.dropped && isCity(one));
  if (included.length < 2) return;
  const open = included.filter((one) => !one.every && !one.capital && !one.adjective);
  const single = open.filter(({ cities }) => cities.length === 1);
  const firm = new Set(single.map(({ cities }) => cities[0]?.uf));
  // If all names are ambiguous, as in "Cascavel e Toledo", the only state that has a city of each
  // name is chosen.
  if (firm.size === 0 && open.length > 1) {
    const states = open.map((one) => one.cities.map(({ uf }) => uf));
    const common = new Set(states.reduce((some, own) => some.filter((uf) => own.includes(uf))));
    if (common.size === 1) for (const uf of common) firm.add(uf);
  }
  for (const one of open) {
    if (one.cities.length < 2 || one.cities.some(({ capital }) => capital)) continue;
    if (firm.size !== 1 && namesakesMeant(one.cities).length < 2) continue;
    const inside = one.cities.filter(({ uf }) => firm.has(uf));
    const [city] = inside;
    if (city === undefined || inside.length === one.cities.length) continue;
    if (new Set(inside.map(({ uf }) => uf)).size > 1) continue;
    one.cities = inside;
    notes.assume(
      "city_of_several_states",
      {
        pt: `Entre os municípios com esse nome, o do estado dos outros: ${city.name}/${city.uf}.`,
        en: `Of the municipalities of this name, that near the others: ${city.name}/${city.uf}.`,
      },
      one.words,
    );
  }
}

/**
 * Adds the places of a mention to the result. `lists` holds the lists of cities that were already
 * added, so that they are skipped.
 */
function collect(
  context: PlaceContext,
  found: FoundPlaces,
  mention: Mention,
  lists: Set<readonly City[]>,
): void {
  const { states, cities, negated } = mention;
  for (const uf of states) (negated ? found.excludedStates : found.states).add(uf);
  const isStated = mention.lead.state || mention.lead.states;
  if (negated && mention.either && states.length > 0 && !isStated) assumeState(context, mention);
  if (cities.length === 0 || states.length > 0) return;
  if (mention.every && lists.has(cities)) return;
  const chosen = negated ? excludedOf(found, mention) : chooseNamesakes(context, mention);
  if (!negated && isUnsettled(mention, chosen)) found.unsettled++;
  for (const city of chosen) (negated ? found.excludedCities : found.cities).set(city.ibge, city);
  if (mention.every) lists.add(cities);
}

function isUnsettled({ capital, adjective, every }: Mention, chosen: readonly City[]): boolean {
  return chosen.length > 1 && !(capital || adjective || every);
}

/** Adds the assumption that "fora de São Paulo" excludes the state and not only the city. */
function assumeState({ notes }: PlaceContext, { states, words }: Mention): void {
  notes.assume(
    "state_not_city",
    {
      pt: `Entendido como o estado (${states.join(", ")}), não o município.`,
      en: `Taken for the state (${states.join(", ")}), not the municipality.`,
    },
    words,
  );
}

/**
 * Returns the cities that the name of an excluded place means. If some of them are inside the
 * requested places, returns only those.
 */
function excludedOf(found: FoundPlaces, { cities, every }: Mention): readonly City[] {
  const inside = cities.filter(({ uf, ibge }) => found.states.has(uf) || found.cities.has(ibge));
  if (inside.length > 0) return inside.length === cities.length ? cities : inside;
  return every ? cities : namesakesMeant(cities);
}

/** Returns the municipalities that a name means. Adds an assumption if others share it. */
function chooseNamesakes({ notes }: PlaceContext, mention: Mention): readonly City[] {
  const { cities, words, capital, lead, adjective } = mention;
  if (capital || adjective || mention.every) return cities;
  if (cities.length < 2) {
    const [city] = cities;
    if (mention.either && !lead.city && city !== undefined) {
      notes.assume(
        "city_not_state",
        {
          pt: `Entendido como o município (${city.name}/${city.uf}), não o estado.`,
          en: `Taken for the municipality (${city.name}/${city.uf}), not the state.`,
        },
        words,
      );
    }
    return cities;
  }
  const chosen = namesakesMeant(cities);
  const list = chosen.map(({ name, uf }) => `${name}/${uf}`).join(", ");
  notes.assume(
    "city_of_several_states",
    {
      pt: `Há ${cities.length} municípios com esse nome; usado: ${list}.`,
      en: `${cities.length} municipalities have this name; used: ${list}.`,
    },
    words,
  );
  return chosen;
}
