/**
 * Names of lists in a sentence. What comes in: the lists of who asks, and a place in a sentence.
 * What goes out: the list whose name is written there.
 * Invariant: a name counts as it is written, without regard to case, accents and marks; of several
 * that fit, the longest one; what a stage before has read a word as does not count.
 */
import type { Sentence } from "../words/sentence.ts";
import { foldWord, tokenize } from "../words/tokens.ts";

/** A list of who asks. */
export interface NamedList {
  readonly id: string;
  readonly name: string;
}

/** A list whose name is written at a place. */
interface WrittenList extends NamedList {
  /** The token behind its name, and behind the quotation mark that closes it. */
  readonly to: number;
}

/** Lists by the words of their names. */
export class ListNames {
  readonly all: readonly NamedList[];
  readonly #words: readonly (readonly string[])[];

  constructor(all: readonly NamedList[]) {
    this.all = all;
    this.#words = all.map(({ name }) => wordsOf(name));
  }

  /** The list whose name begins at a token; null where there is none. */
  at(sentence: Sentence, from: number): WrittenList | null {
    let found: WrittenList | null = null;
    this.all.forEach((list, index) => {
      const to = endOf(sentence, from, this.#words[index] as readonly string[]);
      if (to !== null && to > (found?.to ?? from)) found = { ...list, to };
    });
    return found;
  }

  /** The list whose name is all between two tokens; null where there is none. */
  between(sentence: Sentence, from: number, to: number): NamedList | null {
    const written = wordsOf(sentence.words(from, to).words).join(" ");
    const at = this.#words.findIndex((words) => words.length > 0 && words.join(" ") === written);
    return this.all[at] ?? null;
  }
}

function wordsOf(name: string): string[] {
  return tokenize(name)
    .filter(({ kind }) => kind !== "mark")
    .map(({ text }) => foldWord(text));
}

/** Where words end that are written from a token on, with marks between them as one likes. */
function endOf(sentence: Sentence, from: number, words: readonly string[]): number | null {
  let at = from;
  for (const word of words) {
    while (sentence.tokens[at]?.kind === "mark") at++;
    const token = sentence.tokens[at];
    if (token === undefined || !sentence.free(at) || foldWord(token.text) !== word) return null;
    at++;
  }
  if (words.length === 0) return null;
  return /^["”'»]$/.test(sentence.tokens[at]?.text ?? "") ? at + 1 : at;
}
