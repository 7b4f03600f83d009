/**
 * Reads conditions on records of the registry and of public lists: "com dívida ativa", "punidas no
 * CNEP", "que saíram do Simples", "controladas por 33.000.167". Input: a sentence before its places
 * and numbers are read. Output: the filters that the conditions set, and the regimes whose dates
 * later stages read.
 * Invariant: a condition is reported in a note if the snapshot lacks its data or if no filter
 * expresses it. The confidence is then too low to search unchecked. Names of lists are never
 * places.
 */
import type { CatalogLookup, OptionalData } from "../../spec/catalog.ts";
import { readCnpjText } from "../../spec/cnpj/cnpjspelling.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes, Sentences } from "../notes.ts";
import { type AmountBounds, amountBounds } from "../numbers/capital.ts";
import type { Sentence } from "../words/sentence.ts";
import {
  BOTH_RECORDS,
  NO_DEBT_AMOUNT,
  NO_SANCTION,
  NOT_OWNED,
  notImported,
  ONLY_FEDERAL,
  type Remark,
} from "./phrase.ts";
import {
  type DebtKind,
  debtKindsAt,
  type NamedPartnerships,
  NO_DEBT_KIND,
  PHRASE_STARTS,
  partnershipsAt,
} from "./recordphrases.ts";

/** Lists of sanctions. */
const LISTS = ["ceis", "cnep", "cepim"] as const;
type SanctionList = (typeof LISTS)[number];

/** A regime that companies can have left. */
export type LeftRegime = "simples" | "mei";

/** The records that a sentence requests. */
export interface FoundRecords {
  readonly sanctions: Set<SanctionList>;
  debt: boolean | null;
  /** Bounds of the debt in reais, inclusive; null if unbounded. */
  debtMin: number | null;
  debtMax: number | null;
  readonly left: Set<LeftRegime>;
  readonly debtKinds: Set<DebtKind>;
  /** Bounds of the number of companies that the company owns, and of those that own it. */
  readonly counts: Partial<Record<NamedPartnerships["direction"], NamedPartnerships>>;
  /** `owns`: the company must own other companies. `isOwned`: other companies must own it. */
  owns: boolean;
  isOwned: boolean;
  /** Roots of owners. */
  readonly owners: Set<string>;
  /** True if a condition was only reported in a note, so the filters match more than requested. */
  lost: boolean;
}

/** True if records alone say which companies are meant, so that the sentence needs no activity. */
export function isOfRecord(found: FoundRecords): boolean {
  const { sanctions, debt, debtKinds, debtMin, debtMax, left, owners, owns, isOwned } = found;
  const isIndebted = debt === true || debtMin !== null || debtMax !== null;
  const named = sanctions.size + left.size + owners.size + debtKinds.size;
  return named > 0 || isIndebted || owns || isOwned || Object.keys(found.counts).length > 0;
}

interface RecordContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly lookup: CatalogLookup;
  /**
   * Maps each token of phrases such as "que saíram do Simples" to the regimes that the companies
   * left. This file adds the entries. A date after the phrase is the date of leaving these regimes.
   */
  readonly dated: Map<number, readonly LeftRegime[]>;
}

/** Finds and claims all records. */
export function findRecords(context: RecordContext): FoundRecords {
  return new RecordStage(context).all();
}

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

