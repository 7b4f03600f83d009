/**
 * Lists of who asks, and what they have exported: "que não estão na lista Clientes MG", "que ainda
 * não exportei". What comes in: a sentence before its places are read, and the lists of who asks,
 * where somebody does. What goes out: the lists that accounts are to be in or not; such words put
 * aside, with a remark, where they name none.
 * Invariant: the words are read by no other stage, so that the name of a list is no place ("MG")
 * and no trade; "lista de restaurantes" asks for one and names none.
 */
import { EXPORTED, LISTS_MAX } from "../../spec/listids.ts";
import { kindAt } from "../items.ts";
import { forgetReach } from "../negation.ts";
import type { Notes, Sentences } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { ListNames, type NamedList } from "./listnames.ts";

/** Ids of lists that accounts are to be in, and not. */
export interface SaidLists {
  readonly anyOf: readonly string[];
  readonly exclude: readonly string[];
  /** First tokens, by the one behind, of what leaves out a list alone: "não estão na lista X". */
  readonly apart: ReadonlyMap<number, number>;
}

const wordSet = (words: string) => new Set(words.split(" "));

/** Verbs of who asks, and participles that need a word such as "já" before them. */
const TAKEN = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos exporte " +
    "exportados exportadas exportado exportada exported descargue",
);
const BY_ITSELF = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos descargue",
);
/** Words that make a participle one of who asks. */
const ALREADY = wordSet("ja ainda nunca nao already yet previously ya aun todavia never not");
/** Those of them that the server knows of: what was exported, not whom somebody called. */
const BY_HAND_ONLY = wordSet("prospectei prospectamos contatei contatamos");
const LIST = wordSet("lista listas list lists");
/** Words before a list that say that it is one of who asks. */
const OF_LIST = wordSet(
  "na nas da das numa uma nenhuma minha minhas nossa nossas sua suas essa esta desta dessa " +
    "nesta nessa " +
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
    "la las los el en ya aun todavia he hemos sido no esten estan excepto sin um uma numa nem " +
    "nor quero queremos mostre mostrar mostra traga trazer inclua incluir repita repetir quem " +
    "quien want need show include bring repeat quiero muestre clientes contatos cnpjs nomes " +
    "todos todas ser ter estar estiveram esteve estivessem estavam estava entraram entrou " +
    "apareceram aparecem apareca aparecam incluidas incluidos incluida incluido ausentes ausente " +
    "faltam falta faltando faltantes sairam saiu listadas listados being be been listed appear " +
    "nenhuma missing absent figuram figurem figuran figuren",
);
const BEHIND = wordSet("already yet previously ya ones");
/** Words behind which no name of a list begins, or where one ends. */
const ENDS = wordSet(
  "de do da dos das com em no na nos nas que e ou para pra por of with in and or for to sem " +
    "exceto menos desde abertas abertos completa atualizada companies empresas y con en",
);
/** Words that leave out what is in a list. */
const LEAVING = wordSet(
  "nao nunca nem exceto menos fora sem salvo excluindo exclua tirando tire removendo not never " +
    "except excluding without haven hasn aren weren don no excepto sin nor ausentes ausente " +
    "faltam falta faltando faltantes sairam saiu missing absent nenhuma",
);
/** Words of which nobody knows what they leave out, where other words stand between. */
const EXCEPT = wordSet(
  "exceto salvo excluindo exclua tirando tire removendo except excluding excepto",
);
const EXCEPT_MAX = 4;
/** Words that leave out a list alone: "que não estão na lista X e MEI". */
const NEGATES = wordSet(
  "nao nunca nem not never haven hasn aren weren don no nor ausentes ausente faltam falta " +
    "faltando faltantes sairam saiu missing absent nenhuma",
);
/** Words between a list and its name. */
const NAMING = wordSet("de do da dos das chamada chamado of called named llamada");
/** Words between the names of two lists. */
const BETWEEN = wordSet("e ou nem and or nor y o u");
/** Most words of a name, and most on the way to it. */
const NAME_MAX = 6;
const BEFORE_MAX = 9;

/** Where wishes about lists stand in a sentence, and which lists they name. */
interface Mention {
  /** The first word of the list or its name, without what leads to it. */
  readonly from: number;
  readonly to: number;
  readonly ids: readonly string[];
  /** Lists that share the name that is written, and cannot be told apart. */
  readonly among?: readonly NamedList[];
}

