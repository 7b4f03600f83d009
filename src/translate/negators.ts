/**
 * Recognizes negators and the words around them.
 * Input: a sentence and a position. Output: true if the word there excludes the next item, and true
 * if it also excludes an alternative after "ou" ("que não sejam MEI ou do Simples"). Another
 * function marks a negator and the words up to its item as read.
 * Invariant: the result depends only on a few words before and after the position, not on the
 * stage that has read them. "menos de 2 anos", "pelo menos", and "minerais não metálicos" do not
 * exclude. "não mais que 50 padarias" is a limit, "não mais de 3 anos" a negation. Only qualities
 * of companies, such as their size, are excluded after "ou". Spanish words have already been
 * replaced by Portuguese ones. Marking all items of one negator takes time linear in the words
 * between them.
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
/** Words for "without". */
export const WITHOUT = wordSet("sem without");
/** Matches words such as "nenhum". They negate only if no negator precedes them. */
const NONE = /^(?:nenhum|nenhuma|ninguna?|ningun)$/;
/** Verbs between a negator and a "nenhum" that repeats it: "não têm nenhum contato". */
const HAD =
  /^(?:t[êe]m|ten(?:ha|ham|ga|gan)|tiene[n]?|possu(?:i|em|a|am)|h[áa]|haja|hay|existe[m]?)$/i;
/** Maximum words between a negator and a "nenhum" that only repeats it. */
const NONE_REACH = 5;

/** Replaces each "nenhum" that no negator precedes by "sem". */
export function readNone(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!NONE.test(sentence.folded(at))) continue;
    let before = at - 1;
    while (before >= at - NONE_REACH && !isNegative(sentence, before)) before--;
    if (before < Math.max(0, at - NONE_REACH)) sentence.readAs(at, "sem");
    // "sem nenhum contato" negates once.
    else if (before === at - 1 && isWithout(sentence, before)) sentence.readAs(at, "um");
    else if (HAD.test(sentence.words(before + 1, at).words)) sentence.readAs(at, "um");
  }
}

// The Spanish "sin" is read as "sem" only later.
function isWithout(sentence: Sentence, at: number): boolean {
  return WITHOUT.has(sentence.folded(at)) || sentence.folded(at) === "sin";
}

function isNegative(sentence: Sentence, at: number): boolean {
  return NEGATORS.has(sentence.folded(at)) || isWithout(sentence, at);
}

const LEAVING = /^(?:deix(?:ando|e|em|a|ar|amos)|dej(?:ando|ar|a|e|en|emos)|leav(?:e|ing))$/;
const OUT = /^(?:fora|fuera|afuera|out)$/;
/** Maximum words between "deixando" and its "de fora". */
const LEAVING_REACH = 6;

/** Reads "deixando as filiais de fora" and "leave out branches" as "excluindo" with these words. */
export function readLeavingOut(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!LEAVING.test(sentence.folded(at))) continue;
    for (let to = at + 1; to < at + LEAVING_REACH; to++) {
      const out = sentence.folded(to) === "de" ? to + 1 : to;
      if (!OUT.test(sentence.folded(out))) continue;
      // The word that negates stands directly before what it excludes.
      const [negator, rest] = to > at + 1 ? [at, [to, out + 1]] : [out, [at, out]];
      sentence.readAs(negator as number, "excluindo");
      sentence.claim(...(rest as [number, number]), "filler");
      break;
    }
  }
}

/** Words that exclude. */
export const EXCLUDE = wordSet(
  "exceto excepto excetuando salvo menos fora afora excecao excluindo excluir exclua excluam " +
    "excluidas excluidos tirando tire tirar desconsiderando desconsidere desconsiderar ignorando " +
    "outside beyond desenquadrada desenquadradas desenquadrado desenquadrados sairam saiu " +
    "ignore ignorar remova removendo remover descarte descartando retire retirando except " +
    "excluding exclude ignoring deixaram deixou minus",
);
/**
 * Matches words that state that companies are outside something ("fora", "saíram"). They negate,
 * but they do not request an exclusion.
 */
