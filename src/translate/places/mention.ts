/**
 * One place that a sentence names. What comes in: tokens and what they may stand for. What goes
 * out: a mention, its words and those that lead to it and negate it claimed.
 * Invariant: the words of its name are read by nobody again; a mention holds everything it may
 * stand for; what it means is decided when all mentions of the sentence are known.
 */

import { negatorOf, reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import type { SaidDistricts } from "./districts/saiddistricts.ts";
import type { Gazetteer } from "./gazetteer.ts";
import type { City, MeantRegion, PlaceMatch } from "./placenames.ts";
import { DEALING, type Lead, leadOf } from "./placewords.ts";

/** What the stages of places work on. */
export interface PlaceContext {
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
  /** Accounts of the snapshot. */
  readonly accounts: number;
  /** Districts that are named; the stages of places add those that they find. */
  readonly districts: SaidDistricts;
  /** Where the known name of a trade that begins here ends; the same index where none does. */
  readonly tradeEnd: (index: number) => number;
}

/** One place that is named. */
export interface Mention {
  /** First token, words before the name included. */
  readonly from: number;
  /** First token of the name. */
  readonly at: number;
  readonly to: number;
  readonly words: Words;
  readonly lead: Lead;
  negated: boolean;
  readonly region: boolean;
  readonly adjective: boolean;
  /** "a capital", of which state is to be found out. */
  readonly capital: boolean;
  /** Something before or after it cuts a part out of it. */
  part: boolean;
  /** Regions that its cities are the municipalities of; several until it is known which. */
  readonly regions: readonly MeantRegion[];
  /** What it names is not known, or not in full, so that what it stands for is too wide. */
  lost: boolean;
  /** A name that nobody knows. */
  readonly strange: boolean;
  /** States it may stand for. */
  states: readonly string[];
  /** Municipalities it may stand for; with states as well, one or the other. */
  cities: readonly City[];
  /** It only said which place another mention means. */
  dropped: boolean;
  /** Its name is that of a city and of a state. */
  either: boolean;
  /** "e" or "ou" joins it to another mention. */
  joined: boolean;
  /** All its cities are meant, as of capitals. */
  every: boolean;
}

/** Words that exclude places only. */
const OUTSIDE = new Set(["outside", "beyond"]);

/** Makes a mention of tokens and claims them with what negates them. */
export function mentionOf(
  { sentence }: PlaceContext,
  [at, to]: readonly [number, number],
  meant: Partial<Mention>,
): Mention {
  const lead = leadOf(sentence, at);
  const outside = OUTSIDE.has(sentence.folded(lead.from - 1)) && sentence.free(lead.from - 1);
  const negator = outside ? lead.from - 1 : negatorOf(sentence, lead.from);
  if (negator >= 0) claimNegation(sentence, negator, lead.from);
  // "não só em SP" names a place and asks for no filter.
  const reach = reachOf(sentence, lead.from);
  const open = reach.polarity === "open";
  if (open) claimNegation(sentence, reach.negator, lead.from);
  const words = sentence.claim(lead.from, to, "place");
  sentence.name(at, to);
  // One literal with all members: mentions of one shape are quick to make and to read.
  return {
    from: lead.from,
    at,
    to,
    words,
    lead,
    negated: negator >= 0,
    region: meant.region ?? false,
    adjective: meant.adjective ?? false,
    capital: meant.capital ?? false,
    part: meant.part ?? false,
    states: meant.states ?? [],
    cities: meant.cities ?? [],
    dropped: meant.dropped ?? open,
    either: false,
    joined: false,
    every: meant.every ?? false,
    regions: meant.regions ?? [],
    lost: meant.lost ?? false,
    strange: meant.strange ?? false,
  };
}

/** States and cities that a match may mean; the nickname only where no accent speaks against it. */
export function meaningOf(
  sentence: Sentence,
  { from, to, place }: PlaceMatch,
): Pick<Mention, "states" | "cities" | "region"> {
  const { states, cities, nicknamed, region } = place;
  // Not white space of another kind, which pages and spreadsheets have.
  const accented = /[^\p{ASCII}\s]/u.test(sentence.words(from, to).words);
  const others = accented && cities.length > 0 ? [] : nicknamed;
  return { states, region, cities: [...cities, ...others.filter((one) => !cities.includes(one))] };
}

/** Whether what stands before a preposition says what a company does and not where it is. */
export function isSpecialised(sentence: Sentence, at: number): boolean {
  return DEALING.has(sentence.folded(at - 1));
}
