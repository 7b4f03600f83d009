/**
 * A sentence while it is understood. What comes in: a text, and what stages claim of it. What goes
 * out: which words are still free, and at the end who took each.
 * Invariant: every token has at most one owner; what was claimed is never given back, so that the
 * order of the stages decides; nothing that was written is lost; a word that is read as another
 * one keeps its text and its place; a name is never read again, as whatever else its words mean.
 */
import type { FILTER_ROLES } from "../../spec/filters/table.ts";
import { plainText } from "../../spec/typedtext.ts";
import { cacheMatches, forgetMatches } from "./phrases.ts";
import { reduce, type Token, tokenize } from "./tokens.ts";

/** What a word was taken for: part of a filter, or something else. */
export type TokenRole =
  | (typeof FILTER_ROLES)[number]
  | "limit"
  | "sort"
  | "negation"
  | "filler"
  | "unmapped";

/** Words of a text with their place in it (UTF-16). */
export interface Words {
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** White space as pages and spreadsheets have it, one unit each. */
const OTHER_SPACE = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/** What every word of a name is read as: a letter that no word has. */
const IN_NAME = "\u{e000}";

/** One text with the owners of its tokens. */
export class Sentence {
  /** The text in plain letters and digits, with every white space of a line as a plain one. */
  readonly text: string;
  readonly #written: string;
  readonly #tokens: Token[];
  readonly #owners: (TokenRole | null)[];
  /** The folded forms of words; empty for marks and numbers. */
  readonly #folded: string[];
  #revision = 0;

  constructor(text: string) {
    this.#written = text;
    this.text = plainText(text).replace(OTHER_SPACE, " ");
    this.#tokens = tokenize(this.text);
    cacheMatches(this.#tokens);
    this.#owners = this.#tokens.map(() => null);
    this.#folded = this.#tokens.map(({ kind, folded }) => (kind === "word" ? folded : ""));
  }

  /** The tokens; those of words that were read as others say so in `folded` and `key`. */
  get tokens(): readonly Token[] {
    return this.#tokens;
  }

  /** How often words were read as others: what was found before that may not hold any more. */
  get revision(): number {
    return this.#revision;
  }

  /** Reads a token as a word, folded. */
  readAs(index: number, folded: string): void {
    const token = this.#tokens[index] as Token;
    this.#tokens[index] = { ...token, kind: "word", folded, key: reduce(folded) };
    this.#folded[index] = folded;
    forgetMatches(this.#tokens, index);
    this.#revision++;
  }

  /**
   * Makes words a name: they are no words of the language any more, neither here nor in phrases.
   */
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

  /** Whether a token is there and nobody's. */
  free(index: number): boolean {
    return index >= 0 && this.#owners[index] === null;
  }

  /** Who took a token; null for a free one. */
  owner(index: number): TokenRole | null {
    return this.#owners[index] ?? null;
  }

  /** Takes the free tokens from `from` up to, not including, `to`. */
  claim(from: number, to: number, role: TokenRole): Words {
    for (let at = from; at < to; at++) this.#owners[at] ??= role;
    return this.words(from, to);
  }

  /** The text of tokens. */
  words(from: number, to: number): Words {
    const start = this.tokens[from]?.start ?? this.text.length;
    const end = this.tokens[to - 1]?.end ?? start;
    return this.quote(start, end);
  }

  /** Quotes a stretch of the text as it was written, with its own white space. */
  quote(start: number, end: number): Words {
    return { words: this.#written.slice(start, end), start, end };
  }

  /** Index of the token that begins at a place of the text, by halving; -1 for none. */
  tokenAt(start: number): number {
    let [low, high] = [0, this.#tokens.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tokens[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return this.#tokens[low]?.start === start ? low : -1;
  }

  /** A word by its folded form; empty beside the ends and for marks and numbers. */
  folded(index: number): string {
    return index >= 0 && index < this.#folded.length ? (this.#folded[index] as string) : "";
  }
}
