/**
 * Names that a colon, brackets or a dash put behind a city: "Santos: Centro, Gonzaga", "Recife (Boa
 * Viagem)". Input: a sentence and a city in it. Output: the stretches of text that are names there.
 * Invariant: they are parts of that city, whatever towns elsewhere are called so; a wish, a trade,
 * a state and a town of the city's own state are none.
 */
import { STATE_NAMES } from "../../../spec/states.ts";
import { isFillerWord } from "../../fillers.ts";
import { beginsWish, kindAt } from "../../items.ts";
import type { Sentence } from "../../words/sentence.ts";
import type { Token } from "../../words/tokens.ts";
import { CITY_PARTS, LONE_PARTS, PART_STARTS, SURROUNDINGS } from "../areas.ts";
import type { PlaceContext } from "../mention.ts";
import type { City } from "../placenames.ts";
import { isCapitalised } from "../placesigns.ts";
import { isIn, isOf } from "../placewords.ts";

/** What begins such a list, with what ends it. */
const OPENS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  [":", ""],
  ["–", ""],
  ["—", ""],
]);
const JOINT = /^[,/]$/;
const AND = /^(?:e|ou|and|or|mais)$/;
const ARTICLE = /^(?:o|a|os|as|the)$/;
/** The centre of a city, which is a district and needs no capital letter. */
const CENTRE = /^(?:centro|downtown)$/;
/** Words that begin names of districts, though some of them name a trade or a part as well. */
const BEGINS = /^(?:vila|jardim|parque|conjunto|residencial|santa|santo|cidade|alto|alta|nossa)$/;
/** Words that end a name. */
const ENDS = /^(?:com|with|em|in|que|sem|exceto)$/;
/** Max names of a list. */
const LIST_MAX = 12;

/** A city by its place in the sentence, and what it may be. */
interface CityAt {
  readonly to: number;
  readonly cities: readonly City[];
}

/** Tokens of a name; sure if nothing else is written so, not only if the city has it. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly isSure: boolean;
}

/** Index of the mark that encloses what follows a city, behind its state; -1 for none. */
function enclosingMark({ tokens }: Sentence, cityEnd: number): number {
  const isUf = (at: number) => Object.hasOwn(STATE_NAMES, tokens[at]?.text.toUpperCase() ?? "");
  const mark = tokens[cityEnd]?.text ?? "";
  let at = cityEnd;
  // "Santos/SP: …", "Santos, SP (…)", "Santos (SP): …", "Santos - SP: …"
  if (isUf(at)) at++;
  else if (/^[,/(]$/.test(mark) && isUf(at + 1)) at += mark === "(" ? 3 : 2;
  return OPENS.has(tokens[at]?.text ?? "") ? at : -1;
}

/** True if the tokens between two places open a list that belongs to the first of them. */
export function isEnclosed({ tokens }: Sentence, cityEnd: number, name: number): boolean {
  for (let at = name - 1; at >= cityEnd; at--) {
    const text = tokens[at]?.text ?? "";
    if (text === ")" || text === "]" || text === ";") return false;
    if (OPENS.has(text)) return true;
  }
  return false;
}

/** The names of the list that a city has behind it, in their order. */
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
    if (!JOINT.test(sentence.tokens[to]?.text ?? "") && !AND.test(sentence.folded(to))) break;
    at = to + 1;
  }
  return names;
}

/** True for a name that needs no district of the city to be one: "Xurupita", not "Zona Sul". */
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

/** Where a name ends: before a joint, a closing mark, a wish, or a word that leads to another. */
function nameEnd(sentence: Sentence, from: number, close: string): number {
  let to = from;
  for (; to < from + LIST_MAX && sentence.free(to); to++) {
    const { kind, text } = sentence.tokens[to] as Token;
    const word = sentence.folded(to);
    if (kind === "mark" && (text !== "." || close !== "")) break;
    if (kind === "mark" || AND.test(word) || ENDS.test(word)) break;
    // "Praia Grande" is a name, "Centro MEI" two things.
    const isInName = isCapitalised(sentence, from) && /^\p{Lu}\p{Ll}/u.test(text);
    if (to > from && beginsWish(sentence, to) && !isInName) break;
  }
  return to;
}

/** True for what may be a district: no wish, trade, state, or town of the same state. */
function isName(
  context: PlaceContext,
  { cities }: CityAt,
  { from, to }: Omit<Range, "isSure">,
): boolean {
  const { sentence, gazetteer } = context;
  const word = sentence.folded(from);
  if (CENTRE.test(word) && to === from + 1) return true;
  const first = sentence.tokens[from] as Token;
  // "Cidade Nova" is a name, "cidade" a word.
  const isWord = !BEGINS.test(word) && (beginsWish(sentence, from) || isFillerWord(first));
  if (isWord || context.tradeEnd(from) >= to) return false;
  const match = gazetteer.places.longest(sentence.tokens, from);
  if (match?.to !== to) return BEGINS.test(word) || kindAt(sentence, from) === "other";
  const { place } = match;
  const towns = [...place.cities, ...place.nicknamed];
  const isNear = towns.some(({ uf }) => cities.some((city) => city.uf === uf));
  return towns.length > 0 && place.states.length === 0 && !isNear;
}
