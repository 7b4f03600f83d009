/**
 * The stage of places. What comes in: a sentence and the gazetteer. What goes out: states and
 * municipalities, with what was assumed about names that stand for several.
 * Invariant: a place that is not known is said to be so and never widens the search; a name that is
 * also a word of trade is a place only where the sentence says so.
 */
import type { City, Gazetteer, Place } from "./gazetteer.ts";
import { claimNegation, negatorOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import { joins, type Match } from "./phrases.ts";
import type { Sentence, Words } from "./sentence.ts";
import { STATE_NAMES } from "./states.ts";

/** Prepositions that a place follows. */
const IN = new Set("em no na nos nas in at near para".split(" "));
const OF = new Set("de do da dos das of from".split(" "));
/** Words before a place that say what kind it is. */
const STATE_WORDS = new Set("estado estados uf state".split(" "));
const CITY_WORDS = new Set("cidade cidades municipio municipios city capital".split(" "));
/** Cities of this many accounts are known without a preposition. */
const WELL_KNOWN = 0.004;
/** A namesake with ten times the accounts of all others together is the one that is meant. */
const OUTWEIGHS = 10;

/** What the stage has found. */
export interface FoundPlaces {
  readonly states: Set<string>;
  readonly cities: Map<string, City>;
  readonly excludedStates: Set<string>;
  /** True when a place was named that nobody knows. */
  unknown: boolean;
}

/** What the stage works on. */
export interface PlaceContext {
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
  /** Accounts of the snapshot. */
  readonly accounts: number;
  /** Whether a known name of a trade begins here and reaches that far. */
  readonly tradeEnd: (index: number) => number;
}

/** Finds and claims every place. */
export function findPlaces(context: PlaceContext): FoundPlaces {
  const found: FoundPlaces = {
    states: new Set(),
    cities: new Map(),
    excludedStates: new Set(),
    unknown: false,
  };
  const { sentence } = context;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const end = takeAbbreviation(context, found, at) ?? takePlace(context, found, at);
    if (end !== null) at = end - 1;
  }
  findUnknown(context, found);
  dropCoveredStates(found);
  return found;
}

/** `SP`, `/sp`, `em sp`: two letters that are a state; in lower case only behind a sign of one. */
function takeAbbreviation(context: PlaceContext, found: FoundPlaces, at: number): number | null {
  const { sentence } = context;
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || token.text.length !== 2) return null;
  const uf = token.text.toUpperCase();
  if (STATE_NAMES[uf] === undefined) return null;
  const before = sentence.folded(at - 1);
  const mark = sentence.tokens[at - 1]?.text === "/" || sentence.tokens[at - 1]?.text === "(";
  const upper = token.text === uf && sentence.text !== sentence.text.toUpperCase();
  const led = IN.has(before) || STATE_WORDS.has(before) || mark || afterPlace(sentence, at);
  if (!upper && !led) return null;
  const listed = ["e", "ou"].includes(before) && sentence.owner(at - 2) === "place";
  if (!upper && !led && !listed) return null;
  const city = afterPlace(sentence, at) ? lastCity(found) : undefined;
  addStates(context, found, { at, to: at + 1, states: [uf] });
  if (city !== undefined) narrow(found, city, uf);
  return at + 1;
}

function afterPlace(sentence: Sentence, at: number): boolean {
  const mark = ["/", ",", "(", "-"].includes(sentence.tokens[at - 1]?.text ?? "");
  return sentence.owner(at - 1) === "place" || (mark && sentence.owner(at - 2) === "place");
}

function lastCity(found: FoundPlaces): City | undefined {
  return [...found.cities.values()].at(-1);
}

/** "Bom Jesus/PI": of the namesakes only the one of the state, and of the state only the city. */
function narrow(found: FoundPlaces, last: City, uf: string): void {
  const namesakes = [...found.cities.values()].filter(({ name }) => name === last.name);
  if (!namesakes.some((city) => city.uf === uf)) return;
  for (const city of namesakes) if (city.uf !== uf) found.cities.delete(city.ibge);
}

