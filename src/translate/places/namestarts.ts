/**
 * Which names begin as a word does. What comes in: the folded names, a line each. What goes out:
 * numbers of names, each given out once, in order within a beginning.
 * Invariant: a name is given out for every word that it may begin with; beginnings are told by the
 * first letters, so that names of other words may come along. Numbers in two arrays and nothing for
 * each name: five thousand names are most of what a first sentence would wait for.
 */

const [A, Z] = [0x61, 0x7a];
/** Letters, and that there is none any more. */
const DIGITS = Z - A + 2;
/** The first letters of a word are told, of a shorter one all; words of other letters are `ODD`. */
const ODD = DIGITS ** 3;
const NONE = -1;

/** The beginning of the folded word there, which ends with a blank or a line, as a number. */
function beginningOf(text: string, at: number): number {
  const one = digit(text, at);
  const two = one === 0 ? 0 : digit(text, at + 1);
  const three = two === 0 ? 0 : digit(text, at + 2);
  if (one === NONE || two === NONE || three === NONE) return ODD;
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
  return beginning === 0 || SMALL_BEGINNINGS.has(beginning) ? ODD : beginning;
}

/** Names by how they begin. */
export class NameStarts {
  /** Of each beginning, and behind each name: the next name, `NONE` behind the last one. */
  readonly #first = new Int32Array(ODD + 1);
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
      const beginning = end > from ? lineBeginning(folded, from) : ODD;
      const told = beginning === ODD ? beginningOf(firstWord(at), 0) : beginning;
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
    for (; this.#emptyBelow <= ODD; this.#emptyBelow++) {
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
