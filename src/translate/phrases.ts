/**
 * Phrases and what they stand for. What comes in: names, and a place in a list of tokens. What goes
 * out: the longest name that begins there.
 * Invariant: small joining words (de, da, e …) count neither in names nor between the words of a
 * sentence, so that "casa de carnes" and "casa das carnes" are one; looking costs at most the
 * number of words of the longest name.
 */
import { type Token, tokenize } from "./tokens.ts";

/** Words that join others and mean nothing by themselves. */
const JOINING = new Set(
  (
    "de da do das dos e em no na nos nas para pra a o as os com por ao aos um uma the of " +
    "and for"
  ).split(" "),
);

/** Whether a token is a word that joins. */
export function joins(token: Token | undefined): boolean {
  return token !== undefined && token.kind === "word" && JOINING.has(token.folded);
}

/** A name that was found: tokens from `from` up to, not including, `to`. */
export interface Match<Value> {
  readonly from: number;
  readonly to: number;
  /** Number of words of the name. */
  readonly words: number;
  readonly value: Value;
}

interface Node<Value> {
  readonly next: Map<string, Node<Value>>;
  value: Value | undefined;
}

/** Names by their reduced words. */
export class Phrases<Value> {
  readonly #root: Node<Value> = { next: new Map(), value: undefined };
  /** Reduced words of all names. */
  readonly vocabulary = new Set<string>();

  /** Adds a name; `merge` decides what becomes of a name that is there already. */
  add(
    name: string,
    value: Value,
    merge: (old: Value, added: Value) => Value = (_, added) => added,
  ) {
    const words = wordsOf(name);
    let node = this.#root;
    for (const word of words) {
      this.vocabulary.add(word);
      let next = node.next.get(word);
      if (next === undefined) {
        next = { next: new Map(), value: undefined };
        node.next.set(word, next);
      }
      node = next;
    }
    if (words.length > 0) node.value = node.value === undefined ? value : merge(node.value, value);
  }

  /** The longest name that begins at a token; `usable` says which tokens may take part. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean = () => true,
  ): Match<Value> | null {
    let node: Node<Value> | undefined = this.#root;
    let found: Match<Value> | null = null;
    let words = 0;
    for (let at = from; at < tokens.length && usable(at); at++) {
      const token = tokens[at] as Token;
      if (at > from && joins(token)) continue;
      node = node.next.get(token.key);
      if (node === undefined) break;
      words++;
      if (node.value !== undefined) found = { from, to: at + 1, words, value: node.value };
    }
    return found;
  }
}

/** The reduced words of a name, without those that join; all of them where there are no others. */
export function wordsOf(name: string): string[] {
  const tokens = tokenize(name).filter(({ kind }) => kind !== "mark");
  const telling = tokens.filter((token) => !joins(token));
  return (telling.length === 0 ? tokens : telling).map(({ key }) => key);
}
