/**
 * Reads words that the names of companies must contain. Input: a sentence that no stage has read.
 * Output: phrases for `text_hints`, one per request.
 * Invariant: a name stands before "no nome", after words such as "chamadas" or "da rede", or in
 * quotation marks. Quoted text with another known meaning keeps that meaning. Excluded names,
 * names that are too long, and names beyond the limit are reported in notes.
 */
import { analyzeWords } from "../../spec/analyzer.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import { tradeEnd } from "../activities/activities.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsRequest, kindAt } from "../items.ts";
import { isNegatorWord } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import { isCapitalised } from "../places/placesigns.ts";
import { isIn, isOf, QUARTER_HEADS, STREETS } from "../places/placewords.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";
import { nearestTrades } from "../spelling/spellwords.ts";
import { joins } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import { chainEnd } from "./chains.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/**
 * Words of phrases such as "no nome fantasia". `NAMES` contains the words for a company's name. The
 * other sets contain the words before and after them.
 */
const NAMES = wordSet("nome nomes razao fantasia name names denominacao titulo nombre");
const INTO = wordSet("no na nos nas in em en");
const BEFORE_NAME = wordSet("o a seu sua seus suas the their its proprio legal trade company");
const AFTER_NAME = wordSet("social fantasia da do de empresa empresas ou e razao nome");
/** `HAVING` introduces a required name before "no nome", `WITHOUT` an excluded one. */
const HAVING = wordSet(
  "com contendo tenha tenham tem with having con contenha contenham usa usam " +
    "leva levam levem carrega carregam carreguem traz trazem tragam lleva llevan contains contain",
);
const WITHOUT = wordSet("sem nao without not exceto sin");
const SAYING = wordSet(
  "a o as os the la el palavra palavras palabra palabras termo termos termino terminos expressao " +
    "expresion word words term terms texto",
);
/** Words that a name directly follows: "chamadas Sol". */
const CALLED = wordSet("chamada chamadas chamado chamados chama chamam named called llamada");
/** Words between "nome" and the name: "cujo nome contém", "nome fantasia". */
const HOLDS = wordSet(
  "contem contenha contenham contendo inclui inclua incluindo tenha tem seja e com fantasia " +
    "social a o the la el palavra palabra word term termo contiene contengan containing " +
    "contains includes de is comecando comeca comecam comece " +
    "iniciando inicia starting begins aparece apareca aparecam figura figure",
);
const QUOTES = '"“”„«»';
/**
 * Stages that mark phone numbers and e-mail addresses as read. Those that no filter takes are
 * marked as "unmapped".
 */
const TAKEN = wordSet("contact unmapped");
/** Maximum number of words of a name. */
const WORDS_MAX = 5;
/** Maximum number of tokens, with quotation marks, between "com" and "no nome". */
const TOKENS_MAX = 11;

interface NameContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly gazetteer: Gazetteer;
}

/** Returns the words that company names must contain and marks them as read. */
export function findNameWords(context: NameContext): readonly string[] {
  const found: string[] = [];
  const { sentence } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const read =
      beforeName(sentence, at) ??
      behindCalled(sentence, at) ??
      behindChain(context, at) ??
      quoted(context, at) ??
      assumed(
        context,
        beforeOutlets(context, at) ??
          beforeTrade(context, at) ??
          behindTrade(context, at) ??
          knownChain(context, at) ??
          onlyName(context, at),
      );
    if (read === null) continue;
    take(context, read, found);
    at = read.to - 1;
  }
  return found;
}

/** Adds a note that these words are assumed to be a name, because no word around them says so. */
function assumed({ sentence, notes }: NameContext, read: Read | null): Read | null {
  if (read === null) return null;
  notes.assume(
    "name_of_company",
    {
      pt: "Lido como palavras do nome da empresa.",
      en: "Taken for words of the company's name.",
    },
    sentence.words(read.from, read.to),
  );
  return read;
}

interface Read {
  readonly from: number;
  readonly to: number;
  readonly phrases: readonly (readonly string[])[];
  readonly negated: boolean;
}

