/**
 * The last stage, which handles every word that no other stage has read.
 * Input: a sentence. Output: fillers are marked as read. All other words become requests without a
 * filter.
 * Invariant: afterwards every word is marked as read, so that every part of the request is
 * reported.
 */

import { onlyDescribes, type Settled } from "./activities/undescribed.ts";
import { isFillerWord } from "./fillers.ts";
import { SITE } from "./filters/phrase.ts";
import type { Notes, Sentences } from "./notes.ts";
import { comparedAt } from "./numbers/numbers.ts";
import type { Sentence, Words } from "./words/sentence.ts";
import { foldWord, type Token } from "./words/tokens.ts";

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

/** Why words have no filter: a stable code, and texts for people. */
interface Reason {
  readonly code: string;
  readonly detail: Sentences;
}

/** Frequent requests without a filter, by a characteristic word. */
const KNOWN: readonly (readonly [words: string, code: string, detail: Sentences])[] = [
  [
    "faturamento faturam fatura facturen facturan facturacion receita vendas lucro revenue",
    "revenue",
    { pt: "A Receita não informa faturamento.", en: "The registry has no revenue." },
  ],
  [
    "funcionario funcionarios colaborador empregado equipe employee employees",
    "employees",
    { pt: "A Receita não informa o número de funcionários.", en: "The registry has no employees." },
  ],
  [
    "socio socia socios quadro qsa dono dona proprietario owner partner cpf",
    "people",
    {
      pt: "Dados de sócios e proprietários não são oferecidos.",
      en: "Data of partners and owners is not offered.",
    },
  ],
  [
    "rua avenida street avenue",
    "neighbourhood",
    { pt: "Não há filtro por rua.", en: "No filter takes a street." },
  ],
  [
    "bairro zona centro vila jardim neighbourhood district",
    "neighbourhood",
    {
      pt: "Diga o bairro logo antes da sua cidade, como em: bairro Moema em São Paulo.",
      en: "Name the district right before its city, as in: the Moema district of São Paulo.",
    },
  ],
  [
    "raio km quilometro perto proximo proxima arredor near radius around nearby cerca",
    "radius",
    {
      pt: "Diga a distância com uma cidade, como em: a 20 km de Natal.",
      en: "Name the distance with a city, as in: within 20 km of Natal.",
    },
  ],
  ["site website instagram rede facebook linkedin", SITE.code, SITE],
  [
    "divida protesto processo inadimplente credito score serasa",
    "credit",
    { pt: "A Receita não informa dados de crédito.", en: "The registry has no credit data." },
  ],
  [
    "opinion opiniones opiniao opinioes resenas avaliado avaliada avaliacao avaliacoes estrela " +
      "google rated rating star review reviewed " +
      "calificado calificada estrella resena reputacao reclamacao reclamacoes",
    "rating",
    { pt: "A Receita não informa avaliações.", en: "The registry has no ratings." },
  ],
  [
    "agora h hora horas 24h domingo domingos sabado sabados feriado feriados " +
      "madrugada horario plantao sunday sundays saturday saturdays weekend weekends holidays",
    "opening_hours",
    { pt: "A Receita não informa horários.", en: "The registry has no opening hours." },
  ],
];

const BY_WORD = new Map<string, Reason>(
  KNOWN.flatMap(([words, code, detail]) =>
    words.split(" ").map((word): [string, Reason] => [word, { code, detail }]),
  ),
);

const OTHER: Reason = {
  code: "unknown_words",
  detail: { pt: "Não foi entendido.", en: "This was not understood." },
};

const OF_KIND: Reason = {
  code: "kind",
  detail: {
    pt: "A Receita não separa este tipo: a busca é pela atividade inteira.",
    en: "The registry does not separate this kind: the whole activity is searched.",
  },
};

/** True if a word is characteristic of a request without a filter. */
export function isGiveaway(token: Token | undefined): boolean {
  return token !== undefined && (BY_WORD.has(token.folded) || BY_WORD.has(token.key));
}

/** Marks the remaining words as read. Returns those that became requests without a filter. */
export function settleLeftovers(sentence: Sentence, notes: Notes, settled: Settled): Words[] {
  const unmapped: Words[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const isMark = sentence.tokens[at]?.kind === "mark";
    const compared = isMark ? at : comparedAt(sentence, at);
    if (compared === at && isFiller(sentence, at)) {
      sentence.claim(at, at + 1, "filler");
      continue;
    }
    let to = compared + 1;
    while (sentence.free(to) && sentence.tokens[to]?.kind !== "mark") to++;
    while (to > compared + 1 && isFiller(sentence, to - 1)) to--;
    const isKind = onlyDescribes(sentence, [at, to], settled);
    const words = sentence.claim(at, to, "unmapped");
    unmapped.push(words);
    const { code, detail } = isKind ? OF_KIND : reasonOf(sentence, at, to);
    notes.addUnmapped(code, detail, words);
    at = to - 1;
  }
  return unmapped;
}

/** Words that begin a relative clause. */
const RELATIVES = new Set("que q that which who quem quienes".split(" "));
/**
 * Adjectives that are fillers if they stand alone, and part of the request before a noun: "com boas
 * avaliações".
 */
const PRAISING = new Set("boa boas bom bons buena buenas bueno buenos good great".split(" "));

/**
 * Extends the quotes of requests without a filter to a "que" or "boas" directly before them: a
 * person reads "que faturem mais de 10 milhões" more easily than "faturem mais de 10 milhões".
 */
