/**
 * Reads plans of speakers: the use of a list, a business to open, and the place that "there" means.
 * Input: a sentence and a position at which a clause may begin. Output: the clause, or null.
 * Invariant: a plan is recognized only if the sentence also has a request, so that a request alone
 * is never hidden.
 */
import { beginsRequest } from "./items.ts";
import {
  CLAUSE_MAX,
  endOf,
  firstOf,
  hasTrade,
  hasTradeIn,
  requestIn,
  type SpeakerContext,
  type SpokenClause,
  trimmed,
} from "./speakerscope.ts";
import { FOR, OWN, PLANNING, PLANNING_LEADS, PRONOUNS, REQUESTS } from "./speakerwords.ts";
import { Phrases } from "./words/phrases.ts";
import type { Sentence } from "./words/sentence.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Maximum words of a topic before a colon. */
const TOPIC_MAX = 10;

/**
 * Reads "análise de crédito: empresas de terraplenagem …": a singular topic before a colon, if
 * companies of a trade follow it.
 */
export function topicBefore({
  sentence,
  gazetteer,
  tradeEnd,
}: SpeakerContext): SpokenClause | null {
  const to = sentence.tokens.findIndex(({ kind }) => kind !== "word");
  if (to < 1 || to > TOPIC_MAX || sentence.tokens[to]?.text !== ":") return null;
  const first = sentence.folded(to + 1);
  const isStudy =
    /^(?:levantamento|pesquisa|estudo|mapeamento|relatorio|prospeccao|survey|study|estudio)$/;
  const isSurvey = isStudy.test(sentence.folded(0)) && FOR.has(sentence.folded(1));
  if (!isSurvey && !/^(empresas|companies|firmas|firms|negocios)$/.test(first)) return null;
  if (!isSurvey && tradeEnd(to + 1) <= to + 2) return null;
  if (isSurvey) return { from: 0, object: 0, to };
  for (let at = 0; at < to; at++) {
    const isPlace = gazetteer.places.longest(sentence.tokens, at) !== null;
    const isPlural = at === 0 && sentence.folded(at).endsWith("s");
    if (isPlace || isPlural || beginsRequest(sentence, at)) return null;
  }
  return { from: 0, object: 0, to };
}

/** Reads "for my accounting office, …": the user of the list, if a request follows. */
export function ownUse(context: SpeakerContext): SpokenClause | null {
  const { sentence } = context;
  if (!FOR.has(sentence.folded(0)) || !OWN.has(sentence.folded(1))) return null;
  for (let to = 3; to <= WORK_MAX + 2; to++) {
    const text = sentence.tokens[to]?.text ?? "";
    if (/^[,:]$/.test(text) && hasTrade(context, to + 1)) return { from: 0, object: 2, to };
  }
  return null;
}

/** Returns the end of words such as "preciso da lista para", or `at` if there are none. */
function listFor(sentence: Sentence, at: number): number {
  const isAsking = REQUESTS.has(sentence.folded(at + (PRONOUNS.has(sentence.folded(at)) ? 1 : 0)));
  if (!isAsking) return at;
  for (let to = at + 1; to < at + 6; to++) {
    if (!/^(?:lista|list|relacao|listado|planilha|it|isso)$/.test(sentence.folded(to))) continue;
    return FOR.has(sentence.folded(to + 1)) ? to + 2 : at;
  }
  return at;
}

/** Reads "…, é pra uma análise de crédito" or "…, for my thesis" after a request. */
export function intentAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  const before = sentence.tokens[at - 1]?.text ?? "";
  if (!/^[,;.?!]$/.test(before) || !hasTradeIn(context, at - CLAUSE_MAX, at)) return null;
  const asks = listFor(sentence, at);
  if (asks > at) return { from: at, object: asks, to: endOf(sentence, asks) };
  let to = at;
  while (
    to < at + 2 &&
    /^(?:isso|isto|e|eh|es|it|s|is|this|seria|sera)$/.test(sentence.folded(to))
  ) {
    to++;
  }
  if (!FOR.has(sentence.folded(to))) return null;
  // "…, for my HR department"
  if (to === at && !isWork(sentence, to + 1) && !OWN.has(sentence.folded(to + 1))) return null;
  const end = endOf(sentence, to + 1);
  return end > to + 1 ? { from: at, object: to + 1, to: end } : null;
}