function take({ sentence, notes }: NameContext, read: Read, found: string[]): void {
  const { from, to, phrases, negated } = read;
  if (negated) {
    const detail = {
      pt: "Nenhum filtro exclui palavras do nome.",
      en: "No filter leaves words of a name out.",
    };
    notes.addUnmapped("excluded_name", detail, sentence.claim(from, to, "unmapped"));
  } else if (phrases.some(isLong) || found.length + phrases.length > SPEC_LIMITS.textHintsMax) {
    const { textHintsMax: most, textHintLengthMax: long } = SPEC_LIMITS;
    const detail = {
      pt: `O filtro aceita até ${most} nomes, de até ${long} letras cada.`,
      en: `The filter takes up to ${most} names of up to ${long} letters each.`,
    };
    notes.addUnmapped("name_limits", detail, sentence.claim(from, to, "unmapped"));
  } else {
    sentence.claim(from, to, "name");
    for (const phrase of phrases) found.push(phrase.join(" "));
  }
  sentence.name(from, to);
}

/** True if a phrase is longer than the filter allows, either as written or as searched. */
function isLong(words: readonly string[]): boolean {
  const text = words.join(" ");
  return Math.max(text.length, analyzeWords(text).join(" ").length) > SPEC_LIMITS.textHintLengthMax;
}

/** Reads the name in "com silva no nome", "que tenham a palavra sol na razão social". */
function beforeName(sentence: Sentence, at: number): Read | null {
  const word = sentence.folded(at);
  const negated = WITHOUT.has(word);
  if (!negated && !HAVING.has(word)) return null;
  let first = at + 1;
  while (SAYING.has(sentence.folded(first)) || HAVING.has(sentence.folded(first))) {
    // Limits the loop, because a scan from each token to the end would take quadratic time.
    if (++first > at + WORDS_MAX) return null;
  }
  let words = 0;
  for (let end = first + 1; end <= first + TOKENS_MAX && words < WORDS_MAX; end++) {
    if (sentence.tokens[end - 1]?.kind !== "mark") words++;
    // In "com celular com sol no nome", the first words are another request.
    if (HAVING.has(sentence.folded(end)) || WITHOUT.has(sentence.folded(end))) return null;
    const to = nameEnd(sentence, end);
    if (to === null) {
      if (sentence.tokens[end] === undefined || isIn(sentence.folded(end))) return null;
      continue;
    }
    const phrases = phrasesOf(sentence, first, end);
    return phrases.length === 0 ? null : { from: at, to, phrases, negated };
  }
  return null;
}

/** Returns the end of a phrase such as "no nome" or "in their name" at a token, or null. */
function nameEnd(sentence: Sentence, at: number): number | null {
  if (!INTO.has(sentence.folded(at))) return null;
  let to = at + 1;
  while (BEFORE_NAME.has(sentence.folded(to))) to++;
  if (!NAMES.has(sentence.folded(to))) return null;
  to++;
  for (let next = to; next < to + 4 && AFTER_NAME.has(sentence.folded(next)); next++) {
    const word = sentence.folded(next);
    if (/^(social|fantasia|razao|nome|empresas?)$/.test(word)) to = next + 1;
  }
  return to;
}

/** Reads "chamadas Sol", "cujo nome contém sol", "com nome fantasia "Sol Nascente"". */
function behindCalled(sentence: Sentence, at: number): Read | null {
  const word = sentence.folded(at);
  const called = CALLED.has(word);
  if (!called && !NAMES.has(word)) return null;
  let first = at + 1;
  while (HOLDS.has(sentence.folded(first)) && first < at + 5) first++;
  const quote = QUOTES.includes(sentence.tokens[first]?.text ?? " ");
  // "por nome" and "nome e telefone" do not introduce a name.
  if (!quote && !called && !isHolding(sentence, at + 1, first)) return null;
  const end = quote ? closing(sentence, first) : wordsEnd(sentence, first);
  if (end === null || end === first) return null;
  const phrases = phrasesOf(sentence, quote ? first + 1 : first, end);
  const from = leadStart(sentence, at);
  return phrases.length === 0
    ? null
    : { from, to: quote ? end + 1 : end, phrases, negated: WITHOUT.has(sentence.folded(from - 1)) };
}

function isHolding(sentence: Sentence, from: number, to: number): boolean {
  // "com nome sabor" and "com o nome sol" introduce a name; "com nome e telefone" does not.
  const having = HAVING.has(sentence.folded(leadStart(sentence, from - 1)));
  const next = sentence.tokens[to];
  if (having && next?.kind === "word" && !joins(next) && !beginsRequest(sentence, to)) return true;
  for (let at = from; at < to; at++) {
    if (/^(cont|inclu|tenha|tem$|is$|seja|aparec|figur)/.test(sentence.folded(at))) return true;
    // "nome com Irmãos"
    if (sentence.folded(at) === "com" && at + 1 === to && isCapitalised(sentence, to))
      return !beginsRequest(sentence, to);
  }
  return false;
}

