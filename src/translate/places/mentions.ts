/**
 * Finds names of places in a sentence.
 * Input: a sentence and the gazetteer. Output: every mention with its possible meanings, its words
 * marked as read. places.ts chooses between the meanings.
 * Invariant: a name that is also a trade or everyday word is a place only if the words around it
 * say so. Parts of places ("interior de SP") are mentions of the whole place, and a note reports
 * the part. Names with a negating word (Juiz de Fora, Sem-Peixe, Não-Me-Toque) are found first,
 * so that the word never negates. If the name begins with that word, other words must show that it
 * is a place, because "restaurantes sem peixe" is a request.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsRequest, isInTrade } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { isNegatorWord } from "../negators.ts";
import { numberAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import { type Mention, meaningOf, mentionOf, type PlaceContext } from "./mention.ts";
import { findPart } from "./parts.ts";
import type { City, Place, PlaceMatch } from "./placenames.ts";
import {
  isAfterTrade,
  isCapitalised,
  isMeant,
  isShouted,
  isStateNextTo,
  isStyle,
  longerEnd,
} from "./placesigns.ts";
import { isIn, isMoney, isOf, leadOf, QUARTER_HEADS, QUARTERS, STREETS } from "./placewords.ts";
import { radiusAt } from "./radius.ts";
import { unknownNameAt, unknownNameEnd, unmapUnknownName } from "./unknownnames.ts";

/** Returns every mention in text order and marks its words as read. */
export function findMentions(context: PlaceContext): Mention[] {
  const { sentence } = context;
  const found: Mention[] = [];
  const firm = firmNames(context);
  const take = (read: (at: number) => Mention | null) => {
    for (let at = 0; at < sentence.tokens.length; at++) {
      const mention = sentence.free(at) ? read(at) : null;
      if (mention === null) continue;
      found.push(mention);
      at = mention.to - 1;
    }
  };
  take(
    (at) =>
      radiusAt(context, at, { last: found.at(-1), firm }) ??
      streetAt(context, at) ??
      findPart(context, at, found.at(-1)) ??
      unknownNameAt(context, at) ??
      capitalAt(context, found, at) ??
      abbreviationAt(context, found, at) ??
      nameAt(context, { found, firm }, at),
  );
  for (const mention of found) claimCountOf(sentence, mention);
  // Adjectives come last, because their meaning depends on the other places.
  const others = otherPlaces(found);
  take((at) => adjectiveAt(context, others, at));
  return found.sort((a, b) => a.at - b.at);
}

/** Marks the number of states of a region as read: "três" in "nos três estados do Sul". */
function claimCountOf(sentence: Sentence, { lead, states }: Mention): void {
  if (!lead.states || states.length < 2) return;
  for (let at = lead.from - 1; at >= lead.from - 2; at--) {
    const number = sentence.free(at) ? numberAt(sentence, at) : null;
    if (number?.value === states.length) sentence.claim(at, number.to, "place");
  }
}

/** Abbreviations of states that are not also words. They name the state even in lower case. */
const CLEAR = new Set("sp rj mg rs sc df ba mt ms pb rn".split(" "));

/** Reads the two letters of a state: `SP`, `/sp`, `em sp`. */
function abbreviationAt(
  context: PlaceContext,
  found: readonly Mention[],
  at: number,
): Mention | null {
  const uf = stateAt(context.sentence, at);
  if (uf === null || !isAbbreviation(context, found.at(-1), at)) return null;
  const { sentence } = context;
  if (sentence.folded(at + 1) === "capital" && !isMoney(sentence, at + 1)) {
    const capital = context.gazetteer.capitalOf(uf);
    if (capital !== undefined)
      return mentionOf(context, [at, at + 2], { cities: [capital], every: true });
  }
  return mentionOf(context, [at, at + 1], { states: [uf] });
}

function stateAt(sentence: Sentence, at: number): string | null {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || token.text.length !== 2) return null;
  // In "preciso mt de", the letters are chat spelling and were already read as another word.
  if (token.folded !== token.text.toLowerCase()) return null;
  const uf = token.text.toUpperCase();
  return STATE_NAMES[uf] === undefined ? null : uf;
}

