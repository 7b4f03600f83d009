/**
 * Reads distances from a city: "num raio de 50 km de Campinas".
 * Input: a sentence and the position of a number of kilometers. Output: a mention of all
 * municipalities within the distance.
 * Invariant: the words must mean "within the distance". The distance is measured between the
 * municipal seats. If no list of municipalities can express a distance, it is reported and never
 * ignored.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import type { Sentences } from "../notes.ts";
import { numberAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import { namesakesMeant } from "./gazetteer.ts";
import { type Mention, meaningOf, mentionOf, type PlaceContext } from "./mention.ts";
import { postalEnd } from "./numbered.ts";
import type { City, PlaceMatch } from "./placenames.ts";
import { isUnknownName } from "./unknownnames.ts";

/** Range of distances, in kilometers, that are searched. */
const KM_MIN = 10;
const KM_MAX = 500;

const UNITS = /^(kms?|quilometros?|kilometros?|kilometers?|kilometres?|mi|miles?|milhas?|millas?)$/;
const MILES = /^(mi|miles?|milhas?|millas?)$/;
const KM_OF_MILE = 1.609;
/** `BEFORE`: words that may stand before the number. `SIGNS`: those of them that mean "within". */
const BEFORE = new Set(
  (
    "num numa em um no na o a as uma de do da dentro raio ate menos maximo distancia within in " +
    "radius cerca aproximadamente uns radio hasta un of the less than about around up to " +
    "distance " +
    "distantes distante distando ficam fica localizadas localizados que max com an"
  ).split(" "),
);
const SIGNS = new Set(
  "raio ate menos maximo dentro distancia within radius radio hasta less up max".split(" "),
);
/** Words that may stand between the number and the city. */
const BEHIND = new Set(
  (
    "de do da d ao redor em torno volta a partir of around from the cidade municipio centro city " +
    "radius raio distancia del away distante distantes alrededor"
  ).split(" "),
);
const SIGNS_BEHIND = new Set("redor torno volta around radius raio alrededor".split(" "));
/** Matches words before the city that do not change the meaning of a distance. */
const NEAR = /^(near|around|perto|proxim[ao]s?|cerca)$/;
/** Words before a city that make it the center: "a 20 km de Natal". */
const FROM = new Set("de do da d from of del".split(" "));
/** Matches words that request places farther away than the distance. */
const FARTHER = /^(mais|fora|alem|over|beyond|more|farther|further|mas|minimo|least)$/;
/** Matches text such as "+" between a city and a number of kilometers around it. */
const PLUS = /^[\s,(]*(?:\+|mais|más|plus|e(?: mais)?|and|y)?\s*$/iu;
const WORDS_MAX = 7;
/**
 * A name may mean a town or a district of a city in another state. The district is meant if the
 * city has at least this many times the accounts of the town.
 */
const OUTWEIGHS = 10;

/** Places found around the distance. */
interface Adjacent {
  readonly last: Mention | undefined;
  /** Names of places that contain a negating word, such as Juiz de Fora, by their first token. */
  readonly firm: ReadonlyMap<number, PlaceMatch>;
}

/** Returns a mention of all places within a distance of a city, or null for other numbers. */
export function radiusAt(
  context: PlaceContext,
  at: number,
  { last, firm }: Adjacent,
): Mention | null {
  const { sentence } = context;
  const km = kilometresAt(sentence, at);
  if (km === null) return null;
  const { from, stated } = beginAt(sentence, at);
  const center = centerBehind(context, at + 2, firm);
  if (center.cities.length > 0) {
    const farther = fartherAt(sentence, from, at);
    if (farther >= 0) return lostCircle(context, [farther, center.to], center.cities, FARTHER_OFF);
  }
  if (center.cities.length > 0) {
    return stated || center.stated ? circle(context, [from, center.to], km, center.cities) : null;
  }
  const before = last !== undefined && last.states.length === 0 && !last.negated ? last : null;
  if (before === null || before.cities.length === 0) return null;
  // A sum instead of a preposition: "Campinas + 30 km", "in Campinas and 30 km around".
  const isPlus = PLUS.test(sentence.words(before.to, at).words);
  if (!isPlus && fartherAt(sentence, from, at) >= 0) return null;
  if (!isPlus && !stated && !center.stated) return null;
  const gap = isPlus ? "" : sentence.words(before.to, from).words;
  if (/[\p{L}\p{N}]/u.test(gap)) return null;
  if (before.regions.length > 0) return null;
  before.dropped = true;
  // "near" in "near Florianópolis, within 30 km" adds nothing to the distance and is marked as
  // read.
  const near = before.from - 1;
  if (NEAR.test(sentence.folded(near)) && sentence.free(near)) {
    sentence.claim(near, near + 1, "place");
  }
  return circle(context, [from, center.to], km, before.cities);
}

function kilometresAt(sentence: Sentence, at: number): number | null {
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at) || !sentence.free(at + 1)) return null;
  const unit = sentence.folded(at + 1);
  if (!UNITS.test(unit)) return null;
  if (token.kind === "word") return statedKilometres(sentence, at);
  const plain = token.text.replace(/\.(?=\d{3}(\D|$))/g, "").replace(",", ".");
  if (!/^\d+(\.\d+)?$/.test(plain)) return null;
  return MILES.test(unit) ? Math.round(Number(plain) * KM_OF_MILE) : Number(plain);
}

