/**
 * Places that nobody knows. What comes in: a sentence in which all known places are claimed. What
 * goes out: nothing; names behind a preposition of place are left to the notes with a warning.
 * Invariant: an unknown place never widens the search: with no known place beside it the whole
 * translation is worth nothing, and is said to be.
 */

import { FILTER_PHRASES } from "../filters/table.ts";
import { beginsWish } from "../items.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import { isSpecialised, type PlaceContext } from "./mention.ts";
import type { FoundPlaces } from "./places.ts";
import { isCapitalised } from "./placesigns.ts";
import { isKindOfPlace, isNear, isOf, type Lead, leadOf } from "./placewords.ts";
import { NO_NAMES } from "./strangers.ts";

/** Most words of a name that nobody knows. */
const NAME_WORDS_MAX = 6;

/**
 * Names of several words in capitals before anything else is looked for in them; single ones before
 * activities are; what is left over after those.
 */
type UnknownPass = "long" | "named" | "left";

/** Claims unknown places; called after known places, before and after the stage of activities. */
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
    leave(context, found, [lead.from, at, to]);
    at = to - 1;
  }
}

/** Words in capitals go on over small ones: "Vila Nova do Nada". */
function nameEnd(context: PlaceContext, at: number): number {
  const { sentence } = context;
  const capital = isCapitalised(sentence, at);
  let to = at + 1;
  for (let next = to; next < at + NAME_WORDS_MAX; next++) {
    if (beginsWish(sentence, next)) break;
    if (capital && isOf(sentence.folded(next)) && sentence.free(next)) continue;
    if (!isName(context, next) || isCapitalised(sentence, next) !== capital) break;
    to = next + 1;
  }
  return to;
}

function isName({ sentence }: PlaceContext, at: number): boolean {
  const word = sentence.folded(at);
  const known = NO_NAMES.has(word) || isKindOfPlace(word);
  return sentence.free(at) && word.length >= 3 && !known && /^\p{L}+$/u.test(word);
}

/** "na cidade de" leads any name, "em" only those that nothing else understood or in capitals. */
function leads(context: PlaceContext, lead: Lead, at: number, pass: UnknownPass): boolean {
  const { sentence } = context;
  // "capital de giro" is money.
  const money = /^capita(l|is)$/.test(sentence.folded(lead.from));
  const named = (lead.city || lead.state) && lead.kind !== "" && lead.from < at - 1 && !money;
  if (named && lead.word !== "em" && pass !== "long") return true;
  if (isNear(sentence, lead))
    return isCapitalised(sentence, at) || isStrangeNear(context, lead, at);
  if (lead.kind !== "in" || isSpecialised(sentence, lead.from)) return false;
  if (pass !== "left") return isCapitalised(sentence, at);
  return lead.word === "em" || lead.word === "in";
}

/** "perto de xurupita"; not "perto de mim" nor "perto do metrô". */
function isStrangeNear({ sentence }: PlaceContext, { word }: Lead, at: number): boolean {
  return word === "de" && !COMMON_WORDS.has(sentence.folded(at));
}

function leave(
  { sentence, notes }: PlaceContext,
  found: FoundPlaces,
  [from, at, to]: readonly [from: number, name: number, to: number],
) {
  const words = sentence.claim(from, to, "unmapped");
  sentence.name(at, to);
  const known = found.states.size + found.cities.size > 0;
  const inside = found.wide.some((one) => isBeside(sentence, [from, to], one));
  if (!known || inside || isWithin(sentence, from, to)) found.unknown = true;
  notes.warn(
    "unknown_place",
    {
      pt: "Lugar desconhecido; a busca não foi ampliada para o país todo.",
      en: "Unknown place; the search was not widened to the whole country.",
    },
    words,
  );
  notes.leave("place", { pt: "Lugar desconhecido.", en: "Unknown place." }, words);
}

/** "em Xurupita de Campinas", "em Xurupita, Campinas", "em Campinas na Xurupita": a part of it. */
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

/** "na minha cidade": nobody knows which it is, and without it nothing bounds the search. */
function leaveOwnPlaces({ sentence, notes }: PlaceContext, found: FoundPlaces): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const own = OWN.has(sentence.folded(at - 1)) && OWN_PLACES.has(sentence.folded(at));
    if (!own || !sentence.free(at) || !sentence.free(at - 1)) continue;
    const { from } = leadOf(sentence, at - 1);
    const words = sentence.claim(from, at + 1, "unmapped");
    notes.leave("place", OWN_PLACE, words);
    if (found.states.size + found.cities.size === 0) found.unknown = true;
  }
}

const OWN_PLACE = {
  pt: "Não se sabe qual é: diga o nome do lugar.",
  en: "It is not known which this is: name the place.",
};

/** "em Xurupita, Serra Gaúcha": nothing but a comma or a mark between a name and a wider one. */
function isBeside(
  sentence: PlaceContext["sentence"],
  [from, to]: readonly [number, number],
  wide: { readonly from: number; readonly to: number },
): boolean {
  const [start, end] = wide.from >= to ? [to, wide.from] : [wide.to, from];
  return start <= end && !/[\p{L}\p{N}.!?]/u.test(sentence.words(start, end).words);
}
