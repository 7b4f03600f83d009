/**
 * Finds conditions that apply to only one place or trade of a sentence: "com telefone em Campinas e
 * com e-mail em Santos", "padarias MEI e restaurantes LTDA", "em Santos, perto de Campinas", "com
 * CEP de Campinas". Also finds trades that must both apply ("padarias que também são lanchonetes").
 * Input: a sentence in which every word is assigned to the stage that read it, and the requested
 * places. Output: a note, because one search applies all conditions to all places and trades.
 * Invariant: "e", "ou", or a comma must join two requested places or trades. Each must have a
 * different condition directly next to it; the condition of a trade must follow it. A condition
 * before or after both applies to both. A place inside a condition ("perto de Campinas") is
 * reported only if the sentence requests another place that is not in one list with it. A single
 * place is searched, and the condition is reported.
 */
import { reachOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import { isIn } from "./places/placewords.ts";
import type { Sentence, TokenRole } from "./words/sentence.ts";

/** Kinds of conditions on the companies of a place. */
const CONDITION_OWNERS: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "nature", "contact", "capital", "date"] as const),
  ...(["headquarters", "name", "status"] as const),
]);

/** Consecutive words of a condition or of a requested place. */
interface PlaceRun {
  readonly isPlace: boolean;
  readonly from: number;
  to: number;
}

/** A place and the condition for its companies, which stand next to each other. */
interface Pair {
  readonly requested: PlaceRun;
  readonly placeFirst: boolean;
  readonly to: number;
}

interface SentenceContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
}

/** Adds a note if different places have different conditions. Returns true if they do. */
export function unmapSeparatePlaces(
  { sentence, notes }: SentenceContext,
  places: readonly { readonly from: number; readonly to: number }[],
): boolean {
  if (places.length < 2) return false;
  const runs = placeRunsOf(sentence, places);
  if (leaveLast(sentence, notes, places)) return true;
  for (let i = 0; i + 3 < runs.length; i++) {
    const [one, other] = [pairAt(sentence, runs, i), pairAt(sentence, runs, i + 2)];
    if (one === null || other === null || one.placeFirst !== other.placeFirst) continue;
    const begin = runs[i + 2] as PlaceRun;
    if (!arePairsJoined(sentence, one.to, begin.from)) continue;
    if (phraseOf(sentence, one.requested) === phraseOf(sentence, other.requested)) continue;
    notes.addUnmapped("two_requests", PLACES_APART, sentence.words(begin.from, other.to));
    return true;
  }
  return false;
}

/**
 * Adds a note for a condition that applies only to the last place: "em SP e com telefone no
 * Paraná". Returns true if there is one.
 */
function leaveLast(
  sentence: Sentence,
  notes: Notes,
  places: readonly { readonly from: number; readonly to: number }[],
): boolean {
  const runs = placeRunsOf(sentence, places, (at) => reachOf(sentence, at).polarity !== "negated");
  for (let i = 0; i + 2 < runs.length; i++) {
    const [place, condition, there] = runs.slice(i, i + 3) as [PlaceRun, PlaceRun, PlaceRun];
    if (!place.isPlace || condition.isPlace || !isFirm(sentence, place.to, condition.from))
      continue;
    if (!isNextTo(sentence, condition.to, there.from)) continue;
    // If the first place has the same condition, this is one request: "com telefone em SP e com
    // telefone no Paraná".
    const before = runs[i - 1];
    if (before !== undefined && phraseOf(sentence, before) === phraseOf(sentence, condition))
      continue;
    notes.addUnmapped("two_requests", PLACES_APART, sentence.words(condition.from, there.to));
    return true;
  }
  return false;
}

/** True if "e" joins a condition to the place before it, and only excluded words stand between. */
function isFirm(sentence: Sentence, from: number, to: number): boolean {
  let last = -1;
  for (let at = from; at < to; at++) {
    const isOut = reachOf(sentence, at).polarity === "negated" || sentence.owner(at) === "place";
    if (isOut) continue;
    const owner = sentence.owner(at);
    if (owner !== "filler" && owner !== "negation") return false;
    if (isConjunction(sentence, at)) last = at;
  }
  // In "em SP, exceto MEI e filiais com telefone", "e" joins two excluded words and not the
  // condition.
  return last >= 0 && reachOf(sentence, last + 1).polarity !== "negated";
}