/** Phrases for debts to the federal government. A word after `~` is optional. */
const DEBTS = phrases(
  "divida ativa|dividas ativas|divida ativa ~da uniao|divida ativa na uniao|" +
    "dividas ativas na uniao|divida ativa junto a uniao|divida ativa federal|divida federal|" +
    "dividas federais|divida na uniao|dividas na uniao|debito na uniao|debitos na uniao|" +
    "divida junto a uniao|divida com a uniao|dividas com a uniao|debito com a uniao|" +
    "debitos ativos|" +
    "debitos com a uniao|debito federal|debitos federais|divida na pgfn|dividas na pgfn|" +
    "debitos na pgfn|debitos em divida ativa|debitos inscritos em divida ativa|" +
    "federal debt|federal debts|federal tax debt|federal tax debts|debt to the union|" +
    "debts to the union|active debt|tax debt with the union|tax debts with the union|" +
    "deuda activa|deudas activas|deuda federal|deudas federales|deuda con la union|" +
    "deudas con la union",
);
/** Phrases for debtors: "inscritas em dívida ativa", "devedoras da União". */
const DEBTORS = phrases(
  "inscritas em divida ativa|inscritos em divida ativa|inscrita em divida ativa|" +
    "inscrito em divida ativa|inscritas na divida ativa|inscritos na divida ativa|" +
    "devedoras da uniao|devedores da uniao|devedora da uniao|devedor da uniao|" +
    "devedoras da pgfn|devedores da pgfn|devendo a uniao|" +
    "devendo para a uniao|deudoras de la union",
);
/** Words for debts to any creditor. Next to an amount, they mean debts to the federal state. */
const ANY_DEBTS = phrases(
  "divida|dividas|debito|debitos|devendo|endividadas em|endividados em|debt|debts|owing|" +
    "deuda|deudas|debiendo",
);
const OWNERS_OF_COMPANIES = phrases(
  "participacao em outras empresas|participacao em outra empresa|participacao societaria|" +
    "participacoes societarias|participacoes em outras empresas|participam de outras empresas|" +
    "participam em outras empresas|socias de outras empresas|socios de outras empresas|" +
    "socia de outra empresa|socia de outras empresas|donas de outras empresas|" +
    "controlam outras empresas|own other companies|owning other companies|" +
    "shareholders of other companies|partners of other companies|stakes in other companies|" +
    // Phrases from Spanish. Their words except "otras" were translated to Portuguese earlier.
    "participacao em otras empresas|participacoes em otras empresas|" +
    "participan em otras empresas|socias de otras empresas|duenas de otras empresas",
);
const OWNED_BY_COMPANIES = phrases(
  "controladas por outras empresas|controladas por outra empresa|controlada por outra empresa|" +
    "empresas como socias|empresa como socia|outras empresas como socias|" +
    "outra empresa como socia|pertencentes a outras empresas|pertencentes a outra empresa|" +
    "pertencem a outras empresas|owned by other companies|owned by another company|" +
    "controlled by other companies|controlled by another company|" +
    "controladas por otras empresas|controladas por otra empresa|pertenecen a otras empresas",
);
/** Words that extend a debt: "dívida ativa da União". */
const DEBT_TAIL = phrases(
  "da uniao|na uniao|da uniao federal|federal|com a uniao|na pgfn|of the union",
);

const PUNISHED = wordsOf(
  "punid[ao]s? sancionad[ao]s? sancao sancoes sanctioned punished sanctions? sancion " +
    "sanciones penalizad[ao]s?",
);
const LISTED = wordsOf(
  "punid[ao]s? sancionad[ao]s? sanctioned punished inscrit[ao]s? listad[ao]s? incluid[ao]s? " +
    "registrad[ao]s? constam estao esten listed registered included presentes? penalizad[ao]s?",
);
/** Words between "punidas" and the name of a list. */
const LIST_LINK = wordsOf(
  "no na nos do da o a em pelo in the on by of en el del lista list listas cadastro registro",
);
const ANTICORRUPTION = phrases(
  "pela lei anticorrupcao|under the anticorruption law|lei anticorrupcao",
);

const LEFT = wordsOf(
  "desenquadrad[ao]s? sairam saiu saindo deixaram deixou left exited dejaron dejo salieron salio",
);
/** Matches "excluídas" in "excluídas do Simples". Without "do", it is an exclusion. */
const PUT_OUT = /^(?:excluid[ao]s?|retirad[ao]s?|removed|expelled|excluded)$/;
const FROM = /^(?:do|da|del|from)$/;
const REGIME_LINK = /^(?:o|a|os|as|do|da|de|del|el|the|ser|being|be|from|regime|regimen)$/;
const REGIMES: ReadonlyMap<string, LeftRegime> = new Map([
  ...(["simples", "supersimples"] as const).map((word) => [word, "simples"] as const),
  ...(["mei", "meis", "simei", "microempreendedor"] as const).map((word) => [word, "mei"] as const),
]);
/** Maximum words between a word for leaving and the regime. */
const REGIME_GAP = 4;

