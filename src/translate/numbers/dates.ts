/**
 * Reads opening dates, and dates of a closing or of leaving a regime.
 * Input: a sentence and the snapshot's day. Output: bounds of these dates.
 * Invariant: the interval is half open, as in a spec. A date is marked as read together with the
 * words that define its meaning. A date is reported and not applied if it belongs to another event,
 * does not exist, or contradicts another date. After a word for a closing, a date is the date of
 * the closing. Places and trades may stand between them ("baixadas em Recife em 2023", "inactive
 * bakeries since 2020"), but another verb, "com", or punctuation may not.
 */
import { FILTER_PHRASES } from "../filters/table.ts";
import { isInTrade, kindAt } from "../items.ts";
import { type Reach, reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import { foldWord } from "../words/tokens.ts";
import { type Bounds, contradict, type DatedEvent } from "./bounds.ts";
import {
  back,
  type Day,
  dateAt,
  dayText,
  type MentionedDate,
  type Period,
} from "./mentioneddates.ts";

/** Input of the stages that read numbers. */
export interface NumberContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly bounds: Bounds;
  /** The snapshot's day. */
  readonly today: Day;
}

const wordSet = (words: string) => new Set(words.split(" "));

/** Words for the opening of a company. */
export const OPENED = wordSet(
  "aberta abertas aberto abertos abriu abriram fundada fundadas fundado fundados criada criadas " +
    "criado criados constituida constituidas constituido constituidos iniciada iniciadas " +
    "criaram criou fundaram fundou inauguraram inaugurou iniciado iniciados iniciaram iniciou " +
    "abertura fundacao inicio atividade atividades " +
    "nascida nascidas surgiram " +
    "surgida surgidas registrada registradas registrado registrados inscritas inaugurada " +
    "inauguradas inaugurado inaugurados " +
    "comecaram opened founded created established started registered existem existe existindo " +
    "founding formed incorporated existed existing",
);
const SMALL = wordSet(
  "de da do das dos a o as os em no na nos nas que e ou com entre ano anos mes year the of r " +
    "foram foi " +
    "sido data dia date year meados were was on durante ao longo somente so apenas from not",
);
/** Events that have no defined date. */
const EVENTS = wordSet("pandemia covid quarentena lockdown crise");

type Meaning = "since" | "after" | "before" | "until" | "in" | "between" | null;
const MEANINGS: Readonly<Record<string, Exclude<Meaning, null>>> = {
  ...{ desde: "since", partir: "since", since: "since", from: "since", apos: "after" },
  ...{ depois: "after", after: "after", posterior: "after", posteriores: "after", later: "after" },
  ...{ antes: "before", before: "before", anterior: "before", anteriores: "before" },
  ...{ prior: "before", earlier: "before", ate: "until", until: "until", till: "until" },
  ...{ entre: "between", between: "between", pre: "before", pos: "after" },
  ...{ anterioridade: "before", posterioridade: "after" },
};

interface Lead {
  readonly from: number;
  readonly meaning: Meaning;
  /** True if one of the words names the opening. */
  readonly opened: boolean;
  /** True if the date is that of another event than the opening. */
  readonly other: boolean;
  /** "de 2018 a 2020". */
  readonly of: boolean;
  /** "no fim de 2020". */
  readonly vague: boolean;
}

/** Words that may stand between the opening and its date: "cuja data de abertura seja 2022". */
const LINKS = wordSet("than data igual seja is be");
const VAGUE = wordSet("fim final comeco inicio meados");

/** Reads every date and marks it as read: "desde 2020", "entre 2015 e 2018", "recém-abertas". */
export function findDates(context: NumberContext): void {
  const { sentence, today } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "mark" || !sentence.free(at)) continue;
    if (EVENTS.has(sentence.folded(at))) at = leaveEvent(context, at);
    else {
      const date = dateAt(sentence, at, today);
      if (date !== null) at = takeDate(context, at, date) - 1;
    }
  }
  findVague(context);
}

/**
 * Adds a note for an event such as "antes da pandemia" and marks it as read, with the words before
 * it. Returns the position after it.
 */
function leaveEvent({ sentence, notes }: NumberContext, at: number): number {
  const { from, meaning } = leadOf(sentence, at);
  if (meaning === null) return at;
  const detail = { pt: "Não é uma data do registro.", en: "This is no date of the registry." };
  notes.addUnmapped("event", detail, sentence.claim(from, at + 1, "unmapped"));
  return at;
}

