/**
 * Reads ages: "há mais de 2 anos", "nos últimos 6 meses", "entre 2 e 5 anos".
 * Input: a sentence and the snapshot's day. Output: bounds of the opening date.
 * Invariant: ages count back from the snapshot's day. "Older than" sets the end of the interval,
 * "younger than" its start. A number of years without such words is not read as an age.
 */

import { isInTrade } from "../items.ts";
import { reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import type { DatedEvent } from "./bounds.ts";
import { CLOSED, eventsOf, isOfEnd, type NumberContext, OPENED } from "./dates.ts";
import { back, type Day } from "./mentioneddates.ts";
import { numberAt } from "./numbers.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Lengths of the units of time, in months or days. */
const UNITS: Readonly<Record<string, Length>> = {
  ...{ ano: { months: 12 }, anos: { months: 12 }, year: { months: 12 }, years: { months: 12 } },
  ...{ mes: { months: 1 }, meses: { months: 1 }, month: { months: 1 }, months: { months: 1 } },
  ...{ semestre: { months: 6 }, semestres: { months: 6 }, trimestre: { months: 3 } },
  ...{ trimestres: { months: 3 }, bimestre: { months: 2 }, decada: { months: 120 } },
  ...{ decadas: { months: 120 }, decade: { months: 120 }, decades: { months: 120 } },
  ...{ seculo: { months: 1200 }, dia: { days: 1 }, dias: { days: 1 }, day: { days: 1 } },
  ...{ days: { days: 1 }, semana: { days: 7 }, semanas: { days: 7 }, week: { days: 7 } },
  ...{ weeks: { days: 7 }, quinzena: { days: 15 } },
};

interface Length {
  readonly months?: number;
  readonly days?: number;
}

/** Maximum age in years. No company in the registry is older. */
const YEARS_MAX = 200;

const MORE = wordSet(
  "mais more acima superior minimo minima over above least maior maiores partir",
);
const LESS = wordSet(
  "menos abaixo inferior ate maximo maxima under below most within menor menores less fewer up",
);
const OLDER = wordSet("velhas velhos velha velho antigas antigos antiga antigo older");
const YOUNGER = wordSet("novas novos nova novo jovens jovem recentes recente younger newer");
const LAST = wordSet("ultimo ultima ultimos ultimas last past");
const SMALL = wordSet(
  "cerca aproximadamente uns umas quase ha faz com tem tenha tenham de do da dos das que no " +
    "na nos nas em o os a as pelo ao entre idade " +
    "than at for old in the from is are has have existem existe atuam atuando abertas por igual " +
    "foram ser sejam between e ou mercado",
);
const AGE_WORDS = wordSet("ha faz com tem tenham tenha idade for with entre between");
/** Words after a number of years that show that it is an age of a company. */
const TAILS = wordSet(
  "mercado existencia idade atividade atividades vida funcionamento abertura fundacao operacao " +
    "experiencia historia estrada atuacao cnpj tradicao old age business operation existence",
);
/** Words that show that an age is one of people, not of a company. */
const PEOPLE = wordSet(
  "para criancas alunos idosos bebes pessoas jovens publico adultos menores garantia",
);

interface Span {
  readonly months: number;
  readonly days: number;
  readonly to: number;
}

/** Finds and claims every age. */
export function findAges(context: NumberContext): void {
  const { sentence } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "mark" || !sentence.free(at)) continue;
    const read = rangeAt(sentence, at) ?? spanAt(sentence, at) ?? lastAt(sentence, at);
    if (read !== null) at = Math.max(at, take(context, at, read) - 1);
  }
}

interface Read {
  readonly span: Span;
  /** The upper end of a range. */
  readonly second?: Span;
  /** True if the unit needs no number, as in "última semana". */
  readonly bare?: true;
}

