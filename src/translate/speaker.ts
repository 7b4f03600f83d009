/**
 * Recognizes clauses about the speaker: what they offer, who they are, and where they are.
 * Input: a sentence that no stage has read. Output: the clauses. They are reported in notes with
 * the code `own_offer`, and later stages do not read them.
 * Invariant: a clause begins at the start of a sentence or after punctuation. It begins with a verb
 * or pronoun in the first person, a subject with a possessive ("minha empresa"), a purpose ("para
 * vender …"), or a noun for the speaker ("gráfica procura …", "Journalist here:").
 * A clause ends before a request, before punctuation, or before the speaker's customers ("vendo X
 * para padarias"), because the customers are the request. If the end of a clause cannot be
 * recognized, later stages read it.
 */
import { isFillerWord } from "./fillers.ts";
import { OWN_OFFER } from "./filters/phrase.ts";
import { beginsRequest } from "./items.ts";
import { jobSoughtAt } from "./jobseekers.ts";
import { isNegatorWord } from "./negators.ts";
import type { Notes } from "./notes.ts";
import { LONE_PARTS } from "./places/states.ts";
import { reasonAfter } from "./reasons.ts";
import {
  around,
  asideAt,
  claimThere,
  intentAt,
  ownUse,
  planAt,
  topicBefore,
  workAt,
} from "./speakerplans.ts";
import {
  breaksBefore,
  CLAUSE_MAX,
  endOf,
  firstOf,
  hasTrade,
  hasTradeIn,
  requestIn,
  type SpeakerContext,
  type SpokenClause,
  trimmed,
} from "./speakerscope.ts";
import {
  ARTICLES,
  BE,
  BEING,
  BUYING,
  BUYS_LED,
  CUSTOMERS,
  FOR,
  GENERIC,
  HERE,
  IN,
  JOINS,
  NOT_SELF,
  OF_COMPANY,
  OWN,
  OWN_ALL,
  PERSONS,
  PLANNING_LEADS,
  PRONOUNS,
  PURPOSE_END,
  REQUEST_VERBS,
  REQUESTS,
  SELLING,
  SELLING_NOW,
  SELLS,
  SOUGHT_NOW,
  STARTING,
  STARTING_LEADS,
  SUPPLYING,
  TO_SELL,
  WHERE,
  WISHING,
  WORKING,
} from "./speakerwords.ts";
import type { Sentence, Words } from "./words/sentence.ts";
import type { Token } from "./words/tokens.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Gerunds of buying, behind a request. */
const BUYING_NOW = /^(?:buying|purchasing|sourcing)$/;

/** Maximum words between a verb of buying and the suppliers. */
const BOUGHT_MAX = 6;

/** Maximum number of tokens in a greeting before the noun for the speaker. */
const GREETING_MAX = 6;
/** A clause about the speaker with a place. */
interface SpeakerPlace {
  readonly clause: Words;
  readonly place: Words;
}

/** Marks every clause about the speaker as read. Returns those clauses that contain a place. */
export function claimSpeaker(context: SpeakerContext): readonly SpeakerPlace[] {
  const { sentence, notes } = context;
  const placed: SpeakerPlace[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    // Fast path: most words begin no clause, and a long text has hundreds of words.
    if (at > GREETING_MAX && !FIRSTS.has(sentence.folded(at))) continue;
    const clause = isStart(sentence, at) ? clauseAt(context, at) : purposeAt(context, at);
    if (clause === null || clause.to <= clause.from) continue;
    const { from, object, to } = clause;
    const isFrom = isWith(sentence, to) && BUYING.has(sentence.folded(object - 1));
    sentence.claim(from, object, "filler");
    let meant: readonly [number, number] | null = null;
    if (object < to && !isGeneric(sentence, object, to)) {
      const { code, ...detail } = OWN_OFFER;
      const at = placeIn(context, object, to);
      const named = at < 0 ? null : context.gazetteer.places.longest(sentence.tokens, at);
      const end = named?.to ?? at;
      // A speaker abroad seeks no companies abroad.
      if (named !== null && end > at && !named.place.abroad) {
        if (claimThere(context, to)) meant = [at - 1, end];
        else placed.push({ clause: sentence.words(from, to), place: sentence.words(at, end) });
      }
      const last = meant === null ? to : meant[0];
      if (last > object) {
        notes.addUnmapped(code, detail, sentence.claim(object, last, "unmapped"));
      }
    }
    for (const [begin, end] of around(meant, from, to)) {
      sentence.claim(begin, end, "filler");
      sentence.name(begin, end);
    }
    // Also marks the preposition before the customers as read: "para" in "vendo X para padarias".
    if (FOR.has(sentence.folded(to)) || isTo(context, to) || isFrom) {
      sentence.claim(to, to + 1, "filler");
      sentence.name(to, to + 1);
    }
    at = to - 1;
    // Also marks the verb between the speaker and the request as read: "procura" in "gráfica
    // procura …".
    if (!REQUEST_VERBS.has(sentence.folded(to))) continue;
    sentence.claim(to, to + 1, "filler");
  }
  return placed;
}