/** Words of the first person before what the speaker will do with the result. */
const INTENDING = wordSet(
  "vou vamos iremos quero queremos queria preciso precisamos pretendo pretendemos gostaria " +
    "planejo quiero voy pienso necesito",
);
/** Infinitives that continue the request, so that their clause is not about the speaker. */
const ASKING = wordSet(
  "poder ter ver saber receber encontrar achar excluir incluir filtrar buscar procurar listar " +
    "tirar " +
    "remover deixar limitar ordenar priorizar considerar mostrar pegar trazer ser estar obter " +
    "tener recibir quitar dejar conhecer exportar baixar puxar separar selecionar levantar",
);
const INFINITIVE = /^.{2,}(?:[aei]r|por)(?:l[aoe]s?)?$/;
/** Words after which a clause has a condition for companies. */
const CONDITION =
  /^(?:com|sem|que|con|sin|with|without|tem|tenham?|tienen?|tengan?|possu(?:em|am)|exceto|menos)$/;

/**
 * Reads what the speaker will do with the companies, behind the request: "serralherias em Olinda,
 * vou visitar pessoalmente", "textiles en Blumenau, quiero comprar hilo".
 */
export function asideAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!/^[,;.?!]$/.test(sentence.tokens[at - 1]?.text ?? "")) return null;
  const verb = sentence.folded(at + 1) === "a" ? at + 2 : at + 1;
  const word = sentence.folded(verb);
  if (!INTENDING.has(sentence.folded(at)) || !INFINITIVE.test(word) || ASKING.has(word))
    return null;
  const to = endOf(sentence, verb);
  if (requestIn(sentence, verb, to) >= 0 || !hasTradeIn(context, at - CLAUSE_MAX, at)) return null;
  const conditions = sentence.tokens.slice(verb, to).some(({ folded }) => CONDITION.test(folded));
  return conditions ? null : { from: at, object: verb, to };
}

/** Reads "quero abrir um hostel em Búzios, busco imobiliárias", if a request follows the plan. */
export function planAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!PLANNING_LEADS.has(sentence.folded(at))) return null;
  let verb = at + 1;
  while (verb < at + 3 && /^(to|a)$/.test(sentence.folded(verb))) verb++;
  if (!PLANNING.has(sentence.folded(verb))) return null;
  const object = firstOf(sentence, verb + 1);
  const request = requestIn(sentence, object, endOf(sentence, object));
  if (request < 0 || !hasTrade(context, request)) return null;
  const to = trimmed(sentence, object, request);
  return to > object ? { from: at, object, to } : null;
}

/**
 * Reads the purpose of a list before the request: "para meu TCC, …", "pesquisa da faculdade: …",
 * "estou escrevendo uma reportagem sobre …".
 */
