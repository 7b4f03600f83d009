/**
 * Decides if a name means a place.
 * Input: a name of the gazetteer in a sentence. Output: true if it means the place here, false if
 * it means a trade, goods, or an ordinary word.
 * Invariant: a preposition of place is the strongest evidence. A capital letter counts only without
 * such a preposition.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { ROLES_BEFORE } from "../activities/roles.ts";
import { isFillerWord } from "../fillers.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import { beginsRequest } from "../items.ts";
import { negatorOf } from "../negation.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, type Token } from "../words/tokens.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import type { PlaceMatch } from "./placenames.ts";
import {
  DEALING,
  FESTIVE,
  isOf,
  type Lead,
  ORDINARY,
  ORDINARY_PAIRS,
  STYLED,
} from "./placewords.ts";
import { NOT_REGION } from "./states.ts";

/**
 * Minimum share of all accounts of a well-known city. The name of such a city needs no preposition.
 */
const WELL_KNOWN = 0.004;
/** Maximum number of words of a trade name before the name of a place that it overlaps. */
const TRADE_WORDS_MAX = 5;

interface Around {
  readonly lead: Lead;
  /** The previous mention. */
  readonly last: Mention | undefined;
  /** The first mention in the list that ends with `last`. */
  readonly head?: Mention | undefined;
}

/** True if a matched name means a place. */
export function isMeant(context: PlaceContext, match: PlaceMatch, around: Around): boolean {
  const { place, from } = match;
  const { sentence } = context;
  const { lead } = around;
  // "para" is the preposition here. An earlier stage replaced it where it means the state of Pará.
  if (sentence.folded(from) === "para" && match.words === 1) return false;
  if (sentence.folded(from) === "uniao" && isTreasury(sentence, lead.from)) return false;
  if (lead.city || lead.cities) return !place.here;
  const nextToState = isStateAfter(sentence, match) || isStateNextTo(sentence, match);
  const before = around.last !== undefined && isStateBefore(match, around.last);
  if (isMonth(sentence, match, lead) && !nextToState && !before) return false;
  if (lead.state || lead.states) return !place.here;
  if (place.here) return isHere(context, match, lead);
  if (place.abroad && place.cities.length + place.states.length === 0) {
    const far = ["abroad", "overseas"].includes(sentence.folded(from));
    return far || lead.kind === "in" || (lead.kind === "of" && isGeneral(sentence, lead.from));
  }
  if (place.region) return isRegion(sentence, match, around);
  const ordinary = match.words === 1 && ORDINARY.has(sentence.folded(from));
  if (place.states.length > 0 && !ordinary) {
    return lead.kind === "in" || !isInTrade(context, match);
  }
  if (place.cities.length + place.nicknamed.length === 0) {
    return place.states.length > 0 && isNamed(context, match, around);
  }
  const isTown = nextToState || before || isNextTown(sentence, match, around.last);
  if (isOnlyAdjective(sentence, match, lead) && !isTown) return false;
  return isCity(context, match, around);
}

/** True if "União" before means the federal treasury: "com dívida na União", not the town. */
function isTreasury(sentence: Sentence, at: number): boolean {
  const owed = /^(?:dividas?|debitos?|ativa|pendencias?|devendo|devem|deve|impostos?|tributos?)$/;
  return owed.test(sentence.folded(at - 1)) || owed.test(sentence.folded(at - 2));
}

/** True if a name describes a style, not a place: "comida mineira", "queijo minas". */
export function isStyle(context: PlaceContext, match: PlaceMatch): boolean {
  const { sentence } = context;
  if (STYLED.has(sentence.folded(match.from - 1))) return true;
  return isInTrade(context, match) || context.tradeEnd(match.from) >= match.to;
}

/** True if an ambiguous name means the state. True for "em minas", false for "queijo minas". */
function isNamed(context: PlaceContext, match: PlaceMatch, { lead, last }: Around): boolean {
  const { sentence } = context;
  const { from } = match;
  // "padarias de Minas" names the state, although mines are a trade. "queijo de minas" names a kind
  // of cheese.
  const before = sentence.folded(lead.from - 1);
  const of = lead.kind === "of" && !STYLED.has(before) && !/^(engenh|tecnic|geolog)/.test(before);
  const isLed = negatorOf(sentence, lead.from) >= 0 || isAfterTrade(context, lead.from);
  if (of && isLed && !isInTrade(context, match)) return true;
  if (isAmongPlaces(context, match, last)) return true;
  if (isStyle(context, match) && lead.kind !== "in") return false;
  if (lead.kind === "in" || isCapitalised(sentence, from)) return true;
  if (negatorOf(sentence, lead.from) >= 0 && isListedAhead(context, match)) return true;
  return isListed(sentence, from, last);
}

