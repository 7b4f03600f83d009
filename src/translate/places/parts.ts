/**
 * Reads parts of places: "interior", "zona sul".
 * Input: a sentence and the position of a word for a part. Output: a mention of the whole place,
 * with a note about the part.
 * Invariant: a part is never read as the region of the same name ("Norte de Minas") or as the
 * country. An excluded part is never applied.
 */

import { STATE_NAMES } from "../../spec/states.ts";
import { isInTrade } from "../items.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import { type Mention, meaningOf, mentionOf, type PlaceContext } from "./mention.ts";
import type { MeantRegion, PlaceMatch } from "./placenames.ts";
import { isKindOfPlace, isOf, leadOf } from "./placewords.ts";
import {
  divisionAt,
  divisionHead,
  EXCLUDED_PART,
  lostRegionAt,
  mentionOfRegions,
  PART,
  regionAround,
  regionAt,
  regionOfPart,
  unknownDivision,
} from "./regions.ts";
import {
  CITY_PARTS,
  LONE_PARTS,
  PART_STARTS,
  PART_WORDS,
  STATISTICAL,
  SURROUNDINGS,
} from "./states.ts";

/** Maximum number of words between the name of a part and the name of its place. */
const REACH = 8;

/**
 * If a region or a part of a place is named at a token, returns the mention of the region or
 * of that place. Otherwise returns null.
 */
export function findPart(
  context: PlaceContext,
  at: number,
  last: Mention | undefined,
): Mention | null {
  const { sentence, gazetteer } = context;
  const division = divisionAt(context, at);
  if (division !== null) return division;
  const area = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
  const region = area === null ? null : regionAt(context, area);
  if (region !== null) return region;
  if (area !== null && area.place.area.length > 0 && isNamedArea(sentence, area)) {
    return areaAt(context, area);
  }
  if (!PART_STARTS.has(sentence.folded(at)) || isInTrade(sentence, at, at + 1)) return null;
  const head = headAt(sentence, at);
  // A "zona" lies in a city, so "zona leste sp" means the capital.
  const zone = sentence.folded(at) === "zona";
  const whole = wholeAt(context, head.next, zone || head.next > head.end);
  if (whole === null) {
    const lost = divisionHead(sentence, at) === null ? {} : { lost: unknownDivision(context) };
    return (
      lostRegionAt(context, at, { ...head, ...lost }) ?? lonePart(context, [at, head.end], last)
    );
  }
  if (area !== null && area.to >= whole.to) return null;
  // "Serra - ES" and "Serra ES" mean the city of Serra; "serra catarinense" means a part of a
  // state.
  const city = area !== null && area.to >= head.end && !whole.adjective;
  const own = city && area.place.cities.some(({ uf }) => whole.states.includes(uf));
  if (own && head.next === head.end) return null;
  if (sentence.folded(at) === "grande" && !whole.cities.some((city) => city.capital)) return null;
  const { to, states } = whole;
  const capital = zone && states.length === 1 ? gazetteer.capitalOf(states[0] ?? "") : undefined;
  const cities = capital !== undefined && whole.cities.length === 0 ? [capital] : whole.cities;
  const ofCity = rangeHas(sentence, at, head.end, CITY_PARTS);
  const both = states.length > 0 && cities.length > 0;
  const asState = states.length > 0 && !(both && ofCity);
  const name = Array.from({ length: head.end - at }, (_, i) => sentence.folded(at + i)).join(" ");
  const known = asState ? regionOfPart(context, name, states) : null;
  // "the interior of São Paulo state"
  const end = /^(state|estado)$/.test(sentence.folded(to)) && sentence.free(to) ? to + 1 : to;
  if (known !== null) return mentionOfRegions(context, [at, end], [known]);
  const meaning = {
    states: asState ? states : [],
    cities: asState ? [] : cities,
    part: true,
    // "região de Minas" means the whole state. Nothing of it is lost if the whole state is
    // searched.
    lost: STATISTICAL.test(name) || (asState && name !== "regiao" && !states.includes("DF")),
  };
  return partOf(context, { at, head: head.end, name: whole.at, to }, meaning);
}

/** True for the name of an area. "ABC" counts only in capitals or after a preposition. */
function isNamedArea(sentence: Sentence, { from, words, place }: PlaceMatch): boolean {
  if (place.cities.length > 0) return false;
  return words > 1 || leadOf(sentence, from).kind !== "" || /\p{Lu}/u.test(textAt(sentence, from));
}

function textAt(sentence: Sentence, at: number): string {
  return sentence.tokens[at]?.text ?? "";
}

/**
 * Reads the name of an area with the words that qualify it: "ABC paulista", "Vale do Ribeira, SP".
 */
function areaAt(context: PlaceContext, { from, to, place }: PlaceMatch): Mention | null {
  return partOf(context, { at: from, head: to, name: to, to }, { states: place.area, part: true });
}

interface Head {
  /** Position after the last word of the part. */
  readonly end: number;
  /** Index after the words that introduce the place. */
  readonly next: number;
}

