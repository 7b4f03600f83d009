/**
 * Words that negate, the words around them, and how they are claimed. Input: a sentence and a place
 * in it. Output: if the word there excludes what follows it; if it reaches both of two alternatives
 * ("que não sejam MEI ou do Simples"); the negator and the small words up to its item as parts of
 * the negation.
 * Invariant: known from the few words around it, whichever stage took them. "menos de 2 anos",
 * "pelo menos" and "minerais não metálicos" exclude nothing, and "não mais que 50 padarias" is a
 * limit: only what is counted as companies or is an activity makes it one, so that "não mais de 3
 * anos" stays a negation. Of alternatives, only qualities of companies are left out together. A
 * word of three languages is in the set of what it does; Spanish ones are read as Portuguese
 * before. Claiming all items of one negator costs the words between them and it, not their product.
 */
import { type ItemKind, isInTrade, itemEnd, kindAt } from "./items.ts";
import { factorAt, numberAt, numeralAt } from "./numbers/numbers.ts";
import type { Sentence } from "./words/sentence.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words that negate a verb or an item. */
export const NOT = wordSet(
  "nao nem nunca not non don doesn aren isn dont doesnt arent isnt never neither nor cannot " +
    "cant mustn mustnt shouldn shouldnt",
);
/** Words that say that something is not had. */
export const WITHOUT = wordSet("sem without");
/** "nenhum MEI": it negates alone where no other word negates before it. */
const NONE = /^(?:nenhum|nenhuma|ninguna?|ningun)$/;
/** Max words between a negator and the "nenhum" that only says it again. */
const NONE_REACH = 5;

/** Reads a "nenhum" that negates alone as the word for without. */
export function readNone(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!NONE.test(sentence.folded(at))) continue;
    let before = at - 1;
    while (before >= at - NONE_REACH && !NEGATORS.has(sentence.folded(before))) before--;
    if (before < Math.max(0, at - NONE_REACH)) sentence.readAs(at, "sem");
  }
}

/** Words that leave something out. */
export const EXCLUDE = wordSet(
  "exceto excepto excetuando salvo menos fora afora excecao excluindo excluir exclua excluam " +
    "excluidas excluidos tirando tire tirar desconsiderando desconsidere desconsiderar ignorando " +
    "outside beyond desenquadrada desenquadradas desenquadrado desenquadrados sairam saiu " +
    "ignore ignorar remova removendo remover descarte descartando retire retirando except " +
    "excluding exclude ignoring deixaram deixou minus",
);
/** Those that say how something is, and not what to do with it. */
export const IS_OUT =
  /^(fora|afora|outside|beyond|desenquadrad[ao]s?|sairam|saiu|deixaram|deixou)$/;
/** Words that negate with those behind them: "em vez de", "nada de". */
const MAY_NEGATE = wordSet("em ao no nada instead");
/** Words that say by themselves that something does not matter. */
export const REGARDLESS = wordSet("independente independentemente regardless indiferente");
/** Words that may stand between a negator and what it excludes. */
export const BETWEEN = wordSet(
  "que seja sejam sao e esteja estejam esta estao tenha tenham tem possua possuam possui " +
    "possuem ser " +
    "sendo ter estar estiverem forem de da do das dos o a os as em no na nos nas para pra pelo " +
    "pela um uma com inclua incluir incluam incluindo inclui quero queremos quer lista liste " +
    "listar traga trazer mostre mostrar considere considerar contar optam aquelas aqueles " +
    "estado estados cidade cidades municipio municipios regiao quem qualquer nenhum nenhuma " +
    "tipo numero empresas empresa cadastrado informado ja the is " +
    "are any that which do have has an those in t include including with companies want " +
    "fique fiquem fica ficam localizada localizadas localizado localizados situada situadas " +
    "situado situados sediada sediadas sediado sediados foi foram fosse fossem atua atuam atue " +
    "states state of cities city on enrolled facam " +
    "fazem parte pertencam pertencem located based situated part a usam use " +
    "usem usa usar utilizam utilize utilizem utilizar using " +
    "pode podem possa possam deve devem devam poder dever can could may must should be been " +
    "atuem trabalha trabalham trabalhe trabalhem tao muito vez inves lugar instead",
);
/** Verbs of a wish; behind a join they begin a new one. */
export const VERBS = wordSet(
  "seja sejam esteja estejam tenha tenham tem possua possuam possui estao fiquem ficam have has " +
    "are is quero queremos",
);
/** Words that end what a negation reaches. */
export const ENDS = wordSet(
  "mas porem contudo sim apenas somente so que ha com por para desde abertas abertos aberta " +
    "aberto fundadas criadas abriram but only since opened with ordenado ordenadas ordenados " +
    "ordene limite top",
);
/** Words that join items of a list. */
export const JOINS = wordSet("e ou and or");
/** Those of them that name an alternative. */
export const ALTERNATIVES = wordSet("ou or");
/** Verbs between a negator and what a company is. */
const BEING = wordSet("seja sejam sao e eh ser foram fosse fossem esteja estejam are is be");
/** "De" in its forms. */
export const OF = wordSet("de do da dos das");
/** Articles. */
export const ARTICLES = wordSet("o a os as the");
/** Negators of places, and of the regime that one is in. */
export const OUTSIDE = wordSet("fora afora outside beyond");
/** Prepositions of places. */
export const PLACE_LEADS = wordSet("em no na nos nas in at");
/** After these a negator says that a wish does not matter: "não precisa ter telefone". */
export const OPENERS = wordSet(
  "precisa precisam exigem exija requer requerem importa importam importando exijo exige " +
    "exigir exigencia necessariamente " +
    "obrigatoriamente necessidade necessario restricao distincao so apenas somente only need " +
    "needed necessarily matter",
);
/** Nouns for companies of any trade. */
export const SUBJECTS = wordSet(
  "empresas empresa companhias firmas negocios estabelecimentos comercios companies company " +
    "businesses business firms firm establishments",
);

