/**
 * Stores the words of all place names and an index of names by their first letters.
 * Input: the names in order, and the same names as folded lines. Output: every word with its
 * spelling in the first name that contains it, and an index by first letters. The index returns
 * each name once, in the original order among names with the same first letters.
 * Invariant: the words equal those of tokenizing each name. Tokenizing thousands of names is slow,
 * so all names are folded as one text if possible. For each word, the index returns all names that
 * may begin with it. It may also return others, because it compares only the first letters.
 * The index has two arrays and no object per name. Creating five thousand objects would take most
 * of the time of the first sentence.
 */
import { tokensOfName } from "../words/phrases.ts";
import { foldWord, type Token } from "../words/tokens.ts";

const [A, Z] = [0x61, 0x7a];
/** Number of values of an encoded character: the letters, and the end of a word. */
const DIGITS = Z - A + 2;
/**
 * The code of a word that has characters other than letters among its first three characters. The
 * codes of other words are smaller.
 */
const ODD_START = DIGITS ** 3;
const NONE = -1;

/** Returns the code of the first letters of a folded word, which a space or line end ends. */
function beginningOf(text: string, at: number): number {
  const one = digit(text, at);
  const two = one === 0 ? 0 : digit(text, at + 1);
  const three = two === 0 ? 0 : digit(text, at + 2);
  if (one === NONE || two === NONE || three === NONE) return ODD_START;
  return (one * DIGITS + two) * DIGITS + three;
}

/** Returns 1 to 26 for a letter, 0 for the end of a word, and `NONE` for other characters. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= A && code <= Z) return code - A + 1;
  return Number.isNaN(code) || code === 0x20 || code === 0x0a ? 0 : NONE;
}

/** Words that a name may contain or omit: "Santa Bárbara d'Oeste", "Santa Bárbara do Oeste". */
export const SMALL: ReadonlySet<string> = new Set("de da do das dos d".split(" "));

/** Codes of words such as "de". Lookups never use such a word as the first word of a name. */
const SMALL_BEGINNINGS = new Set([...SMALL].map((word) => beginningOf(word, 0)));

/**
 * Returns the code of the first word of a line. Returns `ODD_START` if the first word may be
 * omitted, such as "de", so that lookups may begin with the next word.
 */
function lineBeginning(text: string, from: number): number {
  const beginning = beginningOf(text, from);
  // The caller must tokenize such a line. The same applies to an empty line.
  return beginning === 0 || SMALL_BEGINNINGS.has(beginning) ? ODD_START : beginning;
}

/** Finds names by the first letters of the word that they begin with. */
export class NameStarts {
  /**
   * Linked lists of names: `#first` holds the first name for each code, `#next` the name after each
   * name. `NONE` ends a list.
   */
  readonly #first = new Int32Array(ODD_START + 1);
  readonly #next: Int32Array;
  /** The lists of all codes below this value are empty. */
  #emptyBelow = 0;

  /**
   * Indexes `count` names by their folded text, one line for each name. `firstWord` returns the
   * word by which a name is looked up. It is called for lines that begin with a word such as "de",
   * and for all names if the text has more lines than names.
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

  /** True if some name that may begin with the folded word has not been returned yet. */
  waits(word: string): boolean {
    return this.#first[beginningOf(word, 0)] !== NONE;
  }

  /** Yields names that may begin with a folded word and have not been returned yet. */
  *taken(word: string): Generator<number> {
    yield* this.#taken(beginningOf(word, 0));
  }

  /**
   * Yields all names that have not been returned yet. Calls `looked` for each code. A sentence may
   * need all names at every word, so codes without names are not visited again.
   */
  *rest(looked: () => void = () => undefined): Generator<number> {
    for (; this.#emptyBelow <= ODD_START; this.#emptyBelow++) {
      looked();
      yield* this.#taken(this.#emptyBelow);
    }
  }

  /**
   * Yields the names of one code. Removes each name before yielding it, so that another consumer
   * running meanwhile gets only the others.
   */
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
/** Matches characters that may fold differently in a long text than in a single token. */
const FOREIGN = /[\u0100-\uffff]/;
const PLAIN_BREAK = /[\n -]/;
/** Matches words that can be searched directly in the text of all names. */
const PLAIN_WORD = /^[a-z]+$/;

/** All names, one a line, as written and folded. Both texts have the same positions. */
interface Lines {
  readonly text: string;
  readonly folded: string;
}

/** The words of names, without small words. */
export class PlaceVocabulary {
  readonly #names: readonly string[];
  /** The names, one a line, or null if folding the whole text might differ from folding words. */
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

  /** Folded words of all names, each with its spelling in the first name that contains it. */
  get all(): ReadonlyMap<string, string> {
    this.#all ??= this.#each();
    return this.#all;
  }

  /** True if any name contains a folded word. */
  has(word: string): boolean {
    if (this.#all !== null || this.#lines === null || !PLAIN_WORD.test(word)) {
      return this.all.has(word);
    }
    if (SMALL.has(word)) return false;
    if (occursIn(this.#lines, word)) return true;
    this.#odd ??= oddWords(this.#lines.text);
    return this.#odd.has(word);
  }

  /**
   * Returns an index of the names by the first letters of their first word, not counting words such
   * as "de".
   */
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
    // Names of letters, spaces, and hyphens are split without tokenizing them. Each distinct word
    // is folded once, because five of six words are repetitions.
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
 * True if a name of letters only contains the word between spaces, hyphens, or line ends. Names
 * with a period are skipped, because the tokenizer may read the whole name as one token, such as an
 * address.
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

/** Returns the line that contains the character at `at`, which must not be a line end. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end);
}
