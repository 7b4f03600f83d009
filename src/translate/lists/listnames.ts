/**
 * Finds names of lists in a sentence. Input: the user's lists, and a position in a sentence.
 * Output: the list whose name is written at that position.
 * Invariant: case, accents, and punctuation are ignored, and the longest match wins. The name is
 * found even if an earlier stage has read its words. If several lists share a name, only the list
 * with the exact spelling matches. If none has it, all of them match.
 */
import { EXPORTED } from "../../spec/listids.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

/** A user's list. */
export interface NamedList {
  readonly id: string;
  readonly name: string;
}

/** The lists whose name is written at a position. Several lists may have the same name. */
interface WrittenLists {
  readonly lists: readonly NamedList[];
  /** The token after the name and its closing quotation mark. */
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

  /** Returns the lists whose name begins at a token, or null. */
  at(sentence: Sentence, from: number): WrittenLists | null {
    let [lists, end]: [NamedList[], number] = [[], from];
    this.all.forEach((list, index) => {
      const to = endOf(sentence, from, this.#words[index] as readonly string[]);
      if (to === null || to <= from || to < end) return;
      lists = to === end ? [...lists, list] : [list];
      end = to;
    });
    if (lists.length === 0) return exportedAt(sentence, from);
    return { lists: meant(lists, sentence.words(from, end).words), to: end };
  }

  /** Returns the lists whose name fills the tokens [from, to). */
  between(sentence: Sentence, from: number, to: number): readonly NamedList[] {
    const { words: written } = sentence.words(from, to);
    const key = listNameKey(written);
    const lists = this.all.filter((_, at) => this.#words[at]?.join(" ") === key);
    return key === "" ? [] : meant(lists, written);
  }
}

/** Returns the key by which names are compared. Two lists must not have the same key. */
export function listNameKey(name: string): string {
  return wordsOf(name).join(" ");
}

/** Returns only the list with the exact spelling if there is exactly one; otherwise returns all. */
function meant(lists: readonly NamedList[], written: string): readonly NamedList[] {
  if (lists.length < 2) return lists;
  const spelled = spellingOf(written);
  const exact = lists.filter(({ name }) => spellingOf(name) === spelled);
  return exact.length === 1 ? exact : lists;
}

/** Returns the text from its first to its last word, with single spaces. */
function spellingOf(text: string): string {
  const words = tokenize(text).filter(({ kind }) => kind !== "mark");
  const spelled = text.slice(words[0]?.start ?? 0, words.at(-1)?.end);
  return spelled.normalize("NFC").trim().replace(/\s+/g, " ");
}

/** Reads the names under which the list of exported accounts is shown: "na lista Já exportados". */
function exportedAt(sentence: Sentence, from: number): WrittenLists | null {
  for (const name of ["ja exportados", "exportados", "exported"]) {
    const to = endOf(sentence, from, name.split(" "));
    if (to !== null) return { lists: [{ id: EXPORTED, name }], to };
  }
  return null;
}

/** Returns the words of a name, or its marks if it has no words ("🔥"). */
function wordsOf(name: string): string[] {
  const tokens = tokenize(name);
  const words = tokens.filter(({ kind }) => kind !== "mark");
  return words.length > 0 ? words.map(({ text }) => foldWord(text)) : tokens.map(wordOf);
}

function wordOf({ kind, text }: Token): string {
  return kind === "mark" ? text : foldWord(text);
}

/**
 * True if a punctuation mark may be skipped when matching a name. Before the name, only an opening
 * mark may be skipped; inside the name, any mark.
 */
function isPassedOver(token: Token | undefined, seen: { word: string; first: boolean }): boolean {
  if (token?.kind !== "mark" || token.text === seen.word) return false;
  return !seen.first || /^["“'‘«([:=]$/.test(token.text);
}

/**
 * Returns the end of `words` if they are written from the token `from` on, with any punctuation
 * between them. Otherwise returns null.
 */
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