/** Sets the bounds for a date, as the words next to it demand. Returns the position after it. */
function takeDate(context: NumberContext, at: number, date: MentionedDate): number {
  const { sentence, notes } = context;
  const lead = leadOf(sentence, at);
  const range = rangeAt(context, date, lead);
  const tail = tailOf(sentence, date.to);
  const meaning: Meaning =
    tail.meaning ?? lead.meaning ?? (isAboutCompanies(sentence, at, date) ? "in" : null);
  const to = range?.to ?? tail.to;
  // A date directly after a word for a closing needs no preposition: "que fecharam este ano".
  const closed = CLOSED.has(sentence.folded(at - 1)) && date.relative === true;
  const verb = openedBefore(sentence, lead.from);
  const isFar = verb >= 0 && meaning === null && date.relative === true;
  if (meaning === null && range === null && !closed && !isFar) return date.to;
  // In "abertas em Natal este ano", a place separates the verb from its date.
  if (verb >= 0 && (isFar || meaning === "in")) sentence.claim(verb, verb + 1, "date");
  const periods = [date.period, ...(range === null ? [] : [range.period])];
  if (periods.includes(null)) {
    const words = sentence.claim(lead.from, to, "unmapped");
    const detail = { pt: "Esta data não existe.", en: "This date does not exist." };
    notes.warn("impossible_date", detail, words);
    notes.addUnmapped("impossible_date", detail, words);
    return to;
  }
  // "padarias em 2020 baixadas"
  const ended = !lead.opened && CLOSED.has(sentence.folded(to));
  const events = eventsOf(context, lead, to);
  // "optantes do Simples desde 2020" states the date of entry into the regime.
  const regime = /^(simples|nacional|simei)$/.test(sentence.folded(lead.from - 1));
  const isOther = lead.other || ended || closed || (regime && !lead.opened && meaning === "since");
  if (isOther && events === null) {
    const detail = {
      pt: "Não há filtro por essa data, só pela de abertura, da situação ou da saída do regime.",
      en: "No filter takes this date, only that of the opening, the status, or a left regime.",
    };
    notes.addUnmapped("other_date", detail, sentence.claim(lead.from, to, "unmapped"));
    return to;
  }
  const [start, second] = periods as [Period, Period | undefined];
  // In "entre março e junho de 2021", the first month takes the year of the second. A first date
  // with a day already has a year.
  const isShared = date.yearless && second !== undefined && start.first.day === 1;
  const isMonth = isShared && dayText(start.after) !== dayText(back(start.first, -1, "day"));
  const year = isMonth ? (second?.first.year ?? start.first.year) : start.first.year;
  const first = { ...start.first, year };
  const known: MentionedDate = { period: start, to: date.to, ...(second ? {} : date) };
  const span: Taken = {
    ...{ ...lead, at, to, mention: known, events: events ?? OPENING },
    meaning: range ? "between" : (meaning ?? "in"),
  };
  apply(context, span, { first, after: (second ?? start).after });
  return listed(context, to, span);
}

/**
 * Returns the position of a verb of opening that only a place separates from a date: "opened" in
 * "opened in Natal in 2020". Returns -1 if there is none.
 */
function openedBefore(sentence: Sentence, from: number): number {
  let isPlaced = false;
  for (let at = from - 1; at >= Math.max(0, from - REACH); at--) {
    const isPlace = sentence.owner(at) === "place";
    isPlaced ||= isPlace;
    if (isPlace || BETWEEN.has(sentence.folded(at))) continue;
    const isVerb = OPENED.has(sentence.folded(at)) && sentence.free(at);
    return isVerb && isPlaced && !isInTrade(sentence, at, at + 1) ? at : -1;
  }
  return -1;
}

/**
 * True for a date that describes companies without other words, such as "padarias dos anos 90".
 * False for "vender mais este mês".
 */
function isAboutCompanies(sentence: Sentence, at: number, { relative }: MentionedDate): boolean {
  const own = /^[nd]/.test(sentence.folded(at)) || sentence.tokens[at]?.kind === "number";
  return (
    relative === true && (own || ["de", "da", "do", "dos", "das"].includes(sentence.folded(at - 1)))
  );
}