function isConjunction(sentence: Sentence, at: number): boolean {
  return /^(e|and|mas|but)$/.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

const PLACES_APART = {
  pt: "São dois pedidos: uma busca exigiria tudo em todos os lugares. Faça duas.",
  en: "These are two requests: one search would require all of it in all places. Make two.",
};

/** Returns the conditions and requested places in order. Neighbors of one kind form one run. */
function placeRunsOf(
  sentence: Sentence,
  requested: readonly { readonly from: number; readonly to: number }[],
  counts: (at: number) => boolean = () => true,
): PlaceRun[] {
  const places = new Set<number>();
  for (const { from, to } of requested) for (let at = from; at < to; at++) places.add(at);
  const runs: PlaceRun[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const owner = sentence.owner(at);
    const isPlace = owner === "place" && places.has(at);
    if (!isPlace && (owner === null || !CONDITION_OWNERS.has(owner) || !counts(at))) continue;
    const last = runs.at(-1);
    if (last?.isPlace === isPlace) last.to = at + 1;
    else runs.push({ isPlace, from: at, to: at + 1 });
  }
  return runs;
}

function pairAt(sentence: Sentence, runs: readonly PlaceRun[], at: number): Pair | null {
  const [one, other] = [runs[at] as PlaceRun, runs[at + 1] as PlaceRun];
  if (one.isPlace === other.isPlace || !isNextTo(sentence, one.to, other.from)) return null;
  const placeFirst = one.isPlace;
  return { requested: placeFirst ? other : one, placeFirst, to: other.to };
}

/** True if only words such as "que", a trade, and excluded places stand between two positions. */
function isNextTo(sentence: Sentence, from: number, to: number): boolean {
  // An excluded place may stand between commas: "em SP, exceto em Santos, com telefone".
  const isExcluding = sentence.tokens
    .slice(from, to)
    .some((_, i) => sentence.owner(from + i) === "place");
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    // A place at this position is excluded, because requested places are runs of their own.
    const small =
      owner === "filler" || owner === "negation" || owner === "activity" || owner === "place";
    const isComma = isExcluding && sentence.tokens[at]?.text === ",";
    if (!small || (isPairJoint(sentence, at) && !isComma)) return false;
  }
  return true;
}

/** True if "e", "ou", or a comma, with only small words around it, separates two positions. */
function arePairsJoined(sentence: Sentence, from: number, to: number): boolean {
  let joined = false;
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    if (owner !== "filler" && owner !== "negation" && owner !== "place") return false;
    joined ||= isPairJoint(sentence, at);
  }
  return joined;
}

function isPairJoint(sentence: Sentence, at: number): boolean {
  return (
    /^(e|ou|and|or|mais)$/.test(sentence.folded(at)) ||
    /^[,;/]$/.test(sentence.tokens[at]?.text ?? "")
  );
}

/** Returns the text of a condition with its negators, in lower case. */
function phraseOf({ tokens }: Sentence, { from, to }: PlaceRun): string {
  return tokens
    .slice(from, to)
    .map(({ text }) => text.toLowerCase())
    .join(" ");
}

/** Kinds of conditions on the companies of a trade. */
const DESCRIBED: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "nature", "contact", "capital", "date"] as const),
  ...(["headquarters", "status"] as const),
]);
const JOINT = /^(?:e|ou|and|or|mais|plus|como|well)$/;
const MARK = /^[,;.!+/]$/;
const ALSO = /^(?:tambem|tambien|also|tb)$/;
const BEING = /^(?:sao|sejam|seja|e|eh|are|is|son|sean)$/;
const THAT = /^(?:que|that|which)$/;

/** Consecutive words of a trade, or of a condition. */
interface TradeRun {
  readonly isTrade: boolean;
  readonly from: number;
  to: number;
}

