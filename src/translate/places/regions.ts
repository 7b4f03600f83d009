/**
 * Reads names of regions in a sentence, popular ("Norte de Minas") or statistical ("microrregião de
 * Campinas").
 * Input: a name in the table, a part of a state, the beginning of an unknown name, or a word for a
 * kind of statistical region. Output: mentions of municipalities.
 * Invariant: a region is a list of municipalities. If its municipalities are unknown, `lost` is set
 * on the mention, and the confidence of the translation becomes low. After a word such as
 * "microrregião", only a region of that kind matches, never a city or another region of that name.
 * Unknown or missing regions are reported and never widen the search.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsRequest } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token } from "../words/tokens.ts";
import { isSpecialised, type Mention, mentionOf, type PlaceContext } from "./mention.ts";
import type { City, MeantRegion, PlaceMatch, PlaceNames, Region } from "./placenames.ts";
import { isCapitalised } from "./placesigns.ts";
import { isIn, isOf, leadOf } from "./placewords.ts";
import { coastOf, formsOfState, interiorOf } from "./regiontable.ts";
import type { DivisionKind } from "./snapshotcities.ts";
import { unknownNameEnd } from "./unknownnames.ts";

/** First words of the names of regions, including unknown ones. */
const HEADS = new Set(
  (
    "vale serra planalto regiao baixada chapada triangulo pontal costa sertao agreste circuito " +
    "microrregiao mesorregiao entorno litoral reconcavo macico norte sul leste oeste noroeste " +
    "sudoeste nordeste sudeste valley region coast"
  ).split(" "),
);

/** Maximum number of words in an unknown name. */
const UNKNOWN_MAX = 4;

/** Maximum number of punctuation marks and words between a region and its state. */
const BETWEEN_MAX = 2;

/**
 * Returns a mention of the regions that a name means, or null if the name has another meaning here.
 */
export function regionAt(context: PlaceContext, match: PlaceMatch): Mention | null {
  if (match.place.regions.length === 0 || !isRegionName(context, match)) return null;
  const fitting = regionsNextTo(context, match);
  if (fitting.length === 0) return null;
  if (fitting.every(({ region }) => region.part)) return insideAt(context, match, fitting);
  return mentionOfRegions(context, [match.from, match.to], fitting);
}

/** Returns the regions that a name may mean, only those in a state that follows the name. */
function regionsNextTo(context: PlaceContext, match: PlaceMatch): readonly MeantRegion[] {
  const states = statesBehind(context, match.to);
  return match.place.regions.filter(({ region }) => {
    return states === null || isWithin(context, region, states);
  });
}

/** Returns a mention of regions without checking how they are worded. */
export function mentionOfRegions(
  context: PlaceContext,
  range: readonly [number, number],
  regions: readonly MeantRegion[],
): Mention {
  const cities = membersOf(context, regions);
  // `cities` is empty if the snapshot has no municipality of the regions.
  return mentionOf(context, range, { cities, regions, every: true, part: cities.length === 0 });
}

/**
 * Returns the municipalities of all regions, without repeats. For a single region, returns the
 * region's own list. A text that names one region a hundred times then needs only one list.
 */
function membersOf({ gazetteer }: PlaceContext, regions: readonly MeantRegion[]): readonly City[] {
  const [first] = regions;
  if (first !== undefined && regions.length === 1) return first.region.members(gazetteer);
  return [...new Set(regions.flatMap(({ region }) => region.members(gazetteer)))];
}

/** Reads a place inside a municipality ("Porto de Galinhas") as the municipality. */
function insideAt(
  context: PlaceContext,
  { from, to }: PlaceMatch,
  meant: readonly MeantRegion[],
): Mention {
  const { sentence, notes, gazetteer } = context;
  const words = sentence.words(from, to);
  const cities = meant.flatMap(({ region }) => region.members(gazetteer));
  const mention = mentionOf(context, [from, to], { cities, every: true, part: true });
  notes.addUnmapped(
    mention.negated ? "excluded_part" : "part_of_place",
    insideNote(mention),
    words,
  );
  return mention.negated ? { ...mention, dropped: true } : mention;
}

