/**
 * Places that belong to another condition: "em Santos, perto de Campinas", "que atendem Campinas",
 * "com CEP de Campinas", "cuja matriz fica em Campinas". Input: a sentence in which every word has
 * an owner, and the places that are wished. Output: a note, because a search would have the
 * companies of both places.
 * Invariant: only beside a place of the companies themselves, which no list joins to this one; the
 * only place of a sentence is searched, and its condition is said to have no filter.
 * Apart because it looks at all that others took, when they have taken it.
 */
import type { Notes } from "./notes.ts";
import { isIn } from "./places/placewords.ts";
import type { Sentence } from "./words/sentence.ts";

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

/** What companies do in a place, or how far it is. */
const THERE = wordsOf(
  "perto pertinho proxim[ao]s? vizinh[ao]s? near nearby close cerca cercan[ao]s? " +
    "atende atendem atenda atendam atendendo atender atiende atienden " +
    "entrega entregam entregan entregue entreguem entregando serve serves servem serving serven " +
    "cobre cobrem cobrindo cubren covers? delivers? delivering ships? fornece fornecem " +
    "exporta exportam matriz matrizes sede headquarters headquartered sediad[ao]s? " +
    "filial filiais branch branches sucursal",
);
/** What of a company has a place of its own behind "de". */
const OF_IT = wordsOf(
  "ceps? ddds? zip postcode code (?:tele)?fones? celular(?:es)? e?mails? " +
    "(?:tele)?phones? numeros? " +
    "telefonos? correo endereco address",
);
/** Words between these and a place. */
const SMALL = wordsOf(
  "a o ao as os de do da dos das em no na nos nas to of in for para pra ate the el " +
    "la los las en toda " +
    "todo regiao cidade municipio city area fica ficam esta estao is are " +
    "situad[ao]s? localizad[ao]s? " +
    "located based up",
);
/** Max words between a place and what it belongs to. */
const BACK_MAX = 5;

/** A place that is wished. */
interface PlaceAt {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

const OTHER = {
  pt: "Este lugar é de outra condição, que nenhum filtro toma: busque um lugar só.",
  en: "This place belongs to another condition, which no filter takes: search one place only.",
};

/** Notes every such place; true if there is one. */
export function leaveOtherPlaces(
  sentence: Sentence,
  notes: Notes,
  sought: readonly PlaceAt[],
): boolean {
  for (const place of sought) {
    const cause = causeBefore(sentence, place);
    if (cause < 0) continue;
    const isBeside = sought.some(
      (other) => other.to <= cause || (other.from >= place.to && !isJoined(sentence, place, other)),
    );
    if (!isBeside) continue;
    notes.leave("place_of_condition", OTHER, sentence.words(cause, place.to));
    return true;
  }
  return false;
}

/** Index of the word that makes a place one of another condition; -1 for none. */
function causeBefore(sentence: Sentence, { at: name }: PlaceAt): number {
  for (let at = name - 1; at >= Math.max(0, name - 1 - BACK_MAX); at--) {
    const word = sentence.folded(at);
    if (THERE.test(word)) return at;
    if (OF_IT.test(word)) return /^(?:d[aeo]s?|of|from)$/.test(sentence.folded(at + 1)) ? at : -1;
    if (!SMALL.test(word)) return -1;
  }
  return -1;
}

/** True if only joints and small words stand between a place and one behind it. */
function isJoined(sentence: Sentence, { to }: PlaceAt, { from, at: name }: PlaceAt): boolean {
  // "perto de Campinas, em Santos"
  const isComma = sentence.tokens[to]?.text === ",";
  if (isComma && name > to + 1 && isIn(sentence.folded(to + 1))) return false;
  for (let at = to; at < from; at++) {
    const text = sentence.tokens[at]?.text ?? "";
    if (!/^(?:,|\/|e|ou|and|or)$/.test(text) && !SMALL.test(sentence.folded(at))) return false;
  }
  return true;
}