/**
 * All words that may begin a clause anywhere in the text. At its beginning, other words may too.
 */
const FIRSTS: ReadonlySet<string> = new Set([
  ...[...SELLING, ...SELLS, ...SELLING_NOW, ...TO_SELL, ...BEING, ...WHERE, ...OWN, ...PRONOUNS],
  ...["trabalho", "vende", "vendem", "a", "soy", "am", "m", "are", "re", "estou", "estamos"],
  ...["tenho", "temos", "possuo", "possuimos", "tengo", "tenemos", "have", "as", "como", "falo"],
  ...["me", "os", "aqui", "para", "pra", "for", "to", ...STARTING_LEADS, ...BUYS_LED],
  ...PLANNING_LEADS,
  ...["isso", "isto", "e", "eh", "es", "it", "this", "buying", "purchasing", "sourcing"],
]);

/** True at the beginning of a sentence, or after punctuation, a line break, or a dash. */
function isStart(sentence: Sentence, at: number): boolean {
  if (sentence.tokens[at]?.kind !== "word") return false;
  const before = sentence.tokens[at - 1];
  return before === undefined || before.kind === "mark" || breaksBefore(sentence, at)
    ? true
    : JOINS.has(before.folded) || PRONOUNS.has(before.folded) || isGreeting(before.folded);
}

function isGreeting(word: string): boolean {
  return /^(oi|ola|hello|hi|hey|hola|dia|tarde|noite|pessoal|trabalho)$/.test(word);
}

function clauseAt(context: SpeakerContext, at: number): SpokenClause | null {
  return (
    jobSoughtAt(context.sentence, at, REQUESTS) ??
    offerAt(context, at) ??
    purchaseAt(context, at) ??
    intentAt(context, at) ??
    asideAt(context, at) ??
    planAt(context, at) ??
    selfAt(context, at) ??
    subjectAt(context, at) ??
    signatureAt(context, at) ??
    workAt(context, at) ??
    purposeAt(context, at) ??
    contextAt(context, at)
  );
}

/** Maximum number of words before a colon that say why a list is needed: "setor de alvará:". */
const CONTEXT_MAX = 6;
/**
 * Reads words before a colon that only give the context of a request: "setor de alvará: empresas
 * …", "Credit analyst here: …".
 */
function contextAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence, gazetteer, tradeEnd } = context;
  // "sem os que já baixei: padarias em Recife" begins with a condition, not a context.
  if (at > 0 || isNegatorWord(sentence.folded(0))) return null;
  const told = toldBefore(context) ?? topicBefore(context) ?? ownUse(context);
  if (told !== null) return told;
  let to = 0;
  let isNamed = false;
  for (; to < CONTEXT_MAX && sentence.tokens[to]?.kind === "word"; to++) {
    const isPlace = gazetteer.places.longest(sentence.tokens, to) !== null;
    if (isPlace || tradeEnd(to) > to || beginsRequest(sentence, to)) return null;
    isNamed ||= !isFillerWord(sentence.tokens[to] as Token);
  }
  if (!isNamed || to < 2 || sentence.tokens[to]?.text !== ":") return null;
  if (HERE.has(sentence.folded(to - 1))) return { from: 0, object: 0, to };
  const isRequest = hasTrade(context, to + 1) || CUSTOMERS.has(sentence.folded(to + 1));
  return isRequest ? { from: 0, object: 0, to } : null;
}

/** Words by which a person tells about plans or about themselves. */
const TELLING = wordSet(
  `to tou estou estamos sou somos i we soy somos estoy ${[...OWN].join(" ")}`,
);

/**
 * Reads a statement before a colon if a request in the first person follows the colon: "tô montando
 * uma carteira pra minha empresa de software: preciso de …".
 */