function insideNote({ negated }: Mention) {
  return negated ? EXCLUDED_PART : PART;
}

/** The note if no filter takes a part and the whole place is searched instead. */
export const PART = {
  pt: "Não há filtro para essa parte; foi usado o lugar em que ela fica.",
  en: "No filter takes this part; the place it lies in was used.",
};
/** The note for an excluded part. */
export const EXCLUDED_PART = {
  pt: "Não há filtro para essa parte; a exclusão não foi aplicada.",
  en: "No filter takes this part; the exclusion was not applied.",
};

/**
 * True if the name means a region. A name of one word, or one that is also a city or state, needs a
 * preposition, an article, or capital letters.
 */
function isRegionName({ sentence }: PlaceContext, { from, words, place }: PlaceMatch): boolean {
  const lead = leadOf(sentence, from);
  const article = /^[nd][oa]s?$/.test(lead.word);
  const named = place.cities.length + place.states.length + place.nicknamed.length > 0;
  const meant = lead.kind === "in" || isCapitalised(sentence, from);
  if (named) return article && meant && !lead.city && !lead.state;
  if (words > 1) return true;
  const text = sentence.tokens[from]?.text ?? "";
  if (/^\p{Lu}{3,}/u.test(text) && text !== sentence.text) return true;
  if (isSpecialised(sentence, lead.from)) return false;
  return lead.kind === "in" || (article && isCapitalised(sentence, from));
}

/** Returns the states named after a region: "SP" in "Vale do Ribeira, SP"; null if none. */
function statesBehind({ sentence, gazetteer }: PlaceContext, to: number): readonly string[] | null {
  let at = to;
  const marked = (index: number) => ["(", "/"].includes(sentence.tokens[index]?.text ?? "");
  while (at < to + BETWEEN_MAX && (isOf(sentence.folded(at)) || marked(at))) at++;
  const uf = (sentence.tokens[at]?.text ?? "").toUpperCase();
  const led = at > to;
  if (uf.length === 2 && STATE_NAMES[uf] !== undefined) {
    return led || sentence.tokens[at]?.text === uf ? [uf] : null;
  }
  const place = gazetteer.places.longest(sentence.tokens, at)?.place;
  if (place === undefined || place.region) return null;
  if (led) return place.states.length > 0 ? place.states : null;
  return place.demonymStates.length > 0 ? place.demonymStates : null;
}

function isWithin({ gazetteer }: PlaceContext, region: Region, states: readonly string[]): boolean {
  return region.members(gazetteer).some(({ uf }) => states.includes(uf));
}

/** English words for parts of a state, with the words in the names of regions. */
const ENGLISH_PARTS: Readonly<Record<string, string>> = {
  ...{ north: "norte", northern: "norte", south: "sul", southern: "sul" },
  ...{ east: "leste", eastern: "leste", west: "oeste", western: "oeste" },
  ...{ northeast: "nordeste", northeastern: "nordeste", southeast: "sudeste" },
  ...{ southeastern: "sudeste", northwest: "noroeste", northwestern: "noroeste" },
  ...{ southwest: "sudoeste", southwestern: "sudoeste", central: "centro" },
  coast: "litoral",
};

/**
 * Returns the region that is a part of a state: "interior de SP", "litoral catarinense", "sul do
 * Pará". Returns null if it is unknown.
 */
export function regionOfPart(
  context: PlaceContext,
  part: string,
  states: readonly string[],
): MeantRegion | null {
  const [uf = ""] = states;
  if (states.length !== 1 || uf === "EX") return null;
  const words = part.split(" ").filter((word) => !isOf(word));
  const translated = words.map((word) => ENGLISH_PARTS[word] ?? word);
  // The order of words differs: "north coast" is "litoral norte".
  if (words.length === 2 && words[1] === "coast") translated.reverse();
  const name = translated.join(" ");
  const made = /^(interior|countryside|inland)$/.test(name)
    ? interiorOf(uf)
    : /^(litoral|coast|costa|coastal)$/.test(name)
      ? coastOf(uf)
      : null;
  if (made !== null) return { region: made, usual: false };
  for (const form of formsOfState(uf, STATE_NAMES[uf] ?? "")) {
    const place = context.gazetteer.places.named(`${name} ${form}`);
    const meant = place?.regions.find(({ region }) => isWithin(context, region, states));
    if (meant !== undefined) return meant;
  }
  return null;
}

