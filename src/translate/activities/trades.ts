/**
 * Reads names of trades. Input: a sentence and a position. Output: the trade named there. The trade
 * may stand alone or follow a word for a shop. It may also share its first words with the previous
 * trade, such as "escolas de" in "escolas de inglês e música".
 * This file also decides if a word names an activity or only describes features, location, or
 * customers of a company.
 * Invariant: a general word followed by "de" and unknown words ("comércio de foguetes") is not a
 * trade alone. The words before a phrase decide if it names an activity. No token is marked as
 * read.
 */
import { isFillerWord } from "../fillers.ts";
import { numberAt } from "../numbers/numbers.ts";
import { joins, type Match } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, reduce, type Token } from "../words/tokens.ts";
import type { GoodsReading } from "./goods.ts";
import { lexicon } from "./lexicon.ts";
import { type LexiconChoice, ROLES_BEFORE, type TradeRole } from "./roles.ts";

const OF = new Set(["de", "do", "da", "dos", "das", "of"]);
/** Words for services. The role follows these words, as in "serviços de conserto". */
const SERVICES = new Set(["servico", "servicos", "service", "services"]);
/** Words for any company. */
const FIRMS = new Set(
  "empresa empresas firma firmas companhia companhias negocio negocios startup startups".split(" "),
);
/** Words for a field of business. */
const SECTORS = new Set("setor ramo segmento area sector rubro".split(" "));
/**
 * Maximum number of words that a trade may add to the words it shares with the previous trade. In
 * "escolas de inglês e música", the second trade adds "música".
 */
const BORROWED_MAX = 6;

/** The previous reading. */
export interface Before {
  /** First token. The next trade may borrow words from here: "escolas de inglês e música". */
  readonly from: number;
  /** Token after the last. */
  readonly to: number;
  /** Role that the trade names for its goods, such as making or selling. */
  readonly role: TradeRole | null;
  /** Role that the trade's codes imply for goods listed after it: "cerâmicas de tijolo e telha". */
  readonly implied?: TradeRole | null;
}

/** Returns the trade that begins at a token, or null. */
export function readTrade(sentence: Sentence, at: number): GoodsReading | null {
  const trade = lexicon().trades.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (trade === null || isOpen(sentence, trade)) return null;
  const whole = longerInside(sentence, trade) ?? trade;
  return withTail(sentence, readingOf(firstOfTwo(sentence, whole) ?? whole));
}

/**
 * Returns the trade after "empresa de" if its name is longer than the one that includes these
 * words: "empresas de construção civil" is "construção civil", not "empresa de construção".
 */
function longerInside(
  sentence: Sentence,
  { from, to }: Match<LexiconChoice>,
): Match<LexiconChoice> | null {
  const lead = sentence.folded(from);
  const general = FIRMS.has(lead) || SERVICES.has(lead) || SECTORS.has(lead);
  if (!general || !OF.has(sentence.folded(from + 1))) return null;
  const free = (index: number) => sentence.free(index);
  const inside = lexicon().trades.longest(sentence.tokens, from + 2, free);
  return inside !== null && inside.to > to ? inside : null;
}

/** Maximum number of words after "of" in names such as "schools of music". */
const TURNED_MAX = 3;

/** Reads "schools of music" as "music schools", so that the lexicon need not list both orders. */
export function readTurned(sentence: Sentence, at: number): GoodsReading | null {
  const { tokens } = sentence;
  if (tokens[at + 1]?.folded !== "of") return null;
  const { trades } = lexicon();
  for (let words = TURNED_MAX; words > 0; words--) {
    const to = at + 2 + words;
    const own = [...tokens.slice(at + 2, to), tokens[at] as Token];
    if (to > tokens.length || own.some(({ kind }) => kind !== "word")) continue;
    if (!own.every((_, i) => sentence.free(at + i))) continue;
    const match = trades.longest(own, 0);
    if (match?.to === own.length && !isGeneral(match.value)) return { ...readingOf(match), to };
  }
  return null;
}

/** Maximum number of words at the end of a name that two joined trades share. */
const HEAD_MAX = 2;

/**
 * Reads "primary" in "primary and secondary schools" and "solar" in "solar and wind farms". Both
 * trades share the noun after the second. Only English has this order.
 */
