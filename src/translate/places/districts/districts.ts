/**
 * Finds districts (bairros) of cities.
 * Input: a sentence before its places are read, and the snapshot's districts. Output: the districts
 * named next to a city that has them, with the data of each city. Their words are marked as read.
 * Invariant: after "bairro", any name that the city has is accepted. Elsewhere, a name needs many
 * accounts and must not be a place or trade by itself. A name is accepted whole or not at all.
 * Names are looked up in a few cities next to them, so that the cost is linear in the text.
 */
import { STATE_NAMES } from "../../../spec/states.ts";
import { isFillerWord } from "../../fillers.ts";
import { beginsRequest, kindAt } from "../../items.ts";
import { negatorOf } from "../../negation.ts";
import { isNegatorWord } from "../../negators.ts";
import type { Sentence } from "../../words/sentence.ts";
import { isSpecialised, mentionOf, type PlaceContext } from "../mention.ts";
import type { City } from "../placenames.ts";
import { isCapitalised, isShouted } from "../placesigns.ts";
import { isIn, isMoney, isOf, leadOf } from "../placewords.ts";
import { CITY_PARTS, LONE_PARTS, PART_STARTS } from "../states.ts";
import type { KnownDistrict } from "./districtnames.ts";
import { enclosedNames, stateEnd } from "./enclosed.ts";

/** Words before a name that mark it as a district. */
const MARKS = new Set(
  (
    "bairro bairros distrito distritos neighbourhood neighbourhoods neighborhood neighborhoods " +
    "district districts"
  ).split(" "),
);
/** Matches words for a district that follow the name: "the Savassi district". */
const BEHIND = /^(neighbou?rhood|district)s?$/;
const JOINS = new Set("e ou and or".split(" "));
/** Words for the center of a city, which companies write as a district. */
const CENTRES = new Set(["centro", "downtown"]);
/** Words between a negator and a district: "que não sejam no centro". */
const LEADS_OUT = new Set(
  "que sejam seja estejam esteja fiquem fique ficam fica situadas localizadas are be".split(" "),
);
const NAME_MAX = 7;
const LIST_MAX = 12;
/** A name is looked up in at most this many cities on either side of it. */
const NEAR = 2;
/** A district is looked up in at most this many cities of the same name. */
const NAMESAKES_MAX = 8;
/** Minimum share of a city's accounts that a district without a marking word needs. */
const SHARE_MIN = 1 / 20_000;

/** The cities that a district may belong to, and their position in the sentence. */
interface CityAt {
  readonly from: number;
  readonly to: number;
  readonly cities: readonly City[];
  /**
   * True if the name is a state. `cities` then contains the largest cities of the state, and a
   * later step finds the city of the district.
   */
  readonly isState?: true;
}

/** A name in a list, and the district that it names in each city that has it. */
interface NameAt {
  readonly from: number;
  readonly to: number;
  readonly known: ReadonlyMap<string, KnownDistrict>;
}

/** Finds the districts of the cities in the sentence and marks their words as read. */
export function findDistricts(context: PlaceContext): void {
  if (context.districts.names.lacking) return;
  const cities = citiesOf(context);
  marked(context, cities);
  leftOut(context, cities);
  for (const city of cities) {
    enclosed(context, city) || before(context, city) || behind(context, city);
  }
  for (const state of statesOf(context)) before(context, state);
}

/** Returns the states of a sentence, each with its largest cities. */
function statesOf(context: PlaceContext): CityAt[] {
  const { sentence, gazetteer } = context;
  const found: CityAt[] = [];
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind !== "word" || !sentence.free(at)) continue;
    const match = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
    const { states = [], cities = [], nicknamed = [] } = match?.place ?? {};
    const [named, ...others] = cities.length + nicknamed.length > 0 ? [] : states;
    const uf = others.length > 0 ? undefined : (named ?? lettersAt(sentence, at));
    const to = named === undefined ? at + 1 : (match?.to ?? at + 1);
    if (uf !== undefined) {
      found.push({ from: at, to, cities: largestOf(context, uf), isState: true });
    }
    at = Math.max(to, match?.to ?? to) - 1;
  }
  return found;
}

