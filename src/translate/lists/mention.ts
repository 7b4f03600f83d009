/**
 * Defines mentions of lists, the context for finding them, the folded vocabulary of sentences about
 * lists, and the remarks about lists that cannot become a filter.
 * Invariant: a mention without list ids gives a reason, unless two lists share its name or no list
 * has it. Each remark states the problem and the remedy. Spanish words are listed only if
 * spelling/foreignwords.ts does not already read them as Portuguese.
 */
import { LISTS_MAX } from "../../spec/listids.ts";
import { EXCLUDE, IS_OUT } from "../negators.ts";
import type { Sentences } from "../notes.ts";
import type { PlaceNames } from "../places/placenames.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ListNames, NamedList } from "./listnames.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/**
 * Verbs and participles for actions of the user. A participle such as "exportados" is read only
 * next to a word such as "já".
 */
export const TAKEN = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos exporte " +
    "exportados exportadas exportado exportada exported descargue",
);
/** The verbs of `TAKEN` that are read even without a word such as "já". */
export const BY_ITSELF = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos descargue",
);
/** Words that make a participle an action of the user: "já exportados". */
export const ALREADY = wordSet(
  "ja ainda nunca nao already yet previously ya aun todavia never not",
);
/** Verbs for actions that the server does not record, such as calls. */
export const BY_HAND_ONLY = wordSet("prospectei prospectamos contatei contatamos");
/** Words that may follow a verb or participle and belong to it. */
export const BEHIND = wordSet("already yet previously ya ones");
/** Nouns for a list. */
export const LIST = wordSet(
  "lista listas listagem listagens listado listados list lists listing listings",
);
/** Plural nouns for lists, which announce several names. */
export const LISTS = wordSet("listas listagens listados lists listings");
/** Words before "lista" that show that one of the user's lists is meant. */
export const OF_LIST = wordSet(
  "na nas da das numa uma nenhuma minha minhas nossa nossas sua suas essa esta desta dessa " +
    "nesta nessa pela pelas com by with " +
    "in on from my our the la las en de a as os o no do dos nos",
);
/** Prepositions before a list that contains the requested companies: "na lista". */
const IN_LIST = wordSet("na nas numa nesta nessa in on en");
/** Prepositions before a list whose companies are requested or excluded: "da lista". */
const FROM_LIST = wordSet("da das desta dessa do dos de from of");
/** Words for the companies before a list: "os da lista", "quem está na lista". */
export const NOUNS = wordSet(
  "o a os as the la las los aqueles aquelas quem quien those ones todos todas minha minhas " +
    "nossa nossas meus nossos my our empresas estabelecimentos clientes contatos cnpjs nomes",
);
/** Words that exclude a list's members. */
export const LEAVING: ReadonlySet<string> = new Set([
  ...EXCLUDE,
  ...wordSet(
    "nao nunca nem sem not never without haven hasn aren weren don no sin nor ausentes ausente " +
      "faltam falta faltando faltantes missing absent nenhuma elimine eliminando omita omitindo " +
      "remove removing skip drop omit omitting minus isn isnt arent quita quitando",
  ),
]);
/** Words that negate a verb, as in "que não estão na lista X e MEI". */
export const NEGATES = wordSet(
  "nao nunca nem not never haven hasn aren weren don no nor ausentes ausente faltam falta " +
    "faltando faltantes sairam saiu missing absent nenhuma isn isnt arent",
);
/** Words that repeat an earlier negator: the second "nem" in "nem na lista X nem na lista Y". */
export const AGAIN = wordSet("nem nor nenhuma");
/** True for words like "exceto", which exclude all items joined after them. */
export function leavesAll(word: string): boolean {
  return LEAVING.has(word) && !NEGATES.has(word) && !IS_OUT.test(word) && !WITHOUT.has(word);
}
const WITHOUT = wordSet("sem without sin");
/** Words that may stand between a negator and its list. */
export const BEFORE: ReadonlySet<string> = new Set([
  ...LEAVING,
  ...wordSet(
    "que eu ja ainda foram foi sejam sao estao estejam esta esteja constam constem " +
      "consta tenha tenham tem os o a as aqueles aquelas empresas estabelecimentos nos gente " +
      "na nas da das de of em do dos minha minhas meus meu nossos nosso pela pelas com by with " +
      "nossa nossas sua suas which that i we have has had already yet are were is " +
      "in on from my our the those t ve " +
      "la las los el en ya aun todavia he hemos sido esten estan um uma numa " +
      "quero queremos mostre mostrar mostra traga trazer inclua incluir repita repetir quem " +
      "quien want need show include bring repeat quiero muestre clientes contatos cnpjs nomes " +
      "todos todas ser ter estar estiveram esteve estivessem estavam estava entraram entrou " +
      "apareceram aparecem apareca aparecam incluidas incluidos incluida incluido " +
      "listadas listados being be been listed appear figuram figurem figuran figuren",
  ),
]);
/** Words that never begin the name of a list, or at which a name ends. */
export const ENDS = wordSet(
  "de do da dos das com em no na nos nas que e ou para pra por of with in and or for to sem " +
    "exceto menos desde abertas abertos completa atualizada companies empresas y con en",
);
/** Words that may stand between "lista" and the name of the list. */
export const NAMING = wordSet("de do da dos das chamada chamado of called named llamada nome");
/** Words between the names of two lists. */
export const BETWEEN = wordSet("e ou nem and or nor y o u");
/** Joiners that may stand alone or follow another joiner: "bem como", "e também". */
const ALSO = wordSet("tambem mais bem assim como plus also well tampouco inclusive");
/** Words that contrast two lists: "na lista X, mas não na Y". */
export const AGAINST = wordSet("mas porem but pero");
/** Words that mark future customers: "lista de clientes em potencial". */
const POTENTIAL = wordSet("potenciais potencial potential novos novas possiveis futuros");
/** Kinds of file, which are never list names: "lista Excel". */
export const FILES = wordSet("excel csv xlsx xls pdf completa atualizada simples pronta urgente");
/** Words for the user's own contacts. They may mean a list even without the word "lista". */
export const CUSTOMERS = wordSet(
  "cliente clientes prospect prospects lead leads customer customers client clients",
);
/** Other common names of lists. Alone, they do not name a trade. */
export const RELATIONS = wordSet(
  "fornecedor fornecedores parceiro parceiros concorrente concorrentes revendedor revendedores " +
    "representante representantes supplier suppliers partner partners competitor competitors " +
    "reseller resellers aliados",
);
/** Forms of "to be", as in "que não são clientes". */
export const BEING = wordSet("sao sejam e seja eh are is son foram aren isn arent isnt");