export function readSharedHead(sentence: Sentence, at: number): GoodsReading | null {
  const { tokens } = sentence;
  const joint = tokens[at + 1];
  if (joint === undefined || !SHARED_JOINTS.has(joint.folded) || !sentence.free(at + 1))
    return null;
  const free = (index: number) => sentence.free(index);
  const { trades } = lexicon();
  const other = trades.longest(tokens, at + 2, free);
  if (other === null || other.to < at + 4) return null;
  for (let words = 1; words <= Math.min(HEAD_MAX, other.to - at - 3); words++) {
    const own = [tokens[at] as Token, ...tokens.slice(other.to - words, other.to)];
    const match = trades.longest(own, 0);
    if (match?.to === own.length) return { ...readingOf(match), to: at + 1 };
  }
  return null;
}

const SHARED_JOINTS = new Set(["and", "or", "&"]);
const TAIL_JOINTS = new Set(["e", "ou", "y", "o", "and", "or"]);
const TAIL_LEADS = new Set("de do da dos das del of para pra for".split(" "));

/** Reads "geração e transmissão de energia" as "geração de energia" and the rest. */
export function readSharedTail(sentence: Sentence, at: number): GoodsReading | null {
  const { tokens } = sentence;
  const joint = tokens[at + 1];
  if (joint === undefined || !TAIL_JOINTS.has(joint.folded) || !sentence.free(at + 1)) return null;
  const free = (index: number) => sentence.free(index);
  const { trades } = lexicon();
  const other = trades.longest(tokens, at + 2, free);
  if (other === null || !TAIL_LEADS.has(tokens[at + 3]?.folded ?? "")) return null;
  const own = [tokens[at] as Token, ...tokens.slice(at + 3, other.to)];
  const match = own.length < 3 ? null : trades.longest(own, 0);
  return match?.to === own.length ? { ...readingOf(match), to: at + 1 } : null;
}

/**
 * Returns the first of two plural trades that "e" joins. Returns null if the lexicon lists the pair
 * as one trade with all codes of both.
 */
function firstOfTwo(
  { tokens }: Sentence,
  { from, to, value }: Match<LexiconChoice>,
): Match<LexiconChoice> | null {
  if (to !== from + 3 || !AND.has(tokens[from + 1]?.folded ?? "")) return null;
  const { trades } = lexicon();
  const two = areTwo([tokens[from] as Token, tokens[from + 2] as Token], value);
  return two ? trades.longest(tokens, from, (index) => index === from) : null;
}

/**
 * True if two words are plural trades and the lexicon's entry for the pair lacks a code of one of
 * them. "livrarias e papelarias" are two trades, "livraria e papelaria" is one shop.
 */
function areTwo(words: readonly Token[], both: LexiconChoice): boolean {
  const { trades: names } = lexicon();
  // The lexicon lists goods in the plural ("móveis e eletrodomésticos") and trades in the singular.
  // A word spelled as listed is therefore no plural trade.
  const single = (word: Token) =>
    foldWord(names.written(word.key) ?? word.folded) !== word.folded
      ? names.longest([word], 0)
      : null;
  const trades = words.map(single);
  if (trades.includes(null)) return false;
  const isNamed = (code: string) => both.codes.some((own) => code.startsWith(own));
  return isGeneral(both) || !trades.flatMap((one) => one?.value.codes ?? []).every(isNamed);
}

const AND = new Set(["e", "and"]);

function readingOf({ to, value }: Match<LexiconChoice>): GoodsReading {
  return { ...value, to, certainty: isGeneral(value) || value.codes.length > 2 ? 0.9 : 0.95 };
}

/** English words that add nothing to a trade: "accounting firms", "auto repair shops". */
const TAILS = new Set(
  (
    "dealer installer maker seller vendor " +
    "store shop firm company centre center business businesse office provider industry clinic " +
    "manufacturer agency service contractor professional specialist operator"
  ).split(" "),
);

function withTail(sentence: Sentence, reading: GoodsReading): GoodsReading {
  const token = sentence.tokens[reading.to];
  const tail = token !== undefined && sentence.free(reading.to) && isTail(token);
  return tail ? { ...reading, to: reading.to + 1 } : reading;
}

/**
 * Extends the name of a trade over longer goods that begin inside it and share a code with it.
 * "concessionária de carros" becomes "concessionária de carros novos".
 */
