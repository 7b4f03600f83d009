/**
 * Reads unknown names of places that end with a known one: "Xurupita do Pará", "Nova Qualquer de
 * Minas". Also lists words that do not name a place: "em geral", "em todo", "em março".
 * Input: a sentence and the position of a word at which no known name begins. Output: a mention of
 * the whole name, without a meaning.
 * Invariant: the end of an unknown name is not a separate place, so that the state or region at the
 * end is never searched instead. A name without a known end is read by unknownplaces.ts, which runs
 * last. Words that do not name a place may continue a name after a capitalized word ("Nova
 * Qualquer").
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsRequest, isInTrade } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import { isSpecialised, type Mention, mentionOf, type PlaceContext } from "./mention.ts";
import type { PlaceMatch } from "./placenames.ts";
import { isAfterTrade, isCapitalised } from "./placesigns.ts";
import { isIn, isKindOfPlace, isNear, isOf, leadOf, ORDINARY, QUARTERS } from "./placewords.ts";
import { linkOf } from "./readings.ts";
import { PART_STARTS, PART_WORDS } from "./states.ts";

/** Folded words after a preposition that do not name a place: "em geral". */
export const NO_NAMES = new Set(
  (
    "todo toda todos todas geral qualquer dia atividade funcionamento operacao ordem janeiro " +
    "fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro alta " +
    "baixa casa domicilio situacao nome razao cadastro maximo minimo ramo setor area segmento " +
    "mercado internet online site instagram facebook whatsapp bairro bairros rua avenida raio " +
    "torno volta ultimo ultimos ultima ultimas proximo proximos proxima minha meu nossa nosso " +
    "cada algum alguma outros outras outro outra mesmo mesma simples nacional mei base " +
    "crescimento expansao order total active general any all each every which person business " +
    "this that the my our brazilian brazil least stock cima baixo frente relacao torno breve " +
    "quem que qual quais whom google tripadvisor linkedin ifood youtube tiktok booking airbnb " +
    "shopee rappi " +
    "seguida conjunto parceria busca vez lugar mim casa voce mar centro"
  ).split(" "),
);

/** Maximum number of words in a name, without small words. */
const NAME_WORDS_MAX = 6;
/** Maximum number of small words between two words of a name. */
const SMALL_MAX = 3;

/** Words for age and size with which names begin or end: "Nova Xurupita", "Xurupita Velha". */
const NAMING = new Set(
  "nova novo novas novos velha velho grande pequena pequeno alta alto baixa baixo".split(" "),
);

/**
 * Returns the mention of an unknown name that begins at a token. Returns null if there is none or
 * if only a later stage can decide.
 */
export function unknownNameAt(context: PlaceContext, at: number): Mention | null {
  if (!isUnknownName(context, at)) return null;
  const mention = unmapUnknownName(context, at, walk(context, at).to);
  // If an excluded place is unknown, the search is too wide, so `lost` is set.
  return { ...mention, lost: mention.negated };
}

/**
 * Finds unknown names such as "Curitiba do Norte", where a state or region follows a city that is
 * not in it. Drops both mentions and reports the name. Returns true if there is such a name.
 */
export function dropBeyond(context: PlaceContext, mentions: readonly Mention[]): boolean {
  let found = false;
  for (const [i, wide] of mentions.entries()) {
    const city = mentions[i - 1];
    if (city === undefined || !isBeyond(city, wide)) continue;
    if (linkOf(context.sentence, city, wide) !== "direct") continue;
    const words = context.sentence.words(city.from, wide.to);
    context.notes.warn("unknown_place", STRANGER, words);
    context.notes.addUnmapped("place", STRANGER, words);
    city.dropped = true;
    wide.dropped = true;
    found = true;
  }
  return found;
}

function isBeyond(city: Mention, wide: Mention): boolean {
  const single = city.cities.length > 0 && city.states.length + city.regions.length === 0;
  if (!single || city.every || city.part || city.dropped || city.negated !== wide.negated) {
    return false;
  }
  const { states, cities, lead, dropped } = wide;
  if (dropped || lead.kind !== "of" || lead.mark) return false;
  if (states.length + wide.regions.length === 0 || states.join() === "DF") return false;
  return !city.cities.some((one) => states.includes(one.uf) || cities.includes(one));
}

/**
 * True if an unknown name begins at a token. It must end with a known name, or its first words must
 * show that it is a name.
 */
export function isUnknownName(context: PlaceContext, at: number): boolean {
  const begin = beginningOf(context, at);
  if (begin === null) return false;
  const { to, known } = walk(context, at);
  return known || (begin.isEnough && to > at + 1);
}