/** Returns the region around a city ("Campinas e região"), or null if it is unknown. */
export function regionAround(context: PlaceContext, last: Mention): MeantRegion | null {
  if (last.cities.length === 0 || last.regions.length > 0 || last.capital) return null;
  for (const city of last.cities) {
    const place = context.gazetteer.places.named(`região de ${city.name}`);
    const around = place?.regions.find(({ region }) => {
      return region.members(context.gazetteer).includes(city);
    });
    if (around !== undefined) return around;
  }
  return null;
}

/** Reports an unknown region after a word such as "vale", as in "Vale do Xyz". */
export function lostRegionAt(
  context: PlaceContext,
  at: number,
  head: { readonly end: number; readonly next: number; readonly lost?: Lost },
): Mention | null {
  const { sentence, notes, gazetteer } = context;
  if (!HEADS.has(sentence.folded(at))) return null;
  const lead = leadOf(sentence, at);
  const known = gazetteer.places.longest(sentence.tokens, at);
  if (known !== null && known.words > 1) return null;
  const first = unknownEnd(context, head.next, head.next > head.end);
  if (first === head.next) return null;
  const to = Math.max(first, unknownNameEnd(context, head.next, head.next + 1));
  if (lead.kind !== "in" && negatorOf(sentence, lead.from) < 0) return null;
  const mention = mentionOf(context, [at, at], { part: true, lost: true });
  const words = sentence.claim(mention.from, to, "unmapped");
  sentence.name(at, to);
  const { lost = LOST } = head;
  notes.warn("unknown_place", lost, words);
  notes.addUnmapped("place", lost, words);
  return { ...mention, to, words, dropped: mention.negated };
}

/** Returns the end of an unknown name, or its start if it has no words. */
function unknownEnd(context: PlaceContext, from: number, led: boolean): number {
  const { sentence, gazetteer, tradeEnd } = context;
  const isWord = (at: number) =>
    sentence.free(at) &&
    /^\p{L}{3,}$/u.test(sentence.folded(at)) &&
    !isFillerWord(sentence.tokens[at] as Token) &&
    !beginsRequest(sentence, at) &&
    tradeEnd(at) === at;
  const capital = isCapitalised(sentence, from);
  if (!isWord(from) || !(capital || led)) return from;
  if (gazetteer.places.longest(sentence.tokens, from) !== null) return from;
  let to = from + 1;
  for (let next = to; next < from + UNKNOWN_MAX; next++) {
    if (isOf(sentence.folded(next)) && sentence.free(next)) continue;
    if (!isWord(next) || isIn(sentence.folded(next))) break;
    if (capital && !isCapitalised(sentence, next) && COMMON_WORDS.has(sentence.folded(next))) break;
    to = next + 1;
  }
  return to;
}

type Lost = Readonly<Record<"pt" | "en", string>>;

const LOST: Lost = {
  pt: "Região desconhecida; a busca não foi ampliada.",
  en: "Unknown region; the search was not widened.",
};

/** Matches the words for each kind of statistical region. */
const WORDS: readonly (readonly [kind: DivisionKind, words: RegExp])[] = [
  ["meso", /^mes(orr?|o r)egi(ao|oes|on|ons|ones)$/],
  ["micro", /^micr(orr?|o r)egi(ao|oes|on|ons|ones)$/],
  [
    "immediate",
    /^(regi(ao|oes|on|ones)( geograficas?)? in?mediatas?|immediate( geographic)? regions?)$/,
  ],
  [
    "intermediate",
    /^(regi(ao|oes|on|ones)( geograficas?)? intermediarias?|intermediate( geographic)? regions?)$/,
  ],
];
const WORDS_MAX = 3;
const PLURAL = /(oes|ons|ones)\b/;
/** Matches punctuation and words that join the names of several regions. */
const JOINING = /^(,|e|y|ou|and|or)$/;