/** Reads a time span: "2 anos", "um ano e meio", "1 ano e 6 meses", "meio século", "uma década". */
function spanAt(sentence: Sentence, at: number): Read | null {
  const one = simpleAt(sentence, at);
  if (one === null) return null;
  if (sentence.folded(one.to) !== "e") return { span: one };
  if (["meio", "meia"].includes(sentence.folded(one.to + 1))) {
    return { span: { ...one, months: one.months * 1.5, to: one.to + 2 } };
  }
  const half = otherBound(sentence, at, one);
  if (half !== null) return half;
  const second = simpleAt(sentence, one.to + 1);
  if (second === null) return { span: one };
  if (isBetween(sentence, at)) return { span: one, second };
  if (second.months >= one.months) return { span: one };
  const { months, days, to } = second;
  return { span: { months: one.months + months, days: one.days + days, to } };
}

/** Reads a second bound with the unit of the first: "mais de 10 anos e menos de 20". */
function otherBound(sentence: Sentence, at: number, one: Span): Read | null {
  const small = (i: number) => ["de", "que", "than"].includes(sentence.folded(i));
  const first = sentence.folded(small(at - 1) ? at - 2 : at - 1);
  const other = sentence.folded(one.to + 1);
  const rises = MORE.has(first) && LESS.has(other);
  if (!rises && !(LESS.has(first) && MORE.has(other))) return null;
  const number = numberAt(sentence, one.to + (small(one.to + 2) ? 3 : 2));
  if (number === null) return null;
  const next = sentence.tokens[number.to];
  if (next?.kind === "number" || (next?.kind === "word" && !SMALL.has(next.folded))) return null;
  const length = lengthOf(sentence, number.value, one.to - 1);
  if (length === null) return null;
  const two = { ...length, to: number.to };
  const longer = two.months + two.days / 31 > one.months + one.days / 31;
  if (rises !== longer) return null;
  return rises ? { span: one, second: two } : { span: two, second: { ...one, to: two.to } };
}

function simpleAt(sentence: Sentence, at: number): Span | null {
  const half = ["meio", "meia"].includes(sentence.folded(at));
  const number = half ? { value: 0.5, to: at + 1 } : numberAt(sentence, at);
  if (number === null) return null;
  const plus = sentence.tokens[number.to]?.folded === "+" ? 1 : 0;
  return lengthOf(sentence, number.value, number.to + plus);
}

function lengthOf(sentence: Sentence, count: number, at: number): Span | null {
  const word = sentence.folded(at);
  const unit = Object.hasOwn(UNITS, word) ? (UNITS[word] as Length) : null;
  if (unit === null || !sentence.free(at)) return null;
  const [months, days] = [count * (unit.months ?? 0), count * (unit.days ?? 0)];
  const whole = Number.isInteger(months) && Number.isInteger(days) && months + days > 0;
  const short = months <= YEARS_MAX * 12 && days <= YEARS_MAX * 365;
  return whole && short ? { months, days, to: at + 1 } : null;
}

/** Reads a range: "entre 2 e 5 anos", "de 2 a 5 anos", "2-5 anos". */
function rangeAt(sentence: Sentence, at: number): Read | null {
  const token = sentence.tokens[at];
  const glued = token?.kind === "number" ? /^(\d{1,2})-(\d{1,2})$/.exec(token.text) : null;
  if (glued !== null) {
    const span = lengthOf(sentence, Number(glued[1]), at + 1);
    const second = lengthOf(sentence, Number(glued[2]), at + 1);
    return span === null || second === null ? null : { span, second };
  }
  const low = numberAt(sentence, at);
  if (low === null || !["e", "a", "ate", "ou", "and", "to", "or"].includes(sentence.folded(low.to)))
    return null;
  let at2 = low.to + 1;
  while (
    at2 < low.to + 4 &&
    (LESS.has(sentence.folded(at2)) ||
      MORE.has(sentence.folded(at2)) ||
      sentence.folded(at2) === "de")
  )
    at2++;
  const high = numberAt(sentence, at2);
  const second = high === null ? null : lengthOf(sentence, high.value, high.to);
  if (second === null || high === null || high.value === low.value) return null;
  const span = lengthOf(sentence, low.value, high.to);
  if (span === null) return null;
  // If the upper bound comes first, as in "menos de 5 e mais de 2 anos", the bounds are swapped.
  const turned = high.value < low.value;
  if (turned && at2 === low.to + 1) return null;
  return turned ? { span: { ...second }, second: { ...span, to: second.to } } : { span, second };
}

