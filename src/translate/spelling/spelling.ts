/**
 * Compares spellings and recognizes the typical forms of typos.
 * Input: known words and one unknown word. Output: the known words within a few edits. The distance
 * is optimal string alignment: an extra, missing, or wrong letter, or two swapped neighbors, is one
 * edit. Another function returns true if a word is a likely typo of a known word on a Brazilian
 * keyboard.
 * Invariant: the result equals that of comparing every word, in the same order. A lookup reads two
 * numbers for each word of similar length. It compares letters only if these numbers allow a match,
 * so that its cost is bounded by the number of words. Only letters are compared, never meanings. If
 * in doubt, a word is not a typo.
 */
/** A word with its edit distance. */
export interface NearWord {
  readonly word: string;
  readonly distance: number;
}

/** Limits of a lookup. */
interface NearLimits {
  /** Maximum edit distance, if lower than the number of edits that `slipsAllowed` returns. */
  readonly distanceMax?: number;
  /** Max words returned. */
  readonly countMax?: number;
  /** If given, only words that begin with one of these letters are returned. */
  readonly initials?: string;
}

/** Minimum length of a typo. A shorter word has too many similar words. */
export const NEAR_LENGTH_MIN = 4;
/** From this length on, a word is recognizable after two edits. */
const TWO_SLIPS_LENGTH_MIN = 8;
/** Maximum length; longer strings are neither words nor place names. */
const LENGTH_MAX = 80;
/** Number of groups by first letter: one each for a to z, and one for all other characters. */
const INITIALS = 27;
const LETTER_A = 0x61;

/** Returns the edits allowed for a word of this length: 0 below 4 letters, 1 below 8, else 2. */
export function slipsAllowed(length: number): number {
  if (length < NEAR_LENGTH_MIN || length > LENGTH_MAX) return 0;
  return length < TWO_SLIPS_LENGTH_MIN ? 1 : 2;
}

/** An index of known words, which may contain spaces, as place names do. */
export class SpellIndex {
  /** All words, sorted by length and then by group of the first letter. */
  #words: readonly string[] = [];
  /** For each length and first letter, the index of the first word in `#words`. */
  #starts = new Int32Array((LENGTH_MAX + 4) * INITIALS + 1);
  /** Bit masks for each word: the letters that occur in it, and those that occur at least twice. */
  #once = new Int32Array();
  #twice = new Int32Array();

