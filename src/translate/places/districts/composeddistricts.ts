/**
 * Finds districts of large cities if the name of the district contains the name of a town: "na
 * Barra da Tijuca", "no Recreio dos Bandeirantes".
 * Input: a sentence in which the districts next to their cities are marked as read. Output: further
 * districts, whose city is found later (see districtmentions.ts).
 * Invariant: the name follows a preposition of place and has a "de" inside. One of the largest
 * cities must have a district of exactly this name. Only these cities are looked up, because a
 * look-up in all cities takes milliseconds.
 */
import { beginsRequest } from "../../items.ts";
import { negatorOf } from "../../negation.ts";
import type { Sentence } from "../../words/sentence.ts";
import { isSpecialised, type PlaceContext } from "../mention.ts";
import type { City } from "../placenames.ts";
import { isIn, isKindOfPlace, isOf, leadOf } from "../placewords.ts";
import { isOften } from "./districts.ts";

/** Maximum number of tokens in such a name. */
const NAME_MAX = 6;
/** Number of the largest cities that are looked up. */
const CITIES_MAX = 48;
/** Maximum number of names per sentence that are looked up. */
const NAMES_MAX = 4;

/** Finds districts such as "Barra da Tijuca" and marks their words as read. */
export function findComposedDistricts(context: PlaceContext): void {
  const { sentence, districts } = context;
  if (districts.names.lacking) return;
  let lookedUp = 0;
  for (let at = 1; at < sentence.tokens.length && lookedUp < NAMES_MAX; at++) {
    const ends = endsOf(context, at);
    if (ends.length === 0) continue;
    lookedUp++;
    const to = knownEnd(context, at, ends);
    if (to === undefined) continue;
    const { from } = leadOf(sentence, at);
    const { words: name } = sentence.words(at, to);
    const words = sentence.claim(from, to, "place");
    sentence.name(at, to);
    districts.all.push({ from, to, words, name, negated: false, implied: true, known: new Map() });
    at = to - 1;
  }
}

/** Returns the possible ends of a composed name that begins at a token, the longest name first. */
function endsOf(context: PlaceContext, at: number): readonly number[] {
  const { sentence, gazetteer } = context;
  if (!isNameWord(sentence, at)) return [];
  const lead = leadOf(sentence, at);
  if (lead.kind !== "in" || lead.from >= at || isSpecialised(sentence, lead.from)) return [];
  if (negatorOf(sentence, lead.from) >= 0) return [];
  const isFree = (index: number) => sentence.free(index);
  const whole = gazetteer.places.longest(sentence.tokens, at, isFree)?.to ?? at;
  const ends: number[] = [];
  let hasTown = whole > at;
  let hasOf = false;
  for (let next = at + 1; next < at + NAME_MAX; next++) {
    if (sentence.free(next) && isOf(sentence.folded(next))) hasOf = true;
    else if (!isNameWord(sentence, next) || beginsRequest(sentence, next)) break;
    else {
      hasTown ||= gazetteer.places.longest(sentence.tokens, next, isFree) !== null;
      if (hasOf && hasTown && next >= whole) ends.unshift(next + 1);
    }
  }
  return ends;
}

/** True for a free word of three letters or more that is no preposition and no "cidade". */
function isNameWord(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || !sentence.free(at)) return false;
  const word = token.folded;
  return word.length > 2 && !isIn(word) && !isOf(word) && !isKindOfPlace(word);
}

/** Returns the first of the ends whose name is a district of a large city with many accounts. */
function knownEnd(
  { sentence, districts, gazetteer }: PlaceContext,
  at: number,
  ends: readonly number[],
): number | undefined {
  const cities = largestOf(gazetteer);
  const names = ends.map((end) => sentence.words(at, end).words);
  const homes = districts.names.within(
    cities.map(({ ibge }) => ibge),
    names,
  );
  return ends.find((_, i) =>
    cities.some((city) => isOften(homes[i] ?? new Map(), { cities: [city] })),
  );
}

/** Cached largest cities of the country, by gazetteer. */
const largest = new WeakMap<PlaceContext["gazetteer"], readonly City[]>();

function largestOf(gazetteer: PlaceContext["gazetteer"]): readonly City[] {
  const known = largest.get(gazetteer);
  if (known !== undefined) return known;
  const all = [...gazetteer.states].flatMap((uf) => [...gazetteer.citiesOf(uf)]);
  const cities = all.sort((a, b) => b.accounts - a.accounts).slice(0, CITIES_MAX);
  largest.set(gazetteer, cities);
  return cities;
}
