/**
 * Finds unknown places.
 * Input: a sentence in which all known places are marked as read. Output: notes on names after a
 * preposition.
 * Invariant: an unknown place never widens the search. Without a known place next to it, the whole
 * translation is useless and is reported as uncertain.
 */

import { FILTER_PHRASES } from "../filters/table.ts";
import { beginsRequest } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import { isSpecialised, type PlaceContext } from "./mention.ts";
import type { FoundPlaces } from "./places.ts";
import { isCapitalised } from "./placesigns.ts";
import { isKindOfPlace, isNear, isOf, type Lead, leadOf } from "./placewords.ts";
import { NO_NAMES } from "./unknownnames.ts";

/** Maximum number of words in an unknown name. */
const NAME_WORDS_MAX = 6;

/**
 * The three passes over a sentence. "long" reads capitalized names of several words before any
 * other search. "named" reads single names before the activities are read, and "left" the rest
 * after them.
 */
type UnknownPass = "long" | "named" | "left";

/**
 * Reports unknown places and marks them as read. Called after the known places are read, before and
 * after the activities.
 */
export function findUnknownPlaces(
  context: PlaceContext,
  found: FoundPlaces,
  pass: UnknownPass,
): void {
  const { sentence, tradeEnd } = context;
  if (pass === "long") leaveOwnPlaces(context, found);
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (!isName(context, at)) continue;
    const lead = leadOf(sentence, at);
    if (!leads(context, lead, at, pass)) continue;
    if (pass !== "left" && tradeEnd(at) > at) continue;
    const to = nameEnd(context, at);
    const short = to === at + 1 && !isNear(sentence, lead);
    if (pass === "long" && (short || FILTER_PHRASES.longest(sentence.tokens, at))) continue;
    addUnmapped(context, found, [lead.from, at, to]);
    at = to - 1;
  }
}

/** Returns the end of a name. "do" continues it before a capitalized word. */
function nameEnd(context: PlaceContext, at: number): number {
  const { sentence } = context;
  const capital = isCapitalised(sentence, at);
  let to = at + 1;
  for (let next = to; next < at + NAME_WORDS_MAX; next++) {
    if (beginsRequest(sentence, next)) break;
    if (capital && isOf(sentence.folded(next)) && sentence.free(next)) continue;
    if (!isName(context, next) || isCapitalised(sentence, next) !== capital) break;
    to = next + 1;
  }
  return to;
}

function isName({ sentence }: PlaceContext, at: number): boolean {
  if (sentence.tokens[at]?.kind !== "word") return false;
  const word = sentence.folded(at);
  const known = NO_NAMES.has(word) || isKindOfPlace(word);
  return sentence.free(at) && word.length >= 3 && !known && /^\p{L}+$/u.test(word);
}

/**
 * True if the words before a name introduce a place in this pass: "na cidade de" before any name,
 * "em" before capitalized or unknown names.
 */
function leads(context: PlaceContext, lead: Lead, at: number, pass: UnknownPass): boolean {
  const { sentence } = context;
  // In "capital de giro", "capital" is money and introduces no place.
  const money = /^capita(l|is)$/.test(sentence.folded(lead.from));
  const named = (lead.city || lead.state) && lead.kind !== "" && lead.from < at - 1 && !money;
  if (named && lead.word !== "em" && pass !== "long") return true;
  if (isNear(sentence, lead))
    return isCapitalised(sentence, at) || isStrangeNear(context, lead, at);
  if (lead.kind !== "in" || isSpecialised(sentence, lead.from)) return false;
  if (pass !== "left") return isCapitalised(sentence, at);
  return lead.word === "em" || lead.word === "in";
}

/**
 * True if "de" after a word such as "perto" precedes an unknown word, as in "perto de xurupita".
 * False for "perto de mim" and "perto do metrô".
 */
function isStrangeNear({ sentence }: PlaceContext, { word }: Lead, at: number): boolean {
  return word === "de" && !COMMON_WORDS.has(sentence.folded(at));
}