/** Returns the state named by two capital letters, or by two letters after a comma. */
function lettersAt(sentence: Sentence, at: number): string | undefined {
  const { text = "", kind } = sentence.tokens[at] ?? {};
  const uf = text.toUpperCase();
  if (kind !== "word" || !Object.hasOwn(STATE_NAMES, uf)) return undefined;
  const isWritten = (text === uf && !isShouted(sentence)) || /^(?:sp|rj|mg|rs|sc|df)$/i.test(text);
  return isWritten || sentence.tokens[at - 1]?.text === "," ? uf : undefined;
}

/** Cached largest cities of each state, by gazetteer. */
const largest = new WeakMap<PlaceContext["gazetteer"], Map<string, readonly City[]>>();

function largestOf({ gazetteer }: PlaceContext, uf: string): readonly City[] {
  const byState = largest.get(gazetteer) ?? new Map<string, readonly City[]>();
  largest.set(gazetteer, byState);
  const known = byState.get(uf);
  if (known !== undefined) return known;
  const sorted = [...gazetteer.citiesOf(uf)].sort((a, b) => b.accounts - a.accounts);
  const cities = sorted.slice(0, NAMESAKES_MAX);
  byState.set(uf, cities);
  return cities;
}

/**
 * Reads districts in a list after a city: "Santos: Centro, Gonzaga", "Recife (Boa Viagem)". They
 * need not be known. If the city has no such district but a town of another state has the name,
 * later steps read the name.
 */
function enclosed(context: PlaceContext, city: CityAt): boolean {
  if (!context.sentence.free(city.from)) return false;
  let isFound = false;
  for (const { from, to, isSure } of enclosedNames(context, city)) {
    const known = knownAt(context, [[from, to]], [city])[0] ?? new Map();
    const isLeft = known.size === 0 && townAt(context, from) === to;
    if (isLeft || !(isSure || isOften(known, city))) continue;
    const within = new Set(city.cities.map(({ ibge }) => ibge));
    take(context, from, [{ from, to, known }], { implied: true, near: [city], within });
    isFound = true;
  }
  return isFound;
}

function citiesOf({ sentence, gazetteer }: PlaceContext): CityAt[] {
  const found: CityAt[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind !== "word") continue;
    const match = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
    const seat = seatAt({ sentence, gazetteer }, at, match?.to ?? at + 1);
    if (seat !== null) {
      found.push(seat);
      at = seat.to - 1;
      continue;
    }
    if (match === null) continue;
    const { cities, nicknamed } = match.place;
    const all = [...cities, ...nicknamed].sort((a, b) => b.accounts - a.accounts);
    if (all.length > 0) {
      found.push({ from: at, to: match.to, cities: all.slice(0, NAMESAKES_MAX) });
    }
    at = match.to - 1;
  }
  return found;
}

/** Reads "sp capital", "São Paulo capital": the capital of a state. */
function seatAt(
  { sentence, gazetteer }: Pick<PlaceContext, "sentence" | "gazetteer">,
  at: number,
  to: number,
): CityAt | null {
  if (sentence.folded(to) !== "capital" || isMoney(sentence, to)) return null;
  const [named] = gazetteer.places.longest(sentence.tokens, at)?.place.states ?? [];
  const uf = named ?? lettersAt(sentence, at);
  const city = uf === undefined ? undefined : gazetteer.capitalOf(uf);
  return city === undefined ? null : { from: at, to: to + 1, cities: [city] };
}

