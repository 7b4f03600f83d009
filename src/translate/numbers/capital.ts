/**
 * Reads bounds of the share capital.
 * Input: a sentence. Output: bounds in reais.
 * Invariant: an amount is read only next to the word "capital". Other amounts may be revenues.
 */

import { SPEC_LIMITS } from "../../spec/limits.ts";
import { reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import type { NumberContext } from "./dates.ts";
import { type Amount, amountAt } from "./numbers.ts";

const wordSet = (words: string) => new Set(words.split(" "));

const MORE = wordSet(
  "mais acima superior superiores minimo minima maior maiores partir menos pelo over above " +
    "least more greater higher larger bigger exceeding excess exceeds exceed supera superam " +
    "superan supere superem superen ultrapassa ultrapassam ultrapasse ultrapassem passa passam " +
    "passe passem encima tops desde from",
);
const LESS = wordSet(
  "abaixo inferior inferiores ate maximo maxima menor menores under below most less up " +
    "lower smaller",
);
const SMALL = wordSet(
  "social de do da a o ao to em no na que e ou entre igual ser seja share of valor reais r " +
    "declarado esteja estejam fique fiquem seja sejam esta los las os as por superior " +
    "registrado integralizado between than the at with that which by annual yearly anual " +
    "mensal monthly bruto bruta gross",
);
/** Units after a number that show that it is not an amount of money. */
const COUNTED = wordSet(
  "resultados empresas registros linhas leads contatos results rows companies " +
    "ano anos mes meses dia dias km funcionarios funcionario empregados socios filiais lojas " +
    "year years",
);
/** Maximum number of words between "capital" and its amount. */
const REACH = 9;

/** Reads every bound of the share capital and marks its tokens as read. */
export function findCapital(context: NumberContext): void {
  const { sentence } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.folded(at) !== "capital" || !sentence.free(at)) continue;
    let read = behind(sentence, at) ?? before(sentence, at);
    // In "por maior capital entre 2010 e 2015" and "maior capital, no máximo 30", "maior capital"
    // is a sort order and the numbers are not amounts.
    if (read !== null && isOrder(sentence, at) && !isMoneyRead(read)) continue;
    // "acima de 10 mil e abaixo de 1 milhão" are two bounds.
    for (; read !== null; read = further(sentence, read)) apply(context, read);
  }
}

/** True for a sort order: "maior capital". */
function isOrder(sentence: Sentence, at: number): boolean {
  return /^(maior|maiores|menor|menores|highest|largest|lowest)$/.test(sentence.folded(at - 1));
}

function isMoneyRead({ first, second }: Read): boolean {
  return first.money || first.scaled || second?.money === true || second?.scaled === true;
}

interface Read {
  readonly from: number;
  readonly to: number;
  readonly side: "min" | "max" | null;
  readonly first: Amount;
  readonly second: Amount | null;
  /** True for a negated range ("que não seja entre 10 e 50 mil"). No filter excludes a range. */
  readonly outside: boolean;
}

/**
 * Reads the bounds of an amount whose name is at the tokens [from, to): "dívida ativa" in "dívida
 * ativa acima de 1 milhão" or "mais de 1 milhão de dívida ativa". Returns null if no amount is next
 * to the name.
 */
export function amountBounds(sentence: Sentence, from: number, to: number): AmountBounds | null {
  const after = behind(sentence, to - 1);
  const read = after ?? before(sentence, from);
  if (read === null) return null;
  const { side, first, second, outside } = read;
  const isMax = side === "max";
  const values = second === null ? [first.value] : [first.value, second.value];
  return {
    from: after === null ? read.from : from,
    to: after === null ? to : read.to,
    min: second === null && isMax ? null : Math.min(...values),
    max: second === null && !isMax ? null : Math.max(...values),
    isOutside: outside && second !== null,
  };
}

/** Inclusive bounds of an amount, and the tokens [from, to) that state them. */
export interface AmountBounds {
  readonly from: number;
  readonly to: number;
  readonly min: number | null;
  readonly max: number | null;
  /** True for a negated range ("não entre 10 e 50 mil"). No filter excludes a range. */
  readonly isOutside: boolean;
}

/** Reads bounds after the name of an amount: "capital social de pelo menos 100 mil". */
function behind(sentence: Sentence, at: number): Read | null {
  let side: Read["side"] = null;
  let between = false;
  let turned = false;
  for (let i = at + 1; i <= at + REACH && sentence.free(i); i++) {
    const word = sentence.folded(i);
    const first = amountOf(sentence, i);
    if (first !== null) {
      const statedSide = side ?? sideAfter(sentence, first.to);
      const tail = turned ? opposite(statedSide) : statedSide;
      const joined = secondOf(sentence, first, between);
      const end =
        statedSide === side
          ? first.to
          : first.to + (sentence.tokens[first.to]?.folded === "+" ? 1 : 2);
      const start = sentence.folded(at - 1) === "share" ? at - 1 : at;
      const read = { from: start, to: joined?.to ?? end, side: tail, outside: turned };
      return { ...read, ...scaledAlike(first, joined) };
    }
    // "não superior a 100 mil"
    if (word === "nao" || word === "not") {
      turned = !turned;
      continue;
    }
    if (word === "entre" || word === "between" || word === "de") between = true;
    side = sideOf(sentence, i) ?? side;
    if (sideOf(sentence, i) === null && !SMALL.has(word) && !MORE.has(word)) return null;
  }
  return null;
}