function isAbbreviation(context: PlaceContext, last: Mention | undefined, at: number): boolean {
  const { sentence } = context;
  const text = sentence.tokens[at]?.text ?? "";
  const uf = text.toUpperCase();
  const folded = text.toLowerCase();
  if (text === uf && !isShouted(sentence)) return true;
  if (CLEAR.has(folded)) return true;
  // In "pe de serra ba", the longer name of a place begins with the letters and takes precedence.
  const own = context.gazetteer.places.longest(sentence.tokens, at);
  if (own !== null && own.words > 1 && isStateNextTo(sentence, own)) return false;
  if (isAfterTrade(context, at) && endsPhrase(sentence, at + 1)) return true;
  const next = context.gazetteer.places.longest(sentence.tokens, at + 1);
  if (next?.place.cities.some((city) => city.uf === uf) === true) return true;
  const lead = leadOf(sentence, at);
  if (lead.state || lead.states || lead.mark) return true;
  if (lead.kind === "in") return !(folded === "se" && sentence.folded(at + 1).endsWith("ndo"));
  if (lead.kind === "of") return !["se", "ac", "ap"].includes(folded);
  if (last === undefined) return false;
  const gap = sentence.words(last.to, at).words.trim();
  const joined = last.to < at && /^[,;/]$|^(e|y|ou|o|and|or|nem|ni)$/i.test(gap);
  if (joined && last.cities.length === 0) return true;
  // "Fortaleza ce" and "Recife, pe" name a state only if that state has the city.
  const isAdjacent = last.to === at || gap === ",";
  return isAdjacent && last.cities.some((city) => city.uf === uf);
}

/**
 * True if the words after the abbreviation of a state show that it means the state: "padaria pr",
 * "padarias to com telefone".
 */
function endsPhrase(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark") return true;
  return BEHIND_LETTERS.has(token.folded) || beginsRequest(sentence, at);
}

const BEHIND_LETTERS = new Set("com sem with without que exceto fora menos do".split(" "));

/**
 * Returns the end of the name of a district if its first words name a town, as in "Jardim Paulista"
 * and "Vila Madalena". Otherwise returns null.
 */
function quarterEnd(sentence: Sentence, { from, to, words }: PlaceMatch): number | null {
  if (words > 1 || !QUARTERS.has(sentence.folded(from)) || !isCapitalised(sentence, from))
    return null;
  let end = to;
  while (sentence.free(end) && isCapitalised(sentence, end) && stateAt(sentence, end) === null)
    end++;
  return end === to ? null : end;
}

/** Returns a mention of the longest name at a token, or null if it means no place there. */
function nameAt(
  context: PlaceContext,
  { found, firm }: { found: readonly Mention[]; firm: ReadonlyMap<number, PlaceMatch> },
  at: number,
): Mention | null {
  const { sentence, gazetteer } = context;
  const usable = (index: number) => sentence.free(index);
  const match = firm.get(at) ?? gazetteer.places.longest(sentence.tokens, at, usable);
  if (match === null) return null;
  const { place } = match;
  const lead = leadOf(sentence, at);
  const sure = context.districts.cities.has(at);
  const around = { lead, last: found.at(-1), head: listHead(sentence, found) };
  if (!sure && !isMeant(context, match, around)) return null;
  const range = [at, match.to] as const;
  if (place.here) return hereAt(context, range, place);
  const longer =
    place.states.length > 0 ? null : (quarterEnd(sentence, match) ?? longerEnd(context, match));
  if (longer !== null) return unmapUnknownName(context, at, unknownNameEnd(context, at, longer));
  const meaning = meaningOf(sentence, match);
  if (meaning.states.length + meaning.cities.length > 0) {
    return mentionOf(context, [at, kindBehind(sentence, meaning, match.to)], { ...meaning });
  }
  if (place.abroad) return abroadAt(context, match);
  return null;
}

/** Returns the first place of the list that ends with the last place found. */
function listHead(sentence: Sentence, found: readonly Mention[]): Mention | undefined {
  let at = found.length - 1;
  for (let steps = 0; at > 0 && steps < LIST_MAX; steps++) {
    const [before, one] = [found[at - 1] as Mention, found[at] as Mention];
    if (one.lead.kind !== "" || !isListGap(sentence, before.to, one.from)) break;
    at--;
  }
  return found[at];
}

/** Maximum number of places that are followed back to the start of a list. */
const LIST_MAX = 12;

function isListGap(sentence: Sentence, from: number, to: number): boolean {
  if (to < from || to - from > 2) return false;
  return /^[,;/]?\s*(e|y|ou|o|and|or|nem|ni)?$/i.test(sentence.words(from, to).words.trim());
}

/**
 * Returns the end of a name, including a word such as "state" or "city" after it. Removes the
 * meanings that this word excludes: "São Paulo state", "New York City".
 */
