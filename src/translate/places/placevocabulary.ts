/**
 * The words of all place names, and an index of names by first letters.
 * Input: the names in order, and as folded lines. Output: whether a name has a word; every word
 * with its spelling in the first name that has it; an index by initials that returns each name
 * once, in order within the initials.
 * Invariant: results equal those of tokenizing each name. If possible, one text of all names is
 * folded in one step instead, because tokenizing thousands of names is slow. A name is returned for
 * every word that it may begin with. The index uses only the first letters, so names with other
 * words may be returned too. It has two arrays and no object per name, because creating five
 * thousand objects would dominate the first sentence's time.
 */
import { tokensOfName } from "../words/phrases.ts";
import { foldWord, type Token } from "../words/tokens.ts";

const [A, Z] = [0x61, 0x7a];
/** Number of values of an encoded character: the letters, and the end of a word. */
const DIGITS = Z - A + 2;
/**
 * Codes of up to three first letters are below this; words with other characters get the code
 * `ODD_START`.
 */
const ODD_START = DIGITS ** 3;
const NONE = -1;

/** Encodes the first letters of a folded word, which ends at a space or line end. */
function beginningOf(text: string, at: number): number {
  const one = digit(text, at);
  const two = one === 0 ? 0 : digit(text, at + 1);
  const three = two === 0 ? 0 : digit(text, at + 2);
  if (one === NONE || two === NONE || three === NONE) return ODD_START;
  return (one * DIGITS + two) * DIGITS + three;
}

/** Returns a letter as a number from 1, the end of the word as 0, and others as `NONE`. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= A && code <= Z) return code - A + 1;
  return Number.isNaN(code) || code === 0x20 || code === 0x0a ? 0 : NONE;
}

/** Optional words in names: "Santa Bárbara d'Oeste", "Santa Bárbara do Oeste". */
export const SMALL: ReadonlySet<string> = new Set("de da do das dos d".split(" "));

/** Codes of the small words; names are not looked up by them. */
const SMALL_BEGINNINGS = new Set([...SMALL].map((word) => beginningOf(word, 0)));

/** Encodes a line by its first word; returns `ODD_START` if lookups may use another word. */
function lineBeginning(text: string, from: number): number {
  const beginning = beginningOf(text, from);
  // The line is empty, or its first word has the same code as a small word.
  return beginning === 0 || SMALL_BEGINNINGS.has(beginning) ? ODD_START : beginning;
}

/** An index of names by first letters. */
export class NameStarts {
  /** Linked lists: the first name for each code, and the next name, `NONE` at the end. */
  readonly #first = new Int32Array(ODD_START + 1);
  readonly #next: Int32Array;
  /** All codes below this one are empty. */
  #emptyBelow = 0;

  /**
   * Indexes `count` names by their folded text, one line each. `firstWord` returns the word by
   * which a name is looked up. It is called for ambiguous lines, and for all names if the text has
   * more lines than names.
   */
  constructor(count: number, folded: string, firstWord: (at: number) => string) {
    this.#next = new Int32Array(count);
    if (!this.#take(count, folded, firstWord)) this.#take(count, "", firstWord);
  }

  /** Indexes from last to first. Returns false if the text has more lines than names. */
  #take(count: number, folded: string, firstWord: (at: number) => string): boolean {
    this.#first.fill(NONE);
    let end = folded.length;
    for (let at = count - 1; at >= 0; at--) {
      const from = end > 0 ? folded.lastIndexOf("\n", end - 1) + 1 : 0;
      const beginning = end > from ? lineBeginning(folded, from) : ODD_START;
      const key = beginning === ODD_START ? beginningOf(firstWord(at), 0) : beginning;
      this.#next[at] = this.#first[key] as number;
      this.#first[key] = at;
      end = from - 1;
    }
    return count === 0 || end < 0;
  }

  /** True if a name that may begin with a folded word has not been returned yet. */
  waits(word: string): boolean {
    return this.#first[beginningOf(word, 0)] !== NONE;
  }

  /** Yields names that may begin with a folded word and have not been returned yet. */
  *taken(word: string): Generator<number> {
    yield* this.#taken(beginningOf(word, 0));
  }

  /**
   * Yields all names that have not been returned yet; `looked` is called for each code. Empty codes
   * are not visited again, because a sentence may request all names at every word.
   */
  *rest(looked: () => void = () => undefined): Generator<number> {
    for (; this.#emptyBelow <= ODD_START; this.#emptyBelow++) {
      looked();
      yield* this.#taken(this.#emptyBelow);
    }
  }