/** True for a name in a list of places: "Minas e Goiás", not "Goiás: minas de ouro". */
function isAmongPlaces(context: PlaceContext, match: PlaceMatch, last?: Mention): boolean {
  const { sentence } = context;
  const { from, to } = match;
  if (isOf(sentence.folded(to)) || STYLED.has(sentence.folded(from - 1))) return false;
  if (isInTrade(context, match)) return false;
  if (isListedAhead(context, match)) return from > 0;
  const joins = /^(e|y|ou|o|and|or)$/.test(sentence.folded(to));
  if (isListed(sentence, from, last) && !joins) return true;
  return isCapitalised(sentence, from) && negatorOf(sentence, from) >= 0;
}

/** True if a state follows in the same list: "menos acre, roraima". */
function isListedAhead({ sentence, gazetteer }: PlaceContext, { to }: PlaceMatch): boolean {
  const mark = sentence.tokens[to]?.text ?? "";
  if (mark !== "," && !/^(e|y|ou|o|and|or)$/.test(sentence.folded(to))) return false;
  const next = gazetteer.places.longest(sentence.tokens, to + 1);
  return next !== null && next.place.states.length > 0;
}

/**
 * True if the name means the month of March ("março"). Without its cedilla, the word is the month
 * if a year is next to it or if no preposition of place precedes it.
 */
function isMonth(sentence: Sentence, { from, words }: PlaceMatch, lead: Lead): boolean {
  if (words !== 1 || sentence.folded(from) !== "marco") return false;
  const text = sentence.tokens[from]?.text ?? "";
  const next = ["de", "do", "/"].includes(sentence.tokens[from + 1]?.folded ?? "") ? 2 : 1;
  const dated = sentence.tokens[from + next]?.kind === "number" || /^(mes|ano)$/.test(lead.word);
  return /ç/iu.test(text.normalize("NFC")) || dated || lead.kind !== "in";
}

function isHere({ tradeEnd, sentence }: PlaceContext, match: PlaceMatch, lead: Lead): boolean {
  if (tradeEnd(match.from) >= match.to) return false;
  if (sentence.folded(match.from) !== "pais") return true;
  const text = sentence.tokens[match.from]?.text ?? "";
  return /í/iu.test(text.normalize("NFC")) || ["no", "do"].includes(lead.word);
}

function isGeneral(sentence: Sentence, at: number): boolean {
  return /^(empresas?|companhias?|negocios?|companies|company)$/.test(sentence.folded(at - 1));
}

/** True if a direction means a region of Brazil: "Sul e Sudeste". False for "zona sul". */
function isRegion(sentence: Sentence, { from, to }: PlaceMatch, { lead }: Around): boolean {
  const before = sentence.folded(from - 1);
  if (NOT_REGION.has(before) || sentence.owner(from - 1) === "unmapped") return false;
  const english = /^(north|south|mid|central)/.test(sentence.folded(from));
  if (english && !/^nort?e?$/.test(sentence.folded(from))) {
    const isNear = before === "the" || before === "and" || /ern$|west$/.test(before);
    return lead.kind !== "" || isNear || isOfBrazil(sentence, from, to);
  }
  return true;
}

/** True for "Northeast Brazil", "north of Brazil", "Brazil's South", and "southeast region". */
function isOfBrazil(sentence: Sentence, from: number, to: number): boolean {
  const of = sentence.folded(to) === "of" ? to + 1 : to;
  const isNamed = /^bra[sz]il$/.test(sentence.folded(of)) || sentence.folded(to) === "region";
  return isNamed || /^(?:s|brazilian)$/.test(sentence.folded(from - 1));
}

/**
 * True for names that are also adjectives, such as "paulista". They mean the city only after "em",
 * or capitalized after "de", as in "de Paulista".
 */
function isOnlyAdjective(sentence: Sentence, { place, from }: PlaceMatch, { kind }: Lead): boolean {
  const adjective = place.demonymStates.length + place.demonymCities.length > 0;
  return adjective && kind !== "in" && (kind !== "of" || !isCapitalised(sentence, from));
}

