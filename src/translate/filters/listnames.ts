/**
 * Names of lists in a sentence. What comes in: the lists of who asks, and a place in a sentence.
 * What goes out: the list whose name is written there.
 * Invariant: a name counts as it is written, without regard to case, accents and marks; of several
 * that fit, the longest one; what a stage before has read a word as does not count.
 */
import { EXPORTED } from "../../spec/listids.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

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
    return found ?? exportedAt(sentence, from);
  }

  /** The list whose name is all between two tokens; null where there is none. */
  between(sentence: Sentence, from: number, to: number): NamedList | null {
    const written = wordsOf(sentence.words(from, to).words).join(" ");
    const at = this.#words.findIndex((words) => words.length > 0 && words.join(" ") === written);
    return this.all[at] ?? null;
  }
}

/** "na lista Já exportados": what has been exported, by the names that people see. */
function exportedAt(sentence: Sentence, from: number): WrittenList | null {
  for (const name of ["ja exportados", "exportados", "exported"]) {
    const to = endOf(sentence, from, name.split(" "));
    if (to !== null) return { id: EXPORTED, name, to };
  }
  return null;
}

/** The words of a name; its marks where it has nothing else, "🔥". */
function wordsOf(name: string): string[] {
  const tokens = tokenize(name);
  const words = tokens.filter(({ kind }) => kind !== "mark");
  return words.length > 0 ? words.map(({ text }) => foldWord(text)) : tokens.map(wordOf);
}

function wordOf({ kind, text }: Token): string {
  return kind === "mark" ? text : foldWord(text);
}

/** Whether a mark is no part of a name: any within one, what opens one before it. */
function isPassedOver(token: Token | undefined, seen: { word: string; first: boolean }): boolean {
  if (token?.kind !== "mark" || token.text === seen.word) return false;
  return !seen.first || /^["“'‘«([:]$/.test(token.text);
}

/** Where words end that are written from a token on, with marks between them as one likes. */
function endOf(sentence: Sentence, from: number, words: readonly string[]): number | null {
  let at = from;
  for (const word of words) {
    const first = at === from;
    while (isPassedOver(sentence.tokens[at], { word, first })) at++;
    const token = sentence.tokens[at];
    if (token === undefined || !sentence.free(at) || wordOf(token) !== word) return null;
    at++;
  }
  if (words.length === 0) return null;
  return /^["”'»]$/.test(sentence.tokens[at]?.text ?? "") ? at + 1 : at;
}
