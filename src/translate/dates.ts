/**
 * The stage of opening dates, ages, capital and limits: everything with a number in it. What comes
 * in: a sentence and the date of the snapshot. What goes out: an interval of opening dates, bounds
 * of the share capital, a limit.
 * Invariant: relative dates count back from the snapshot's date, so that the same words mean the
 * same on the same snapshot; the interval is half open, as in a spec; every number that is taken is
 * claimed with the words that give it its meaning.
 */
import type { Notes } from "./notes.ts";
import type { Sentence } from "./sentence.ts";

/** What the numbers of a sentence set. */
export interface FoundNumbers {
  startedAfter: string | null;
  startedBefore: string | null;
  capitalMin: number | null;
  capitalMax: number | null;
  limit: number | null;
}

const MONTHS: Readonly<Record<string, number>> = {
  ...{ janeiro: 1, fevereiro: 2, marco: 3, abril: 4, maio: 5, junho: 6, julho: 7, agosto: 8 },
  ...{ setembro: 9, outubro: 10, novembro: 11, dezembro: 12 },
};

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  ...{ um: 1, uma: 1, dois: 2, duas: 2, tres: 3, quatro: 4, cinco: 5, seis: 6, sete: 7, oito: 8 },
  ...{ nove: 9, dez: 10, quinze: 15, vinte: 20, trinta: 30, cinquenta: 50, cem: 100 },
};

const UNITS: Readonly<Record<string, "year" | "month" | "day">> = {
  ...{ ano: "year", anos: "year", year: "year", years: "year" },
  ...{ mes: "month", meses: "month", month: "month", months: "month" },
  ...{ dia: "day", dias: "day", day: "day", days: "day" },
};

const FACTORS: Readonly<Record<string, number>> = {
  ...{ mil: 1e3, k: 1e3, milhao: 1e6, milhoes: 1e6, mi: 1e6, mm: 1e6, bilhao: 1e9, bilhoes: 1e9 },
  ...{ million: 1e6, thousand: 1e3 },
};

const SINCE = new Set("desde apos depois since after".split(" "));
const UNTIL = new Set("antes before".split(" "));
const MORE = new Set("mais acima maior maiores superior minimo over above".split(" "));
const LESS = new Set("menos abaixo menor menores inferior ate maximo under below".split(" "));
const OPENED = new Set(
  (
    "aberta abertas aberto abertos abriu abriram fundada fundadas fundado fundados " +
    "criada criadas constituida constituidas iniciada iniciadas abertura opened founded"
  ).split(" "),
);
const SMALL = new Set(
  "de da do das dos a o as os em no na que e ou com entre partir ano the of r".split(" "),
);

/** Day of a calendar date. */
interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** A date with how much of it was said: `2020`, `2020-03` or `2020-03-15`. */
interface Said {
  readonly first: Day;
  /** The day after the last one that it covers. */
  readonly after: Day;
  readonly from: number;
  readonly to: number;
}

/** Finds and claims every number that means something. */
export function findNumbers(sentence: Sentence, snapshotDate: string, notes: Notes): FoundNumbers {
  const found: FoundNumbers = {
    ...{ startedAfter: null, startedBefore: null, capitalMin: null, capitalMax: null, limit: null },
  };
  const today = dayOf(snapshotDate);
  findCapital(sentence, found);
  findAges(sentence, today, found);
  findDates(sentence, found);
  findRecent(sentence, today, { found, notes });
  findLimit(sentence, found);
  return found;
}

