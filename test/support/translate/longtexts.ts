/**
 * Makes long adversarial texts of ordinary words: the hardest input that an honest client could
 * send to a translator, or an attacker who has read the code.
 * Invariant: the same seed and words make the same text. A text has exactly the requested length.
 */
import type { Segment } from "../../../src/search/segment.ts";
import { lexicon, namesByCode } from "../../../src/translate/activities/lexicon.ts";
import { FILTER_NAMES } from "../../../src/translate/filters/table.ts";
import { regionNames } from "../../../src/translate/places/regiontable.ts";
import { COMMON_WORDS } from "../../../src/translate/spelling/commonwords.ts";
import { REAL_WORDS } from "./realwords.ts";
import { randomFrom } from "./shapes.ts";

/** Words and names by kind. */
export type WordPools = Readonly<Record<string, readonly string[]>>;

const SMALL =
  "e|ou|de|do|da|dos|das|em|no|na|com|sem|para|por|a|o|as|os|um|uma|que|mais|menos|não|nem|" +
  "exceto|" +
  "entre|até|desde|and|or|in|with|of|y|con";
const NUMBERS =
  "2020|11|21|01310|01310-100|1.000.000|50 mil|5 anos|31/12/2020|5611-2/01|47|0|" +
  "11 98765-4321|3333-4444|90 dias|mil|10 km de";
const MARKS = [", ", ", ", "; ", ". ", " - ", "/", " (", ") ", ': "', '" ', " + "];

/** Returns the names of a snapshot and of the translator's own tables, by kind. */
export function poolsOf({ catalog }: Segment): WordPools {
  const names = [...namesByCode().values()];
  return {
    cities: [...new Set(catalog.municipalities.map(({ name }) => name))],
    regions: [...new Set([...regionNames()].map(({ name }) => name))],
    trades: names.flatMap(({ trades }) => trades),
    goods: [...lexicon().goods.vocabulary.values()],
    conditions: FILTER_NAMES.flatMap((row) => row.names),
    common: [...COMMON_WORDS],
    real: REAL_WORDS,
    small: SMALL.split("|"),
    numbers: NUMBERS.split("|"),
  };
}

/** Determines how the pieces of one text are chosen. */
interface Recipe {
  /** The lists from which pieces are chosen. */
  readonly pools: readonly (readonly string[])[];
  /** Share of pieces that are misspelled, cut, joined to the next, or in capitals. */
  readonly damaged: number;
  readonly marked: number;
  /** Share of pieces that repeat one of the last pieces. */
  readonly repeated: number;
}

/** Returns a text of ordinary words in a mixture that takes much work to translate. */
export function longText(seed: number, pools: WordPools, length: number): string {
  const random = randomFrom(seed);
  const recipe = recipeOf(random, pools);
  const pieces: string[] = [];
  for (let size = 0; size < length; size += (pieces.at(-1) as string).length) {
    pieces.push(piece(random, recipe, pieces));
  }
  return pieces.join("").slice(0, length);
}

function recipeOf(random: () => number, pools: WordPools): Recipe {
  const all = Object.values(pools);
  const kinds = 1 + Math.floor(random() * 4);
  const shares = [0, 0, 0.1, 0.5, 1];
  const share = () => pick(shares, random);
  return {
    pools: Array.from({ length: kinds }, () => pick(all, random)),
    damaged: share(),
    marked: share() * 0.6,
    repeated: share() * 0.9,
  };
}

function piece(random: () => number, recipe: Recipe, pieces: readonly string[]): string {
  if (pieces.length > 0 && random() < recipe.repeated) {
    return pieces[Math.floor(random() * Math.min(pieces.length, 4))] as string;
  }
  const word = pick(pick(recipe.pools, random), random);
  const written = random() < recipe.damaged ? damagedWord(word, random) : word;
  return written + (random() < recipe.marked ? pick(MARKS, random) : " ");
}

/** Changes one piece of a text, to search for texts that take more work. */
export function mutated(text: string, seed: number, pools: WordPools): string {
  const random = randomFrom(seed);
  const words = text.split(" ");
  const at = Math.floor(random() * words.length);
  const count = 1 + Math.floor(random() * 6);
  const other = pick(pick(Object.values(pools), random), random);
  const what = random();
  if (what < 0.3) words.splice(at, count, other);
  else if (what < 0.5) words.splice(at, 0, other);
  else if (what < 0.7) words[at] = damagedWord(words[at] as string, random);
  else if (what < 0.9) {
    const block = words.slice(at, at + count);
    words.splice(at, 0, ...block, ...block, ...block);
  } else words.splice(at, count);
  return words.join(" ").padEnd(text.length, ` ${other}`).slice(0, text.length);
}

/** A word with a typo, cut, or in capitals. */
function damagedWord(word: string, random: () => number): string {
  const at = Math.floor(random() * word.length);
  const letter = String.fromCharCode(0x61 + Math.floor(random() * 26));
  const ways = [
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + letter + word.slice(at),
    () => word.slice(0, at) + letter + word.slice(at + 1),
    () => word.slice(0, at) + (word[at + 1] ?? "") + (word[at] ?? "") + word.slice(at + 2),
    () => word.slice(0, Math.max(3, at)),
    () => word.slice(0, 1).toUpperCase() + word.slice(1),
    () => word.toUpperCase(),
    () => word.replace(/ /g, ""),
  ];
  return pick(ways, random)() || word;
}

function pick<Value>(list: readonly Value[], random: () => number): Value {
  return list[Math.floor(random() * list.length)] as Value;
}
