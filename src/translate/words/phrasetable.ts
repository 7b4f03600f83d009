/**
 * Phrases that are known at build time.
 * Input: their generated texts. Output: the longest name that begins at a token, as in `Phrases`.
 * Invariant: lookups need no preparation, so that the first sentence does not wait for twenty
 * thousand names: they use binary search in the sorted lines. Tables that speed up lookups are made
 * when there is time (`speedUp`) and never change a result.
 */
import { PhraseBook, type Phrases } from "./phrases.ts";

/**
 * Names and values as one text of three parts, separated by form feeds:
 * - names, in the order of UTF-16 code units, so that a name directly precedes longer names that
 *   begin with it. Each is one line: reduced words separated by spaces, a tab, and the hexadecimal
 *   offset of its value;
 * - values: a line of JSON each, which names may share;
 * - words: one line per reduced word, in the order of the names, with a tab and its spelling in the
 *   first name if the spelling differs.
 */
export type PhraseText = string;

/** The names that begin with some words: the offset of the first name, and those words. */
interface Spot<Value> {
  readonly line: number;
  /** Offset after the last of these names. */
  end: number;
  readonly name: string;
  /** The names after one more word, by this word; null until a lookup continues from here. */
  next: Map<string, Spot<Value>> | null;
  /**
   * The value of the name with exactly these words. Undefined until it is read, or if there is no
   * such name.
   */
  value: Value | undefined;
}

const RADIX = 16;
const PART = "\f";
const [BLANK, TAB, LINE] = [0x20, 0x09, 0x0a];
/** Maximum number of cached results, and maximum length of the words of a cached result. */
const FOLLOWED_MAX = 4_096;
const FOLLOWED_LETTERS = 64;

/** Returns the text for a set of names. */
export function phraseText(phrases: Phrases<unknown>): PhraseText {
  const places = new Map<string, number>();
  let values = "";
  const lines: string[] = [];
  for (const [name, value] of phrases.entries()) {
    const text = JSON.stringify(value);
    if (!places.has(text)) {
      places.set(text, values.length);
      values += `${text}\n`;
    }
    lines.push(`${name}\t${(places.get(text) as number).toString(RADIX)}\n`);
  }
  const words = [...phrases.vocabulary].map(([key, text]) =>
    key === text ? `${key}\n` : `${key}\t${text}\n`,
  );
  return [lines.sort(inOrder).join(""), values, words.sort(inOrder).join("")].join(PART);
}

