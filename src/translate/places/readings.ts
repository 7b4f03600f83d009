/**
 * Decides between city, state, and region.
 * Input: the mentions of a sentence. Output: the same mentions with one meaning each. An ambiguous
 * name ("São Paulo") is either city or state. "a capital" is the capital of a state. If several
 * regions share a name, only the meant ones remain, and notes state the number of their
 * municipalities.
 * Invariant: explicit words decide first, then the other names in the list, then the preposition. A
 * region next to cities inside it only says where they are. The name of a region never covers more
 * than its municipalities.
 */
import type { Sentence } from "../words/sentence.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import type { City, MeantRegion } from "./placenames.ts";
import { CITY_PARTS, LONE_PARTS } from "./states.ts";

/**
 * How two mentions are connected: by "e" or "ou" ("listed"), by a comma, by nothing ("direct"), or
 * not at all ("apart").
 */
type Link = "listed" | "comma" | "direct" | "apart";

const CONJUNCTIONS = new Set("e ou and or nem nor mais".split(" "));

/** Returns how a mention is connected with the previous one. */
export function linkOf(sentence: Sentence, last: Mention, mention: Mention): Link {
  let comma = false;
  let listed = false;
  for (let at = last.to; at < mention.from; at++) {
    const text = sentence.tokens[at]?.text ?? "";
    if (CONJUNCTIONS.has(sentence.folded(at))) listed = true;
    else if (text === "," || text === ";") comma = true;
    else if (/[\p{L}\p{N}.!?]/u.test(text) && sentence.owner(at) !== "negation") return "apart";
  }
  if (listed) return "listed";
  return comma ? "comma" : "direct";
}

/** Chooses between city and state for every mention that may be either. */
export function chooseReadings(sentence: Sentence, mentions: readonly Mention[]): void {
  const cuts = mentions.filter((one) => one.negated && !isEither(one) && !one.dropped);
  for (const group of groupsOf(sentence, mentions)) {
    const clear = group.filter((one) => !isEither(one) && one.states.length > 0 && !one.part);
    const cities = group.filter((one) => !isEither(one) && one.states.length === 0);
    const several = group.some(({ lead }) => lead.states);
    // In "em São Paulo e Rio de Janeiro, exceto em Campinas", both names mean states, because
    // Campinas lies in one of them. This does not hold if a city is listed with them.
    const cutsCity = cities.length === 0 && group.some((one) => isCutOf(cuts, one, cutsOther));
    // "nas cidades de São Paulo e Rio de Janeiro" means two cities; "nas cidades de São Paulo"
    // means the cities of a state.
    const listed = group.length > 1 && group.every(isCapital);
    for (const [i, one] of group.entries()) {
      if (!isEither(one)) continue;
      one.either = true;
      const next = group[i + 1];
      const asState =
        meansState(one, several) ??
        // In "em São Paulo, menos a capital", only the state can be meant.
        (isCutOf(cuts, one, cutsState) || (cutsCity && isCapital(one)) ? true : null) ??
        (isQualified(sentence, one, group[i + 1], group[i + 2]) ? false : null) ??
        (isBehindLetters(group[i - 1], one) ? false : null) ??
        (next !== undefined && isStatePart(sentence, next)
          ? true
          : readsAsState(sentence, one, {
              states: clear.length,
              cities: cities.length,
              qualifies: qualifiesLast(sentence, group, i),
              listed: listed && group[0]?.lead.cities === true,
            }));
      if (asState) one.cities = [];
      else one.states = [];
    }
  }
  excludedStates(mentions);
}

/** True if an excluded place shows that an ambiguous name means the state. */
function isCutOf(
  cuts: readonly Mention[],
  one: Mention,
  isCut: (cut: Mention, one: Mention) => boolean,
): boolean {
  return !one.negated && isEither(one) && cuts.some((cut) => isCut(cut, one));
}

/**
 * True if the excluded place is a capital or a region that contains the city with the ambiguous
 * name. The name then means the state.
 */
function cutsState({ capital, cities, regions }: Mention, one: Mention): boolean {
  return capital || (regions.length > 0 && one.cities.some((city) => cities.includes(city)));
}

/**
 * True if the excluded place consists of cities of the state other than the city with the ambiguous
 * name. The name then means the state.
 */
