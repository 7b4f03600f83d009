/**
 * Portuguese sentences to specs. What comes in: a text and a segment. What goes out: a spec as a
 * client could have written it, what was assumed and what could not be expressed, and every part of
 * the text with what it became.
 * Invariant: deterministic and offline; every word is mapped, a filler, or in
 * `unmapped_constraints`; a text never widens what it asks for; linear in its length.
 */
import type { Segment } from "../search/segment.ts";
import { UFS } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/schema.ts";
import { type FoundActivity, findActivities, tradeEnd } from "./activities.ts";
import { type FoundNumbers, findNumbers } from "./dates.ts";
import { gazetteerOf } from "./gazetteer.ts";
import { settleLeftovers } from "./leftovers.ts";
import { languageOf, type Note, Notes } from "./notes.ts";
import { type FoundPlaces, findPlaces } from "./places.ts";
import { type Role, Sentence, type Words } from "./sentence.ts";
import { companyOf, findWishes } from "./wishes.ts";
import type { FoundWishes } from "./wishtable.ts";

/** Longest text, in UTF-16 units. */
export const TEXT_MAX = 2_000;

/** A part of the text with what it was taken for. */
export interface Part extends Words {
  readonly role: Role;
}

/** What a text became. */
export interface Translation {
  /** To be normalized like any spec that a client sends. */
  readonly spec: Readonly<Record<string, unknown>> & { readonly explain: TranslationExplain };
  readonly parts: readonly Part[];
  /** Activities by place in the text, likeliest first. */
  readonly activities: readonly FoundActivity[];
}

/** What `explain` of a translated spec holds. */
export interface TranslationExplain {
  readonly assumptions: readonly Note[];
  readonly warnings: readonly Note[];
  readonly unmapped_constraints: readonly Note[];
  readonly confidence: number;
}

/** Translates a text of at most `TEXT_MAX` units. */
export function translate(text: string, segment: Segment): Translation {
  const sentence = new Sentence(text);
  const words = sentence.tokens.map(({ folded }) => folded);
  const notes = new Notes(languageOf(words));
  const numbers = findNumbers(sentence, segment.snapshotDate, notes);
  const places = findPlaces({
    ...{ sentence, notes, gazetteer: gazetteerOf(segment), accounts: segment.accounts },
    tradeEnd: (at) => tradeEnd(sentence, at),
  });
  const wishes = findWishes(sentence, notes);
  const activities = findActivities({ segment, sentence, notes });
  const unmapped = settleLeftovers(sentence, notes);
  const confidence = confidenceOf({ sentence, places, activities, unmapped });
  const explain: TranslationExplain = {
    assumptions: notes.assumptions,
    warnings: notes.warnings,
    unmapped_constraints: notes.unmapped,
    confidence,
  };
  // The company's members come last: they add an assumption, which `explain` already refers to.
  const company = { ...companyOf(wishes, notes), ...datesOf(numbers) };
  const spec = {
    ...(numbers.limit === null ? {} : { limit: numbers.limit }),
    filters: {
      industry: industryOf(activities),
      geo: geoOf(places),
      company,
      contact: contactOf(wishes),
    },
    ...(wishes.sort.length === 0 ? {} : { sort: sortOf(wishes) }),
    explain,
  };
  return { spec, parts: partsOf(sentence), activities };
}

function industryOf(activities: readonly FoundActivity[]): Record<string, unknown> {
  const codes = (excluded: boolean) => [
    ...new Set(activities.filter((one) => one.excluded === excluded).flatMap((one) => one.codes)),
  ];
  return { cnae_any_of: codes(false), cnae_exclude: codes(true) };
}

function geoOf({ states, cities, excludedStates }: FoundPlaces): Record<string, unknown> {
  const wanted =
    states.size === 0 && excludedStates.size > 0
      ? UFS.filter((uf) => uf !== "EX" && !excludedStates.has(uf))
      : [...states].filter((uf) => !excludedStates.has(uf));
  // A union of cities and whole states is not expressible: the states' own filter would cut it.
  const covered = wanted.length > 0 && cities.size > 0 ? withStatesOf(wanted, cities) : wanted;
  return {
    uf_any_of: covered,
    municipality_ibge_any_of: cities.size > 0 ? [...cities.keys()] : [],
  };
}

/** Cities and states together mean the cities; their states must not exclude them. */
function withStatesOf(states: readonly string[], cities: FoundPlaces["cities"]): string[] {
  return [...new Set([...states, ...[...cities.values()].map(({ uf }) => uf)])];
}

/** Each field once, the first wish of it; a spec takes three. */
function sortOf({ sort }: FoundWishes): FoundWishes["sort"] {
  const first = sort.filter(({ field }, at) => sort.findIndex((one) => one.field === field) === at);
  return first.slice(0, SPEC_LIMITS.sortKeysMax);
}

function datesOf(numbers: FoundNumbers): Record<string, unknown> {
  const { startedAfter, startedBefore, capitalMin, capitalMax } = numbers;
  return {
    ...(startedAfter === null ? {} : { started_after: startedAfter }),
    ...(startedBefore === null ? {} : { started_before: startedBefore }),
    ...(capitalMin === null ? {} : { share_capital_min: capitalMin }),
    ...(capitalMax === null ? {} : { share_capital_max: capitalMax }),
  };
}

function contactOf({ email, phone, contact }: FoundWishes): Record<string, unknown> {
  return { require_email: email, require_phone: phone, require_any_contact: contact };
}

/** The parts of the text in order; neighbours of one role are one part. */
function partsOf(sentence: Sentence): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < sentence.tokens.length; ) {
    const role = sentence.owner(at) ?? "filler";
    let to = at + 1;
    while (to < sentence.tokens.length && (sentence.owner(to) ?? "filler") === role) to++;
    if (role !== "filler") parts.push({ ...sentence.words(at, to), role });
    at = to;
  }
  return parts;
}

/** How sure the translation is: the weakest activity, less what was not understood. */
function confidenceOf(seen: {
  readonly sentence: Sentence;
  readonly places: FoundPlaces;
  readonly activities: readonly FoundActivity[];
  readonly unmapped: readonly Words[];
}): number {
  const { sentence, places, activities, unmapped } = seen;
  if (places.unknown) return 0;
  const telling = sentence.tokens.filter((_, at) => sentence.owner(at) !== "filler").length;
  if (telling === 0) return 0;
  const lost = unmapped.reduce((sum, { words }) => sum + words.split(/\s+/).length, 0);
  const weakest = activities.reduce((least, { certainty }) => Math.min(least, certainty), 1);
  const placed = places.states.size + places.cities.size > 0;
  const base = activities.length > 0 ? weakest : placed ? 0.7 : 0.2;
  return Math.round(Math.max(0, base - lost / (telling + 1)) * 100) / 100;
}
