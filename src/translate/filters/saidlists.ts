/**
 * Lists of who asks, and what they have exported: "que não estão na lista Clientes MG", "que ainda
 * não exportei". What comes in: a sentence before its places are read. What goes out: such words
 * put aside, with a remark that names the filters for them.
 * Apart because a translation knows the snapshot and nobody's lists: these are filters by hand.
 * Invariant: the words are read by no other stage, so that the name of a list is no place ("MG")
 * and no trade; "lista de restaurantes" asks for one and names none.
 */
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Verbs of who asks, and participles that need a word such as "já" before them. */
const EXPORTED = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos exporte " +
    "exportados exportadas exportado exportada exported descargue",
);
const BY_ITSELF = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos descargue",
);
/** Words that make a participle one of who asks. */
const ALREADY = wordSet("ja ainda nunca nao already yet previously ya aun todavia never not");
const LIST = wordSet("lista listas list lists");
/** Words before a list that say that it is one of who asks. */
const OF_LIST = wordSet(
  "na nas da das numa uma minha minhas nossa nossas sua suas essa esta desta dessa nesta nessa " +
    "in on from my our the la las en de a as os",
);
/** Words on the way back to what leaves out. */
const BEFORE = wordSet(
  "que eu ja ainda nao nunca foram foi sejam sao estao estejam esta esteja constam constem " +
    "consta tenha tenham tem os o a as aqueles aquelas empresas estabelecimentos nos a gente " +
    "exceto menos " +
    "fora sem salvo excluindo exclua tirando tire removendo na nas da das de em do dos no minha " +
    "minhas nossa nossas sua suas which that i we have has had not already yet never are were is " +
    "in on from my our the except excluding without ones those haven hasn aren weren t ve don " +
    "la las los el en ya aun todavia he hemos sido no esten estan excepto sin um uma numa",
);
const BEHIND = wordSet("already yet previously ya ones");
/** Words behind which no name of a list begins, or where one ends. */
const ENDS = wordSet(
  "de do da dos das com em no na nos nas que e ou para pra por of with in and or for to sem " +
    "exceto menos desde abertas abertos completa atualizada companies empresas y con en",
);
/** Most words of a name, and most on the way to it. */
const NAME_MAX = 6;
const BEFORE_MAX = 9;

/** Puts the wishes about lists aside. */
export function leaveLists(sentence: Sentence, notes: Notes): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const named = nameBefore(sentence, at);
    const to = named < at ? at + 1 : (exportedEnd(sentence, at) ?? listEnd(sentence, at));
    if (to === null) continue;
    const from = beginOf(sentence, named);
    notes.leave("list", BY_HAND, sentence.claim(from, to, "unmapped"));
    sentence.name(from, to);
    at = to - 1;
  }
}

const BY_HAND = {
  pt:
    "Uma frase não conhece as suas listas: escolha a lista no filtro Listas, ou " +
    '"Não mostrar o que já exportei".',
  en:
    "A sentence does not know your lists: choose the list in the filter Lists, or " +
    '"Leave out what I exported already".',
};

/** "já exportados", "não exportei", "exported already"; not "produtos exportados". */
function exportedEnd(sentence: Sentence, at: number): number | null {
  const word = sentence.folded(at);
  if (!EXPORTED.has(word)) return null;
  const behind = BEHIND.has(sentence.folded(at + 1)) ? at + 2 : at + 1;
  if (BY_ITSELF.has(word) || behind > at + 1) return behind;
  for (let back = at - 1; back >= Math.max(0, at - 4); back--) {
    if (ALREADY.has(sentence.folded(back))) return behind;
    if (!BEFORE.has(sentence.folded(back))) return null;
  }
  return null;
}

/** "na lista Clientes MG", "da minha lista", 'in the list "Old ones"', "da lista prospects". */
function listEnd(sentence: Sentence, at: number): number | null {
  const before = sentence.folded(at - 1);
  if (!LIST.has(sentence.folded(at)) || !OF_LIST.has(before)) return null;
  const own = /^(minhas?|nossas?|suas?|my|our)$/.test(before);
  let to = at + 1;
  // "minha lista de padarias" asks for one.
  if (/^(de|of)$/.test(sentence.folded(to))) return null;
  const quoted = quotedEnd(sentence, to);
  if (quoted !== null) return quoted;
  const start = to;
  while (to < start + NAME_MAX && isNamePart(sentence, to)) to++;
  const inside = ["na", "da", "in", "on", "from", "la"].includes(before);
  return own || (to > start && (inside || isCapital(sentence, start))) ? to : null;
}

/** "in my Clients list": where the name before it begins; the same index without one. */
function nameBefore(sentence: Sentence, at: number): number {
  if (!/^lists?$/.test(sentence.folded(at))) return at;
  let first = at;
  const quoted = isQuote(sentence, at - 1);
  if (quoted) first--;
  while (
    first > at - NAME_MAX &&
    (quoted ? !isQuote(sentence, first - 1) : isCapital(sentence, first - 1))
  )
    first--;
  if (quoted) first--;
  return first < at && /^(the|my|our)$/.test(sentence.folded(first - 1)) ? first : at;
}

function isCapital(sentence: Sentence, at: number): boolean {
  const { kind, text = "" } = sentence.tokens[at] ?? { kind: "mark" };
  const shouted = sentence.text === sentence.text.toUpperCase();
  return kind === "word" && !shouted && text.slice(0, 1) !== text.slice(0, 1).toLowerCase();
}

/** Capitals, numbers, and what is none of the words that begin another wish. */
function isNamePart(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark" || !sentence.free(at)) return false;
  return token.kind === "number" || isCapital(sentence, at) || !ENDS.has(token.folded);
}

function isQuote(sentence: Sentence, at: number): boolean {
  return /^["“”'«»]$/.test(sentence.tokens[at]?.text ?? "");
}

function quotedEnd(sentence: Sentence, at: number): number | null {
  if (!isQuote(sentence, at)) return null;
  for (let to = at + 1; to <= at + 2 * NAME_MAX; to++) {
    if (isQuote(sentence, to)) return to + 1;
  }
  return null;
}

/** Where the words begin that lead to it: "que eu ainda não". */
function beginOf(sentence: Sentence, at: number): number {
  let from = at;
  while (from > Math.max(0, at - BEFORE_MAX) && sentence.free(from - 1)) {
    if (!BEFORE.has(sentence.folded(from - 1))) break;
    from--;
  }
  return from;
}