/** Returns the start of the words that lead to "nome", such as "com o" or "cujo". */
function leadStart(sentence: Sentence, at: number): number {
  let from = at;
  while (
    from > at - 3 &&
    /^(com|o|a|de|cuj[oa]s?|whose|with|se|que)$/.test(sentence.folded(from - 1))
  )
    from--;
  return from;
}

/** Words that start another request after a name. */
const AFTER_ALL =
  /^(que|inclusive|incluindo|including|com|with|con|tendo|abert[ao]s?|opened|desde)$/;

/** Returns the end of a name. Punctuation, a preposition of place, or another request ends it. */
function wordsEnd(sentence: Sentence, first: number): number {
  let end = first;
  for (; end < first + WORDS_MAX; end++) {
    const token = sentence.tokens[end];
    if (token === undefined || token.kind === "mark" || isIn(token.folded)) break;
    if (end > first && (joins(token) || beginsRequest(sentence, end)) && !isOf(token.folded)) break;
    // "exceto" ends the name in "chamados Sol exceto MEI". As the first word it is part of a name:
    // "Sem Parar".
    if (end > first && (isNegatorWord(token.folded) || AFTER_ALL.test(token.folded))) break;
  }
  while (end > first && joins(sentence.tokens[end - 1])) end--;
  return end;
}

/** Words for parts of a company before its name: "filiais da", "lojas da rede". */
const OF_CHAIN = wordSet(
  "filial filiais sucursal sucursais sucursales unidade unidades loja lojas franquia franquias " +
    "rede redes branch branches stores tiendas restaurantes supermercados farmacias",
);
const CHAIN = wordSet("rede grupo marca franquia bandeira chain brand cadena");
const LEADS_NAME = wordSet("da do das dos de del of the");
/** "de" with an article, as before the names of companies; names of towns have no article. */
const OF_THE = wordSet("da do");

/**
 * Reads the name in "filiais da Casas Bahia", "lojas da rede Drogasil", "filiais do assaí no
 * Nordeste". After a word for branches, the words must look like a name; after "da rede", any words
 * count. "lojas da Bahia" and "filiais de São Paulo" name places.
 */
function behindChain(context: NameContext, at: number): Read | null {
  const { sentence } = context;
  const word = sentence.folded(at);
  if (!OF_CHAIN.has(word) && !CHAIN.has(word)) return null;
  let first = at + 1;
  const isChain = CHAIN.has(word) && LEADS_NAME.has(sentence.folded(at - 1));
  if (!isChain) {
    if (!LEADS_NAME.has(sentence.folded(first))) return behindOutlets(context, at);
    first++;
    if (CHAIN.has(sentence.folded(first))) return null;
  }
  const isArticled = !isChain && OF_THE.has(sentence.folded(first - 1));
  const capitals = capitalsEnd(sentence, first);
  const end = capitals === first && isArticled ? strangeEnd(context, first) : capitals;
  if (end === first || (!isChain && !isBrand(context, first, end))) return null;
  const phrases = phrasesOf(sentence, first, end);
  const noun = isChain ? at - 2 : at;
  const from = OUTLETS.test(sentence.folded(noun)) ? noun : isChain ? at - 1 : first - 1;
  const negated = WITHOUT.has(sentence.folded(at - 1));
  return phrases.length === 0 ? null : { from, to: end, phrases, negated };
}

/** Matches nouns for outlets that add nothing to a name: "lojas" in "lojas da rede Drogasil". */
const OUTLETS = /^(?:lojas?|unidades?|franquias?|redes?|stores|tiendas)$/;
/** Nouns for outlets directly before or after a name: "Lojas Americanas", "Havan stores". */
const NAMED_OUTLETS = /^(?:lojas?|redes?|grupo|stores?|shops?|outlets?|branch(?:es)?|tiendas?)$/;
const ENGLISH_OUTLETS = /^(?:stores?|shops?|outlets?|branch(?:es)?)$/;

/**
 * Reads capitalized words directly after a noun for outlets: "Lojas Americanas", "rede Drogasil".
 */
