/**
 * Reads short filter phrases: status, size, regime, head office, contact, sort. Input: a sentence.
 * Output: the members of a spec that each phrase sets.
 * Invariant: if no filter can express a phrase, the phrase is reported in a note. It is never
 * dropped or inverted. If two requests contradict each other, the first counts, and a warning names
 * the second.
 */

import { isInTrade, kindAt } from "../items.ts";
import { type Reach, reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import { type Bounds, contradict } from "../numbers/bounds.ts";
import { comparedBefore } from "../numbers/numbers.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import { type ContactBefore, ContactChoice, leadsList, spreadQuality } from "./contactlists.ts";
import {
  AUDIENCE,
  cannot,
  EITHER_KIND,
  EITHER_QUALITY,
  type FilterPhrase,
  type FoundFilters,
  HEADS,
  HISTORY,
  NOT_COUNTED,
  type Outcome,
  PREFERENCE,
  STATED_FOR_ALL,
} from "./phrase.ts";
import { preferenceAround } from "./preferences.ts";
import {
  contactLead,
  contactTail,
  isFilterMeant,
  isHaving,
  sizeLead,
  sortLead,
  sortTail,
} from "./signs.ts";
import { FILTER_PHRASES } from "./table.ts";

interface FilterContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  /**
   * True if the snapshot has the counts of establishments and of shared contacts, which older
   * imports did not compute.
   */
  readonly counts: boolean;
  readonly bounds: Bounds;
}

/** Returns the filters of all phrases of the filter table and marks the phrases as read. */
export function findFilters(context: FilterContext): FoundFilters {
  return new FilterStage(context).all();
}

interface Taken {
  readonly at: number;
  readonly to: number;
  readonly phrase: FilterPhrase;
}

/** The last phrase, which the next phrase may extend. */
interface Last extends Taken {
  readonly set: boolean;
}

