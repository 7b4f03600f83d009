/**
 * The longest names of a sentence by where they begin, so that stages that look for the same name
 * do not walk it again.
 * Invariant: holds only what a walk over the same tokens would find. A sentence that reads a token
 * as another word forgets every name that may reach it.
 */
import type { Token } from "./tokens.ts";

/** A match of a book of names; `to` is after its last token. */
interface Found {
  readonly to: number;
}

/** No walk looks at more tokens than this from where it begins. */
export const WALK_MAX = 128;

type Matches = Map<object, (Found | null | undefined)[]>;

/** Of the tokens of sentences only: slices of them live too short. */
const MATCHES = new WeakMap<readonly Token[], Matches>();

/** Starts to cache the names of these tokens. */
export function cacheMatches(tokens: readonly Token[]): void {
  MATCHES.set(tokens, new Map());
}

/** Drops the names that a changed token may be part of. */
export function forgetMatches(tokens: readonly Token[], changed: number): void {
  for (const matches of MATCHES.get(tokens)?.values() ?? []) {
    matches.fill(undefined, Math.max(0, changed - WALK_MAX), changed + 1);
  }
}

/**
 * Returns the longest name of a book that begins at a token. `walk` finds it: over all tokens if it
 * is given none, else over the usable ones.
 */
export function cachedMatch<Match extends Found>(
  book: object,
  { tokens, from, usable }: Look,
  walk: (usable: (index: number) => boolean) => Match | null,
): Match | null {
  const cached = MATCHES.get(tokens);
  if (cached === undefined) return walk(usable ?? every);
  let matches = cached.get(book);
  if (matches === undefined) {
    matches = [];
    cached.set(book, matches);
  }
  let whole = matches[from] as Match | null | undefined;
  if (whole === undefined) {
    whole = walk(every);
    matches[from] = whole;
  }
  if (whole === null || usable === undefined) return whole;
  for (let at = from; at < whole.to; at++) if (!usable(at)) return walk(usable);
  return whole;
}

/** A look-up: where a name begins, and which tokens may be part of it. */
interface Look {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly usable: ((index: number) => boolean) | undefined;
}

const every = () => true;