/** Events of a date if the words next to it name none. */
const OPENING: readonly DatedEvent[] = ["opened"];

interface Taken extends Lead {
  readonly at: number;
  readonly to: number;
  readonly mention: MentionedDate;
  readonly events: readonly DatedEvent[];
}

/**
 * Returns the events that the words next to a date name, such as leaving a regime. Returns null if
 * there are none or if no filter takes their dates.
 */
export function eventsOf(
  { sentence, bounds }: NumberContext,
  { from, opened }: Pick<Lead, "from" | "opened">,
  to: number,
): readonly DatedEvent[] | null {
  if (opened) return null;
  const before = ownerBefore(sentence, from, (at) => bounds.left.has(at));
  const after = /^(?:que|which|that)$/.test(sentence.folded(to)) ? to + 1 : to;
  for (const at of [before, after]) {
    const left = bounds.left.get(at);
    if (left !== undefined) return left;
    const isClosing = CLOSED.has(sentence.folded(at)) || endsStatus(sentence, at);
    if (at >= 0 && isClosing && isPlainStatus(sentence, at)) return ["status"];
  }
  return null;
}

/** True for a word of a required status, such as "baixadas". False for "faturamento". */
function isPlainStatus(sentence: Sentence, at: number): boolean {
  for (let start = at; start > at - STATUS_MAX; start--) {
    const phrase = FILTER_PHRASES.longest(sentence.tokens, start);
    if (phrase?.value.role === "status" && phrase.to > at) {
      return reachOf(sentence, start).polarity === "plain";
    }
  }
  return false;
}

/** Maximum words of a phrase for a status: "went out of business". */
const STATUS_MAX = 5;
const ACTIVE = /^(?:ativ|activ|oper|func|em|still|open|in|currently)/;

/** True for the last word of a phrase for any status but the active one: "dadas de baja". */
function endsStatus(sentence: Sentence, at: number): boolean {
  if (sentence.tokens[at]?.kind !== "word") return false;
  for (let start = at; start > at - STATUS_MAX; start--) {
    const phrase = FILTER_PHRASES.longest(sentence.tokens, start);
    if (phrase?.value.role === "status" && phrase.to === at + 1) {
      return !ACTIVE.test(sentence.folded(start));
    }
  }
  return false;
}

/** Sets the bounds for a date. If the date is negated, sets the opposite bounds. */
function apply(context: NumberContext, taken: Taken, { first, after }: Period): void {
  const { sentence, notes, bounds, today } = context;
  const { from, at, to, meaning } = taken;
  const reach = reachWithin(sentence, from, at);
  // "excluídas" in "excluídas do Simples em 2025" is no negator here.
  const negated = reach.polarity === "negated" && !bounds.left.has(reach.negator);
  if (negated) claimNegation(sentence, reach.negator, from);
  const inside = meaning === "in" || meaning === "between";
  if (reach.polarity === "open" || (negated && inside)) {
    const detail = {
      pt: "Nenhum filtro exclui um período no meio.",
      en: "No filter excludes a period in between.",
    };
    const begin = negated ? Math.min(from, reach.negator) : from;
    notes.addUnmapped("excluded_period", detail, sentence.claim(begin, to, "unmapped"));
    return;
  }
  const words = sentence.claim(from, to, "date");
  const low = meaning === "after" ? after : meaning === "since" || inside ? first : null;
  // A relative period such as "este ano" may not have ended yet, so it has no upper bound.
  const running = taken.mention.relative && dayText(after) > dayText(today);
  const upTo = meaning === "until" || (inside && !running) ? after : null;
  const high = meaning === "before" ? first : upTo;
  const begin = negated ? high : low;
  const end = negated ? low : high;
  for (const event of taken.events) bounds.happened(event, begin, end, words);
  if (begin !== null && dayText(begin) > dayText(today)) {
    const detail = {
      pt: "Depois da data do snapshot: nenhuma empresa.",
      en: "Later than the snapshot: no company matches.",
    };
    notes.warn("future_date", detail, words);
  }
  if (taken.vague && inside) {
    const detail = { pt: "Entendido como todo o período.", en: "Taken for the whole period." };
    notes.assume("vague_date", detail, words);
  }
  if (taken.mention.yearless) assumeYear(notes, first, words);
}

/**
 * Returns how negation applies to a date. The negator may be one of the words before the date:
 * "not" in "opened not later than 2020".
 */