export function withGoods(sentence: Sentence, at: number, reading: GoodsReading): GoodsReading {
  const free = (index: number) => sentence.free(index);
  for (let from = at + 1; from < reading.to; from++) {
    const match = lexicon().goods.longest(sentence.tokens, from, free);
    if (match === null || match.to <= reading.to) continue;
    const own = Object.values(match.value).flatMap(({ codes }) => codes);
    if (reading.codes.some((code) => own.includes(code))) return { ...reading, to: match.to };
  }
  return reading;
}

function isTail({ folded, key }: Token): boolean {
  return TAILS.has(key) || TAILS.has(folded.replace(/(ie)?s$/, (end) => (end === "s" ? "" : "y")));
}

/** Reads a shop of a trade as that trade: "loja de conserto de celular". */
export function tradeAfterShop(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const role = ROLES_BEFORE.longest(sentence.tokens, at, free);
  // A general word may also precede the trade: "serviços de tatuagem", "empresas de transporte de
  // carga".
  const led =
    SERVICES.has(sentence.folded(at)) || FIRMS.has(sentence.folded(at)) || isRoom(sentence, at);
  const end = led ? at + 1 : role?.value === "retail" ? role.to : -1;
  if (end < 0 || !OF.has(sentence.folded(end))) return null;
  const trade = lexicon().trades.longest(sentence.tokens, end + 1, free);
  if (trade === null || isGeneral(trade.value)) return null;
  // In "comércio varejista de jornais", "jornais" also names a trade (publishers), but here it is
  // goods for sale.
  const isSold = role?.value === "retail" && !isShop(trade.value);
  const goods = isSold ? lexicon().goods.longest(sentence.tokens, end + 1, free) : null;
  const isGoods = goods !== null && goods.to >= trade.to && goods.value.retail !== undefined;
  return isGoods ? null : readingOf(trade);
}

/** True if all codes of a trade are commerce, or serving food and drink. */
function isShop({ codes }: LexiconChoice): boolean {
  return codes.every((code) => /^(?:4[57]|56)/.test(code));
}

/** Words for rooms where professionals work: "consultório de nutricionista". */
const ROOMS = new Set(
  "consultorio consultorios estudio estudios atelie atelies gabinete gabinetes".split(" "),
);

/** True for a word for a room that does not begin a longer trade name. */
function isRoom({ tokens }: Sentence, at: number): boolean {
  if (!ROOMS.has(tokens[at]?.folded ?? "")) return false;
  return (lexicon().trades.longest(tokens, at)?.to ?? at + 1) === at + 1;
}

/** True if all codes are prefixes or sections, which stand for many codes. */
function isGeneral({ codes }: LexiconChoice): boolean {
  return codes.every((code) => code.length < 5);
}

/**
 * True if a preposition and an unknown word follow a general word, so that it is not a trade alone:
 * "comércio de foguetes" does not mean all commerce.
 */
function isOpen(sentence: Sentence, { from, to, value }: Match<LexiconChoice>): boolean {
  const role = ROLES_BEFORE.longest(sentence.tokens, from);
  if (!isGeneral(value) && role?.to !== to) return false;
  if (!OF.has(sentence.folded(to))) return false;
  let at = to;
  while (sentence.free(at) && joins(sentence.tokens[at])) at++;
  const token = sentence.tokens[at];
  return token?.kind === "word" && sentence.free(at) && !isFillerWord(token);
}

/**
 * Reads a trade that shares its first words with the previous trade. The two are in a list
 * ("material elétrico e hidráulico"), or a `negator` stands between them. In "indústrias exceto
 * alimentos", it reads "indústrias de alimentos". The longest shared beginning is tried first.
 */
export function readElidedTrade(
  sentence: Sentence,
  at: number,
  { from, to, role }: Before,
  negator = -1,
): GoodsReading | null {
  for (let between = negator < to ? to : at; between < at; between++) {
    const word = sentence.tokens[between];
    // "de" may be repeated: "companhias de teatro e de dança".
    if (between > to && between === at - 1 && OF.has(word?.folded ?? "")) continue;
    // "outros" may stand between: "escolas de surf e outros esportes".
    if (between > to && /^(?:outr[oa]s|other)$/.test(word?.folded ?? "")) continue;
    if (word?.text !== "," && !["e", "ou", "and", "or"].includes(word?.folded ?? "")) return null;
  }
  // In "restaurantes exceto bares", the excluded trade is a complete name and borrows nothing.
  const named = negator >= to && lexicon().trades.longest(sentence.tokens, at) !== null;
  if (at === to || named) return null;
  const own = sentence.tokens.slice(at, at + BORROWED_MAX);
  for (let head = Math.min(BORROWED_WORDS_MAX, to - from); head > 0; head--) {
    for (const first of startsOf(sentence, from, to, head)) {
      const borrowed = sentence.tokens.slice(first, first + head);
      const reading = borrowedReading(sentence, at, borrowed, { own, role });
      if (reading !== null) return reading;
    }
  }
  return null;
}