function toldBefore(context: SpeakerContext): SpokenClause | null {
  const { sentence } = context;
  const colon = sentence.tokens.findIndex(({ text }, at) => at < CLAUSE_MAX && text === ":");
  if (colon < 2 || !REQUESTS.has(sentence.folded(colon + 1)) || !hasTrade(context, colon + 2)) {
    return null;
  }
  const own = sentence.tokens.slice(0, colon).findIndex(({ folded }) => TELLING.has(folded));
  return own < 0 ? null : { from: 0, object: own, to: colon };
}

/** Reads an offer in the first person: "vendo X", "I sell X", "a gente vende X". */
function offerAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  const wordAt = (index: number) => sentence.folded(index);
  // "ya que los distribuyo" states a reason.
  const isReason = wordAt(at - 1) === "que" && /^(?:ja|ya|porque|pois)$/.test(wordAt(at - 2));
  if (NOT_SELF.has(wordAt(at - 1)) && !isReason) return null;
  let verb = -1;
  if (SELLING.has(wordAt(at))) verb = at;
  // "los distribuyo en Mendoza"
  else if (/^[ao]s$/.test(wordAt(at)) && SELLING.has(wordAt(at + 1))) verb = at + 1;
  else if (wordAt(at) === "trabalho" && SELLING_NOW.has(wordAt(at + 1))) verb = at + 1;
  else if (SELLING_NOW.has(wordAt(at)) && at === 0) verb = at;
  else if (/^vende[mn]?$/.test(wordAt(at)) && wordAt(at + 1) === "se") verb = at + 1;
  else if (wordAt(at) === "a" && wordAt(at + 1) === "gente" && SELLS.has(wordAt(at + 2)))
    verb = at + 2;
  else if (BUYING_NOW.test(wordAt(at)) && sentence.tokens[at - 1]?.text === ",") {
    // "bakeries in Recife, buying flour for a shop"
    if (hasTradeIn(context, at - CLAUSE_MAX, at)) verb = at;
  } else if (/^(i|we)$/.test(wordAt(at)) && SELLS.has(wordAt(at + 1))) verb = at + 1;
  else if (/^(i|we)$/.test(wordAt(at - 1)) && SELLS.has(wordAt(at))) verb = at;
  if (verb < 0) return null;
  const object = firstOf(sentence, verb + 1);
  const end = endOf(sentence, object);
  // If the request comes first, the offer ends at the end of the sentence: "padarias em Natal,
  // vendo farinha".
  const isBehind = at > 0 && hasTradeIn(context, at - CLAUSE_MAX, at);
  if (isBehind && end > object && requestIn(sentence, object, end) < 0 && !isOpen(sentence, end)) {
    return { from: at, object, to: end };
  }
  const to = offerEnd(context, object);
  if (to !== null) return { from: at, object, to };
  return isBehind && end > object ? { from: at, object, to: end } : null;
}

/** True if a request may follow a mark. */
function isOpen(sentence: Sentence, mark: number): boolean {
  return sentence.tokens.slice(mark).some(({ kind }) => kind === "word");
}

/**
 * Reads goods that the speaker wants to buy, because only their suppliers are requested: "preciso
 * cotar uniformes com confecções".
 */
function purchaseAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!BUYS_LED.has(sentence.folded(at)) || !BUYING.has(sentence.folded(at + 1))) return null;
  const object = at + 2;
  for (let to = object + 1; to <= object + BOUGHT_MAX; to++) {
    const { kind, text } = sentence.tokens[to] ?? {};
    // "quero comprar em quantidade, atacadistas de tecidos"
    const isEmpty = text === "," && !hasTradeIn(context, object, to);
    if (isEmpty && hasTrade(context, to + 1)) return { from: at, object, to };
    if (kind !== "word") break;
    if (isWith(sentence, to) && context.tradeEnd(to + 1) > to + 1) return { from: at, object, to };
  }
  // "curtumes em Franca, quero comprar couro"
  const isBehind =
    sentence.tokens[at - 1]?.kind === "mark" && hasTradeIn(context, at - CLAUSE_MAX, at);
  const to = isBehind ? purposeEnd(context, object) : object;
  return to > object ? { from: at, object, to } : null;
}

function isWith(sentence: Sentence, at: number): boolean {
  return /^(com|from|con)$/.test(sentence.folded(at));
}

