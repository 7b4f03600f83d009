/**
 * Decides if a word is a filter or everyday language. Input: a sentence and a filter's name in it.
 * Output: true if the filter is meant, and the position where the words before it, such as "com",
 * begin.
 * Invariant: "com telefone" is a filter, but "conserto de celular" is a trade. "ordenado por nome"
 * is an order, but "com flor no nome" is not.
 * A contact may be joined to another request in a list ("em Recife e celular", "com DDD 11, site e
 * e-mail"). If the previous request in the list is a filter, the contact is one too. Goods in a
 * list ("em Recife, celulares e acessórios") stay an activity unless "com" introduces the list.
 */
import { isFillerWord } from "../fillers.ts";
import { kindAt } from "../items.ts";
import { isGiveaway } from "../unmapped.ts";
import type { Sentence } from "../words/sentence.ts";
import type { FilterPhrase } from "./phrase.ts";
import { FILTER_PHRASES } from "./table.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Words before a contact that require or exclude it, and small words between. */
const HAVING = wordSet(
  "com sem tenha tenham tem ter possua possuam possui possuem possuir have has having with " +
    "without " +
    "exige exija exijo exigem exijam exigir requer quero preciso inclua incluir lista " +
    "listagem relacao " +
    "contendo contem contenham incluindo informe informem informam informaram disponha disponham " +
    "containing including seus their cadastrado informado no excluindo exceto " +
    "usam usem use usa usar utilizam utilizem utilize using tendo teniendo",
);
const BEFORE_CONTACT = wordSet(
  "um uma o a os as numero de do da e ou nem and or any both either mail pelo menos ao algum " +
    "alguma " +
    "qualquer seu seus pra para their its an the valid mas but porem nao not",
);
/** Words after a contact that require it: "e-mail obrigatório". */
const NEEDED = wordSet(
  "obrigatorio obrigatoria obrigatorios obrigatorias obligatorio obligatorios mandatory " +
    "cadastrado informado disponivel disponiveis required needed " +
    "preenchido " +
    "preenchidos informados cadastrados valido validos",
);
/** Words that introduce a sort key: "por nome". */
const LEADS = wordSet("por by pelo pela ordem order cada per");
const ORDER_WORDS = wordSet(
  "ordenado ordenada ordenados ordenadas ordene ordena ordenar ordenando ordem order ordered " +
    "sorted " +
    "sort ranking ranqueadas ranqueados classificado classificada classificados " +
    "classificadas classifique comecando primeiro " +
    "primeiras primeiros por by pelo pela pelas pelos em in na no de do da as os a o with the",
);
const COMPARING = wordSet("mais menos acima abaixo maior menor");
/** Words after "maior" with which it requests no order of the companies, as in "maior que". */
const NOT_LARGEST = wordSet(
  "que do cidade cidades municipio municipios estado estados parte numero quantidade " +
    "faturamento receita idade idades volume than city cities que",
);
/** Words before "simples" that show that the tax regime is meant, not the adjective. */
const BEFORE_SIMPLES = wordSet(
  "do no pelo ao o sem nem exceto optante optantes so apenas somente regime e ou menos fora mais " +
    "salvo inclusive sejam seja sao nao from in without not except",
);

/** Verbs that follow the pronoun "me" ("me mostre") but never the size ME. */
const ASKING = new Set(
  (
    "mostre mostra traga traz mande manda envie envia liste lista passe passa consiga ache " +
    "encontre " +
    "busque procure gere exporte diga fala fale indique ajude ajuda ajudar mandar mostrar passar " +
    "enviar listar trazer dizer falar dar indicar indica passa gera busca procura consegue"
  ).split(" "),
);

/** A filter's name in a sentence. */
interface Named {
  readonly at: number;
  readonly to: number;
  readonly phrase: FilterPhrase;
}

/** True for words that require or exclude what follows. */
export function isHaving(word: string): boolean {
  return HAVING.has(word);
}

