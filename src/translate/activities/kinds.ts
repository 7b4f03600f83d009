/**
 * Kinds that the registry does not separate: "restaurantes japoneses" are restaurants there. What
 * comes in: a trade that was found in a sentence. What goes out: an assumption that says so, with
 * the words by which companies of the kind may be found by their names.
 * Invariant: only what the lexicon itself gives the codes of the trade without the word.
 * Apart because it is a list of words of its own, with what is said of them.
 */
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { reduce } from "../words/wordforms.ts";
import type { Goods, LexiconChoice } from "./choices.ts";
import { lexicon } from "./lexicon.ts";

/** Adjectives of kinds, folded. */
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
    "filantropico filantropica publico publica particular privado privada municipal estadual " +
    "federal comunitario comunitaria private public " +
    "familiar popular japanese italian chinese mexican vegan vegetarian luxury"
  )
    .split(" ")
    .map(reduce),
);

/** Says that the last word of a trade is of a kind that no code is of. */
export function noteKind(
  { sentence, notes }: { readonly sentence: Sentence; readonly notes: Notes },
  from: number,
  to: number,
): void {
  const last = sentence.tokens[to - 1];
  if (to - from < 2 || last === undefined || !KINDS.has(last.key)) return;
  if (!isOnlyKind(sentence, from, to)) return;
  const kind = last.text.toLowerCase();
  notes.assume(
    "kind_not_separated",
    {
      pt: `O registro não separa "${kind}"; pelo nome: "com ${last.folded} no nome".`,
      en: `The registry does not separate "${kind}"; by name: "with ${last.folded} in the name".`,
    },
    sentence.words(to - 1, to),
  );
}

/** Whether a name that ends at a token has the codes that it has without its last word. */
function isOnlyKind(sentence: Sentence, from: number, to: number): boolean {
  const { trades, goods } = lexicon();
  for (let at = from; at < to - 1; at++) {
    const upTo = (end: number) => (index: number) => index < end;
    const [trade, bare] = [to, to - 1].map((end) => trades.longest(sentence.tokens, at, upTo(end)));
    if (trade?.to === to && bare?.to === to - 1) {
      return isWithin(trade.value.codes[0], bare.value);
    }
    const [good, plain] = [to, to - 1].map((end) => goods.longest(sentence.tokens, at, upTo(end)));
    if (good?.to === to && plain?.to === to - 1) {
      return codesOf(good.value) === codesOf(plain.value);
    }
    // "lojas de roupas femininas": a trade of the kind, and the goods that it deals in.
    if (trade?.to === to && plain?.to === to - 1) {
      return Object.values(plain.value).some(({ codes }) => codes[0] === trade.value.codes[0]);
    }
  }
  return false;
}

/** Whether a code is one of a choice, or below a prefix that is its first. */
function isWithin(code = "", { codes: [first = ""], also }: LexiconChoice): boolean {
  return code === first || (first.length < 5 && code.startsWith(first) && also.length === 0);
}

function codesOf(goods: Goods): string {
  return Object.values(goods)
    .map(({ codes }) => codes[0])
    .join(" ");
}