function reachWithin(sentence: Sentence, from: number, at: number): Reach {
  let inside = from;
  while (inside < at && reachOf(sentence, inside).negator < 0) inside++;
  return reachOf(sentence, inside);
}

function assumeYear(notes: Notes, { year }: Day, words: Words): void {
  notes.assume("year", { pt: `Ano: ${year}.`, en: `Year: ${year}.` }, words);
}

/** Reads the second date of a range: "entre março e junho de 2021", "de 2018 a 2020". */
function rangeAt(
  { sentence, today }: NumberContext,
  date: MentionedDate,
  { meaning, of }: Lead,
): { period: Period | null; to: number } | null {
  const join = sentence.folded(date.to);
  const and = ["e", "and"].includes(join) && meaning === "between";
  const isYears = [date.to - 1, date.to + 1].every((at) => isYearAt(sentence, at));
  const isStated = of || meaning !== null || isYears;
  const through = ["a", "ate", "to", "until", "through"].includes(join) && isStated;
  if (!and && !through) return null;
  let at = date.to + 1;
  while (["o", "a", "de"].includes(sentence.folded(at))) at++;
  const second = dateAt(sentence, at, today);
  if (second === null) return null;
  return { period: second.period, to: second.to };
}

/** "2018 a 2020" needs no "de". */
function isYearAt({ tokens }: Sentence, at: number): boolean {
  return /^(?:19|20)\d\d$/.test(tokens[at]?.text ?? "");
}

/**
 * Reads words after a date that extend it to today ("2020 em diante", "2022 ou posterior") or to
 * all earlier dates ("2010 ou antes"). The meaning is null if there are none.
 */
function tailOf(sentence: Sentence, at: number): { meaning: "since" | "until" | null; to: number } {
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  const meaning = TAILS.get(`${first} ${second}`);
  if (meaning !== undefined) return { meaning, to: at + 2 };
  // "2022 ou mais recente"
  if (/^(?:ou|or) mais$/.test(`${first} ${second}`)) {
    const isLater = /^(?:recentes?|nov[oa]s?|tarde)$/.test(sentence.folded(at + 2));
    if (isLater || /^(?:antig[oa]s?|velh[oa]s?|cedo)$/.test(sentence.folded(at + 2))) {
      return { meaning: isLater ? "since" : "until", to: at + 3 };
    }
  }
  const isOnward = ["onwards", "onward"].includes(first);
  return isOnward ? { meaning: "since", to: at + 1 } : { meaning: null, to: at };
}

const TAILS = new Map<string, "since" | "until">([
  ...tails("since", "em diante|para ca|pra ca|para frente|pra frente|ate hoje|ate agora"),
  ...tails("since", "or later|or after|or newer|ou posterior|ou posteriores|ou depois|ou apos"),
  ...tails("until", "or earlier|or before|or older|ou anterior|ou anteriores|ou antes"),
]);

function tails<Side extends "since" | "until">(side: Side, phrases: string): [string, Side][] {
  return phrases.split("|").map((phrase): [string, Side] => [phrase, side]);
}

/**
 * Reads the further dates of a list ("em 2019, 2020 ou 2021"). Adjacent periods are merged; other
 * dates are reported as contradictions.
 */
function listed(context: NumberContext, from: number, taken: Taken): number {
  const { sentence, notes, bounds, today } = context;
  if (taken.meaning !== "in") return from;
  let to = from;
  for (;;) {
    const mark = sentence.tokens[to]?.text === ",";
    let at = to + (mark ? 1 : 0);
    const joined = mark || ["e", "ou", "and", "or"].includes(sentence.folded(at));
    if (["e", "ou", "and", "or"].includes(sentence.folded(at))) at++;
    if (["em", "in"].includes(sentence.folded(at))) at++;
    const next = joined ? dateAt(sentence, at, today) : null;
    if (next === null || next.period === null || next.yearless) return to;
    const words = sentence.claim(to, next.to, "date");
    const { first, after } = next.period;
    const joins = taken.events.map((event) => bounds.continued(event, first, after));
    if (joins.includes(false)) contradict(notes, words);
    to = next.to;
  }
}