/** "capital social acima de 100 mil", "capital entre 10 mil e 1 milhão". */
function findCapital(sentence: Sentence, found: FoundNumbers): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.folded(at) !== "capital" || !sentence.free(at)) continue;
    let to = at + 1;
    let bound: "min" | "max" | null = null;
    const amounts: number[] = [];
    for (; to < sentence.tokens.length && to < at + 14; to++) {
      const word = sentence.folded(to);
      const amount = amountAt(sentence, to);
      if (amount !== null) {
        amounts.push(amount.value);
        to = amount.to - 1;
        if (amounts.length === 2 || sentence.folded(to + 1) !== "e") {
          to++;
          break;
        }
      } else if (MORE.has(word)) bound = "min";
      else if (LESS.has(word)) bound = "max";
      else if (
        !SMALL.has(word) &&
        word !== "social" &&
        word !== "igual" &&
        !isCurrency(sentence, to)
      )
        break;
    }
    if (amounts.length === 0) continue;
    const [first, second] = amounts;
    if (second !== undefined) {
      found.capitalMin = Math.min(first as number, second);
      found.capitalMax = Math.max(first as number, second);
    } else if (bound === "max") found.capitalMax = first as number;
    else found.capitalMin = first as number;
    sentence.claim(at, to, "capital");
  }
}

function isCurrency(sentence: Sentence, at: number): boolean {
  return ["$", "r", "reais"].includes(sentence.tokens[at]?.folded ?? "");
}

function amountAt(sentence: Sentence, at: number): { value: number; to: number } | null {
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at)) return null;
  const number = token.kind === "number" ? decimal(token.text) : NUMBER_WORDS[token.folded];
  const bare = FACTORS[token.folded];
  const base = number ?? (bare !== undefined && token.folded === "mil" ? 1 : undefined);
  if (base === undefined || Number.isNaN(base)) return null;
  let to = number === undefined ? at : at + 1;
  let value = base;
  while (FACTORS[sentence.folded(to)] !== undefined)
    value *= FACTORS[sentence.folded(to++)] as number;
  while (["de", "reais"].includes(sentence.folded(to)) && sentence.folded(to + 1) !== "") {
    if (sentence.folded(to) === "reais" || sentence.folded(to + 1) === "reais") to++;
    else break;
  }
  if (sentence.folded(to) === "reais") to++;
  return { value, to };
}

/** Brazilian notation: points group, a comma begins the cents. */
function decimal(text: string): number {
  return Number(text.replace(/\.(?=\d{3}(\D|$))/g, "").replace(",", "."));
}

/** "há mais de 2 anos", "com menos de 5 anos", "nos últimos 6 meses". */
function findAges(sentence: Sentence, today: Day, found: FoundNumbers): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const count = countAt(sentence, at);
    const unit = UNITS[sentence.folded(at + 1)];
    if (count === null || unit === undefined || !sentence.free(at)) continue;
    const { from, more, last } = leadOfAge(sentence, at);
    const day = text(back(today, count, unit));
    if (last || more === false) found.startedAfter = later(found.startedAfter, day);
    else found.startedBefore = earlier(found.startedBefore, day);
    let to = at + 2;
    while (["de", "atras", "ou"].includes(sentence.folded(to)) && endsAge(sentence, to)) to++;
    for (const word of ["mercado", "existencia", "idade", "atividade", "vida", "funcionamento"]) {
      if (sentence.folded(to) === word) to++;
    }
    sentence.claim(from, to, "date");
  }
}

function endsAge(sentence: Sentence, at: number): boolean {
  const next = sentence.folded(at + 1);
  return (
    sentence.folded(at) === "atras" ||
    ["mercado", "existencia", "idade", "atividade", "vida", "funcionamento"].includes(next)
  );
}

function countAt(sentence: Sentence, at: number): number | null {
  const token = sentence.tokens[at];
  if (token === undefined) return null;
  const value = token.kind === "number" ? Number(token.text) : NUMBER_WORDS[token.folded];
  return value !== undefined && Number.isInteger(value) && value > 0 && value <= 200 ? value : null;
}

/** What the words before "2 anos" make of them. */
function leadOfAge(sentence: Sentence, at: number): { from: number; more: boolean; last: boolean } {
  let from = at;
  let more = true;
  let last = false;
  for (let i = at - 1; i >= Math.max(0, at - 7) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    if (MORE.has(word)) more = true;
    else if (LESS.has(word)) more = false;
    else if (/^ultim[oa]s?$/.test(word) || word === "last" || word === "past") last = true;
    else if (
      !["ha", "tem", "tenham", "tenha"].includes(word) &&
      !OPENED.has(word) &&
      !SMALL.has(word)
    )
      break;
    from = i;
  }
  return { from: trimLead(sentence, from), more, last };
}