function cutsOther({ capital, cities, regions, states }: Mention, one: Mention): boolean {
  if (capital || cities.length === 0 || regions.length + states.length > 0) return false;
  const isOther = (city: City) => one.states.includes(city.uf) && !one.cities.includes(city);
  return cities.every(isOther);
}

/** True for a part that only a state has: in "São Paulo, interior", the state is meant. */
function isStatePart(sentence: Sentence, { at, part, states, cities }: Mention): boolean {
  const word = sentence.folded(at);
  const lone = part && states.length + cities.length === 0;
  return lone && LONE_PARTS.has(word) && !CITY_PARTS.has(word);
}

function isEither({ states, cities }: Mention): boolean {
  return states.length > 0 && cities.length > 0;
}

/**
 * Returns true for a state, false for a city, and null if the words before the name do not decide.
 */
function meansState({ lead, part, region }: Mention, several: boolean): boolean | null {
  if (region) return lead.kind !== "in" || !lead.city;
  if (lead.city) return false;
  if (lead.state || lead.states || several) return true;
  if (lead.cities) return null;
  return part ? true : null;
}

interface Company {
  /** Number of mentions in the list that can only be states. */
  readonly states: number;
  /** Number of mentions in the list that can only be cities. */
  readonly cities: number;
  /** True if the name follows a city of that state, and so only says where the city is. */
  readonly qualifies: boolean;
  /** True if the name is one of several capitals after "nas cidades de". */
  readonly listed: boolean;
}

/** True if a name may mean a state or that state's capital. */
function isCapital(one: Mention): boolean {
  return isEither(one) && one.cities.some(({ capital }) => capital);
}

function readsAsState(sentence: Sentence, one: Mention, company: Company): boolean {
  if (company.qualifies) return true;
  if (company.listed) return false;
  if (one.lead.cities && company.cities === 0) return true;
  // "em Goiás" never means the town of that name. Only a city that is a capital, such as São Paulo,
  // is as likely as its state.
  if (!one.cities.some(({ capital }) => capital)) return true;
  const own = one.lead.kind === "in" && sentence.folded(one.at - 1) === "em";
  const head = sentence.folded(one.to) === "," || sentence.tokens[one.to]?.text === ",";
  return company.states > 0 && company.cities === 0 && (!own || head);
}

/**
 * True for the last name of a list if it is the state of the city before it: "Campinas, São Paulo".
 */
function qualifiesLast(sentence: Sentence, group: readonly Mention[], i: number): boolean {
  const one = group[i] as Mention;
  const last = group[i - 1];
  if (last === undefined || last.states.length > 0) return false;
  if (!last.cities.some(({ uf }) => one.states.includes(uf))) return false;
  const link = linkOf(sentence, last, one);
  if (link === "direct") return true;
  const next = group[i + 1];
  return link === "comma" && (next === undefined || linkOf(sentence, one, next) === "apart");
}

/**
 * True if the name of a city precedes the state of that city, so that the name means the city:
 * "Tocantins/MG", "Goiás, GO".
 */
function isQualified(
  sentence: Sentence,
  one: Mention,
  next: Mention | undefined,
  beyond: Mention | undefined,
): boolean {
  if (next === undefined || next.cities.length > 0 || next.region) return false;
  if (!one.cities.some(({ uf }) => next.states.includes(uf))) return false;
  const link = linkOf(sentence, one, next);
  if (link === "direct") return true;
  const ends = beyond === undefined || linkOf(sentence, next, beyond) === "apart";
  return link === "comma" && ends;
}

/**
 * True for a name directly after the letters of a state that has a city of that name. The name then
 * means the city: "RN Paraná".
 */
function isBehindLetters(last: Mention | undefined, one: Mention): boolean {
  if (last === undefined || last.to !== one.at || last.to - last.at !== 1) return false;
  const only = last.states.length === 1 && last.cities.length === 0 && !last.adjective;
  return only && one.cities.some(({ uf }) => last.states.includes(uf));
}

/** Returns groups of mentions. Each mention is connected to the previous one of its group. */
function groupsOf(sentence: Sentence, mentions: readonly Mention[]): Mention[][] {
  const groups: Mention[][] = [];
  for (const [i, mention] of mentions.entries()) {
    if (mention.dropped) continue;
    const last = mentions[i - 1];
    const link = last === undefined ? "apart" : linkOf(sentence, last, mention);
    if (link === "listed") claimJoin(sentence, last as Mention, mention);
    mention.joined ||= link === "listed";
    if (link === "listed" && last !== undefined) last.joined = true;
    if (link === "apart" || last?.negated !== mention.negated) groups.push([mention]);
    else groups.at(-1)?.push(mention);
  }
  return groups;
}