/** Reads a number in words, which ends at a token: "cinquenta km", "vinte e cinco quilômetros". */
function statedKilometres(sentence: Sentence, at: number): number | null {
  const unit = sentence.folded(at + 1);
  for (let from = Math.max(0, at - 2); from <= at; from++) {
    const number = numberAt(sentence, from);
    if (number?.to !== at + 1) continue;
    return MILES.test(unit) ? Math.round(number.value * KM_OF_MILE) : number.value;
  }
  return null;
}

function beginAt(
  sentence: Sentence,
  at: number,
): { readonly from: number; readonly stated: boolean } {
  let from = at;
  let stated = false;
  while (from > Math.max(0, at - WORDS_MAX) && sentence.free(from - 1)) {
    const word = sentence.folded(from - 1);
    const number = numberAt(sentence, from - 1) !== null || word === "e";
    if (!BEFORE.has(word) && !number) break;
    stated ||= SIGNS.has(word);
    from--;
  }
  return { from, stated };
}

interface Center {
  readonly cities: readonly City[];
  readonly to: number;
  readonly stated: boolean;
}

/** Reads the city after the number, together with the letters of its state. */
function centerBehind(context: PlaceContext, from: number, firm: Adjacent["firm"]): Center {
  const { sentence, gazetteer } = context;
  let at = from;
  let [stated, away] = [false, false];
  while (at < from + WORDS_MAX && sentence.free(at) && BEHIND.has(sentence.folded(at))) {
    stated ||= SIGNS_BEHIND.has(sentence.folded(at));
    away ||= FROM.has(sentence.folded(at));
    at++;
  }
  const coded = postalCenter(context, at);
  if (coded !== null) return coded;
  const usable = (index: number) => sentence.free(index);
  const match = isUnknownName(context, at)
    ? null
    : (firm.get(at) ?? gazetteer.places.longest(sentence.tokens, at, usable));
  const { cities } = match === null ? { cities: [] } : meaningOf(sentence, match);
  stated ||= away && cities.length > 0;
  // If no city follows, the words about the distance end after the unit, such as "km".
  if (match === null || cities.length === 0) return { cities: [], to: stated ? at : from, stated };
  const home = homeAfter(context, match);
  if (home !== null) return { ...home, stated };
  const mark = ["/", "(", ",", "–", "—"].includes(sentence.tokens[match.to]?.text ?? "");
  const text = sentence.tokens[mark ? match.to + 1 : match.to]?.text ?? "";
  const uf = text.length === 2 ? text.toUpperCase() : "";
  const inside = cities.filter((city) => city.uf === uf);
  if (STATE_NAMES[uf] === undefined || inside.length === 0) {
    return { cities: namesakesMeant(cities), to: match.to, stated };
  }
  return { cities: inside, to: match.to + (mark ? 2 : 1), stated };
}

/** Reads a postal code as the center, such as "CEP 13010-000", and returns the city that has it. */
function postalCenter(
  { sentence, gazetteer, notes, postalCity }: PlaceContext,
  at: number,
): Center | null {
  const number = postalEnd(sentence, at);
  const { kind, text = "" } = sentence.tokens[number] ?? {};
  if (number === at || kind !== "number" || postalCity === undefined) return null;
  const ibge = postalCity(text.replace(/\D/g, ""));
  const city = ibge === null ? undefined : gazetteer.city(ibge);
  if (city === undefined) return null;
  const { name, uf } = city;
  notes.assume(
    "radius_from_seat",
    {
      pt: `O CEP é de ${name}/${uf}: a distância é a da sede do município.`,
      en: `The postal code is of ${name}/${uf}: distances are those of its seat.`,
    },
    sentence.words(at, number + 1),
  );
  return { cities: [city], to: number + 1, stated: true };
}

