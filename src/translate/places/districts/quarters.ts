/**
 * Finds districts that have the name of a town: "Boa Viagem, Recife".
 * Input: the mentions of places in a sentence, read as cities and states. Output: the named
 * districts. If a name is a district of the city directly after it, the town of that name is not
 * requested.
 * Invariant: the name must stand before its city, with or without a comma, and in no other list. It
 * is read as a district if the city has this district in the snapshot. If a town of the same state
 * has the name, the district also needs more accounts than the town. The rejected reading is
 * reported as a doubt.
 */

import { STATE_NAMES } from "../../../spec/states.ts";
import type { Sentence } from "../../words/sentence.ts";
import type { Mention, PlaceContext } from "../mention.ts";
import type { City } from "../placenames.ts";
import { linkOf } from "../readings.ts";
import type { KnownDistrict } from "./districtnames.ts";
import { isOften } from "./districts.ts";
import { enclosedBy, HYPHEN, stateEnd } from "./enclosed.ts";

/** Minimum ratio of the accounts of a city to those of a town with a district's name. */
const OUTWEIGHS = 10;

/**
 * For each capital (IBGE code), its districts with the name of a large town elsewhere. If such a
 * name is typed in lower case, it means the district.
 */
const LARGE_NAMESAKES: Readonly<Record<string, string>> = {
  "3304557": "campo grande|santa cruz|botafogo|glória|vila velha",
  "3550308": "campo grande|santana|lapa|vitória|campo belo|boa vista|palmas",
  "2611606": "campo grande|boa vista|boa viagem|santo amaro|várzea|torre",
  "5208707": "campinas|vila nova|santa luzia",
  "4106902": "boa vista|campina grande|cascavel|água verde",
  "4314902": "boa vista|petrópolis|glória|camaquã",
  "2927408": "vitória|nazaré|são cristóvão|barra",
  "3106200": "santa luzia|palmares|santo andré|são bernardo",
  "2304400": "messejana|parangaba|barra do ceará",
  "5300108": "taguatinga|sobradinho|planaltina|gama|santa maria|são sebastião",
};

/** IBGE code of Brasília, whose residents regard its districts as towns. */
const FEDERAL_DISTRICT = "5300108";

const NAMESAKES = new Map(
  Object.entries(LARGE_NAMESAKES).map(([ibge, names]) => [ibge, new Set(names.split("|"))]),
);

/** Finds the places that are districts of the city after them. */
export function settleQuarters(context: PlaceContext, mentions: readonly Mention[]): void {
  settleEnclosed(context, mentions);
  // All districts are found before any mention is changed, because a mention that became a district
  // no longer counts as a neighbor.
  const found = mentions.flatMap((city, at) => {
    if (!isOnlyCity(city)) return [];
    const run = townsBefore(context, mentions, at);
    if (run.some(({ negated }) => negated !== city.negated)) return [];
    return quartersOf(context, { mentions, at, run }).map((town) => ({ town, city }));
  });
  for (const { town, city } of found) asQuarter(context, town, city);
}

/** Names of towns directly before a city. */
interface Before {
  readonly mentions: readonly Mention[];
  /** Index of the city in `mentions`. */
  readonly at: number;
  readonly run: readonly Mention[];
}