function isCity(context: PlaceContext, match: PlaceMatch, around: Around): boolean {
  const { lead, last } = around;
  const { sentence } = context;
  const { from, to } = match;
  const lower = !isCapitalised(sentence, from);
  if (isStateAfter(sentence, match)) return true;
  if (isStateNextTo(sentence, match) && !belongsToTrade(context, match)) return true;
  if (last !== undefined && isStateBefore(match, last)) return true;
  if (lead.kind !== "in" && isSpelledOtherwise(sentence, match)) return false;
  if (lower && isInTrade(context, match)) return false;
  const trade = context.tradeEnd(from) >= to;
  const ordinary = isOrdinary(sentence, match) && !isRio(sentence, match, around);
  const word = trade || ordinary;
  if (lead.kind === "in") {
    const vague = /^n[oa]s?$/.test(lead.word) && lower && word;
    const dealing = lower && word && DEALING.has(sentence.folded(lead.from - 1));
    return !vague && !dealing;
  }
  if (lead.kind === "of") {
    if (trade) {
      return !lower && (isAfterTrade(context, lead.from) || isAfterFilter(context, lead.from));
    }
    if (sentence.folded(from) === "natal" && match.words === 1) return !isFestive(sentence, lead);
    if (!(ordinary && lower)) return true;
    // Example of a text without capitals: "oficinas mecânicas de contagem".
    return isLowered(sentence) && isAfterTrade(context, lead.from);
  }
  if (isListed(sentence, from, last)) {
    // In "em gramado e canela", lower case is enough for the second city, because the first is in
    // lower case too. Without a preposition, both must lie in one state: "vila velha e serra".
    const led = [last, around.head].some((one) => one?.lead.kind || one?.negated);
    const even = last !== undefined && last.cities.length > 0 && !isCapitalised(sentence, last.at);
    const isOwn = !isOf(sentence.folded(to)) || isOfOwnState(context, match);
    const alike = even && isOwn && (led || isNextTown(sentence, match, last));
    const ends = to >= sentence.tokens.length || beginsRequest(sentence, to);
    return !(lower && word) || alike || (even && !trade && ends);
  }
  if (sentence.folded(from) === "natal" && match.words === 1) {
    return !trade && !FESTIVE.has(sentence.folded(from - 1));
  }
  if (word) return isLargeAfterTrade(context, match) || isBeforeTowns(context, match);
  // A nickname directly after a trade means the city: "estúdio de tatuagem sjc".
  if (match.place.nicknamed.length > 0 && isAfterTrade(context, from)) return true;
  const known = isKnown(context, match);
  return (
    known ||
    (!isSaint(sentence, match) && (match.words > 1 || to - from > 1 || isLong(sentence, from)))
  );
}

/**
 * True if a name continues a list of towns and has a town in the state of the previous one: "em rio
 * verde, jatai e mineiros".
 */
function isNextTown(sentence: Sentence, { from, place }: PlaceMatch, last?: Mention): boolean {
  if (last === undefined || last.states.length > 0 || !isListed(sentence, from, last)) return false;
  return place.cities.some(({ uf }) => last.cities.some((city) => city.uf === uf));
}

/** True if a state with a city of that name follows "de": "juazeiro da bahia". */
function isOfOwnState({ sentence, gazetteer }: PlaceContext, { to, place }: PlaceMatch): boolean {
  const states = gazetteer.places.longest(sentence.tokens, to + 1)?.place.states ?? [];
  return place.cities.some(({ uf }) => states.includes(uf));
}

/**
 * True if a town of the same state follows in the list: "imobiliárias torres, capão da canoa",
 * "padarias, barreiras e irecê". With capitals, the state may differ: "calçados, Franca e Birigui".
 */
function isBeforeTowns(context: PlaceContext, { from, to, place }: PlaceMatch): boolean {
  const { sentence, gazetteer } = context;
  const joint = sentence.tokens[to]?.text ?? "";
  if (!/^(,|e|y|ou|o|and|or|&)$/i.test(joint)) return false;
  const alone = from === 0 || sentence.tokens[from - 1]?.text === ",";
  if (!alone && !isAfterTrade(context, from)) return false;
  const match = gazetteer.places.longest(sentence.tokens, to + 1);
  const next = match?.place.cities ?? [];
  if (place.cities.some(({ uf }) => next.some((city) => city.uf === uf))) return true;
  return alone && next.length > 0 && [from, to + 1].every((at) => isCapitalised(sentence, at));
}