function behindOutlets(context: NameContext, at: number): Read | null {
  const { sentence } = context;
  if (!NAMED_OUTLETS.test(sentence.folded(at))) return null;
  const end = capitalsEnd(sentence, at + 1);
  const isPlace = context.gazetteer.places.longest(sentence.tokens, at + 1) !== null;
  if (end === at + 1 || isPlace || !isBrand(context, at + 1, end)) return null;
  const phrases = phrasesOf(sentence, at + 1, end);
  return phrases.length === 0 ? null : { from: at, to: end, phrases, negated: false };
}

/** Reads a name before a noun for outlets if it has no other meaning: "Havan stores in Pará". */
function beforeOutlets(context: NameContext, at: number): Read | null {
  const { sentence } = context;
  const isWritten = at === 0 || isCapitalised(sentence, at);
  if (!isWritten || sentence.tokens[at]?.text.toLowerCase() === sentence.tokens[at]?.text) {
    return null;
  }
  let end = at + 1;
  while (end < at + 4 && isCapitalised(sentence, end)) end++;
  if (!ENGLISH_OUTLETS.test(sentence.folded(end)) || !isStrange(context, at)) return null;
  if (!isBrand(context, at, end)) return null;
  const phrases = phrasesOf(sentence, at, end);
  const isBranch = /^branch/.test(sentence.folded(end));
  const to = isBranch ? end : end + 1;
  return phrases.length === 0 ? null : { from: at, to, phrases, negated: false };
}

/**
 * Reads "Smart Fit gyms", "McDonald's restaurants": English puts the name of a chain before its
 * trade. The name has two capitalized words, or one with a possessive, and has no other meaning.
 */
function beforeTrade(context: NameContext, at: number): Read | null {
  const { sentence, gazetteer } = context;
  const word = (index: number) => sentence.tokens[index]?.kind === "word";
  if (!isWritten(sentence, at) || !hasLowerCase(sentence)) return null;
  if (at > 0 && word(at - 1) && isWritten(sentence, at - 1)) return null;
  let end = at + 1;
  while (end < at + NAME_MAX && isWritten(sentence, end)) end++;
  if (
    sentence.folded(end) === "s" &&
    sentence.text.charAt(sentence.words(end, end + 1).start - 1) === "'"
  )
    end++;
  if (end - at < 2 || tradeEnd(sentence, end) <= end) return null;
  for (let index = at; index < end; index++) {
    if (!sentence.free(index)) return null;
    if (gazetteer.places.longest(sentence.tokens, index) !== null) return null;
    if (word(index) && sentence.folded(index) !== "s" && tradeEnd(sentence, index) > end) {
      return null;
    }
  }
  if (tradeEnd(sentence, at) > at || beginsRequest(sentence, at)) return null;
  if (DEMONYM.test(sentence.folded(end - 1)) || DEMONYM.test(sentence.folded(at))) return null;
  const phrases = phrasesOf(sentence, at, end);
  return phrases.length === 0 ? null : { from: at, to: end, phrases, negated: false };
}

/** Matches English adjectives of nationality, which are capitalized but are not names. */
const DEMONYM = /(?:ian|ean|ese|ish|can|man)$|^(?:french|greek|dutch|thai|swiss|arab)$/;

/** True for a word that begins with a capital but is not all capitals, as names are written. */
function isWritten(sentence: Sentence, at: number): boolean {
  const { kind, text = "" } = sentence.tokens[at] ?? {};
  const [first = ""] = text;
  return kind === "word" && first !== first.toLowerCase() && text !== text.toUpperCase();
}

/**
 * Reads "farmácias Pague Menos": two or more capitalized words directly after a trade. They do not
 * begin with a place, trade, or request, and no place follows directly.
 */
function behindTrade(context: NameContext, at: number): Read | null {
  const { sentence, gazetteer } = context;
  if (!isCapitalised(sentence, at) || !isCapitalised(sentence, at + 1)) return null;
  if (!endsTrade(sentence, at) || QUARTER_HEADS.has(sentence.folded(at))) return null;
  // In "em Águas Claras DF", the capitalized words before this token belong to the same name.
  if (at > 1 && isCapitalised(sentence, at - 1)) return null;
  if (STREETS.has(sentence.folded(at - 1))) return null;
  const end = capitalsEnd(sentence, at);
  for (let word = at; word <= end; word++) {
    if (gazetteer.places.longest(sentence.tokens, word) !== null) return null;
    if (Object.hasOwn(STATE_NAMES, sentence.tokens[word]?.text ?? "")) return null;
    if (word < end && tradeEnd(sentence, word) > word) return null;
    if (word === at && beginsRequest(sentence, word)) return null;
  }
  const phrases = end - at < 2 ? [] : phrasesOf(sentence, at, end);
  return phrases.length === 0 ? null : { from: at, to: end, phrases, negated: false };
}

