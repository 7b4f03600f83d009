/**
 * The stage of places. What comes in: a sentence and the gazetteer. What goes out: states and
 * municipalities that are wished and excluded, with what was assumed about names that stand for
 * several.
 * Invariant: a place that is not known is said to be so and never widens the search; a state right
 * behind or before a city only says which city is meant, one joined by "e" or "ou" is a wish.
 */

import { STATE_NAMES } from "../../spec/states.ts";
import { forgetReach } from "../negation.ts";
import type { Words } from "../words/sentence.ts";
import { settleLoneTown, settleQuarters, settleTowns } from "./districts/quarters.ts";
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
import { dropBeyond } from "./strangers.ts";
import { wishBehindExclusion } from "./wishedbehind.ts";

/** What the stage has found. */
export interface FoundPlaces {
  readonly states: Set<string>;
  readonly cities: Map<string, City>;
  readonly excludedStates: Set<string>;
  readonly excludedCities: Map<string, City>;
  /** From the first to the last place of the sentence; undefined without any. */
  readonly words: Words | undefined;
  /** Tokens of states and regions that are wished: an unknown name beside one lies in it. */
  readonly wide: readonly Pick<Mention, "from" | "to">[];
  /** Tokens of every place that is wished. */
  readonly sought: readonly Mention[];
  /** Names of several municipalities of which none outweighs the others, so that all are meant. */
  unsettled: number;
  /** True when a place was named that nobody knows, and none that is known bounds the search. */
  unknown: boolean;
}

/** Finds and claims every place. */
export function findPlaces(context: PlaceContext): FoundPlaces {
  const { sentence } = context;
  const mentions = findMentions(context);
  forgetReach(sentence);
  excludeListed(context, mentions);
  wishBehindExclusion(context, mentions);
  dropIncluded(context, mentions);
  const apart = leaveBranchPlaces(context, mentions);
  chooseReadings(sentence, mentions);
  settleQuarters(context, mentions);
  settleTowns(context, mentions);
  settleLoneTown(context, mentions);
  dropOuterRegions(context, mentions);
  const beyond = dropBeyond(context, mentions);
  const lost = qualify(context, mentions) || beyond;
  settleCapitals(context, mentions);
  narrowApart(mentions);
  settleRegions(context, mentions);
  const first = mentions[0];
  const found: FoundPlaces = {
    ...{ states: new Set<string>(), cities: new Map<string, City>() },
    ...{ excludedStates: new Set<string>(), excludedCities: new Map<string, City>() },
    words: first && sentence.words(first.from, Math.max(...mentions.map(({ to }) => to))),
    ...{ wide: mentions.filter(isWide), unsettled: 0, unknown: false },
    sought: mentions.filter((one) => !one.negated && !one.dropped),
  };
  // What is excluded is looked for in all that is wished, wherever it stands.
  for (const negated of [false, true]) {
    const lists = new Set<readonly City[]>();
    for (const one of mentions) {
      if (one.negated === negated && !one.dropped) collect(context, found, one, lists);
    }
  }
  const wishless = found.states.size + found.cities.size === 0;
  const bare = mentions.some((one) => {
    const district = context.districts.named.has(one.at);
    return one.part && !one.negated && isEmpty(one) && !one.dropped && !district;
  });
  const widened = mentions.some((one) => {
    return one.lost && (one.negated || !isEmpty(one) || found.states.size > 0);
  });
  const strange = mentions.some((one, i) => {
    // "SP e Xurupita do Pará": of two places one is not known, and all of the other is a state.
    const asked = one.strange && !one.negated;
    return (asked && found.states.size > 0) || (one.strange && isBesideWide(context, mentions, i));
  });
  const wide = lost && found.cities.size === 0;
  found.unknown = (wishless && bare) || wide || widened || strange || apart;
  return found;
}

/** "em Pernambuco, incluindo Recife": what lies in another place of the sentence asks no more. */
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
 * "padarias de Curitiba com filial em Londrina": where another establishment is, which no filter
 * asks; true where there is such a place, and one that is sought.
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
  const sought = mentions.some((one) => !of.includes(one) && !one.negated && !one.dropped);
  if (!sought) return false;
  for (const one of of) {
    one.dropped = true;
    notes.leave("branch_place", BRANCH_PLACE, one.words);
  }
  return of.length > 0;
}

const BRANCH_PLACE = {
  pt: "Nenhum filtro pergunta onde ficam os outros estabelecimentos de uma empresa.",
  en: "No filter asks where the other establishments of a company are.",
};

/**
 * "no Paraná, exceto Curitiba, Londrina": what a comma joins to a place that is left out, where
 * all of them lie in what is named before, is left out as well.
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

/** "Xurupita do Sul, RS": an unknown name beside the state or the region that it lies in. */
function isBesideWide(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
  at: number,
): boolean {
  const [before, one, behind] = [mentions[at - 1], mentions[at] as Mention, mentions[at + 1]];
  const near = (link: string) => link === "direct" || link === "comma";
  const ahead = behind !== undefined && isWide(behind) && near(linkOf(sentence, one, behind));
  return ahead || (before !== undefined && isWide(before) && near(linkOf(sentence, before, one)));
}

