/**
 * Assigns the districts in a sentence to cities: "Centro de Campinas e Gonzaga de Santos".
 * Input: the districts and requested cities of a sentence. Output: the municipalities in which each
 * district is looked up.
 * Invariant: a district next to a city is looked up only in that city and in the cities listed with
 * it. If several cities stand between two districts, they could belong to either district and are
 * assigned to neither.
 */
import type { Sentence } from "../../words/sentence.ts";
import type { City } from "../placenames.ts";
import type { Lead } from "../placewords.ts";

/** Tokens of a name, including the words that introduce it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A district in the sentence. The keys of `known` are the IBGE codes of its municipalities. */
interface DistrictAt extends Span {
  readonly known: ReadonlyMap<string, unknown>;
}

/** A named place, as in a mention. */
export interface PlaceAt extends Span {
  readonly lead: Pick<Lead, "kind">;
  readonly states: readonly string[];
  readonly cities: readonly City[];
}

/** Districts or cities that form one list. */
interface Run extends Span {
  readonly districts: readonly DistrictAt[];
  readonly cities: readonly PlaceAt[];
}

type Link = "listed" | "comma" | "direct" | "apart";

const CONJUNCTIONS = new Set("e ou and or nem nor mais".split(" "));

/**
 * Maps each district to the IBGE codes of its cities. The set is empty if several cities stand
 * between districts and could belong to the districts on either side. A district that is not next
 * to a city is missing from the map, because any city of the sentence may be meant.
 */
export function citiesOfDistricts<District extends DistrictAt>(
  sentence: Sentence,
  districts: readonly District[],
  places: readonly PlaceAt[],
): ReadonlyMap<District, ReadonlySet<string>> {
  const cities = places.filter((one) => one.states.length === 0 && one.cities.length > 0);
  const runs = runsOf(sentence, districts, cities);
  const found = new Map<District, ReadonlySet<string>>();
  for (const [i, run] of runs.entries()) {
    if (run.districts.length === 0) continue;
    const owner = ownerOf(sentence, runs, i);
    if (owner === null) continue;
    const shared = owner.cities.length > 1 && isBetween(sentence, runs, runs.indexOf(owner));
    const codes = owner.cities.flatMap((one) => one.cities.map(({ ibge }) => ibge));
    for (const one of run.districts) found.set(one as District, new Set(shared ? [] : codes));
  }
  return found;
}

/** Returns the lists of districts and cities in the order of the sentence. */
function runsOf(
  sentence: Sentence,
  districts: readonly DistrictAt[],
  cities: readonly PlaceAt[],
): Run[] {
  const single = [
    ...districts.map((one) => ({ from: one.from, to: one.to, districts: [one] })),
    ...cities.map((one) => ({ from: one.from, to: one.to, cities: [one] })),
  ].map((one) => ({ districts: [], cities: [], ...one }) as Run);
  const runs: Run[] = [];
  for (const one of single.sort((a, b) => a.from - b.from)) {
    const last = runs.at(-1);
    if (last === undefined || !isOneList(sentence, last, one)) runs.push(one);
    else {
      runs[runs.length - 1] = {
        ...{ from: last.from, to: one.to },
        districts: [...last.districts, ...one.districts],
        cities: [...last.cities, ...one.cities],
      };
    }
  }
  return runs;
}

function isOneList(sentence: Sentence, last: Run, one: Run): boolean {
  if (last.cities.length > 0 !== one.cities.length > 0) return false;
  const link = linkOf(sentence, last.to, one.from);
  if (one.cities.length === 0) return link !== "apart";
  if (link !== "listed" && link !== "comma") return false;
  // In "bairro Centro de Campinas e em Santos", "em" begins a new list, so all of Santos is
  // requested.
  const [kind, first] = [one.cities[0]?.lead.kind, last.cities[0]?.lead.kind];
  return kind === "" || kind === first;
}

/**
 * Returns the list of cities next to the list of districts at index `at`, or null if there is none.
 * If there are two, returns the one that the districts belong to.
 */
function ownerOf(sentence: Sentence, runs: readonly Run[], at: number): Run | null {
  const run = runs[at] as Run;
  const sides = [runs[at - 1], runs[at + 1]].filter((one): one is Run => {
    return one !== undefined && one.cities.length > 0 && isNextTo(sentence, one, run);
  });
  const [one, other] = sides;
  if (one === undefined || other === undefined) return one ?? null;
  const knowing = sides.filter((side) => knowsAll(side, run));
  if (knowing.length === 1) return knowing[0] as Run;
  // If cities stand on both sides, a direct "de" decides: "em Campinas, bairro Centro de Santos".
  if (other.cities[0]?.lead.kind === "of" && linkOf(sentence, run.to, other.from) === "direct") {
    return other;
  }
  // If the sentence begins with a city, each list of districts belongs to the city before it,
  // otherwise to the city after it.
  return (runs[0] as Run).cities.length > 0 ? one : other;
}

function knowsAll({ cities }: Run, { districts }: Run): boolean {
  return districts.every(({ known }) =>
    cities.some((one) => one.cities.some(({ ibge }) => known.has(ibge))),
  );
}

/** True if districts are adjacent to the list of cities at index `at` on both sides. */
function isBetween(sentence: Sentence, runs: readonly Run[], at: number): boolean {
  const [before, run, after] = [runs[at - 1], runs[at] as Run, runs[at + 1]];
  const isDistrict = (one: Run | undefined) => one !== undefined && one.districts.length > 0;
  if (!isDistrict(before) || !isDistrict(after)) return false;
  return isNextTo(sentence, before as Run, run) && isNextTo(sentence, run, after as Run);
}

/** True if nothing but a comma and small words separates two lists. */
function isNextTo(sentence: Sentence, one: Run, other: Run): boolean {
  const [first, second] = one.from < other.from ? [one, other] : [other, one];
  const link = linkOf(sentence, first.to, second.from);
  return link === "comma" || link === "direct";
}

/**
 * Returns how two names are joined: "listed" by a word such as "e", by a "comma", "direct", or
 * "apart". Unlike `linkOf` in readings.ts, this skips a state between the names, such as "SP" in
 * "Campinas, SP, Centro".
 */
function linkOf(sentence: Sentence, from: number, to: number): Link {
  let [comma, listed] = [false, false];
  for (let at = from; at < to; at++) {
    const text = sentence.tokens[at]?.text ?? "";
    if (CONJUNCTIONS.has(sentence.folded(at))) listed = true;
    else if (text === "," || text === ";") comma = true;
    else if (/[\p{L}\p{N}.!?]/u.test(text) && sentence.owner(at) !== "place") return "apart";
  }
  if (listed) return "listed";
  return comma ? "comma" : "direct";
}