/** Reads "bairro Savassi", "bairros de Moema e Pinheiros", "the Savassi district". */
function marked(context: PlaceContext, cities: readonly CityAt[]): void {
  const { sentence, gazetteer } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (!MARKS.has(word) || !sentence.free(at)) continue;
    // "Distrito Federal"
    const place = gazetteer.places.longest(sentence.tokens, at);
    if (place !== null && place.place.states.length > 0) continue;
    // "the Federal District"
    const whole = at === 0 ? null : gazetteer.places.longest(sentence.tokens, at - 1);
    if (whole !== null && whole.to > at && whole.place.states.length > 0) continue;
    let name = at + 1;
    while (isOf(sentence.folded(name)) || /^(o|a|the)$/.test(sentence.folded(name))) name++;
    const near = nearest(cities, at);
    const list = listAt(context, name, near);
    const own = /^distrito/.test(word) ? listAt(context, at, near) : [];
    const chosen = list.length > 0 ? list : own;
    if (chosen.length > 0) take(context, at, chosen, { implied: false, near });
    else if (BEHIND.test(word)) nameBefore(context, at, near);
  }
}

/**
 * Reads districts excluded from the city before them, as in "em Recife, fora Boa Viagem" or "sem a
 * Mooca". A town of another state may have the same name.
 */
function leftOut(context: PlaceContext, cities: readonly CityAt[]): void {
  const { sentence } = context;
  let passed = 0;
  for (let at = 0; at < sentence.tokens.length; at++) {
    while (passed < cities.length && (cities[passed] as CityAt).to <= at) passed++;
    if (!isNegatorWord(sentence.folded(at))) continue;
    const city = cities[passed - 1];
    if (city === undefined) continue;
    let from = at + 1;
    while (LEADS_OUT.has(sentence.folded(from)) || isOf(sentence.folded(from))) from++;
    while (isIn(sentence.folded(from))) from++;
    if (/^(o|a|os|as|the)$/.test(sentence.folded(from))) from++;
    const list = beginsRequest(sentence, from) ? [] : listAt(context, from, [city]);
    const own = list.every((name) => isOwnPart(context, name, city));
    if (list.length > 0 && own && negatorOf(sentence, from) >= 0) {
      take(context, from, list, { implied: true, near: [city] });
    }
  }
}

/** True if a name is a district of the city, and no town in the city's state has the same name. */
function isOwnPart(context: PlaceContext, { from, to, known }: NameAt, city: CityAt): boolean {
  const town = context.gazetteer.places.longest(context.sentence.tokens, from);
  const { cities = [], states = [] } = town?.to === to ? town.place : {};
  const near = cities.some(({ uf }) => city.cities.some((one) => one.uf === uf));
  if (near || states.length > 0 || context.tradeEnd(from) >= to) return false;
  return isOften(known, city);
}

/** Reads "in the Savassi district of Belo Horizonte". An unknown name is kept for a note. */
function nameBefore(context: PlaceContext, mark: number, near: readonly CityAt[]): void {
  const { sentence } = context;
  let run = mark;
  for (let from = mark - 1; from >= Math.max(0, mark - NAME_MAX); from--) {
    if (!isNamePart(sentence, from) || isIn(sentence.folded(from))) break;
    const known = knownAt(context, [[from, mark]], near)[0];
    if (known !== undefined && known.size > 0) {
      const name = { from, to: mark, known };
      take(context, from, [name], { implied: false, near });
      return;
    }
    if (isCapitalised(sentence, from)) run = from;
  }
  if (run < mark && !/^(of|de|da|do)$/.test(sentence.folded(run))) {
    const name = { from: run, to: mark, known: new Map() };
    take(context, run, [name], { implied: false, near });
  }
}

/** Returns the nearest cities before and after a position in the sentence. */
function nearest(cities: readonly CityAt[], at: number): CityAt[] {
  // Binary search, because a list may name a hundred cities, each after a word for a district.
  let [middle, high] = [0, cities.length];
  while (middle < high) {
    const half = (middle + high) >>> 1;
    if ((cities[half] as CityAt).from > at) high = half;
    else middle = half + 1;
  }
  // Includes one more city, because a district may have the name of a city: "bairro Boa Viagem,
  // Recife".
  return cities.slice(Math.max(0, middle - NEAR), middle + NEAR + 1);
}