/** True if the filter is meant. `contactEnd` is the position after the previous contact, or -1. */
export function isFilterMeant(sentence: Sentence, named: Named, contactEnd: number): boolean {
  const { at, to, phrase } = named;
  const text = sentence.tokens[at]?.text ?? "";
  const folded = sentence.folded(at);
  if (phrase.role === "contact") return isContactMeant(sentence, named, contactEnd);
  if (phrase.led && !isLed(sentence, named)) return false;
  // "em atividade" is a status, but "atividade de limpeza" is not.
  if (folded === "atividade" && to === at + 1) return sentence.folded(at - 1) === "em";
  if (folded === "me" && ASKING.has(sentence.folded(to))) return false;
  const key = sentence.tokens[at]?.key;
  // The analyzer reduces "meses" (months) to the same word as "MEs".
  if (to === at + 1 && (key === "me" || key === "mes")) {
    const isNextToSize = isNextToMei(sentence, at) || isUpToEpp(sentence, at);
    const size = isNextToSize || isLoneSize(sentence, at);
    return text === "ME" || text === "MEs" || size;
  }
  // "ei, quero padarias"
  if (folded === "ei" && to === at + 1) return text === "EI";
  if (folded === "simples" && to === at + 1 && text !== "Simples" && text !== "SIMPLES") {
    // "simples" alone after a comma is the regime: "padarias em Recife, simples".
    const next = sentence.folded(to);
    const alone = sentence.tokens[at - 1]?.text === "," && next === "";
    return (
      alone || next === "only" || next === "nacional" || BEFORE_SIMPLES.has(sentence.folded(at - 1))
    );
  }
  if (phrase.role === "size") return isSizeMeant(sentence, at, to);
  if (phrase.role === "sort") return isSortMeant(sentence, at, to);
  if (folded === "sede") return sentence.folded(to) !== "propria";
  return true;
}

/** True if "me" is a size next to MEI, not a pronoun: "mei ou me", "nem mei nem me". */
function isNextToMei(sentence: Sentence, at: number): boolean {
  // "me ou epp"
  const next = sentence.folded(at + 1);
  const both = ["e", "ou", "or", "and"].includes(next) && sentence.folded(at + 2) === "epp";
  if (both || (sentence.tokens[at + 1]?.text === "/" && sentence.folded(at + 2) === "epp")) {
    return true;
  }
  const joined = ["e", "ou", "nem", "or", "and"].includes(sentence.folded(at - 1));
  if (!joined && sentence.tokens[at - 1]?.text !== ",") return false;
  return [2, 3].some((back) => ["mei", "meis", "epp"].includes(sentence.folded(at - back)));
}

/** True if "me" is a size, because no pronoun can stand there: "padarias em Curitiba me". */
function isLoneSize(sentence: Sentence, at: number): boolean {
  const next = sentence.tokens[at + 1];
  const ends = next === undefined || next.kind === "mark" || /^(em|com|no|na)$/.test(next.folded);
  const owner = sentence.owner(at - 1);
  const led = /^(sejam|seja|sao|porte|so|apenas|somente)$/.test(sentence.folded(at - 1));
  const isAfterCondition = owner === "place" || owner === "regime" || owner === "nature" || led;
  const trade = at > 0 && kindAt(sentence, at - 1) === "activity";
  return ends && (isAfterCondition || (trade && sentence.folded(at - 1) !== "me"));
}

/** True for a range of sizes: "de me a epp". */
function isUpToEpp(sentence: Sentence, at: number): boolean {
  return /^(a|ate|to)$/.test(sentence.folded(at + 1)) && sentence.folded(at + 2) === "epp";
}

