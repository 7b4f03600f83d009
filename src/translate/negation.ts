/**
 * What a "not" reaches. What comes in: a sentence and a place in it. What goes out: whether the
 * words there are wanted, excluded, or explicitly of no importance ("com ou sem telefone").
 * Invariant: known from the words alone, whoever took them, so that the order of the stages does
 * not matter; words of names negate nothing; one pass over the tokens, and one more when places are
 * known. A negation reaches the item behind it and the items that a list joins to it; a new
 * preposition, a new verb, "mas" and a mark end it; a second negator turns it back.
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

/** What a sentence says of an item: wanted, excluded, or that it does not matter. */
type Polarity = "plain" | "negated" | "open";

/** What reaches a token, and the token that says so. */
export interface Reach {
  readonly polarity: Polarity;
  readonly negator: number;
}

/** What a company is or belongs to. */
const OWN_KINDS: ReadonlySet<ItemKind> = new Set(["regime", "size", "headquarters", "nature"]);
/** What says how something is: nobody is outside of that. */
const ADJECTIVES: ReadonlySet<ItemKind> = new Set(["size", "headquarters", "nature", "sort"]);
/** Negators that repeat the one before them. */
const AGAIN: ReadonlySet<string> = new Set(["nem", "neither", "nor"]);
/** Most words from a negator to its item; nobody needs more. */
const OPENING_MAX = 14;
/** Most words in parentheses that say an item again. */
const GLOSS_MAX = 3;
const known = new WeakMap<Sentence, readonly (Reach | undefined)[]>();

/** What a sentence says of the item at a token. */
export function reachOf(sentence: Sentence, at: number): Reach {
  let reaches = known.get(sentence);
  if (reaches === undefined) {
    reaches = new Scopes(sentence).all();
    known.set(sentence, reaches);
  }
  return reaches[at] ?? { polarity: "plain", negator: -1 };
}

/** Lets it be found anew, since more words have become names. */
export function forgetReach(sentence: Sentence): void {
  known.delete(sentence);
}

/** Index of the negator that excludes the item at a token, or -1. */
export function negatorOf(sentence: Sentence, at: number): number {
  const { polarity, negator } = reachOf(sentence, at);
  return polarity === "negated" ? negator : -1;
}

/** A negation that begins: where its first item stands, and how it turns it. */
interface Opening {
  readonly negator: number;
  readonly item: number;
  readonly polarity: Polarity;
  /** Whether a preposition of places stood before the item. */
  readonly placed: boolean;
}

type Answers = Map<number, boolean>;

/** The one pass that finds what every negation reaches. */
class Scopes {
  readonly #sentence: Sentence;
  readonly #reaches: (Reach | undefined)[] = [];
  /** Whether the list at hand is known to end with "e". */
  #closed = false;
  /** Whether a preposition of places led the first item of the list at hand. */
  #placed = false;
  /** Whether "de" led the first item of the list at hand. */
  #led = false;
  /** Where the first item of the list at hand stands. */
  #first = -1;

  /** True if the list continues to an "e" or "ou", by an item of it and by how the list is led. */
  readonly #closedAt: readonly Answers[] = [0, 1, 2, 3].map(() => new Map());
  /** Up to here no trade is named, and up to here every word is small. */
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

  /** Reads from a negator to its item; further negators on the way turn it back. */
  #opening(negator: number): Opening {
    const sentence = this.#sentence;
    let polarity: Polarity = "negated";
    let placed = false;
    let at = negator + 1;
    if (REGARDLESS.has(sentence.folded(negator))) polarity = "open";
    if (sentence.folded(negator - 1) === "mesmo") polarity = "open";
    // "com ou sem telefone" and "ou não" leave the choice.
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

  /** "são" of "São Paulo", "e" of "e-mail". */
  #isName(at: number): boolean {
    const next = this.#sentence.folded(at + 1);
    const word = this.#sentence.folded(at);
    if (word === "sao")
      return next !== "" && !BETWEEN.has(next) && kindAt(this.#sentence, at + 1) === "other";
    return word === "e" && next === "mail";
  }

