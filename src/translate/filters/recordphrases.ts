/**
 * Reads kinds of debt and numbers of partnerships: "com dívida de FGTS ou previdenciária", "sócia
 * de mais de 3 empresas". Input: a sentence and the token at which a phrase may begin. Output: the
 * kinds, or the bounds of the number, and the tokens of the phrase.
 * Invariant: no token is marked as read; the caller does that. A number counts companies only next
 * to a word for companies.
 */
import type { DEBT_KINDS } from "../../spec/filters/wider.ts";
import { boundsOf, type Side, sideAfter, sideAt } from "../numbers/counts.ts";
import { numberAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Remark } from "./phrase.ts";

/** A kind of debt. */
export type DebtKind = (typeof DEBT_KINDS)[number];

/** No filter excludes companies with one kind of debt; kinds can only be required. */
export const NO_DEBT_KIND: Remark = {
  code: "without_debt_kind",
  pt: "Nenhum filtro exclui um tipo de dívida; há um para toda a dívida ativa.",
  en: "No filter leaves out one kind of debt; there is one for all federal debt.",
};

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

const DEBT = wordsOf(
  "dividas? debitos? pendencias? devendo devedor[ae]s? debts? owing owes? deudas? debiendo " +
    "deudor[ae]s?",
);
/** Words between a debt and its kind. */
const DEBT_LINK = wordsOf(
  "de do da das dos com o a no na ao junto el la con del to the on for in of ativ[ao]s? activas? " +
    "federal federais federales tributari[ao]s? uniao",
);
const OR = /^(?:ou|or|o|u)$/;
const AND = /^(?:e|and|y)$/;

const KINDS: readonly (readonly [DebtKind, RegExp, RegExp?, RegExp?])[] = [
  ["other", /^(?:nao|no|non|not)$/, /^previdenciari[ao]s?$/],
  ["other", /^(?:nao|no|non|not)$/, /^social$/, /^security$/],
  ["fgts", /^fgts$/],
  ["fgts", /^fundo$/, /^de$/, /^garantia$/],
  ["social_security", /^previdencia$/, /^social$/],
  ["social_security", /^(?:previdenciari[ao]s?|previdencia|inss|previsional(?:es)?)$/],
  ["social_security", /^social$/, /^security$/],
  ["social_security", /^segur(?:idad|anca|o)$/, /^social$/],
];

/** Matches the first words of all phrases that this file reads. */
export const PHRASE_STARTS = [
  DEBT,
  /^(?:fgts|inss|social)$/,
  /^(?:soci[ao]s?|participa[mn]?|participa(?:cao|coes)|participacion(?:es)?|don[ao]s?|own|owning)$/,
  /^(?:partners?|shareholders?|stakes|duen[ao]s?|acionistas?|controlam|empresas?|compan(?:y|ies))$/,
] as const;

interface NamedDebts {
  readonly kinds: readonly DebtKind[];
  readonly to: number;
  /** True if "e" joins the kinds. No filter requires several kinds of debt together. */
  readonly isAll: boolean;
}

/** Reads "dívida ativa de FGTS ou previdenciária" or "FGTS debt" at a token, or returns null. */
export function debtKindsAt(sentence: Sentence, at: number): NamedDebts | null {
  if (DEBT.test(sentence.folded(at))) return kindsAfter(sentence, at + 1);
  const named = kindAt(sentence, at);
  if (named === null || !/^(?:debts?|debitos?)$/.test(sentence.folded(named.to))) return null;
  return { kinds: [named.kind], to: named.to + 1, isAll: false };
}

function kindsAfter(sentence: Sentence, from: number): NamedDebts | null {
  const kinds: DebtKind[] = [];
  let to = from;
  let isAll = false;
  for (let next = kindAt(sentence, afterLinks(sentence, from)); next !== null; ) {
    kinds.push(next.kind);
    to = next.to;
    const joint = sentence.folded(to) || (sentence.tokens[to]?.text ?? "");
    if (!OR.test(joint) && !AND.test(joint) && joint !== "," && joint !== "/") break;
    next = kindAt(sentence, afterLinks(sentence, to + 1));
    isAll ||= next !== null && AND.test(joint);
  }
  return kinds.length === 0 ? null : { kinds, to, isAll };
}

function afterLinks(sentence: Sentence, from: number): number {
  let at = from;
  while (at < from + 5 && sentence.free(at) && DEBT_LINK.test(sentence.folded(at))) at++;
  return at;
}

function kindAt(sentence: Sentence, at: number) {
  for (const [kind, ...words] of KINDS) {
    const isMentioned = words.every((word, i) => {
      return word !== undefined && sentence.free(at + i) && word.test(sentence.folded(at + i));
    });
    if (isMentioned) return { kind, to: at + words.length };
  }
  return null;
}

const OWNER = wordsOf(
  "soci[ao]s? participa[mn]? participa(?:cao|coes) participacion(?:es)? don[ao]s? own owning " +
    "partners? shareholders? stakes duen[ao]s? acionistas? controlam",
);
const OWNED = wordsOf("controlad[ao]s? owned controlled pertencentes? pertencem pertenecen");
const LINK = wordsOf("de do da em no na of in a ao por by to pelo at que than o");
const OTHER = /^(?:outr[ao]s?|other|otr[ao]s?)$/;
const COMPANY = /^(?:empresas?|compan(?:y|ies)|sociedades?)$/;
/**
 * Phrases such as "como sócias" in "com 2 empresas como sócias". They follow a word for companies
 * and mean that these companies own a share of the requested ones.
 */
