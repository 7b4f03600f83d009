/**
 * Defines a mention, a place that a sentence names.
 * Input: tokens and their possible meanings. Output: a mention of the place. Its words and negator
 * are marked as read.
 * Invariant: no stage reads the words of a mention again. A mention keeps all possible meanings
 * until all mentions of the sentence are known. Then one meaning is chosen.
 */

import { negatorOf, reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import type { MentionedDistricts } from "./districts/districtmentions.ts";
import type { Gazetteer } from "./gazetteer.ts";
import type { City, MeantRegion, PlaceMatch } from "./placenames.ts";
import { DEALING, type Lead, leadOf } from "./placewords.ts";

/** Input of the stages that read places. */
export interface PlaceContext {
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
  /** Number of accounts in the snapshot. */
  readonly accounts: number;
  /** Districts that the sentence names. The place stages add those that they find. */
  readonly districts: MentionedDistricts;
  /** Returns the end of the trade name that begins at a token, or the token itself. */
  readonly tradeEnd: (index: number) => number;
  /** Returns the IBGE code of the municipality of a postal code, or null. */
  readonly postalCity?: (digits: string) => string | null;
}

/** A named place. */
export interface Mention {
  /** First token of the mention, including the words that introduce the name. */
  readonly from: number;
  /** First token of the name. */
  readonly at: number;
  readonly to: number;
  readonly words: Words;
  readonly lead: Lead;
  negated: boolean;
  readonly region: boolean;
  readonly adjective: boolean;
  /** True for "a capital" without a name; its state is found later. */
  readonly capital: boolean;
  /** True if the words around the name mean only a part of the place. */
  part: boolean;
  /** Regions that the name may mean. Their municipalities are in `cities`. */
  readonly regions: readonly MeantRegion[];
  /** True if part of the meaning is unknown, so that `states` and `cities` are too wide. */
  lost: boolean;
  /** True if the name is unknown. */
  readonly strange: boolean;
  /** Candidate states. */
  states: readonly string[];
  /**
   * Municipalities that the name may mean. If `states` is set too, the name means one or the other.
   */
  cities: readonly City[];
  /** True if the mention sets no filter, because it only qualifies another mention. */
  dropped: boolean;
  /** True if both a city and a state have the name. */
  either: boolean;
  /** True if "e" or "ou" joins the mention to another one. */
  joined: boolean;
  /** True if all cities in `cities` are meant together, as for "capitais". */
  every: boolean;
}

/** Words that always exclude places. */
const OUTSIDE = new Set(["outside", "beyond"]);

/**
 * Returns a mention of the name in the tokens [at, to). Marks the name, its negator, and the words
 * before it ("na cidade de") as read.
 */
export function mentionOf(
  { sentence }: PlaceContext,
  [at, to]: readonly [number, number],
  meaning: Partial<Mention>,
): Mention {
  const lead = leadOf(sentence, at);
  const outside = OUTSIDE.has(sentence.folded(lead.from - 1)) && sentence.free(lead.from - 1);
  const negator = outside ? lead.from - 1 : negatorOf(sentence, lead.from);
  if (negator >= 0) claimNegation(sentence, negator, lead.from);
  // "não só em SP" names a place but does not restrict the search to it.
  const reach = reachOf(sentence, lead.from);
  const open = reach.polarity === "open";
  if (open) claimNegation(sentence, reach.negator, lead.from);
  const words = sentence.claim(lead.from, to, "place");
  sentence.name(at, to);
  // The mention is one object literal, because objects that share a shape are fast to create and
  // read.
  return {
    from: lead.from,
    at,
    to,
    words,
    lead,
    negated: negator >= 0,
    region: meaning.region ?? false,
    adjective: meaning.adjective ?? false,
    capital: meaning.capital ?? false,
    part: meaning.part ?? false,
    states: meaning.states ?? [],
    cities: meaning.cities ?? [],
    dropped: meaning.dropped ?? open,
    either: false,
    joined: false,
    every: meaning.every ?? false,
    regions: meaning.regions ?? [],
    lost: meaning.lost ?? false,
    strange: meaning.strange ?? false,
  };
}

/** Returns the states and cities of a match. Accents can rule out nicknames. */
export function meaningOf(
  sentence: Sentence,
  { from, to, place }: PlaceMatch,
): Pick<Mention, "states" | "cities" | "region"> {
  const { states, cities, nicknamed, region } = place;
  // Special white space, which pages and spreadsheets contain, does not count as an accent.
  const accented = /[^\p{ASCII}\s]/u.test(sentence.words(from, to).words);
  const others = accented && cities.length > 0 ? [] : nicknamed;
  return { states, region, cities: [...cities, ...others.filter((one) => !cities.includes(one))] };
}

/**
 * True if the word before a preposition shows that the business deals with the place, such as
 * "especializada" in "especializada em Bonito".
 */
export function isSpecialised(sentence: Sentence, at: number): boolean {
  return DEALING.has(sentence.folded(at - 1));
}