/** Finds the wishes about lists; `all` gives those of who asks; null where nobody has any. */
export function findLists(
  sentence: Sentence,
  notes: Notes,
  all: (() => readonly NamedList[]) | null,
): SaidLists {
  const apart = new Map<number, number>();
  const said = { anyOf: [] as string[], exclude: [] as string[], apart };
  let names: ListNames | null = null;
  const known = () => {
    names ??= all === null ? null : new ListNames(all());
    return names;
  };
  for (let at = 0; at < sentence.tokens.length; at++) {
    const mention = sentence.free(at) ? mentionAt(sentence, at, known) : null;
    if (mention === null) continue;
    const { to, ids } = mention;
    const from = beginOf(sentence, mention.from);
    const leaves = wordsFrom(sentence, from, at + 1).some((word) => LEAVING.has(word));
    const clear = leaves || !(isBehindExcept(sentence, from) || isBehindNot(sentence, from));
    const asked = said[leaves ? "exclude" : "anyOf"];
    // A spec takes no more; the others are said.
    const count = asked.length + ids.length;
    const fits = ids.length > 0 && clear && count <= LISTS_MAX;
    const words = sentence.claim(from, to, fits ? "list" : "unmapped");
    if (fits) asked.push(...ids);
    else if (all !== null && ids.length > 0 && clear) notes.leave("list", tooMany(count), words);
    else notes.leave("list", all === null ? BY_HAND : whyLeft(mention, clear), words);
    // "exceto lista X e MEI": what leaves the list out goes on.
    const own = leaves && clear ? exceptIn(sentence, from, at) : -1;
    if (own >= 0) sentence.name(from, own);
    else if (leaves) apart.set(to, from);
    sentence.name(Math.max(own + 1, from), to);
    at = to - 1;
  }
  if (said.anyOf.length > 1) notes.assume("any_of_lists", ANY_OF);
  forgetReach(sentence);
  return said;
}

/** Index of the last word in [from, to) that leaves out all that a list joins; -1 for none. */
function exceptIn(sentence: Sentence, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) {
    const word = sentence.folded(at);
    if (NEGATES.has(word)) return -1;
    if (LEAVING.has(word)) return at;
  }
  return -1;
}

/** What is said of lists at a token; null where nothing is. */
function mentionAt(sentence: Sentence, at: number, known: () => ListNames | null): Mention | null {
  const from = nameBefore(sentence, at);
  if (from < at) {
    const first = /^(the|my|our)$/.test(sentence.folded(from)) ? from + 1 : from;
    const lists = known()?.between(sentence, first, at) ?? [];
    return { from, to: at + 1, ...named([lists]) };
  }
  const exported = exportedEnd(sentence, at);
  if (exported !== null) {
    const own = known() === null || BY_HAND_ONLY.has(sentence.folded(at)) ? [] : [EXPORTED];
    return { from: at, to: exported, ids: own };
  }
  return written(sentence, at, known) ?? unwritten(sentence, at, known);
}

/** "na lista Clientes MG", "nas listas Clientes e Parceiros", with names that are there. */
function written(sentence: Sentence, at: number, known: () => ListNames | null): Mention | null {
  if (!LIST.has(sentence.folded(at)) || !isBeforeList(sentence.folded(at - 1))) return null;
  const found: (readonly NamedList[])[] = [];
  const several = sentence.folded(at).endsWith("s");
  // "na lista de clientes", "na lista chamada Clientes".
  let to = at + 1;
  while (NAMING.has(sentence.folded(to)) && known()?.at(sentence, to) == null) to++;
  for (let next: number | null = to; next !== null; next = nextName(sentence, to, several)) {
    const one = known()?.at(sentence, next) ?? null;
    if (one === null) break;
    found.push(one.lists);
    to = one.to;
  }
  return found.length === 0 ? null : { from: at, to, ...named(found) };
}

/** The lists of names, none if one of the names is that of several lists. */
function named(found: readonly (readonly NamedList[])[]): Pick<Mention, "ids" | "among"> {
  const among = found.find((lists) => lists.length > 1);
  if (among !== undefined) return { ids: [], among };
  return { ids: found.flatMap((lists) => lists.map(({ id }) => id)) };
}

/** Why a mention became no filter. */
function whyLeft({ among }: Mention, isClear: boolean): Sentences {
  if (among !== undefined) return ambiguous(among);
  return isClear ? UNKNOWN : UNCLEAR;
}

/** A filter takes a limited number of lists. */
function tooMany(count: number): Sentences {
  const more = count - LISTS_MAX;
  return {
    pt: `Uma busca aceita ${LISTS_MAX} listas, com estas são ${count}: tire ${more} da frase.`,
    en: `A search takes ${LISTS_MAX} lists, with these there are ${count}: remove ${more}.`,
  };
}

/** "na lista", "exceto lista", "without list". */
function isBeforeList(word: string): boolean {
  return OF_LIST.has(word) || LEAVING.has(word);
}