function takePlace(context: PlaceContext, found: FoundPlaces, at: number): number | null {
  const { sentence, gazetteer } = context;
  if (joins(sentence.tokens[at])) return null;
  const match = gazetteer.places.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null || !isMeant(context, match)) return null;
  const { states, cities, kind } = match.value;
  const asState = states.length > 0 && (cities.length === 0 || meansState(sentence, match, kind));
  if (asState) {
    addStates(context, found, { at, to: match.to, states });
    return match.to;
  }
  return addCities(context, found, match);
}

/** "no estado de São Paulo" is the state, "em São Paulo" the city. */
function meansState(sentence: Sentence, { from }: Match<Place>, kind: Place["kind"]): boolean {
  if (kind === "region" || kind === "demonym") return true;
  const before = sentence.folded(from - 1);
  const beforeThat = sentence.folded(from - 2);
  if (STATE_WORDS.has(before) || STATE_WORDS.has(beforeThat)) return true;
  return false;
}

/** Whether a name that was found is meant as a place. */
function isMeant(context: PlaceContext, match: Match<Place>): boolean {
  const { sentence, accounts } = context;
  const { from, to, value } = match;
  const before = sentence.folded(from - 1);
  const led = IN.has(before) || STATE_WORDS.has(before) || CITY_WORDS.has(before);
  const followed = isStateAt(sentence, to);
  const listed =
    ["e", "ou", "and"].includes(before) || sentence.tokens[from - 1]?.text === ","
      ? sentence.owner(from - 2) === "place"
      : false;
  const trade = context.tradeEnd(from) >= to;
  if (value.kind === "demonym" || value.kind === "nickname") return led || !trade;
  if (led || followed || listed) return true;
  const capitalised = isCapitalised(sentence, from) && from > 0;
  if (trade) return OF.has(before) && capitalised && value.kind !== "city";
  if (value.kind === "state" || value.kind === "region") return true;
  const known = value.cities.some((city) => city.capital || city.accounts > accounts * WELL_KNOWN);
  return known || capitalised || OF.has(before);
}

function isStateAt(sentence: Sentence, at: number): boolean {
  const skip = ["/", "(", ",", "-"].includes(sentence.tokens[at]?.text ?? "") ? 1 : 0;
  const text = sentence.tokens[at + skip]?.text ?? "";
  return text.length === 2 && text === text.toUpperCase() && STATE_NAMES[text] !== undefined;
}

function isCapitalised(sentence: Sentence, at: number): boolean {
  const text = sentence.tokens[at]?.text ?? "";
  return text !== text.toLowerCase() && sentence.text !== sentence.text.toUpperCase();
}

interface Span {
  readonly at: number;
  readonly to: number;
  readonly states: readonly string[];
}

function addStates({ sentence }: PlaceContext, found: FoundPlaces, { at, to, states }: Span): void {
  const from = leadStart(sentence, at);
  const negator = negatorOf(sentence, from);
  if (negator >= 0) claimNegation(sentence, negator, from);
  sentence.claim(from, to, "place");
  for (const uf of states) (negator >= 0 ? found.excludedStates : found.states).add(uf);
}

function addCities(context: PlaceContext, found: FoundPlaces, match: Match<Place>): number {
  const { sentence, notes } = context;
  const from = leadStart(sentence, match.from);
  const negator = negatorOf(sentence, from);
  if (negator >= 0) claimNegation(sentence, negator, from);
  const words = sentence.claim(from, match.to, "place");
  if (negator >= 0) {
    notes.leave(
      "excluded_city",
      {
        pt: "Não há filtro que exclua um município; a exclusão não foi aplicada.",
        en: "No filter excludes a municipality; this was not applied.",
      },
      words,
    );
    return match.to;
  }
  for (const city of chooseNamesakes(context, found, match, words))
    found.cities.set(city.ibge, city);
  return match.to;
}