/** Marks the "e" between two places as read, so that it joins nothing else. */
function claimJoin(sentence: Sentence, last: Mention, mention: Mention): void {
  for (let at = last.to; at < mention.from; at++) {
    if (sentence.free(at)) sentence.claim(at, at + 1, "filler");
  }
}

/** Reads an excluded ambiguous name as a state if only whole states are requested. */
function excludedStates(mentions: readonly Mention[]): void {
  const included = mentions.filter((one) => !one.negated && !one.dropped);
  const whole = included.every((one) => one.states.length > 0 && one.cities.length === 0);
  for (const one of mentions) {
    if (!one.negated || one.either !== true || one.lead.city || one.states.length > 0) continue;
    const [city] = one.cities;
    if (city === undefined || (one.lead.kind === "in" && one.lead.word !== "no")) continue;
    const inside = included.some(({ states }) => states.length === 1 && states[0] === city.uf);
    if (!whole || inside) continue;
    one.states = [city.uf];
    one.cities = [];
  }
}

/**
 * Resolves "a capital" and "as capitais" to the capitals of the requested states. Without requested
 * states, "as capitais" means all capitals.
 */
export function settleCapitals(context: PlaceContext, mentions: readonly Mention[]): void {
  const { gazetteer, notes } = context;
  if (!mentions.some(({ capital }) => capital)) return;
  const included = mentions.filter((one) => !one.negated && !one.dropped && !one.capital);
  const states = statesOf(included);
  for (const one of mentions) {
    if (!one.capital) continue;
    const own = states.flatMap((uf) => gazetteer.capitalOf(uf) ?? []);
    if (own.length > 0) {
      one.cities = own;
      if (!one.negated && !one.joined) for (const state of included) dropState(state);
    }
    one.every = true;
    if (one.cities.length > 0) continue;
    notes.addUnmapped(
      "which_capital",
      { pt: "Não se sabe de que estado é a capital.", en: "It is not said of which state." },
      one.words,
    );
    one.part = true;
  }
}

/**
 * Returns the named states and the states that contain a city of a named region, without repeats.
 * If mentions share one list of cities, the list is read only once.
 */
function statesOf(mentions: readonly Mention[]): readonly string[] {
  const found = new Set<string>();
  const read = new Set<unknown>();
  for (const { states, cities, regions } of mentions) {
    if (regions.length === 0) for (const uf of states) found.add(uf);
    else if (!read.has(cities)) for (const { uf } of cities) found.add(uf);
    read.add(cities);
  }
  return [...found];
}

function dropState(one: Mention): void {
  if (one.states.length > 0) one.dropped = true;
}

/**
 * If a list of cities stands next to a region that contains them, keeps only the cities: "Santos e
 * Guarujá, Baixada Santista", "na Serra Gaúcha, em Gramado".
 */
export function dropOuterRegions(context: PlaceContext, mentions: readonly Mention[]): void {
  for (const [at, outer] of mentions.entries()) {
    if (outer.regions.length === 0 || outer.joined || outer.dropped) continue;
    const inner = [...run(context, mentions, at, -1), ...run(context, mentions, at, 1)];
    const inside = (one: Mention) => one.cities.filter((city) => setOf(outer.cities).has(city));
    if (inner.length === 0 || inner.some((one) => inside(one).length === 0)) continue;
    for (const one of inner) one.cities = inside(one);
    outer.dropped = true;
    assumeInside(context, outer);
  }
}

/**
 * Returns the cities in the list that stands next to a region. `step` is 1 for the list after the
 * region and -1 for the list before it.
 */
function run(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
  at: number,
  step: 1 | -1,
): Mention[] {
  const found: Mention[] = [];
  for (let next = at + step; next >= 0 && next < mentions.length; next += step) {
    const [one, last] = [mentions[next] as Mention, mentions[next - step] as Mention];
    const link = step > 0 ? linkOf(sentence, last, one) : linkOf(sentence, one, last);
    if (link === "apart") break;
    if (link === "listed" && found.length === 0) return [];
    if (one.states.length > 0 && one.cities.length === 0) break;
    const plain = one.regions.length === 0 && !one.capital && !one.part && !one.dropped;
    if (!plain || one.negated !== last.negated || one.cities.length === 0) return [];
    found.push(one);
  }
  return found;
}