  /** Removes a name before yielding it, so that concurrent consumers get only the others. */
  *#taken(beginning: number): Generator<number> {
    for (let at = this.#first[beginning] as number; at !== NONE; ) {
      this.#first[beginning] = this.#next[at] as number;
      yield at;
      at = this.#first[beginning] as number;
    }
  }
}

const ACCENTS = /[\u0300-\u036f]/g;
/** Matches characters in names other than Portuguese letters, spaces, and hyphens. */
const ODD = /[^a-zA-ZÀ-ÅÇ-ÏÑ-ÖÙ-Ýà-åç-ïñ-öù-ýÿ\n -]/g;
/** Characters that may fold differently in a whole text than in a token. */
const FOREIGN = /[\u0100-\uffff]/;
const PLAIN_BREAK = /[\n -]/;
/** Matches a word that can be searched in the text directly. */
const PLAIN_WORD = /^[a-z]+$/;

/** Names as lines, original and folded; positions in both texts match. */
interface Lines {
  readonly text: string;
  readonly folded: string;
}

/** The words of names, without small words. */
export class PlaceVocabulary {
  readonly #names: readonly string[];
  /** The names as lines; null if the whole text might fold differently. */
  readonly #lines: Lines | null;
  #all: ReadonlyMap<string, string> | null = null;
  #odd: ReadonlySet<string> | null = null;

  constructor(names: readonly string[]) {
    this.#names = names;
    const text = names.join("\n");
    const plain = !FOREIGN.test(text);
    const folded = () => text.normalize("NFD").replace(ACCENTS, "").toLowerCase();
    this.#lines = plain ? { text, folded: folded() } : null;
  }

  /** Folded words, each with its spelling in the first name that has it. */
  get all(): ReadonlyMap<string, string> {
    this.#all ??= this.#each();
    return this.#all;
  }

  /** True if a name has a folded word. */
  has(word: string): boolean {
    if (this.#all !== null || this.#lines === null || !PLAIN_WORD.test(word)) {
      return this.all.has(word);
    }
    if (SMALL.has(word)) return false;
    if (occursIn(this.#lines, word)) return true;
    this.#odd ??= oddWords(this.#lines.text);
    return this.#odd.has(word);
  }

  /** Returns the names by the initials of their first significant words. */
  starts(): NameStarts {
    const names = this.#names;
    return new NameStarts(names.length, this.#lines?.folded ?? "", (at) => {
      const words = wordsOf(names[at] as string);
      return words.find((word) => !SMALL.has(word.folded))?.folded ?? "";
    });
  }

  #each(): ReadonlyMap<string, string> {
    const words = new Map<string, string>();
    const take = (text: string, word: string) => {
      if (word !== "" && !SMALL.has(word) && !words.has(word)) words.set(word, text);
    };
    let plain: string[] = [];
    // Splits plain names without tokenizing them, because five of six words repeat.
    const takePlain = () => {
      const texts = new Set(plain.join("\n").split(PLAIN_BREAK));
      for (const text of texts) take(text, foldWord(text));
      plain = [];
    };
    for (const name of this.#names) {
      if (name.search(ODD) < 0) {
        plain.push(name);
        continue;
      }
      takePlain();
      for (const { text, folded } of wordsOf(name)) take(text, folded);
    }
    takePlain();
    return words;
  }
}

function wordsOf(name: string): readonly Token[] {
  return tokensOfName(name).filter(({ kind }) => kind === "word");
}

/**
 * True if a word occurs between spaces, hyphens, or line ends in a name that has only letters; then
 * it is a word of that name. With a period, the whole might be one token, such as an address.
 */
function occursIn({ text, folded }: Lines, word: string): boolean {
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    const end = at + word.length;
    const begins = at === 0 || PLAIN_BREAK.test(folded.charAt(at - 1));
    const ends = end === folded.length || PLAIN_BREAK.test(folded.charAt(end));
    if (begins && ends && lineAt(text, at).search(ODD) < 0) return true;
  }
  return false;
}

/** Returns folded words of names that have characters other than letters, spaces, and hyphens. */
function oddWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { index } of text.matchAll(ODD)) {
    for (const { folded } of wordsOf(lineAt(text, index))) words.add(folded);
  }
  return words;
}

/** Returns the line that contains a character, which is not a line end itself. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end);
}
