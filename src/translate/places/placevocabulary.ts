/**
 * The words of all names of places. What comes in: the names in order. What goes out: whether a
 * name has a word, every word with how the first name that has it writes it, and how names begin.
 * Invariant: as if each name were cut into tokens and the tokens taken one by one; but what can be
 * told from one text of all names is told from that, which is folded at once where tokens of
 * thousands of names take their time.
 */
import { tokensOfName } from "../words/phrases.ts";
import { foldWord, type Token } from "../words/tokens.ts";
import { NameStarts, SMALL } from "./namestarts.ts";

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