/** Reads names directly before a city: "em Savassi, BH", "na Vila Madalena em São Paulo". */
function before(context: PlaceContext, city: CityAt): boolean {
  const { sentence } = context;
  if (!sentence.free(city.from)) return false;
  const lead = leadOf(sentence, city.from);
  let end = lead.from;
  // A comma or bracket may stand before the city: "em Moema e Pinheiros (São Paulo)".
  if (/^[,(]$/.test(sentence.tokens[end - 1]?.text ?? "")) end--;
  // Only the center may be joined to the city by "de": "no centro de Recife".
  const centre = CENTRES.has(sentence.folded(end - 1));
  if (lead.kind === "of" && !centre) return false;
  // Uses the longest list that ends here: "na Vila Nova e no Parque Industrial em Santos".
  let found: { readonly at: number; readonly list: readonly NameAt[] } | null = null;
  for (let at = end - 1; at >= Math.max(0, end - LIST_MAX); at--) {
    if (!sentence.free(at)) break;
    const out = centre && isOf(sentence.folded(at - 1)) && isNegatorWord(sentence.folded(at - 2));
    // "restaurantes centro Campinas"
    const isAlone =
      centre &&
      at === end - 1 &&
      lead.from === city.from &&
      !/^[eo]u?$/.test(sentence.folded(at - 1));
    // Accepts districts after "de" with an article: "escritórios do Batel e da Água Verde, em
    // Curitiba". In "na Morada do Sol", "do" is part of the name.
    const isOfPart = lead.kind === "in" && isOf(sentence.folded(at - 1));
    const isPart = isOfPart && ![2, 3, 4].some((back) => isLed(sentence, at - back));
    // An item of a telegraphic sentence: "padarias, Barra da Tijuca, Rio".
    const begins = at === 0 || sentence.tokens[at - 1]?.text === ",";
    // "gráficas da Mooca, São Paulo"
    const isOfArticle = /^d[ao]s?$/.test(sentence.folded(at - 1)) && end < lead.from;
    const isItem = (begins || isOfArticle) && isStrange(context, at);
    const isLone = isItem || isApart(sentence, at, end);
    const isMentioned = isLed(sentence, at) || out || isAlone || isPart || isLone;
    const isDirect = !isMentioned && lead.from === city.from && end === city.from;
    const led = isMentioned || (isDirect && tradesEndAt(context).has(at) && isStrange(context, at));
    if (!led || /^(o|a|os|as|the)$/.test(sentence.folded(at))) continue;
    if (!mayBegin(context, at, city)) break;
    const list = listAt(context, at, [city], end);
    // In "na Savassi e no Lourdes, BH", "Lourdes" is also a town. It is read as a district, because
    // the list has other names.
    if (list.at(-1)?.to !== end || !isImplied(context, list, city, isLed(sentence, at))) continue;
    found = { at, list };
  }
  if (found === null) return false;
  take(context, found.at, found.list, { implied: true, near: [city] });
  return true;
}

/**
 * True for a capitalized name of several words between punctuation, or at the beginning: "Moinhos
 * de Vento, Porto Alegre, padarias".
 */
function isApart(sentence: Sentence, from: number, end: number): boolean {
  const before = sentence.tokens[from - 1];
  const isBegun = before === undefined || /^[,:;]$/.test(before.text);
  if (!isBegun || end < from + 2 || sentence.tokens[end]?.text !== "," || isShouted(sentence))
    return false;
  return [from, end - 1].every((at) => /^\p{Lu}/u.test(sentence.tokens[at]?.text ?? ""));
}

/** Cached positions where trade names end, because every name before a city needs them. */
const TRADE_ENDS = new WeakMap<Sentence, ReadonlySet<number>>();

function tradesEndAt({ sentence, tradeEnd }: PlaceContext): ReadonlySet<number> {
  const known = TRADE_ENDS.get(sentence);
  if (known !== undefined) return known;
  const ends = new Set<number>();
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "word" && tradeEnd(at) > at) ends.add(tradeEnd(at));
  }
  TRADE_ENDS.set(sentence, ends);
  return ends;
}

