/**
 * Translates Portuguese sentences to specs.
 * Input: a text and a segment. Output: a spec as a client could write it, the assumptions, the
 * conditions that no filter expresses, and the role of every part of the text.
 * Invariant: deterministic and offline. Every word sets a filter, is a filler, or is in
 * `unmapped_constraints`. The translation is never wider than the request unless a note says so.
 * Every stage scans the tokens a few times and reads a bounded number of words around each, so the
 * length limit of the text bounds the work.
 */

import type { Segment } from "../search/segment.ts";
import { catalogLookup } from "../spec/catalog.ts";
import { findActivities, tradeEnd } from "./activities/activities.ts";
import type { FoundActivity } from "./activities/activity.ts";
import { findCodes } from "./activities/cnaecodes.ts";
import { findSecondaryMarks } from "./activities/secondary.ts";
import { noteAlternatives } from "./alternatives.ts";
import { type ConfidenceFeatures, confidenceOf, isUncertain } from "./confidence.ts";
import { unmapConditional, unmapExcludedInPlace } from "./exclusions/excludedinplace.ts";
import { unmapExceptLists, unmapExcludedOrRequested } from "./exclusions/joineditems.ts";
import { claimRequestWords } from "./fillers.ts";
import { findContactValues, type MentionedContacts } from "./filters/contactvalues.ts";
import { unmapContactWords } from "./filters/contactwords.ts";
import { findFilters } from "./filters/filters.ts";
import { unmapLeftRegimes } from "./filters/leftregimes.ts";
import { findNameWords } from "./filters/namewords.ts";
import { unmapPeople, unmapPersons } from "./filters/people.ts";
import { leavePersonNumbers, withoutPersons } from "./filters/personnumbers.ts";
import { findRecords, isOfRecord } from "./filters/records.ts";
import {
  findSharedMax,
  type SharedMax,
  unmapCompanyNumbers,
  unmapSameContacts,
} from "./filters/sharedcontacts.ts";
import { filtersOf, sortOf } from "./filters/specfilters.ts";
import { unmapUnsupported } from "./filters/unsupported.ts";
import type { NamedList } from "./lists/listnames.ts";
import { findLists, type MentionedLists } from "./lists/mentionedlists.ts";
import { isNegatorWord, readLeavingOut, readNone } from "./negators.ts";
import { type Language, languageOf, type Note, Notes } from "./notes.ts";
import { findAges } from "./numbers/ages.ts";
import { Bounds } from "./numbers/bounds.ts";
import { findCapital, unmapAmounts } from "./numbers/capital.ts";
import { findCounts } from "./numbers/counts.ts";
import { findDates } from "./numbers/dates.ts";
import { findLimit } from "./numbers/limits.ts";
import { dayOf } from "./numbers/mentioneddates.ts";
import { findComposedDistricts } from "./places/districts/composeddistricts.ts";
import {
  districtFilterOf,
  findHomes,
  MentionedDistricts,
} from "./places/districts/districtmentions.ts";
import { DistrictNames } from "./places/districts/districtnames.ts";
import { findDistricts } from "./places/districts/districts.ts";
import { type Gazetteer, gazetteerOf } from "./places/gazetteer.ts";
import { geoOf } from "./places/geo.ts";
import { findNumberedPlaces, type NumberedPlaces } from "./places/numbered.ts";
import { type FoundPlaces, findPlaces } from "./places/places.ts";
import { isCapitalised } from "./places/placesigns.ts";
import { QUARTER_HEADS } from "./places/placewords.ts";
import { municipalityOfPostal } from "./places/postalcities.ts";
import { findUnknownPlaces } from "./places/unknownplaces.ts";
import { unmapSecondRequest } from "./secondrequest.ts";
import {
  unmapOtherPlaces,
  unmapSeparatePlaces,
  unmapSeparateTrades,
} from "./separateconditions.ts";
import { claimSpeaker, doubtSpeakerPlace } from "./speaker.ts";
import { readAbbreviations, readPairs, readPara, readSigns } from "./spelling/abbreviations.ts";
import { COMMON_WORDS } from "./spelling/commonwords.ts";
import { correctSpelling } from "./spelling/corrections.ts";
import { readEnglishForms } from "./spelling/englishforms.ts";
import {
  keepPlaceWords,
  readAnywhereBut,
  readHaving,
  readLacking,
  readNegativeNo,
  readOnPlaces,
  readPossessives,
  readSpanish,
} from "./spelling/foreignwords.ts";
import { isOwnRequest, quoteClauses, settleLeftovers } from "./unmapped.ts";
import { Sentence, type TokenRole, type Words } from "./words/sentence.ts";
import { foldWord, reduce } from "./words/tokens.ts";