/** Where the name of another list may begin: behind "e" of several lists, "nem da lista". */
function nextName(sentence: Sentence, at: number, isSeveral: boolean): number | null {
  const isComma = sentence.tokens[at]?.text === ",";
  if (!isComma && !BETWEEN.has(sentence.folded(at))) return null;
  let next = at + 1;
  while (OF_LIST.has(sentence.folded(next)) || LIST.has(sentence.folded(next))) next++;
  return isSeveral || LIST.has(sentence.folded(next - 1)) ? next : null;
}

/**
 * A list that has none of the names; "minha lista" is the only one, where there is one only, and
 * "nenhuma lista" are all.
 */
function unwritten(sentence: Sentence, at: number, known: () => ListNames | null): Mention | null {
  const to = listEnd(sentence, at);
  if (to === null) return null;
  const all = to === at + 1 ? (known()?.all ?? []) : [];
  const meant = all.length === 1 || sentence.folded(at - 1) === "nenhuma";
  return { from: at, to, ids: meant ? all.map(({ id }) => id) : [] };
}

/** "exceto MEI da lista Clientes": which of the two is left out cannot be known. */
function isBehindExcept(sentence: Sentence, from: number): boolean {
  for (let back = from - 1; back >= Math.max(0, from - EXCEPT_MAX); back--) {
    if (sentence.tokens[back]?.kind === "mark") return false;
    if (EXCEPT.has(sentence.folded(back))) return true;
  }
  return false;
}

/** "sem xyz na lista Clientes": a word that nobody knows between the two. */
function isBehindNot(sentence: Sentence, from: number): boolean {
  for (let back = from - 1; back >= Math.max(0, from - EXCEPT_MAX); back--) {
    if (sentence.tokens[back]?.kind === "mark" || !sentence.free(back)) return false;
    if (LEAVING.has(sentence.folded(back))) return true;
    const kind = kindAt(sentence, back);
    if (kind !== "other" && kind !== "small") return false;
  }
  return false;
}

function wordsFrom(sentence: Sentence, from: number, to: number): string[] {
  return sentence.tokens.slice(from, to).map(({ folded }) => folded);
}

const BY_HAND = {
  pt:
    "Uma frase não conhece as suas listas: escolha a lista no filtro Suas listas, ou " +
    "“Não mostrar o que já exportei”.",
  en:
    "A sentence does not know your lists: choose the list in the filter Your lists, or " +
    "“Leave out what I exported already”.",
};

const ANY_OF = {
  pt: "Basta estar numa das listas ditas: nenhum filtro exige estar em todas.",
  en: "Being in one of the lists is enough: no filter requires all of them.",
};

const UNCLEAR = {
  pt: "Dentro ou fora da lista? Escolha no filtro Suas listas.",
  en: "In the list or not? Choose in the filter Your lists.",
};

/** Lists that are named in a remark. */
const AMONG_MAX = 10;

function ambiguous(lists: readonly NamedList[]): Sentences {
  const shown = lists.slice(0, AMONG_MAX).map(({ id, name }) => `“${name}” (${id})`);
  const names = [...shown, ...(lists.length > AMONG_MAX ? ["…"] : [])].join(", ");
  return {
    pt:
      `${lists.length} listas suas têm esse nome: ${names}. Escreva o nome exato de uma delas, ` +
      "dê outro nome a uma, ou escolha no filtro Suas listas.",
    en:
      `${lists.length} of your lists have this name: ${names}. Write the exact name of one, ` +
      "rename one, or choose in the filter Your lists.",
  };
}

const UNKNOWN = {
  pt: "Nenhuma lista sua tem esse nome: escolha a lista no filtro Suas listas.",
  en: "You have no list of this name: choose the list in the filter Your lists.",
};

/** "já exportados", "não exportei", "exported already"; not "produtos exportados". */
function exportedEnd(sentence: Sentence, at: number): number | null {
  const word = sentence.folded(at);
  if (!TAKEN.has(word)) return null;
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
  if (!LIST.has(sentence.folded(at)) || !isBeforeList(before)) return null;
  const own = /^(minhas?|nossas?|suas?|my|our)$/.test(before);
  let to = at + 1;
  // "minha lista de padarias" asks for one.
  if (/^(de|of)$/.test(sentence.folded(to))) return null;
  const quoted = quotedEnd(sentence, to);
  if (quoted !== null) return quoted;
  const start = to;
  while (to < start + NAME_MAX && isNamePart(sentence, to)) to++;
  const inside = ["na", "da", "in", "on", "from", "la"].includes(before) || LEAVING.has(before);
  // "da lista", "da lista 🔥": which one is not said.
  const next = sentence.tokens[start];
  if (inside && to === start && (next === undefined || next.kind === "mark")) {
    return next !== undefined && !/[.,;:!?()]/.test(next.text) ? start + 1 : start;
  }
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