/** Compares by code units, as lookups do. */
function inOrder(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** A phrase book whose names are stored in such a text. */
export class PhraseTable<Value> extends PhraseBook<Value, Spot<Value>> {
  protected readonly start: Spot<Value>;
  readonly #read: (json: unknown) => Value;
  readonly #names: string;
  readonly #values: string;
  readonly #words: string;
  /** Values by offset. */
  readonly #known = new Map<number, Value>();
  /** The names that begin with each first word; null until `speedUp` has run. */
  #firsts: ReadonlyMap<string, Spot<Value>> | null = null;
  #vocabulary: ReadonlyMap<string, string> | null = null;
  /**
   * Recent results by words (null if no name begins with them). Cached because several stages look
   * up the same words.
   */
  readonly #followed = new Map<string, Spot<Value> | null>();

  /** `read` converts the JSON of a value to the value. By default, the JSON is the value. */
  constructor(text: PhraseText, read: (json: unknown) => Value = (json) => json as Value) {
    super();
    this.#read = read;
    const values = text.indexOf(PART);
    const words = text.indexOf(PART, values + 1);
    this.#names = text.slice(0, values);
    this.#values = text.slice(values + 1, words);
    this.#words = text.slice(words + 1);
    this.start = spotAt(0, values, "");
  }

  written(key: string): string | undefined {
    if (this.#vocabulary !== null) return this.#vocabulary.get(key);
    const line = firstFrom(this.#words, 0, this.#words.length, key);
    const end = line + key.length;
    if (key === "" || orderOf(this.#words, line, key) !== 0) return undefined;
    const code = this.#words.charCodeAt(end);
    if (code === LINE) return key;
    return code === TAB ? this.#words.slice(end + 1, this.#words.indexOf("\n", end)) : undefined;
  }

  get vocabulary(): ReadonlyMap<string, string> {
    this.#vocabulary ??= new Map(pairsOf(this.#words));
    return this.#vocabulary;
  }

  /** Builds the tables that make lookups faster. */
  speedUp(): void {
    const firsts = new Map<string, Spot<Value>>();
    for (const line of linesOf(this.#names)) {
      const name = this.#names.slice(line, wordEnd(this.#names, line));
      const known = firsts.get(name);
      const end = this.#names.indexOf("\n", line) + 1;
      if (known === undefined) firsts.set(name, spotAt(line, end, name));
      else known.end = end;
    }
    this.#firsts = firsts;
    void this.vocabulary;
  }

  protected follow(spot: Spot<Value>, key: string): Spot<Value> | undefined {
    if (this.#firsts === null) return this.#halved(spot, key);
    if (spot.name === "") return this.#firsts.get(key);
    spot.next ??= this.#longer(spot);
    return spot.next.get(key);
  }

  /** Returns the names after one more word, by this word. Reads each line once. */
  #longer({ line, end, name }: Spot<Value>): Map<string, Spot<Value>> {
    const next = new Map<string, Spot<Value>>();
    for (let at = line; at < end; ) {
      const nextLine = this.#names.indexOf("\n", at) + 1;
      const from = at + name.length + 1;
      if (this.#names.charCodeAt(from - 1) === BLANK) {
        const word = this.#names.slice(from, wordEnd(this.#names, from));
        const known = next.get(word);
        if (known === undefined) next.set(word, spotAt(at, nextLine, `${name} ${word}`));
        else known.end = nextLine;
      }
      at = nextLine;
    }
    return next;
  }

  /** Finds the names after one more word by binary search. Used until `speedUp` has run. */
  #halved({ line, end, name }: Spot<Value>, key: string): Spot<Value> | undefined {
    const longer = name === "" ? key : `${name} ${key}`;
    const known = this.#followed.get(longer);
    if (known !== undefined) return known ?? undefined;
    const found = this.#beginning(line, end, longer);
    if (this.#followed.size >= FOLLOWED_MAX) this.#followed.clear();
    if (longer.length <= FOLLOWED_LETTERS) this.#followed.set(longer, found);
    return found ?? undefined;
  }

  /** Returns the names in the given lines that begin with some words, or null if none does. */
  #beginning(line: number, end: number, wanted: string): Spot<Value> | null {
    const first = firstFrom(this.#names, line, end, wanted);
    const nextCode = this.#names.charCodeAt(first + wanted.length);
    const goesOn = first < end && (nextCode === TAB || nextCode === BLANK);
    return goesOn && orderOf(this.#names, first, wanted) === 0 ? spotAt(first, end, wanted) : null;
  }

  protected valueAt(spot: Spot<Value>): Value | undefined {
    if (spot.value === undefined && this.#ends(spot)) spot.value = this.#valueOf(spot);
    return spot.value;
  }

  /** True if there is a name with exactly these words. */
  #ends({ line, name }: Spot<Value>): boolean {
    return name !== "" && this.#names.charCodeAt(line + name.length) === TAB;
  }

  #valueOf({ line, name }: Spot<Value>): Value {
    const tab = line + name.length;
    const end = this.#names.indexOf("\n", tab);
    const at = Number.parseInt(this.#names.slice(tab + 1, end), RADIX);
    const known = this.#known.get(at);
    if (known !== undefined) return known;
    const json: unknown = JSON.parse(this.#values.slice(at, this.#values.indexOf("\n", at)));
    const value = this.#read(json);
    this.#known.set(at, value);
    return value;
  }

  protected wordsAfter({ line, end, name }: Spot<Value>): readonly string[] {
    const before = name === "" ? "" : `${name} `;
    const words = new Set<string>();
    for (let at = line; at < end; at = this.#names.indexOf("\n", at) + 1) {
      if (this.#names.startsWith(`${name}\t`, at)) continue;
      if (!this.#names.startsWith(before, at)) break;
      const from = at + before.length;
      words.add(this.#names.slice(from, wordEnd(this.#names, from)));
    }
    return [...words];
  }
}

function spotAt<Value>(line: number, end: number, name: string): Spot<Value> {
  return { line, end, name, next: null, value: undefined };
}

/**
 * Returns the offset of the first line that does not sort before the wanted words, or `end` if all
 * do.
 */
function firstFrom(lines: string, line: number, end: number, wanted: string): number {
  let [low, high] = [line, end];
  while (low < high) {
    const middle = Math.max(low, lines.lastIndexOf("\n", ((low + high) >>> 1) - 1) + 1);
    if (orderOf(lines, middle, wanted) < 0) low = lines.indexOf("\n", middle) + 1;
    else high = middle;
  }
  return low;
}

/**
 * Compares the beginning of a line with the wanted words. Returns a negative number if the line
 * sorts before them, and 0 if it begins with them.
 */
function orderOf(lines: string, line: number, wanted: string): number {
  for (let i = 0; i < wanted.length; i++) {
    const difference = lines.charCodeAt(line + i) - wanted.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Yields the offset of each line. */
function* linesOf(text: string): Generator<number> {
  for (let at = 0; at < text.length; at = text.indexOf("\n", at) + 1) yield at;
}

/** Returns the end of the word that begins at an offset. */
function wordEnd(text: string, from: number): number {
  let end = from;
  for (let code = text.charCodeAt(end); code !== BLANK && code !== TAB; ) {
    code = text.charCodeAt(++end);
  }
  return end;
}

/** Yields words with their spellings. */
function* pairsOf(words: string): Generator<[key: string, written: string]> {
  for (const line of words.split("\n")) {
    if (line === "") continue;
    const tab = line.indexOf("\t");
    yield tab < 0 ? [line, line] : [line.slice(0, tab), line.slice(tab + 1)];
  }
}