/** Reads "na última semana", "no último ano". */
function lastAt(sentence: Sentence, at: number): Read | null {
  if (!LAST.has(sentence.folded(at - 1)) || !sentence.free(at - 1)) return null;
  const span = lengthOf(sentence, 1, at);
  // "last year" is the previous calendar year, but "in the last year" is twelve months.
  if (sentence.folded(at - 1) === "last" && sentence.folded(at - 2) !== "the") return null;
  // A plural without a number, such as "nos últimos meses", states no length.
  const isSeveral = /(?<!^me)s$/.test(sentence.folded(at));
  return span === null || isSeveral ? null : { span, bare: true };
}

function isBetween(sentence: Sentence, at: number): boolean {
  return ["entre", "between"].includes(sentence.folded(at - 1));
}

interface Lead {
  readonly from: number;
  readonly side: "more" | "less" | null;
  readonly last: boolean;
  /** True if a word shows that the number of years is an age. */
  readonly isAge: boolean;
  /** True if the time is not the age of a company. */
  readonly other: boolean;
  /** True for an age although "baixadas" precedes it: "baixadas, abertas há 2 anos". */
  readonly own: boolean;
}

/** Sets the bounds for an age. Returns the position after it. */
function take(context: NumberContext, at: number, { span, second }: Read): number {
  const { sentence, notes } = context;
  const lead = leadOf(sentence, at);
  const end = second ?? span;
  const tail = tailOf(sentence, end.to);
  const isAge = lead.side !== null || lead.last || lead.isAge || tail.isAge || second !== undefined;
  const whose = sentence.folded(lead.from - 1);
  if (
    !isAge ||
    (PEOPLE.has(whose) && !isInTrade(sentence, lead.from - 1, lead.from)) ||
    (second !== undefined && !lead.isAge && !tail.isAge && lead.side === null)
  )
    return end.to;
  const events = eventsOf(context, { from: lead.from, opened: lead.own }, tail.to);
  if (lead.other && events === null) {
    const detail = { pt: "Não há filtro por esse tempo.", en: "No filter takes this time." };
    notes.addUnmapped("other_date", detail, sentence.claim(lead.from, tail.to, "unmapped"));
    return tail.to;
  }
  const side = tail.side ?? lead.side;
  const taken = { ...lead, at, to: tail.to, side, events: events ?? OPENING };
  apply(context, taken, [span, second]);
  return tail.to;
}

interface Taken extends Lead {
  readonly at: number;
  readonly to: number;
  readonly events: readonly DatedEvent[];
}

const OPENING: readonly DatedEvent[] = ["opened"];

function apply(
  context: NumberContext,
  taken: Taken,
  [span, second]: [Span, Span | undefined],
): void {
  const { sentence, notes, bounds, today } = context;
  const { from, at, to, side, last } = taken;
  const reach =
    reachOf(sentence, from).negator >= 0 ? reachOf(sentence, from) : reachOf(sentence, at);
  const negated = reach.polarity === "negated" && !bounds.left.has(reach.negator);
  if (negated) claimNegation(sentence, reach.negator, from);
  if (negated && second !== undefined) {
    const detail = {
      pt: "Nenhum filtro exclui um período no meio.",
      en: "No filter excludes a period in between.",
    };
    notes.addUnmapped("excluded_period", detail, sentence.claim(from, to, "unmapped"));
    return;
  }
  const words = sentence.claim(from, to, "date");
  const day = ago(today, span);
  const younger = (last || side === "less") !== negated;
  for (const event of taken.events) {
    if (second !== undefined) bounds.happened(event, ago(today, second), day, words);
    else bounds.happened(event, younger ? day : null, younger ? null : day, words);
  }
  if (second !== undefined) return;
  if (side === null && !last) {
    notes.assume(
      "at_least",
      { pt: "Entendido como pelo menos.", en: "Taken for at least." },
      words,
    );
  }
}