export function workAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence, tradeEnd } = context;
  let object = at;
  while (object < at + 4 && WORK_LEADS.has(sentence.folded(object))) object++;
  object = firstOf(sentence, object);
  const word = sentence.folded(object);
  if (!WORKS.has(word)) return null;
  // "para uma pesquisa de mercado, padarias …" states a purpose, although it names a trade.
  const trade = tradeEnd(object);
  const isPurpose = FOR.has(sentence.folded(at)) && object > at + 1;
  const isApart = sentence.tokens[trade]?.text === "," && hasTrade(context, trade + 1);
  if (trade > object + 1 && !(isPurpose && isApart)) return null;
  for (let to = object + 1; to <= object + WORK_MAX; to++) {
    const next = sentence.folded(to);
    // "preciso pra um trabalho da faculdade de uma lista"
    const behind = `${next} ${sentence.folded(to + 1)} ${sentence.folded(to + 2)}`;
    if (/^de (?:uma|a|la|una) (?:lista|relacao|listagem)$/.test(behind)) {
      return { from: at, object, to };
    }
    const isMark = sentence.tokens[to]?.text === ":";
    const isComma = sentence.tokens[to]?.text === "," && object > at;
    if (/^(sobre|about|on|needs|precisa)$/.test(next)) return { from: at, object, to: to + 1 };
    if (isMark || isComma || (REQUESTS.has(next) && object > at)) return { from: at, object, to };
    if (next === "") return null;
  }
  return null;
}

/** Kinds of work that need lists of companies. */
const WORKS = wordSet(
  "prospeccao prospecting prospeccion tcc pesquisa trabalho estudo projeto reportagem materia " +
    "artigo campanha monografia tese " +
    "mestrado doutorado dissertacao thesis study research survey project article report story " +
    "paper " +
    "cotacao orcamento licitacao quotation cotizacion dissertation coursework tesis " +
    "investigacion reportaje proyecto estudio encuesta",
);
const WORK_LEADS = wordSet(
  "preciso precisamos necesito need para pra for estou to i m am fazendo escrevendo preparando " +
    "writing doing preparing minha meu my",
);
/** Maximum number of words in the name of a work such as a thesis. */
const WORK_MAX = 6;

/** True for "um trabalho da faculdade", "my master's thesis". */
function isWork(sentence: Sentence, at: number): boolean {
  const noun = firstOf(sentence, at);
  for (let to = noun; to <= noun + WORK_LEADS_MAX; to++) {
    if (WORKS.has(sentence.folded(to))) return true;
  }
  return false;
}

/** Max words between "for" and the kind of work. */
const WORK_LEADS_MAX = 3;

/** Returns the tokens of a clause without the place `meant` by a later "there". */
export function around(
  meant: readonly [number, number] | null,
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  if (meant === null) return [[from, to]];
  return [
    [from, meant[0]],
    [meant[1], to],
  ];
}

/** Phrases that refer to a place named before: "bares do município", "de ahí". */
const THERE = new Phrases<true>();
for (const name of [
  ...["daqui", "dali", "de lá", "de ahí", "de allí", "de aquí", "da cidade", "do município"],
  ...["na cidade", "no município", "da minha cidade", "na minha cidade", "do meu município"],
  ...["aqui na cidade", "da nossa cidade", "there", "around there", "from there", "in the city"],
  ...["in town", "in my city", "in our city", "in this city", "of the city", "en la ciudad"],
  ...["de la ciudad", "en mi ciudad", "de mi ciudad", "del municipio", "en el municipio"],
  ...["em a cidade", "de a cidade", "ao municipio", "em o municipio"],
]) {
  THERE.add(name, true);
}

/**
 * Marks a phrase such as "daqui", which refers to the speaker's place, as read. Returns false if
 * there is none or if the request names another place.
 */
export function claimThere({ sentence, gazetteer }: SpeakerContext, from: number): boolean {
  let there: readonly [number, number] | null = null;
  for (let at = from; at < sentence.tokens.length; at++) {
    const { text = "" } = sentence.tokens[at] ?? {};
    const place = gazetteer.places.longest(sentence.tokens, at);
    if (place !== null && text !== text.toLowerCase()) return false;
    const match = THERE.longest(sentence.tokens, at);
    const goesOn = match !== null && /^(d[aeo]s?|of|del?)$/.test(sentence.folded(match.to));
    if (match !== null && !goesOn && there === null) there = [at, match.to];
  }
  if (there === null) return false;
  sentence.claim(...there, "filler");
  sentence.name(...there);
  return true;
}