/**
 * Maximum number of words shared with the previous trade: three ("lojas de material") in "lojas de
 * material elétrico e hidráulico".
 */
const BORROWED_WORDS_MAX = 3;

/**
 * Returns the positions where the shared words may begin: at the first word of the previous name,
 * or after "loja de" and the like.
 */
function startsOf({ tokens }: Sentence, from: number, to: number, head: number): number[] {
  const role = ROLES_BEFORE.longest(tokens, from);
  const goods = role === null ? -1 : role.to + (OF.has(tokens[role.to]?.folded ?? "") ? 1 : 0);
  return [from, goods].filter((first) => first >= from && first + head < to + (head === 1 ? 1 : 0));
}

/**
 * Reads the words shared with the previous trade, followed by the words at a token. Tries both
 * genders of the first of these words.
 */
function borrowedReading(
  sentence: Sentence,
  at: number,
  borrowed: readonly Token[],
  { own, role }: { readonly own: readonly Token[]; readonly role: TradeRole | null },
): GoodsReading | null {
  const [word, ...rest] = own;
  if (word === undefined) return null;
  const { trades, goods } = lexicon();
  const first = borrowed.length;
  for (const form of gendersOf(word)) {
    const tokens = [...borrowed, form, ...rest];
    const free = (i: number) => i < first || sentence.free(at + i - first);
    const match = trades.longest(tokens, 0, free);
    if (match !== null && match.to > first) {
      if (first > 1 || match.to > 2 || !areTwo(tokens.slice(0, 2), match.value)) {
        return { ...readingOf(match), to: at + match.to - first };
      }
    }
    const good = role === null || first > 2 ? null : goods.longest(tokens, 0, free);
    const done = role === null ? undefined : good?.value[role];
    if (good !== null && done !== undefined && good.to > first) {
      return { ...done, to: at + good.to - first, certainty: 0.9 };
    }
  }
  return null;
}

/** Returns a word in both genders: "hidráulica" becomes "hidráulico" after "material". */
function gendersOf(token: Token): readonly Token[] {
  const end = /([oa])s?$/.exec(token.folded)?.[1];
  if (end === undefined) return [token];
  const folded = token.folded.replace(/[oa](s?)$/, `${end === "o" ? "a" : "o"}$1`);
  return [token, { ...token, folded, key: reduce(folded) }];
}

/** Verbs after which "com" introduces goods that a company deals in. */
const DEALING = new Set(
  "trabalha trabalham trabalhe trabalhem atua atuam lida lidam mexe".split(" "),
);
const WITH = new Set(["com", "sem", "with", "without", "perto", "proximo", "proximas", "near"]);
const COUNTING = new Set("mais menos pelo ate minimo maximo no ao de ou or more".split(" "));
const SMALL = new Set("de do da dos das a o ao aos as os um uma seu sua of the".split(" "));

/**
 * True if a trade names customers of the requested companies: "hospitais" in "software para
 * hospitais". False if the writer offers something to them, because then the trade itself is
 * requested.
 */
export function isServed(sentence: Sentence, at: number): boolean {
  let lead = at - 1;
  while (lead > at - 3 && (SMALL.has(sentence.folded(lead)) || OWN.has(sentence.folded(lead))))
    lead--;
  if (servedFrom(sentence, at) < at) return true;
  if (!["para", "pra", "pras", "pros", "for"].includes(sentence.folded(lead))) return false;
  // "looking for bakeries"
  if (SOUGHT.has(sentence.folded(lead - 1))) return false;
  return !sentence.tokens.slice(0, lead).some(({ folded }) => OFFERING.has(folded));
}

/**
 * Verbs before a trade that make it the supplier or the customer of the requested companies: "que
 * precisem de um sistema" requests no activity.
 */