function ago(today: Day, { months, days }: Span): Day {
  return back(back(today, months, "month"), days, "day");
}

/** Reads the words before an age, such as "mais de". They make it a minimum or a maximum. */
function leadOf(sentence: Sentence, at: number): Lead {
  let side: Lead["side"] = null;
  let from = at;
  let [last, isAge, other, adjective] = [false, false, false, false];
  // In "baixadas, abertas há 2 anos" and "baixadas com mais de 5 anos", the time does not count
  // from the closing.
  let own = false;
  for (let i = at - 1; i >= Math.max(0, at - 8) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    // Words of a trade are not read: "ensino superior com 5 anos", "promoção de vendas".
    if (isInTrade(sentence, i, i + 1)) break;
    if (CLOSED.has(word) && !own) other = true;
    if (CLOSED.has(word)) break;
    if (OLDER.has(word) || YOUNGER.has(word)) {
      side = OLDER.has(word) ? "more" : "less";
      adjective = true;
    } else if (LESS.has(word)) {
      const least = word === "menos" && ["pelo", "ao"].includes(sentence.folded(i - 1));
      if (!adjective) side = least ? "more" : "less";
    } else if (MORE.has(word)) {
      if (!adjective) side = "more";
    } else if (LAST.has(word)) last = true;
    else if (OPENED.has(word)) isAge = true;
    else if (!SMALL.has(word) && !/^[:=]$/.test(sentence.tokens[i]?.text ?? "")) break;
    if (AGE_WORDS.has(word)) isAge = true;
    own ||= OPENED.has(word) || word === "com" || word === "with";
    from = i;
  }
  if (!own && isOfEnd(sentence, from)) other = true;
  // In "crescimento acima de 20% no último ano", the time is not an age.
  if (sentence.tokens[from - 1]?.text === "%") other = true;
  return { from: trimmed(sentence, from, at), side, last, isAge, other, own };
}

const TRIMMED = wordSet("e ou com a o as os");

/** Returns the position after joining words at `from` that belong to the text before the age. */
function trimmed(sentence: Sentence, from: number, at: number): number {
  let start = from;
  while (start < at - 1 && TRIMMED.has(sentence.folded(start)) && !isCompared(sentence, start))
    start++;
  return start;
}

/** True if the word at `at` begins a comparison, as "com" does in "com mais de". */
function isCompared(sentence: Sentence, at: number): boolean {
  const next = sentence.folded(at + 1);
  const numeral = sentence.tokens[at + 1]?.kind === "number";
  return (
    sentence.folded(at) === "com" &&
    (numeral || MORE.has(next) || LESS.has(next) || next === "entre")
  );
}

interface Tail {
  readonly to: number;
  readonly isAge: boolean;
  readonly side: Lead["side"];
}

/** Reads the words after an age: "ou mais", "de mercado", "atrás", "pra cima". */
function tailOf(sentence: Sentence, at: number): Tail {
  let to = at;
  let side: Lead["side"] = null;
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  if (["ou", "or"].includes(first)) {
    if (["mais", "more", "older"].includes(second)) side = "more";
    if (["menos", "less", "younger"].includes(second)) side = "less";
    if (side !== null) to = at + 2;
  }
  if (["para", "pra"].includes(first) && ["cima", "ca"].includes(second)) {
    side = second === "cima" ? "more" : "less";
    to = at + 2;
  }
  if (sentence.tokens[at - 2]?.folded === "+") side ??= "more";
  let isAge = side !== null;
  if (["atras", "ago", "old"].includes(sentence.folded(to))) {
    to++;
    isAge = true;
  }
  for (let skip = 0; skip < 3; skip++) {
    if (!TAILS.has(sentence.folded(to + skip))) continue;
    const small = sentence.tokens.slice(to, to + skip).every(({ folded }) => SMALL.has(folded));
    if (small) return { to: to + skip + 1, isAge: true, side };
  }
  return { to, isAge, side };
}