function kindBehind(
  sentence: Sentence,
  meaning: { states: readonly string[]; cities: readonly City[] },
  to: number,
): number {
  const open = sentence.tokens[to]?.text === "(" ? 1 : 0;
  const word = sentence.folded(to + open);
  const isState = word === "estado" && !isOf(sentence.folded(to + 1));
  const state = word === "state" || (word === "estado" && open === 1) || isState;
  const city = word === "city" || (open === 1 && /^(cidade|municipio|capital)$/.test(word));
  if (state && meaning.states.length > 0) meaning.cities = [];
  else if (city && meaning.cities.length > 0) meaning.states = [];
  else return to;
  return to + open + 1;
}

/** Maximum number of words in the name of a street or district. */
const STREET_MAX = 6;

/** Matches words that introduce a district and not a street. */
const DISTRICT = /^(bairros?|distrito|neighbou?rhood|district)$/;

/**
 * Reads names of streets and districts, such as "bairro Moema" and "Avenida Brasil". They are
 * unknown places, even if they contain the name of a known place.
 */
function streetAt(context: PlaceContext, at: number): Mention | null {
  const { sentence, gazetteer, notes, districts } = context;
  const word = sentence.folded(at);
  const whole = isQuarterOfTown(context, at);
  const led = whole || (QUARTERS.has(word) && /^n[ao]$/.test(sentence.folded(at - 1)));
  const quarter = led || isQuarterAlone(context, at);
  const isNamed = !whole && gazetteer.places.longest(sentence.tokens, at) !== null;
  if ((!STREETS.has(word) && !quarter) || isNamed) return null;
  const district = quarter || DISTRICT.test(word);
  // In "concessionária de rodovia", "rodovia" belongs to the trade.
  let name = at + 1;
  while (isOf(sentence.folded(name))) name++;
  const trade = isOf(sentence.folded(at - 1)) && isInTrade(sentence, at, at + 1);
  if (trade && !(district && isCapitalised(sentence, name))) return null;
  const free = (index: number) => sentence.free(index);
  while (whole && isSmallBefore(sentence, name)) name++;
  let to = gazetteer.places.longest(sentence.tokens, name, free)?.to ?? name;
  for (let next = to; next < name + STREET_MAX && free(next); next++) {
    // The name continues after words such as "das" if a capitalized word follows: "Jardim das
    // Flores".
    if (isCapitalised(sentence, next)) to = next + 1;
    else if (!isOf(sentence.folded(next)) || (district && isCityAt(context, next))) break;
  }
  const lower = quarter && !led && to === name && !isCapitalised(sentence, at);
  if (lower) to = name + 1;
  const weak = led || /^(shopping|distrito|district)$/.test(word);
  if (to === name || context.tradeEnd(at) > at) return null;
  if (weak && !whole && !isCapitalised(sentence, at)) return null;
  const mention = mentionOf(context, [at, at], { part: true });
  const words = sentence.claim(at, to, "unmapped");
  const street = sentence.words(quarter ? at : name, to).words;
  sentence.name(name, to);
  if (district) {
    const { negated } = mention;
    const tokens = { from: mention.from, to };
    districts.all.push({
      ...tokens,
      words,
      name: street,
      negated,
      implied: false,
      known: new Map(),
    });
    districts.named.add(mention.at);
  } else {
    notes.addUnmapped(
      "neighbourhood",
      { pt: "Não há filtro por rua.", en: "No filter takes a street." },
      words,
    );
  }
  return { ...mention, to, words };
}

/**
 * True for the name of a district that ends with the name of a town: "em Jardim da Luz", "in Vila
 * Mariana". False after "de" or "do", which introduce the town itself.
 */
function isQuarterOfTown({ sentence, gazetteer }: PlaceContext, at: number): boolean {
  if (!QUARTER_HEADS.has(sentence.folded(at)) || !isInBefore(sentence, at)) return false;
  const own = gazetteer.places.longest(sentence.tokens, at);
  if (own !== null && own.words > 1) return false;
  let name = at + 1;
  while (/^(d[aeo]s?|a|o)$/.test(sentence.folded(name)) && name < at + 4) name++;
  const isSpelled = isCapitalised(sentence, at) === isCapitalised(sentence, name);
  const town = gazetteer.places.longest(sentence.tokens, name, (index) => sentence.free(index));
  if (!isSpelled || town === null || stateAt(sentence, name) !== null) return false;
  // In "na cidade de Campinas" and "em Porto de Santos", "de" without an article introduces the
  // town itself.
  if (/^d[eo]$/.test(sentence.folded(name - 1))) return false;
  const { states, here, abroad, region, cities } = town.place;
  return cities.length > 0 && !here && !abroad && !region && states.length === 0;
}