/** Reports an unknown name in a note. `to` is the end of the name, or of its first words. */
export function unmapUnknownName(context: PlaceContext, at: number, to: number): Mention {
  const { sentence, notes } = context;
  const mention = mentionOf(context, [at, at], { part: true, strange: true });
  const words = sentence.claim(at, to, "unmapped");
  sentence.name(at, to);
  notes.warn("unknown_place", STRANGER, words);
  notes.addUnmapped("place", STRANGER, words);
  return { ...mention, to, words, dropped: mention.negated };
}

const STRANGER = {
  pt: "Lugar desconhecido; não foi aplicado.",
  en: "Unknown place; it was not applied.",
};

/**
 * Returns the end of an unknown name whose first words end at `to`. If the name ends with a known
 * name, as in "Xurupita do Pará", returns the end of that name, otherwise `to`.
 */
export function unknownNameEnd(context: PlaceContext, at: number, to: number): number {
  const { known, to: end } = walk(context, at, to);
  return known ? end : to;
}

interface WalkResult {
  readonly to: number;
  /** True if the name ends with a known name. */
  readonly known: boolean;
}

/** Follows the words of a name from `first` on until the name ends with a known one. */
function walk(context: PlaceContext, at: number, first = at + 1): WalkResult {
  const { sentence } = context;
  const capital = isCapitalised(sentence, at);
  const quarter = /^n[ao]s?$/.test(leadOf(sentence, at).word);
  let to = first;
  for (let words = 1; words < NAME_WORDS_MAX; words++) {
    let next = to;
    while (next < to + SMALL_MAX && isSmall(sentence, next, to)) next++;
    const end = knownEnd(context, next, { joined: next > to, capital, quarter });
    if (end > next) return { to: end, known: true };
    if (!goesOn(context, next, capital)) break;
    to = next + 1;
  }
  return { to, known: false };
}

/** True for words such as "do". After them, also true for "estado" in "do estado de". */
function isSmall(sentence: Sentence, at: number, from: number): boolean {
  const word = sentence.folded(at);
  return sentence.free(at) && (isOf(word) || (at > from && isKindOfPlace(word)));
}

interface Joint {
  /** True if "de" or a similar word joins the known name to the words before it. */
  readonly joined: boolean;
  readonly capital: boolean;
  /** True for the district in "na Mooca de São Paulo", false for "em Xurupita de São Paulo". */
  readonly quarter: boolean;
}

/** Returns the end of the state, region, or adjective that ends a name, or `at`. */
function knownEnd(context: PlaceContext, at: number, joint: Joint): number {
  const { sentence, gazetteer } = context;
  const free = (index: number) => sentence.free(index);
  const part = joint.joined ? partEnd(context, at) : at;
  const match = gazetteer.places.longest(sentence.tokens, at, free);
  if (match !== null && isEnd(sentence, match, joint)) return Math.max(part, match.to);
  if (part > at || !joint.joined) return part;
  const uf = (sentence.tokens[at]?.text ?? "").toUpperCase();
  return uf.length === 2 && STATE_NAMES[uf] !== undefined && free(at) ? at + 1 : at;
}

function isEnd(sentence: Sentence, { from, place, words }: PlaceMatch, joint: Joint): boolean {
  const { states, cities, nicknamed, region, regions, demonymStates, demonymCities } = place;
  if (place.here || place.abroad) return false;
  const capital = isCapitalised(sentence, from);
  const adjective = demonymStates.length + demonymCities.length > 0;
  if (!joint.joined) return (adjective || region) && words === 1 && capital === joint.capital;
  const wide = region || regions.length + states.length + demonymStates.length > 0;
  const city = cities.some((one) => one.capital) || nicknamed.length > 0;
  return wide && !(city && joint.quarter);
}

/**
 * Returns the end of a part of a state together with its state: "interior paulista" in "Xurupita do
 * interior paulista", "norte do Pará". Returns `at` if there is none.
 */
function partEnd({ sentence, gazetteer }: PlaceContext, at: number): number {
  if (!PART_STARTS.has(sentence.folded(at)) || !sentence.free(at)) return at;
  let to = at + 1;
  while (sentence.free(to) && (PART_WORDS.has(sentence.folded(to)) || isOf(sentence.folded(to)))) {
    to++;
  }
  const free = (index: number) => sentence.free(index);
  const uf = STATE_NAMES[(sentence.tokens[to]?.text ?? "").toUpperCase()] !== undefined;
  return gazetteer.places.longest(sentence.tokens, to, free)?.to ?? (uf && free(to) ? to + 1 : at);
}

interface Beginning {
  /** True if the first words show that they are a name: "Nova Qualquer", "Lagoa Xurupita". */
  readonly isEnough: boolean;
}