/**
 * Reads "drogasil" in "farmácias drogasil no RS". A known chain after its trade needs no capital
 * letters. Instead, a place, punctuation, or the end of the sentence must follow, so "extra" in
 * "supermercados extra grandes" is no chain.
 */
function knownChain({ sentence, gazetteer }: NameContext, at: number): Read | null {
  if (at === 0) return null;
  const to = chainEnd(sentence, at);
  if (to === at || !endsTrade(sentence, at)) return null;
  const next = sentence.tokens[to];
  const isEnd = next === undefined || next.kind === "mark" || isIn(next.folded);
  const isState = Object.hasOwn(STATE_NAMES, next?.text.toUpperCase() ?? "");
  const isPlace = isState || gazetteer.places.longest(sentence.tokens, to) !== null;
  // "mercados bh" requests markets in Belo Horizonte; "mercados bh em Contagem" requests a chain.
  const isTown = gazetteer.places.longest(sentence.tokens, at) !== null;
  if (isTown ? !isIn(next?.folded ?? "") : !isEnd && !isPlace) return null;
  const phrases = phrasesOf(sentence, at, to);
  return phrases.length === 0 ? null : { from: at, to, phrases, negated: false };
}

/**
 * Reads "Havan" in "Havan SC" and "Cacau Show" in "Cacau Show em Natal": capitalized words without
 * another meaning that begin a sentence without a trade and precede a place.
 */
function onlyName(context: NameContext, at: number): Read | null {
  const { sentence, gazetteer } = context;
  if (at > 0 || !isStrange(context, at)) return null;
  const isCapital = (index: number) => {
    const text = sentence.tokens[index]?.text ?? "";
    return text !== text.toLowerCase() && text !== text.toUpperCase();
  };
  let end = 0;
  while (end < NAME_MAX && isCapital(end) && isStrange(context, end)) end++;
  if (end === 0 || sentence.tokens.some((_, i) => tradeEnd(sentence, i) > i)) return null;
  if (nearestTrades([sentence.tokens[0]?.key ?? ""]).length > 0) return null;
  const first = isIn(sentence.folded(end)) ? end + 1 : end;
  const isState = Object.hasOwn(STATE_NAMES, sentence.tokens[first]?.text ?? "");
  if (!isState && gazetteer.places.longest(sentence.tokens, first) === null) return null;
  return { from: 0, to: end, phrases: phrasesOf(sentence, 0, end), negated: false };
}

/** True if a trade ends directly before a token. */
function endsTrade(sentence: Sentence, at: number): boolean {
  for (let from = at - 1; from >= Math.max(0, at - TRADE_MAX); from--) {
    if (tradeEnd(sentence, from) === at) return true;
  }
  return false;
}

const TRADE_MAX = 4;

/**
 * Returns the end of words that have no other meaning. The name of a small town also counts if a
 * preposition of place follows, because a company may have that name.
 */
function strangeEnd(context: NameContext, first: number): number {
  const { sentence, gazetteer } = context;
  const town = gazetteer.places.longest(sentence.tokens, first);
  if (town !== null) {
    const { cities, states, nicknamed } = town.place;
    const isSmall = states.length + nicknamed.length === 0 && cities.length > 0;
    // "filiais do assaí no Nordeste": the place follows the name.
    const isBefore = isIn(sentence.folded(town.to));
    return isSmall && isBefore && cities.every(({ capital }) => !capital) ? town.to : first;
  }
  let end = first;
  while (end < first + NAME_MAX && isStrange(context, end)) end++;
  return end;
}

/** Maximum number of words in a name without capital letters. */
const NAME_MAX = 3;

/** True for an uncommon word at which no place, trade, or request begins. */
function isStrange({ sentence, gazetteer }: NameContext, at: number): boolean {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || !sentence.free(at) || token.folded.length < 3) return false;
  if (isFillerWord(token) || COMMON_WORDS.has(token.folded) || COMMON_WORDS.has(token.key)) {
    return false;
  }
  if (gazetteer.places.longest(sentence.tokens, at) !== null) return false;
  return kindAt(sentence, at) === "other";
}

