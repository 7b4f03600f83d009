/**
 * Holds a sentence during its translation.
 * Input: a text. A stage claims tokens: it marks them as read and becomes their owner. Output: the
 * tokens without an owner; at the end, the owner of each word.
 * Invariant: every token has at most one owner. An owner never changes, so the order of the stages
 * decides. A word read as another word keeps its text and position. A name is never read as
 * anything else, even if its words have other meanings.
 */
import type { FILTER_ROLES } from "../../spec/filters/table.ts";
import { plainText } from "../../spec/typedtext.ts";
import { cacheMatches, forgetMatches } from "./phrases.ts";
import { reduce, type Token, tokenize } from "./tokens.ts";

/** How a word is used: as part of a filter, or as something else. */
export type TokenRole =
  | (typeof FILTER_ROLES)[number]
  | "limit"
  | "sort"
  | "negation"
  | "filler"
  | "unmapped";

/** Words of a text with their position (UTF-16). */
export interface Words {
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** Unusual white space from web pages and spreadsheets. Each character is one UTF-16 unit. */
const OTHER_SPACE = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/** Replaces every word of a name. No real word or phrase contains this character. */
const IN_NAME = "\u{e000}";

/** A text with the owners of its tokens. */
export class Sentence {
  /**
   * The text with plain letters and digits. All white space within a line is replaced by spaces.
   */
  readonly text: string;
  readonly #written: string;
  readonly #tokens: Token[];
  readonly #owners: (TokenRole | null)[];
  /** The folded form of each token; empty for punctuation and numbers. */
  readonly #folded: string[];
  #revision = 0;
  readonly #kept = new Set<number>();

  constructor(text: string) {
    this.#written = text;
    this.text = plainText(text).replace(OTHER_SPACE, " ");
    this.#tokens = tokenize(this.text);
    cacheMatches(this.#tokens);
    this.#owners = this.#tokens.map(() => null);
    this.#folded = this.#tokens.map(({ kind, folded }) => (kind === "word" ? folded : ""));
  }

  /**
   * The tokens. If a word was read as another, its `folded` and `key` are those of the other word.
   */
  get tokens(): readonly Token[] {
    return this.#tokens;
  }

  /** Number of words read as others or as names so far. A change makes lookups stale. */
  get revision(): number {
    return this.#revision;
  }

  /** Reads a token as another word, given in its folded form. */
  readAs(index: number, folded: string): void {
    const token = this.#tokens[index] as Token;
    this.#tokens[index] = { ...token, kind: "word", folded, key: reduce(folded) };
    this.#folded[index] = folded;
    forgetMatches(this.#tokens, index);
    this.#revision++;
  }

  /** Marks words as a name. No stage or phrase matches them from then on. */
  name(from: number, to: number): void {
    this.#revision++;
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at];
      if (token === undefined || token.kind === "mark") continue;
      this.#tokens[at] = { ...token, kind: "word", folded: IN_NAME, key: IN_NAME };
      this.#folded[at] = IN_NAME;
      forgetMatches(this.#tokens, at);
    }
  }

  /** Marks a word as part of a place name, so that it does not negate: "Fora" in "Juiz de Fora". */
  keep(at: number): void {
    this.#revision++;
    this.#kept.add(at);
  }

  /** True for a word of a place name that would negate elsewhere. */
  isKept(at: number): boolean {
    return this.#kept.has(at);
  }

  /** True if a token exists and has no owner. */
  free(index: number): boolean {
    return index >= 0 && this.#owners[index] === null;
  }

  /** Returns the owner of a token, or null if it is free. */
  owner(index: number): TokenRole | null {
    return this.#owners[index] ?? null;
  }

  /** Makes `role` the owner of the tokens [from, to) that have no owner yet. */
  claim(from: number, to: number, role: TokenRole): Words {
    for (let at = from; at < to; at++) this.#owners[at] ??= role;
    return this.words(from, to);
  }

  /** Returns the text of tokens. */
  words(from: number, to: number): Words {
    const start = this.tokens[from]?.start ?? this.text.length;
    const end = this.tokens[to - 1]?.end ?? start;
    return this.quote(start, end);
  }

  /** Returns a range of the text as written, with its original white space. */
  quote(start: number, end: number): Words {
    return { words: this.#written.slice(start, end), start, end };
  }

  /** Returns the index of the token that begins at an offset, or -1. Uses binary search. */
  tokenAt(start: number): number {
    let [low, high] = [0, this.#tokens.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tokens[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return this.#tokens[low]?.start === start ? low : -1;
  }

  /** Returns the folded form of a token, empty for punctuation, numbers, and bad indexes. */
  folded(index: number): string {
    return index >= 0 && index < this.#folded.length ? (this.#folded[index] as string) : "";
  }
}