/** Returns the names before a city that are its districts. */
function quartersOf(context: PlaceContext, before: Before): readonly Mention[] {
  const { mentions, at, run } = before;
  const [city, last] = [mentions[at] as Mention, run.at(-1)];
  if (last === undefined || isWithin(context, last, city)) return [];
  const isKnown = (town: Mention) => isKnownPart(context, town, city);
  // In "Boa Vista de Santos", the first name is a district, because "de" makes it a part of Santos.
  if (city.lead.kind === "of" && link(context, last, city) === "direct") {
    return run.every(isKnown) ? run : isOther(last, city) ? [last] : [];
  }
  if (isPair(context, before)) return isKnown(last) || isElsewhere(last, city) ? [last] : [];
  if (!isApart(context, before)) {
    if (isKnown(last) && link(context, last, city) === "comma") assumeTowns(context, last, city);
    return [];
  }
  if (run.every(isKnown) || isListOfParts(context, before, isKnown)) return run;
  if (run.length === 1 && isOther(last, city) && !last.lead.city) {
    const isNear = !isElsewhere(last, city);
    // A sentence often lists two towns of one state. This is doubtful only if the second town has a
    // district with the name of the first.
    const name = context.sentence.words(last.at, last.to).words;
    const isDoubtful = !isNear || knownIn(context, city, name).size > 0;
    // In "em Brasília, Taguatinga", the first name is a large city and not a district of the small
    // town after it. `settleTowns` reads such names.
    if (isDoubtful && !isDwarfed(city, last)) assumeTowns(context, last, city);
  }
  return [];
}

/** True if the names form one list of parts of the city: "Liberdade e Bela Vista, São Paulo". */
function isListOfParts(
  context: PlaceContext,
  { mentions, at, run }: Before,
  isKnown: (town: Mention) => boolean,
): boolean {
  const city = mentions[at] as Mention;
  const isTwo = run.some((town, i) => {
    return i > 0 && link(context, run[i - 1] as Mention, town) !== "comma";
  });
  if (run.length > 1 && !isTwo) return false;
  if (run.every((town) => isQuarter(town, city))) return true;
  return isTwo && run.every((town) => isElsewhere(town, city)) && run.some(isKnown);
}

/** Returns the names listed before a city, separated only by commas and small words. */
function townsBefore(
  context: PlaceContext,
  mentions: readonly Mention[],
  at: number,
): readonly Mention[] {
  const run: Mention[] = [];
  for (let i = at - 1; i >= Math.max(0, at - RUN_MAX); i--) {
    const town = mentions[i] as Mention;
    const near = link(context, town, mentions[i + 1] as Mention);
    if (!isOnlyCity(town) || near === "apart") break;
    if (i === at - 1 ? near === "listed" : near === "direct") break;
    run.unshift(town);
  }
  return run;
}

/** Maximum number of listed names that are considered. */
const RUN_MAX = 12;

/** True if no other place is listed with the names and their city. */
function isApart(context: PlaceContext, { mentions, at, run }: Before): boolean {
  const [first, before] = [run[0] as Mention, mentions[at - run.length - 1]];
  if (before !== undefined && link(context, before, first) !== "apart") return false;
  const [city, behind] = [mentions[at] as Mention, mentions[at + 1]];
  if (behind === undefined || endsWithState(mentions, at + 1)) return true;
  return link(context, city, behind) === "apart";
}

/**
 * True for a list of pairs, each a district and its city: "em Liberdade, São Paulo e Boa Vista,
 * Campinas". Commas join the names of a pair, "e" joins the pairs.
 */
function isPair(context: PlaceContext, { mentions, at }: Before): boolean {
  const near = (i: number) => {
    const [one, other] = [mentions[i - 1], mentions[i]];
    const both = one !== undefined && other !== undefined && isOnlyCity(one) && isOnlyCity(other);
    return both ? link(context, one, other) : "apart";
  };
  let from = at;
  for (; near(from) !== "apart"; from--) {
    if (near(from) !== ((at - from) % 2 === 0 ? "comma" : "listed")) return false;
  }
  let to = at + 1;
  for (; near(to) !== "apart"; to++) {
    if (near(to) !== ((to - at) % 2 === 0 ? "comma" : "listed")) return false;
  }
  return to - from > 2 && (at - from) % 2 === 1 && (to - at) % 2 === 1;
}

/** True if a name is a district of the city and no larger town in the state has the name. */
function isKnownPart(context: PlaceContext, town: Mention, city: Mention): boolean {
  if (context.districts.names.lacking || town.lead.city) return false;
  const name = context.sentence.words(town.at, town.to).words;
  const known = knownIn(context, city, name);
  if (!isOften(known, city)) return false;
  return isElsewhere(town, city) || (isOther(town, city) && outnumbers(known, town, city));
}