/** A part of the text with its role. */
export interface Part extends Words {
  readonly role: TokenRole;
}

/** The result of a translation. */
export interface Translation {
  /** The spec, which must still be normalized like a spec from a client. */
  readonly spec: Readonly<Record<string, unknown>> & { readonly explain: TranslationExplain };
  readonly parts: readonly Part[];
  /** The activities in the order of the text. */
  readonly activities: readonly FoundActivity[];
  /** Words that have another reading, each with the text rewritten for that reading. */
  readonly doubts: readonly DoubtedText[];
  /** The counts from which the confidence is computed. */
  readonly features: ConfidenceFeatures;
}

/** Words with another reading. */
export interface DoubtedText extends Words {
  readonly code: string;
  readonly detail: string;
  /** The whole text, rewritten for the other reading. */
  readonly query_text: string;
}

/** The `explain` part of a translated spec. */
export interface TranslationExplain {
  readonly assumptions: readonly Note[];
  readonly warnings: readonly Note[];
  readonly unmapped_constraints: readonly Note[];
  readonly confidence: number;
}

/** Options of a translation. */
interface TranslateOptions {
  readonly language?: Language | undefined;
  /** Returns the client's lists; undefined if the client cannot have lists. Called at most once. */
  readonly lists?: (() => readonly NamedList[]) | undefined;
}

/** Translates a text of at most `TEXT_MAX` UTF-16 units. Notes default to its language. */
export function translate(
  written: string,
  segment: Segment,
  { language, lists }: TranslateOptions = {},
): Translation {
  const { text, hidden } = withoutPersons(written);
  const [gazetteer, sentence] = [gazetteerOf(segment), new Sentence(text)];
  const spanish = readForms(sentence, gazetteer);
  const detected = languageOf(sentence.tokens.map(({ folded }) => folded));
  const notes = new Notes(language ?? detected, spanish ? "es" : detected);
  const isPerson = leavePersonNumbers(sentence, notes, hidden);
  const around = {
    ...{ sentence, notes, gazetteer, accounts: segment.accounts },
    districts: new MentionedDistricts(new DistrictNames(segment)),
    tradeEnd: (at: number) => tradeEnd(sentence, at),
    postalCity: (digits: string) => municipalityOfPostal(segment, digits),
  };
  const own = claimSpeaker({ ...around, spanish });
  const [bounds, lookup] = [new Bounds(notes), catalogLookup(segment.catalog)];
  const records = findRecords({ sentence, notes, lookup, dated: bounds.left });
  const contacts = contactsOf(sentence, notes, lookup);
  claimRequestWords(sentence, around.tradeEnd);
  const namedLists = findLists({ sentence, notes, places: gazetteer.places }, lists ?? null);
  unmapPersons(sentence, notes);
  unmapUnsupported(around);
  const hints = findNameWords(around);
  findDistricts(around);
  correctSpelling({ ...around, segment });
  findDistricts(around);
  findComposedDistricts(around);
  const numbered = findNumberedPlaces(sentence, notes);
  const places = findPlaces(around);
  findUnknownPlaces(around, places, "long");
  const codes = findCodes({ segment, sentence, notes });
  const marks = findSecondaryMarks({ sentence, notes });
  const numbers = { sentence, notes, bounds, today: dayOf(segment.snapshotDate) };
  findAmountsAndDates(numbers);
  const counts = lookup.hasCounts;
  findCounts({ sentence, notes, bounds, counts });
  const limit = limitOf(sentence, notes);
  unmapAmounts(numbers);
  unmapPeople(sentence, notes);
  const filterValues = readFilters({ sentence, notes, counts, bounds });
  findUnknownPlaces(around, places, "named");
  const activities = findActivities({ segment, sentence, notes }, codes, marks);
  findUnknownPlaces(around, places, "left");
  const isLost =
    unmapSecondRequest(sentence, notes, places.sought) || contacts.lost || isPerson || records.lost;
  if (isLost) places.unknown = true;
  if (places.states.size + places.cities.size === 0) doubtSpeakerPlace(notes, own);
  const geo = geoOf(places, around);
  findHomes(around.districts, places, gazetteer);
  const named = districtFilterOf(around.districts, places, around);
  settleLeftovers(sentence, notes, { segment, activities });
  const misled = leaveAlternatives({ sentence, notes, lists: namedLists }, places, numbered);
  const filters = filtersOf({
    ...{ activities, hints, geo, numbered, conditions: filterValues, districts: named },
    ...{ bounds, notes, contacts, records, lists: namedLists, shared: contacts.shared },
  });
  const recorded = isOfRecord(records) || bounds.statusWords.length > 0 ? 1 : 0;
  const conditions = hints.length + namedLists.anyOf.length + contacts.count + recorded;
  const subject = conditions + filterValues.natures.size > 0;
  const narrowed = conditions + numbered.areaCodes.length + numbered.postalCodes.length > 0;
  const sort = orderOf(sentence, filterValues, notes);
  const features = featuresOf({ sentence, notes, places, activities, narrowed, subject, misled });
  const spec = { ...(limit !== null && { limit }), filters, ...(sort.length > 0 && { sort }) };
  const explain = explained(sentence, notes, confidenceOf(features));
  const [doubts, parts] = [doubtedTexts(notes, text), partsOf(sentence)];
  return { spec: { ...spec, explain }, parts, activities, doubts, features };
}