/** Returns the end of a run of capitalized words, with joining words such as "de" between them. */
function capitalsEnd(sentence: Sentence, first: number): number {
  const isCapital = (at: number) => isCapitalised(sentence, at);
  // If all words are capitalized, capital letters do not mark names.
  if (!isCapital(first) || !hasLowerCase(sentence)) return first;
  let end = first;
  for (let at = first; at < first + WORDS_MAX && sentence.free(at); at++) {
    if (isCapital(at)) end = at + 1;
    else if (!isOf(sentence.folded(at)) || at === first) break;
  }
  return end;
}

/** Caches, for each sentence, if it has at least two words without a capital. */
const LOWER = new WeakMap<Sentence, boolean>();

function hasLowerCase(sentence: Sentence): boolean {
  const known = LOWER.get(sentence);
  if (known !== undefined) return known;
  let count = 0;
  for (const [at, { kind }] of sentence.tokens.entries()) {
    if (kind === "word" && !isCapitalised(sentence, at) && ++count === 2) break;
  }
  LOWER.set(sentence, count === 2);
  return count === 2;
}

/** True for a name that is neither a place nor a trade and does not begin a place. */
function isBrand(context: NameContext, first: number, end: number): boolean {
  const { sentence, gazetteer } = context;
  const place = gazetteer.places.longest(sentence.tokens, first);
  const isTown = place !== null && place.to >= end && strangeEnd(context, first) < end;
  if (isTown || beginsRequest(sentence, first)) return false;
  return sentence.tokens[first]?.text.length !== 2 && tradeEnd(sentence, first) < end;
}

/** Reads quoted text without another known meaning. */
function quoted({ sentence, gazetteer }: NameContext, at: number): Read | null {
  if (!QUOTES.includes(sentence.tokens[at]?.text ?? " ")) return null;
  const end = closing(sentence, at);
  if (end === null || end - at > WORDS_MAX + 1) return null;
  const first = at + 1;
  const place = gazetteer.places.longest(sentence.tokens, first)?.to === end;
  if (place || tradeEnd(sentence, first) >= end || beginsRequest(sentence, first)) return null;
  // Quotation marks may enclose the whole sentence, which is not a name then.
  if (at === 0 && end >= sentence.tokens.length - 2) return null;
  for (let i = first; i < end; i++) if (isIn(sentence.folded(i))) return null;
  const phrases = phrasesOf(sentence, first, end);
  const negated = isLeftOut(sentence, at);
  return phrases.length === 0 ? null : { from: at, to: end + 1, phrases, negated };
}

/** True if a quoted name is excluded: "sem "silva"", "exceto MEI e "silva"". */
function isLeftOut(sentence: Sentence, at: number): boolean {
  if (WITHOUT.has(sentence.folded(at - 1))) return true;
  const joined = ["e", "ou", "nem", "and", "or"].includes(sentence.folded(at - 1));
  return (
    joined && [3, 4].some((back) => /^(exceto|except|menos)$/.test(sentence.folded(at - back)))
  );
}

/** Returns the position of the closing quotation mark, or null if there is none. */
function closing(sentence: Sentence, at: number): number | null {
  for (let end = at + 1; end <= at + WORDS_MAX + 2 && end < sentence.tokens.length; end++) {
    if (QUOTES.includes(sentence.tokens[end]?.text ?? " ")) return end > at + 1 ? end : null;
  }
  return null;
}

/**
 * Returns the phrases that "ou" separates in the tokens [from, to), each as a list of words.
 * Returns an empty array if all words are fillers.
 */
function phrasesOf(sentence: Sentence, from: number, to: number): string[][] {
  const phrases: string[][] = [[]];
  let only = true;
  for (let at = from; at < to; at++) {
    const token = sentence.tokens[at] as Token;
    // A quoted phone number or e-mail address is not a name.
    if (TAKEN.has(sentence.owner(at) ?? "")) continue;
    if (token.folded === "ou" || token.folded === "or") phrases.push([]);
    else if (token.kind !== "mark" && !joins(token)) phrases.at(-1)?.push(token.folded);
    if (token.kind !== "mark" && !isFillerWord(token)) only = false;
  }
  return only ? [] : phrases.filter((words) => words.length > 0);
}