/** A small word that joins what is before does not belong to what follows. */
function trimLead(sentence: Sentence, from: number): number {
  return ["e", "ou"].includes(sentence.folded(from)) ? from + 1 : from;
}

/** "desde 2020", "antes de março de 2019", "em 2021", "entre 2015 e 2018", "até 31/12/2020". */
function findDates(sentence: Sentence, found: FoundNumbers): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const said = sentence.free(at) ? dateAt(sentence, at) : null;
    if (said === null) continue;
    const joined = ["e", "a", "ate"].includes(sentence.folded(said.to)) ? said.to + 1 : -1;
    const second = joined < 0 ? null : dateAt(sentence, joined);
    const { from, meaning } = leadOfDate(sentence, at);
    if (second !== null && (meaning === "between" || sentence.folded(said.to) !== "e")) {
      found.startedAfter = later(found.startedAfter, text(said.first));
      found.startedBefore = earlier(found.startedBefore, text(second.after));
      sentence.claim(from, second.to, "date");
      at = second.to - 1;
      continue;
    }
    if (meaning === null) continue;
    if (meaning !== "until" && meaning !== "before") {
      const start = meaning === "after" ? said.after : said.first;
      found.startedAfter = later(found.startedAfter, text(start));
    }
    if (meaning !== "since" && meaning !== "after") {
      const end = meaning === "before" ? said.first : said.after;
      found.startedBefore = earlier(found.startedBefore, text(end));
    }
    sentence.claim(from, said.to, "date");
    at = said.to - 1;
  }
}

type Meaning = "since" | "after" | "before" | "until" | "in" | "between" | null;

function leadOfDate(sentence: Sentence, at: number): { from: number; meaning: Meaning } {
  let meaning: Meaning = null;
  let from = at;
  for (let i = at - 1; i >= Math.max(0, at - 6) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    if (word === "desde" || word === "partir" || word === "since") meaning = "since";
    else if (SINCE.has(word)) meaning = "after";
    else if (UNTIL.has(word)) meaning = "before";
    else if (word === "ate" || word === "until") meaning = "until";
    else if (word === "entre" || word === "between") meaning = "between";
    else if (["em", "no", "in"].includes(word)) meaning ??= "in";
    else if (OPENED.has(word)) meaning ??= "in";
    else if (!SMALL.has(word)) break;
    from = i;
  }
  return { from: trimLead(sentence, from), meaning };
}

function dateAt(sentence: Sentence, at: number): Said | null {
  const token = sentence.tokens[at];
  if (token === undefined) return null;
  const month = MONTHS[token.folded];
  if (month !== undefined) {
    const yearAt = sentence.folded(at + 1) === "de" ? at + 2 : at + 1;
    const year = yearOf(sentence.tokens[yearAt]?.text ?? "");
    return year === null ? null : said(at, yearAt + 1, { year, month });
  }
  if (token.kind !== "number") return null;
  const full = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(token.text);
  if (full !== null) {
    const [, day, monthText, yearText] = full;
    return said(at, at + 1, { year: Number(yearText), month: Number(monthText), day: Number(day) });
  }
  const part = /^(\d{1,2})\/(\d{4})$/.exec(token.text);
  if (part !== null) return said(at, at + 1, { year: Number(part[2]), month: Number(part[1]) });
  const iso = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(token.text);
  if (iso !== null) {
    const [, year, monthText, day] = iso;
    const rest = day === undefined ? {} : { day: Number(day) };
    return said(at, at + 1, { year: Number(year), month: Number(monthText), ...rest });
  }
  const year = yearOf(token.text);
  return year === null ? null : said(at, at + 1, { year });
}

function yearOf(textOfYear: string): number | null {
  return /^(18|19|20)\d{2}$/.test(textOfYear) ? Number(textOfYear) : null;
}