function isSmallBefore(sentence: Sentence, at: number): boolean {
  return /^(a|o|as|os)$/.test(sentence.folded(at));
}

/** True if "em", "in", or "na", possibly with an article, stands before the token. */
function isInBefore(sentence: Sentence, at: number): boolean {
  const before = sentence.folded(at - 1);
  return isIn(before) || (/^(a|o|the)$/.test(before) && isIn(sentence.folded(at - 2)));
}

/** First words of district names. Before a name, they mean nothing else. */
const ALONE = new Set(["vila", "vl", "jardim", "jd"]);

/**
 * True for the name of a district without a preposition: "pizzarias vila mariana". A word without
 * another meaning must follow "vila" or "jardim".
 */
function isQuarterAlone({ sentence, tradeEnd }: PlaceContext, at: number): boolean {
  const before = sentence.folded(at - 1);
  if (!ALONE.has(sentence.folded(at)) || isOf(before) || isIn(before)) return false;
  // "jardim dos estados"
  let name = at + 1;
  while (isOf(sentence.folded(name)) && name < at + 3) name++;
  const next = sentence.tokens[name];
  if (next?.kind !== "word" || next.folded.length < 3 || !sentence.free(name)) return false;
  const isFiller = name === at + 1 && isFillerWord(next);
  const known = isFiller || beginsRequest(sentence, name) || tradeEnd(name) > name;
  return !known && !isInTrade(sentence, at, at + 1);
}

/** True if "de" at a token introduces a known city: "bairro Xyz de Campinas". */
function isCityAt({ sentence, gazetteer }: PlaceContext, of: number): boolean {
  if (!/^(de|of)$/.test(sentence.folded(of))) return false;
  return (gazetteer.places.longest(sentence.tokens, of + 1)?.place.cities.length ?? 0) > 0;
}

/** Reads Brazil as a place that does not filter, and "without Brazil" as companies abroad. */
function hereAt(context: PlaceContext, range: readonly [number, number], place: Place): Mention {
  const mention = mentionOf(context, range, { dropped: place.here });
  return mention.negated ? { ...mention, negated: false, dropped: false, states: ["EX"] } : mention;
}

/**
 * Reads the name of a country as a request for companies abroad, because no filter takes a country.
 */
function abroadAt(context: PlaceContext, { from, to }: PlaceMatch): Mention {
  const { sentence, notes } = context;
  const general = ["exterior", "estrangeiro", "abroad", "overseas"];
  const named = !general.includes(sentence.folded(from));
  const mention = mentionOf(context, [from, to], { states: ["EX"] });
  if (named) {
    const detail = {
      pt: "Não há filtro por país: foram usadas as empresas do exterior.",
      en: "No filter takes a country: companies abroad were used.",
    };
    notes.addUnmapped("country", detail, sentence.words(from, to));
    mention.part = true;
  }
  return mention;
}

/** Reads "capital" with its state or region: "capital paulista", "capitais do Nordeste". */
function capitalAt(context: PlaceContext, found: readonly Mention[], at: number): Mention | null {
  const { sentence, gazetteer } = context;
  const word = sentence.folded(at);
  const several = word === "capitais" || word === "capitals";
  if ((word !== "capital" && !several) || isMoney(sentence, at)) return null;
  const lead = leadOf(sentence, at);
  const before = sentence.folded(lead.from - 1);
  const article = lead.from === at && ["a", "as", "the"].includes(before);
  const of = capitalOf(context, at + 1);
  if (of !== null) {
    const cities = of.states.flatMap((uf) => gazetteer.capitalOf(uf) ?? []);
    return mentionOf(context, [at, of.to], { cities, every: true });
  }
  const next = gazetteer.places.longest(sentence.tokens, at + 1);
  if (next !== null && next.place.cities.length > 0) return null;
  const all = several && ["brasileiras", "estaduais"].includes(sentence.folded(at + 1));
  const last = found.at(-1);
  const isAdjacent =
    last !== undefined && last.states.length > 0 && isNextTo(sentence, last.to, at);
  const negated = negatorOf(sentence, lead.from) >= 0;
  if (lead.kind === "" && !article && !all && !isAdjacent && !negated && !lead.mark) return null;
  if (isAdjacent && last.cities.length > 0) {
    last.states = [];
    return mentionOf(context, [at, at + 1], { dropped: true });
  }
  return mentionOf(context, [at, at + (all ? 2 : 1)], {
    ...(several && !isAdjacent
      ? { cities: Object.keys(STATE_NAMES).flatMap((uf) => gazetteer.capitalOf(uf) ?? []) }
      : {}),
    capital: true,
  });
}