interface Head {
  readonly kind: DivisionKind;
  readonly to: number;
  readonly several: boolean;
}

/** Returns the kind of region named at a token. */
export function divisionHead(sentence: Sentence, at: number): Head | null {
  if (!/^(mes|micr|regi|imm|inter)/.test(sentence.folded(at))) return null;
  let words = sentence.folded(at);
  for (let to = at + 1; to <= at + WORDS_MAX && sentence.free(to - 1); to++) {
    const found = WORDS.find(([, pattern]) => pattern.test(words));
    if (found !== undefined) return { kind: found[0], to, several: PLURAL.test(words) };
    words += ` ${sentence.folded(to)}`;
  }
  return null;
}

/** Returns the mention of statistical regions that begins at a token, or null. */
export function divisionAt(context: PlaceContext, at: number): Mention | null {
  const { sentence, gazetteer } = context;
  const head = divisionHead(sentence, at);
  if (head === null || gazetteer.divisions === null) return null;
  const names = gazetteer.divisions.named(head.kind);
  const named: (readonly MeantRegion[])[] = [];
  let to = head.to;
  for (let next = head.to; ; next = to + 1) {
    while (isOf(sentence.folded(next)) && sentence.free(next)) next++;
    const match = nameAt(sentence, names, next);
    if (match === null) break;
    const adjacent = regionsNextTo(context, match);
    if (adjacent.length === 0) break;
    named.push(adjacent);
    to = match.to;
    const half = sentence.tokens[to]?.text === "/" ? nameAt(sentence, names, to + 1) : null;
    if (half !== null && shareOne(match, half)) to = half.to;
    if (!head.several || !JOINING.test(sentence.folded(to))) break;
  }
  return named.length === 0 ? null : mentionOfRegions(context, [at, to], togetherOf(named));
}

/**
 * Returns one region with the municipalities of all regions of a list. If one of the names is
 * ambiguous, returns all regions as alternatives.
 */
function togetherOf(named: readonly (readonly MeantRegion[])[]): readonly MeantRegion[] {
  if (named.length === 1 || named.some((one) => one.length > 1)) return named.flat();
  const regions = named.flat().map(({ region }) => region);
  let cities: readonly City[] | undefined;
  const region: Region = {
    name: regions.map(({ name }) => name).join(", "),
    part: false,
    members(source) {
      cities ??= [...new Set(regions.flatMap((one) => one.members(source)))];
      return cities;
    },
  };
  return [{ region, usual: false }];
}

const NAME_MAX = 9;

/**
 * Returns the region name that begins at a token. Compares the words as written, even if an earlier
 * stage read some of them as a city.
 */
function nameAt(sentence: Sentence, names: PlaceNames, at: number): PlaceMatch | null {
  const tokens = sentence.tokens.slice(at, at + NAME_MAX).map((token) => {
    return token.kind === "word" ? { ...token, folded: foldWord(token.text) } : token;
  });
  const match = names.longest(tokens, 0, (index) => sentence.free(at + index));
  return match === null ? null : { ...match, from: at, to: at + match.to };
}

function shareOne({ place: one }: PlaceMatch, { place: other }: PlaceMatch): boolean {
  return one.regions.some(({ region }) => other.regions.some((each) => each.region === region));
}

/** Returns the note for an unknown statistical region, or for a snapshot without regions. */
export function unknownDivision({ gazetteer }: PlaceContext) {
  return gazetteer.divisions === null ? NOT_GIVEN : UNKNOWN;
}

const NOT_GIVEN = {
  pt:
    "O snapshot não tem as regiões do IBGE: rode peneira download --places --to PASTA e importe " +
    "de novo com peneira import --places PASTA/places.csv.",
  en:
    "The snapshot lacks the regions of the statistics: run peneira download --places --to DIR, " +
    "then import again with peneira import --places DIR/places.csv.",
};
const UNKNOWN = {
  pt: "Não há região do IBGE com esse nome; a busca não foi ampliada.",
  en: "There is no region of the statistics with this name; the search was not widened.",
};