const TRADES_APART = {
  pt: "São dois pedidos: uma busca exigiria tudo de todas as atividades. Faça duas.",
  en: "These are two requests: one search would require all of it of all trades. Make two.",
};
const BOTH = {
  pt: "Nenhum filtro exige duas atividades ao mesmo tempo: a busca teria as de uma ou da outra.",
  en: "No filter requires two trades at once: the search would have those of either one.",
};

/** Adds a note if trades have different conditions or must both apply. Returns true if they do. */
export function unmapSeparateTrades(sentence: Sentence, notes: Notes): boolean {
  const runs = tradeRunsOf(sentence);
  return leaveBoth(sentence, notes, runs) || leaveConditions(sentence, notes, runs);
}

function leaveConditions(sentence: Sentence, notes: Notes, runs: readonly TradeRun[]): boolean {
  for (let i = 0; i + 3 < runs.length; i++) {
    const [one, condition, other, too] = runs.slice(i, i + 4) as [
      TradeRun,
      TradeRun,
      TradeRun,
      TradeRun,
    ];
    if (!one.isTrade || condition.isTrade || !other.isTrade || too.isTrade) continue;
    const isAdjacent =
      isNext(sentence, one.to, condition.from) && isNext(sentence, other.to, too.from);
    if (!isAdjacent || !areTradesJoined(sentence, condition.to, other.from)) continue;
    if (runWords(sentence, condition) === runWords(sentence, too)) continue;
    notes.addUnmapped("two_requests", TRADES_APART, sentence.words(other.from, too.to));
    return true;
  }
  return false;
}

/** Adds a note for a second trade of the same companies: "que também são lanchonetes". */
function leaveBoth(sentence: Sentence, notes: Notes, runs: readonly TradeRun[]): boolean {
  const first = runs.find(({ isTrade }) => isTrade);
  for (const { isTrade, from, to } of runs) {
    if (!isTrade || first === undefined || from === first.from) continue;
    let at = from - 1;
    let isAlso = false;
    while (ALSO.test(sentence.folded(at)) || BEING.test(sentence.folded(at))) {
      isAlso ||= ALSO.test(sentence.folded(at));
      at--;
    }
    if (!isAlso || !THAT.test(sentence.folded(at)) || at < first.to) continue;
    // "que também tenham aluguel de máquinas como atividade secundária" has a filter.
    if (/^(?:secundari[ao]s?|secondary)$/.test(sentence.folded(to - 1))) continue;
    notes.addUnmapped("both_trades", BOTH, sentence.words(at, to));
    return true;
  }
  return false;
}

function tradeRunsOf(sentence: Sentence): TradeRun[] {
  const runs: TradeRun[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const owner = sentence.tokens[at]?.kind === "mark" ? null : sentence.owner(at);
    const isTrade = owner === "activity";
    if (!isTrade && (owner === null || !DESCRIBED.has(owner))) continue;
    // An excluded word is neither part of a requested trade nor of its condition.
    if (reachOf(sentence, at).polarity === "negated") continue;
    const last = runs.at(-1);
    const isSame = last?.isTrade === isTrade && last.to === at;
    if (isSame) last.to = at + 1;
    else runs.push({ isTrade, from: at, to: at + 1 });
  }
  return runs;
}

/** True if only small words and a place are between a trade and its condition. */
function isNext(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    const isSmall = owner === "filler" || owner === "negation" || owner === "place";
    if (!isSmall || sentence.tokens[at]?.kind === "mark" || isTradeJoint(sentence, at))
      return false;
  }
  return true;
}

function areTradesJoined(sentence: Sentence, from: number, to: number): boolean {
  let isFound = false;
  for (let at = from; at < to; at++) {
    const isMark = MARK.test(sentence.tokens[at]?.text ?? "");
    if (!isMark && sentence.owner(at) !== "filler") return false;
    isFound ||= isMark || isTradeJoint(sentence, at);
  }
  return isFound;
}