function isNextTo(sentence: Sentence, from: number, to: number): boolean {
  return to - from <= 1 && !/\p{L}/u.test(sentence.words(from, to).words);
}

/** Reads the words after "capital" that name its states: "do Paraná", "federal", "mineira". */
function capitalOf(
  { sentence, gazetteer }: PlaceContext,
  start: number,
): { readonly states: readonly string[]; readonly to: number } | null {
  if (sentence.folded(start) === "federal") return { states: ["DF"], to: start + 1 };
  let at = start;
  while (at < start + 4 && /^(d[eoa]s?|of|the|estados?|state|regiao)$/.test(sentence.folded(at))) {
    at++;
  }
  const uf = stateAt(sentence, at);
  if (uf !== null && at > start) return { states: [uf], to: at + 1 };
  const match = gazetteer.places.longest(sentence.tokens, at);
  if (match === null) return null;
  const { states, demonymStates, here } = match.place;
  if (here) return { states: ["DF"], to: match.to };
  const chosen = at > start ? states : demonymStates;
  return chosen.length === 0 ? null : { states: chosen, to: match.to };
}

/** The other places of the sentence. They decide if an adjective names a place. */
interface OtherPlaces {
  readonly none: boolean;
  /** True if one of these places is inside the adjective's place or contains it. */
  near(place: Place): boolean;
}

/** Collects the other places. Each name is compared with them only once, even if it is repeated. */
function otherPlaces(found: readonly Mention[]): OtherPlaces {
  const included = found.filter((one) => !one.negated && !one.dropped && !one.adjective);
  const answers = new Map<Place, boolean>();
  return {
    none: included.length === 0,
    near(place) {
      const { demonymStates: states, demonymCities: cities } = place;
      const near = (one: Mention) =>
        one.states.some((uf) => states.includes(uf) || cities.some((city) => city.uf === uf)) ||
        one.cities.some((city) => states.includes(city.uf) || cities.includes(city));
      const answer = answers.get(place) ?? included.some(near);
      answers.set(place, answer);
      return answer;
    },
  };
}

/**
 * Reads an adjective such as "paulistas" in "empresas paulistas" as a place, unless the sentence
 * names other places far from it.
 */
function adjectiveAt(context: PlaceContext, others: OtherPlaces, at: number): Mention | null {
  const { sentence, gazetteer } = context;
  const match = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null) return null;
  const { demonymStates: states, demonymCities: cities } = match.place;
  if (states.length + cities.length === 0 || isStyle(context, match)) return null;
  const joined = ["e", "ou", "and", "nem"].includes(sentence.folded(at - 1));
  const lead = leadOf(sentence, at);
  const free = others.none || joined || negatorOf(sentence, lead.from) >= 0;
  if (!free && !others.near(match.place)) return null;
  return mentionOf(context, [at, match.to], { states, cities, adjective: true });
}

/** Maximum number of words in the name of a place before its negating word. */
const REACH = 4;

/**
 * Finds names that contain a negating word and marks them as names. Returns them by first token.
 */
function firmNames(context: PlaceContext): ReadonlyMap<number, PlaceMatch> {
  const { sentence } = context;
  const found = new Map<number, PlaceMatch>();
  for (let at = 0; at < sentence.tokens.length; at++) {
    const match = isNegatorWord(sentence.folded(at)) ? nameAround(context, at) : null;
    if (match === null) continue;
    sentence.name(match.from, match.to);
    found.set(match.from, match);
    at = match.to - 1;
  }
  return found;
}

/** Returns the place whose name contains the negating word at a token, if it is meant. */
function nameAround(context: PlaceContext, at: number): PlaceMatch | null {
  const { sentence, gazetteer } = context;
  for (let from = Math.max(0, at - REACH); from <= at; from++) {
    const match = gazetteer.places.longest(sentence.tokens, from);
    if (match === null || match.to <= at || match.words < 2) continue;
    if (from < at || isMentioned(sentence, match)) return match;
  }
  return null;
}

/** True if a name that begins with a negator is meant: "em Sem Peixe", "sem peixe mg". */
function isMentioned(sentence: Sentence, match: PlaceMatch): boolean {
  const { from } = match;
  const [first, second] = [sentence.tokens[from], sentence.tokens[from + 1]];
  const hyphened = sentence.text.slice(first?.end, second?.start).trim() === "-";
  return (
    hyphened ||
    isIn(sentence.folded(from - 1)) ||
    isCapitalised(sentence, from + 1) ||
    isStateNextTo(sentence, match)
  );
}
