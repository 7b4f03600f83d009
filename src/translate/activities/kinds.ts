/**
 * Recognizes kinds of trades that the registry does not distinguish. For the registry,
 * "restaurantes japoneses" are just restaurants, and importers are wholesalers. Input: a trade in a
 * sentence. Output: an assumption that explains this and suggests words for a search by company
 * name.
 * Invariant: a word for a kind does not change the codes that the lexicon assigns to the trade.
 * Such a word next to a trade is not read as another condition.
 * Separate from the other readers because it is a word list with its remarks.
 */
import { TRADE_ABROAD } from "../filters/phrase.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { reduce } from "../words/tokens.ts";
import { lexicon } from "./lexicon.ts";
import type { Goods, LexiconChoice } from "./roles.ts";

/** Reduced adjectives that name a kind: "japonês", "italiana". */
const KINDS = new Set(
  (
    "japones japonesa chines chinesa italiano italiana arabe mexicano mexicana portugues " +
    "portuguesa frances francesa alemao alema coreano coreana indiano indiana tailandes peruano " +
    "peruana argentino argentina espanhol espanhola americano americana mineiro mineira baiano " +
    "baiana nordestino nordestina gaucho gaucha vegano vegana vegetariano vegetariana organico " +
    "organica artesanal gourmet premium tradicional caseiro caseira fitness saudavel natural " +
    "feminino feminina masculino masculina infantil juvenil unissex adulto " +
    "adulta plus evangelico evangelica catolico catolica " +
    "trabalhista tributarista criminalista criminal previdenciario previdenciaria " +
    "fazenda boutique pediatra " +
    "juramentado juramentada organic kosher halal " +
    "filantropico filantropica publico publica particular privado privada municipal estadual " +
    "federal comunitario comunitaria private public " +
    "independente independentes agricola agricolas interestadual internacional nacional " +
    "regional rural automotivo automotiva residencial comercial predial corporativo corporativa " +
    "familiar popular independent interstate international foreign local japanese italian " +
    "bilingue bilingual daily weekly community chinese mexican vegan vegetarian luxury " +
    "industrial custom bespoke commercial residential " +
    "corporate specialty special professional modern personalizado personalizada especializado " +
    "especializada certificado certificada certified refrigerada refrigerado"
  )
    .split(" ")
    .map(reduce),
);

/** Kinds that clearly restrict a request. They are reported as a condition that has no filter. */
const WISHED = new Set(
  (
    "japones japonesa chines chinesa italiano italiana arabe mexicano mexicana portugues " +
    "portuguesa frances francesa alemao alema coreano coreana indiano indiana tailandes peruano " +
    "peruana argentino argentina espanhol espanhola vegano vegana vegetariano vegetariana " +
    "bilingue bilingual trabalhista tributarista criminalista previdenciario previdenciaria " +
    "kosher halal gourmet japanese italian chinese mexican vegan vegetarian luxury"
  )
    .split(" ")
    .map(reduce),
);

/** Words that name a kind elsewhere, but have another meaning directly after a trade. */
const NOUNS = new Set("fazenda boutique pediatra plus criminal natural adulto".split(" "));

/**
 * Matches words for importing and exporting, which the registry's activities do not distinguish.
 */
const ABROAD = /^(import|export)(ador(es|as?)?|er|ers|acao|am?|em)$/;

/**
 * Matches "orgânico". Organic products have the same codes as others, except for goods that are
 * organic by nature, such as fertilizers and waste.
 */
const ORGANIC = /^organic([ao]s?)?$/;
const ORGANIC_BY_NATURE = new Set("adubo fertilizante lixo residuo composto quimica".split(" "));

/** Maximum number of leading words of a name that are checked for kinds. */
const NAME_MAX = 8;

/**
 * Adds a note for each word in or next to a trade that names a kind without a code. Returns the end
 * of the trade, which includes a kind word after it.
 */
export function noteKinds(context: KindContext, from: number, to: number): number {
  const { sentence } = context;
  for (let at = from; at < Math.min(to, from + NAME_MAX); at++) {
    if (isSilent(sentence, from, to, at)) addNote(context, at);
  }
  if (isAlone(sentence, from - 1)) {
    sentence.claim(from - 1, from, "activity");
    addNote(context, from - 1);
  }
  if (!isAlone(sentence, to) || isWrittenAsName(sentence, to)) return to;
  addNote(context, to);
  return to + 1;
}