function opposite(side: Read["side"]): Read["side"] {
  if (side === null) return null;
  return side === "min" ? "max" : "min";
}

/** Reads a second bound of the same capital. */
function further(sentence: Sentence, { to, second }: Read): Read | null {
  const mark = sentence.tokens[to]?.text === "," ? 1 : 0;
  let from = ["e", "mas", "and", "but"].includes(sentence.folded(to + mark))
    ? to + mark + 1
    : to + mark;
  if (second !== null || from === to) return null;
  // Skips a preposition before the second bound: "de pelo menos 50 mil e no máximo 200 mil".
  if (["no", "ao", "at", "pelo"].includes(sentence.folded(from))) from++;
  if (sideOf(sentence, from) === null) return null;
  const read = behind(sentence, from - 1);
  return read === null ? null : { ...read, from };
}

/** Reads an amount before the word: "mais de 100 mil de capital", "5 mil ou mais de capital". */
function before(sentence: Sentence, at: number): Read | null {
  const word = sentence.folded(at - 1) === "share" ? at - 1 : at;
  const of = ["de", "in", "em", "of"].includes(sentence.folded(word - 1)) ? word - 1 : word;
  for (let start = Math.max(0, of - 6); start < of; start++) {
    const first = amountOf(sentence, start);
    if (first === null) continue;
    // "ou mais" may stand between the amount and its name: "R$ 2 milhões ou mais de capital".
    let side = sideAfter(sentence, first.to);
    const marked = sentence.tokens[first.to]?.folded === "+" ? 1 : 2;
    if (first.to + (side === null ? 0 : marked) !== of) continue;
    let from = start;
    for (let i = start - 1; i >= Math.max(0, start - 4) && sentence.free(i); i--) {
      const statedSide = sideOf(sentence, i);
      if (statedSide === null && !SMALL.has(sentence.folded(i)) && !MORE.has(sentence.folded(i)))
        break;
      side = statedSide ?? side;
      from = i;
    }
    const to = sentence.folded(at + 1) === "social" ? at + 2 : at + 1;
    const low = lowerOf(sentence, start);
    const outside = false;
    if (low !== null) {
      return { from: low.from, to, side, outside, ...scaledAlike(low.amount, first) };
    }
    return { from, to, side, outside, first, second: null };
  }
  return null;
}

/** Reads the lower bound before the amount at a token: "entre R$ 10 mil e". */
function lowerOf(sentence: Sentence, at: number): { amount: Amount; from: number } | null {
  if (!["e", "a", "and", "to"].includes(sentence.folded(at - 1))) return null;
  for (let start = Math.max(0, at - 6); start < at - 1; start++) {
    const led = ["entre", "between", "de"].includes(sentence.folded(start - 1));
    const amount = led ? amountOf(sentence, start) : null;
    if (amount?.to === at - 1) return { amount, from: start - 1 };
  }
  return null;
}

/** Returns the bound that a word sets: "max" for "menos", "min" for "pelo menos", or null. */
function sideOf(sentence: Sentence, at: number): Read["side"] {
  const word = sentence.folded(at);
  const mark = sentence.tokens[at]?.text ?? "";
  if (mark === ">" || mark === "≥") return "min";
  if (mark === "<" || mark === "≤") return "max";
  if (word === "menos") return ["pelo", "ao"].includes(sentence.folded(at - 1)) ? "min" : "max";
  if (LESS.has(word)) return "max";
  return MORE.has(word) && word !== "pelo" ? "min" : null;
}

/** Returns the bound that words after an amount set: "min" for "ou mais" and "+". */
function sideAfter(sentence: Sentence, at: number): Read["side"] {
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  if (sentence.tokens[at]?.folded === "+") return "min";
  if (first === "no" && /^(maximo|minimo)$/.test(second))
    return second === "maximo" ? "max" : "min";
  if (["ou", "or"].includes(first) && ["mais", "more"].includes(second)) return "min";
  return ["ou", "or"].includes(first) && ["menos", "less"].includes(second) ? "max" : null;
}

function amountOf(sentence: Sentence, at: number): Amount | null {
  const amount = isBelowZero(sentence, at) ? null : amountAt(sentence, at);
  if (amount === null || COUNTED.has(sentence.folded(amount.to))) return null;
  // "10%" and "10 por cento" are no amounts of money; "100 mil, por favor" is one.
  const next = sentence.tokens[amount.to]?.folded ?? "";
  const isShare = next === "por" && /^c/.test(sentence.folded(amount.to + 1));
  return isShare || /^(%|percent|porcento)$/.test(next) ? null : amount;
}

