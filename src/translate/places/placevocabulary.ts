/**
 * The words of all names of places, and which names begin as a word does. Input: the names in
 * order, and as folded lines. Output: if a name has a word, every word with how the first name that
 * has it writes it, and numbers of names by their beginnings, each returned once, in order within a
 * beginning.
 * Invariant: as if each name were cut into tokens and the tokens taken one by one; but what one
 * text of all names tells is read from that, which is folded in one step where tokens of thousands
 * of names take their time. A name is returned for every word that it may begin with; beginnings
 * are told by the first letters, so that names of other words may come along. Numbers are in two
 * arrays with nothing for each name: five thousand names are most of what a first sentence would
 * wait for.
 */
import { tokensOfName } from "../words/phrases.ts";
import { foldWord, type Token } from "../words/tokens.ts";

const [A, Z] = [0x61, 0x7a];
/** Letters, and that there is none any more. */
const DIGITS = Z - A + 2;
/** The first letters of a word are told, of a shorter one all; words of other letters are `ODD`. */
const ODD_START = DIGITS ** 3;
const NONE = -1;

/** The beginning of the folded word there, which ends with a blank or a line, as a number. */
function beginningOf(text: string, at: number): number {
  const one = digit(text, at);
  const two = one === 0 ? 0 : digit(text, at + 1);
  const three = two === 0 ? 0 : digit(text, at + 2);
  if (one === NONE || two === NONE || three === NONE) return ODD_START;
  return (one * DIGITS + two) * DIGITS + three;
}

/** A letter as a number from 1 on, 0 where the word is over; `NONE` for anything else. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= A && code <= Z) return code - A + 1;
  return Number.isNaN(code) || code === 0x20 || code === 0x0a ? 0 : NONE;
}

/** Words that names have and lose: "Santa Bárbara d'Oeste", "Santa Bárbara do Oeste". */
export const SMALL: ReadonlySet<string> = new Set("de da do das dos d".split(" "));

/** How they begin; no name is looked for by one. */
const SMALL_BEGINNINGS = new Set([...SMALL].map((word) => beginningOf(word, 0)));

/** The beginning of a line by its first word; `ODD` where it may be looked for by another. */
function lineBeginning(text: string, from: number): number {
  const beginning = beginningOf(text, from);
  // Nothing stands first, or a small word, or one that begins as a small one of three letters does.
  return beginning === 0 || SMALL_BEGINNINGS.has(beginning) ? ODD_START : beginning;
}

/** Names by how they begin. */
export class NameStarts {
  /** Of each beginning, and behind each name: the next name, `NONE` behind the last one. */
  readonly #first = new Int32Array(ODD_START + 1);
  readonly #next: Int32Array;
  /** No name is left of the beginnings below. */
  #emptyBelow = 0;

  /**
   * Takes how many names there are, their folded text with a line for each, and the first word of a
   * name by which it is looked for: asked where the line does not tell; and for all where the text
   * has more lines.
   */
  constructor(count: number, folded: string, firstWord: (at: number) => string) {
    this.#next = new Int32Array(count);
    if (!this.#take(count, folded, firstWord)) this.#take(count, "", firstWord);
  }

  /** From the last to the first; false where the text has more lines than there are names. */
  #take(count: number, folded: string, firstWord: (at: number) => string): boolean {
    this.#first.fill(NONE);
    let end = folded.length;
    for (let at = count - 1; at >= 0; at--) {
      const from = end > 0 ? folded.lastIndexOf("\n", end - 1) + 1 : 0;
      const beginning = end > from ? lineBeginning(folded, from) : ODD_START;
      const told = beginning === ODD_START ? beginningOf(firstWord(at), 0) : beginning;
      this.#next[at] = this.#first[told] as number;
      this.#first[told] = at;
      end = from - 1;
    }
    return count === 0 || end < 0;
  }

  /** True if a name that a folded word may begin was not given out yet. */
  waits(word: string): boolean {
    return this.#first[beginningOf(word, 0)] !== NONE;
  }

  /** The names that a folded word may begin and that were not given out. */
  *taken(word: string): Generator<number> {
    yield* this.#taken(beginningOf(word, 0));
  }

  /**
   * All that were not given out; `looked` is called for each beginning. A sentence may ask for all
   * of them at each word, so what is empty is not looked at again.
   */
  *rest(looked: () => void = () => undefined): Generator<number> {
    for (; this.#emptyBelow <= ODD_START; this.#emptyBelow++) {
      looked();
      yield* this.#taken(this.#emptyBelow);
    }
  }

  /** Given out before it is looked at, so that who asks in between gets the others. */
  *#taken(beginning: number): Generator<number> {
    for (let at = this.#first[beginning] as number; at !== NONE; ) {
      this.#first[beginning] = this.#next[at] as number;
      yield at;
      at = this.#first[beginning] as number;
    }
  }
}

const ACCENTS = /[\u0300-\u036f]/g;
/** Neither a letter of Portuguese nor what stands between words of most names. */
const ODD = /[^a-zA-ZÀ-ÅÇ-ÏÑ-ÖÙ-Ýà-åç-ïñ-öù-ýÿ\n -]/g;
/** Characters of which text as a whole might fold otherwise than a token does. */
const FOREIGN = /[\u0100-\uffff]/;
const PLAIN_BREAK = /[\n -]/;
/** A word that may be looked for as it is. */
const PLAIN_WORD = /^[a-z]+$/;

/** Names as lines, as they are and folded: letter by letter, so that an index is one of both. */
interface Lines {
  readonly text: string;
  readonly folded: string;
}

/** Words of names; those that do not tell are left out. */
export class PlaceVocabulary {
  readonly #names: readonly string[];
  /** The names as lines; null where text as a whole might fold otherwise. */
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

  /** Folded words, with how the first name that has one writes it. */
  get all(): ReadonlyMap<string, string> {
    this.#all ??= this.#each();
    return this.#all;
  }

  /** Whether a name has a folded word. */
  has(word: string): boolean {
    if (this.#all !== null || this.#lines === null || !PLAIN_WORD.test(word)) {
      return this.all.has(word);
    }
    if (SMALL.has(word)) return false;
    if (standsIn(this.#lines, word)) return true;
    this.#odd ??= oddWords(this.#lines.text);
    return this.#odd.has(word);
  }

  /** The names by how their first words begin that tell. */
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
    // Cut in one piece: five words in six were in names before, and no token is made of them.
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
 * Whether a word stands between blanks, hyphens or lines in a name of nothing but letters: what
 * does is a word of that name, where one with a point may be an address as a whole.
 */
function standsIn({ text, folded }: Lines, word: string): boolean {
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    const end = at + word.length;
    const begins = at === 0 || PLAIN_BREAK.test(folded.charAt(at - 1));
    const ends = end === folded.length || PLAIN_BREAK.test(folded.charAt(end));
    if (begins && ends && lineAt(text, at).search(ODD) < 0) return true;
  }
  return false;
}

/** Folded words of the names that have other characters than letters, blanks and hyphens. */
function oddWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { index } of text.matchAll(ODD)) {
    for (const { folded } of wordsOf(lineAt(text, index))) words.add(folded);
  }
  return words;
}

/** The line in which a character stands that is no end of a line. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end);
}
