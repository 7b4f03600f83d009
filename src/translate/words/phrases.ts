/**
 * Finds phrases in a sentence and returns their meanings.
 * Input: names, and a position in a token list. Output: the longest name that begins there.
 * words/phrasetable.ts stores the names known at build time in another way. Matches are cached by
 * first token, so that stages do not repeat lookups.
 * Invariant: joining words (de, da, e …) are ignored in names and in sentences, so that "casa de
 * carnes" and "casa das carnes" match. A lookup visits at most the words of the longest name, with
 * at most `JOINED_MAX` joining words before each. A cached match equals that of a new lookup. If a
 * token is read as another word, matches that depend on the token are dropped.
 */
import { foldWord, type Token, tokenize } from "./tokens.ts";

/** A name found in a sentence. `to` is the position after its last token. */
interface Found {
  readonly to: number;
}

/** Maximum number of tokens that a lookup visits. */
export const WALK_MAX = 128;

/** State of a lookup. A lookup sets `at` to the position of the last token that it visited. */
export interface LookupState {
  at: number;
}

/** Names that can be found in a sentence. */
interface Book<Match extends Found> {
  /** Finds the longest name that begins at a token and contains only usable tokens. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: LookupState,
  ): Match | null;
}

/** The matches of one phrase book in one sentence. */
class Matches {
  /** The match that begins at each token, or null. Undefined if no lookup has begun there yet. */
  readonly found: (Found | null | undefined)[];
  /** The last token that the lookup from each token visited. */
  readonly looked: number[];
  /** Maximum number of tokens that a lookup visited after its first token. */
  reach = 0;

