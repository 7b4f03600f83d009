/**
 * Finds the words that a negation covers.
 * Input: a sentence and a position. Output: the polarity of the words at the position: wanted,
 * excluded, or explicitly irrelevant ("com ou sem telefone").
 * Invariant: the result depends only on the words, so the order of the stages does not matter.
 * Words in names never negate. The tokens are read once, and again after places are known.
 * A negation covers the next item (words that name one thing, such as a trade, a place, or a
 * filter) and the items listed with it. A new preposition, verb, "mas", or punctuation ends it. A
 * second negator cancels it.
 */
import { STATE_NAMES } from "../spec/states.ts";
import { type ItemKind, itemEnd, kindAt } from "./items.ts";
import {
  ALTERNATIVES,
  ARTICLES,
  BETWEEN,
  ENDS,
  EXCLUDE,
  endsWithOr,
  IS_OUT,
  isExcept,
  isInactive,
  isLeftWithout,
  isNegator,
  isNeither,
  isNotBeing,
  JOINS,
  NOT,
  OF,
  OPENERS,
  OUTSIDE,
  PLACE_LEADS,
  REGARDLESS,
  SUBJECTS,
  VERBS,
  WITHOUT,
} from "./negators.ts";
import type { Sentence } from "./words/sentence.ts";

/**
 * How a sentence treats an item: wanted ("plain"), excluded ("negated"), or irrelevant ("open").
 */
type Polarity = "plain" | "negated" | "open";

/** How a negation treats a token, and the position of its negator (-1 if there is none). */
export interface Reach {
  readonly polarity: Polarity;
  readonly negator: number;
}

/** Attributes of a company. */
const OWN_KINDS: ReadonlySet<ItemKind> = new Set(["regime", "size", "headquarters", "nature"]);
/** Kinds of items that "fora de" never excludes, such as the size. */
const ADJECTIVES: ReadonlySet<ItemKind> = new Set(["size", "headquarters", "nature", "sort"]);
/** Negators that only repeat an earlier negator. */
const AGAIN: ReadonlySet<string> = new Set(["nem", "neither", "nor"]);
/** Maximum number of words between a negator and the item that it negates. */
const OPENING_MAX = 14;
/** Maximum number of words in parentheses that only repeat an item. */
const GLOSS_MAX = 3;
/** Nouns before the names of places. */
const KINDS_OF_PLACE = /^(?:cidades?|cit(?:y|ies)|ciudad(?:es)?|municipios?|estados?|states?)$/;
const known = new WeakMap<Sentence, readonly (Reach | undefined)[]>();

/** Returns how the sentence treats the item at a token, and the negator that decides it. */
export function reachOf(sentence: Sentence, at: number): Reach {
  let reaches = known.get(sentence);
  if (reaches === undefined) {
    reaches = new Scopes(sentence).all();
    known.set(sentence, reaches);
  }
  return reaches[at] ?? { polarity: "plain", negator: -1 };
}

/** Drops the cached results of a sentence, because words that have become names do not negate. */
export function forgetReach(sentence: Sentence): void {
  known.delete(sentence);
}

/** Returns the negator that excludes the item at a token, or -1. */
export function negatorOf(sentence: Sentence, at: number): number {
  const { polarity, negator } = reachOf(sentence, at);
  return polarity === "negated" ? negator : -1;
}

/** The start of a negation: its negator, its first item, and its polarity. */
interface Opening {
  readonly negator: number;
  readonly item: number;
  readonly polarity: Polarity;
  /** True if a preposition of place precedes the item. */
  readonly placed: boolean;
}

type Answers = Map<number, boolean>;

class Scopes {
  readonly #sentence: Sentence;
  readonly #reaches: (Reach | undefined)[] = [];
  /** True once it is known that "e" or "ou" joins the last item of the current list. */
  #closed = false;
  /** True if a preposition of place introduces the first item of the current list. */
  #placed = false;
  /** True if "de" introduces the first item of the current list. */
  #led = false;
  /** First item of the current list. */
  #first = -1;