/** False for a comparison ("mais grande") and for a capitalized "Grande" that begins a name. */
function isSizeMeant(sentence: Sentence, at: number, to: number): boolean {
  if (COMPARING.has(sentence.folded(at - 1))) return false;
  // In "cidades pequenas" and "small towns", the size describes the town.
  if (SETTLEMENTS.test(sentence.folded(at - 1)) || SETTLEMENTS.test(sentence.folded(to))) {
    return false;
  }
  // "maiores que microempresas"
  const than = sentence.folded(at - 1) === "que" ? (sentence.folded(at - 2) === "do" ? 3 : 2) : 0;
  if (than > 0 && /^(maior|menor)/.test(sentence.folded(at - than))) return false;
  const [text, next] = [sentence.tokens[at]?.text ?? "", sentence.tokens[to]?.text ?? ""];
  const capitals = sentence.text === sentence.text.toUpperCase();
  return capitals || at === 0 || text.length < 4 || !isCapital(text) || !isCapital(next);
}

const SETTLEMENTS = /^(cidades?|municipios?|towns?|cities|ciudades?|pueblos?)$/;

function isCapital(text: string): boolean {
  return text.slice(0, 1) !== text.slice(0, 1).toLowerCase();
}

function isSortMeant(sentence: Sentence, at: number, to: number): boolean {
  const first = sentence.folded(at);
  const size = first.startsWith("maior") || first.startsWith("menor");
  // "maiores de 18 anos" describes people, not the largest companies.
  const people = sentence.folded(to) === "de" && sentence.tokens[to + 1]?.kind === "number";
  // "maior capital do Simples" is an order; "maior que" and "maior do que" compare.
  const than = sentence.folded(to) === "que" && sentence.tokens[to + 1]?.kind !== "word";
  const thanThat = sentence.folded(to) === "do" && sentence.folded(to + 1) === "que";
  if (to > at + 1 && !than && !thanThat) return true;
  return !(size && (people || NOT_LARGEST.has(sentence.folded(to))));
}

/** True for a sort key after words such as "por" ("por nome"). "Z" counts only in "de A a Z". */
function isLed(sentence: Sentence, { at }: Named): boolean {
  if (sentence.folded(at) === "z") return sentence.folded(at - 1) === "a" && at > 1;
  if (sentence.folded(at) === "ordem") return true;
  for (let i = at - 1; i >= Math.max(0, at - 4); i--) {
    const word = sentence.folded(i);
    if (LEADS.has(word) || sentence.owner(i) === "sort") return true;
    if (!["a", "o", "de", "da", "do", "the", "sua"].includes(word)) return false;
  }
  return false;
}

/** Max words between a contact and the word that requires it. */
const CONTACTS_REACH = 24;

/** True for "com telefone" and "e-mail obrigatório", false for "conserto de celular". */
function isContactMeant(sentence: Sentence, { at, to }: Named, contactEnd: number): boolean {
  const first = sentence.folded(at - 1) === "e" && sentence.folded(at) === "mail" ? at - 1 : at;
  let skipped = 0;
  // The search stops early to bound the cost, because each contact of a long list would scan the
  // whole list. A longer list only repeats contacts.
  for (let i = first - 1; i >= first - CONTACTS_REACH; i--) {
    const word = sentence.folded(i);
    if (isReached(sentence, i)) return true;
    if (BY.test(word) && joinsContact(sentence, i - 1)) continue;
    if (HAVING.has(word) || (i < contactEnd && contactEnd > 0 && i >= 0)) return true;
    if (isHadToo(sentence, i)) return true;
    // A contact without a filter may stand between: "site" in "que tenham site e telefone".
    if (skipped < 2 && word !== "" && sentence.free(i) && joinsContact(sentence, i + 1)) {
      skipped++;
      continue;
    }
    if (
      !BEFORE_CONTACT.has(word) &&
      sentence.tokens[i]?.text !== "," &&
      sentence.tokens[i]?.text !== "/" &&
      !isShortened(sentence, i)
    )
      break;
  }
  if (NEEDED.has(sentence.folded(to)) || isListNeeded(sentence, to)) return true;
  if (isListedBehindItem(sentence, first, to)) return true;
  if (isEnclosed(sentence, first, to) || endsAsList(sentence, first, to)) return true;
  if (isItemOfCommas(sentence, first, to)) return true;
  // In "padarias em Piracicaba email", the contact is required, because it stands at the end of the
  // sentence after a place.
  if (to === sentence.tokens.length && sentence.owner(first - 1) === "place") return true;
  const of = ["de", "dos", "das", "do", "da", "of", "e"].includes(sentence.folded(to));
  return of && startsWithFillers(sentence, first);
}

