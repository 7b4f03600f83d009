/**
 * Reads numbers, amounts, and comparing words in a sentence: "mais de 10", "pelo menos uma".
 * Input: a sentence and a position. Output: the number that begins at the position, in digits or in
 * words, and the position after it. Comparing words are located before a number.
 * Invariant: numbers are in Brazilian notation: points separate groups of digits, and a comma
 * begins the decimals. Words that another stage has read are not compared. No token is marked as
 * read.
 */
import type { Sentence } from "../words/sentence.ts";

interface Numeral {
  readonly value: number;
  readonly to: number;
}

/** Returns a map, because looking up an unknown word as an object property is slow. */
function numbersByWord(table: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(table));
}

const ONES = numbersByWord({
  ...{ um: 1, uma: 1, dois: 2, duas: 2, tres: 3, quatro: 4, cinco: 5, seis: 6, sete: 7, oito: 8 },
  ...{ nove: 9, dez: 10, onze: 11, doze: 12, treze: 13, quatorze: 14, catorze: 14, quinze: 15 },
  ...{ dezesseis: 16, dezessete: 17, dezoito: 18, dezenove: 19, one: 1, two: 2, three: 3 },
  ...{ four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, fifteen: 15 },
});
const TENS = numbersByWord({
  ...{ vinte: 20, trinta: 30, quarenta: 40, cinquenta: 50, sessenta: 60, setenta: 70 },
  ...{ oitenta: 80, noventa: 90, cem: 100, cento: 100, duzentos: 200, duzentas: 200 },
  ...{ trezentos: 300, trezentas: 300, quatrocentos: 400, quatrocentas: 400, quinhentos: 500 },
  ...{ quinhentas: 500, twenty: 20, thirty: 30, forty: 40, fifty: 50, hundred: 100 },
});
/** Words that multiply the number before them. */
const FACTORS = numbersByWord({
  ...{ mil: 1e3, k: 1e3, milhao: 1e6, milhoes: 1e6, mi: 1e6, mm: 1e6, bilhao: 1e9, bilhoes: 1e9 },
  ...{ bi: 1e9, million: 1e6, millions: 1e6, thousand: 1e3, billion: 1e9 },
});

/**
 * Matches numbers such as "100,000". Here the comma separates groups of digits, because amounts of
 * money do not have three decimals.
 */
const ENGLISH_GROUPS = /^\d{1,3}(,\d{3})+$/;

/** Returns the value of a number in text, 1500 for `1.500,00`, or NaN for other text. */
function decimal(text: string): number {
  if (ENGLISH_GROUPS.test(text)) return Number(text.replaceAll(",", ""));
  const [whole = "", ...rest] = text.split(",");
  if (rest.length > 1) return Number.NaN;
  const groups = whole.split(".");
  const grouped = groups.length > 1 && groups.slice(1).every(({ length }) => length === 3);
  return Number((grouped ? groups.join("") : whole) + (rest.length === 0 ? "" : `.${rest[0]}`));
}

/**
 * Returns the number at a token, in digits or in words such as "vinte e cinco". Returns null if
 * another stage has read the token.
 */
export function numberAt(sentence: Sentence, at: number): Numeral | null {
  return sentence.free(at) ? numeralAt(sentence, at) : null;
}

/** Returns the number at a token, even if another stage has read the token. */
export function numeralAt(sentence: Sentence, at: number): Numeral | null {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark") return null;
  if (token.kind === "number") {
    const value = decimal(token.text);
    return Number.isNaN(value) ? null : { value, to: at + 1 };
  }
  const word = sentence.folded(at);
  const one = ONES.get(word);
  if (one !== undefined) return { value: one, to: at + 1 };
  const ten = TENS.get(word);
  if (ten === undefined) return null;
  const next = sentence.folded(at + 1) === "e" ? at + 2 : -1;
  const second = sentence.folded(next);
  const unit = next >= 0 ? ONES.get(second) : undefined;
  return unit === undefined || unit > 9 || ten > 90
    ? { value: ten, to: at + 1 }
    : { value: ten + unit, to: next + 1 };
}

/** Returns the factor at a token ("mil"), or 1. */
export function factorAt(sentence: Sentence, at: number): number {
  const word = sentence.folded(at);
  const factor = FACTORS.get(word);
  if (factor !== undefined) return factor;
  const before = sentence.tokens[at - 1];
  const glued = before?.kind === "number" && before.end === sentence.tokens[at]?.start;
  return glued && word === "m" ? 1e6 : 1;
}

