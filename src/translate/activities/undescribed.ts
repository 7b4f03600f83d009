/**
 * Recognizes adjectives that only describe an activity and are in no name or official text:
 * "industrial" in "industrial valve makers", "geladas" in "padarias geladas". Input: unknown words
 * next to a known activity. Output: true if they only describe it. The activity's codes are then
 * right, and only the described kind is not searched.
 * Invariant: the activity has a name of its own and narrow codes. The words look like adjectives
 * and have no capital letters, which names have. The lexicon and the official texts do not contain
 * the words, because a word that they contain might stand for other codes.
 */
import type { Segment } from "../../search/segment.ts";
import type { Sentence } from "../words/sentence.ts";
import type { FoundActivity } from "./activity.ts";
import { lexicon } from "./lexicon.ts";
import { describesActivities } from "./officialtexts.ts";
import { ROLES_AFTER } from "./roles.ts";

/** The snapshot, and the activities found in the sentence. */
export interface Settled {
  readonly segment: Segment;
  readonly activities: readonly FoundActivity[];
}

/** Portuguese and Spanish adjectives, which follow their noun. */
const BEHIND = new RegExp(
  "(?:[aeio]is|ales|al|ares?|[ií]c[ao]s?|iv[ao]s?|os[ao]s?|[ai]d[ao]s?|ari[ao]s?|eir[ao]s?|" +
    "enses?|[aei]ntes?|ve(?:l|is)|bles?|in[ao]s?|an[ao]s?|uais|uales|ais)$",
);
/** English adjectives, which precede their noun. */
const AHEAD = /(?:al|ic|ive|ous|ed|ary|able|ible|ar|ant|ent|ory|less|ful|ese|ish|ian|ean|ing)$/;
const AHEAD_WORDS = new Set(
  (
    "custom bespoke green big tiny smart modern retro vintage cheap quality top high end low " +
    "cost " +
    "small scale full service eco friendly mobile remote new old fancy cozy rustic trendy"
  ).split(" "),
);
/**
 * `NAMED` is the minimum certainty of an activity that can be described. `NARROW` is the minimum
 * number of digits of its codes.
 */
const NAMED = 0.9;
const NARROW = 5;
const WORDS_MAX = 2;
const WORD_MIN = 4;

/** True if the tokens [from, to) only describe the activity next to them. */
export function onlyDescribes(
  sentence: Sentence,
  [from, to]: readonly [number, number],
  { segment, activities }: Settled,
): boolean {
  if (to - from > WORDS_MAX) return false;
  const isNarrow = ({ certainty, codes, excluded }: FoundActivity) =>
    !excluded &&
    certainty >= NAMED &&
    codes.length > 0 &&
    codes.every((code) => code.replace(/\D/g, "").length >= NARROW);
  const before = sentence.tokens[from - 1];
  const next = sentence.tokens[to];
  const follows = activities.some((one) => isNarrow(one) && one.end === before?.end);
  const leads = activities.some((one) => isNarrow(one) && one.start === next?.start);
  if (!follows && !leads) return false;
  for (let at = from; at < to; at++) {
    if (!isAdjective(sentence, at, follows) || isKnown(sentence, at, segment)) return false;
  }
  return true;
}

/** The people of a town, a place that the sentence names: "transportadoras chapecoenses". */
const DEMONYM = /^(?!circens|forens|castrens).{4,}enses?$/;

function isAdjective(sentence: Sentence, at: number, follows: boolean): boolean {
  const { text = "", kind } = sentence.tokens[at] ?? {};
  const word = sentence.folded(at);
  const isName = at > 0 && text !== text.toLowerCase();
  if (kind !== "word" || isName || word.length < WORD_MIN || DEMONYM.test(word)) return false;
  return follows ? BEHIND.test(word) : AHEAD.test(word) || AHEAD_WORDS.has(word);
}

/** True if a name of the lexicon or an official text has a word. */
function isKnown(sentence: Sentence, at: number, segment: Segment): boolean {
  const key = sentence.tokens[at]?.key ?? "";
  const { trades, goods, roles } = lexicon();
  const books = [trades, goods, roles, ROLES_AFTER];
  const isWritten = books.some((names) => names.written(key) !== undefined);
  return isWritten || describesActivities(segment, key);
}