/** True if the accents rule out the name of the place: "frota própria" does not name Propriá. */
function isSpelledOtherwise(sentence: Sentence, { from, to, place }: PlaceMatch): boolean {
  const text = sentence.words(from, to).words.normalize("NFC").toLowerCase();
  if (/^[\p{ASCII}\s]*$/u.test(text)) return false;
  // Many people write an accent on a final i or u that does not need one: "Caruarú", "Itú".
  const plain = (name: string) => name.replace(/í(?=s?$)/u, "i").replace(/ú(?=s?$)/u, "u");
  const letters = (name: string) => plain(name.toLowerCase().replace(/[^\p{L}]/gu, ""));
  if (place.nicknamed.length > 0) return false;
  const typed = text.split(/[^\p{L}]+/u);
  const isSpelled = (name: string) => {
    const parts = name.split(/[^\p{L}]+/u);
    // People write the accents of some words only: "sao gonçalo".
    const isWord = (part: string, i: number) =>
      letters(part) === letters(typed[i] ?? "") || foldWord(part.toLowerCase()) === typed[i];
    return parts.length === typed.length && parts.every(isWord);
  };
  return !place.cities.some(({ name }) => letters(name) === letters(text) || isSpelled(name));
}

/**
 * Returns the end of a longer, unknown name that begins with a known name: "Barra da Tijuca",
 * "Porto de Galinhas". Returns null if the following words do not belong to the name.
 */
export function longerEnd(context: PlaceContext, { to, from, words }: PlaceMatch): number | null {
  const { sentence, gazetteer, tradeEnd } = context;
  let at = to;
  while (isOf(sentence.folded(at)) && at < to + 2) at++;
  const word = sentence.folded(at);
  const unknown =
    at > to &&
    sentence.free(at) &&
    word.length >= 3 &&
    gazetteer.places.longest(sentence.tokens, at) === null &&
    !beginsRequest(sentence, at) &&
    STATE_NAMES[sentence.tokens[at]?.text ?? ""] === undefined;
  if (!unknown) return null;
  if (isCapitalised(sentence, at)) return at + 1;
  // In lower case, a longer name is read only if its first word is also an ordinary word and the
  // next word has no other meaning.
  const strange = tradeEnd(at) === at && !isFillerWord(sentence.tokens[at] as Token);
  return strange && words === 1 && ORDINARY.has(sentence.folded(from)) ? at + 1 : null;
}

/**
 * Minimum share of all accounts of a city whose name is read directly after a trade, even if the
 * name is also an ordinary word.
 */
const LARGE = 0.0005;
/** Names of places that also describe a style, as in "comida americana". */
const STYLES = new Set(["americana", "franca", "francesa", "italia"]);

/** True if a trade directly precedes the name of a large city: "barbearia bauru". */
function isLargeAfterTrade(context: PlaceContext, { place, from, to }: PlaceMatch): boolean {
  const { sentence, accounts } = context;
  if (isOf(sentence.folded(to)) || STYLES.has(sentence.folded(from))) return false;
  if (!place.cities.some((city) => city.accounts > accounts * LARGE)) return false;
  return isAfterTrade(context, from);
}

function isKnown({ accounts }: PlaceContext, { place }: PlaceMatch): boolean {
  const { cities, nicknamed } = place;
  return [...cities, ...nicknamed].some((c) => c.capital || c.accounts > accounts * WELL_KNOWN);
}

function isOrdinary(sentence: Sentence, { from, to, words }: PlaceMatch): boolean {
  if (words === 1) return ORDINARY.has(sentence.folded(from));
  if (words > 2) return false;
  const spelled = Array.from({ length: to - from }, (_, i) => sentence.folded(from + i));
  return ORDINARY_PAIRS.has(spelled.filter((word) => !isOf(word)).join(" "));
}

/** True if "rio" means the city: "no rio", "bh e rio". False for "de rio" (river). */
function isRio(sentence: Sentence, { from, words }: PlaceMatch, { lead, last }: Around): boolean {
  if (words !== 1 || sentence.folded(from) !== "rio") return false;
  if (lead.kind !== "") return lead.word !== "de" || isCapitalised(sentence, from);
  return isListed(sentence, from, last) || (from > 0 && isCapitalised(sentence, from));
}

function isFestive(sentence: Sentence, { from }: Lead): boolean {
  return FESTIVE.has(sentence.folded(from - 1));
}

/** True for the name of a saint, which is often part of a company's name: "padaria São José". */
function isSaint(sentence: Sentence, { from, words }: PlaceMatch): boolean {
  const saint = ["sao", "santo", "santa", "sta", "sto", "s", "nossa", "n"];
  return words <= 2 && saint.includes(sentence.folded(from));
}

/** True if a word is long enough to name a city. Shorter words need a capital letter. */
function isLong(sentence: Sentence, at: number): boolean {
  return sentence.folded(at).length >= 4 || (isCapitalised(sentence, at) && at > 0);
}

function isListed(sentence: Sentence, at: number, last: Mention | undefined): boolean {
  if (last === undefined || at - last.to > 3) return false;
  const gap = sentence.words(last.to, at).words.trim();
  // A closing bracket may precede the joining word: "Toledo (Paraná) y Concórdia".
  return /^\)?\s*[,;/]?\s*(e|y|ou|o|and|or|nem|ni|&)?$/i.test(gap);
}