  constructor(length: number) {
    this.found = new Array<Found | null | undefined>(length).fill(undefined);
    this.looked = new Array<number>(length).fill(0);
  }
}

type ByBook = Map<object, Matches>;

/** Caches of sentences, by token list. A part of a list exists only briefly and has none. */
const CACHED = new WeakMap<readonly Token[], ByBook>();
/** The sentence of the last lookup, because thousands of lookups in a row use the same one. */
const last: { tokens: readonly Token[]; byBook: ByBook | undefined } = {
  tokens: [],
  byBook: undefined,
};
/** Reused for all lookups, because one lookup never runs inside another. */
const seen: LookupState = { at: 0 };

/** Starts to cache the matches in these tokens. */
export function cacheMatches(tokens: readonly Token[]): void {
  last.tokens = tokens;
  last.byBook = new Map();
  CACHED.set(tokens, last.byBook);
}

/** Drops the cached matches whose lookups visited a changed token. */
export function forgetMatches(tokens: readonly Token[], changed: number): void {
  for (const { found, looked, reach } of byBookOf(tokens)?.values() ?? []) {
    for (let from = changed; from >= Math.max(0, changed - reach); from--) {
      if ((looked[from] as number) >= changed) found[from] = undefined;
    }
  }
}

/** Returns the longest name of a book that begins at a token and uses only `usable` tokens. */
export function cachedMatch<Match extends Found>(
  book: Book<Match>,
  tokens: readonly Token[],
  from: number,
  usable: ((index: number) => boolean) | undefined,
): Match | null {
  const byBook = byBookOf(tokens);
  if (byBook === undefined) return book.walk(tokens, from, usable ?? every, seen);
  if (from < 0 || from >= tokens.length) return null;
  const whole = wholeMatch(book, byBook, tokens, from).found[from] as Match | null;
  if (whole === null || usable === undefined) return whole;
  for (let at = from; at < whole.to; at++) {
    if (!usable(at)) return book.walk(tokens, from, usable, seen);
  }
  return whole;
}

/**
 * True if a lookup from a token visits a later token, so that this token may change the result. The
 * tokens must belong to a sentence.
 */
export function looksAt(
  book: Book<Found>,
  tokens: readonly Token[],
  from: number,
  at: number,
): boolean {
  const byBook = byBookOf(tokens);
  if (byBook === undefined || from < 0 || from >= tokens.length) return true;
  return (wholeMatch(book, byBook, tokens, from).looked[from] as number) >= at;
}

/**
 * Returns the cached matches of a phrase book. If no lookup has begun at the given token yet, does
 * this lookup first.
 */
function wholeMatch(
  book: Book<Found>,
  byBook: ByBook,
  tokens: readonly Token[],
  from: number,
): Matches {
  let matches = byBook.get(book);
  if (matches === undefined) {
    matches = new Matches(tokens.length);
    byBook.set(book, matches);
  }
  if (matches.found[from] !== undefined) return matches;
  matches.found[from] = book.walk(tokens, from, every, seen);
  matches.looked[from] = seen.at;
  matches.reach = Math.max(matches.reach, seen.at - from);
  return matches;
}

function byBookOf(tokens: readonly Token[]): ByBook | undefined {
  if (last.tokens !== tokens) {
    last.tokens = tokens;
    last.byBook = CACHED.get(tokens);
  }
  return last.byBook;
}

const every = () => true;

/** Joining words, which are ignored because they have no meaning of their own. */
const JOINING = new Set(
  (
    "de da do das dos e em no na nos nas para pra a o as os com por ao aos um uma the of " +
    "and for"
  ).split(" "),
);

/** Maximum consecutive joining words inside a name, enough for "venda de uma ou …". */
const JOINED_MAX = 4;

/** True if a token is a joining word. */
export function joins(token: Token | undefined): boolean {
  return token !== undefined && token.kind === "word" && JOINING.has(token.folded);
}

/** True if a word as written is a joining word. */
export function joinsText(word: string): boolean {
  return JOINING.has(foldWord(word));
}

/** A name found in the tokens from `from` up to, but not including, `to`. */
export interface Match<Value> {
  readonly from: number;
  readonly to: number;
  /** Number of words in the name. */
  readonly words: number;
  readonly value: Value;
}

/**
 * Names stored by their reduced words, as a trie. `Spot` is the type of a position in the trie,
 * after the words that a lookup has followed.
 */
export abstract class PhraseBook<Value, Spot = unknown> {
  /** Reduced words of all names, each with its spelling in the first name that has it. */
  abstract readonly vocabulary: ReadonlyMap<string, string>;
  /** Returns the spelling of a reduced word in the first name that contains it, or undefined. */
  abstract written(key: string): string | undefined;
  /** The position before the first word of a name. */
  protected abstract readonly start: Spot;
  /** Returns the position after one more word, or undefined if no name continues with it. */
  protected abstract follow(spot: Spot, key: string): Spot | undefined;
  /** Returns the value of the name that ends at a position, or undefined. */
  protected abstract valueAt(spot: Spot): Value | undefined;
  /** Returns the words that may follow a position. */
  protected abstract wordsAfter(spot: Spot): readonly string[];

  /** Returns the longest name that begins at a token and uses only `usable` tokens. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable?: (index: number) => boolean,
  ): Match<Value> | null {
    return cachedMatch<Match<Value>>(this, tokens, from, usable);
  }

  /** Returns the longest name that begins at a token, without using the sentence's cache. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: LookupState,
  ): Match<Value> | null {
    const end = Math.min(tokens.length, from + WALK_MAX);
    let spot: Spot | undefined = this.start;
    let found: Match<Value> | null = null;
    let words = 0;
    let joined = 0;
    let at = from;
    for (; at < end && usable(at); at++) {
      const token = tokens[at] as Token;
      if (at > from && joins(token) && joined++ < JOINED_MAX) continue;
      spot = this.follow(spot, token.key);
      if (spot === undefined) break;
      words++;
      joined = 0;
      const value = this.valueAt(spot);
      if (value !== undefined) found = { from, to: at + 1, words, value };
    }
    looked.at = Math.min(at, end - 1);
    return found;
  }

  /** Returns the reduced words that may follow the tokens [from, to) in a name. */
  continuations(tokens: readonly Token[], from: number, to: number): readonly string[] {
    let spot: Spot | undefined = this.start;
    for (let at = from; at < to; at++) {
      const token = tokens[at] as Token;
      if (at > from && joins(token)) continue;
      spot = this.follow(spot, token.key);
      if (spot === undefined) return [];
    }
    return this.wordsAfter(spot);
  }
}

interface Node<Value> {
  /** Created when the first word is added after this node, because most nodes end a name. */
  next: Map<string, Node<Value>> | null;
  value: Value | undefined;
}

/** A phrase book to which names are added one by one. */
export class Phrases<Value> extends PhraseBook<Value, Node<Value>> {
  readonly vocabulary = new Map<string, string>();
  protected readonly start: Node<Value> = { next: null, value: undefined };