const PARTNER_TAILS = [
  [/^(?:como|as)$/, /^(?:soci[ao]s?|partners?|owners?|shareholders?|acionistas?)$/],
  [/^soci[ao]s?$/],
  [/^n[ao]$/, /^sociedade$/],
] as const;
/** Matches companies as partners in "2 sócios pessoa jurídica". */
const LEGAL_PERSON = [/^soci[ao]s?$/, /^pessoas?$/, /^juridicas?$/] as const;
/** Maximum words between the word for a partner and its number. */
const REACH = 6;

/** Bounds of the number of companies that a company owns ("owns") or that own it ("owners"). */
export interface NamedPartnerships {
  readonly direction: "owns" | "owners";
  readonly from: number;
  readonly to: number;
  readonly min: number;
  readonly max: number | null;
}

/**
 * Reads "sócia de mais de 3 empresas" and "com 2 ou mais empresas sócias". Returns null if no such
 * phrase begins at the token.
 */
export function partnershipsAt(sentence: Sentence, at: number): NamedPartnerships | null {
  const word = sentence.folded(at);
  if (OWNER.test(word) || OWNED.test(word)) {
    const read = countAfter(sentence, at + 1);
    if (read !== null) return named(OWNER.test(word) ? "owns" : "owners", { ...read, from: at });
  }
  const tail = partnersTo(sentence, at);
  const read = tail === null ? null : countBefore(sentence, at);
  return tail === null || read === null ? null : named("owners", { ...read, to: tail });
}

interface Count {
  readonly from: number;
  readonly to: number;
  readonly side: Side;
  readonly value: number;
  readonly second: number | null;
  /** True if the number is written as an article, as in "sócia de uma empresa". */
  readonly isArticle: boolean;
}

/** Returns a partnership. Its lower bound is at least one company. */
function named(
  direction: NamedPartnerships["direction"],
  { from, to, side, value, second, isArticle }: Count,
): NamedPartnerships | null {
  const bare = side === null && !isArticle ? { min: value, max: value } : boundsOf(side, value);
  const { min, max } =
    second === null
      ? isArticle
        ? { min: value, max: null }
        : bare
      : { min: Math.min(value, second), max: Math.max(value, second) };
  const least = Math.max(1, min ?? 1);
  return max !== null && max < least ? null : { direction, from, to, min: least, max };
}

/** Reads the number after a token: "de mais de 3 outras empresas". */
function countAfter(sentence: Sentence, from: number): Count | null {
  let side: Side = null;
  for (let i = from; i < from + REACH && sentence.free(i); i++) {
    const number = numberAt(sentence, i);
    if (number !== null && Number.isInteger(number.value)) {
      const read = valuesAt(sentence, i, number);
      const unit = OTHER.test(sentence.folded(read.to)) ? read.to + 1 : read.to;
      if (!COMPANY.test(sentence.folded(unit)) || !sentence.free(unit)) return null;
      const after = sideAfter(sentence, unit + 1);
      return { ...read, from, to: after.to, side: side ?? read.side ?? after.side };
    }
    const stated = sideAt(sentence, i);
    const word = sentence.folded(i);
    if (stated === null && !LINK.test(word) && !/^(?:entre|between)$/.test(word)) return null;
    side = stated ?? side;
  }
  return null;
}

/** Reads the number before a token: "com mais de 2". */
function countBefore(sentence: Sentence, unit: number): Count | null {
  for (let at = Math.max(0, unit - REACH); at < unit; at++) {
    const number = numberAt(sentence, at);
    if (number === null || !Number.isInteger(number.value)) continue;
    const read = valuesAt(sentence, at, number);
    const end = OTHER.test(sentence.folded(read.to)) ? read.to + 1 : read.to;
    if (end !== unit) continue;
    let from = at;
    let side = read.side;
    for (let i = at - 1; i >= Math.max(0, at - REACH) && sentence.free(i); i--) {
      const stated = sideAt(sentence, i);
      if (
        stated === null &&
        !/^(?:de|do|than|pelo|at|no|que|entre|between)$/.test(sentence.folded(i))
      )
        break;
      side ??= stated;
      from = i;
    }
    return { ...read, from, side };
  }
  return null;
}

function valuesAt(sentence: Sentence, at: number, number: { value: number; to: number }) {
  const isBetween = /^(?:entre|between)$/.test(sentence.folded(at - 1));
  const joined = isBetween && AND.test(sentence.folded(number.to));
  const second = joined ? numberAt(sentence, number.to + 1) : null;
  const following = sideAfter(sentence, second?.to ?? number.to);
  const isArticle = number.value === 1 && sentence.tokens[at]?.kind === "word";
  return {
    ...{ from: at, to: following.to, side: following.side, value: number.value },
    ...{ second: second?.value ?? null, isArticle },
  };
}

/** Returns the end of "empresas como sócias" or "sócios pessoa jurídica" at a token, or null. */
function partnersTo(sentence: Sentence, at: number): number | null {
  const isMentioned = (words: readonly RegExp[], from: number) =>
    words.every((word, i) => sentence.free(from + i) && word.test(sentence.folded(from + i)));
  if (isMentioned(LEGAL_PERSON, at)) return at + LEGAL_PERSON.length;
  if (!COMPANY.test(sentence.folded(at))) return null;
  const tail = PARTNER_TAILS.find((words) => isMentioned(words, at + 1));
  return tail === undefined ? null : at + 1 + tail.length;
}