function isTradeJoint(sentence: Sentence, at: number): boolean {
  return JOINT.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

/** Returns the words of a condition in a form in which "abertas" equals "abertos". */
function runWords({ tokens }: Sentence, { from, to }: TradeRun): string {
  return tokens
    .slice(from, to)
    .map(({ text }) => text.toLowerCase().replace(/[ao]s?$/, ""))
    .join(" ");
}

const anyOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

/** Words for what companies do in a place, or for the distance to it. */
const THERE = anyOf(
  "perto pertinho proxim[ao]s? vizinh[ao]s? near nearby close cerca cercan[ao]s? " +
    "atende atendem atenda atendam atendendo atender atiende atienden " +
    "entrega entregam entregan entregue entreguem entregando serve serves servem serving serven " +
    "cobre cobrem cobrindo cubren covers? delivers? delivering ships? fornece fornecem " +
    "exporta exportam matriz matrizes sede headquarters headquartered sediad[ao]s? " +
    "filial filiais branch branches sucursal",
);
/**
 * Matches attributes of a company that may name another place after "de": "com CEP de Campinas".
 */
const OF_IT = anyOf(
  "ceps? ddds? zip postcode code (?:tele)?fones? celular(?:es)? e?mails? " +
    "(?:tele)?phones? numeros? " +
    "telefonos? correo endereco address",
);
/** Matches words that may stand between such a word and the place. */
const SMALL = anyOf(
  "a o ao as os de do da dos das em no na nos nas to of in for para pra ate the el " +
    "la los las en toda " +
    "todo regiao cidade municipio city area fica ficam esta estao is are " +
    "situad[ao]s? localizad[ao]s? " +
    "located based up",
);
/** Maximum number of words between a place and the word that makes it part of a condition. */
const BACK_MAX = 5;

/** A requested place. */
interface PlaceAt {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

const OTHER = {
  pt: "Este lugar é de outra condição, que nenhum filtro toma: busque um lugar só.",
  en: "This place belongs to another condition, which no filter takes: search one place only.",
};

/**
 * Adds a note for a place that is part of a condition and not the place of the companies. Returns
 * true if there is one.
 */
export function unmapOtherPlaces(
  sentence: Sentence,
  notes: Notes,
  places: readonly PlaceAt[],
): boolean {
  for (const place of places) {
    const cause = causeBefore(sentence, place);
    if (cause < 0) continue;
    const end = joinedEnd(sentence, place, places);
    if (!places.some((other) => other.to <= cause || other.from >= end)) continue;
    notes.addUnmapped("place_of_condition", OTHER, sentence.words(cause, place.to));
    return true;
  }
  return false;
}

/**
 * Returns the position of a word such as "perto" or "CEP" that makes the place after it part of a
 * condition: "perto de Campinas". Returns -1 if there is none.
 */
function causeBefore(sentence: Sentence, { at: name }: PlaceAt): number {
  for (let at = name - 1; at >= Math.max(0, name - 1 - BACK_MAX); at--) {
    const word = sentence.folded(at);
    if (THERE.test(word)) return at;
    if (OF_IT.test(word)) return /^(?:d[aeo]s?|of|from)$/.test(sentence.folded(at + 1)) ? at : -1;
    if (!SMALL.test(word)) return -1;
  }
  return -1;
}

/** Returns the end of the list of places that begins with `first`. */
function joinedEnd(sentence: Sentence, first: PlaceAt, places: readonly PlaceAt[]): number {
  let last = first;
  for (const other of [...places].sort((a, b) => a.from - b.from)) {
    if (other.from >= last.to && arePlacesJoined(sentence, last, other)) last = other;
  }
  return last.to;
}

/** True if only conjunctions, punctuation, and words such as "de" separate two places. */
function arePlacesJoined(
  sentence: Sentence,
  { to }: PlaceAt,
  { from, at: name }: PlaceAt,
): boolean {
  // A comma with a new preposition begins another place: "perto de Campinas, em Santos".
  const isComma = sentence.tokens[to]?.text === ",";
  if (isComma && name > to + 1 && isIn(sentence.folded(to + 1))) return false;
  for (let at = to; at < from; at++) {
    const text = sentence.tokens[at]?.text ?? "";
    if (!/^(?:,|\/|e|ou|and|or)$/.test(text) && !SMALL.test(sentence.folded(at))) return false;
  }
  return true;
}