/** Reads a statement about the speaker: "sou dentista", "moro em X", "tenho uma padaria". */
function selfAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence, gazetteer, tradeEnd } = context;
  const [word, next] = [sentence.folded(at), sentence.folded(at + 1)];
  if (NOT_SELF.has(sentence.folded(at - 1))) return null;
  let object = -1;
  if (BEING.has(word) || (word === "soy" && context.spanish)) object = at + 1;
  else if (/^(am|m)$/.test(next) && word === "i") object = at + 2;
  else if (/^(are|re)$/.test(next) && word === "we") object = at + 2;
  else if (/^(am|m|are|re)$/.test(word) && /^(i|we)$/.test(sentence.folded(at - 1)))
    object = at + 1;
  else if (WHERE.has(word) && (IN.has(next) || WORKING.has(next))) object = at + 1;
  else if (STARTING_LEADS.has(word) && STARTING.has(next)) object = at + 1;
  else if (/^(estou|estamos)$/.test(word) && IN.has(next)) {
    if (gazetteer.places.longest(sentence.tokens, at + 2) !== null) object = at + 1;
  } else if (/^(tenho|temos|possuo|possuimos|tengo|tenemos|have)$/.test(word)) {
    const owned = firstOf(sentence, at + 1);
    if (owned > at + 1 && tradeEnd(owned) > owned) object = owned;
  } else if (word === "falo" && /^(de|da|do|pela|pelo)$/.test(next)) object = at + 1;
  else if (word === "me" && next === "chamo") object = at + 2;
  else if (word === "aqui" && /é/iu.test(sentence.tokens[at + 1]?.text ?? "")) object = at + 2;
  else if (OWN.has(word) && /^(nome|name|nombre)$/.test(next)) {
    if (/^(é|e|is|es)$/i.test(sentence.tokens[at + 2]?.text ?? "")) object = at + 3;
  } else if (word === "as" && /^an?$/.test(next)) {
    if (isPerson(context, at + 2)) object = at + 2;
  } else if (word === "como" && isPerson(context, at + 1)) object = at + 1;
  if (object < 0 || SOUGHT_NOW.has(sentence.folded(object))) return null;
  // "we are interested in" and "estou procurando" do not describe the speaker.
  if (word !== "as" && /^(looking|after|interested)$/.test(sentence.folded(object))) return null;
  while (object < at + 5 && (ARTICLES.has(sentence.folded(object)) || isCompany(sentence, object)))
    object++;
  const to = selfEnd(context, object);
  return to <= object ? null : { from: at, object, to };
}

function isCompany(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return OF_COMPANY.has(word) && !/^(de|do|da|of)$/.test(sentence.folded(at + 1)) && word !== "of";
}

function isPerson({ sentence, tradeEnd }: SpeakerContext, at: number): boolean {
  return PERSONS.has(sentence.folded(at)) || (tradeEnd(at) > at && endOf(sentence, at) > at + 1);
}

/**
 * Reads a sentence whose subject belongs to the speaker: "minha empresa fica em Recife", "nossa
 * loja vende tintas", "our office is in Curitiba".
 */
function subjectAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!OWN.has(sentence.folded(at))) return null;
  for (let verb = at + 2; verb < at + 7; verb++) {
    const word = sentence.folded(verb);
    if (REQUESTS.has(word) || REQUEST_VERBS.has(word)) return requestOfOwn(context, at, verb);
    if (word === "") return null;
    const isBeing = BE.has(word) || /é/iu.test(sentence.tokens[verb]?.text ?? "");
    const next = sentence.folded(verb + 1);
    const isThere = isBeing && (IN.has(next) || /^(localizad|situad|sediad|ubicad)/.test(next));
    const isSeat = word === "tem" && next === "sede";
    if (!isThere && !isSeat && !SELLS.has(word)) continue;
    const to = SELLS.has(word)
      ? offerEnd(context, firstOf(sentence, verb + 1))
      : selfEnd(context, verb + 1);
    return to === null ? null : { from: at, object: at, to };
  }
  return null;
}