/** The remark if the translation has no access to the user's lists, as on the command line. */
export const BY_HAND: Sentences = {
  pt:
    "Uma frase não conhece as suas listas: escolha a lista no filtro Suas listas, ou " +
    "“Não mostrar o que já exportei”.",
  en:
    "A sentence does not know your lists: choose the list in the filter Your lists, or " +
    "“Leave out what I exported already”.",
};

/** The assumption if a sentence names several lists to include. */
export const ANY_OF: Sentences = {
  pt: "Basta estar numa das listas ditas: nenhum filtro exige estar em todas.",
  en: "Being in one of the lists is enough: no filter requires all of them.",
};

/** The remark if it is unclear whether the list is included or excluded. */
export const UNCLEAR: Sentences = {
  pt: "Dentro ou fora da lista? Escolha no filtro Suas listas.",
  en: "In the list or not? Choose in the filter Your lists.",
};

/** The remark for a name that no list has. */
export const UNKNOWN: Sentences = {
  pt: "Nenhuma lista sua tem esse nome: escolha a lista no filtro Suas listas.",
  en: "You have no list of this name: choose the list in the filter Your lists.",
};

/** The remark for "clientes" if no list has this name. */
export const WHOSE: Sentences = {
  pt:
    "A base não sabe quem já é seu cliente: ponha-os numa lista e diga “fora da lista …”, ou " +
    "escolha no filtro Suas listas.",
  en:
    "The registry does not know who your customers are: put them in a list and write “not in my " +
    "list …”, or choose in the filter Your lists.",
};

/** Maximum number of lists that a remark names. */
const AMONG_MAX = 10;

/** The remark for "minha lista" if the user has several lists. */
export function whichOf(all: readonly NamedList[]): Sentences {
  const names = listed(all.map(({ name }) => `“${name}”`));
  return {
    pt: `Qual das suas ${all.length} listas? Diga o nome dela: ${names}.`,
    en: `Which of your ${all.length} lists? Write its name: ${names}.`,
  };
}

/**
 * The remark for the name of a second list that could also be another request: "lista X e Santos".
 */
export function alsoElse(name: string): Sentences {
  return {
    pt: `“${name}” é uma lista sua e também outra coisa: para a lista, diga “lista ${name}”.`,
    en: `“${name}” is a list of yours and something else, too: for the list, write “list ${name}”.`,
  };
}

/** Returns the remark for a sentence that names more lists than one filter accepts. */
export function tooMany(count: number): Sentences {
  const more = count - LISTS_MAX;
  return {
    pt: `Uma busca aceita ${LISTS_MAX} listas, com estas são ${count}: tire ${more} da frase.`,
    en: `A search takes ${LISTS_MAX} lists, with these there are ${count}: remove ${more}.`,
  };
}

/** The remark for lists that share a name. */
export function ambiguous(lists: readonly NamedList[]): Sentences {
  const names = listed(lists.map(({ id, name }) => `“${name}” (${id})`));
  return {
    pt:
      `${lists.length} listas suas têm esse nome: ${names}. Escreva o nome exato de uma delas, ` +
      "dê outro nome a uma, ou escolha no filtro Suas listas.",
    en:
      `${lists.length} of your lists have this name: ${names}. Write the exact name of one, ` +
      "rename one, or choose in the filter Your lists.",
  };
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, AMONG_MAX), ...(names.length > AMONG_MAX ? ["…"] : [])].join(", ");
}

/** Input for looking up lists. */
export interface ListContext {
  readonly sentence: Sentence;
  readonly places: PlaceNames;
  /** The user's lists; null for callers without lists. */
  known(): ListNames | null;
}

/** Words that name one or more lists. */
export interface ListMention {
  /** First word of the mention, without the words that introduce it. */
  readonly from: number;
  readonly to: number;
  readonly ids: readonly string[];
  /** Lists that share the written name. */
  readonly among?: readonly NamedList[];
  /** Reason why the words may not name a list. */
  readonly why?: Sentences;
}

/**
 * Returns the direction that a preposition gives to the list after it: "in" for "na", "from" for
 * "da". Returns null for other words.
 */
export function leadOf(word: string): "in" | "from" | null {
  if (IN_LIST.has(word)) return "in";
  return FROM_LIST.has(word) ? "from" : null;
}

/** True for a mark or word that joins two names: ",", "e", "bem como", "as well as". */
export function isJoiner(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (word === "as") return [at - 1, at + 1].some((near) => sentence.folded(near) === "well");
  const isWord = BETWEEN.has(word) || AGAINST.has(word) || ALSO.has(word);
  return isWord || /^[,;/+]$/.test(sentence.tokens[at]?.text ?? "");
}

/** True for future customers, on no list: "clientes potenciais", "clientes em potencial". */
export function isPotential(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return POTENTIAL.has(word === "em" || word === "en" ? sentence.folded(at + 1) : word);
}