  written(key: string): string | undefined {
    return this.vocabulary.get(key);
  }

  /** Adds a name. If it already exists, `merge` combines both values. */
  add(
    name: string,
    value: Value,
    merge: (old: Value, added: Value) => Value = (_, added) => added,
  ) {
    const words = tellingOf(name);
    let node = this.start;
    for (const { key, text } of words) {
      if (!this.vocabulary.has(key)) this.vocabulary.set(key, text);
      node.next ??= new Map();
      let next = node.next.get(key);
      if (next === undefined) {
        next = { next: null, value: undefined };
        node.next.set(key, next);
      }
      node = next;
    }
    if (words.length > 0) node.value = node.value === undefined ? value : merge(node.value, value);
  }

  /** Yields every name, as its reduced words separated by spaces, with its value. */
  *entries(): Generator<readonly [name: string, value: Value]> {
    const left: [string, Node<Value>][] = [["", this.start]];
    for (let top = left.pop(); top !== undefined; top = left.pop()) {
      const [name, { next, value }] = top;
      if (value !== undefined) yield [name, value];
      for (const [key, node] of next ?? []) left.push([name === "" ? key : `${name} ${key}`, node]);
    }
  }

  protected follow({ next }: Node<Value>, key: string): Node<Value> | undefined {
    return next?.get(key);
  }

  protected valueAt({ value }: Node<Value>): Value | undefined {
    return value;
  }

  protected wordsAfter({ next }: Node<Value>): readonly string[] {
    return [...(next?.keys() ?? [])];
  }
}

/** Returns the reduced words of a name without joining words, or all if it has no others. */
export function wordsOf(name: string): string[] {
  return tellingOf(name).map(({ key }) => key);
}

/** Cached tokens, because thousands of names share few distinct words. */
const wordTokens = new Map<string, Token>();
/** Matches names that can be split at white space and hyphens; others are tokenized. */
const PLAIN_NAME = /^[a-zA-ZÀ-ÖØ-öø-ÿ]+(?:[ -][a-zA-ZÀ-ÖØ-öø-ÿ]+)*$/;

/** Returns the tokens of a name without punctuation. Their positions are not those in the name. */
export function tokensOfName(name: string): readonly Token[] {
  if (!PLAIN_NAME.test(name)) return tokenize(name).filter(({ kind }) => kind !== "mark");
  const tokens: Token[] = [];
  for (let from = 0; from <= name.length; ) {
    const to = wordEnd(name, from);
    const word = from === 0 && to === name.length ? name : name.slice(from, to);
    tokens.push(wordTokens.get(word) ?? newToken(word));
    from = to + 1;
  }
  return tokens;
}

function wordEnd(name: string, from: number): number {
  let to = from;
  while (to < name.length && name[to] !== " " && name[to] !== "-") to++;
  return to;
}

function newToken(word: string): Token {
  const token = tokenize(word)[0] as Token;
  wordTokens.set(word, token);
  return token;
}

function tellingOf(name: string): readonly Token[] {
  const tokens = tokensOfName(name);
  if (!tokens.some(joins)) return tokens;
  const telling = tokens.filter((token) => !joins(token));
  return telling.length === 0 ? tokens : telling;
}
