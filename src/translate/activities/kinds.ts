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
import { lexicon } from "./lexicon.ts";

/** Adjectives of kinds, folded. */
const KINDS = new Set(
  (
    "japones japonesa chines chinesa italiano italiana arabe mexicano mexicana portugues " +
    "portuguesa frances francesa alemao alema coreano coreana indiano indiana tailandes peruano " +
    "peruana argentino argentina espanhol espanhola americano americana mineiro mineira baiano " +
    "baiana nordestino nordestina gaucho gaucha vegano vegana vegetariano vegetariana organico " +
    "organica artesanal gourmet premium tradicional caseiro caseira fitness saudavel natural " +
    "feminino feminina masculino masculina infantil plus evangelico evangelica catolico catolica " +
    "trabalhista tributarista criminalista criminal previdenciario previdenciaria " +
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
  const { trades } = lexicon();
  const whole = trades.longest(sentence.tokens, from, (at) => at < to);
  const plain = trades.longest(sentence.tokens, from, (at) => at < to - 1);
  if (whole?.to !== to || plain?.to !== to - 1) return;
  if (whole.value.codes[0] !== plain.value.codes[0]) return;
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