/** Reads a noun for the speaker at the beginning: "gráfica em Santos procura …". */
function signatureAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence, tradeEnd, gazetteer } = context;
  if (at > GREETING_MAX || !isGreeted(sentence, at)) return null;
  const object = firstOf(sentence, at);
  const isNamed = PERSONS.has(sentence.folded(object));
  let end = Math.max(tradeEnd(object), isNamed ? object + 1 : object);
  if (end === object || sentence.folded(object).endsWith("s")) return null;
  if (isNamed && /^(comercial|autonom[oa]|de)$/.test(sentence.folded(end))) {
    end = sentence.folded(end) === "de" ? end + 2 : end + 1;
  }
  const next = sentence.folded(end);
  if (HERE.has(next) && sentence.tokens[end + 1]?.kind === "mark") {
    return { from: at, object, to: end + 1 };
  }
  if (sentence.tokens[end]?.text === ":") {
    return isNamed && hasTrade(context, end + 1) ? { from: at, object, to: end } : null;
  }
  // Skips places of the speaker before the verb: "prefeitura do interior de Pernambuco procura".
  for (let hops = 0; hops < 2 && IN.has(sentence.folded(end)); hops++) {
    const place = gazetteer.places.longest(sentence.tokens, end + 1);
    if (place !== null) end = place.to;
    else if (LONE_PARTS.has(sentence.folded(end + 1))) end += 2;
  }
  if (sentence.folded(end) === "is") end++;
  const requests =
    REQUEST_VERBS.has(sentence.folded(end)) && sentence.tokens[end + 1]?.kind !== "mark";
  return requests && hasTrade(context, end + 1) ? { from: at, object, to: end } : null;
}

/** Reads "our company in Portugal is looking for": the place is the speaker's. */
function requestOfOwn(context: SpeakerContext, at: number, verb: number): SpokenClause | null {
  const { sentence } = context;
  const to = /^(?:is|are|esta|estamos)$/.test(sentence.folded(verb - 1)) ? verb - 1 : verb;
  const isPlaced = IN.has(sentence.folded(at + 2)) && to > at + 3;
  return isPlaced && hasTrade(context, verb + 1) ? { from: at, object: at, to } : null;
}

function isGreeted(sentence: Sentence, at: number): boolean {
  return sentence.tokens.slice(0, at).every(({ kind, folded }) => {
    return kind === "mark" || isGreeting(folded) || /^(boa|bom|buenos|buenas|dias)$/.test(folded);
  });
}

/** Reads a purpose of selling in any position: "para vender X", "quero oferecer X para Y". */
function purposeAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!TO_SELL.has(sentence.folded(at))) {
    // A reason for needing the list may also follow the request: "sucatas em Caxias pra vistoria da
    // secretaria".
    const object = reasonAfter(sentence, at);
    const isBehind = object > at && hasTradeIn(context, at - CLAUSE_MAX, at);
    if (isBehind) return { from: at, object, to: purposeEnd(context, object) };
    return supplyAt(context, at);
  }
  let from = at;
  if (/^(eu|nos|de|a)$/.test(sentence.folded(from - 1))) from--;
  const isLed = WISHING.has(sentence.folded(from - 1));
  const isFirst = isStart(sentence, at) && !/^(i|we)$/.test(sentence.folded(at - 1));
  if (!isLed && !isFirst) return null;
  if (/^(autorizad|habilitad)/.test(sentence.folded(from - 2))) return null;
  const begin = isLed ? from - 1 : at;
  const object = firstOf(sentence, at + 1);
  const isBehind = hasTradeIn(context, begin - CLAUSE_MAX, begin);
  const end = isBehind ? purposeEnd(context, object) : offerEnd(context, object);
  const to = end ?? purposeEnd(context, object);
  // "quero vender para hotéis" names no goods, so the clause ends after the verb.
  return to <= object ? { from: begin, object: at + 1, to: at + 1 } : { from: begin, object, to };
}

/** Reads what the speaker does with the goods, after the request: "pra abastecer barcos". */
function supplyAt(context: SpeakerContext, at: number): SpokenClause | null {
  const { sentence } = context;
  if (!FOR.has(sentence.folded(at)) || !SUPPLYING.has(sentence.folded(at + 1))) return null;
  if (!hasTradeIn(context, at - CLAUSE_MAX, at)) return null;
  return { from: at, object: at + 1, to: purposeEnd(context, at + 2) };
}

/**
 * Returns the end of a clause of purpose, such as "para vender X". The clause ends before
 * punctuation, before named customers ("para padarias"), or before a condition on the companies
 * ("com telefone").
 */
function purposeEnd(context: SpeakerContext, object: number): number {
  const { sentence } = context;
  let to = object;
  while (to < sentence.tokens.length && to < object + CLAUSE_MAX) {
    if (sentence.tokens[to]?.kind === "mark" || PURPOSE_END.has(sentence.folded(to))) break;
    if (FOR.has(sentence.folded(to)) && to > object && isCustomer(context, to + 1)) break;
    to++;
  }
  return to;
}

