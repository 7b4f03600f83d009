/**
 * What slips of the pen look like. What comes in: a word that nobody knows and one that is nearly
 * written like it. What goes out: whether a Brazilian at a keyboard would write the one for the
 * other, or whether they are two words, or two forms of one.
 * Invariant: only letters are looked at, never what the words mean; where in doubt it is no slip.
 */
import { slipsBetween } from "./spelling.ts";

/** Up to this length almost any letter makes another word, so that the slip must be a usual one. */
const SHORT_MAX = 7;
/** From this length on two slips are believed. */
const TWO_SLIPS_LENGTH_MIN = 9;

/** Whether a word may have been written for another one that is `distance` slips away. */
export function isLikelySlip(unknown: string, word: string, distance: number): boolean {
  const swapped = distance === 1 && word[0] === unknown[1] && word[1] === unknown[0];
  if (word[0] !== unknown[0] && !swapped) return false;
  if (isInflection(unknown, word) || isOtherForm(unknown, word)) return false;
  if (distance > 1) return unknown.length >= TWO_SLIPS_LENGTH_MIN && isMisheard(unknown, word);
  return unknown.length > SHORT_MAX || isUsualSlip(unknown, word);
}

/**
 * Whether the one slip between two words is a usual one: neighbours swapped, a letter lost, a
 * letter twice, a key beside the right one, a letter that sounds the same.
 */
export function isUsualSlip(unknown: string, word: string): boolean {
  let at = 0;
  while (at < word.length && word[at] === unknown[at]) at++;
  const written = unknown[at] ?? "";
  if (unknown.length < word.length || isSwapped(unknown, word)) return true;
  if (unknown.length > word.length) {
    const before = unknown[at - 1] ?? "";
    const next = unknown[at + 1] ?? "";
    return written === before || areNeighbours(written, before) || areNeighbours(written, next);
  }
  return areNeighbours(written, word[at] ?? "") || heard(unknown) === heard(word);
}

/** Whether a word is another one with a letter written twice: "Curitibaa". */
export function isDoubled(unknown: string, word: string): boolean {
  if (unknown.length !== word.length + 1) return false;
  let at = 0;
  while (at < word.length && word[at] === unknown[at]) at++;
  return unknown[at] === unknown[at - 1] && unknown.slice(at + 1) === word.slice(at);
}

/** Whether two words have the same letters. */
export function isSwapped(one: string, other: string): boolean {
  return one.length === other.length && [...one].sort().join("") === [...other].sort().join("");
}

/** Rows of the keyboard; each key touches those beside it and two of the row above. */
const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const KEYS = new Map(ROWS.flatMap((row, y) => [...row].map((key, x) => [key, { x, y }] as const)));

function areNeighbours(one: string, other: string): boolean {
  const [a, b] = [KEYS.get(one), KEYS.get(other)];
  if (a === undefined || b === undefined) return false;
  const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
  if (upper.y === lower.y) return Math.abs(a.x - b.x) === 1;
  return lower.y - upper.y === 1 && (upper.x === lower.x || upper.x === lower.x + 1);
}

/** Letters that Portuguese writes for about the same sound; c stands for ç, too. */
const SOUNDS: Readonly<Record<string, string>> = {
  ...{ c: "s", z: "s", x: "s", k: "s", q: "s", y: "i", e: "i", o: "u", w: "u", l: "u" },
  ...{ j: "g", n: "m", h: "" },
};

/** A word roughly as it is heard. */
function heard(word: string): string {
  let sounds = "";
  for (const letter of word) {
    const sound = SOUNDS[letter] ?? letter;
    if (!sounds.endsWith(sound)) sounds += sound;
  }
  return sounds;
}

/** Whether two words sound alike, but for two neighbours that are swapped. */
function isMisheard(one: string, other: string): boolean {
  const [a, b] = [heard(one), heard(other)];
  return a === b || (isSwapped(a, b) && slipsBetween(a, b, 1) === 1);
}

/** Two words that differ only in their ending are forms of one or two words, not a slip. */
function isInflection(unknown: string, word: string): boolean {
  if (unknown === word + word.at(-1)) return false;
  const both = unknown.endsWith("s") && word.endsWith("s") ? 1 : 0;
  const [one, other] = [unknown.slice(0, unknown.length - both), word.slice(0, word.length - both)];
  // The last letter is right.
  if (one.at(-1) === other.at(-1)) return false;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const [rest, instead] = [one.slice(same), other.slice(same)];
  // A letter lost at the end is a slip, save those that make other words.
  if (rest === "") return instead.length > 1 || "rs".includes(instead);
  if (instead === "") return true;
  const swapped = rest.length === 2 && rest[0] === instead[1] && rest[1] === instead[0];
  return !swapped && Math.max(rest.length, instead.length) < 3;
}

/** Endings of verbs, of adjectives, and of nouns that are made of them. */
const FORMS =
  "[aei]ndo|[ai]d[oa]|[aei]ram|avam?|iam|asse|[aei]mos|[ae]m|[aei]r|" +
  "mente|iv[oa]|os[oa]|[ai]vel|[aei]nte|ismo|dade";
const FORM = new RegExp(`(?:${FORMS})s?$`);

/** A word with such an ending, which the other has not, is another word. */
function isOtherForm(unknown: string, word: string): boolean {
  const ending = FORM.exec(unknown)?.[0];
  return ending !== undefined && !word.endsWith(ending);
}