/** Returns the sort keys; "top 10 … com capital acima de 1 milhão" is ordered by capital. */
function orderOf(
  sentence: Sentence,
  values: ReturnType<typeof findFilters>,
  notes: Notes,
): ReturnType<typeof sortOf> {
  const owned = sentence.tokens.map((_, at) => sentence.owner(at));
  const isTop = owned.some(
    (owner, at) => owner === "limit" && /^top$/i.test(sentence.tokens[at]?.text ?? ""),
  );
  return sortOf(values, isTop && owned.includes("capital"), notes);
}

/** Returns the doubts, each with the whole text rewritten for the other reading. */
function doubtedTexts({ doubts }: Notes, text: string): DoubtedText[] {
  return doubts.map(({ instead, ...doubt }) => {
    const { start, end } = doubt;
    return { ...doubt, query_text: `${text.slice(0, start)}${instead}${text.slice(end)}` };
  });
}

/** Replaces abbreviations, signs, and foreign words. Returns true for a Spanish sentence. */
function readForms(sentence: Sentence, gazetteer: Gazetteer): boolean {
  readAbbreviations(sentence);
  readSigns(sentence);
  readPairs(sentence);
  readEnglishForms(sentence);
  readNone(sentence);
  readLeavingOut(sentence);
  readLacking(sentence);
  readHaving(sentence);
  readPara(sentence, gazetteer);
  keepPlaceWords(sentence, gazetteer);
  const spanish = readSpanish(sentence, gazetteer);
  readNegativeNo(sentence, spanish);
  readAnywhereBut(sentence);
  readOnPlaces(sentence, gazetteer);
  readPossessives(sentence, gazetteer);
  return spanish;
}

/**
 * Returns the phone numbers and e-mail addresses, and the maximum number of companies with the same
 * contact. `lost` is true if no filter takes a contact or if the text only names it as another
 * company's contact.
 */