/** Adds the hundreds after thousands: "dois mil e quinhentos". */
export function withHundreds(sentence: Sentence, { value, to }: Numeral): Numeral {
  if (sentence.folded(to) !== "e" || value % 1000 !== 0 || value < 1000) return { value, to };
  const rest = sentence.tokens[to + 1]?.kind === "word" ? numberAt(sentence, to + 1) : null;
  // In "entre cinquenta mil e trezentos mil", the hundreds begin another amount.
  return rest === null || rest.value > 999 || factorAt(sentence, rest.to) !== 1
    ? { value, to }
    : { value: value + rest.value, to: rest.to };
}

function isCurrency(sentence: Sentence, at: number): boolean {
  return ["$", "r", "reais", "real", "brl"].includes(sentence.tokens[at]?.folded ?? "");
}

function isHalf(sentence: Sentence, at: number): boolean {
  return ["meio", "meia", "half"].includes(sentence.folded(at));
}

/** Reads an amount without a number before it: "mil", "meio milhão". */
function wordAmountAt(sentence: Sentence, at: number): Numeral | null {
  if (!sentence.free(at)) return null;
  if (sentence.folded(at) === "mil") return { value: 1, to: at };
  if (!isHalf(sentence, at)) return null;
  const to = ["a", "um"].includes(sentence.folded(at + 1)) ? at + 2 : at + 1;
  return factorAt(sentence, to) !== 1 ? { value: 0.5, to } : null;
}

/** A number with its factors and currency. */
export interface Amount extends Numeral {
  /** True if a factor follows. */
  readonly scaled: boolean;
  /** True if the currency is named. */
  readonly money: boolean;
}

/** Returns the amount at a token: "R$ 1,5 milhão", "100 mil reais", "50k", "mil". */
export function amountAt(sentence: Sentence, at: number): Amount | null {
  let from = at;
  while (from < at + 2 && isCurrency(sentence, from)) from++;
  const base = wordAmountAt(sentence, from) ?? numberAt(sentence, from);
  if (base === null) return null;
  let { value, to } = base;
  // The comma of "1,500 milhão" begins decimals, because a factor follows.
  if (factorAt(sentence, to) !== 1 && ENGLISH_GROUPS.test(sentence.tokens[from]?.text ?? "")) {
    value /= 1000;
  }
  for (let factor = factorAt(sentence, to); factor !== 1; factor = factorAt(sentence, to)) {
    value *= factor;
    to++;
  }
  const scaled = to > base.to;
  // "um milhão e meio"
  const factor = factorAt(sentence, to - 1);
  if (scaled && factor >= 1e6 && sentence.folded(to) === "e" && isHalf(sentence, to + 1)) {
    value += factor / 2;
    to += 2;
  }
  ({ value, to } = withHundreds(sentence, { value, to }));
  const skip = sentence.folded(to) === "de" ? 1 : 0;
  const money = from > at || isCurrency(sentence, to + skip);
  if (from === at && money) to += skip + 1;
  return { value: Math.round(value * 100) / 100, to, scaled, money };
}

const COMPARING = new Set(
  (
    "mais de|mais que|menos de|menos que|acima de|abaixo de|pelo menos|ao menos|no minimo|" +
    "no maximo|more than|greater than|higher than|less than|fewer than|at least"
  ).split("|"),
);

/**
 * If comparing words such as "mais de" or "pelo menos" begin at the token, returns the position of
 * the number after them. Otherwise returns `at`.
 */
export function comparedAt(sentence: Sentence, at: number): number {
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  if (!COMPARING.has(`${first} ${second}`)) return at;
  const number = at + 2;
  for (let i = at; i <= number; i++) if (!sentence.free(i)) return at;
  const counted = sentence.tokens[number]?.kind === "number" || numberAt(sentence, number) !== null;
  return counted ? number : at;
}

/**
 * If two comparing words and a number, such as "mais de uma", end directly before a token, returns
 * their start. Otherwise returns `at`.
 */
export function comparedBefore(sentence: Sentence, at: number): number {
  return at >= 3 && comparedAt(sentence, at - 3) === at - 1 ? at - 3 : at;
}