function assumeInside({ notes, gazetteer }: PlaceContext, { regions, words, cities }: Mention) {
  const match = regions.find(({ region }) => {
    return region.members(gazetteer).some((city) => cities.includes(city));
  });
  const name = match?.region.name ?? words.words;
  notes.assume(
    "region_of_cities",
    {
      pt: `${name}: entendida como a região das cidades citadas.`,
      en: `${name}: taken for the region of the cities that are named.`,
    },
    words,
  );
}

/** Keeps only the meant regions of each mention. Notes the number of their municipalities. */
export function settleRegions(context: PlaceContext, mentions: readonly Mention[]): void {
  const keep = keepingOf(includedStates(mentions));
  for (const one of mentions) {
    if (one.dropped || one.regions.length === 0 || one.cities.length === 0) continue;
    if (one.negated) one.cities = keep(one.cities);
    const remaining = (meant: MeantRegion) => remainingOf(context, one, meant);
    const possible = one.regions.filter((meant) => remaining(meant).length > 0);
    const usual = possible.filter((meant) => meant.usual);
    const chosen = possible.length > 1 && usual.length > 0 ? usual : possible;
    const [first] = chosen;
    if (first === undefined || chosen.length > 1)
      one.cities = [...new Set(chosen.flatMap(remaining))];
    else one.cities = remaining(first);
    if (possible.length > 1) assumeOne(context, one, { possible, chosen });
    for (const meant of chosen) assumeCount(context, one, meant, remaining(meant));
  }
}

/**
 * Returns the municipalities of a region that are still part of a mention. If these are all,
 * returns the region's own list object.
 */
function remainingOf(
  { gazetteer }: PlaceContext,
  { cities }: Mention,
  { region }: MeantRegion,
): readonly City[] {
  const members = region.members(gazetteer);
  return members === cities ? members : members.filter((city) => setOf(cities).has(city));
}

/** Cached sets of the municipalities in a list. */
const sets = new WeakMap<readonly City[], ReadonlySet<City>>();

function setOf(cities: readonly City[]): ReadonlySet<City> {
  const set = sets.get(cities) ?? new Set(cities);
  sets.set(cities, set);
  return set;
}

/**
 * Returns a function that restricts a list of municipalities to the requested states: "em
 * Pernambuco, exceto a Zona da Mata". Each list is scanned once.
 */
function keepingOf(states: ReadonlySet<string>): (cities: readonly City[]) => readonly City[] {
  const cache = new Map<readonly City[], readonly City[]>();
  return (cities) => {
    const known = cache.get(cities);
    if (known !== undefined) return known;
    const inside = cities.filter(({ uf }) => states.has(uf));
    const own = inside.length === 0 || inside.length === cities.length ? cities : inside;
    cache.set(cities, own);
    return own;
  };
}

/** Returns the states that are requested or contain requested cities. */
function includedStates(mentions: readonly Mention[]): ReadonlySet<string> {
  const states = new Set<string>();
  const lists = new Set<readonly City[]>();
  for (const one of mentions) {
    if (one.negated || one.dropped) continue;
    for (const uf of one.states) states.add(uf);
    if (!lists.has(one.cities)) for (const { uf } of one.cities) states.add(uf);
    lists.add(one.cities);
  }
  return states;
}

interface Choice {
  readonly possible: readonly MeantRegion[];
  readonly chosen: readonly MeantRegion[];
}

function assumeOne({ notes }: PlaceContext, { words }: Mention, { possible, chosen }: Choice) {
  const used = chosen.map(({ region }) => region.name).join(", ");
  notes.assume(
    "region_of_several",
    {
      pt: `Há ${possible.length} regiões com esse nome; usado: ${used}.`,
      en: `${possible.length} regions have this name; used: ${used}.`,
    },
    words,
  );
}

function assumeCount(
  { notes }: PlaceContext,
  { words }: Mention,
  { region: { name } }: MeantRegion,
  cities: readonly City[],
): void {
  const one = cities.length === 1;
  notes.assume(
    "region_as_municipalities",
    {
      pt: `${name}: ${cities.length} ${one ? "município" : "municípios"}.`,
      en: `${name}: ${cities.length} ${one ? "municipality" : "municipalities"}.`,
    },
    words,
  );
}