/** More than a single city. */
function isWide({ states, regions, dropped, negated }: Mention): boolean {
  return !dropped && !negated && states.length + regions.length > 0;
}

function isEmpty({ states, cities }: Mention): boolean {
  return states.length + cities.length === 0;
}

/** States beside cities; true when a city was named with a state that has none of that name. */
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
    const address = ends && !last.joined && mention.to - mention.at === 1 && isLetters(mention);
    if (isCity(last) && isState(mention)) {
      lost = stateBehind(context, { city: last, state: mention, address }) || lost;
      if (mention.dropped) narrowList(context, mentions, i);
    } else if (isState(last) && isCity(mention) && narrow(mention, last))
      assumeInside(context, last);
  }
  return lost;
}

/** "em SP, Campinas e Santos": the state was read as where the cities are. */
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

/** Of the namesakes those of the state; the state itself is no wish then. */
function narrow(city: Mention, state: Mention): boolean {
  const inside = citiesInside(city.cities, state.states);
  if (inside.length === 0) return false;
  city.cities = inside;
  state.dropped = true;
  return true;
}

/** Lists of cities by the states that they were narrowed to. */
const INSIDE = new WeakMap<readonly City[], Map<string, readonly City[]>>();

/** Returns the cities in some states; a region that is named again has the same list again. */
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
    // The same list stays the same, so that what is known of it holds.
    inside = some.length === cities.length ? cities : some;
    byStates.set(key, inside);
  }
  return inside;
}

/** "Praia Grande e São Vicente, SP": the state holds for the namesakes listed before as well. */
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

/** Two letters, as at the end of an address. */
function isLetters({ words }: Mention): boolean {
  return /(^|[^\p{L}])\p{L}{2}$/u.test(words.words);
}

interface Beside {
  readonly city: Mention;
  readonly state: Mention;
  /** Written as at the end of an address: "Taguatinga, DF". */
  readonly address: boolean;
}

/**
 * "Bom Jesus/PI": true when the state has no such city and cannot be meant as another place; the
 * state is searched then, and the name said to be unknown.
 */
function stateBehind(context: PlaceContext, { city, state, address }: Beside): boolean {
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
  notes.leave("place", detail, words);
  city.dropped = true;
  // The Federal District has quarters with names of their own, and one municipality.
  return uf !== "DF";
}

/** "empresas paulistas em Campinas", "de SP, abertas em Campinas": both must hold. */
function narrowApart(mentions: readonly Mention[]): void {
  const wished = mentions.filter((one) => !one.negated && !one.dropped);
  const cities = wished.filter((one) => isCity(one) && !one.joined);
  // A state that is named again finds every city inside of it or outside, as the first one left it.
  const inside = new Map<string, boolean>();
  for (const state of wished) {
    if (!isState(state) || state.joined) continue;
    const key = state.states.join();
    const known = inside.get(key);
    if (known === true) state.dropped = true;
    if (known !== undefined) continue;
    for (const city of cities) narrow(city, state);
    inside.set(key, state.dropped);
  }
  const named = new Set(
    wished.filter((one) => !one.adjective && !one.dropped && isState(one)).flatMap((s) => s.states),
  );
  for (const one of wished) {
    if (!one.adjective || one.joined || !isState(one)) continue;
    if (one.states.some((uf) => named.has(uf))) one.dropped = true;
  }
}

/** Adds what a mention means; `lists` are the regions taken in before: each is taken in once. */
function collect(
  context: PlaceContext,
  found: FoundPlaces,
  mention: Mention,
  lists: Set<readonly City[]>,
): void {
  const { states, cities, negated } = mention;
  for (const uf of states) (negated ? found.excludedStates : found.states).add(uf);
  const said = mention.lead.state || mention.lead.states;
  if (negated && mention.either && states.length > 0 && !said) assumeState(context, mention);
  if (cities.length === 0 || states.length > 0) return;
  if (mention.every && lists.has(cities)) return;
  const chosen = negated ? excludedOf(found, mention) : chooseNamesakes(context, mention);
  if (!negated && isUnsettled(mention, chosen)) found.unsettled++;
  for (const city of chosen) (negated ? found.excludedCities : found.cities).set(city.ibge, city);
  if (mention.every) lists.add(cities);
}

/** A name for which nothing says which of several municipalities is meant. */
function isUnsettled({ capital, adjective, every }: Mention, chosen: readonly City[]): boolean {
  return chosen.length > 1 && !(capital || adjective || every);
}

/** "fora de São Paulo": leaves more out than the city alone would. */
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

/** Namesakes that are excluded: those in the wished states, where there are any. */
function excludedOf(found: FoundPlaces, { cities, every }: Mention): readonly City[] {
  const inside = cities.filter(({ uf, ibge }) => found.states.has(uf) || found.cities.has(ibge));
  if (inside.length > 0) return inside.length === cities.length ? cities : inside;
  return every ? cities : namesakesMeant(cities);
}

/** The municipalities that a name stands for, with an assumption where it is not the only one. */
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