/** True if the district has more accounts than each town of that name in the state of the city. */
function outnumbers(
  known: ReturnType<typeof knownIn>,
  town: Mention,
  { cities }: Mention,
): boolean {
  const near = town.cities.filter(({ uf }) => cities.some((city) => city.uf === uf));
  const own = Math.max(...[...known.values()].map(({ accounts }) => accounts));
  return near.every(({ accounts }) => own > accounts);
}

function isOther(town: Mention, { cities }: Mention): boolean {
  return !town.cities.some(({ ibge }) => cities.some((city) => city.ibge === ibge));
}

/** True if no town with the name is in a state of the city. */
function isElsewhere(town: Mention, { cities }: Mention): boolean {
  return !town.cities.some(({ uf }) => cities.some((city) => city.uf === uf));
}

/** Turns a name into a district of the city. */
function asQuarter(context: PlaceContext, town: Mention, city: Mention): void {
  town.dropped = true;
  const { districts, sentence } = context;
  const name = sentence.words(town.at, town.to).words;
  const known = knownIn(context, city, name);
  const { words, negated } = town;
  districts.all.push({ ...tokensOf(town), words, name, negated, implied: true, known });
  if (negated || isElsewhere(town, city)) return;
  const [uf = ""] = town.cities.map((one) => one.uf);
  context.notes.doubt(
    "district_or_town",
    {
      pt: `${name} foi entendido como bairro; há também o município (${name}/${uf}).`,
      en: `${name} was taken for a district; there is a town of this name, too (${name}/${uf}).`,
    },
    sentence.words(town.at, sentence.tokens[town.to]?.text === "," ? town.to + 1 : town.to),
    { pt: `${name}/${uf} e`, en: `${name}/${uf} and`, es: `${name}/${uf} y` },
  );
}

/** Notes that "em Boa Vista, Campinas" was read as two towns. A doubt offers the district. */
function assumeTowns({ notes, sentence }: PlaceContext, town: Mention, city: Mention): void {
  const [one, other] = [town, city].map(({ at, to }) => sentence.words(at, to).words);
  notes.assume(
    "two_towns",
    {
      pt: `${one} e ${other} foram entendidos como municípios; se um deles é bairro, diga bairro.`,
      en: `${one} and ${other} were taken for two towns; if one is a district, say district.`,
    },
    town.words,
  );
  notes.doubt(
    "district_or_town",
    {
      pt: `${one} e ${other} foram entendidos como municípios; ${one} pode ser um bairro.`,
      en: `${one} and ${other} were taken for two towns; ${one} may be a district.`,
    },
    town.words,
    { pt: `no bairro ${one}`, en: `in the district ${one}`, es: `en el barrio ${one}` },
  );
}

/**
 * True if a name is a district of the city directly before it: "em Santos no Gonzaga". Names of
 * towns rarely follow an article, and the city has this district.
 */
function isWithin(context: PlaceContext, city: Mention, town: Mention): boolean {
  const inside = /^n[oa]s?$/.test(town.lead.word) && link(context, city, town) === "direct";
  if (!inside || town.negated !== city.negated || town.lead.city) return false;
  const name = context.sentence.words(town.at, town.to).words;
  return isOther(town, city) && knownIn(context, city, name).size > 0;
}

/** Minimum ratio of the accounts of a city to those of a town too small to be meant next to it. */
const DWARFS = 100;

/**
 * Decides what the name of a small town of another state means after a city ("em São Paulo,
 * Maracanã"). If the city has a district of that name, the name means that district. Otherwise the
 * name is ambiguous: it is reported in a note and `lost` is set.
 */