function headAt(sentence: Sentence, at: number): Head {
  let end = at + 1;
  let next = at + 1;
  for (; next < at + REACH && sentence.free(next); next++) {
    const word = sentence.folded(next);
    const isFree = word === "franca" && sentence.folded(next - 1) === "zona";
    if (PART_WORDS.has(word) || isFree) end = next + 1;
    else if (!isOf(word) && !isKindOfPlace(word) && !/^(o|a|the)$/.test(word)) break;
  }
  return { end, next };
}

interface Whole {
  readonly at: number;
  readonly to: number;
  readonly states: readonly string[];
  readonly cities: Mention["cities"];
  readonly adjective: boolean;
}

/** Returns the place after a part's name, possibly an adjective: "oeste paulista". */
function wholeAt(context: PlaceContext, at: number, led: boolean): Whole | null {
  const { sentence, gazetteer } = context;
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at)) return null;
  const uf = token.text.toUpperCase();
  if (token.text.length === 2 && STATE_NAMES[uf] !== undefined && (led || token.text === uf)) {
    return { at, to: at + 1, states: [uf], cities: [], adjective: false };
  }
  const match = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null || match.place.here || match.place.region) return null;
  const { demonymStates, demonymCities } = match.place;
  if (!led && demonymStates.length + demonymCities.length > 0) {
    return {
      ...{ at, to: match.to, states: demonymStates, cities: demonymCities },
      adjective: true,
    };
  }
  const { states, cities } = meaningOf(sentence, match);
  const plain = states.length > 0 || led || cities.some((city) => city.capital);
  if (!plain || states.length + cities.length === 0) return null;
  return { at, to: match.to, states, cities, adjective: false };
}

interface Where {
  readonly at: number;
  /** Position after the words of the part. */
  readonly head: number;
  /** First word of the place. */
  readonly name: number;
  readonly to: number;
}

/**
 * Marks the words of a part as a request without a filter, and those of its place as a place. If
 * they are excluded, marks all of them as a request without a filter.
 */
function partOf(
  context: PlaceContext,
  { at, head, name, to }: Where,
  meaning: Partial<Mention>,
): Mention {
  const { sentence, notes } = context;
  const words = sentence.words(at, head);
  const division = divisionHead(sentence, at) !== null;
  const outer = mentionOf(context, [at, at], {});
  sentence.claim(at, head, "unmapped");
  sentence.claim(head, to, outer.negated ? "unmapped" : "place");
  const inner = name < to ? leadOf(sentence, name) : outer.lead;
  sentence.name(name, to);
  if (outer.negated) {
    notes.addUnmapped("excluded_part", EXCLUDED_PART, sentence.words(outer.from, to));
    return { ...outer, at, to, dropped: true, lost: meaning.lost ?? false };
  }
  notes.addUnmapped("part_of_place", division ? unknownDivision(context) : PART, words);
  const all: Words = sentence.words(outer.from, to);
  return { ...outer, at, to, words: all, lead: { ...outer.lead, state: inner.state }, ...meaning };
}

/** Reads a part whose place is named elsewhere, as in "São Paulo, zona sul", or not at all. */
function lonePart(
  context: PlaceContext,
  [at, end]: readonly [at: number, end: number],
  last: Mention | undefined,
): Mention | null {
  const { sentence } = context;
  const word = sentence.folded(at);
  const lead = leadOf(sentence, at);
  const isNextToPlace = [at - 1, at - 2, at - 3, lead.from - 1].some(
    (i) => sentence.owner(i) === "place",
  );
  const around =
    SURROUNDINGS.has(word) && isNextToPlace && !PART_STARTS.has(sentence.folded(at + 1));
  if (!around && (!LONE_PARTS.has(word) || (word === "zona" && end === at + 1))) return null;
  if (lead.kind !== "in" && lead.kind !== "of" && !isNextToPlace) return null;
  const region = last === undefined ? null : regionNextTo(context, [at, end], last, around);
  if (region !== null) return mentionOfRegions(context, [at, end], [region]);
  return partOf(context, { at, head: end, name: end, to: end }, { part: true });
}

/** Returns the region next to a place: "Campinas e região", "São Paulo, interior". */
function regionNextTo(
  context: PlaceContext,
  [at, end]: readonly [at: number, end: number],
  last: Mention,
  around: boolean,
): MeantRegion | null {
  const { sentence } = context;
  if (around) {
    const region = regionAround(context, last);
    if (region !== null) last.states = [];
    return region;
  }
  const apart = /\p{L}/u.test(sentence.words(last.to, leadOf(sentence, at).from).words);
  if (apart || end > at + 1 || last.negated) return null;
  const region = regionOfPart(context, sentence.folded(at), last.states);
  if (region !== null) last.dropped = true;
  return region;
}

function rangeHas(sentence: Sentence, from: number, to: number, words: ReadonlySet<string>) {
  for (let at = from; at < to; at++) if (words.has(sentence.folded(at))) return true;
  return false;
}