function contactsOf(
  sentence: Sentence,
  notes: Notes,
  lookup: ReturnType<typeof catalogLookup>,
): MentionedContacts & { readonly shared: SharedMax } {
  const contactValues = findContactValues(sentence, notes, !lookup.lacks("contacts"));
  const own = {};
  const isSame = unmapSameContacts(sentence, notes, own);
  const isNumbered = unmapCompanyNumbers(sentence, notes);
  const shared = findSharedMax(sentence, notes, lookup.hasCounts);
  return {
    ...contactValues,
    shared: { ...shared, ...own },
    lost: contactValues.lost || isSame || isNumbered || shared.lost,
  };
}

/** Returns the filters. Words for contacts that set no filter are reported in notes. */
function readFilters(context: Parameters<typeof findFilters>[0]): ReturnType<typeof findFilters> {
  const filters = findFilters(context);
  unmapContactWords(context.sentence, context.notes, "all");
  return filters;
}

/**
 * Returns the limit. Before that, contacts with a number ("com no máximo dois telefones") are
 * reported in notes, so that their number is not read as the limit.
 */
function limitOf(sentence: Sentence, notes: Notes): number | null {
  unmapContactWords(sentence, notes, "counted");
  return findLimit(sentence, notes);
}

function findAmountsAndDates(numbers: Parameters<typeof findDates>[0]): void {
  findCapital(numbers);
  findAges(numbers);
  findDates(numbers);
}

/**
 * Adds notes for conditions that one search cannot combine. Returns true if the search would miss
 * most of the intended companies.
 */
function leaveAlternatives(
  { sentence, notes, lists }: Understood,
  places: FoundPlaces,
  { spans }: NumberedPlaces,
): boolean {
  const misled = noteAlternatives(sentence, notes, spans);
  const isOpen =
    unmapExcludedOrRequested(sentence, notes, lists) || unmapExceptLists(sentence, notes);
  const isApart = unmapSeparatePlaces({ sentence, notes }, [...places.sought, ...spans]);
  const isThere =
    unmapExcludedInPlace(sentence, notes, places.sought) ||
    (!isApart && unmapOtherPlaces(sentence, notes, places.sought));
  const isLost = isOpen || isApart || isThere || unmapConditional(sentence, notes);
  const isPast = unmapLeftRegimes(sentence, notes);
  const isOther = !isApart && unmapSeparateTrades(sentence, notes);
  if (isLost || isPast || isOther) places.unknown = true;
  return misled;
}

/** A sentence in which every word has been read, and the lists that it names. */
interface Understood {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly lists: MentionedLists;
}

function explained(sentence: Sentence, notes: Notes, confidence: number): TranslationExplain {
  quoteClauses(sentence, notes);
  if (isUncertain(confidence)) {
    notes.warn("uncertain", {
      pt: "Pouco foi entendido com segurança; confira os filtros antes de buscar.",
      en: "Too little was understood with certainty; check the filters before searching.",
    });
  }
  return {
    assumptions: notes.assumptions,
    warnings: notes.warnings,
    unmapped_constraints: notes.unmapped,
    confidence,
  };
}

/**
 * Returns the parts of the text in order. Neighbors with the same role form one part; punctuation
 * between parts is left out.
 */
function partsOf(sentence: Sentence): Part[] {
  const parts: Part[] = [];
  const roleAt = (at: number): TokenRole | "mark" => {
    const role = sentence.owner(at) ?? "filler";
    return role === "filler" && sentence.tokens[at]?.kind === "mark" ? "mark" : role;
  };
  for (let at = 0; at < sentence.tokens.length; ) {
    const role = roleAt(at);
    let to = at + 1;
    while (to < sentence.tokens.length && roleAt(to) === role) to++;
    if (role !== "mark") parts.push({ ...sentence.words(at, to), role });
    at = to;
  }
  return parts;
}