const COMPANIES = /^(empresa|companhia|firma|negocio|estabelecimento|lead|contato|resultado)s$/;

/** Whether "não mais que N padarias" begins at a token. */
function startsAtMost(sentence: Sentence, at: number): boolean {
  if (sentence.folded(at) !== "nao" || sentence.folded(at + 1) !== "mais") return false;
  let number = at + 2;
  if (sentence.folded(number) === "do") number++;
  if (!["de", "que"].includes(sentence.folded(number))) return false;
  const count = numeralAt(sentence, number + 1);
  if (count === null) return false;
  const counted = count.to + (factorAt(sentence, count.to) === 1 ? 0 : 1);
  return COMPANIES.test(sentence.folded(counted)) || kindAt(sentence, counted) === "activity";
}

/** Where the "não" of the number at a token stands; -1 where no such limit reaches it. */
export function atMostBefore(sentence: Sentence, number: number): number {
  const start = number - (sentence.folded(number - 2) === "do" ? 4 : 3);
  return start >= 0 && startsAtMost(sentence, start) ? start : -1;
}

/** One set, because every word of a sentence is looked up in it many times. */
const NEGATORS: ReadonlySet<string> = new Set([...NOT, ...WITHOUT, ...EXCLUDE, ...REGARDLESS]);

/** True if a folded word may negate without regard to its neighbors. */
export function isNegatorWord(word: string): boolean {
  return NEGATORS.has(word);
}

/** True if a folded word may negate together with its neighbors. */
function mayNegate(word: string): boolean {
  return NEGATORS.has(word) || MAY_NEGATE.has(word);
}

/** Whether a token excludes what follows; "menos de 2 anos" and "pelo menos" compare instead. */
export function isNegator(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (!mayNegate(word)) return false;
  const [before, next] = [sentence.folded(at - 1), sentence.folded(at + 1)];
  if (word === "menos") {
    const of = ["de", "do"].includes(next) && isCounted(sentence, at + 2);
    const compares = of || ["que", "um", "uma"].includes(next);
    return !compares && !["pelo", "ao", "ou", "nada", "ainda", "com", "ha"].includes(before);
  }
  if (isInstead(sentence, at)) return true;
  if (startsAtMost(sentence, at)) return false;
  // One that negates is read as "without" or "sem" before.
  if (word === "no") return false;
  // "minerais não metálicos"
  return isNegatorWord(word) && !isInTrade(sentence, at, at + 1);
}

/** "em vez de", "ao invés de", "no lugar de", "instead of": begins at the first of its words. */
function isInstead(sentence: Sentence, at: number): boolean {
  const of = ["de", "do", "da", "dos", "das", "of"];
  const [word, next] = [sentence.folded(at), sentence.folded(at + 1)];
  // "nada de atacado"
  if (word === "instead" || word === "nada") return of.includes(next);
  const said = INSTEAD.has(`${word} ${next}`);
  return said && of.includes(sentence.folded(at + 2));
}

const INSTEAD = new Set(["em vez", "ao inves", "em lugar", "no lugar"]);

/** "menos de 2 anos" compares; "menos de SP" excludes. */
function isCounted(sentence: Sentence, at: number): boolean {
  const number = sentence.tokens[at]?.kind === "number" || numberAt(sentence, at) !== null;
  return number || ["r", "rs", "us", "mil", "meio", "meia"].includes(sentence.folded(at));
}

/** What a company is or belongs to, and if it is active. */
const QUALITIES: ReadonlySet<ItemKind> = new Set<ItemKind>([
  ...(["regime", "size", "headquarters", "nature", "status"] as const),
]);
/** Nobody leaves the active ones out in the same breath. */
const ACTIVE = /^(ativ|activ|oper|func)/;
/** Max items of a list up to its "ou". */
const LIST_MAX = 6;