/**
 * Reads the city that follows the name of one of its districts: "Recife" in "20 km de Boa Viagem,
 * Recife". The distance is measured from the seat of the city.
 */
function homeAfter(
  { sentence, gazetteer, districts, notes }: PlaceContext,
  { from, to }: PlaceMatch,
): { readonly cities: readonly City[]; readonly to: number } | null {
  const isJoined = sentence.tokens[to]?.text === "," || /^(em|in|no|na)$/.test(sentence.folded(to));
  const match = isJoined ? gazetteer.places.longest(sentence.tokens, to + 1) : null;
  if (match === null || match.place.cities.length === 0 || districts.names.lacking) return null;
  const cities = namesakesMeant(match.place.cities);
  const { words: name } = sentence.words(from, to);
  const towns = gazetteer.places.longest(sentence.tokens, from)?.place.cities ?? [];
  const homes = cities.filter((city) => {
    const isKnown = districts.names.known(city.ibge, [name])[0] != null;
    // In "20 km de Recife, em Olinda", Recife is larger than Olinda. So it is the center and not a
    // district of Olinda.
    if (isKnown && towns.every(({ accounts }) => accounts < city.accounts)) return true;
    return towns.every((town) => {
      return town.uf !== city.uf && city.accounts >= OUTWEIGHS * town.accounts;
    });
  });
  if (homes.length === 0) return null;
  notes.assume(
    "radius_from_seat",
    {
      pt: `Não se sabe onde fica ${name}: a distância é a da sede da cidade.`,
      en: `It is not known where ${name} lies: distances are those of the seat of its city.`,
    },
    sentence.words(from, match.to),
  );
  return { cities: homes, to: match.to };
}

/** Returns the position of a word for "farther than", as in "a mais de 50 km", or -1. */
function fartherAt(sentence: Sentence, from: number, at: number): number {
  for (let i = Math.max(0, from - 1); i < at; i++) {
    if (FARTHER.test(sentence.folded(i)) && sentence.free(i)) return i;
  }
  return -1;
}

/** Reports a distance that is not searched. */
function lostCircle(
  context: PlaceContext,
  [from, to]: readonly [number, number],
  cities: readonly City[],
  why: Sentences,
): Mention {
  const words = context.sentence.words(from, to);
  const mention = mentionOf(context, [from, to], { cities, every: true, lost: true });
  context.notes.addUnmapped("radius", why, words);
  return mention;
}

function circle(
  context: PlaceContext,
  [from, to]: readonly [number, number],
  km: number,
  centers: readonly City[],
): Mention {
  const { gazetteer, notes, sentence } = context;
  const words = sentence.words(from, to);
  const names = centers.map(({ name, uf }) => `${name}/${uf}`).join(", ");
  if (km < KM_MIN || km > KM_MAX) {
    return lostCircle(context, [from, to], centers, OUT_OF_RANGE);
  }
  const codes = centers.map(({ ibge }) => gazetteer.seats.within(ibge, km));
  const cities = codes.flatMap((near) => near ?? []).flatMap((ibge) => gazetteer.city(ibge) ?? []);
  if (codes.includes(null)) {
    return lostCircle(context, [from, to], centers, UNKNOWN_SEAT);
  }
  const mention = mentionOf(context, [from, to], { cities: [...new Set(cities)], every: true });
  const count = mention.cities.length;
  const [pt, en] = count === 1 ? ["município", "municipality"] : ["municípios", "municipalities"];
  notes.assume(
    "radius",
    {
      pt: `Até ${km} km de ${names}, de sede a sede: ${count} ${pt}.`,
      en: `Within ${km} km of ${names}, seat to seat: ${count} ${en}.`,
    },
    words,
  );
  return mention;
}

const OUT_OF_RANGE = {
  pt: `Só há distâncias de ${KM_MIN} a ${KM_MAX} km, entre sedes de municípios.`,
  en: `Only distances of ${KM_MIN} to ${KM_MAX} km are there, between seats of municipalities.`,
};
const FARTHER_OFF = {
  pt: "Não há filtro pelo que fica mais longe do que uma distância.",
  en: "No filter takes what lies farther away than a distance.",
};
const UNKNOWN_SEAT = {
  pt: "Não se sabe onde fica a sede desse município.",
  en: "It is not known where the seat of this municipality is.",
};