/** True for a capital letter in a text of both cases: "no Parque Industrial". */
function isWrittenAsName({ tokens, text }: Sentence, at: number): boolean {
  const { text: word = "" } = tokens[at] ?? {};
  return word !== word.toLowerCase() && text !== text.toUpperCase();
}

/**
 * True if a word in the name of a trade only names a kind that the registry does not distinguish.
 * The name has the same codes without such a word.
 */
function isSilent(sentence: Sentence, from: number, to: number, at: number): boolean {
  const word = sentence.folded(at);
  if (ABROAD.test(word)) return true;
  const keys = sentence.tokens.slice(from, to).map(({ key }) => key);
  if (ORGANIC.test(word)) return !keys.some((key) => ORGANIC_BY_NATURE.has(key));
  if (to - from < 2 || !isKind(sentence, at)) return false;
  if (at === from) return isOnlyLead(sentence, from, to);
  return at === to - 1 && isOnlyKind(sentence, from, to);
}

interface KindContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
}

function addNote({ sentence, notes }: KindContext, at: number): void {
  const { text, folded } = sentence.tokens[at] as { text: string; folded: string };
  if (ABROAD.test(folded)) {
    const { code, ...detail } = TRADE_ABROAD;
    notes.addUnmapped(code, detail, sentence.words(at, at + 1));
    return;
  }
  const kind = text.toLowerCase();
  const detail = {
    pt: `A Receita não separa “${kind}”; pelo nome: “com ${folded} no nome”.`,
    en: `The registry does not separate "${kind}"; by name: "with ${folded} in the name".`,
  };
  if (WISHED.has(reduce(folded))) {
    notes.addUnmapped("kind_not_separated", detail, sentence.words(at, at + 1));
    return;
  }
  notes.assume("kind_not_separated", detail, sentence.words(at, at + 1));
}

function isKind(sentence: Sentence, at: number): boolean {
  return KINDS.has(sentence.tokens[at]?.key ?? "");
}

/**
 * True if the token names a kind and is not the first word of a longer trade or goods name:
 * "orgânicas" in "fazendas orgânicas".
 */
function isAlone(sentence: Sentence, at: number): boolean {
  if (!isKind(sentence, at) || NOUNS.has(sentence.folded(at)) || !sentence.free(at)) return false;
  const { trades, goods } = lexicon();
  const ends = [trades, goods].map((each) => each.longest(sentence.tokens, at)?.to ?? at);
  return Math.max(...ends) <= at + 1;
}

/** True if a name has the same codes without its first word: "private schools". */
function isOnlyLead(sentence: Sentence, from: number, to: number): boolean {
  const { trades } = lexicon();
  const bare = trades.longest(sentence.tokens, from + 1, (index) => index < to);
  const whole = trades.longest(sentence.tokens, from, (index) => index < to);
  return bare?.to === to && whole?.to === to && isWithin(whole.value, bare.value);
}

/** True if a name that ends at a token has the same codes without its last word. */
function isOnlyKind(sentence: Sentence, from: number, to: number): boolean {
  const { trades, goods } = lexicon();
  for (let at = from; at < to - 1; at++) {
    const upTo = (end: number) => (index: number) => index < end;
    const [trade, bare] = [to, to - 1].map((end) => trades.longest(sentence.tokens, at, upTo(end)));
    if (trade?.to === to && bare?.to === to - 1) {
      return isWithin(trade.value, bare.value);
    }
    const [good, plain] = [to, to - 1].map((end) => goods.longest(sentence.tokens, at, upTo(end)));
    if (good?.to === to && plain?.to === to - 1) {
      return codesOf(good.value) === codesOf(plain.value);
    }
    // "lojas de roupas femininas" is a trade with the kind word, but "lojas de roupas" without it
    // is a goods name.
    if (trade?.to === to && plain?.to === to - 1) {
      return Object.values(plain.value).some(({ codes }) => codes[0] === trade.value.codes[0]);
    }
  }
  return false;
}

/**
 * True if `wide` has all codes of the first choice or the same main code. Also true if `wide` means
 * only a code prefix and the main code of the first choice begins with this prefix.
 */
function isWithin({ codes }: LexiconChoice, { codes: wide, also }: LexiconChoice): boolean {
  const [first = ""] = wide;
  const below = first.length < 5 && also.length === 0;
  return (
    codes.every((code) => wide.includes(code)) ||
    codes[0] === first ||
    (below && codes[0]?.startsWith(first) === true)
  );
}

function codesOf(goods: Goods): string {
  return Object.values(goods)
    .map(({ codes }) => codes[0])
    .join(" ");
}