/** An item that is joined, by its first token, and the kind of the one before. */
interface Alternative {
  readonly negator: number;
  readonly kind: ItemKind;
  readonly item: number;
}

/** "exceto filiais ou baixadas": true if neither the item before "ou" nor this one is wanted. */
export function isNeither(sentence: Sentence, { negator, kind, item }: Alternative): boolean {
  if (!QUALITIES.has(kind) && kind !== "other") return false;
  if (!QUALITIES.has(kindAt(sentence, item)) || ACTIVE.test(sentence.folded(item))) return false;
  const word = sentence.folded(negator);
  if (EXCLUDE.has(word)) return !IS_OUT.test(word);
  // "não MEI ou do Simples" may negate the first alone.
  return isNotBeing(sentence, negator);
}

/** True for the negator of "que não sejam". */
export function isNotBeing(sentence: Sentence, negator: number): boolean {
  if (!NOT.has(sentence.folded(negator))) return false;
  // "não é" is folded to "nao e".
  if (sentence.folded(negator + 1) === "e") return true;
  return [-1, 1, 2].some((step) => BEING.has(sentence.folded(negator + step)));
}

/** True for "exceto" and its like, which leave out all that is joined behind them. */
export function isExcept(sentence: Sentence, negator: number): boolean {
  const word = sentence.folded(negator);
  return EXCLUDE.has(word) && !IS_OUT.test(word);
}

/** "sem MEI e filiais", not "sem MEI e pequenas": true for what is hardly wished behind "sem". */
export function isLeftWithout(sentence: Sentence, item: number, kind: ItemKind): boolean {
  if (kind === "regime") return true;
  const word = sentence.folded(item);
  if (kind === "headquarters") return /^(filia|sucursa|branch)/.test(word);
  return kind === "status" && /^(inapt|baixad|suspens|inativ)/.test(word);
}

/** True for a status other than the active one. */
export function isInactive(sentence: Sentence, item: number, kind: ItemKind): boolean {
  return kind === "status" && !ACTIVE.test(sentence.folded(item));
}

/** True if commas join the item at a token to another quality, and "ou" the last of them. */
export function endsWithOr(sentence: Sentence, item: number): boolean {
  for (let [at, left] = [item, LIST_MAX]; left > 0; left--) {
    while (OF.has(sentence.folded(at)) || ARTICLES.has(sentence.folded(at))) at++;
    const kind = kindAt(sentence, at);
    if (!QUALITIES.has(kind)) return false;
    at = itemEnd(sentence, at, kind);
    const isComma = sentence.tokens[at]?.text === ",";
    if (isComma) at++;
    if (ALTERNATIVES.has(sentence.folded(at))) return true;
    if (!isComma) return false;
  }
  return false;
}

/** Takes the negator of the item at a token, and the small words between them. */
export function claimNegation(sentence: Sentence, negator: number, at: number): void {
  // "que não são nem MEI nem do Simples": the first of two that say it once.
  let first = negator;
  while (
    sentence.folded(negator) === "nem" &&
    first > negator - 3 &&
    BETWEEN.has(sentence.folded(first - 1))
  )
    first--;
  const twice = first < negator || sentence.folded(negator) === "nem";
  if (twice && sentence.folded(first - 1) === "nao" && sentence.free(first - 1)) {
    sentence.claim(first - 1, first, "negation");
  }
  const claimed = claimedBehind(sentence, negator);
  const open = claimed.open.splice(0);
  for (; claimed.to < Math.max(at, negator + 1); claimed.to++) open.push(claimed.to);
  for (const i of open) {
    if (!sentence.free(i)) continue;
    const small = i === negator || isNegator(sentence, i) || BETWEEN.has(sentence.folded(i));
    const word = small || OPENERS.has(sentence.folded(i)) || EXCLUDE.has(sentence.folded(i));
    if (word) sentence.claim(i, i + 1, "negation");
    else if (mayNegate(sentence.folded(i))) claimed.open.push(i);
  }
}

/** The words behind a negator that were looked at for one of its items. */
interface Claimed {
  to: number;
  /** Those that may still become negators, when a number behind them is taken. */
  readonly open: number[];
}

interface AllClaimed {
  readonly revision: number;
  readonly byNegator: Map<number, Claimed>;
}

const CLAIMED = new WeakMap<Sentence, AllClaimed>();

/** A negator may reach a hundred items; the words before each are not gone over again. */
function claimedBehind(sentence: Sentence, negator: number): Claimed {
  let all = CLAIMED.get(sentence);
  if (all?.revision !== sentence.revision) {
    all = { revision: sentence.revision, byNegator: new Map() };
    CLAIMED.set(sentence, all);
  }
  const known = all.byNegator.get(negator) ?? { to: negator, open: [] };
  all.byNegator.set(negator, known);
  return known;
}