const SERVING = new Set(
  (
    "atenda atendam atende atendem sirva sirvam serve servem precise precisem precisa precisam " +
    "use usa usem usam compre comprem compram procurem procuram contratem contratam queiram need " +
    "buy"
  ).split(" "),
);
/**
 * Returns the position of a verb such as "atendam" if customers follow it at `at`; otherwise `at`.
 */
export function servedFrom(sentence: Sentence, at: number): number {
  let verb = at - 1;
  while (verb > at - 3 && SMALL.has(sentence.folded(verb))) verb--;
  if (!SERVING.has(sentence.folded(verb)) || !sentence.free(verb)) return at;
  const that = /^(?:ja|already|ya)$/.test(sentence.folded(verb - 1)) ? verb - 2 : verb - 1;
  return /^(?:que|quem|who|that|quienes)$/.test(sentence.folded(that)) ? verb : at;
}

const SOUGHT = new Set(
  "looking look search searching ask asking list lista busca procura".split(" "),
);

const OWN = new Set("minha minhas meu meus nossa nossas nosso nossos my our".split(" "));
/** Verbs by which the writer offers something to the companies named after "para". */
const OFFERING = new Set(
  (
    "vendo vende vender vendemos vendendo ofereco oferecer oferecemos forneco fornecer " +
    "fornecemos presto prestar prestamos prospectar prospeccao sell selling offer"
  ).split(" "),
);

/** True for features and surroundings, which are no activities: "com piscina", "perto do metrô". */
export function isFeature(sentence: Sentence, at: number): boolean {
  let before = at - 1;
  while (before > at - 3 && SMALL.has(sentence.folded(before))) before--;
  // The number in "planilha com 100 dentistas" counts companies; the number in "com 3 lojas" counts
  // the shops of each company.
  if (COUNTED.test(sentence.folded(at)) && before === at - 1) {
    for (; before > at - 7; before--) {
      const number = sentence.free(before) && numberAt(sentence, before) !== null;
      if (!number && !COUNTING.has(sentence.folded(before))) break;
    }
    if (before < at - 1 && HAD.has(sentence.folded(before))) return true;
  }
  if (isPlaceOfOthers(sentence, at, before)) return true;
  if (!WITH.has(sentence.folded(before))) return false;
  // In "preciso cotar pães com padarias", the trade after "com" is the requested supplier, not a
  // feature.
  if (sentence.owner(before) === "filler" && sentence.owner(before - 1) === "unmapped")
    return false;
  return !DEALING.has(sentence.folded(before - 1));
}

/** Words for parts of a company that a number may count. */
const COUNTED = /^(lojas|loja|unidades?|filiais|pontos|stores|shops|units|locations)$/;
const HAD = new Set("tem tenha tenham possui possua possuam have has com with sem".split(" "));
const LOCATIVES = new Set("na nas no nos on in at".split(" "));

/**
 * True for a word such as "internet" that only locates an unknown noun before it, as in "domínio
 * próprio na internet". Such a word requests no activity.
 */
function isPlaceOfOthers(sentence: Sentence, at: number, before: number): boolean {
  const lead = LOCATIVES.has(sentence.folded(at - 1)) ? at - 1 : before;
  if (!LOCATIVES.has(sentence.folded(lead)) || lead < 1) return false;
  const noun = sentence.tokens[lead - 1];
  const known = noun === undefined || noun.kind !== "word" || isFillerWord(noun);
  return !known && sentence.free(lead - 1) && !DEALING.has(noun.folded) && !isRole(sentence, lead);
}

/** True if the words that end at `end` name a role, such as "vendas" in "vendas na internet". */
function isRole(sentence: Sentence, end: number): boolean {
  for (let at = end - 1; at >= Math.max(0, end - 4); at--) {
    if (ROLES_BEFORE.longest(sentence.tokens, at)?.to === end) return true;
  }
  return false;
}

/**
 * True if the words at `at` only say where the companies of the previous trade are, and so name no
 * trade of their own. An example is "OAB" in "advogados ativos na OAB".
 */
export function isInside(sentence: Sentence, at: number, before: Before | null): boolean {
  if (before === null || !["na", "no", "nas", "nos"].includes(sentence.folded(at - 1)))
    return false;
  for (let i = before.to; i < at - 1; i++) if (sentence.free(i)) return false;
  return before.to < at;
}
