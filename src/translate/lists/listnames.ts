/**
 * Names of lists in a sentence. What comes in: the lists of who asks, and a place in a sentence.
 * What goes out: the list whose name is written there.
 * Invariant: a name counts as it is written, without regard to case, accents and marks; of several
 * that fit, the longest one. Roles from earlier stages are ignored. If several
 * lists have one name, the list whose exact spelling is written counts, else all of them.
 */
import { EXPORTED } from "../../spec/listids.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

/** A list of who asks. */
export interface NamedList {
  readonly id: string;
  readonly name: string;
}

/** The lists whose name is written at a place; more than one if nothing tells them apart. */
interface WrittenLists {
  readonly lists: readonly NamedList[];
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

  /** The lists whose name begins at a token; null where there is none. */
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

  /** The lists whose name is all between two tokens. */
  between(sentence: Sentence, from: number, to: number): readonly NamedList[] {
    const { words: written } = sentence.words(from, to);
    const key = listNameKey(written);
    const lists = this.all.filter((_, at) => this.#words[at]?.join(" ") === key);
    return key === "" ? [] : meant(lists, written);
  }
}

/** Returns a name as sentences compare it: two lists must not share a key. */
export function listNameKey(name: string): string {
  return wordsOf(name).join(" ");
}

/** Of lists with one name, the only one that is spelled as it is written, else all. */
function meant(lists: readonly NamedList[], written: string): readonly NamedList[] {
  if (lists.length < 2) return lists;
  const spelled = spellingOf(written);
  const exact = lists.filter(({ name }) => spellingOf(name) === spelled);
  return exact.length === 1 ? exact : lists;
}

/** A text from its first word to its last, with single spaces. */
function spellingOf(text: string): string {
  const words = tokenize(text).filter(({ kind }) => kind !== "mark");
  const spelled = text.slice(words[0]?.start ?? 0, words.at(-1)?.end);
  return spelled.normalize("NFC").trim().replace(/\s+/g, " ");
}

/** "na lista Já exportados": what has been exported, by the names that people see. */
function exportedAt(sentence: Sentence, from: number): WrittenLists | null {
  for (const name of ["ja exportados", "exportados", "exported"]) {
    const to = endOf(sentence, from, name.split(" "));
    if (to !== null) return { lists: [{ id: EXPORTED, name }], to };
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
  return !seen.first || /^["“'‘«([:=]$/.test(token.text);
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
