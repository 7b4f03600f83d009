/**
 * Detects two requests in one sentence: "padarias em Curitiba e restaurantes em Londrina".
 * Input: a sentence with known activities and places, and the requested places. Output: true if it
 * contains two requests, which one search cannot combine.
 * Invariant: there are two requests only if a joining word stands between an activity with its
 * place and another activity with another place, in either order. A list of activities or places is
 * one request. Conditions of the first request, such as "exceto em Santos" or "com telefone", may
 * stand between the two. Exclusions alone are not a request.
 * On its own because it reads the results of all other stages.
 */
import { reachOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import type { Sentence, TokenRole } from "./words/sentence.ts";

/** Consecutive words that name activities, or that name places. */
interface Run {
  readonly role: "activity" | "place";
  readonly from: number;
  to: number;
  /** True if the sentence requests one of these activities or places. */
  isRequested: boolean;
}

interface PlaceAt {
  readonly from: number;
  readonly to: number;
}

const JOINS = /^(e|ou|and|or|mas|but|mais|alem|plus)$/;
/** Matches the second word of "bem como" and "as well as". */
const AS_WELL = /^(como|well)$/;
const MARKS = /^[,;/.!?+&]$/;
/** Matches text that separates requests but forms no token: a dash between spaces, a line break. */
const GAP = /\s-\s|\n/;
/** Matches words that may stand between a joining word and the next request. */
const SMALL =
  /^(tambem|ainda|quero|queremos|mais|disso|also|want|the|as|os|a|o|em|no|na|nos|nas|in)$/;
/** Kinds of conditions that may apply to only one of two requests. */
const DESCRIBED: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "nature", "contact", "capital", "date"] as const),
  ...(["headquarters", "name", "status", "list"] as const),
]);

/** If a sentence contains two requests, adds a note and returns true. */
export function unmapSecondRequest(
  sentence: Sentence,
  notes: Notes,
  places: readonly PlaceAt[],
): boolean {
  const runs = runsOf(sentence, places);
  for (let i = 0; i + 3 < runs.length; i++) {
    const four = runs.slice(i, i + 4) as [Run, Run, Run, Run];
    const [one, where, other, there] = four;
    const alternate = one.role === other.role && where.role === there.role;
    if (!alternate || one.role === where.role || !isTwo(sentence, four)) continue;
    // If both requests have the same place or the same activity, they are two requests only if the
    // sentence also has conditions.
    const isSame = isAlike(sentence, one, other) || isAlike(sentence, where, there);
    if (isSame && !sentence.tokens.some((_, at) => isAboutCompanies(sentence, at))) continue;
    notes.addUnmapped("two_requests", TWO, sentence.words(other.from, there.to));
    return true;
  }
  return false;
}

const TWO = {
  pt: "São dois pedidos: uma busca teria todas as atividades em todos os lugares. Faça duas.",
  en: "These are two requests: one search would have all activities in all places. Make two.",
};

/**
 * True if the activities and places form two requests. "lojas em Natal, bares" has only one place.
 * Excluded activities and places do not count.
 */
function isTwo(
  sentence: Sentence,
  [one, where, other, there]: readonly [Run, Run, Run, Run],
): boolean {
  const isPlaceFirst = one.role === "place";
  const parts = isPlaceFirst ? [one, where, other, there] : [one, other, there];
  if (!parts.every(({ isRequested }) => isRequested)) return false;
  if (!isJoined(sentence, where.to, other.from)) return false;
  if (!isPlaceFirst) return true;
  const apart = [one, other].map(({ to }, i) =>
    hasJoin(sentence, to, [where, there][i]?.from ?? to),
  );
  return !apart.includes(true);
}

/** Returns the activities and places in order. Neighbors of the same kind form one run. */
function runsOf(sentence: Sentence, requested: readonly PlaceAt[]): Run[] {
  const places = new Set<number>();
  for (const { from, to } of requested) for (let at = from; at < to; at++) places.add(at);
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const role = sentence.owner(at);
    if (role !== "activity" && role !== "place") continue;
    const isOut = reachOf(sentence, at).polarity === "negated";
    const isRequested = role === "place" ? places.has(at) : !isOut;
    const last = runs.at(-1);
    // An excluded activity describes the place before it and is skipped.
    if (role === "activity" && isOut && last !== undefined) continue;
    // If places come first, a place that is excluded from an activity is skipped: Santos in "em SP
    // padarias, exceto em Santos, e no Paraná …".
    const isPlaceFirst = runs[0]?.role === "place" && last?.role === "activity";
    if (role === "place" && !isRequested && isPlaceFirst) continue;
    if (last?.role === role) {
      last.to = at + 1;
      last.isRequested ||= isRequested;
    } else runs.push({ role, from: at, to: at + 1, isRequested });
  }
  return runs;
}

/**
 * True if a joining word or punctuation stands before the token `to`; words such as "também" may
 * follow it. Also true if a dash or line break precedes the token.
 */
function isJoined(sentence: Sentence, from: number, to: number): boolean {
  if (GAP.test(gapBefore(sentence, to))) return true;
  let at = to - 1;
  while (at >= from && isSmall(sentence, at)) at--;
  // "mais" is a small word but can also be the joining word.
  return (at >= from && isJoin(sentence, at)) || (at + 1 < to && isJoin(sentence, at + 1));
}

function gapBefore({ tokens, text }: Sentence, at: number): string {
  return text.slice(tokens[at - 1]?.end ?? 0, tokens[at]?.start ?? 0);
}

function hasJoin(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (JOINS.test(sentence.folded(at))) return true;
  return false;
}

function isJoin(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (AS_WELL.test(word)) return true;
  return JOINS.test(word) || MARKS.test(sentence.tokens[at]?.text ?? "");
}

function isSmall(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  return (owner === null || owner === "filler") && SMALL.test(sentence.folded(at));
}

function isAboutCompanies(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  return owner !== null && (DESCRIBED.has(owner) || owner === "negation");
}

/** True if two runs have the same words except for the preposition before them. */
function isAlike(sentence: Sentence, one: Run, other: Run): boolean {
  const [first, second] = [one, other].map(({ from, to }) => {
    const { words } = sentence.words(from, to);
    return words.toLowerCase().replace(/^(?:em|n[ao]s?|d[aeo]s?|in|of|at) /, "");
  });
  return first === second;
}