export function quoteClauses(sentence: Sentence, notes: Notes): void {
  for (const [i, note] of notes.unmapped.entries()) {
    if (note.start === undefined || note.end === undefined || note.code === "own_offer") continue;
    if (note.code === "opening_hours") {
      notes.unmapped[i] = { ...note, ...sentence.quote(hoursFrom(sentence, note), note.end) };
      continue;
    }
    const before = sentence.tokens[sentence.tokenAt(note.start) - 1];
    const word = before?.kind === "word" ? foldWord(before.text) : "";
    if (before === undefined || (!RELATIVES.has(word) && !PRAISING.has(word))) continue;
    notes.unmapped[i] = { ...note, ...sentence.quote(before.start, note.end) };
  }
}

const OPENED = wordsOf(
  "que that fica[mr]? fiquem funcion[ae]m? aberta abertas aberto abertos abre[mn]? abr(?:am|an) " +
    "atende[mn]? open are abiert[ao]s? de d[ao]s? [ao]s? n[ao]s? ate at on until las? " +
    "los",
);

/**
 * Returns the position where a clause about opening hours begins: "que ficam abertos de madrugada".
 */
function hoursFrom(sentence: Sentence, { start = 0 }: { readonly start?: number }): number {
  let at = sentence.tokenAt(start);
  let from = at;
  for (at--; at >= 0 && OPENED.test(sentence.folded(at)) && sentence.owner(at) === "filler"; at--) {
    if (/^(?:abert|abr|abiert|funcion|atende|open|fica|fiquem|que|that)/.test(sentence.folded(at)))
      from = at;
  }
  return sentence.tokens[from]?.start ?? start;
}

/** Words that begin an independent request: "com estacionamento", "that deliver". */
const LEADS = new Set(
  "para pra for com que sem with that without perto near tenham tenha".split(" "),
);
const LEAD_MAX = 2;

/** True if the words at a position are a request of their own, not a part of a trade or place. */
export function isOwnRequest(sentence: Sentence, start: number): boolean {
  const at = sentence.tokenAt(start);
  // An English gerund after a trade begins a condition: "warehouses storing goods for others".
  if (/^[a-z]{3,}ing$/.test(sentence.folded(at)) && sentence.owner(at - 1) === "activity") {
    return sentence.owner(at + 1) === "unmapped";
  }
  // "com site próprio e mais de 50 quartos"
  const isCounted = [1, 2, 3].some((step) => {
    const isNumber = sentence.tokens[at + step]?.kind === "number";
    return isNumber && sentence.owner(at + step + 1) === "unmapped";
  });
  if (isCounted && COMPARES.test(sentence.folded(at))) return true;
  for (let back = 0; back <= LEAD_MAX && at - back >= 0; back++) {
    if (LEADS.has(sentence.folded(at - back))) return !isNameLeftOut(sentence, at - back);
    const small =
      back === 0 || ["boa", "bom", "a", "o", "um", "uma", "e"].includes(sentence.folded(at - back));
    if (!small) return false;
  }
  return false;
}

const COMPARES = /^(?:mais|menos|more|less|fewer|over|acima|abaixo|pelo|ao|at|mas)$/;

/** True if a negator, an article, and a capitalized name follow each other: "sem a Mooca". */
function isNameLeftOut(sentence: Sentence, at: number): boolean {
  if (!/^(sem|without)$/.test(sentence.folded(at))) return false;
  if (!/^(o|a|os|as|the)$/.test(sentence.folded(at + 1))) return false;
  const { text = "" } = sentence.tokens[at + 2] ?? {};
  return text.slice(0, 1) !== text.slice(0, 1).toLowerCase();
}

function isFiller(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || isFillerWord(token)) return true;
  // "desde" before "que" means "provided that" and is a filler: "desde que tenham e-mail".
  if (token.folded === "desde" && sentence.folded(at + 1) === "que") return true;
  if (DOING.test(token.folded) && isBeforeActivity(sentence, at + 1)) return true;
  return ORDER_WORDS.has(token.folded) && isOrdered(sentence);
}

/** Verbs that only join a company to its trade: "que fazem limpeza predial". */
const DOING = wordsOf(
  "faz fazem facam? realiz[ae]m? execut[ae]m? perfur[ae]m? oper[ae]m? gerenci[ae]m? " +
    "administr[ae]m? organiz[ae]m? mexem? lid[ae]m? ger[ae]m? ministr[ae]m? hacen? realizan? " +
    "elaboran? generan? perform handle carry",
);

/** True if an activity follows after at most two small words: "mexem com solda". */
function isBeforeActivity(sentence: Sentence, at: number): boolean {
  let to = at;
  while (to < at + 2 && /^(?:com|con|de|d?[ao]s?|uma?|out)$/.test(sentence.folded(to))) to++;
  return sentence.owner(to) === "activity";
}

/**
 * Words that may follow a sort order and add nothing to it: "first" in "biggest bakeries first".
 */
const ORDER_WORDS = new Set("first primeiro primeira primeiros primeiras primero".split(" "));

function isOrdered(sentence: Sentence): boolean {
  return sentence.tokens.some((_, at) => sentence.owner(at) === "sort");
}

function reasonOf(sentence: Sentence, from: number, to: number): Reason {
  for (let at = from; at < to; at++) {
    const token = sentence.tokens[at];
    const known = BY_WORD.get(token?.folded ?? "") ?? BY_WORD.get(token?.key ?? "");
    if (known !== undefined) return known;
  }
  return OTHER;
}