/** True for a word without another meaning, such as "savassi" in "farmácia savassi bh". */
function isStrange({ sentence }: PlaceContext, at: number): boolean {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || isFillerWord(token) || isNegatorWord(token.folded)) return false;
  return kindAt(sentence, at) === "other" && token.folded.length > 2;
}

/** True after a preposition and article: "na Savassi", "the Savassi", "en la Savassi". */
function isLed(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at - 1);
  const isArticle = /^(a|as|os)$/.test(word) && isIn(sentence.folded(at - 2));
  return isIn(word) || /^(the|o)$/.test(word) || isArticle;
}

/** Reads names directly after a city: "em São Paulo, Moema", "em BH na Savassi". */
function behind(context: PlaceContext, city: CityAt): boolean {
  const { sentence } = context;
  if (!sentence.free(city.from)) return false;
  const end = stateEnd(sentence, city.to);
  const mark = sentence.tokens[end]?.text ?? "";
  let at = end;
  if (mark === "," || mark === "(") at++;
  if (isIn(sentence.folded(at))) at++;
  // Accepts names right after the city: "Santos centro", "campo grande ms jardim dos estados".
  const isCentre = end === city.to && CENTRES.has(sentence.folded(at));
  const isBare = at === end && isStrange(context, at);
  if (at === end && !isCentre && !isBare) return false;
  const list = listAt(context, at, [city]);
  // A name of one or two words must not begin like a part of the city or a town. A longer name may:
  // "campo grande ms, jardim dos estados".
  const isLong = (list[0]?.to ?? at) > at + 2;
  if (!isLong && !mayBegin(context, at, city)) return false;
  if (list.length === 0 || !isImplied(context, list, city)) return false;
  take(context, at, list, { implied: true, near: [city] });
  return true;
}

/** True if a name without a word such as "bairro" may begin at a token. */
function mayBegin(context: PlaceContext, at: number, city: CityAt | null = null): boolean {
  const { sentence } = context;
  if (beginsRequest(sentence, at) || isSpecialised(sentence, at - 1)) return false;
  const next = sentence.folded(at + 1);
  const alone = !/\p{L}/u.test(next) || isIn(next) || isOf(next) || JOINS.has(next);
  const word = sentence.folded(at);
  // Companies write "centro" as a district, but no other part of a city.
  const part = PART_STARTS.has(word) || LONE_PARTS.has(word) || CITY_PARTS.has(word);
  // In "no interior, SP" and "no centro, SP", the part is not a district.
  if (city?.isState && part) return false;
  if (!alone || CENTRES.has(word)) return true;
  const town = townAt(context, at);
  return !part && (town === null || (city !== null && isElsewhere(context, at, city)));
}

/** True if the name at a token is that of towns, all of them in other states than the city. */
function isElsewhere({ sentence, gazetteer }: PlaceContext, at: number, city: CityAt): boolean {
  const {
    cities = [],
    nicknamed = [],
    states = [],
  } = gazetteer.places.longest(sentence.tokens, at)?.place ?? {};
  const towns = [...cities, ...nicknamed];
  const isNear = towns.some(({ uf }) => city.cities.some((one) => one.uf === uf));
  return states.length === 0 && towns.length > 0 && !isNear;
}

/**
 * Returns the end of the name of a place that a filter can select. Returns null for an area inside
 * a city, or if no place begins at the token.
 */