function said(
  from: number,
  to: number,
  { year, month, day }: { year: number; month?: number; day?: number },
): Said | null {
  if (month !== undefined && (month < 1 || month > 12)) return null;
  const first = { year, month: month ?? 1, day: day ?? 1 };
  const date = new Date(Date.UTC(first.year, first.month - 1, first.day));
  if (date.getUTCMonth() !== first.month - 1) return null;
  const after =
    day !== undefined
      ? new Date(Date.UTC(year, first.month - 1, day + 1))
      : month !== undefined
        ? new Date(Date.UTC(year, month, 1))
        : new Date(Date.UTC(year + 1, 0, 1));
  return { first, after: fromDate(after), from, to };
}

/** "recém-abertas", "novas", "antigas": words for an age that nobody has defined. */
function findRecent(
  sentence: Sentence,
  today: Day,
  { found, notes }: { readonly found: FoundNumbers; readonly notes: Notes },
): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    const recent = /^(recente|recentes|recentemente|recem|nov[oa]s?|newly|new)$/.test(word);
    // "mais novas primeiro" is an order.
    if (!recent || !sentence.free(at) || sentence.folded(at - 1) === "mais") continue;
    const to = OPENED.has(sentence.folded(at + 1)) ? at + 2 : at + 1;
    const day = text(back(today, 12, "month"));
    found.startedAfter = later(found.startedAfter, day);
    const from = OPENED.has(sentence.folded(at - 1)) && sentence.free(at - 1) ? at - 1 : at;
    notes.assume(
      "recent",
      {
        pt: `Abertas nos últimos 12 meses (desde ${day}).`,
        en: `Opened within 12 months (since ${day}).`,
      },
      sentence.claim(from, to, "date"),
    );
  }
}

/** "10 padarias", "top 50", "as 20 maiores": a number that counts accounts. */
function findLimit(sentence: Sentence, found: FoundNumbers): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const token = sentence.tokens[at];
    if (token?.kind !== "number" || !sentence.free(at) || found.limit !== null) continue;
    const value = decimal(token.text);
    const before = sentence.folded(at - 1);
    const led = ["top", "primeiras", "primeiros", "ate", "lista", "liste", "first"].includes(
      before,
    );
    const listed = before === "de" && ["lista", "relacao"].includes(sentence.folded(at - 2));
    const asked = ["as", "os", "me", "quero", "busque", "liste", "traga", "mostre"].includes(
      before,
    );
    const counts = (led || at === 0 || listed || asked) && !measures(sentence, at + 1);
    const plain = /^\d{1,3}(\.?\d{3})*$/.test(token.text) && Number.isInteger(value);
    if (!plain || !counts || value < 1 || value > 50_000) continue;
    found.limit = value;
    sentence.claim(led && sentence.free(at - 1) ? at - 1 : at, at + 1, "limit");
  }
}

/** "1 milhão", "10 km", "5 funcionários": the number counts something else than accounts. */
function measures(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (FACTORS[word] !== undefined || UNITS[word] !== undefined) return true;
  return /^(km|quilometros?|metros?|funcionari[oa]s?|empregad[oa]s?|reais|socios?|%)$/.test(word);
}

function dayOf(date: string): Day {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return { year, month, day };
}

function fromDate(date: Date): Day {
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Counts back whole years, months or days; the last day of a month stays in its month. */
function back({ year, month, day }: Day, count: number, unit: "year" | "month" | "day"): Day {
  if (unit === "day") return fromDate(new Date(Date.UTC(year, month - 1, day - count)));
  const months = year * 12 + month - 1 - count * (unit === "year" ? 12 : 1);
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const last = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  return { year: toYear, month: toMonth, day: Math.min(day, last) };
}

function text({ year, month, day }: Day): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

function later(old: string | null, day: string): string {
  return old !== null && old > day ? old : day;
}

function earlier(old: string | null, day: string): string {
  return old !== null && old < day ? old : day;
}