const OWNED = wordsOf(
  "controlad[ao]s? subsidiari[ao]s? pertencentes? pertencem pertence propriedade propriedad " +
    "pertenecen filiad[ao]s? owned controlled subsidiaries subsidiary belonging held participadas?",
);
const OWNER_LINK = wordsOf(
  "por pela pelo da do de das a ao by of to the empresa empresas company cnpj raiz root numero " +
    "number n la el que sao are is e",
);
/** Maximum number of words between "controladas" and a CNPJ. */
const OWNER_GAP = 6;
const OR = /^(?:ou|or|o|u)$/;
const AND = /^(?:e|and|y|nem|nor)$/;

/** Phrases as lists of words, keyed by first word and ordered longest first. */
type PhraseBook = ReadonlyMap<string, readonly (readonly string[])[]>;

function phrases(text: string): PhraseBook {
  const book = new Map<string, string[][]>();
  for (const phrase of text.split("|")) {
    const words = phrase.replaceAll("~", "").split(" ");
    const [first = ""] = words;
    book.set(
      first,
      [...(book.get(first) ?? []), words].sort((a, b) => b.length - a.length),
    );
  }
  return book;
}

/** Returns the end of the phrase that begins at a token, or the token itself if none does. */
function phraseEnd(sentence: Sentence, at: number, book: PhraseBook): number {
  const found = book.get(sentence.folded(at))?.find((words) => {
    return words.every((word, i) => sentence.folded(at + i) === word && sentence.free(at + i));
  });
  return at + (found?.length ?? 0);
}

const BOOKS = [DEBTS, DEBTORS, ANY_DEBTS, OWNERS_OF_COMPANIES, OWNED_BY_COMPANIES];
/** Matches the first words of all records. Most words of a sentence do not match. */
const STARTS = new RegExp(
  [
    PUNISHED,
    LISTED,
    LEFT,
    PUT_OUT,
    OWNED,
    ...PHRASE_STARTS,
    wordsOf(BOOKS.flatMap((book) => [...book.keys()]).join(" ")),
  ]
    .map(({ source }) => source)
    .concat(/^(?:no|na|do|da|nos|in|on|en|el|the|pelo|ceis|cnep|cepim)$/.source)
    .join("|"),
);