  /** "filiais não" and "optantes ou não": the negator stands behind its item. */
  #behind(negator: number): number {
    const sentence = this.#sentence;
    const open = JOINS.has(sentence.folded(negator - 1));
    const last = negator - (open ? 2 : 1);
    if (!NOT.has(sentence.folded(negator))) return negator + 1;
    const reach: Reach = { polarity: open ? "open" : "negated", negator };
    const kind = kindAt(sentence, last);
    for (let at = last; at >= Math.max(0, last - 4); at--) {
      const word = sentence.folded(at);
      // "padarias Curitiba MEI não" is said of the last of them.
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

  /** Marks the item of a negation and those that a list joins to it. */
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

  /** "restaurantes, exceto MEI e filiais, e bares": two commas say where it begins and ends. */
  #closes(negator: number, to: number, mayClose: boolean): boolean {
    const opens = this.#sentence.tokens[negator - 1]?.text === ",";
    const comma = this.#sentence.tokens[to]?.text === ",";
    return mayClose && opens && comma && JOINS.has(this.#sentence.folded(to + 1));
  }

  /** "exceto microempreendedores (MEI)": the same once more, in parentheses; gives its end. */
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

  /** The item that a join at a token leads to. */
  #joined(at: number): Joined | null {
    const sentence = this.#sentence;
    const text = sentence.tokens[at]?.text ?? "";
    const comma = text === "," || text === "/";
    const and = at + (comma && JOINS.has(sentence.folded(at + 1)) ? 1 : 0);
    const firm = JOINS.has(sentence.folded(and)) && sentence.folded(and + 1) !== "mail";
    if (!comma && !firm) return null;
    let item = (firm ? and : at) + 1;
    const or = firm ? ALTERNATIVES.has(sentence.folded(and)) : endsWithOr(sentence, item);
    // "que não sejam MEI, do Simples": two wishes, not a list, if no "ou" follows.
    const isApart = !firm && text === "," && !this.#led && !or;
    if (isApart && OF.has(sentence.folded(item))) return null;
    while (this.#isSmall(item)) item++;
    const word = sentence.folded(item);
    const number = sentence.tokens[item]?.kind === "number";
    if ((word === "" && !number) || isNegator(sentence, item)) return null;
    // "that are not MEI or in Simples"
    const isPlace = PLACE_LEADS.has(word) && this.#kind(item) !== "regime";
    if (ENDS.has(word) || isPlace || (VERBS.has(word) && !this.#isName(item))) return null;
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

  /** Whether an item that is joined is still reached. */
  #goesOn(seen: Added): boolean {
    const { negator, kind, added, next } = seen;
    if (next.or && isNeither(this.#sentence, { negator, kind, item: next.item })) return true;
    // "tirando as MEI e as baixadas": nobody leaves the active ones out in the same breath.
    if (added === "status" && next.firm && EXCLUDE.has(this.#sentence.folded(negator))) {
      return !/^(ativ|activ|oper|func)/.test(this.#sentence.folded(next.item));
    }
    // "exceto MEI, optantes do Simples", "menos Campinas e optantes do Simples"
    if (this.#sentence.folded(next.item).startsWith("opta") && !next.article && !this.#opts) {
      return false;
    }
    const alike = kind === added;
    if (this.#isBareList(negator, added, next)) return true;
    // "sem telefone, padarias", "não ativas, com …": what one has or is joins only its like.
    const apart: readonly ItemKind[] = ["contact", "status", "date"];
    const isApart = apart.includes(added) || apart.includes(kind);
    if (isApart && !this.#isMixed(seen)) return alike && added !== "date";
    if (next.firm) return this.#joins(seen);
    if (alike && (kind !== "other" || this.#isState(next.item))) return true;
    // "Exceto MEI, padarias e bares em SP" begins with what is left out.
    if (this.#startsWith(negator)) return false;
    this.#closed ||= this.#isClosed(next.item);
    return this.#closed;
  }

  /** "exceto MEI, filiais, inaptas": of what one would hardly ask for in this way. */
  #isBareList(negator: number, added: ItemKind, next: Joined): boolean {
    const word = this.#sentence.folded(negator);
    if (next.led || next.firm || !EXCLUDE.has(word) || IS_OUT.test(word)) return false;
    const behind = this.#sentence.folded(next.item);
    if (added === "headquarters") return /^(filia|sucursa|branch)/.test(behind);
    return added === "status" && /^(inapt|baixad|suspens|inativ)/.test(behind);
  }

  /**
   * Whether an item behind "e" or "ou" belongs to the negation before it, where it may as well be a
   * wish of its own: "exceto MEI e filiais", but "fora do Simples e de grande porte".
   */
  #joins(seen: Added): boolean {
    const { negator, kind, added, next } = seen;
    const sentence = this.#sentence;
    const word = sentence.folded(negator);
    // "exceto MEI e do Simples": what "de" leads joins only what it led before.
    if (OWN_KINDS.has(added) && next.led && !this.#led) return false;
    if (kind === added) return true;
    if (added === "activity") return this.#joinsActivity(negator, next);
    // "fora de Santos e MEI", but "fora do Simples e de grande porte".
    if (OUTSIDE.has(word)) {
      return next.led ? this.#led && !ADJECTIVES.has(added) : added === "regime";
    }
    // "sin MEI y pequeñas", "não MEI e LTDA": these reach no further than their kind.
    if (WITHOUT.has(word)) return isLeftWithout(sentence, next.item, added);
    if (NOT.has(word) && this.#first === negator + 1) return false;
    // "exceto MEI e capital acima de 50 mil"
    return added !== "sort" || next.article;
  }

  /** "exceto baixadas e MEI": a list of statuses or contacts that goes on with another kind. */
  #isMixed({ negator, kind, added, next }: Added): boolean {
    const sentence = this.#sentence;
    // "exceto MEI e telefone" asks for a phone.
    if (added === "date" || kind === "date" || added === "contact") return false;
    if (added === "status" && !isInactive(sentence, next.item, added)) return false;
    if (isExcept(sentence, negator)) return next.firm || added === "status" || kind === "status";
    if (kind === "contact") return false;
    return next.firm && (WITHOUT.has(sentence.folded(negator)) || isNotBeing(sentence, negator));
  }

  /**
   * "empresas exceto MEI e padarias" leaves both out; "exceto MEI e padarias em SP" and "padarias
   * que não sejam MEI e bares" say who is sought.
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

  /** Whether the first item of the list at hand says who opts: "não optantes". */
  get #opts(): boolean {
    return this.#sentence.folded(this.#first).startsWith("opta");
  }

  /** Whether a trade is named before a token. */
  #isSought(negator: number): boolean {
    const isTrade = (at: number) => kindAt(this.#sentence, at) === "activity";
    this.#trade = this.#firstOf(isTrade, this.#trade, negator);
    return this.#trade < negator;
  }

  /** Looks on for the first such token from where the last look ended; at most up to `to`. */
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
   * True if a list continues to an "e" or "ou" with an item after it. Every negator of a list asks
   * for its end, so that the items on the way to it are remembered.
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

/** An item that is joined to one that a negation reaches. */
interface Added {
  readonly negator: number;
  /** What the item before is, and this one. */
  readonly kind: ItemKind;
  readonly added: ItemKind;
  readonly next: Joined;
}

interface Joined {
  readonly item: number;
  /** Joined by a word, not by a comma alone. */
  readonly firm: boolean;
  /** Joined by "ou", or by a comma in a list that ends with it. */
  readonly or: boolean;
  /** Whether "de" stands before it. */
  readonly led: boolean;
  /** Whether an article stands behind the join: "e as de capital baixo". */
  readonly article: boolean;
}

/** "exceto as que não têm telefone" wants telephones; "não exclua MEI" leaves the choice. */
function turned(polarity: Polarity, word: string): Polarity {
  // "que não sejam nem MEI" says one negation twice.
  if (AGAIN.has(word)) return polarity;
  // "não estão fora do Simples" are in it.
  if (polarity === "negated") return EXCLUDE.has(word) && !IS_OUT.test(word) ? "open" : "plain";
  return polarity === "plain" ? "negated" : polarity;
}
