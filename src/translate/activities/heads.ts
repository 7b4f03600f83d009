/**
 * Whether a word of trade heads a phrase of its own. What comes in: a sentence and the place of
 * such a word. What goes out: whether it only says what somebody has, where something is, or whom
 * somebody serves.
 * Invariant: known from the words before it; nothing is claimed.
 */
import { isFillerWord } from "../fillers.ts";
import { numberAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import { ROLES_BEFORE } from "./roles.ts";
import type { Before } from "./trades.ts";

/** Verbs behind which "com" tells what somebody deals with. */
const DEALING = new Set(
  "trabalha trabalham trabalhe trabalhem atua atuam lida lidam mexe".split(" "),
);
const WITH = new Set(["com", "sem", "with", "without", "perto", "proximo", "proximas", "near"]);
const COUNTING = new Set("mais menos pelo ate minimo maximo no ao de ou or more".split(" "));
const SMALL = new Set("de do da dos das a o ao aos as os um uma seu sua of the".split(" "));

/** "software para hospitais": those who are served, unless the writer is the one who sells. */
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

/** "que precisem de um sistema" is as little theirs as those whom somebody serves. */
const SERVING = new Set(
  (
    "atenda atendam atende atendem sirva sirvam serve servem precise precisem precisa precisam " +
    "use usem usam compre comprem compram procurem procuram contratem contratam queiram need " +
    "buy"
  ).split(" "),
);
/** Where "atendam" stands before those who are served; the place itself where it does not. */
export function servedFrom(sentence: Sentence, at: number): number {
  let verb = at - 1;
  while (verb > at - 3 && SMALL.has(sentence.folded(verb))) verb--;
  const serving = SERVING.has(sentence.folded(verb)) && sentence.folded(verb - 1) === "que";
  return serving && sentence.free(verb) ? verb : at;
}

const SOUGHT = new Set(
  "looking look search searching ask asking list lista busca procura".split(" "),
);

const OWN = new Set("minha minhas meu meus nossa nossas nosso nossos my our".split(" "));
/** Verbs of those who look for customers: whom they serve is whom they look for. */
const OFFERING = new Set(
  (
    "vendo vende vender vendemos vendendo ofereco oferecer oferecemos forneco fornecer " +
    "fornecemos presto prestar prestamos prospectar prospeccao sell selling offer"
  ).split(" "),
);

/**
 * "com piscina", "com mais de 3 lojas", "perto do metrô": what somebody has or is near to is no
 * activity of theirs.
 */
export function isAside(sentence: Sentence, at: number): boolean {
  let before = at - 1;
  while (before > at - 3 && SMALL.has(sentence.folded(before))) before--;
  // "planilha com 100 dentistas" counts accounts, "com 3 lojas" what each of them has.
  if (COUNTED.test(sentence.folded(at)) && before === at - 1) {
    for (; before > at - 7; before--) {
      const number = sentence.free(before) && numberAt(sentence, before) !== null;
      if (!number && !COUNTING.has(sentence.folded(before))) break;
    }
    if (before < at - 1 && HAD.has(sentence.folded(before))) return true;
  }
  if (isPlaceOfOthers(sentence, at, before)) return true;
  if (!WITH.has(sentence.folded(before))) return false;
  return !DEALING.has(sentence.folded(before - 1));
}

/** What a company has some of. */
const COUNTED = /^(lojas|loja|unidades?|filiais|pontos|stores|shops|units|locations)$/;
const HAD = new Set("tem tenha tenham possui possua possuam have has com with sem".split(" "));
const LOCATIVES = new Set("na nas no nos on in at".split(" "));

/**
 * "domínio próprio na internet": behind a noun that nobody knows a place of business says where
 * that is, and no activity.
 */
function isPlaceOfOthers(sentence: Sentence, at: number, before: number): boolean {
  const lead = LOCATIVES.has(sentence.folded(at - 1)) ? at - 1 : before;
  if (!LOCATIVES.has(sentence.folded(lead)) || lead < 1) return false;
  const noun = sentence.tokens[lead - 1];
  const known = noun === undefined || noun.kind !== "word" || isFillerWord(noun);
  return !known && sentence.free(lead - 1) && !DEALING.has(noun.folded) && !isRole(sentence, lead);
}

/** "vendas na internet": what is done with what follows. */
function isRole(sentence: Sentence, end: number): boolean {
  for (let at = end - 1; at >= Math.max(0, end - 4); at--) {
    if (ROLES_BEFORE.longest(sentence.tokens, at)?.to === end) return true;
  }
  return false;
}

/** "advogados ativos na OAB": where those are who were named right before. */
export function isInside(sentence: Sentence, at: number, before: Before | null): boolean {
  if (before === null || !["na", "no", "nas", "nos"].includes(sentence.folded(at - 1)))
    return false;
  for (let i = before.to; i < at - 1; i++) if (sentence.free(i)) return false;
  return before.to < at;
}