const BY = /^(?:por|by|via|through)$/;
const REACHING =
  /^(?:contact|contat|reach|alcan[cz]|escrever|escribir|falar|hablar|ligar|llamar|call)/;
/** Words that may stand between a verb of contacting and its preposition. */
const REACHED = /^(?:los|las|les|lo|la|os|as|them|me|com|con|eles|elas|ellos|ellas)$/;
/** Words before a verb of contacting: "quero poder contatá-los por telefone". */
const MAY_REACH =
  /^(?:que|eu|i|we|quero|queremos|preciso|quiera|want|to|can|could|poder|possa|pueda)$/;

/** Returns the verb of contacting before "por" in "contatá-los por telefone", or -1. */
function reachedFrom(sentence: Sentence, by: number): number {
  if (!BY.test(sentence.folded(by))) return -1;
  let verb = by - 1;
  while (verb > by - 4 && REACHED.test(sentence.folded(verb))) verb--;
  return REACHING.test(sentence.folded(verb)) && sentence.free(verb) ? verb : -1;
}

function isReached(sentence: Sentence, by: number): boolean {
  return reachedFrom(sentence, by) >= 0;
}

/** Goods next to which "celular" and "phone" are goods too. */
const ELECTRONIC = new RegExp(
  "^(tablet|notebook|laptop|comput|informatica|eletronic|electronic|acessori|accessor|" +
    "conserto|assistenc|repair|repara|capinha|capa|case|smartphone|iphone|tv|televis|camera|" +
    "console|video)",
);

/**
 * True for a contact that is an item of a telegraphic sentence: "confeitarias, Olinda, celular",
 * "tanneries, phone, email". After it, only contacts, places, and other requests follow.
 */
function isItemOfCommas(sentence: Sentence, first: number, to: number): boolean {
  const { tokens } = sentence;
  if (tokens[first - 1]?.text !== "," || sentence.folded(to - 1).endsWith("s")) return false;
  // "con correo y si no, teléfono" accepts either.
  if (/^(?:no|nao|not|senao|ou|or)$/.test(sentence.folded(first - 2))) return false;
  let end = to;
  while (end < to + LIST_WORDS && isContactWord(sentence, end)) end++;
  const closed = end === tokens.length || (end > to && !sentence.free(end));
  return closed && !tokens.some(({ folded }) => ELECTRONIC.test(folded));
}

/** True for contacts in parentheses, which are required: "(telefone e e-mail)". */
function isEnclosed(sentence: Sentence, first: number, to: number): boolean {
  let from = first;
  let end = to;
  while (from > first - LIST_WORDS && isContactWord(sentence, from - 1)) from--;
  while (end < to + LIST_WORDS && isContactWord(sentence, end)) end++;
  return sentence.tokens[from - 1]?.text === "(" && sentence.tokens[end]?.text === ")";
}

/** True if the contacts end the sentence after a place: "padarias em Recife telefone + e-mail". */
function endsAsList(sentence: Sentence, first: number, to: number): boolean {
  if (sentence.owner(first - 1) !== "place" || !joinsContact(sentence, to)) return false;
  let end = to;
  while (end < to + LIST_WORDS && isContactWord(sentence, end)) end++;
  return end > to + 1 && end === sentence.tokens.length;
}

function isContactWord(sentence: Sentence, at: number): boolean {
  if (joinsContact(sentence, at) || /^[/+]$/.test(sentence.tokens[at]?.text ?? "")) return true;
  const next = FILTER_PHRASES.longest(sentence.tokens, at);
  return next?.value.role === "contact" || sentence.folded(at) === "mail";
}

/** True for the period of an abbreviation: "tel. e e-mail". */
function isShortened(sentence: Sentence, at: number): boolean {
  return sentence.tokens[at]?.text === "." && /^(tel|cel|fone)$/.test(sentence.folded(at - 1));
}

