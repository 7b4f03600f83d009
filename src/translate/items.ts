/**
 * Reads the items of a list. An item is a run of words that name one thing, such as a trade, a
 * place, or a filter.
 * Input: a sentence and a position. Output: the kind of the item that begins at the position, and
 * the item's end.
 * Invariant: the result depends only on the words, not on the stage that has read them. An item has
 * at most `ITEM_MAX` tokens, so that the cost of a lookup is bounded.
 */

import { lexicon } from "./activities/lexicon.ts";
import { isFillerWord } from "./fillers.ts";
import { FILTER_PHRASES } from "./filters/table.ts";
import type { Sentence, TokenRole } from "./words/sentence.ts";

/** The kind of a list item. "other" stands for places and unknown words, "small" for fillers. */
export type ItemKind = TokenRole | "other" | "small";

const ITEM_MAX = 12;

const wordSet = (words: string) => new Set(words.split(" "));
const OF = wordSet("de do da dos das of");
const AGES = wordSet(
  "abertas abertos aberta aberto abriram fundadas fundados criadas criados constituidas desde ha " +
    "mais menos acima abaixo ultimos ultimas antes depois apos since opened older younger recem " +
    "novas novos recentes",
);
const STOPS = wordSet("e ou nem and or nor com em no na nos nas que por mas para in with ha");
/** Words that exclude the words after them, unless capitals make them part of a name. */
const LEAVES_OUT = wordSet("sem without exceto excepto except menos tirando salvo fora excluindo");
/** Abbreviations that are usually in capitals but are not part of a name. */
const LETTERS = wordSet("mei meis epp epps me mes ltda eireli");

interface Kinds {
  revision: number;
  readonly kinds: (ItemKind | undefined)[];
}

/** Cached, because many stages look up every word, and each lookup takes four searches. */
const KINDS = new WeakMap<Sentence, Kinds>();

/** Returns the kind of the item that begins at a token. */
export function kindAt(sentence: Sentence, at: number): ItemKind {
  if (at < 0) return "small";
  let known = KINDS.get(sentence);
  if (known === undefined || known.revision !== sentence.revision) {
    known = { revision: sentence.revision, kinds: [] };
    KINDS.set(sentence, known);
  }
  known.kinds[at] ??= readKind(sentence, at);
  return known.kinds[at] ?? "small";
}

function readKind(sentence: Sentence, at: number): ItemKind {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark") return "small";
  if (token.kind === "number" || AGES.has(token.folded)) return "date";
  if (token.folded === "e" && sentence.folded(at + 1) === "mail") return "contact";
  const phrase = FILTER_PHRASES.longest(sentence.tokens, at);
  if (phrase !== null && !isUnled(sentence, at, phrase.value)) return phrase.value.role;
  // "são" is also a verb, but in "São Paulo" it begins a name.
  if (token.folded === "sao" && sentence.tokens[at + 1]?.kind === "word") return "other";
  if (isFillerWord(token)) return "small";
  return knownEnd(sentence, at) > at ? "activity" : "other";
}

/**
 * Matches words for kinds of places. They name a sort key only after a word such as "por" ("por
 * cidade"), not in "Cidade Baixa".
 */
const PLACE_KEYS = /^(?:cidade|municipio|estado|uf|bairro|region|city|state)s?$/;
const SORTING = wordSet("por by pelo pela ordem order cada per");

function isUnled(sentence: Sentence, at: number, { led }: { readonly led?: true }): boolean {
  if (led !== true || !PLACE_KEYS.test(sentence.folded(at))) return false;
  return ![1, 2].some((back) => SORTING.has(sentence.folded(at - back)));
}

/** True if a request such as "Simples", which ends a name before it, begins at a token. */
export function beginsRequest(sentence: Sentence, at: number): boolean {
  return !["activity", "other", "small"].includes(kindAt(sentence, at));
}