class FilterStage {
  readonly #sentence: Sentence;
  readonly #notes: Notes;
  readonly #found: FoundFilters = {
    ...{ statuses: new Set(), excludedStatuses: new Set() },
    ...{ sizes: new Set(), excludedSizes: new Set() },
    ...{ mei: null, simples: null, headquarters: false, branches: false, email: false },
    ...{ phone: false, mobile: false, landline: false, ownDomain: false, emailOwn: false },
    ...{ phoneOwn: false, contact: false, anyStatus: false, natures: new Set(), sort: [] },
    missing: new Set(),
    direction: null,
  };
  readonly #counts: boolean;
  readonly #bounds: Bounds;
  readonly #choice: ContactChoice;
  #last: Last | null = null;
  #contact: ContactBefore | null = null;
  /** True if an e-mail at an own domain was already required before the last web site. */
  #hadDomain = false;

  constructor({ sentence, notes, counts, bounds }: FilterContext) {
    this.#sentence = sentence;
    this.#notes = notes;
    this.#counts = counts;
    this.#bounds = bounds;
    this.#choice = new ContactChoice(sentence, this.#found);
  }

  all(): FoundFilters {
    const sentence = this.#sentence;
    for (let at = 0; at < sentence.tokens.length; at++) {
      if (!sentence.free(at)) continue;
      const match = FILTER_PHRASES.longest(sentence.tokens, at, (index) => sentence.free(index));
      if (match === null) continue;
      const taken = { at, to: match.to, phrase: match.value };
      if (!this.#isMeant(taken)) continue;
      this.#take(this.#withQuality(taken));
      at = match.to - 1;
    }
    return this.#found;
  }

  /** Applies the quality of a list to each of its contacts: "e-mail e telefone exclusivos". */
  #withQuality(taken: Taken): Taken {
    const spread = spreadQuality(this.#sentence, taken, this.#contact);
    const phrase = spread?.phrase ?? taken.phrase;
    const leads = leadsList(this.#sentence, taken) || (spread !== null && this.#contact?.leads);
    if (phrase.contact !== undefined) this.#contact = { ...taken, phrase, leads: leads === true };
    if (spread === null) return taken;
    const { tokens } = this.#sentence;
    const isHyphened = tokens[taken.at]?.key === "mail" && tokens[taken.at - 1]?.folded === "e";
    const words = this.#sentence.words(isHyphened ? taken.at - 1 : taken.at, taken.to);
    if (spread.unsure) this.#notes.assume(STATED_FOR_ALL.code, STATED_FOR_ALL, words);
    this.#remark(taken.phrase, words);
    return { ...taken, phrase };
  }

  #isMeant({ at, to, phrase }: Taken): boolean {
    const last = this.#last;
    const listed = last !== null && last.phrase.role === "contact";
    // A phrase that also names a trade, such as "associações", is not a filter if the sentence has
    // another trade.
    if (phrase.trade === true && !this.#isOnly(at) && this.#hasActivity(at, to)) return false;
    const had = phrase.role === "contact" && isHaving(this.#sentence.folded(at - 1));
    return (
      (had || !isInTrade(this.#sentence, at, to) || this.#isOfCompanies({ at, phrase })) &&
      isFilterMeant(this.#sentence, { at, to, phrase }, listed ? last.to : -1)
    );
  }

  /**
   * True if words such as "somente" or "que sejam" precede the phrase: "somente associações", "que
   * sejam fundações". The phrase then restricts the requested companies.
   */
  #isOnly(at: number): boolean {
    const [before, comma] = [this.#sentence.folded(at - 1), this.#sentence.tokens[at - 2]?.text];
    if (/^(?:sejam|seja|sao|are|being|sean|son|as|como)$/.test(before)) return true;
    return /^(?:so|somente|apenas|only|solo|solamente)$/.test(before) && (comma === "," || at < 3);
  }

  /**
   * True for a status in the plural after a noun in the singular. "fechadas" in "empresas de
   * transporte de carga fechadas" describes the companies, not the noun before it.
   */
  #isOfCompanies({ at, phrase }: Pick<Taken, "at" | "phrase">): boolean {
    const [word, noun] = [this.#sentence.folded(at), this.#sentence.folded(at - 1)];
    return phrase.role === "status" && word.endsWith("s") && !noun.endsWith("s");
  }

  /** True if the sentence has a trade outside the tokens [from, to). */
  #hasActivity(from: number, to: number): boolean {
    const sentence = this.#sentence;
    const named = (at: number) => sentence.free(at) && kindAt(sentence, at) === "activity";
    return sentence.tokens.some((_, at) => (at < from || at >= to) && named(at));
  }

  #take(taken: Taken): void {
    const { at } = taken;
    const reach = reachOf(this.#sentence, at);
    // The "não" of "porte não informado" is part of the phrase and negates nothing.
    const inside = reach.negator >= at && reach.negator < taken.to;
    const { polarity, negator } = inside ? PLAIN : reach;
    // The first phrase of a list marks the negator before the list as read.
    const own = negator >= 0 && negator < at && this.#isFirst(negator, at);
    const from = this.#leadOf(taken);
    const { tokens } = this.#sentence;
    const hyphened = tokens[at]?.folded === "mail" && tokens[at - 1]?.folded === "e";
    const first = hyphened && this.#sentence.free(at - 1) ? at - 1 : from;
    if (own || negator > at) claimNegation(this.#sentence, negator, Math.min(at, first));
    const preferred = preferenceAround(this.#sentence, { from: at, to: taken.to });
    const open = polarity === "open" || (polarity === "plain" && this.#isAllowed(taken));
    if (open || (polarity === "plain" && this.#isIncluded(taken)))
      this.#leaveOpen({ ...taken, at: first });
    else if (this.#isAudience(taken)) this.#addUnmapped({ ...taken, at: first }, AUDIENCE);
    else if (polarity === "plain" && this.#pastOf(taken) >= 0) {
      this.#addUnmapped({ ...taken, at: this.#pastOf(taken) }, HISTORY);
    } else if (preferred !== null) {
      this.#addUnmapped(
        { ...taken, at: Math.min(first, preferred.from), to: preferred.to },
        PREFERENCE,
      );
    } else this.#apply({ ...taken, at: first }, polarity === "negated", own ? negator : first);
  }

  #isFirst(negator: number, at: number): boolean {
    for (let i = negator + 1; i < at; i++) {
      const owner = this.#sentence.owner(i);
      const text = this.#sentence.tokens[i]?.text;
      if (text === "," || (owner !== null && !["negation", "filler"].includes(owner))) return false;
    }
    return true;
  }

  #leadOf({ at, phrase }: Taken): number {
    if (phrase.role === "sort") return sortLead(this.#sentence, at);
    if (phrase.role === "size") return sizeLead(this.#sentence, at);
    return phrase.role === "contact" ? contactLead(this.#sentence, at) : at;
  }

  /** True for "inclusive MEI", which neither excludes nor requires MEI. */
  #isIncluded({ at, phrase }: Taken): boolean {
    if (phrase.role === "status" || phrase.role === "sort" || phrase.role === "contact")
      return false;
    const article = ["a", "as", "o", "os"].includes(this.#sentence.folded(at - 1)) ? 2 : 1;
    return ["inclusive", "incluindo", "including"].includes(this.#sentence.folded(at - article));
  }

  /** True for "pode ser MEI", which neither excludes nor requires MEI. */
  #isAllowed({ at, phrase }: Taken): boolean {
    // "pode ser LTDA ou S/A" requires one of these natures.
    if (["sort", "contact", "nature"].includes(phrase.role)) return false;
    const article = ["a", "as", "o", "os", "um", "uma"].includes(this.#sentence.folded(at - 1));
    const be = at - (article ? 2 : 1);
    return (
      /^(ser|be)$/.test(this.#sentence.folded(be)) &&
      /^(pode|podem|may|might|can|could|puede|pueden)$/.test(this.#sentence.folded(be - 1))
    );
  }

  /** Returns the start of a past tense before a regime ("que já foram MEI"), or -1. */
  #pastOf({ at, phrase }: Taken): number {
    if (phrase.role !== "regime") return -1;
    const past = /^(foram|foi|era|eram|were|was|used|fueron|eran)$/;
    for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
      if (past.test(this.#sentence.folded(i))) {
        return /^(ja|antes|ya)$/.test(this.#sentence.folded(i - 1)) ? i - 1 : i;
      }
    }
    return -1;
  }

  /** True for customers of the requested companies: "contabilidade para MEI". */
  #isAudience({ at, phrase }: Taken): boolean {
    if (phrase.role !== "regime" && phrase.role !== "size") return false;
    const article = ["a", "as", "o", "os"].includes(this.#sentence.folded(at - 1)) ? 2 : 1;
    return at > 1 && ["para", "pra", "for"].includes(this.#sentence.folded(at - article));
  }

  /** Claims a request that accepts both cases, such as "com ou sem telefone". Sets no filter. */
  #leaveOpen({ at, to, phrase }: Taken): void {
    if (phrase.role === "status") this.#found.anyStatus = true;
    const { negator } = reachOf(this.#sentence, to - 1);
    const sentence = this.#sentence;
    if (negator >= to) sentence.claim(to, negator + 1, "negation");
    else if (sentence.folded(negator - 1) === "mesmo")
      sentence.claim(negator - 1, negator, "negation");
    else if (sentence.folded(negator - 1) === "ou")
      sentence.claim(negator - 2, negator, "negation");
    sentence.claim(at, to, phrase.role);
    this.#choice.end();
    this.#last = { at, to, phrase, set: false };
  }

  #apply(taken: Taken, negated: boolean, from: number): void {
    const { at, to, phrase } = taken;
    const found = this.#found;
    if (this.#continuesSort(taken) || this.#either(taken, negated)) return;
    if (phrase.counted && !this.#counts) {
      this.#addUnmapped({ ...taken, at: from }, NOT_COUNTED);
      return;
    }
    const included = this.#include(taken, negated);
    // In "small size (EPP)", only the size in parentheses is meant.
    const isNamed = phrase.role === "size" && this.#sentence.tokens[at - 1]?.text === "(";
    if (isNamed && !negated && this.#last?.phrase.role === "size") found.sizes.clear();
    let outcome = this.#had(taken, from, negated) ?? phrase.apply(found, negated);
    // After active companies were requested, "inclusive inativas" requests all companies.
    if (included && outcome === "contradiction") {
      found.anyStatus = true;
      outcome = "set";
    }
    if (outcome === "cannot")
      this.#addUnmapped({ ...taken, at: from }, phrase.cannot ?? cannot(phrase.role));
    if (phrase.role === "regime" && this.#sentence.folded(at - 1) === "in") {
      this.#sentence.claim(at - 1, at, "regime");
    }
    const words = this.#sentence.claim(at, to, phrase.role);
    if (phrase.role === "contact")
      this.#sentence.claim(to, contactTail(this.#sentence, to), "contact");
    if (phrase.role === "sort") this.#sentence.claim(to, sortTail(this.#sentence, to), "sort");
    // A second order contradicts the first, but the result still has the same companies.
    const code = phrase.role === "sort" ? "contradictory_sort" : "contradiction";
    // Contradictory bounds report this themselves.
    if (outcome === "contradiction") contradict(this.#notes, words, code);
    if (outcome === "set") this.#remark(phrase, words);
    const without = /^(sem|sin|without)$/.test(this.#sentence.folded(from));
    const heads = phrase.role === "headquarters" && found.headquarters;
    if (outcome === "set" && negated && without && heads) {
      this.#notes.assume(HEADS.code, HEADS, words);
    }
    this.#last = { ...taken, set: outcome === "set" };
    if (outcome !== "set") this.#choice.end();
  }

  #remark({ warning, assumption, wider }: FilterPhrase, words: Words): void {
    if (wider !== undefined) this.#notes.addUnmapped(wider.code, wider, words);
    if (warning !== undefined) this.#notes.warn(warning.code, warning, words);
    if (assumption !== undefined) this.#notes.assume(assumption.code, assumption, words);
  }

  #addUnmapped(
    { at, to, phrase }: Taken,
    why: { code: string; pt: string; en: string },
    endsList = true,
  ): void {
    const from = comparedBefore(this.#sentence, at);
    this.#notes.addUnmapped(why.code, why, this.#sentence.claim(from, to, "unmapped"));
    if (endsList) this.#choice.end();
    this.#last = { at, to, phrase, set: false };
  }

  /**
   * Reads "com filiais" as at least two establishments and "não têm filiais" as one. Returns null
   * for "sem filiais", which means head offices, and for "só filiais", which means branches.
   */
  #had({ at, phrase, to }: Taken, from: number, negated: boolean): Outcome | "bound" | null {
    if (
      phrase.role !== "headquarters" ||
      !/^(filia|sucursa|branch)/.test(this.#sentence.folded(at))
    )
      return null;
    const some = SOME.has(this.#sentence.folded(at - 1));
    const article =
      some || ["a", "as", "any", "uma", "una", "um", "one"].includes(this.#sentence.folded(at - 1))
        ? 2
        : 1;
    const had = HAVING.has(this.#sentence.folded(at - article)) || this.#isHad(from, at);
    const alone = ["com", "with", "con"].includes(this.#sentence.folded(at - article));
    if (!had && !alone) return null;
    if (!this.#counts) return "cannot";
    // "várias filiais" means at least three establishments: two branches and the head office.
    if (some) this.#sentence.claim(at - 1, at, "headquarters");
    const words = this.#sentence.words(some ? at - 1 : at, to);
    const least = some ? 3 : 2;
    return this.#bounds.establishments(negated ? null : least, negated ? 1 : null, words)
      ? "set"
      : "bound";
  }

  #isHad(from: number, at: number): boolean {
    for (let i = from; i < at; i++) if (HAVING.has(this.#sentence.folded(i))) return true;
    return false;
  }

  /**
   * True if a phrase continues the previous order: "das mais novas para as mais antigas" is one
   * order, "mais novas e mais antigas" are two.
   */
  #continuesSort({ at, to, phrase }: Taken): boolean {
    const last = this.#last;
    if (phrase.role !== "sort" || last === null || last.phrase.role !== "sort" || !last.set)
      return false;
    for (let i = last.to; i < at; i++) {
      if (
        !["para", "pra", "pro", "ate", "to", "a", "as", "o", "ao", "aos"].includes(
          this.#sentence.folded(i),
        )
      )
        return false;
    }
    if (at === last.to || phrase.apply === last.phrase.apply) return false;
    this.#sentence.claim(last.to, to, "sort");
    return true;
  }

  /**
   * If the contact ends a list of alternatives, sets the filter that accepts any of them: "telefone
   * ou e-mail", "e-mail, telefone ou celular".
   */
  #either({ at, to, phrase }: Taken, negated: boolean): boolean {
    if (phrase.contact === undefined) return false;
    if (negated) this.#choice.end();
    const choice = negated ? null : this.#choice.add(at, to, phrase.contact);
    const isSite = phrase.contact === "site" && !negated;
    // The list continues: "telefone, site ou e-mail".
    if (isSite) this.#addSite({ at, to, phrase }, choice === null);
    if (choice?.hasSite) this.#found.ownDomain = this.#hadDomain;
    if (choice === null) return isSite;
    if (choice.joined === null && !isSite) {
      this.#addUnmapped({ at, to, phrase }, EITHER_QUALITY);
      return true;
    }
    const words = this.#sentence.claim(choice.from, to, "contact");
    this.#sentence.claim(to, contactTail(this.#sentence, to), "contact");
    if (choice.joined !== null) this.#choice.require(choice.joined);
    if (choice.isHidden || choice.joined === null)
      this.#notes.addUnmapped(EITHER_QUALITY.code, EITHER_QUALITY, words);
    else if (choice.isWider) this.#notes.assume(EITHER_KIND.code, EITHER_KIND, words);
    this.#last = { at, to, phrase, set: true };
    return true;
  }

  /**
   * Reports a web site in a note. Requires an own e-mail domain in its place, unless the web site
   * is one of several alternatives.
   */
  #addSite({ at, to, phrase }: Taken, isRequired: boolean): void {
    this.#addUnmapped(
      { at, to, phrase },
      phrase.wider ?? phrase.cannot ?? cannot("contact"),
      false,
    );
    this.#hadDomain = this.#found.ownDomain;
    const isChoice = this.#isAlternative(at, to);
    if (isRequired && !isChoice && phrase.wider !== undefined && this.#counts) {
      phrase.apply(this.#found, false);
    }
  }

  /** True if "ou" joins the words [from, to) to what is before or after them. */
  #isAlternative(from: number, to: number): boolean {
    const sentence = this.#sentence;
    const isOr = (at: number) => /^(?:ou|or)$/.test(sentence.folded(at));
    let before = from - 1;
    while (/^(?:um|uma|an?|o|the)$/.test(sentence.folded(before))) before--;
    return isOr(before) || isOr(sentence.tokens[to]?.text === "," ? to + 1 : to);
  }

  /**
   * Reads a status that "inclusive" adds. "inclusive baixadas" requests closed companies in
   * addition to active ones. "todas, inclusive baixadas" requests companies of any status.
   */
  #include({ at, phrase }: Taken, negated: boolean): boolean {
    if (phrase.role !== "status" || negated) return false;
    let from = at - 1;
    while (["as", "os", "a", "o", "e", "mesmo", "ja", "the"].includes(this.#sentence.folded(from)))
      from--;
    if (!INCLUDING.has(this.#sentence.folded(from))) return false;
    this.#found.statuses.add(2);
    for (let i = from - 1; i >= Math.max(0, from - 4); i--) {
      if (ALL.has(this.#sentence.folded(i))) this.#found.anyStatus = true;
    }
    this.#sentence.claim(from, at, "status");
    return true;
  }
}

const HAVING = new Set("tenha tenham tem possua possuam possui possuem have has having".split(" "));
const SOME = new Set("varias diversas muitas multiplas several many various".split(" "));
const PLAIN: Reach = { polarity: "plain", negator: -1 };
const INCLUDING = new Set("inclusive incluindo inclusas including ate tambem".split(" "));
const ALL = new Set("todas todos tudo all".split(" "));