  /**
   * Maps an item to true if "e" or "ou" joins the last item of the rest of its list. There is one
   * map for each combination of `#led` and `#placed`.
   */
  readonly #closedAt: readonly Answers[] = [0, 1, 2, 3].map(() => new Map());
  /**
   * No trade precedes the token `#trade`, and only small words such as "e" precede `#telling`.
   * Later searches for the first trade and the first other word start there.
   */
  #trade = 0;
  #telling = 0;

  constructor(sentence: Sentence) {
    this.#sentence = sentence;
  }

  all(): readonly (Reach | undefined)[] {
    const { length } = this.#sentence.tokens;
    for (let at = 0; at < length; ) {
      const opening = isNegator(this.#sentence, at) ? this.#opening(at) : null;
      if (opening === null) at++;
      else if (opening.item < 0) at = this.#behind(at);
      else at = this.#list(opening);
    }
    return this.#reaches;
  }

  /** Reads the words from a negator to its first item. A second negator cancels the first. */
  #opening(negator: number): Opening {
    const sentence = this.#sentence;
    let polarity: Polarity = "negated";
    let placed = false;
    let at = negator + 1;
    if (REGARDLESS.has(sentence.folded(negator))) polarity = "open";
    if (sentence.folded(negator - 1) === "mesmo") polarity = "open";
    // In "com ou sem telefone", "ou" before "sem" makes the item irrelevant.
    if (sentence.folded(negator - 1) === "ou" && WITHOUT.has(sentence.folded(negator))) {
      if (["com", "with", "or"].includes(sentence.folded(negator - 2))) polarity = "open";
    }
    for (; at < negator + OPENING_MAX; at++) {
      const word = sentence.folded(at);
      if (isNegator(sentence, at)) polarity = turned(polarity, word);
      else if (OPENERS.has(word) && polarity === "negated") polarity = "open";
      else if (!BETWEEN.has(word) || this.#isName(at)) break;
      else placed = PLACE_LEADS.has(word);
    }
    const ended = sentence.folded(at) === "" && sentence.tokens[at]?.kind !== "number";
    return { negator, item: ended ? -1 : at, polarity, placed };
  }

  /** True for words that are part of a name: "são" in "São Paulo", "e" in "e-mail". */
  #isName(at: number): boolean {
    const next = this.#sentence.folded(at + 1);
    const word = this.#sentence.folded(at);
    if (word === "sao")
      return next !== "" && !BETWEEN.has(next) && kindAt(this.#sentence, at + 1) === "other";
    return word === "e" && next === "mail";
  }

  /** Reads a negator that stands after its item: "filiais não", "optantes ou não". */
  #behind(negator: number): number {
    const sentence = this.#sentence;
    const open = JOINS.has(sentence.folded(negator - 1));
    const last = negator - (open ? 2 : 1);
    if (!NOT.has(sentence.folded(negator))) return negator + 1;
    const reach: Reach = { polarity: open ? "open" : "negated", negator };
    const kind = kindAt(sentence, last);
    for (let at = last; at >= Math.max(0, last - 4); at--) {
      const word = sentence.folded(at);
      // In "padarias Curitiba MEI não", only MEI is negated.
      const other = kindAt(sentence, at);
      if (kind !== "small" && other !== "small" && other !== kind) break;
      if (word === "" || JOINS.has(word) || ["com", "em", "no", "na"].includes(word)) break;
      this.#reaches[at] ??= reach;
    }
    return negator + 1;
  }

  #kind(at: number): ItemKind {
    const kind = kindAt(this.#sentence, at);
    return kind === "small" ? "other" : kind;
  }

