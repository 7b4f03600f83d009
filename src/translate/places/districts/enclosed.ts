/**
 * Names after a city in a list opened by a colon, bracket, dash, or hyphen: "Santos: Centro,
 * Gonzaga", "Recife (Boa Viagem)".
 * Input: a sentence and a city in it. Output: the text ranges of the names.
 * Invariant: the names are districts of that city, even if towns elsewhere have these names.
 * Requests, trades, states, and towns of the city's own state are not included.
 */
import { STATE_NAMES } from "../../../spec/states.ts";
import { isFillerWord } from "../../fillers.ts";
import { beginsRequest, kindAt } from "../../items.ts";
import type { Sentence } from "../../words/sentence.ts";
import type { Token } from "../../words/tokens.ts";
import type { PlaceContext } from "../mention.ts";
import type { City } from "../placenames.ts";
import { isCapitalised } from "../placesigns.ts";
import { isIn, isOf } from "../placewords.ts";
import { CITY_PARTS, LONE_PARTS, PART_STARTS, SURROUNDINGS } from "../states.ts";

/**
 * A hyphen between spaces ("Santos - Centro"). No other hyphen opens a list. A hyphen between
 * spaces may also join towns: "Santos - Campinas".
 */
export const HYPHEN = "-";
/** Punctuation that opens such a list, with the closing mark of each. */
const OPENS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  [":", ""],
  ["–", ""],
  ["—", ""],
]);
const DASH = /^[–—]$/;
const JOINT = /^[,/]$/;
const AND = /^(?:e|ou|and|or|mais)$/;
const ARTICLE = /^(?:o|a|os|as|the)$/;
/** Matches the center of a city, which is a district and needs no capital letter. */
const CENTRE = /^(?:centro|downtown)$/;
/** Matches words such as "Vila" that often begin a district. Some also begin a trade. */
const BEGINS = /^(?:vila|jardim|parque|conjunto|residencial|santa|santo|cidade|alto|alta|nossa)$/;
/** Words before which a name ends. */
const ENDS = /^(?:com|with|em|in|que|sem|exceto)$/;
const LIST_MAX = 12;

/** The position of a city in the sentence, with the cities that its name may mean. */
interface CityAt {
  readonly to: number;
  readonly cities: readonly City[];
}

/** Tokens of a name. `isSure` is true for a name even if the city has no such district. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly isSure: boolean;
}

/** Returns the position after a city and its state: "Santos/SP", "São Paulo (capital)". */
export function stateEnd({ tokens }: Sentence, cityEnd: number): number {
  if (isUf(tokens[cityEnd])) return cityEnd + 1;
  const mark = tokens[cityEnd]?.text ?? "";
  const token = tokens[cityEnd + 1];
  if (mark === "(" && tokens[cityEnd + 2]?.text === ")") {
    return isUf(token) || token?.folded === "capital" ? cityEnd + 3 : cityEnd;
  }
  return /^[,/–—]$/.test(mark) && isUf(token) ? cityEnd + 2 : cityEnd;
}

function isUf(token: Token | undefined): boolean {
  return Object.hasOwn(STATE_NAMES, token?.text.toUpperCase() ?? "");
}

/** Returns the token before the list that follows a city and its state, or -1. */
function enclosingMark(sentence: Sentence, cityEnd: number): number {
  const at = stateEnd(sentence, cityEnd);
  if (isAfterHyphen(sentence, at)) return at - 1;
  return isOpening(sentence, at) ? at : -1;
}

function isOpening({ tokens }: Sentence, at: number): boolean {
  const text = tokens[at]?.text ?? "";
  return OPENS.has(text) && !(DASH.test(text) && isUf(tokens[at + 1]));
}

/** True if the text before a token ends with " - ". Such a hyphen is not a token. */
function isAfterHyphen({ tokens, text }: Sentence, at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (before === undefined || token === undefined || isUf(token)) return false;
  return /^\s+-\s+$/.test(text.slice(before.end, token.start));
}

