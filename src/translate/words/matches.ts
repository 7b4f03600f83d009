/**
 * The longest names of a sentence by where they begin, so that stages that look for the same name
 * do not walk it again.
 * Invariant: holds only what a walk over the same tokens would find. A sentence that reads a token
 * as another word forgets every name whose walk looked at that token, and no other.
 */
import type { Token } from "./tokens.ts";

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