function addUnmapped(
  context: PlaceContext,
  found: FoundPlaces,
  [from, at, to]: readonly [from: number, name: number, to: number],
) {
  const { sentence, notes } = context;
  if (takeDistrict(context, found, [from, at, to])) return;
  const words = sentence.claim(from, to, "unmapped");
  sentence.name(at, to);
  const known = found.states.size + found.cities.size > 0;
  const inside = found.wide.some((one) => isAdjacent(sentence, [from, to], one));
  if (!known || inside || isWithin(sentence, from, to)) found.unknown = true;
  notes.warn(
    "unknown_place",
    {
      pt: "Lugar desconhecido; a busca não foi ampliada para o país todo.",
      en: "Unknown place; the search was not widened to the whole country.",
    },
    words,
  );
  notes.addUnmapped("place", { pt: "Lugar desconhecido.", en: "Unknown place." }, words);
}

/** Maximum names without a city that are looked up in all cities. */
const HOMELESS_MAX = 4;

/**
 * Reads a name such as "na Savassi" as a district if one of the searched cities has it. If no city
 * is searched, any city may have the district, and a later step finds it.
 */
function takeDistrict(
  { sentence, districts, gazetteer }: PlaceContext,
  { states, cities }: FoundPlaces,
  [from, at, to]: readonly [from: number, name: number, to: number],
): boolean {
  const isOpen = states.size === 0 || cities.size > 0;
  if (!isOpen || districts.names.lacking || districts.all.length >= HOMELESS_MAX) return false;
  if (leadOf(sentence, at).kind !== "in" || negatorOf(sentence, from) >= 0) return false;
  const { words: name } = sentence.words(at, to);
  if (cities.size > CITIES_MAX) return false;
  const own = [...cities.keys()];
  // In "academias de João Pessoa no Cabo Branco", the city is named apart from its district.
  const isOwn = own.some((ibge) => districts.names.known(ibge, [name])[0] !== null);
  if (own.length > 0 && !isOwn) return false;
  if (own.length === 0 && ++districts.homeless > HOMELESS_MAX) return false;
  if (own.length === 0 && !isSomewhere(gazetteer, districts, name)) return false;
  const words = sentence.claim(from, to, "place");
  sentence.name(at, to);
  districts.all.push({ from, to, words, name, negated: false, implied: true, known: new Map() });
  return true;
}

/** A possible district is looked up only if the search has at most this many cities. */
const CITIES_MAX = 8;

/** True if any municipality has a district of this name. */
function isSomewhere(
  { states, citiesOf }: PlaceContext["gazetteer"],
  { names }: PlaceContext["districts"],
  name: string,
): boolean {
  const codes = function* () {
    for (const uf of states) for (const { ibge } of citiesOf(uf)) yield ibge;
  };
  return (names.among(codes(), [name])[0]?.size ?? 0) > 0;
}

/** True if a known place stands next to the name: "em Xurupita de Campinas". */
function isWithin(sentence: PlaceContext["sentence"], from: number, to: number): boolean {
  const comma = sentence.tokens[to]?.text === ",";
  const ahead = sentence.owner(to) === "place" || (comma && sentence.owner(to + 1) === "place");
  return ahead || sentence.owner(from - 1) === "place";
}

const OWN = new Set("minha meu nossa nosso my our mi".split(" "));
const OWN_PLACES = new Set(
  (
    "cidade municipio regiao bairro rua estado vizinhanca city town region area neighborhood " +
    "neighbourhood street state ciudad barrio zona"
  ).split(" "),
);

/**
 * Reports places such as "na minha cidade" in notes, because it is unknown where they are. If the
 * sentence names no other place, the translation is uncertain.
 */
function leaveOwnPlaces({ sentence, notes }: PlaceContext, found: FoundPlaces): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const own = OWN.has(sentence.folded(at - 1)) && OWN_PLACES.has(sentence.folded(at));
    if (!own || !sentence.free(at) || !sentence.free(at - 1)) continue;
    const { from } = leadOf(sentence, at - 1);
    const words = sentence.claim(from, at + 1, "unmapped");
    notes.addUnmapped("place", OWN_PLACE, words);
    if (found.states.size + found.cities.size === 0) found.unknown = true;
  }
}

const OWN_PLACE = {
  pt: "Não se sabe qual é: diga o nome do lugar.",
  en: "It is not known which this is: name the place.",
};

/** True if only punctuation separates a name from a wider place: "em Xurupita, Serra …". */
function isAdjacent(
  sentence: PlaceContext["sentence"],
  [from, to]: readonly [number, number],
  wide: { readonly from: number; readonly to: number },
): boolean {
  const [start, end] = wide.from >= to ? [to, wide.from] : [wide.to, from];
  return start <= end && !/[\p{L}\p{N}.!?]/u.test(sentence.words(start, end).words);
}