/**
 * True if a word after the last contact of a list requires all of them: "email and phone required".
 */
function isListNeeded(sentence: Sentence, to: number): boolean {
  for (let at = to; at < to + LIST_WORDS && joinsContact(sentence, at); ) {
    const next = FILTER_PHRASES.longest(sentence.tokens, at + 1);
    if (next === null || next.value.role !== "contact") return false;
    if (NEEDED.has(sentence.folded(next.to))) return true;
    at = next.to;
  }
  return false;
}

/** Maximum number of words in a list of contacts that a word such as "required" may follow. */
const LIST_WORDS = 8;

function joinsContact(sentence: Sentence, at: number): boolean {
  return (
    sentence.tokens[at]?.text === "," || ["e", "ou", "and", "or"].includes(sentence.folded(at))
  );
}

/**
 * True if the token belongs to a date, an amount, or a name, and "com" precedes that. In "com mais
 * de 3 anos, telefone e e-mail", "com" then also applies to the contacts.
 */
function isHadToo(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  if (owner !== "date" && owner !== "capital" && owner !== "name") return false;
  let from = at;
  while (from > at - 12 && sentence.owner(from - 1) === owner) from--;
  return ["com", "tenham", "with"].some(
    (word) => word === sentence.folded(from) || word === sentence.folded(from - 1),
  );
}

function startsWithFillers(sentence: Sentence, at: number): boolean {
  for (let i = 0; i < at; i++) {
    const token = sentence.tokens[i];
    if (token !== undefined && !isFillerWord(token)) return false;
  }
  return sentence.folded(at - 1) !== "em";
}

/** Returns the start of the words that introduce a sort key, such as "ordenado por". */
export function sortLead(sentence: Sentence, at: number): number {
  let from = at;
  for (let i = at - 1; i >= Math.max(0, at - 6) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    if (!ORDER_WORDS.has(word)) break;
    const small = word.length < 3 || ["por", "the", "with", "pelo", "pela", "pelas"].includes(word);
    if (!small || LEADS.has(word)) from = i;
  }
  return from;
}

/** Returns the end of a word after a contact that requires it: "e-mail obrigatório". */
export function contactTail(sentence: Sentence, to: number): number {
  return NEEDED.has(sentence.folded(to)) ? to + 1 : to;
}

/** Returns the position after a word such as "first" that follows a sort value, otherwise `to`. */
export function sortTail(sentence: Sentence, to: number): number {
  if (FIRST.has(sentence.folded(to)) && sentence.free(to)) return to + 1;
  // "mais antigas no topo", "newest at the top"
  const article = /^(?:o|the)$/.test(sentence.folded(to + 1)) ? 2 : 1;
  const isAhead = AT.test(sentence.folded(to)) && AHEAD.test(sentence.folded(to + article));
  return isAhead && sentence.free(to) ? to + article + 1 : to;
}

const AT = /^(?:no|em|ao|at|on)$/;
const AHEAD = /^(?:topo|comeco|inicio|cima|top|beginning)$/;
const FIRST = wordSet("first primeiro primeiros primeira primeiras");

/** Returns the position of "porte" or "tamanho" before a size, or `at` if there is none. */
export function sizeLead(sentence: Sentence, at: number): number {
  const colon = sentence.tokens[at - 1]?.text === ":" ? 2 : 1;
  const skip = sentence.folded(at - 1) === "nao" ? 2 : colon;
  const word = sentence.folded(at - skip);
  return ["porte", "tamanho"].includes(word) && sentence.free(at - skip) ? at - skip : at;
}