/** Returns the counts for the confidence. */
function featuresOf(seen: {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly places: FoundPlaces;
  readonly activities: readonly FoundActivity[];
  readonly narrowed: boolean;
  readonly subject: boolean;
  readonly misled: boolean;
}): ConfidenceFeatures {
  const { sentence, notes, places, activities, narrowed, subject, misled } = seen;
  const coded = (list: readonly Note[], code: string) => list.filter((one) => one.code === code);
  const unknown = coded(notes.unmapped, "unknown_words");
  const stray = unknown.filter(({ start = 0 }) => !isOwnRequest(sentence, start));
  return {
    tellingWords: sentence.tokens.filter((_, at) => sentence.owner(at) !== "filler").length,
    weakestActivity:
      activities.length === 0 ? null : Math.min(...activities.map(({ certainty }) => certainty)),
    subject,
    placed: narrowed || places.states.size + places.cities.size > 0,
    unknownPlace:
      places.unknown ||
      (!narrowed && isLostDistance(sentence, notes, places)) ||
      (!narrowed && isLostRoad(notes, places)) ||
      isLostDistrict(notes, places),
    unknownWords: wordsIn(unknown),
    strayWords: wordsIn(stray),
    ...strayKinds(sentence, stray),
    adjacent: adjacentIn(sentence, activities),
    assumedGoods: assumedIn(activities),
    doubts: notes.doubts.length,
    unknownRequests: unknown.length - stray.length,
    unmappedRequests: notes.unmapped.length - unknown.length,
    homonyms: places.unsettled + coded(notes.assumptions, "region_of_several").length,
    outweighed: coded(notes.assumptions, "city_of_several_states").length - places.unsettled,
    abroad: coded(notes.unmapped, "country").length,
    lists: coded(notes.unmapped, "list").length,
    kinds: coded(notes.assumptions, "kind_not_separated").length,
    corrections: coded(notes.assumptions, "spelling").length,
    contradictions:
      notes.warnings.filter(({ code }) => CONTRADICTIONS.has(code)).length +
      unknown.filter(({ words = "" }) => isNegatorWord(foldWord(words))).length +
      (misled ? 1 : 0),
  };
}

/** Matches only words such as "de" between two activities: the second describes the first. */
const DESCRIBED = /^(?:\s*(?:d[aeo]s?|del?|of|que|that|which|para|for))*\s*$/i;

/** Counts pairs of activities in which one describes the other: "clínicas de imagens". */
function adjacentIn(sentence: Sentence, activities: readonly FoundActivity[]): number {
  const wanted = activities.filter(({ excluded, secondary }) => !excluded && secondary !== true);
  return wanted.filter(({ start }, i) => {
    const [last, one] = [wanted[i - 1], wanted[i] as FoundActivity];
    if (last === undefined || one.codes.every((code) => last.codes.includes(code))) return false;
    return DESCRIBED.test(sentence.text.slice(last.end, start));
  }).length;
}

/** Certainty of goods without a role. */
const ASSUMED = 0.8;

/**
 * Returns the number of activities that were read from goods without a role, if there are other
 * activities. One of the other activities may have the role that is meant.
 */
function assumedIn(activities: readonly FoundActivity[]): number {
  const wanted = activities.filter(({ excluded, secondary }) => !excluded && secondary !== true);
  return wanted.length < 2 ? 0 : wanted.filter(({ certainty }) => certainty === ASSUMED).length;
}

/** Counts unknown words by kind: next to an activity, written like a name, or common. */
function strayKinds(sentence: Sentence, stray: readonly Note[]) {
  const counts = { nearWords: 0, namedWords: 0, commonWords: 0 };
  for (const { words = "", start = 0 } of stray) {
    const at = sentence.tokenAt(start);
    const count = words.split(/\s+/).length;
    const folded = words.split(/\s+/).map(foldWord);
    const isCommon = folded.every(
      (word) => COMMON_WORDS.has(word) || COMMON_WORDS.has(reduce(word)),
    );
    if (isNearActivity(sentence, at, at + count)) counts.nearWords += count;
    else if (isNameLike(sentence, at) || mayNegate(sentence, at + count)) {
      counts.namedWords += count;
    } else if (isCommon) counts.commonWords += count;
  }
  return counts;
}

