/**
 * Words that sentences about lists are made of, folded.
 * Invariant: Spanish words stand here only if they are not read as the Portuguese ones before
 * (spelling/spanish.ts).
 */
import { EXCLUDE, IS_OUT } from "../negationwords.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Verbs of the user, and participles that need a word such as "já" before them. */
export const TAKEN = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos exporte " +
    "exportados exportadas exportado exportada exported descargue",
);
/** Those of them that need no such word. */
export const BY_ITSELF = wordSet(
  "exportei exportamos baixei baixamos prospectei prospectamos contatei contatamos descargue",
);
/** Words that make a participle one of the user. */
export const ALREADY = wordSet(
  "ja ainda nunca nao already yet previously ya aun todavia never not",
);
/** Verbs of what the server does not know: whom the user called. */
export const BY_HAND_ONLY = wordSet("prospectei prospectamos contatei contatamos");
/** Words behind such a verb or participle that belong to it. */
export const BEHIND = wordSet("already yet previously ya ones");
/** Nouns for a list. */
export const LIST = wordSet(
  "lista listas listagem listagens listado listados list lists listing listings",
);
/** Those of them that announce several names. */
export const LISTS = wordSet("listas listagens listados lists listings");
/** Words before a list that show that it is one of the user. */
export const OF_LIST = wordSet(
  "na nas da das numa uma nenhuma minha minhas nossa nossas sua suas essa esta desta dessa " +
    "nesta nessa pela pelas com by with " +
    "in on from my our the la las en de a as os o no do dos nos",
);
/** Those of them that lead into a list, and those that lead out of it. */
export const IN_LIST = wordSet("na nas numa nesta nessa in on en");
/** As above. */
export const FROM_LIST = wordSet("da das desta dessa do dos de from of");
/** Words that begin a noun: "os da lista", "quem está na lista", "the ones on the list". */
export const NOUNS = wordSet(
  "o a os as the la las los aqueles aquelas quem quien those ones todos todas minha minhas " +
    "nossa nossas meus nossos my our empresas estabelecimentos clientes contatos cnpjs nomes",
);
/** Words that leave out what is in a list. */
export const LEAVING: ReadonlySet<string> = new Set([
  ...EXCLUDE,
  ...wordSet(
    "nao nunca nem sem not never without haven hasn aren weren don no sin nor ausentes ausente " +
      "faltam falta faltando faltantes missing absent nenhuma elimine eliminando omita omitindo " +
      "remove removing skip drop omit omitting minus isn isnt arent quita quitando",
  ),
]);
/** Those that say it of the verb: "que não estão na lista X e MEI". */
export const NEGATES = wordSet(
  "nao nunca nem not never haven hasn aren weren don no nor ausentes ausente faltam falta " +
    "faltando faltantes sairam saiu missing absent nenhuma isn isnt arent",
);
/** Negators that repeat the one before: "nem na lista X nem na lista Y". */
export const AGAIN = wordSet("nem nor nenhuma");
/** True for "exceto" and its like, which leave out all that a list joins behind them. */
export function leavesAll(word: string): boolean {
  return LEAVING.has(word) && !NEGATES.has(word) && !IS_OUT.test(word) && !WITHOUT.has(word);
}
const WITHOUT = wordSet("sem without sin");
/** Words on the way back to what leaves out. */
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
/** Words that never begin the name of a list, or at which one ends. */
export const ENDS = wordSet(
  "de do da dos das com em no na nos nas que e ou para pra por of with in and or for to sem " +
    "exceto menos desde abertas abertos completa atualizada companies empresas y con en",
);
/** Words between a list and its name. */
export const NAMING = wordSet("de do da dos das chamada chamado of called named llamada nome");
/** Words between the names of two lists. */
export const BETWEEN = wordSet("e ou nem and or nor y o u");
/** Words that join as well, by themselves or behind one of those: "bem como", "e também". */
export const ALSO = wordSet("tambem mais bem assim como plus also well tampouco inclusive");
/** Words that set one list against another: "na lista X, mas não na Y". */
export const AGAINST = wordSet("mas porem but pero");
/** Words behind which nobody is a customer yet: "lista de clientes em potencial". */
export const POTENTIAL = wordSet("potenciais potencial potential novos novas possiveis futuros");
/** Kinds of file, which no list is called by: "lista Excel". */
export const FILES = wordSet("excel csv xlsx xls pdf completa atualizada simples pronta urgente");
/** Whom a user calls their own without the word "lista". */
export const CUSTOMERS = wordSet(
  "cliente clientes prospect prospects lead leads customer customers client clients",
);
/** Others by whom people call lists, and which say a trade only with another word. */
export const RELATIONS = wordSet(
  "fornecedor fornecedores parceiro parceiros concorrente concorrentes revendedor revendedores " +
    "representante representantes supplier suppliers partner partners competitor competitors " +
    "reseller resellers aliados",
);
/** Verbs between a company and whom it is to the user. */
export const BEING = wordSet("sao sejam e seja eh are is son foram aren isn arent isnt");