function townAt({ sentence, gazetteer }: PlaceContext, at: number): number | null {
  const match = gazetteer.places.longest(sentence.tokens, at);
  if (match === null) return null;
  const { cities, nicknamed, states, area } = match.place;
  const inside = area.length > 0 && cities.length + nicknamed.length + states.length === 0;
  return inside ? null : match.to;
}

/**
 * True if each name has enough accounts and is not also a place. Names of towns in other states are
 * accepted if they are listed with names that are not towns: "na Bela Vista e no Jardim Europa em
 * Recife".
 */
function isImplied(
  context: PlaceContext,
  list: readonly NameAt[],
  city: CityAt,
  isLedIn = false,
): boolean {
  const towns = list.filter(({ from, to }) => townAt(context, from) === to);
  const isTrade = ({ from, to }: NameAt) => context.tradeEnd(from) >= to;
  // "no Alecrim, Natal" means the district, although "alecrim" also names goods.
  if (towns.length === list.length && !(isLedIn && towns.every(isTrade))) return false;
  if (towns.some((one) => !isRatherPart(context, one, city))) return false;
  return list.every((name) => (isLedIn || !isTrade(name)) && isOften(name.known, city));
}

/**
 * True if no town in a state of the city has the name of the district. Also true if the district
 * has more accounts than each such town.
 */
function isRatherPart(context: PlaceContext, { from, known }: NameAt, city: CityAt): boolean {
  if (isElsewhere(context, from, city)) return true;
  const { sentence, gazetteer } = context;
  const { cities = [], states = [] } = gazetteer.places.longest(sentence.tokens, from)?.place ?? {};
  const near = cities.filter(({ uf }) => city.cities.some((one) => one.uf === uf));
  const most = Math.max(0, ...[...known.values()].map(({ accounts }) => accounts));
  return states.length === 0 && near.length > 0 && near.every(({ accounts }) => most > accounts);
}

/** True if a district has enough accounts in a city to be accepted without a marking word. */
export function isOften(
  known: ReadonlyMap<string, KnownDistrict>,
  { cities }: Pick<CityAt, "cities">,
): boolean {
  return cities.some(({ ibge, accounts }) => {
    return (known.get(ibge)?.accounts ?? 0) > accounts * SHARE_MIN;
  });
}

/** Returns the names of a list that begins at a token, up to the first unknown name. */
function listAt(
  context: PlaceContext,
  start: number,
  near: readonly CityAt[],
  end = Number.POSITIVE_INFINITY,
): NameAt[] {
  const { sentence } = context;
  const list: NameAt[] = [];
  for (let at = start; list.length < LIST_MAX && at < end; ) {
    const name = nameAt(context, at, { near, end });
    if (name === null) break;
    list.push(name);
    at = name.to;
    const mark = sentence.tokens[at]?.text ?? "";
    if (mark === "," || mark === "/" || JOINS.has(sentence.folded(at))) at++;
    else break;
    if (JOINS.has(sentence.folded(at))) at++;
    while (isIn(sentence.folded(at)) || isOf(sentence.folded(at))) at++;
    // Skips articles in "en la Vila Nova y en el Centro".
    if (isIn(sentence.folded(at - 1)) && /^(o|a|the)$/.test(sentence.folded(at))) at++;
  }
  return list;
}

/** Returns the longest known name that begins at a token and ends where a name may end. */
function nameAt(
  context: PlaceContext,
  from: number,
  { near, end }: { readonly near: readonly CityAt[]; readonly end: number },
): NameAt | null {
  const { sentence } = context;
  const ranges: [number, number][] = [];
  for (let to = from + 1; to <= Math.min(end, from + NAME_MAX); to++) {
    if (!isNamePart(sentence, to - 1)) break;
    if (sentence.tokens[to - 1]?.kind !== "mark" && endsName(sentence, to, near)) {
      ranges.unshift([from, to]);
    }
  }
  const known = knownAt(context, ranges, near);
  const best = known.findIndex(({ size }) => size > 0);
  const range = ranges[best];
  return range === undefined ? null : { from, to: range[1], known: known[best] ?? new Map() };
}