  /** Records what a negation covers: its first item and those listed with it. Returns the end. */
  #list({ negator, item, polarity, placed }: Opening): number {
    const reach: Reach = { polarity, negator };
    this.#closed = false;
    this.#placed = placed;
    this.#led = OF.has(this.#sentence.folded(item - 1));
    this.#first = item;
    let [from, at] = [negator, item];
    let kind = this.#kind(item);
    let isJoinedByWord = false;
    for (;;) {
      const to = itemEnd(this.#sentence, at, kind);
      for (let i = from; i < to; i++) this.#reaches[i] = reach;
      const mayClose = at === item || isJoinedByWord;
      const next = this.#closes(negator, to, mayClose) ? null : this.#joined(to);
      if (next === null) return this.#gloss(to, reach);
      const added = this.#kind(next.item);
      if (!this.#goesOn({ negator, kind, added, next })) return to;
      isJoinedByWord = JOINS.has(this.#sentence.folded(to));
      [from, at, kind] = [to, next.item, added];
    }
  }

  /**
   * True if an exclusion stands between commas and "e" follows, so that it ends there. In
   * "restaurantes, exceto MEI e filiais, e bares", "bares" is not excluded.
   */
  #closes(negator: number, to: number, mayClose: boolean): boolean {
    const opens = this.#sentence.tokens[negator - 1]?.text === ",";
    const comma = this.#sentence.tokens[to]?.text === ",";
    return mayClose && opens && comma && JOINS.has(this.#sentence.folded(to + 1));
  }

  /**
   * Records that a negation covers words in parentheses that repeat an item, as in "exceto
   * microempreendedores (MEI)". Returns the end of the parentheses, or `from` if there are none.
   */
  #gloss(from: number, reach: Reach): number {
    const sentence = this.#sentence;
    if (sentence.tokens[from]?.text !== "(") return from;
    let to = from + 1;
    while (to <= from + GLOSS_MAX && sentence.tokens[to]?.kind === "word") to++;
    const own = !ENDS.has(sentence.folded(from + 1)) && !isNegator(sentence, from + 1);
    if (!own || sentence.tokens[to]?.text !== ")") return from;
    for (let at = from; at < to; at++) this.#reaches[at] = reach;
    return to + 1;
  }

  /**
   * Returns the item that a joining word or comma at a token joins to the item before it. Returns
   * null if there is none.
   */
  #joined(at: number): Joined | null {
    const sentence = this.#sentence;
    const text = sentence.tokens[at]?.text ?? "";
    const comma = text === "," || text === "/";
    const and = at + (comma && JOINS.has(sentence.folded(at + 1)) ? 1 : 0);
    const firm = JOINS.has(sentence.folded(and)) && sentence.folded(and + 1) !== "mail";
    if (!comma && !firm) return null;
    let item = (firm ? and : at) + 1;
    const or = firm ? ALTERNATIVES.has(sentence.folded(and)) : endsWithOr(sentence, item);
    // A "de" after a comma begins a new request: "do Simples" in "que não sejam MEI, do Simples".
    // It does not if "ou" ends the list or if the first item also has "de".
    const isApart = !firm && text === "," && !this.#led && !or;
    if (isApart && OF.has(sentence.folded(item))) return null;
    while (this.#isSmall(item)) item++;
    // "that are not MEI, cities Natal and Mossoró": the noun begins a new request.
    const isOwnPlace = !firm && text === "," && !this.#placed;
    if (isOwnPlace && KINDS_OF_PLACE.test(sentence.folded(item))) return null;
    const word = sentence.folded(item);
    const number = sentence.tokens[item]?.kind === "number";
    if ((word === "" && !number) || isNegator(sentence, item)) return null;
    // "in" before a place ends the list of excluded items. Before a regime, "in" continues it:
    // "that are not MEI or in Simples".
    const isPlace = PLACE_LEADS.has(word) && this.#kind(item) !== "regime";
    if (ENDS.has(word) || isPlace || (VERBS.has(word) && !this.#isName(item))) return null;
    // "not MEI, cities Natal and Mossoró" requests the cities.
    const isRegime = this.#kind(this.#first) === "regime" && !firm;
    if (isRegime && /^(?:cities|cidades|ciudades|municipios)$/.test(word)) return null;
    const led = OF.has(sentence.folded(item - 1));
    const article = ARTICLES.has(sentence.folded((firm ? and : at) + 1));
    return { item, firm: firm || text === "/", or, led, article };
  }

  #isSmall(at: number): boolean {
    const word = this.#sentence.folded(at);
    if (this.#placed && PLACE_LEADS.has(word)) return true;
    return ["o", "a", "os", "as", "de", "do", "da", "dos", "das", "um", "uma", "the"].includes(
      word,
    );
  }

  /** True if the negation still covers a joined item. */
  #goesOn(seen: Added): boolean {
    const { negator, kind, added, next } = seen;
    if (next.or && isNeither(this.#sentence, { negator, kind, item: next.item })) return true;
    // "tirando as MEI e as baixadas" excludes both. Active companies are never excluded in such a
    // list.
    if (added === "status" && next.firm && EXCLUDE.has(this.#sentence.folded(negator))) {
      return !/^(ativ|activ|oper|func)/.test(this.#sentence.folded(next.item));
    }
    // "optantes" begins a new request and ends the exclusion: "exceto MEI, optantes do Simples",
    // "menos Campinas e optantes do …".
    if (this.#sentence.folded(next.item).startsWith("opta") && !next.article && !this.#opts) {
      return false;
    }
    const alike = kind === added;
    if (this.#isBareList(negator, added, next)) return true;
    // In a list, contacts are joined only to contacts and statuses only to statuses: "sem telefone,
    // padarias" and "não ativas, com …" end the negation at the comma.
    const apart: readonly ItemKind[] = ["contact", "status", "date"];
    const isApart = apart.includes(added) || apart.includes(kind);
    if (isApart && !this.#isMixed(seen)) return alike && added !== "date";
    if (next.firm) return this.#joins(seen);
    if (alike && (kind !== "other" || this.#isState(next.item))) return true;
    // If the sentence begins with the exclusion, the trade after it is requested: "Exceto MEI,
    // padarias e bares em SP".
    if (this.#startsWith(negator)) return false;
    this.#closed ||= this.#isClosed(next.item);
    return this.#closed;
  }

  /**
   * True if the item after a comma is a branch or an inactive status. These are rarely requested
   * alone, so "exceto MEI, filiais, inaptas" excludes them too.
   */
  #isBareList(negator: number, added: ItemKind, next: Joined): boolean {
    const word = this.#sentence.folded(negator);
    if (next.led || next.firm || !EXCLUDE.has(word) || IS_OUT.test(word)) return false;
    const following = this.#sentence.folded(next.item);
    if (added === "headquarters") return /^(filia|sucursa|branch)/.test(following);
    return added === "status" && /^(inapt|baixad|suspens|inativ)/.test(following);
  }

  /**
   * True if the negation also covers an item that "e" or "ou" joins. True for "exceto MEI e
   * filiais", false for "fora do Simples e de grande porte", which requests large companies.
   */
  #joins(seen: Added): boolean {
    const { negator, kind, added, next } = seen;
    const sentence = this.#sentence;
    const word = sentence.folded(negator);
    // In "exceto MEI e do Simples", "do Simples" is requested. An item with "de" is excluded only
    // if the first item of the list also has "de".
    if (OWN_KINDS.has(added) && next.led && !this.#led) return false;
    if (kind === added) return true;
    if (added === "activity") return this.#joinsActivity(negator, next);
    // "fora de Santos e MEI" excludes both; "fora do Simples e de grande porte" excludes only
    // Simples.
    if (OUTSIDE.has(word)) {
      return next.led ? this.#led && !ADJECTIVES.has(added) : added === "regime";
    }
    // "sem" and "não" rarely cover items of two kinds: "sin MEI y pequeñas" and "não MEI e LTDA"
    // exclude only MEI.
    if (WITHOUT.has(word)) return isLeftWithout(sentence, next.item, added);
    if (NOT.has(word) && this.#first === negator + 1) return false;
    // Any other item except a sort order is covered: "exceto MEI e capital acima de 50 mil".
    return added !== "sort" || next.article;
  }

  /** True if a list mixes a status or contact with other kinds: "exceto baixadas e MEI". */
  #isMixed({ negator, kind, added, next }: Added): boolean {
    const sentence = this.#sentence;
    // The contact in "exceto MEI e telefone" is a request and is not excluded.
    if (added === "date" || kind === "date" || added === "contact") return false;
    if (added === "status" && !isInactive(sentence, next.item, added)) return false;
    if (isExcept(sentence, negator)) return next.firm || added === "status" || kind === "status";
    if (kind === "contact") return false;
    return next.firm && (WITHOUT.has(sentence.folded(negator)) || isNotBeing(sentence, negator));
  }

  /**
   * True if an exclusion also covers a trade that is joined to it. "empresas exceto MEI e padarias"
   * excludes the trade; "exceto MEI e padarias em SP" and "padarias que não sejam MEI e bares"
   * request it.
   */
  #joinsActivity(negator: number, next: Joined): boolean {
    const sentence = this.#sentence;
    if (this.#startsWith(negator)) return false;
    if (isExcept(sentence, negator)) return true;
    const isAny = !this.#isSought(negator);
    if (isNotBeing(sentence, negator)) return isAny || next.or;
    if (OUTSIDE.has(sentence.folded(negator))) return next.led && this.#led;
    return isAny && WITHOUT.has(sentence.folded(negator));
  }

  /** True if the first item of the current list is a form of "optar", as in "não optantes". */
  get #opts(): boolean {
    return this.#sentence.folded(this.#first).startsWith("opta");
  }

  /**
   * True if the sentence names a trade before the negator, as in "padarias que não sejam MEI e
   * bares".
   */
  #isSought(negator: number): boolean {
    const isTrade = (at: number) => kindAt(this.#sentence, at) === "activity";
    this.#trade = this.#firstOf(isTrade, this.#trade, negator);
    return this.#trade < negator;
  }

  /**
   * Returns the first token in [from, to) for which `isSuch` is true, or `to`. Callers pass their
   * previous result as `from`, so each token is checked once.
   */
  #firstOf(isSuch: (at: number) => boolean, from: number, to: number): number {
    let at = from;
    while (at < to && !isSuch(at)) at++;
    return at;
  }

  #isState(item: number): boolean {
    return Object.hasOwn(STATE_NAMES, this.#sentence.tokens[item]?.text.toUpperCase() ?? "");
  }

  #startsWith(negator: number): boolean {
    const sentence = this.#sentence;
    const isTelling = (at: number) =>
      SUBJECTS.has(sentence.folded(at)) || kindAt(sentence, at) !== "small";
    this.#telling = this.#firstOf(isTelling, this.#telling, negator);
    return this.#telling >= negator;
  }

  /**
   * True if "e" or "ou" joins a later item of the list that contains `item`. The result is cached
   * for all items on the way, because every negator in a list needs it.
   */
  #isClosed(item: number): boolean {
    const answers = this.#closedAt[(this.#led ? 2 : 0) + (this.#placed ? 1 : 0)] as Answers;
    const passed: number[] = [];
    let answer: boolean | undefined;
    for (let at = item; answer === undefined; ) {
      answer = answers.get(at);
      if (answer !== undefined) break;
      passed.push(at);
      const next = this.#joined(itemEnd(this.#sentence, at, this.#kind(at)));
      if (next === null || next.firm) answer = next !== null;
      else at = next.item;
    }
    for (const at of passed) answers.set(at, answer);
    return answer;
  }
}

/** An item that the negation of the previous item may also cover. */
interface Added {
  readonly negator: number;
  /** `kind`: kind of the previous item. `added`: kind of this item. */
  readonly kind: ItemKind;
  readonly added: ItemKind;
  readonly next: Joined;
}

interface Joined {
  readonly item: number;
  /** True if a word or slash joins the item, false for a comma alone. */
  readonly firm: boolean;
  /** True if "ou" joins the item, or if a comma does and the list ends with "ou". */
  readonly or: boolean;
  /** True if "de" precedes it. */
  readonly led: boolean;
  /** True if an article follows the joining word: "as" in "e as de capital baixo". */
  readonly article: boolean;
}

/**
 * Returns the polarity after a further negator. "exceto as que não têm telefone" requires a phone.
 * "não exclua MEI" makes MEI irrelevant.
 */
function turned(polarity: Polarity, word: string): Polarity {
  // In "que não sejam nem MEI", "nem" only repeats the negation.
  if (AGAIN.has(word)) return polarity;
  // "não estão fora do Simples" requires Simples.
  if (polarity === "negated") return EXCLUDE.has(word) && !IS_OUT.test(word) ? "open" : "plain";
  return polarity === "plain" ? "negated" : polarity;
}
