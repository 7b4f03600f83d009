/**
 * Where a sentence names a region. What comes in: a name of the table, the name of a part of a
 * state, or the beginning of a name that nobody knows. What goes out: mentions of municipalities.
 * Invariant: a region is its municipalities; one that is not known, or a part of a state of which
 * nobody says what belongs to it, is a lost mention, with which no translation is sure enough to
 * be run.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsWish } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import type { Token } from "../words/tokens.ts";
import { isSpecialised, type Mention, mentionOf, type PlaceContext } from "./mention.ts";
import type { City, MeantRegion, PlaceMatch, Region } from "./placenames.ts";
import { isCapitalised } from "./placesigns.ts";
import { isIn, isOf, leadOf } from "./placewords.ts";
import { coastOf, formsOfState, interiorOf } from "./regiontable.ts";
import { strangerEnd } from "./strangers.ts";

/** Words that begin the name of a region; what follows one of them may be unknown. */
const HEADS = new Set(
  (
    "vale serra planalto regiao baixada chapada triangulo pontal costa sertao agreste circuito " +
    "microrregiao mesorregiao entorno litoral reconcavo macico norte sul leste oeste noroeste " +
    "sudoeste nordeste sudeste valley region coast"
  ).split(" "),
);

/** Most words of a name that nobody knows. */
const UNKNOWN_MAX = 4;

/** Marks and words between a region and the state that says which one is meant. */
const BETWEEN_MAX = 2;

/** The region of a name of the table, or null where another place or no place is meant. */
export function regionAt(context: PlaceContext, match: PlaceMatch): Mention | null {
  if (match.place.regions.length === 0 || !isRegionName(context, match)) return null;
  const fitting = regionsBeside(context, match);
  if (fitting.length === 0) return null;
  if (fitting.every(({ region }) => region.part)) return insideAt(context, match, fitting);
  return mentionOfRegions(context, [match.from, match.to], fitting);
}

/** The regions of a name, without those that the state behind it says are not meant. */
export function regionsBeside(context: PlaceContext, match: PlaceMatch): readonly MeantRegion[] {
  const states = statesBehind(context, match.to);
  return match.place.regions.filter(({ region }) => {
    return states === null || liesIn(context, region, states);
  });
}

/** A mention of regions, whatever words name them. */
export function mentionOfRegions(
  context: PlaceContext,
  range: readonly [number, number],
  regions: readonly MeantRegion[],
): Mention {
  const cities = membersOf(context, regions);
  // A snapshot may have none of them.
  return mentionOf(context, range, { cities, regions, every: true, part: cities.length === 0 });
}

/**
 * The municipalities of all the regions, each once; of a single region its own list, so that a
 * text that names it a hundred times holds one list and not a hundred.
 */
function membersOf({ gazetteer }: PlaceContext, regions: readonly MeantRegion[]): readonly City[] {
  const [first] = regions;
  if (first !== undefined && regions.length === 1) return first.region.members(gazetteer);
  return [...new Set(regions.flatMap(({ region }) => region.members(gazetteer)))];
}

/** A place inside of a municipality, "Porto de Galinhas", stands for the municipality. */
function insideAt(
  context: PlaceContext,
  { from, to }: PlaceMatch,
  meant: readonly MeantRegion[],
): Mention {
  const { sentence, notes, gazetteer } = context;
  const words = sentence.words(from, to);
  const cities = meant.flatMap(({ region }) => region.members(gazetteer));
  const mention = mentionOf(context, [from, to], { cities, every: true, part: true });
  notes.leave(mention.negated ? "excluded_part" : "part_of_place", insideNote(mention), words);
  return mention.negated ? { ...mention, dropped: true } : mention;
}

function insideNote({ negated }: Mention) {
  return negated ? EXCLUDED_PART : PART;
}

/** What is said of a part that stands for the place it lies in. */
export const PART = {
  pt: "Não há filtro para essa parte; foi usado o lugar em que ela fica.",
  en: "No filter takes this part; the place it lies in was used.",
};
/** The same of one that should be left out. */
export const EXCLUDED_PART = {
  pt: "Não há filtro para essa parte; a exclusão não foi aplicada.",
  en: "No filter takes this part; the exclusion was not applied.",
};

/** A name of one word, or one that a city has too, needs words that say that a region is meant. */
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

/** States right behind a name that say which of its regions is meant; null without any. */
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

function liesIn({ gazetteer }: PlaceContext, region: Region, states: readonly string[]): boolean {
  return region.members(gazetteer).some(({ uf }) => states.includes(uf));
}

/** The region that a part of a state is: "interior de SP", "litoral catarinense", "sul do Pará". */
export function regionOfPart(
  context: PlaceContext,
  part: string,
  states: readonly string[],
): MeantRegion | null {
  const [uf = ""] = states;
  if (states.length !== 1 || uf === "EX") return null;
  const words = part.split(" ").filter((word) => !isOf(word));
  const name = words.join(" ");
  const made = /^(interior|countryside|inland)$/.test(name)
    ? interiorOf(uf)
    : /^(litoral|coast|costa|coastal)$/.test(name)
      ? coastOf(uf)
      : null;
  if (made !== null) return { region: made, usual: false };
  for (const form of formsOfState(uf, STATE_NAMES[uf] ?? "")) {
    const place = context.gazetteer.places.named(`${name} ${form}`);
    const meant = place?.regions.find(({ region }) => liesIn(context, region, states));
    if (meant !== undefined) return meant;
  }
  return null;
}

/** The region around a city, "Campinas e região", or null where none is known. */
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

/** "Vale do Xyz", "região dos Pireneus": a region that nobody knows. */
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
  const to = Math.max(first, strangerEnd(context, head.next, head.next + 1));
  if (lead.kind !== "in" && negatorOf(sentence, lead.from) < 0) return null;
  const mention = mentionOf(context, [at, at], { part: true, lost: true });
  const words = sentence.claim(mention.from, to, "unmapped");
  sentence.name(at, to);
  const { lost = LOST } = head;
  notes.warn("unknown_place", lost, words);
  notes.leave("place", lost, words);
  return { ...mention, to, words, dropped: mention.negated };
}

/** Where the words of an unknown name end; where they begin when there are none. */
function unknownEnd(context: PlaceContext, from: number, led: boolean): number {
  const { sentence, gazetteer, tradeEnd } = context;
  const isWord = (at: number) =>
    sentence.free(at) &&
    /^\p{L}{3,}$/u.test(sentence.folded(at)) &&
    !isFillerWord(sentence.tokens[at] as Token) &&
    !beginsWish(sentence, at) &&
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