function isNamePart(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  return token !== undefined && sentence.free(at) && (token.kind !== "mark" || token.text === ".");
}

/** True if the token cannot be part of the name before it. */
function endsName(sentence: Sentence, at: number, near: readonly CityAt[]): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || (token.kind === "mark" && token.text !== ".")) return true;
  if (!sentence.free(at) || near.some(({ from }) => from === at)) return true;
  const word = token.folded;
  if (isIn(word) || JOINS.has(word) || beginsRequest(sentence, at)) return true;
  if (isOf(word)) return near.some(({ from }) => leadOf(sentence, from).from <= at && at < from);
  // "bairro Centro. Obrigado!"
  if (token.text === ".") {
    return sentence.tokens[at + 1] === undefined || isCapitalised(sentence, at + 1);
  }
  const kind = kindAt(sentence, at);
  return (
    MARKS.has(word) || ((kind === "activity" || kind === "small") && !isCapitalised(sentence, at))
  );
}

/** Returns a map for each name: its district in each of the cities that has it. */
function knownAt(
  { sentence, districts }: PlaceContext,
  ranges: readonly (readonly [number, number])[],
  near: readonly CityAt[],
): Map<string, KnownDistrict>[] {
  const found = ranges.map(() => new Map<string, KnownDistrict>());
  for (const place of near) {
    const apart = ranges.flatMap(([from, to], i) =>
      place.from >= to || place.to <= from ? [i] : [],
    );
    const names = apart.map((i) => nameOf(sentence, ranges[i] as readonly [number, number]));
    for (const { ibge } of place.cities) {
      for (const [i, known] of districts.names.known(ibge, names).entries()) {
        if (known !== null) found[apart[i] as number]?.set(ibge, known);
      }
    }
  }
  return found;
}

/** Returns a name as companies write it: the center only has its Portuguese name. */
function nameOf(sentence: Sentence, [from, to]: readonly [number, number]): string {
  const { words } = sentence.words(from, to);
  return CENTRES.has(words.toLowerCase()) ? "Centro" : words;
}

/** How a list of districts was found. */
interface Taking {
  readonly implied: boolean;
  readonly near: readonly CityAt[];
  /** The only possible cities, if the sentence lists the names after a city. */
  readonly within?: ReadonlySet<string>;
}

/**
 * Records a list of districts and marks it as read, with a word such as "bairro". The rest of the
 * city is then not requested.
 */
function take(
  context: PlaceContext,
  at: number,
  list: readonly NameAt[],
  { implied, near, within }: Taking,
): void {
  const { sentence, districts } = context;
  // If the place is a state, only some cities were looked up, and another may have the district.
  const isOpen = near.some(({ isState }) => isState);
  const names = list.map(({ from, to: end, known }) => {
    const words = sentence.words(from, end);
    return { to: end, words, name: words.words, known: isOpen ? new Map() : known };
  });
  const to = list.at(-1)?.to ?? at;
  const end = BEHIND.test(sentence.folded(to)) ? to + 1 : to;
  const adjacent = near.find(({ from }) => from >= end && isAdjacent(sentence, end, from));
  const { negated, from } = mentionOf(context, [at, end], { dropped: true });
  if (adjacent !== undefined && !adjacent.isState) districts.cities.add(adjacent.from);
  for (const [i, one] of names.entries()) {
    const tokens = { from: names[i - 1]?.to ?? from, to: i === names.length - 1 ? end : one.to };
    const own = within === undefined ? {} : { within };
    districts.all.push({ ...one, ...tokens, ...own, negated, implied });
  }
}

/** True if only a comma and words such as "na cidade de" separate a name from its city. */
function isAdjacent(sentence: Sentence, end: number, city: number): boolean {
  const { from } = leadOf(sentence, city);
  return from <= end || (from === end + 1 && sentence.tokens[end]?.text === ",");
}