/** True if the state of the city follows the name, as in `/SP`, `(SP)`, or ` SP`. */
function isStateAfter(sentence: Sentence, { to, place }: PlaceMatch): boolean {
  const mark = ["/", "(", ",", "–", "—"].includes(sentence.tokens[to]?.text ?? "");
  const text = sentence.tokens[mark ? to + 1 : to]?.text ?? "";
  const uf = text.toUpperCase();
  if (text.length !== 2 || STATE_NAMES[uf] === undefined) return false;
  const cities = [...place.cities, ...place.nicknamed];
  return (mark || text === uf) && cities.some((city) => city.uf === uf);
}

/** True if the letters of a state that has the city follow the name: "contagem mg". */
export function isStateNextTo(sentence: Sentence, { to, place }: PlaceMatch): boolean {
  const text = sentence.tokens[to]?.text ?? "";
  const uf = text.toUpperCase();
  if (text.length !== 2 || !sentence.free(to) || STATE_NAMES[uf] === undefined) return false;
  return [...place.cities, ...place.nicknamed].some((city) => city.uf === uf);
}

/** True if the state stands directly before its city: "mg contagem". */
function isStateBefore({ from, place }: PlaceMatch, { to, at, states, cities }: Mention): boolean {
  const letters = to === from && to === at + 1 && states.length === 1 && cities.length === 0;
  return letters && place.cities.some(({ uf }) => states.includes(uf));
}

/** True if the name is part of the goods of a trade, as "flores" is in "loja de flores pe". */
function belongsToTrade(context: PlaceContext, match: PlaceMatch): boolean {
  const { sentence } = context;
  if (isInTrade(context, match)) return true;
  const of = isOf(sentence.folded(match.from - 1));
  return of && context.tradeEnd(match.from) >= match.to && isRoleBefore(sentence, match.from - 1);
}

/** True if a word for the role of goods, such as "shop", ends directly before a token. */
function isRoleBefore(sentence: Sentence, at: number): boolean {
  for (let from = at - 1; from >= Math.max(0, at - TRADE_WORDS_MAX); from--) {
    if (ROLES_BEFORE.longest(sentence.tokens, from)?.to === at) return true;
  }
  return false;
}

/** True if a known trade name begins before this name and overlaps it. */
function isInTrade({ sentence, tradeEnd }: PlaceContext, { from }: PlaceMatch): boolean {
  for (let i = from - 1; i >= Math.max(0, from - TRADE_WORDS_MAX); i--) {
    if (!sentence.free(i) || sentence.tokens[i]?.kind !== "word") return false;
    if (tradeEnd(i) > from) return true;
  }
  return false;
}

/** True if a trade ends directly before a token: "hotéis de Gramado", not "loja de Flores". */
export function isAfterTrade({ sentence, tradeEnd }: PlaceContext, at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - TRADE_WORDS_MAX); i--) {
    if (!sentence.free(i)) return false;
    if (tradeEnd(i) === at) return true;
  }
  return false;
}

/** True for a text of several words without a capital letter. */
function isLowered({ text }: Sentence): boolean {
  return text === text.toLowerCase();
}

/** True if a condition or an order ends directly before a token: "os mais antigos de Bauru". */
function isAfterFilter({ sentence }: PlaceContext, at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - TRADE_WORDS_MAX); i--) {
    if (!sentence.free(i)) return false;
    if (FILTER_PHRASES.longest(sentence.tokens, i)?.to === at) return true;
  }
  return false;
}

/** True if the word has a capital letter and capitals mark names in this sentence. */
export function isCapitalised(sentence: Sentence, at: number): boolean {
  const text = sentence.tokens[at]?.text ?? "";
  return text !== text.toLowerCase() && casingOf(sentence).names;
}

/** True if the whole text is in capitals, so that capitals do not mark names. */
export function isShouted(sentence: Sentence): boolean {
  return casingOf(sentence).shouted;
}

interface Casing {
  readonly shouted: boolean;
  /** True if capitals mark names, because the text is neither all capitals nor title case. */
  readonly names: boolean;
}

const casings = new WeakMap<Sentence, Casing>();

function casingOf(sentence: Sentence): Casing {
  let casing = casings.get(sentence);
  if (casing === undefined) {
    const shouted = sentence.text === sentence.text.toUpperCase();
    const titled = /\s(De|Em|Da|Do|No|Na|In|Of)\s/.test(sentence.text);
    casing = { shouted, names: !shouted && !titled };
    casings.set(sentence, casing);
  }
  return casing;
}