export function settleTowns(context: PlaceContext, mentions: readonly Mention[]): void {
  for (const [i, town] of mentions.entries()) {
    const city = mentions[i - 1];
    if (city === undefined || !isOnlyCity(town) || !isOnlyCity(city)) continue;
    if (isWithin(context, city, town)) {
      asQuarter(context, town, city);
      continue;
    }
    const near = link(context, city, town);
    const alone = [mentions[i - 2], mentions[i + 1]].every((one, behind) => {
      if (one === undefined) return true;
      const [left, right] = behind === 1 ? [town, one] : [one, city];
      return link(context, left, right) === "apart";
    });
    if (near !== "comma" || !alone || town.negated || city.negated || !isDwarfed(town, city)) {
      continue;
    }
    const name = context.sentence.words(town.at, town.to).words;
    if (knownIn(context, city, name).size > 0) {
      asQuarter(context, town, city);
      continue;
    }
    town.lost = true;
    context.notes.addUnmapped("place", WHICH_TOWN, town.words);
  }
}

/**
 * Decides the meaning of names of towns in a list after a city ("Santos: Centro, Maracanã"). Each
 * becomes a district of the city or is reported as ambiguous.
 */
function settleEnclosed(context: PlaceContext, mentions: readonly Mention[]): void {
  let city: Mention | null = null;
  let mark: string | null = null;
  for (const [i, town] of mentions.entries()) {
    const last: Mention | undefined = mentions[i - 1];
    const opened = last === undefined ? null : enclosedBy(context.sentence, last.to, town.at);
    const quarters = opened === "(" ? quartersOfBracket(context, mentions, i) : [];
    if (quarters.length > 0) {
      for (const quarter of quarters) asQuarter(context, quarter, town);
      city = null;
    } else if (last !== undefined && opened !== null) {
      mark = opened;
      if (isOnlyCity(last) || city === null) city = isOnlyCity(last) ? last : null;
    } else if (!goesOn(context.sentence, last, town)) city = null;
    if (city === null || !isOnlyCity(town) || town.lead.city || town.negated || town.lost) continue;
    if (mark === HYPHEN && !isPartBehind(context, town, city)) continue;
    settleInside(context, town, city);
  }
}

/**
 * Returns the districts before a city in brackets: "Boa Viagem (Recife)", "Pina e Torre (Recife)".
 */
function quartersOfBracket(
  context: PlaceContext,
  mentions: readonly Mention[],
  at: number,
): readonly Mention[] {
  const city = mentions[at] as Mention;
  const end = stateEnd(context.sentence, city.to);
  if (!isOnlyCity(city) || context.sentence.tokens[end]?.text !== ")") return [];
  const run = listBefore(context, mentions, at);
  const isQuarterOf = (quarter: Mention) =>
    isOnlyCity(quarter) &&
    !quarter.negated &&
    isKnownPart(context, quarter, city) &&
    !isKnownPart(context, city, quarter);
  return run.every(isQuarterOf) ? run : [];
}

function listBefore(
  context: PlaceContext,
  mentions: readonly Mention[],
  at: number,
): readonly Mention[] {
  let first = at - 1;
  while (first > 0 && goesOn(context.sentence, mentions[first - 1], mentions[first] as Mention)) {
    first--;
  }
  return mentions.slice(Math.max(0, first), at);
}

/** True if nothing but commas and small words separates two names of a list. */
function goesOn(sentence: Sentence, last: Mention | undefined, town: Mention): boolean {
  if (last === undefined) return false;
  for (let at = last.to; at < town.at; at++) {
    const text = sentence.tokens[at]?.text ?? "";
    if (!/^(?:,|\/|e|ou|and|or|n?[ao]s?|em|in|the)$/i.test(text)) return false;
  }
  return true;
}

/** True for "São Paulo - Moema"; false for the towns in "Santos - Campinas". */
function isPartBehind(context: PlaceContext, town: Mention, city: Mention): boolean {
  return isKnownPart(context, town, city) || isDwarfed(town, city);
}

function settleInside(context: PlaceContext, town: Mention, city: Mention): void {
  const name = context.sentence.words(town.at, town.to).words;
  const isKnown = !context.districts.names.lacking && knownIn(context, city, name).size > 0;
  const isFar = isElsewhere(town, city);
  // "São Paulo" may also mean the state here, so "São Paulo: Campinas, Santos" may list its towns.
  if (!isFar && city.either && !isKnown) return;
  if (isFar && isKnown) asQuarter(context, town, city);
  else {
    [town.lost, town.dropped] = [true, true];
    const words = context.sentence.words(town.at, town.to);
    context.notes.addUnmapped("place", isFar ? WHICH_TOWN : WHICH_NEAR, words);
  }
}