/** Returns the end of an offer such as "vendo X", or null if it is unclear. */
function offerEnd(context: SpeakerContext, object: number): number | null {
  const { sentence } = context;
  const end = endOf(sentence, object);
  // A colon ends the offer: "represento repuestos para maquinaria agrícola: fabricantes de …".
  if (/^[:.]$/.test(sentence.tokens[end]?.text ?? "") && hasTrade(context, end + 1)) return end;
  const request = requestIn(sentence, object, end);
  const comma = commaIn(sentence, object, end);
  const customer = customerIn(context, object, end);
  if (request >= 0 && hasTrade(context, request)) return trimmed(sentence, object, request);
  if (customer >= 0) return customer;
  if (request >= 0) return trimmed(sentence, object, request);
  // In "vendo X, padarias em Campinas; com telefone", the request begins at the comma, because a
  // place follows it.
  const goesOn = end < sentence.tokens.length;
  if (goesOn && (comma < 0 || !hasPlace(context, comma, end))) return end;
  if (comma >= 0) return comma;
  const purpose = forIn(sentence, object, end);
  return purpose >= 0 ? purpose : null;
}

/**
 * Returns the end of a statement about who the speaker is: the beginning of a request, or else the
 * punctuation that ends it.
 */
function selfEnd({ sentence }: SpeakerContext, object: number): number {
  const end = endOf(sentence, object);
  const request = requestIn(sentence, object, end);
  if (request >= 0) return trimmed(sentence, object, request);
  const comma = commaIn(sentence, object, end);
  return comma >= 0 ? comma : end;
}

function commaIn({ tokens }: Sentence, from: number, end: number): number {
  for (let at = from; at < end; at++) if (tokens[at]?.text === ",") return at;
  return -1;
}

function forIn(sentence: Sentence, from: number, end: number): number {
  for (let at = from + 1; at + 1 < end; at++) if (FOR.has(sentence.folded(at))) return at;
  return -1;
}

/**
 * Returns the position of the preposition before the customers of an offer, or -1 if there is none.
 */
function customerIn(context: SpeakerContext, from: number, end: number): number {
  for (let at = from; at + 1 < end; at++) {
    const isLead = FOR.has(context.sentence.folded(at)) || isTo(context, at);
    if (isLead && isCustomer(context, at + 1)) return at;
  }
  return -1;
}

/** "ofereço seguros a transportadoras" */
function isTo({ sentence, tradeEnd }: SpeakerContext, at: number): boolean {
  if (!/^(a|as|ao|aos)$/.test(sentence.folded(at))) return false;
  return sentence.folded(at + 1).endsWith("s") && tradeEnd(at + 1) > at + 1;
}

function isCustomer({ sentence, tradeEnd }: SpeakerContext, from: number): boolean {
  let at = from;
  while (ARTICLES.has(sentence.folded(at))) at++;
  return CUSTOMERS.has(sentence.folded(at)) || tradeEnd(at) > at;
}

/** Adds a doubt that the place in a clause about the speaker may be that of the search. */
export function doubtSpeakerPlace(notes: Notes, [first]: readonly SpeakerPlace[]): void {
  if (first === undefined) return;
  const { clause, place } = first;
  notes.doubt(
    "own_place",
    {
      pt: `${place.words} é onde você está, e a busca não tem lugar: buscar em ${place.words}?`,
      en: `${place.words} is where you are, and the search has no place: search ${place.words}?`,
    },
    clause,
    { pt: `em ${place.words}`, en: `in ${place.words}`, es: `en ${place.words}` },
  );
}

function hasPlace(context: SpeakerContext, from: number, to: number): boolean {
  return placeIn(context, from, to) >= 0;
}

/** Returns the position of the first place between two tokens, or -1. */
function placeIn(context: SpeakerContext, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isPlace(context, at)) return at;
  return -1;
}

function isPlace({ sentence, gazetteer }: SpeakerContext, at: number): boolean {
  if (!IN.has(sentence.folded(at - 1))) return false;
  return gazetteer.places.longest(sentence.tokens, at) !== null;
}

/** True for general words such as "nossos produtos", which do not say which goods. */
function isGeneric(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const word = sentence.folded(at);
    if (!OWN_ALL.has(word) && !GENERIC.has(word) && !ARTICLES.has(word)) return false;
  }
  return true;
}