/** If a name is in a list after a city, returns the punctuation that opens it, otherwise null. */
export function enclosedBy(sentence: Sentence, cityEnd: number, name: number): string | null {
  if (isAfterHyphen(sentence, name)) return HYPHEN;
  for (let at = name - 1; at >= cityEnd; at--) {
    const text = sentence.tokens[at]?.text ?? "";
    if (text === ")" || text === "]" || text === ";") return null;
    if (isOpening(sentence, at)) return text;
    if (isAfterHyphen(sentence, at)) return HYPHEN;
  }
  return null;
}

/** Returns the names of the list after a city, in order. */
export function enclosedNames(context: PlaceContext, city: CityAt): readonly Range[] {
  const { sentence } = context;
  const mark = enclosingMark(sentence, city.to);
  if (mark < 0) return [];
  const close = OPENS.get(sentence.tokens[mark]?.text ?? "") ?? "";
  const names: Range[] = [];
  for (let [at, left] = [mark + 1, LIST_MAX]; left > 0; left--) {
    while (isSmall(sentence, at)) at++;
    const to = nameEnd(sentence, at, close);
    if (to === at) break;
    const isSure = isSureName(sentence, at);
    if (isName(context, city, { from: at, to })) names.push({ from: at, to, isSure });
    const isJoint = JOINT.test(sentence.tokens[to]?.text ?? "") || AND.test(sentence.folded(to));
    if (!isJoint && !isAfterHyphen(sentence, to)) break;
    at = isJoint ? to + 1 : to;
  }
  return names;
}

/**
 * True for a word that is a name even if the city has no such district: "Xurupita", not "Zona Sul".
 */
function isSureName(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (CENTRE.test(word)) return true;
  const isPart = [PART_STARTS, LONE_PARTS, CITY_PARTS, SURROUNDINGS].some((set) => set.has(word));
  return isCapitalised(sentence, at) && (!isPart || BEGINS.test(word));
}

function isSmall(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return AND.test(word) || ARTICLE.test(word) || isIn(word) || isOf(word);
}

/** Returns the end of a name: before a separator, closing mark, request, or preposition. */
function nameEnd(sentence: Sentence, from: number, close: string): number {
  let to = from;
  for (; to < from + LIST_MAX && sentence.free(to); to++) {
    const { kind, text } = sentence.tokens[to] as Token;
    const word = sentence.folded(to);
    if (kind === "mark" && (text !== "." || close !== "")) break;
    if (kind === "mark" || AND.test(word) || ENDS.test(word)) break;
    if (to > from && isAfterHyphen(sentence, to)) break;
    // A capitalized "Grande" continues a name, as in "Praia Grande", although it is also a request.
    // "MEI" in "Centro MEI" does not.
    const isInName = isCapitalised(sentence, from) && /^\p{Lu}\p{Ll}/u.test(text);
    if (to > from && beginsRequest(sentence, to) && !isInName) break;
  }
  return to;
}

/** True if the words are no request, trade, state, or town in the state of the city. */
function isName(
  context: PlaceContext,
  { cities }: CityAt,
  { from, to }: Omit<Range, "isSure">,
): boolean {
  const { sentence, gazetteer } = context;
  const word = sentence.folded(from);
  if (CENTRE.test(word) && to === from + 1) return true;
  const first = sentence.tokens[from] as Token;
  // "Cidade Nova" is a name, but "cidade" is not.
  const isWord = !BEGINS.test(word) && (beginsRequest(sentence, from) || isFillerWord(first));
  if (isWord || context.tradeEnd(from) >= to) return false;
  const match = gazetteer.places.longest(sentence.tokens, from);
  if (match?.to !== to) return BEGINS.test(word) || kindAt(sentence, from) === "other";
  const { place } = match;
  const towns = [...place.cities, ...place.nicknamed];
  const isNear = towns.some(({ uf }) => cities.some((city) => city.uf === uf));
  return towns.length > 0 && place.states.length === 0 && !isNear;
}