/** Minimum ratio of the accounts of a capital, and of its district, to those of a namesake town. */
const NAMED_SO = 2;

/**
 * Decides if the only place of a sentence is a town or a district: "na Moema". It becomes a
 * district if a capital has a district of that name and the district has far more accounts than the
 * town. The city of the district is found later.
 */
export function settleLoneTown(context: PlaceContext, mentions: readonly Mention[]): void {
  const meant = mentions.filter(({ dropped }) => !dropped);
  const [town] = meant;
  if (town === undefined || meant.length > 1 || !isOnlyCity(town) || town.negated) return;
  // "em Pinheiros" means the town, because an article would precede a district ("na Moema").
  const hasArticle = /^n[ao]s?$/.test(town.lead.word);
  if (!hasArticle && town.lead.kind !== "in") return;
  if (town.lead.city || town.lead.mark || town.cities.some(({ capital }) => capital)) return;
  const { gazetteer, districts, sentence } = context;
  if (districts.names.lacking) return;
  const { words: name } = sentence.words(town.at, town.to);
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  const capitals = gazetteer.states
    .flatMap((uf) => gazetteer.capitalOf(uf) ?? [])
    .sort((a, b) => b.accounts - a.accounts);
  const dwarfs = capitals.find((capital) => {
    if (capital.accounts <= NAMED_SO * large) return false;
    const known = districts.names.known(capital.ibge, [name])[0];
    return (known?.accounts ?? 0) > NAMED_SO * large;
  });
  const satellites = NAMESAKES.get(FEDERAL_DISTRICT);
  const isSatellite = satellites?.has(name.toLowerCase()) === true;
  const federal = isSatellite ? gazetteer.capitalOf("DF") : undefined;
  const isThere = federal !== undefined && districts.names.known(federal.ibge, [name])[0] != null;
  const taguatinga = isThere ? federal : undefined;
  const home = dwarfs ?? taguatinga;
  if (home === undefined) return;
  if (!hasArticle || dwarfs === undefined) {
    doubtTown(context, town, home);
    return;
  }
  town.dropped = true;
  const { words, negated } = town;
  districts.all.push({ ...tokensOf(town), words, name, negated, implied: true, known: new Map() });
}

/**
 * Reads names before a state as districts if the state has such districts and the towns of these
 * names are in other states: "em Taguatinga, DF", "em Pinheiros e Moema, SP". The city of each
 * district is found later.
 */
export function settleStateQuarters(context: PlaceContext, mentions: readonly Mention[]): void {
  const { districts, gazetteer, sentence } = context;
  if (districts.names.lacking) return;
  for (const [at, state] of mentions.entries()) {
    const [uf = "", ...others] = state.states;
    const isPlain = !state.dropped && !state.adjective && !state.part && !state.region;
    if (!isPlain || others.length > 0 || uf === "" || state.cities.length > 0) continue;
    const run = townsBefore(context, mentions, at);
    const isFar = (town: Mention) => town.cities.every((city) => city.uf !== uf);
    const isSame = run.every((town) => town.negated === state.negated && isFar(town));
    if (run.length === 0 || !isSame) continue;
    const names = run.map((town) => sentence.words(town.at, town.to).words);
    // "Bom Jesus, PI" may be a short form of a longer name of a town in that state.
    if (isTownThere(context, names.at(-1) ?? "", uf)) continue;
    const homes = districts.names.among(codesOf(gazetteer), names);
    const isThere = homes.every((one) =>
      [...one.keys()].some((ibge) => gazetteer.city(ibge)?.uf === uf),
    );
    if (!isThere) continue;
    for (const [i, town] of run.entries()) {
      town.dropped = true;
      const { words, negated } = town;
      const name = names[i] ?? "";
      const known = new Map<string, KnownDistrict>();
      districts.all.push({ ...tokensOf(town), words, name, negated, implied: true, known });
    }
  }
}