class RecordStage {
  readonly #sentence: Sentence;
  readonly #notes: Notes;
  readonly #lookup: CatalogLookup;
  readonly #dated: Map<number, readonly LeftRegime[]>;
  readonly #found: FoundRecords = {
    ...{ sanctions: new Set(), left: new Set(), owners: new Set(), lost: false },
    ...{ debt: null, debtMin: null, debtMax: null, owns: false, isOwned: false },
    ...{ debtKinds: new Set(), counts: {} },
  };

  constructor({ sentence, notes, lookup, dated }: RecordContext) {
    this.#sentence = sentence;
    this.#notes = notes;
    this.#lookup = lookup;
    this.#dated = dated;
  }

  all(): FoundRecords {
    const { tokens } = this.#sentence;
    for (let at = 0; at < tokens.length; at++) {
      const { kind, folded = "" } = tokens[at] ?? {};
      if (kind !== "word" || !STARTS.test(folded) || !this.#sentence.free(at)) continue;
      const to =
        this.#partnership(at) ??
        this.#partnerCount(at) ??
        this.#debtKind(at) ??
        this.#debt(at) ??
        this.#sanction(at) ??
        this.#left(at) ??
        this.#owned(at);
      if (to !== null) at = to - 1;
    }
    return this.#found;
  }

  #leave(from: number, to: number, { code, ...why }: Remark): number {
    this.#notes.addUnmapped(code, why as Sentences, this.#sentence.claim(from, to, "unmapped"));
    this.#found.lost = true;
    return to;
  }

  /** True if the words are negated, null for "com ou sem". Marks the negator as read. */
  #negated(from: number): boolean | null {
    const { polarity, negator } = reachOf(this.#sentence, from);
    if (polarity === "open") return null;
    if (polarity !== "negated") return false;
    claimNegation(this.#sentence, negator, from);
    return true;
  }

  /** Returns the remark that the snapshot lacks this data, or null if the snapshot has it. */
  #lacked(what: OptionalData): Remark | null {
    return this.#lookup.lacks(what) ? notImported(what) : null;
  }

  #debt(at: number): number | null {
    const debtor = phraseEnd(this.#sentence, at, DEBTORS);
    const named = debtor > at ? debtor : phraseEnd(this.#sentence, at, DEBTS);
    if (named === at) return this.#anyDebt(at);
    const to = phraseEnd(this.#sentence, named, DEBT_TAIL);
    const bounds = amountBounds(this.#sentence, at, to);
    if (bounds !== null) return this.#debtOf(bounds, at);
    const negated = this.#negated(at);
    if (negated === null) {
      this.#sentence.claim(at, to, "status");
      return to;
    }
    const lacked = this.#lacked("debts");
    if (lacked !== null) return this.#leave(at, to, lacked);
    const isAmount = this.#found.debtMin !== null || this.#found.debtMax !== null;
    if (this.#found.debt === negated || (negated && isAmount)) {
      return this.#leave(at, to, BOTH_RECORDS);
    }
    this.#found.debt = !negated;
    this.#sentence.claim(at, to, "status");
    return to;
  }

  /** Reads "com participação em outras empresas", "que têm empresas como sócias". */
  #partnership(at: number): number | null {
    const owns = phraseEnd(this.#sentence, at, OWNERS_OF_COMPANIES);
    const to = owns > at ? owns : phraseEnd(this.#sentence, at, OWNED_BY_COMPANIES);
    if (to === at) return null;
    if (this.#negated(at) !== false) return this.#leave(at, to, NOT_OWNED);
    const lacked = this.#lacked("partners");
    if (lacked !== null) return this.#leave(at, to, lacked);
    if (owns > at) this.#found.owns = true;
    else this.#found.isOwned = true;
    this.#sentence.claim(at, to, "list");
    return to;
  }

  #partnerCount(at: number): number | null {
    const read = partnershipsAt(this.#sentence, at);
    if (read === null) return null;
    const { direction, from, to } = read;
    if (this.#negated(from) !== false) return this.#leave(from, to, NOT_OWNED);
    const lacked = this.#lacked("partners");
    if (lacked !== null) return this.#leave(from, to, lacked);
    if (this.#found.counts[direction]) return this.#leave(from, to, BOTH_RECORDS);
    this.#found.counts[direction] = read;
    this.#sentence.claim(from, to, "list");
    return to;
  }

  #debtKind(at: number): number | null {
    const named = debtKindsAt(this.#sentence, at);
    if (named === null) return null;
    const { kinds, to, isAll } = named;
    const { debt, debtKinds } = this.#found;
    const lacked = this.#lacked("debts");
    if (lacked !== null) return this.#leave(at, to, lacked);
    // The snapshot has one amount per company, over all its kinds of debt, so no filter takes an
    // amount of one kind.
    const bounds = amountBounds(this.#sentence, at, to);
    if (bounds !== null) return this.#leave(bounds.from, bounds.to, NO_DEBT_AMOUNT);
    const negated = this.#negated(at);
    if (negated === true) return this.#leave(at, to, NO_DEBT_KIND);
    if (isAll || debtKinds.size > 0 || debt === false) return this.#leave(at, to, BOTH_RECORDS);
    this.#sentence.claim(at, to, "status");
    if (negated === false) for (const kind of kinds) debtKinds.add(kind);
    return to;
  }

  /** Reads a debt to any creditor with an amount: "com dívida acima de 1 milhão". */
  #anyDebt(at: number): number | null {
    const to = phraseEnd(this.#sentence, at, ANY_DEBTS);
    const bounds = to === at ? null : amountBounds(this.#sentence, at, to);
    if (bounds === null) return null;
    this.#notes.assume("federal_debt", ONLY_FEDERAL, this.#sentence.words(bounds.from, bounds.to));
    return this.#debtOf(bounds, at);
  }

  #debtOf({ from, to, min, max, isOutside }: AmountBounds, at: number): number {
    const most = Math.max(min ?? 0, max ?? 0);
    const lacked = this.#lacked("debts");
    if (lacked !== null) return this.#leave(from, to, lacked);
    // A negated amount cannot be a filter: companies without a debt above it have a smaller debt or
    // none.
    if (isOutside || most > SPEC_LIMITS.shareCapitalMax || this.#negated(at) !== false) {
      return this.#leave(from, to, NO_DEBT_AMOUNT);
    }
    const { debt, debtMin, debtMax } = this.#found;
    if (debt === false || debtMin !== null || debtMax !== null) {
      return this.#leave(from, to, BOTH_RECORDS);
    }
    this.#found.debtMin = min;
    this.#found.debtMax = max;
    this.#sentence.claim(from, to, "capital");
    return to;
  }

  #sanction(at: number): number | null {
    const sentence = this.#sentence;
    const word = sentence.folded(at);
    const isPunished = PUNISHED.test(word);
    const law = isPunished ? phraseEnd(sentence, at + 1, ANTICORRUPTION) : at + 1;
    if (law > at + 1) return this.#sanctioned(at, law, ["cnep"]);
    const name = LISTED.test(word) || isPunished ? this.#afterLinks(at + 1) : at;
    const first = this.#listAt(name);
    if (first !== null) return this.#sanctionedBy(at, name, first);
    if (isPunished) return this.#sanctioned(at, at + 1, []);
    // Reads "no CEIS" with its preposition. In "o CEIS", the article stays outside the phrase.
    const link = LIST_LINK.test(word) ? this.#afterLinks(at) : at;
    const alone = this.#listAt(link);
    return alone === null ? null : this.#sanctionedBy(at, link, alone);
  }

  #afterLinks(from: number): number {
    let at = from;
    while (at < from + 4 && this.#sentence.free(at) && this.#isListLink(at)) at++;
    return at;
  }

  #isListLink(at: number): boolean {
    return LIST_LINK.test(this.#sentence.folded(at)) || this.#sentence.tokens[at]?.text === "(";
  }

  #listAt(at: number): SanctionList | null {
    if (!this.#sentence.free(at)) return null;
    return LISTS.find((list) => list === this.#sentence.folded(at)) ?? null;
  }

  /**
   * Reads one or more names of lists: "no CNEP ou no CEIS", "(CNEP/CEIS)". Names joined by "e" go
   * to the notes, because no filter requires several lists together.
   */
  #sanctionedBy(from: number, name: number, first: SanctionList): number {
    const lists: SanctionList[] = [first];
    let to = name + 1;
    for (let isAll = false; ; ) {
      const mark = this.#sentence.tokens[to]?.text ?? "";
      const joined = mark === "/" || mark === "," || OR.test(this.#sentence.folded(to));
      const both = AND.test(this.#sentence.folded(to));
      const next = joined || both ? this.#afterLinks(to + 1) : to;
      const list = next > to ? this.#listAt(next) : null;
      if (list === null) {
        if (isAll) return this.#leave(from, to, BOTH_RECORDS);
        if (this.#sentence.tokens[to]?.text === ")") to++;
        return this.#sanctioned(from, to, lists);
      }
      isAll ||= both;
      lists.push(list);
      to = next + 1;
    }
  }

  /** Requires the named lists of sanctions or, if none is named, any list of the snapshot. */
  #sanctioned(from: number, to: number, named: readonly SanctionList[]): number {
    const negated = this.#negated(from);
    if (negated === true) return this.#leave(from, to, NO_SANCTION);
    if (negated === null) {
      this.#sentence.claim(from, to, "status");
      return to;
    }
    const had = LISTS.filter((list) => !this.#lookup.lacks(list));
    const lacking = named.find((list) => !had.includes(list)) ?? (had.length === 0 ? "ceis" : null);
    if (lacking !== null) return this.#leave(from, to, notImported(lacking));
    if (named.length > 0 && this.#found.sanctions.size > 0) {
      return this.#leave(from, to, BOTH_RECORDS);
    }
    const words = this.#sentence.claim(from, to, "status");
    if (named.length === 0) {
      const lists = had.map((list) => list.toUpperCase()).join(", ");
      const pt = `Listas deste snapshot: ${lists}.`;
      this.#notes.assume("sanction_lists", { pt, en: `Lists of this snapshot: ${lists}.` }, words);
    }
    for (const list of named.length > 0 ? named : had) this.#found.sanctions.add(list);
    return to;
  }

  /** Reads "que saíram do Simples e do MEI"; those "que não saíram do Simples" are still in it. */
  #left(at: number): number | null {
    const sentence = this.#sentence;
    const word = sentence.folded(at);
    const putOut = PUT_OUT.test(word) && FROM.test(sentence.folded(at + 1));
    if (!LEFT.test(word) && !putOut) return null;
    const regimes: LeftRegime[] = [];
    let to = at;
    let isEither = false;
    for (let next = this.#regimeAfter(at + 1); next !== null; ) {
      regimes.push(next.regime);
      to = next.to;
      const joint = sentence.folded(to) || (sentence.tokens[to]?.text ?? "");
      if (!OR.test(joint) && !AND.test(joint) && joint !== ",") break;
      next = FROM.test(sentence.folded(to + 1)) ? this.#regimeAfter(to + 1) : null;
      isEither ||= next !== null && OR.test(joint);
    }
    if (regimes.length === 0) return null;
    // "não saíram do Simples" and "nunca saíram do Simples" mean companies that are in Simples.
    // Later stages read the regime.
    if ([1, 2].some((back) => /^(?:nao|nunca|jamais|not|never)$/.test(sentence.folded(at - back))))
      return null;
    const lacked = this.#lacked("exclusions");
    if (lacked !== null) return this.#leave(at, to, lacked);
    if (isEither || this.#found.left.size > 0) return this.#leave(at, to, BOTH_RECORDS);
    sentence.claim(at, to, "regime");
    for (const regime of regimes) this.#found.left.add(regime);
    for (let i = at; i < to; i++) this.#dated.set(i, regimes);
    return to;
  }

  #regimeAfter(from: number): { to: number; regime: LeftRegime } | null {
    const sentence = this.#sentence;
    for (let at = from; at <= from + REGIME_GAP && sentence.free(at); at++) {
      const regime = REGIMES.get(sentence.folded(at));
      if (regime !== undefined) {
        const next = sentence.folded(at + 1);
        const long = regime === "simples" ? next === "nacional" : next === "individual";
        return { to: at + (long ? 2 : 1), regime };
      }
      if (!REGIME_LINK.test(sentence.folded(at))) return null;
    }
    return null;
  }

  #owned(at: number): number | null {
    const sentence = this.#sentence;
    if (!OWNED.test(sentence.folded(at))) return null;
    let next = at + 1;
    while (next <= at + OWNER_GAP && this.#isOwnerLink(next)) next++;
    const first = this.#rootAt(next);
    if (next === at + 1 || first === null) return null;
    const roots = [first.root];
    let { to } = first;
    let isAll = false;
    for (;;) {
      const joint = sentence.folded(to) || (sentence.tokens[to]?.text ?? "");
      if (!OR.test(joint) && !AND.test(joint) && joint !== ",") break;
      let more = to + 1;
      while (more <= to + OWNER_GAP && this.#isOwnerLink(more)) more++;
      const other = this.#rootAt(more);
      if (other === null) break;
      isAll ||= AND.test(joint);
      roots.push(other.root);
      to = other.to;
    }
    const negated = this.#negated(at);
    if (negated !== false) return this.#leave(at, to, NOT_OWNED);
    const lacked = this.#lacked("partners");
    if (lacked !== null) return this.#leave(at, to, lacked);
    if (isAll || this.#found.owners.size > 0) return this.#leave(at, to, BOTH_RECORDS);
    sentence.claim(at, to, "list");
    for (const root of roots) this.#found.owners.add(root);
    return to;
  }

  #isOwnerLink(at: number): boolean {
    const word = this.#sentence.folded(at) || (this.#sentence.tokens[at]?.text ?? "");
    return this.#sentence.free(at) && (OWNER_LINK.test(word) || /^[:#º°.]$/.test(word));
  }

  /**
   * Returns the first eight characters (the root) of the CNPJ written at a token, which may be a
   * whole CNPJ or only its root. Returns null if there is none.
   */
  #rootAt(at: number): { root: string; to: number } | null {
    const { tokens, text } = this.#sentence;
    const start = tokens[at]?.start;
    if (start === undefined || !this.#sentence.free(at)) return null;
    const written = NUMBER.exec(text.slice(start, start + 20))?.[0] ?? "";
    const read = readCnpjText(written);
    if (read.kind === "refused" || (read.kind === "cnpj" && !read.checked)) return null;
    const root = read.kind === "cnpj" ? read.cnpj.slice(0, 8) : read.root;
    let to = at;
    while ((tokens[to]?.start ?? Number.POSITIVE_INFINITY) < start + written.length) to++;
    return { root, to };
  }
}

/** Matches a root or a CNPJ, with or without punctuation. */
const NUMBER =
  /^[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}(?:\/?[0-9A-Z]{4}-?[0-9]{2})?(?![0-9A-Za-z])/;