function leadOf(sentence: Sentence, at: number): Lead {
  let meaning: Meaning = null;
  let from = at;
  let [opened, other, of, vague] = [false, false, false, false];
  for (let i = at - 1; i >= Math.max(0, at - 7) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    if (isInTrade(sentence, i, i + 1)) break;
    if (CLOSED.has(word) && !opened) other = true;
    if (CLOSED.has(word)) break;
    if (VAGUE.has(word) && !sentence.folded(i + 2).startsWith("atividade")) {
      vague = true;
      from = i;
      continue;
    }
    if (Object.hasOwn(MEANINGS, word) && (meaning === null || meaning === "in")) {
      meaning = MEANINGS[word] as Meaning;
    } else if (["em", "no", "na", "nos", "nas", "in", "durante", "during"].includes(word))
      meaning ??= "in";
    else if (OPENED.has(word) && !endsWork(sentence, i)) {
      meaning ??= "in";
      opened = true;
    } else if (!SMALL.has(word) && !LINKS.has(word)) {
      if (!/^[:=]$/.test(sentence.tokens[i]?.text ?? "") && !endsWork(sentence, i)) break;
    }
    if (word === "de" && i === at - 1) of = true;
    if (word === "ano" && i >= at - 2) meaning ??= "in";
    from = i;
  }
  if (!opened && isOfEnd(sentence, from)) other = true;
  return { from: trimmed(sentence, from, at), meaning, opened, other, of, vague };
}

/** True for "atividades" in "encerraram as atividades". */
function endsWork(sentence: Sentence, at: number): boolean {
  if (!/^(?:atividades?|operacoes|operations|portas|doors)$/.test(sentence.folded(at)))
    return false;
  return CLOSED.has(sentence.folded(at - 1)) || CLOSED.has(sentence.folded(at - 2));
}

/** Returns the position after joining words at `from` that belong to the text before the date. */
function trimmed(sentence: Sentence, from: number, at: number): number {
  let start = from;
  while (start < at && TRIMMED.has(sentence.folded(start))) start++;
  return start;
}

const TRIMMED = wordSet("e ou com so apenas somente and");

/** Reads words for an age without a number: "recém-abertas", "novas", "antigas". */
function findVague(context: NumberContext): void {
  const { sentence, notes } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "mark") continue;
    const word = sentence.folded(at);
    if (!sentence.free(at) || ["mais", "menos", "more", "most"].includes(sentence.folded(at - 1)))
      continue;
    // "recém abertas primeiro" is a sort order.
    if (FILTER_PHRASES.longest(sentence.tokens, at)?.value.role === "sort") continue;
    // "clientes novos" are the user's own new customers.
    const own = OWN.has(sentence.folded(at - 1)) || OWN.has(sentence.folded(at + 1));
    if (isOfGoods(sentence, at)) {
      notes.addUnmapped("goods_quality", OF_GOODS, sentence.claim(at, at + 1, "unmapped"));
    } else if (RECENT.has(word) && !own && !isInTrade(sentence, at, at + 1)) {
      takeRecent(context, at);
    } else if (OLD.has(word) && !isInTrade(sentence, at, at + 1)) {
      const detail = { pt: "Idade sem número.", en: "An age without a number." };
      notes.addUnmapped("vague_age", detail, sentence.claim(at, at + 1, "unmapped"));
    }
  }
}

/**
 * True if "novos" or "novas" describes the goods before it and not their sellers: "lojas de
 * tratores novos". Goods and sellers must differ in gender; in "lojas de roupas novas", both are
 * feminine and the word may describe either.
 */
function isOfGoods(sentence: Sentence, at: number): boolean {
  const [adjective, goods, of, seller] = [at, at - 1, at - 2, at - 3].map((i) =>
    sentence.folded(i),
  );
  if (!/^(novos|novas)$/.test(adjective ?? "") || !/^d[aeo]s?$/.test(of ?? "")) return false;
  const isFeminine = (word = "") => /as?$/.test(word);
  // A plural adjective cannot describe a seller in the singular. In "comércio de tratores novos",
  // it describes the goods.
  const isOne = seller !== "" && !seller?.endsWith("s");
  if (!isOne && isFeminine(adjective) === isFeminine(seller)) return false;
  // The gender is checked both in the word as written and in the word as read. "repuestos nuevos"
  // is read as "peças novos", and only the written words agree in gender.
  const isOther = [goods, foldWord(sentence.tokens[at - 1]?.text ?? "")].every(
    (word) => isFeminine(adjective) !== isFeminine(word),
  );
  if (isOther || isInTrade(sentence, at, at + 1)) return false;
  return kindAt(sentence, at - 1) === "activity" && kindAt(sentence, at - 3) === "activity";
}