/** True for an unknown word next to an activity: "clínicas xyzzy", "organic bakeries". */
function isNearActivity(sentence: Sentence, from: number, to: number): boolean {
  let before = from - 1;
  while (before > from - 3 && NEAR_JOINTS.test(sentence.folded(before))) before--;
  if (sentence.owner(before) === "activity") return true;
  if (sentence.owner(to) === "activity") {
    return from > 0 || !/[aeiou]$/.test(sentence.folded(from));
  }
  // "de" or "e" may join the word to an activity after it. The word may begin the activity's name
  // ("pomares de maçã") or a list.
  let next = to;
  while (next < to + 2 && AHEAD_JOINTS.test(sentence.folded(next))) next++;
  return next > to && sentence.owner(next) === "activity";
}

const AHEAD_JOINTS = /^(?:d[aeo]s?|del?|of|e|ou|and|or|y)$/;
const NEAR_JOINTS = /^(?:d[aeo]s?|of|e|ou|and|or|y|com|para|for)$/;

/** True if a quality such as MEI follows an unknown word, which may negate it: "barring MEI". */
function mayNegate(sentence: Sentence, next: number): boolean {
  const owner = sentence.owner(next);
  return owner !== null && TURNED.has(owner);
}

const TURNED: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "status", "headquarters", "nature", "contact", "list"] as const),
]);

/** True if a word is capitalized after the first word, or follows a preposition of place. */
function isNameLike(sentence: Sentence, at: number): boolean {
  // In "jardim america", "america" continues the name of a district.
  const isPlace = sentence.owner(at - 1) === "place";
  if (isPlace && QUARTER_HEADS.has(foldWord(sentence.tokens[at - 1]?.text ?? ""))) return true;
  if (/^(?:em|in|na|no|nas|nos|en)$/.test(sentence.folded(at - 1))) return true;
  return at > 0 && isCapitalised(sentence, at);
}

/**
 * True if the center of a distance is unknown: "num raio de 50 km de Xurupita". The distance then
 * does not restrict the search.
 */
function isLostDistance(sentence: Sentence, notes: Notes, places: FoundPlaces): boolean {
  const far = notes.unmapped.filter(({ code }) => code === "radius");
  // "perto de xurupita do pará" is an unknown name that ends with a state; "perto da praia da
  // Bahia" means a beach somewhere in the state.
  const isAdjacent = ({ words = "", end }: Note) =>
    !COMMON_WORDS.has(foldWord(words.split(" ").at(-1) ?? "")) &&
    places.wide.some(({ from }) => (sentence.tokens[from]?.start ?? 0) - (end ?? 0) === 1);
  // Without a state, words such as "perto de mim" leave the search unrestricted.
  const nowhere = places.states.size === 0 && far.length > 0;
  return (
    places.cities.size === 0 &&
    (nowhere || far.some((one) => /\d/.test(one.words ?? "") || isAdjacent(one)))
  );
}

/** True if a highway is the only place. The search would then cover the whole country. */
function isLostRoad({ unmapped }: Notes, { states, cities }: FoundPlaces): boolean {
  return states.size + cities.size === 0 && unmapped.some(({ code }) => code === "street");
}

/**
 * True if a district has no filter: "lanchonete jardim américa", "centro sp". A search of the place
 * around it would find too much.
 */
function isLostDistrict({ unmapped }: Notes, { cities }: FoundPlaces): boolean {
  const named = ({ code, words = "" }: Note) => {
    const folded = words.split(" ").map(foldWord);
    const quarter = folded.findIndex((word) => word === "zona" || word === "bairro");
    const whole = code === "neighbourhood" && (folded.length > 1 || folded[0] === "centro");
    return whole || (quarter >= 0 && quarter + 1 < folded.length);
  };
  const isCentre = ({ code, words = "" }: Note) =>
    code === "neighbourhood" && /^(?:centros?|downtown)$/.test(foldWord(words));
  return unmapped.some((one) => isCentre(one) || (cities.size === 0 && named(one)));
}

function wordsIn(notes: readonly Note[]): number {
  return notes.reduce((sum, { words = "" }) => sum + words.split(/\s+/).length, 0);
}

const CONTRADICTIONS = new Set(["contradiction", "impossible_date"]);
