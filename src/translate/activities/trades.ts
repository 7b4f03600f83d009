/**
 * Names of trades. What comes in: a sentence and a place in it. What goes out: the trade that
 * stands there, alone, behind a word for shop, or with its first word in front of the trade before
 * it.
 * Invariant: a general word that goes on ("comércio de foguetes") is not taken alone.
 */
import { isFillerWord } from "../fillers.ts";
import { joins, type Match } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token } from "../words/tokens.ts";
import type { LexiconChoice } from "./choices.ts";
import type { GoodsReading } from "./goods.ts";
import { lexicon } from "./lexicon.ts";
import { ROLES_BEFORE, type TradeRole } from "./roles.ts";

const OF = new Set(["de", "do", "da", "dos", "das", "of"]);
/** What is done stands behind them. */
const SERVICES = new Set(["servico", "servicos", "service", "services"]);
/** Words for any company. */
const FIRMS = new Set(
  "empresa empresas firma firmas companhia companhias negocio negocios startup startups".split(" "),
);
/** Most words of a name that a trade lends its first word to. */
const LENT_MAX = 6;

/** What was read before. */
export interface Before {
  /** Its first word, which may belong to the next one as well: "escolas de inglês e música". */
  readonly token: Token;
  /** Where it ends. */
  readonly to: number;
  /** What is done with its goods. */
  readonly role: TradeRole | null;
}

/** The trade that begins at a token; null where none does. */
export function readTrade(sentence: Sentence, at: number): GoodsReading | null {
  const trade = lexicon().trades.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (trade === null || isOpen(sentence, trade)) return null;
  return withTail(sentence, readingOf(firstOfTwo(sentence, trade) ?? trade));
}

/** The first of two trades in the plural; null where a name stands for one. */
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
 * "livrarias e papelarias" are the ones and the others, where "livraria e papelaria" is one shop:
 * whether two words are trades in the plural of which the name of both lacks one.
 */
function areTwo(words: readonly Token[], both: LexiconChoice): boolean {
  const { trades: names } = lexicon();
  // Not of goods, which the lexicon has in the plural: "móveis e eletrodomésticos".
  const single = (word: Token) =>
    foldWord(names.written(word.key) ?? word.folded) !== word.folded
      ? names.longest([word], 0)
      : null;
  const trades = words.map(single);
  if (trades.includes(null)) return false;
  const said = (code: string) => both.codes.some((own) => code.startsWith(own));
  return isGeneral(both) || !trades.flatMap((one) => one?.value.codes ?? []).every(said);
}

const AND = new Set(["e", "and"]);

function readingOf({ to, value }: Match<LexiconChoice>): GoodsReading {
  return { ...value, to, certainty: isGeneral(value) || value.codes.length > 2 ? 0.9 : 0.95 };
}

/** English words behind a trade that say nothing more: "accounting firms", "auto repair shops". */
const TAILS = new Set(
  (
    "dealer installer maker seller vendor " +
    "store shop firm company centre center business businesse office provider industry clinic " +
    "manufacturer agency service contractor professional specialist"
  ).split(" "),
);

function withTail(sentence: Sentence, reading: GoodsReading): GoodsReading {
  const token = sentence.tokens[reading.to];
  const tail = token !== undefined && sentence.free(reading.to) && isTail(token);
  return tail ? { ...reading, to: reading.to + 1 } : reading;
}

/**
 * "concessionária de carros novos": goods that begin within a name of a trade, and that it deals
 * in, belong to it whole.
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

/** "loja de conserto de celular", "casa de massagem": a shop of a trade is that trade. */
export function tradeBehindShop(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const role = ROLES_BEFORE.longest(sentence.tokens, at, free);
  // "serviços de tatuagem", too, and "empresas de transporte de carga" beside those of transport.
  const led =
    SERVICES.has(sentence.folded(at)) || FIRMS.has(sentence.folded(at)) || isRoom(sentence, at);
  const end = led ? at + 1 : role?.value === "retail" ? role.to : -1;
  if (end < 0 || !OF.has(sentence.folded(end))) return null;
  const trade = lexicon().trades.longest(sentence.tokens, end + 1, free);
  return trade === null || isGeneral(trade.value) ? null : readingOf(trade);
}

/** Where somebody of a profession works: "consultório de nutricionista". */
const ROOMS = new Set(
  "consultorio consultorios estudio estudios atelie atelies gabinete gabinetes".split(" "),
);

/** Whether a room is no name of a trade together with what follows. */
function isRoom({ tokens }: Sentence, at: number): boolean {
  if (!ROOMS.has(tokens[at]?.folded ?? "")) return false;
  return (lexicon().trades.longest(tokens, at)?.to ?? at + 1) === at + 1;
}

/** Prefixes and sections stand for many activities. */
function isGeneral({ codes }: LexiconChoice): boolean {
  return codes.every((code) => code.length < 5);
}

/**
 * "comércio de foguetes" is not all of commerce: a general word that goes on is not taken
 * alone.
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
 * A trade that lacks its first word, which stands in front of the one before: in a list, or behind
 * a `negator` ("indústrias exceto alimentos" leaves out what "indústrias de alimentos" are).
 */
export function readLent(
  sentence: Sentence,
  at: number,
  { token, to }: Before,
  negator = -1,
): GoodsReading | null {
  for (let between = negator < to ? to : at; between < at; between++) {
    const word = sentence.tokens[between];
    if (word?.text !== "," && !["e", "ou", "and", "or"].includes(word?.folded ?? "")) return null;
  }
  // "restaurantes exceto bares": what is left out has a name of its own.
  const named = negator >= to && lexicon().trades.longest(sentence.tokens, at) !== null;
  if (at === to || named) return null;
  const tokens = [token, ...sentence.tokens.slice(at, at + LENT_MAX)];
  const match = lexicon().trades.longest(tokens, 0, (i) => i === 0 || sentence.free(at + i - 1));
  if (match === null || match.to < 2) return null;
  if (match.to === 2 && areTwo(tokens.slice(0, 2), match.value)) return null;
  return { ...readingOf(match), to: at + match.to - 1 };
}