/** The municipalities that a name stands for, with an assumption where it is not the only one. */
function chooseNamesakes(
  context: PlaceContext,
  found: FoundPlaces,
  { value, to }: Match<Place>,
  words: Words,
): readonly City[] {
  const { notes } = context;
  const all = value.cities;
  if (all.length < 2) {
    if (value.states.length > 0) assumeCity(notes, all[0] as City, words);
    return all;
  }
  const named = stateBehind(context, to);
  const inNamed = all.filter(({ uf }) => uf === named || found.states.has(uf));
  if (inNamed.length > 0) return inNamed;
  const capital = all.find((city) => city.capital);
  const largest = [...all].sort((a, b) => b.accounts - a.accounts)[0] as City;
  const others = all.reduce((sum, { accounts }) => sum + accounts, 0) - largest.accounts;
  const one = capital ?? (largest.accounts >= OUTWEIGHS * others ? largest : undefined);
  const chosen = one === undefined ? all : [one];
  const list = chosen.map(({ name, uf }) => `${name}/${uf}`).join(", ");
  notes.assume(
    "city_of_several_states",
    {
      pt: `Há ${all.length} municípios com esse nome; foi usado ${list}.`,
      en: `${all.length} municipalities have this name; used: ${list}.`,
    },
    words,
  );
  return chosen;
}

function assumeCity(notes: Notes, { name, uf }: City, words: Words): void {
  notes.assume(
    "city_not_state",
    {
      pt: `Entendido como o município de ${name}/${uf}, não o estado.`,
      en: `Taken for the municipality of ${name}/${uf}, not the state.`,
    },
    words,
  );
}

/** The state that stands right behind a city: "Bom Jesus/PI", "Bom Jesus no Piauí". */
function stateBehind({ sentence, gazetteer }: PlaceContext, at: number): string | null {
  let next = at;
  while (next < at + 4 && (IN.has(sentence.folded(next)) || isLead(sentence, next))) next++;
  const text = (sentence.tokens[next]?.text ?? "").toUpperCase();
  if (STATE_NAMES[text] !== undefined) return text;
  const match = gazetteer.places.longest(sentence.tokens, next);
  return match !== null && match.value.states.length === 1
    ? (match.value.states[0] as string)
    : null;
}

function isLead(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  const mark = ["/", "(", ","].includes(sentence.tokens[at]?.text ?? "");
  return mark || OF.has(word) || STATE_WORDS.has(word);
}

/** The preposition and words such as "cidade de" before a place belong to it. */
function leadStart(sentence: Sentence, at: number): number {
  let from = at;
  while (from > 0 && sentence.free(from - 1)) {
    const word = sentence.folded(from - 1);
    const mark = ["/", "("].includes(sentence.tokens[from - 1]?.text ?? "");
    const leads = IN.has(word) || OF.has(word) || STATE_WORDS.has(word) || CITY_WORDS.has(word);
    if (!mark && !leads && word !== "regiao" && word !== "todo" && word !== "toda") break;
    from--;
  }
  return from;
}

/** A capitalised name behind "em" that nobody knows: said, and never searched without it. */
function findUnknown({ sentence, notes }: PlaceContext, found: FoundPlaces): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const named =
      sentence.free(at) &&
      isCapitalised(sentence, at) &&
      /^\p{L}{3,}/u.test(sentence.tokens[at]?.text ?? "");
    if (!named || !IN.has(sentence.folded(at - 1)) || sentence.folded(at - 1) === "para") continue;
    let to = at + 1;
    while (sentence.free(to) && isCapitalised(sentence, to)) to++;
    const words = sentence.claim(at - 1, to, "unmapped");
    found.unknown = true;
    notes.warn(
      "unknown_place",
      {
        pt: "Lugar desconhecido; a busca não foi ampliada para o país todo.",
        en: "Unknown place; the search was not widened to the whole country.",
      },
      words,
    );
    notes.leave("place", { pt: "Lugar desconhecido.", en: "Unknown place." }, words);
  }
}

/** "Campinas, SP": the state only said which Campinas was meant. */
function dropCoveredStates(found: FoundPlaces): void {
  for (const { uf } of found.cities.values()) found.states.delete(uf);
}