/** True for a negative number ("-5 mil"), which no capital can be. */
function isBelowZero({ text, tokens }: Sentence, at: number): boolean {
  const { start = 0, kind } = tokens[at] ?? {};
  return kind === "number" && /(^|\s)[-−]$/.test(text.slice(Math.max(0, start - 2), start));
}

function secondOf(sentence: Sentence, first: Amount, between: boolean): Amount | null {
  const join = sentence.folded(first.to);
  const joined = (between && ["e", "and"].includes(join)) || ["a", "ate", "to"].includes(join);
  return joined ? amountOf(sentence, first.to + 1) : null;
}

/** If only the second amount has a factor, applies it to both: "entre 10 e 50 mil". */
function scaledAlike(first: Amount, second: Amount | null) {
  if (second === null || first.scaled || !second.scaled || second.value < 1000)
    return { first, second };
  const factor = second.value >= 1e9 ? 1e9 : second.value >= 1e6 ? 1e6 : 1e3;
  const value = first.value * factor;
  return { first: value < second.value ? { ...first, value } : first, second };
}

/** Reports other amounts of money in notes, each with its comparing words. */
export function unmapAmounts({ sentence, notes }: NumberContext): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const amount = sentence.free(at) ? amountAt(sentence, at) : null;
    if (amount === null || !(amount.money || amount.scaled)) continue;
    let from = at;
    let noun = false;
    for (let i = at - 1; i >= Math.max(0, at - REACH) && sentence.free(i) && !noun; i--) {
      const word = sentence.folded(i);
      noun = REVENUE.has(word);
      // Words such as "US$" and "capital" are skipped between an amount and its comparing words:
      // "capital acima de US$ 100.000".
      const dollars = /^(us|usd|u|eur)$/.test(word);
      const capital = word === "capital" || word === "social";
      const small = SMALL.has(word) || MORE.has(word) || dollars || capital;
      if (!noun && sideOf(sentence, i) === null && !small) break;
      if (noun || !["com", "e", "ou", "que"].includes(word)) from = i;
    }
    if (noun && YEARLY.has(sentence.folded(from - 1)) && sentence.free(from - 1)) from--;
    const second = secondOf(sentence, amount, true);
    let to = second?.to ?? amount.to;
    const isOf = /^(?:de|in|of)$/.test(sentence.folded(to));
    const ofYear = isOf && YEARLY.has(sentence.folded(to + 1)) ? to + 2 : to + 1;
    if (isOf && REVENUE.has(sentence.folded(ofYear))) {
      noun = true;
      to = ofYear + 1;
    }
    // Words for a period after the amount belong to it: "por ano" in "1 milhão por ano", "a month".
    const per = /^(por|ao|a|per)$/.test(sentence.folded(to));
    if (per && /^(ano|mes|year|month)$/.test(sentence.folded(to + 1))) to += 2;
    const words = sentence.claim(from, to, "unmapped");
    if (noun) notes.addUnmapped("revenue", NO_REVENUE, words);
    else notes.addUnmapped("amount", NO_NOUN, words);
    at = to - 1;
  }
}

const REVENUE = wordSet(
  "faturamento faturam fatura faturando faturem faturado receita receitas lucro vendas revenue " +
    "facturen facturan facturando facturacion revenues turnover turnovers earnings earn earns " +
    "earning earned billing billings invoice invoices invoicing",
);
/** Adjectives before a revenue: "annual revenue". */
const YEARLY = wordSet("annual yearly monthly gross total");
const NO_REVENUE = {
  pt: "A Receita não informa faturamento.",
  en: "The registry has no revenue.",
};
const NO_NOUN = {
  pt: "Não se sabe de que é este valor; só há filtro por capital social.",
  en: "It is not said what this amount is of; only share capital has a filter.",
};

function apply({ sentence, notes, bounds }: NumberContext, read: Read): void {
  const { from, to, side, first, second } = read;
  const reach = reachOf(sentence, from);
  const negated = reach.polarity === "negated";
  const most = Math.max(first.value, second?.value ?? 0);
  if (most > SPEC_LIMITS.shareCapitalMax || ((negated || read.outside) && second !== null)) {
    const detail = { pt: "Não há filtro para esse valor.", en: "No filter takes this amount." };
    notes.addUnmapped("amount", detail, sentence.claim(from, to, "unmapped"));
    return;
  }
  if (negated) claimNegation(sentence, reach.negator, from);
  const words = sentence.claim(from, to, "capital");
  const least = second === null ? first.value : Math.min(first.value, second.value);
  const upper = (side === "max") !== negated;
  if (second !== null) bounds.capital(least, most, words);
  else bounds.capital(upper ? null : least, upper ? most : null, words);
  if (second === null && side === null) {
    notes.assume(
      "at_least",
      { pt: "Entendido como pelo menos.", en: "Taken for at least." },
      words,
    );
  }
}