function beginningOf(context: PlaceContext, at: number): Beginning | null {
  const { sentence } = context;
  const word = sentence.folded(at);
  const capital = isCapitalised(sentence, at);
  if (isIn(word) || isOf(word) || isKindOfPlace(word)) return null;
  // This check comes first because it is cheap and rejects most words.
  const lead = leadOf(sentence, at);
  const place = (lead.city || lead.cities) && lead.from < at;
  const isPlaceLed = (lead.kind === "in" && !isSpecialised(sentence, lead.from)) || place;
  const led = isPlaceLed || isNear(sentence, lead) || negatorOf(sentence, lead.from) >= 0;
  if (!led && !(capital && at > 0 && isAfterTrade(context, at))) return null;
  const city = cityOf(context, at);
  if (city === "other") return null;
  const strange = isStrange(context, at, capital) || isOpening(context, at) || isTitle(context, at);
  const begins = strange || (city !== null && !beginsRequest(sentence, at));
  if (!begins || (NAMING.has(word) && !goesOn(context, at + 1, capital))) return null;
  const opening = NAMING.has(word) || isOpening(context, at) || (city !== null && isWord(word));
  return {
    isEnough: led && opening && (capital || NAMING.has(word)) && goesOn(context, at + 1, capital),
  };
}

/** True for a common lowercase word before an unknown one: "santa" in "em santa xurupita". */
function isTitle(context: PlaceContext, at: number): boolean {
  const { sentence, tradeEnd } = context;
  if (isCapitalised(sentence, at) || !sentence.free(at) || !COMMON_WORDS.has(sentence.folded(at)))
    return false;
  const own = tradeEnd(at) > at || isInTrade(sentence, at, at + 1) || beginsRequest(sentence, at);
  const next = sentence.folded(at + 1);
  return !own && !NAMING.has(next) && !PART_STARTS.has(next) && goesOn(context, at + 1, false);
}

/** True for a capitalized word before another capitalized word: "em Qualquer Nova". */
function isOpening(context: PlaceContext, at: number): boolean {
  const { sentence } = context;
  const word = sentence.folded(at);
  return word === "qualquer" && isCapitalised(sentence, at) && goesOn(context, at + 1, true);
}

function isWord(word: string): boolean {
  return ORDINARY.has(word) || QUARTERS.has(word);
}

/**
 * Returns the city named by one word at a token, such as "Lagoa", if the next word continues an
 * unknown name ("Lagoa Xurupita"). Returns "other" for any other known name, and null if none
 * begins there.
 */
function cityOf(context: PlaceContext, at: number): PlaceMatch | "other" | null {
  const { sentence, gazetteer } = context;
  const match = gazetteer.places.longest(sentence.tokens, at);
  if (match === null) return null;
  const capital = isCapitalised(sentence, at);
  const capitals = capital && isCapitalised(sentence, match.to);
  const strange = !capital && !NO_NAMES.has(sentence.folded(at)) && goesOn(context, at + 1, false);
  return match.words === 1 && (capitals || strange) && isPlain(match) ? match : "other";
}

/** True if the word at a token can continue a name. `capital`: the name is capitalized. */
function goesOn(context: PlaceContext, at: number, capital: boolean): boolean {
  const { sentence, gazetteer } = context;
  if (isCapitalised(sentence, at) !== capital) return false;
  const match = gazetteer.places.longest(sentence.tokens, at);
  const free = match === null || (capital && match.words === 1 && isPlain(match));
  return free && isStrange(context, at, capital);
}

/** True for a name of cities only. It may be part of "Xurupita Campinas do Sul". */
function isPlain({ place }: PlaceMatch): boolean {
  const { states, region, regions, here, abroad } = place;
  return states.length + regions.length === 0 && !region && !here && !abroad;
}

/** True for a word without another meaning. In a capitalized name, common words count too. */
function isStrange({ sentence, tradeEnd }: PlaceContext, at: number, capital: boolean): boolean {
  const token = sentence.tokens[at];
  const word = sentence.folded(at);
  if (token === undefined || !sentence.free(at) || !/^\p{L}{3,}$/u.test(word)) return false;
  if (NAMING.has(word)) return true;
  if (tradeEnd(at) > at || isInTrade(sentence, at, at + 1) || beginsRequest(sentence, at)) {
    return false;
  }
  if (capital) return !NO_NAMES.has(word) || isCapitalised(sentence, at - 1);
  if (word === "qualquer") return NAMING.has(sentence.folded(at - 1));
  return !NO_NAMES.has(word) && !COMMON_WORDS.has(word) && !isFillerWord(token as Token);
}
