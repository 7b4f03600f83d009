/**
 * Phrases and what they stand for. Input: names, and a place in a list of tokens. Output: the
 * longest name that begins there, however names are held (words/phrasetable.ts holds those that are
 * known when the program is built); for a sentence, cached by where it begins, so that stages that
 * look for the same name do not walk it again.
 * Invariant: small joining words (de, da, e …) count neither in names nor between the words of a
 * sentence, so that "casa de carnes" and "casa das carnes" are one; looking costs at most the
 * number of words of the longest name, with at most `JOINED_MAX` joining words before each. A cache
 * holds only what a walk over the same tokens would find: a sentence that reads a token as another
 * word forgets every name whose walk looked at that token, and no other.
 */
import { foldWord, type Token, tokenize } from "./tokens.ts";

/** A match of a book of names; `to` is after its last token. */
interface Found {
  readonly to: number;
}

/** No walk looks at more tokens than this from where it begins. */
export const WALK_MAX = 128;

/** Receives the index of the last token that a walk looked at. */
export interface Looked {
  at: number;
}

/** Names that a sentence can be searched for. */
interface Book<Match extends Found> {
  /** Finds the longest name that begins at a token, among the usable ones. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: Looked,
  ): Match | null;
}

/** The matches of one book in one sentence. */
class Matches {
  /** By where they begin; undefined if no walk began there yet. */
  readonly found: (Found | null | undefined)[];
  /** The last token that the walk from there looked at. */
  readonly looked: number[];
  /** The most tokens that a walk looked at after its first one. */
  reach = 0;

  constructor(length: number) {
    this.found = new Array<Found | null | undefined>(length).fill(undefined);
    this.looked = new Array<number>(length).fill(0);
  }
}

type ByBook = Map<object, Matches>;

/** Of the tokens of sentences only: slices of them live too short. */
const CACHED = new WeakMap<readonly Token[], ByBook>();
/** The sentence that was searched last, because thousands of look-ups follow on the same one. */
const last: { tokens: readonly Token[]; byBook: ByBook | undefined } = {
  tokens: [],
  byBook: undefined,
};
/** Reused: a walk over all tokens starts no other walk. */
const seen: Looked = { at: 0 };

/** Starts to cache the names of these tokens. */
export function cacheMatches(tokens: readonly Token[]): void {
  last.tokens = tokens;
  last.byBook = new Map();
  CACHED.set(tokens, last.byBook);
}

/** Drops the names that a changed token may be part of. */
export function forgetMatches(tokens: readonly Token[], changed: number): void {
  for (const { found, looked, reach } of byBookOf(tokens)?.values() ?? []) {
    for (let from = changed; from >= Math.max(0, changed - reach); from--) {
      if ((looked[from] as number) >= changed) found[from] = undefined;
    }
  }
}

/** Returns the longest name of a book that begins at a token, among the usable ones if given. */
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
 * True if the name that begins at a token may change with a later token: the walk from there looks
 * at it. The tokens are those of a sentence.
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

/** Returns the matches of a book after a walk from a token. */
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

/** Words that join others and mean nothing by themselves. */
const JOINING = new Set(
  (
    "de da do das dos e em no na nos nas para pra a o as os com por ao aos um uma the of " +
    "and for"
  ).split(" "),
);

/** Most joining words in a row that a name may go on behind: "venda de uma ou …" is enough. */
const JOINED_MAX = 4;

/** Whether a token is a word that joins. */
export function joins(token: Token | undefined): boolean {
  return token !== undefined && token.kind === "word" && JOINING.has(token.folded);
}

/** Whether a word joins, as it is written. */
export function joinsText(word: string): boolean {
  return JOINING.has(foldWord(word));
}

/** A name that was found: tokens from `from` up to, not including, `to`. */
export interface Match<Value> {
  readonly from: number;
  readonly to: number;
  /** Number of words of the name. */
  readonly words: number;
  readonly value: Value;
}

/** Names by their reduced words; `Spot` is where words lead that names begin with. */
export abstract class PhraseBook<Value, Spot = unknown> {
  /** Reduced words of all names, with how the first name that has one writes it. */
  abstract readonly vocabulary: ReadonlyMap<string, string>;
  /** How the first name that has a reduced word writes it; undefined where none has it. */
  abstract written(key: string): string | undefined;
  /** Where no words lead. */
  protected abstract readonly start: Spot;
  /** Where one more word leads; undefined where no name goes on so. */
  protected abstract follow(spot: Spot, key: string): Spot | undefined;
  /** What the name stands for that ends here; undefined where none does. */
  protected abstract valueAt(spot: Spot): Value | undefined;
  /** Words that names go on with. */
  protected abstract wordsBehind(spot: Spot): readonly string[];

  /** The longest name that begins at a token; `usable` says which tokens may take part. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable?: (index: number) => boolean,
  ): Match<Value> | null {
    return cachedMatch<Match<Value>>(this, tokens, from, usable);
  }

  /** Walks the names from a token, without the cache of the sentence. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: Looked,
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

  /** Reduced words with which a name goes on that begins with the tokens [from, to). */
  continuations(tokens: readonly Token[], from: number, to: number): readonly string[] {
    let spot: Spot | undefined = this.start;
    for (let at = from; at < to; at++) {
      const token = tokens[at] as Token;
      if (at > from && joins(token)) continue;
      spot = this.follow(spot, token.key);
      if (spot === undefined) return [];
    }
    return this.wordsBehind(spot);
  }
}

interface Node<Value> {
  /** Made when a first name goes on here: most nodes are the ends of names. */
  next: Map<string, Node<Value>> | null;
  value: Value | undefined;
}

/** Names that are added one by one. */
export class Phrases<Value> extends PhraseBook<Value, Node<Value>> {
  readonly vocabulary = new Map<string, string>();
  protected readonly start: Node<Value> = { next: null, value: undefined };

  written(key: string): string | undefined {
    return this.vocabulary.get(key);
  }

  /** Adds a name; `merge` decides what becomes of a name that is there already. */
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

  /** Every name, as its reduced words with blanks between, and what it stands for. */
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

  protected wordsBehind({ next }: Node<Value>): readonly string[] {
    return [...(next?.keys() ?? [])];
  }
}

/** The reduced words of a name, without those that join; all of them where there are no others. */
export function wordsOf(name: string): string[] {
  return tellingOf(name).map(({ key }) => key);
}

/** Tokens of words of names: the thousands of names are made of few different words. */
const wordTokens = new Map<string, Token>();
/** Names that white space and hyphens cut into words; all others go through the analyzer. */
const PLAIN_NAME = /^[a-zA-ZÀ-ÖØ-öø-ÿ]+(?:[ -][a-zA-ZÀ-ÖØ-öø-ÿ]+)*$/;

/** The tokens of a name without marks; their places in it do not count. */
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