/** Returns the start of the words that belong to a contact, such as "pelo menos um". */
export function contactLead(sentence: Sentence, at: number): number {
  const isHyphened = sentence.folded(at) === "mail" && sentence.folded(at - 1) === "e";
  let from = reachedFrom(sentence, isHyphened ? at - 2 : at - 1);
  if (from >= 0) {
    while (MAY_REACH.test(sentence.folded(from - 1)) && sentence.free(from - 1)) from--;
    return from;
  }
  from = at;
  for (let i = at - 1; i >= Math.max(0, at - 4) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    if (["menos", "algum", "alguma", "numero", "minimo"].includes(word)) from = i;
    else if (!["um", "uma", "pelo", "ao", "no", "de"].includes(word)) break;
    else if (from < at && (word === "pelo" || word === "ao" || word === "no")) from = i;
  }
  return from;
}

/** Words and marks such as "e" that join a contact to the request before it. */
const JOINERS = wordSet("e ou and or y mais plus com with con nem , ; / & +");
/**
 * Words that may stand between a word of `JOINERS` and the contact, such as "um". Also closing
 * brackets and quotation marks of the request before it.
 */
const SMALL = wordSet(
  "um uma o a os as algum alguma qualquer seu seus sua tambem ainda mail an any the also pelo " +
    'menos ) " ” »',
);
/**
 * Prepositions and nouns before a place. The word after them is a place even if it is unknown:
 * "Xurupita" in "em Xurupita e celular", where the contact is required too.
 */
const PLACE_LEADS = wordSet("em no na nos nas in en bairro cidade municipio");
const HAD = wordSet("com with con tendo tenham tenha having");
/**
 * Maximum number of words between a contact and the request before it. Half of this is the maximum
 * number of words of an unknown place.
 */
const REACH = 8;

/**
 * True if a joining word connects the contact in [first, to) to a request or a place, so that the
 * contact is required as well.
 */
function isListedBehindItem(sentence: Sentence, first: number, to: number): boolean {
  const item = itemBefore(sentence, first);
  if (item < 0) return false;
  const owner = sentence.owner(item);
  const meant =
    owner === null
      ? isUnknownPlace(sentence, item) || isGiveaway(sentence.tokens[item])
      : owner !== "filler" && owner !== "negation";
  return meant && (!listsGoods(sentence, to) || isHadItem(sentence, item));
}

/**
 * Returns the last token of the request before a contact, or -1 if no joining word connects the
 * two.
 */
function itemBefore(sentence: Sentence, first: number): number {
  let joined = false;
  let at = first - 1;
  for (; at >= Math.max(0, first - REACH); at--) {
    const { folded = "" } = sentence.tokens[at] ?? {};
    // A word of another request joins nothing: the "a" of "de A a Z".
    const open = sentence.free(at) || sentence.owner(at) === "filler";
    if (open && JOINERS.has(folded)) joined = true;
    else if (!open || !SMALL.has(folded)) break;
  }
  return joined ? at : -1;
}

/** True if an unknown name after a preposition of place ends at `item`: "em Xurupita e celular". */
function isUnknownPlace(sentence: Sentence, item: number): boolean {
  for (let at = item; at > item - REACH / 2; at--) {
    if (!sentence.free(at) || sentence.tokens[at]?.kind !== "word") return false;
    if (PLACE_LEADS.has(sentence.folded(at))) return at < item;
    if (kindAt(sentence, at) === "activity") return false;
  }
  return false;
}

/**
 * True if other goods follow, so that the contact is probably goods too: "celulares e acessórios".
 */
function listsGoods(sentence: Sentence, to: number): boolean {
  const { text } = sentence.tokens[to] ?? {};
  if (text !== "," && !["e", "ou", "and", "or", "y"].includes(sentence.folded(to))) return false;
  const next = FILTER_PHRASES.longest(sentence.tokens, to + 1);
  return next === null && kindAt(sentence, to + 1) === "activity";
}

/** True if the item before a contact follows "com": "com DDD 11 e celular". */
function isHadItem(sentence: Sentence, item: number): boolean {
  const owner = sentence.owner(item);
  let from = item;
  while (from > item - 2 * REACH && sentence.owner(from - 1) === owner) from--;
  return HAD.has(sentence.folded(from)) || HAD.has(sentence.folded(from - 1));
}