  /** Indexes folded words (lower case, no accents). Skips duplicates and too long words. */
  constructor(words: Iterable<string>) {
    const groups: string[][] = Array.from({ length: this.#starts.length - 1 }, () => []);
    const taken = new Set<string>();
    for (const word of words) {
      if (word.length > LENGTH_MAX || taken.has(word)) continue;
      taken.add(word);
      groups[groupOf(word.length, word.charCodeAt(0))]?.push(word);
    }
    for (const [group, list] of groups.entries()) {
      this.#starts[group + 1] = (this.#starts[group] as number) + list.length;
    }
    this.#words = groups.flat();
    this.#once = new Int32Array(this.#words.length);
    this.#twice = new Int32Array(this.#words.length);
    for (const [i, word] of this.#words.entries()) {
      const { once, twice } = lettersOf(word);
      this.#once[i] = once;
      this.#twice[i] = twice;
    }
  }

  get size(): number {
    return this.#words.length;
  }

  /**
   * Returns the words within the allowed distance of a folded word, including the word itself. They
   * are ordered by distance, then alphabetically.
   */
  nearest(
    word: string,
    { distanceMax = 2, countMax, initials }: NearLimits = {},
  ): readonly NearWord[] {
    const limit = Math.min(distanceMax, slipsAllowed(word.length));
    if (limit < 1) return [];
    const found: NearWord[] = [];
    const wanted = { word, ...lettersOf(word), limit };
    for (let length = Math.max(1, word.length - limit); length <= word.length + limit; length++) {
      if (initials === undefined) {
        this.#compare(wanted, [length * INITIALS, (length + 1) * INITIALS], found);
        continue;
      }
      for (const letter of new Set(initials)) {
        const group = groupOf(length, letter.charCodeAt(0));
        this.#compare(wanted, [group, group + 1], found);
      }
    }
    found.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
    return countMax === undefined ? found : found.slice(0, countMax);
  }

  /** Adds the near words in the groups [from, to), whose words all have one length. */
  #compare(
    { word, once, twice, limit }: Wanted,
    [from, to]: readonly [number, number],
    found: NearWord[],
  ): void {
    const length = Math.floor(from / INITIALS);
    // One edit changes the counts of at most two letters, or of only one if it changes the length.
    const differences = 2 * limit - Math.abs(length - word.length);
    const end = this.#starts[to] as number;
    for (let i = this.#starts[from] as number; i < end; i++) {
      const different = bits(once ^ (this.#once[i] as number));
      if (different > differences) continue;
      if (different + bits(twice ^ (this.#twice[i] as number)) > differences) continue;
      const distance = slipsBetween(word, this.#words[i] as string, limit);
      if (distance <= limit) found.push({ word: this.#words[i] as string, distance });
    }
  }
}

/** Returns the number of the group of words with this length and first letter. */
function groupOf(length: number, initial: number): number {
  const letter = initial - LETTER_A;
  return length * INITIALS + (letter >= 0 && letter < INITIALS - 1 ? letter : INITIALS - 1);
}

interface Wanted extends Letters {
  readonly word: string;
  readonly limit: number;
}

interface Letters {
  readonly once: number;
  readonly twice: number;
}

/**
 * Returns two bit masks of the letters in a word. The letters a to z have one bit each, and all
 * other characters share six bits. So the number of differences may be too low, but never too high.
 */
function lettersOf(word: string): Letters {
  let once = 0;
  let twice = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    const bit = 1 << (code >= 0x61 && code <= 0x7a ? code - 0x61 : 26 + (code % 6));
    twice |= once & bit;
    once |= bit;
  }
  return { once, twice };
}

/** Counts the set bits (Hacker's Delight, figure 5-2). */
function bits(value: number): number {
  let sum = value - ((value >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return (((sum + (sum >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Three rows of the distance table: the current one and the two before it. */
const ROWS = [0, 1, 2].map(() => new Int32Array(LENGTH_MAX + 1)) as [
  Int32Array,
  Int32Array,
  Int32Array,
];

/**
 * Returns the edit distance of two words of at most 80 letters by optimal string alignment (no
 * letter is edited twice), or `limit` + 1 if it is above `limit`.
 *
 *        p a d a i r a      Row i holds the distances from the first i letters of one word to the
 *      0 1 2 3 4 5 6 7      first j of the other. Only cells within `limit` of the diagonal are
 *    p 1 0 1 2 …            filled: those beyond it are more than `limit` letters apart.
 */
export function slipsBetween(one: string, other: string, limit: number): number {
  const past = limit + 1;
  if (Math.abs(one.length - other.length) > limit) return past;
  let [row, before, beforeThat] = ROWS;
  for (let j = 0; j <= other.length; j++) before[j] = Math.min(j, past);
  let leastBefore = 0;
  for (let i = 1; i <= one.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(other.length, i + limit);
    row[from - 1] = from === 1 ? Math.min(i, past) : past;
    let least = row[from - 1] as number;
    for (let j = from; j <= to; j++) {
      const same = one.charCodeAt(i - 1) === other.charCodeAt(j - 1);
      let slips = Math.min(
        (before[j - 1] as number) + (same ? 0 : 1),
        (row[j - 1] as number) + 1,
        j < i + limit ? (before[j] as number) + 1 : past,
      );
      const swapped =
        i > 1 &&
        j > 1 &&
        one.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1);
      if (swapped) slips = Math.min(slips, (beforeThat[j - 2] as number) + 1);
      row[j] = Math.min(slips, past);
      least = Math.min(least, slips);
    }
    // A swap of two letters adds one edit to a distance of two rows before. So the search may stop
    // only if that row is also too far away.
    if (least > limit && leastBefore >= limit) return past;
    leastBefore = least;
    [row, before, beforeThat] = [beforeThat, row, before];
  }
  return before[other.length] as number;
}

/**
 * In words up to this length, most edits lead to another word, so only usual typos are accepted.
 */
const SHORT_MAX = 7;
/** From this length on, two edits are accepted if the words sound alike. */
const MISHEARD_LENGTH_MIN = 9;

/** True if a word may be a typo of another that is `distance` edits away. */
export function isLikelySlip(unknown: string, word: string, distance: number): boolean {
  const swapped = distance === 1 && word[0] === unknown[1] && word[1] === unknown[0];
  if (word[0] !== unknown[0] && !swapped) return false;
  if (isInflection(unknown, word) || isOtherForm(unknown, word)) return false;
  if (distance > 1) return unknown.length >= MISHEARD_LENGTH_MIN && isMisheard(unknown, word);
  return unknown.length > SHORT_MAX || isUsualSlip(unknown, word);
}

/**
 * True if the edit between two words is a usual typo. It is usual to swap neighbors, lose or double
 * a letter, hit an adjacent key, or write a letter that sounds the same.
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
  return areNeighbours(written, word[at] ?? "") || soundOf(unknown) === soundOf(word);
}

/** True if `unknown` is `word` with one letter doubled: "Curitibaa". */
export function isDoubled(unknown: string, word: string): boolean {
  if (unknown.length !== word.length + 1) return false;
  let at = 0;
  while (at < word.length && word[at] === unknown[at]) at++;
  return unknown[at] === unknown[at - 1] && unknown.slice(at + 1) === word.slice(at);
}

/** True if two words have the same letters in any order. */
export function isSwapped(one: string, other: string): boolean {
  return one.length === other.length && [...one].sort().join("") === [...other].sort().join("");
}

/** Rows of the keyboard. A key touches its neighbors and two keys in the row above. */
const KEY_ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const KEYS = new Map(
  KEY_ROWS.flatMap((row, y) => [...row].map((key, x) => [key, { x, y }] as const)),
);

function areNeighbours(one: string, other: string): boolean {
  const [a, b] = [KEYS.get(one), KEYS.get(other)];
  if (a === undefined || b === undefined) return false;
  const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
  if (upper.y === lower.y) return Math.abs(a.x - b.x) === 1;
  return lower.y - upper.y === 1 && (upper.x === lower.x || upper.x === lower.x + 1);
}

/**
 * Maps letters to others that sound about the same in Portuguese. The letter c also stands for ç.
 */
const SOUNDS: Readonly<Record<string, string>> = {
  ...{ c: "s", z: "s", x: "s", k: "s", q: "s", y: "i", e: "i", o: "u", w: "u", l: "u" },
  ...{ j: "g", n: "m", h: "" },
};

/** Returns a rough phonetic form of a word. */
function soundOf(word: string): string {
  let sounds = "";
  for (const letter of word) {
    const sound = SOUNDS[letter] ?? letter;
    if (!sounds.endsWith(sound)) sounds += sound;
  }
  return sounds;
}

/** True if two words sound alike, possibly with two neighboring sounds swapped. */
function isMisheard(one: string, other: string): boolean {
  const [a, b] = [soundOf(one), soundOf(other)];
  return a === b || (isSwapped(a, b) && slipsBetween(a, b, 1) === 1);
}

/**
 * True if two words differ only in their endings. The unknown word is then another form of the
 * known word, or a different word, rather than a typo of it.
 */
function isInflection(unknown: string, word: string): boolean {
  if (unknown === word + word.at(-1)) return false;
  const both = unknown.endsWith("s") && word.endsWith("s") ? 1 : 0;
  const [one, other] = [unknown.slice(0, unknown.length - both), word.slice(0, word.length - both)];
  // If the words end with the same letter, they do not differ in their endings.
  if (one.at(-1) === other.at(-1)) return false;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const [rest, instead] = [one.slice(same), other.slice(same)];
  // If the unknown word only lacks letters at the end, it is a typo, unless the missing ending is
  // "r", "s", or longer. Such endings make another word.
  if (rest === "") return instead.length > 1 || "rs".includes(instead);
  if (instead === "") return true;
  const swapped = rest.length === 2 && rest[0] === instead[1] && rest[1] === instead[0];
  return !swapped && Math.max(rest.length, instead.length) < 3;
}

/** Typical endings of verbs and adjectives, and of nouns derived from adjectives. */
const FORMS =
  "[aei]ndo|[ai]d[oa]|[aei]ram|avam?|iam|asse|[aei]mos|[ae]m|[aei]r|" +
  "mente|iv[oa]|os[oa]|[ai]vel|[aei]nte|ismo|dade";
const FORM = new RegExp(`(?:${FORMS})s?$`);

/**
 * True if only the unknown word has an ending in `FORMS`, so that it is another form and no typo.
 */
function isOtherForm(unknown: string, word: string): boolean {
  const ending = FORM.exec(unknown)?.[0];
  return ending !== undefined && !word.endsWith(ending);
}