export const IS_OUT =
  /^(fora|afora|outside|beyond|desenquadrad[ao]s?|sairam|saiu|deixaram|deixou)$/;
/** First words of negating phrases: "em vez de", "nada de". */
const MAY_NEGATE = wordSet("em ao no nada instead");
/** Words that make the condition after them irrelevant, although they are not negators. */
export const REGARDLESS = wordSet("independente independentemente regardless indiferente");
/** Words that may be between a negator and the excluded item. */
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
    "states state of cities city on enrolled registered facam " +
    "fazem parte pertencam pertencem located based situated part a usam use " +
    "usem usa usar utilizam utilize utilizem utilizar using " +
    "pode podem possa possam deve devem devam poder dever can could may must should be been " +
    "vir venha venham vierem entrar entre entrem aparecer apareca aparecam " +
    "atuem trabalha trabalham trabalhe trabalhem tao muito vez inves lugar instead",
);
/** Verbs that begin a request. After a joining word, they begin a new one. */
export const VERBS = wordSet(
  "seja sejam esteja estejam tenha tenham tem possua possuam possui estao fiquem ficam have has " +
    "are is quero queremos",
);
/** Words at which a negation ends. */
export const ENDS = wordSet(
  "mas porem contudo sim apenas somente so que ha com por para desde abertas abertos aberta " +
    "aberto fundadas criadas abriram but only since opened with ordenado ordenadas ordenados " +
    "ordene limite top",
);
/** Words that join items of a list. */
export const JOINS = wordSet("e ou and or");
/** Words that join alternatives. */
export const ALTERNATIVES = wordSet("ou or");
/** Verbs that may stand between a negator and a quality of companies. */
const BEING = wordSet("seja sejam sao e eh ser foram fosse fossem esteja estejam are is be");
/** Forms of "de". */
export const OF = wordSet("de do da dos das");
/** Articles. */
export const ARTICLES = wordSet("o a os as the");
/** Words that exclude a place or a tax regime. */
export const OUTSIDE = wordSet("fora afora outside beyond");
/** Prepositions of place. */
export const PLACE_LEADS = wordSet("em no na nos nas in at");
/** Words that, after a negator, make the next condition optional: "não precisa ter telefone". */
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

/** True if "não mais que", a number, and companies begin at a token: "não mais que 50 padarias". */
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

/**
 * Returns the position of "não" in a "não mais que" that ends before the number at a token, or -1.
 */
export function atMostBefore(sentence: Sentence, number: number): number {
  const start = number - (sentence.folded(number - 2) === "do" ? 4 : 3);
  return start >= 0 && startsAtMost(sentence, start) ? start : -1;
}

/** All negators in one set, because every word of a sentence is looked up many times. */
const NEGATORS: ReadonlySet<string> = new Set([...NOT, ...WITHOUT, ...EXCLUDE, ...REGARDLESS]);

/** True for folded words that negate without help from their neighbors. */
export function isNegatorWord(word: string): boolean {
  return NEGATORS.has(word);
}

/** True for folded words that negate alone or together with their neighbors. */
function mayNegate(word: string): boolean {
  return NEGATORS.has(word) || MAY_NEGATE.has(word);
}

/** True if a token excludes the words after it. In "menos de 2 anos", "menos" only compares. */
export function isNegator(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (!mayNegate(word) || sentence.isKept(at)) return false;
  const [before, next] = [sentence.folded(at - 1), sentence.folded(at + 1)];
  if (word === "menos") {
    const of = ["de", "do"].includes(next) && isCounted(sentence, at + 2);
    const compares = of || ["que", "um", "uma"].includes(next);
    return !compares && !["pelo", "ao", "ou", "nada", "ainda", "com", "ha"].includes(before);
  }
  if (isInstead(sentence, at)) return true;
  if (startsAtMost(sentence, at)) return false;
  // An English or Spanish "no" that negates was already replaced by "without" or "sem".
  if (word === "no") return false;
  // "minerais não metálicos"
  return isNegatorWord(word) && !isInTrade(sentence, at, at + 1);
}