/** True for a short form of a town's name: "Santa Isabel, PA" is Santa Isabel do Pará. */
function isTownThere({ gazetteer }: PlaceContext, name: string, uf: string): boolean {
  const { cities = [] } = gazetteer.places.named(`${name} ${STATE_NAMES[uf]}`) ?? {};
  return cities.some((city) => city.uf === uf);
}

function* codesOf({ states, citiesOf }: PlaceContext["gazetteer"]): Generator<string> {
  for (const uf of states) for (const { ibge } of citiesOf(uf)) yield ibge;
}

/**
 * Reports a doubt about a name such as "em Taguatinga". It is read as the town, but a capital (here
 * Brasília) has a district of that name.
 */
function doubtTown({ notes, sentence }: PlaceContext, town: Mention, { name, uf }: City): void {
  const named = sentence.words(town.at, town.to);
  const [first] = town.cities;
  notes.doubt(
    "district_or_town",
    {
      pt: `${named.words} foi lido como município (${first?.uf}); há o bairro em ${name}/${uf}.`,
      en: `${named.words} was taken for a town (${first?.uf}); ${name}/${uf} has a district of it.`,
    },
    town.words,
    {
      pt: `no bairro ${named.words} em ${name}/${uf}`,
      en: `in the district ${named.words}, ${name}/${uf}`,
      es: `en el barrio ${named.words} en ${name}/${uf}`,
    },
  );
}

function tokensOf({ from, to }: Mention) {
  return { from, to };
}

const WHICH_TOWN = {
  pt: "Pode ser um bairro da cidade ou um município de outro estado: diga bairro, ou o estado.",
  en: "This may be a district of the city or a town of another state: say district, or the state.",
};

const WHICH_NEAR = {
  pt: "Pode ser um bairro da cidade ou outro município: diga bairro, ou junte-os com “e”.",
  en: 'This may be a district of the city or another town: say district, or join them with "and".',
};

/** True if a town is in another state and too small to be meant next to such a large city. */
function isDwarfed(town: Mention, { cities }: Mention): boolean {
  const city = cities.find(({ capital }) => capital) ?? cities[0];
  if (city === undefined || town.cities.some(({ uf, capital }) => uf === city.uf || capital)) {
    return false;
  }
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  return city.accounts > DWARFS * large;
}

function knownIn({ districts }: PlaceContext, { cities }: Mention, name: string) {
  return new Map(
    cities.flatMap(({ ibge }) => {
      const one = districts.names.known(ibge, [name])[0] ?? null;
      return one === null ? [] : [[ibge, one] as const];
    }),
  );
}

function link({ sentence }: PlaceContext, one: Mention, other: Mention): string {
  return linkOf(sentence, one, other);
}

/** True if a mention means only a state, such as "PE" in "Boa Viagem, Recife, PE". */
function endsWithState(mentions: readonly Mention[], at: number): boolean {
  const state = mentions[at];
  return state !== undefined && state.states.length > 0 && state.cities.length === 0;
}

function isOnlyCity({
  states,
  cities,
  capital,
  adjective,
  dropped,
  part,
  every,
}: Mention): boolean {
  const named = !capital && !adjective && !dropped && !part && !every;
  return named && states.length === 0 && cities.length > 0;
}

function isQuarter(town: Mention, { cities }: Mention): boolean {
  const city = cities.find(({ capital }) => capital) ?? cities[0];
  if (city === undefined || town.cities.some(({ ibge }) => ibge === city.ibge)) return false;
  const known = town.cities.some(({ name }) => NAMESAKES.get(city.ibge)?.has(name.toLowerCase()));
  if (known) return true;
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  const elsewhere = !town.cities.some(({ uf }) => uf === city.uf);
  return elsewhere && city.accounts > 0 && city.accounts >= OUTWEIGHS * large;
}