/** Returns the end of the item that begins at a token. */
export function itemEnd(sentence: Sentence, at: number, kind: ItemKind): number {
  if (kind === "date") return dateEnd(sentence, at);
  if (kind !== "activity" && kind !== "other" && kind !== "small") {
    const from = sentence.folded(at) === "e" ? at + 1 : at;
    return FILTER_PHRASES.longest(sentence.tokens, from)?.to ?? at + 1;
  }
  let to = Math.max(at + 1, knownEnd(sentence, at));
  while (to < at + ITEM_MAX) {
    const skip = OF.has(sentence.folded(to)) ? 1 : 0;
    if (!goesOn(sentence, to + skip, { activity: kind === "activity", joined: skip === 1 })) break;
    to = Math.max(to + skip + 1, knownEnd(sentence, to + skip));
  }
  return to;
}

/** True if the word at `at` continues the name before it, as "Alegre" continues "Porto". */
function goesOn(
  sentence: Sentence,
  at: number,
  { activity, joined }: { readonly activity: boolean; readonly joined: boolean },
): boolean {
  const text = sentence.tokens[at]?.text ?? "";
  const kind = kindAt(sentence, at);
  const capital = text !== text.toLowerCase();
  const before = sentence.tokens[at - 1]?.text ?? "";
  const word = sentence.folded(at);
  if (STOPS.has(word) || sentence.tokens[at]?.kind !== "word") return false;
  if (LETTERS.has(word) || (!capital && LEAVES_OUT.has(word))) return false;
  // A capitalized word continues a capitalized name even if one of them names a trade, as in "Porto
  // Alegre".
  if (capital && !joined && before !== before.toLowerCase()) return true;
  // An activity ends before a place: in "confeitarias do Paraná", the place applies to the whole
  // list.
  if (activity) return kind === "activity" ? joined : kind === "other" && !capital && !joined;
  return kind === "other" || (capital && kind === "activity");
}

function knownEnd(sentence: Sentence, at: number): number {
  const { trades, goods, roles } = lexicon();
  const { tokens } = sentence;
  return Math.max(
    trades.longest(tokens, at)?.to ?? at,
    goods.longest(tokens, at)?.to ?? at,
    roles.longest(tokens, at)?.to ?? at,
  );
}

/** Returns the end of a date or age, skipping small words: "abertas há menos de 2 anos". */
function dateEnd(sentence: Sentence, at: number): number {
  let to = at + 1;
  for (; to < at + ITEM_MAX; to++) {
    const word = sentence.folded(to);
    const next = sentence.tokens[to + 1];
    if (sentence.tokens[to] === undefined || sentence.tokens[to]?.kind === "mark") break;
    const led = next?.kind === "number" || kindAt(sentence, to + 1) === "date";
    if (STOPS.has(word) && word !== "ha" && word !== "que" && !led) break;
  }
  return to;
}

/** True if the tokens [at, to) are part of a longer trade name, such as "automóveis novos". */
export function isInTrade(sentence: Sentence, at: number, to: number): boolean {
  for (let from = Math.max(0, at - NAME_REACH); from <= at; from++) {
    const end = tradeEnd(sentence, from);
    if (end > at && (from < at || end > to)) return true;
  }
  return false;
}

/** Maximum number of words of a trade name that may precede a word of that name. */
const NAME_REACH = 5;

interface TradeEnds {
  revision: number;
  readonly ends: (number | undefined)[];
}

/** Cached, because negators and dates look up every word, some of them many times. */
const TRADE_ENDS = new WeakMap<Sentence, TradeEnds>();

/** Returns the end of the longest trade or goods name that begins at a token, or 0. */
function tradeEnd(sentence: Sentence, from: number): number {
  let known = TRADE_ENDS.get(sentence);
  if (known === undefined || known.revision !== sentence.revision) {
    known = { revision: sentence.revision, ends: [] };
    TRADE_ENDS.set(sentence, known);
  }
  const { trades, goods } = lexicon();
  known.ends[from] ??= Math.max(
    trades.longest(sentence.tokens, from)?.to ?? 0,
    goods.longest(sentence.tokens, from)?.to ?? 0,
  );
  return known.ends[from] ?? 0;
}