/** True at the first word of "em vez de", "ao invés de", "no lugar de", "instead of". */
function isInstead(sentence: Sentence, at: number): boolean {
  const of = ["de", "do", "da", "dos", "das", "of"];
  const [word, next] = [sentence.folded(at), sentence.folded(at + 1)];
  // "nada de atacado"
  if (word === "instead" || word === "nada") return of.includes(next);
  const isPair = INSTEAD.has(`${word} ${next}`);
  return isPair && of.includes(sentence.folded(at + 2));
}

const INSTEAD = new Set(["em vez", "ao inves", "em lugar", "no lugar"]);

/**
 * True if an amount stands at a token, so that "menos de" before it compares: "menos de 2 anos". In
 * "menos de SP", it excludes.
 */
function isCounted(sentence: Sentence, at: number): boolean {
  const number = sentence.tokens[at]?.kind === "number" || numberAt(sentence, at) !== null;
  return number || ["r", "rs", "us", "mil", "meio", "meia"].includes(sentence.folded(at));
}

/** Kinds of items that describe a company, such as its size or status. */
const QUALITIES: ReadonlySet<ItemKind> = new Set<ItemKind>([
  ...(["regime", "size", "headquarters", "nature", "status"] as const),
]);
/**
 * Matches words for active companies. If such a word follows "ou" in a list of exclusions, it is
 * not excluded with the others.
 */
const ACTIVE = /^(ativ|activ|oper|func)/;
/** Maximum number of elements of a list before its "ou". */
const LIST_MAX = 6;

/** First token of an item after a joining word, the kind of the item before it, and the negator. */
interface Alternative {
  readonly negator: number;
  readonly kind: ItemKind;
  readonly item: number;
}

/** True if the items on both sides of "ou" are excluded: "exceto filiais ou baixadas". */
export function isNeither(sentence: Sentence, { negator, kind, item }: Alternative): boolean {
  if (!QUALITIES.has(kind) && kind !== "other") return false;
  if (!QUALITIES.has(kindAt(sentence, item)) || ACTIVE.test(sentence.folded(item))) return false;
  const word = sentence.folded(negator);
  if (EXCLUDE.has(word)) return !IS_OUT.test(word);
  // "não MEI ou do Simples" may negate only MEI. Both are excluded only after a verb such as
  // "sejam": "que não sejam MEI ou do Simples".
  return isNotBeing(sentence, negator);
}

/** True if a negator negates a verb of being, as in "que não sejam". */
export function isNotBeing(sentence: Sentence, negator: number): boolean {
  if (!NOT.has(sentence.folded(negator))) return false;
  // Folding turns "não é" into "nao e".
  if (sentence.folded(negator + 1) === "e") return true;
  return [-1, 1, 2].some((step) => BEING.has(sentence.folded(negator + step)));
}

/** True for "exceto" and similar words, which exclude all items joined after them. */
export function isExcept(sentence: Sentence, negator: number): boolean {
  const word = sentence.folded(negator);
  return EXCLUDE.has(word) && !IS_OUT.test(word);
}

/**
 * True for an item after "sem" that is excluded together with the item before it, because it is
 * rarely requested alone. True for "filiais" in "sem MEI e filiais", false for "pequenas" in "sem
 * MEI e pequenas".
 */
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

/**
 * True if the item at a token is in a list of qualities such as "MEI, filiais ou baixadas": commas
 * separate its items and "ou" precedes the last one.
 */
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

/** Marks the negator of the item at `at` and the small words between them as read. */
export function claimNegation(sentence: Sentence, negator: number, at: number): void {
  // A negation may have two negators. In "que não são nem MEI nem do Simples", marking begins at
  // "não".
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

/** How far earlier calls have checked the words after a negator. */
interface Claimed {
  to: number;
  /**
   * Positions of words such as "menos" that may become negators once a later stage has read the
   * number after them.
   */
  readonly open: number[];
}

interface AllClaimed {
  readonly revision: number;
  readonly byNegator: Map<number, Claimed>;
}

const CLAIMED = new WeakMap<Sentence, AllClaimed>();

/**
 * Returns how far the words after a negator have been checked. A negator may cover a hundred items;
 * without this, the words before each item would be scanned again.
 */
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