const OF_GOODS = {
  pt: "A Receita não informa se os produtos são novos.",
  en: "The registry does not tell whether goods are new.",
};

const RECENT = wordSet(
  "recente recentes recentemente recem nova novas novo novos newly new recently recent pouco",
);
const OLD = wordSet("antiga antigas antigo antigos tradicionais tradicional velhas consolidadas");
const OWN = wordSet("cliente clientes lead leads contatos prospects oportunidades vendas negocio");
/** Maximum age in months of companies called new. */
const RECENT_MONTHS = 12;

function takeRecent({ sentence, notes, bounds, today }: NumberContext, at: number): void {
  // "há pouco tempo"
  if (sentence.folded(at) === "pouco" && sentence.folded(at - 1) !== "ha") return;
  const before = sentence.folded(at - 1);
  let from = sentence.free(at - 1) && (OPENED.has(before) || before === "ha") ? at - 1 : at;
  if (before === "ha" && sentence.free(at - 2) && OPENED.has(sentence.folded(at - 2)))
    from = at - 2;
  const to =
    at + (OPENED.has(sentence.folded(at + 1)) || sentence.folded(at + 1) === "tempo" ? 2 : 1);
  const reach = reachOf(sentence, from);
  const negated = reach.polarity === "negated";
  if (negated) claimNegation(sentence, reach.negator, from);
  const words = sentence.claim(from, to, "date");
  const day = back(today, RECENT_MONTHS, "month");
  const set = bounds.opened(negated ? null : day, negated ? day : null, words);
  const text = dayText(day);
  if (!set) return;
  notes.assume(
    "recent",
    {
      pt: `"Recente" é dos últimos ${RECENT_MONTHS} meses (desde ${text}).`,
      en: `"Recent" is within ${RECENT_MONTHS} months (since ${text}).`,
    },
    words,
  );
}

/** Words for a closing. A date next to one of them is not an opening date. */
export const CLOSED = wordSet(
  "fechada fechadas fechado fechados fecharam fechou fecharem baixada baixadas baixado baixados " +
    "encerrada encerradas encerrado encerrados encerraram encerrou inapta inaptas inapto inaptos " +
    "suspensa suspensas suspenso suspensos extinta extintas extinto extintos closed suspended " +
    "inativa inativas inativo inativos inactive desativada desativadas desativado desativados " +
    "baixaram baixou baixa suspenderam falida falidas falido falidos faliram " +
    "cancelada canceladas cancelado cancelados paralisada paralisadas dissolvida " +
    "dissolvidas unfit dissolved bankrupt " +
    "shut " +
    "faturamento faturaram faturou receita crescimento cresceram contrataram lucro vendas revenue",
);
/** Small words that may stand between a closing, a place, or a trade and the date after it. */
const BETWEEN = wordSet(
  "de da do das dos em no na nos nas in of the que e o a os as que at down atividades atividade " +
    "suas sua operacoes operations portas doors their",
);
/** Maximum number of words between a word for closing and its date. */
const REACH = 12;

/** True if the date words that begin at a token belong to a closing. */
export function isOfEnd(sentence: Sentence, from: number): boolean {
  return ownerBefore(sentence, from, () => false) >= 0;
}

/** Returns the position of the closing or other event that a date belongs to, or -1. */
function ownerBefore(sentence: Sentence, from: number, isEvent: (at: number) => boolean): number {
  for (let at = from - 1; at >= Math.max(0, from - REACH); at--) {
    const word = sentence.folded(at);
    const trade = isInTrade(sentence, at, at + 1);
    if (isEvent(at) || (CLOSED.has(word) && !trade) || endsStatus(sentence, at)) return at;
    const apart = sentence.tokens[at]?.kind === "mark" && sentence.owner(at) !== "place";
    const passed = sentence.owner(at) !== null || BETWEEN.has(word) || trade;
    const kind = kindAt(sentence, at);
    // "baixadas sem e-mail nos últimos 3 meses"
    const isContact = kind === "contact" || /^(?:com|sem|with|without)$/.test(word);
    if (apart || !(passed || kind === "activity" || isContact)) return -1;
  }
  return -1;
}
