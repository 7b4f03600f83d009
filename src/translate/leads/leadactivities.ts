/**
 * Reads the activities of a lead query. Input: names and codes, as sent. Output: codes of
 * subclasses.
 * Invariant: a name is accepted only if it is an official name or if every word of it belongs to an
 * activity. Any other name is an error that suggests the nearest activities. It is never dropped,
 * because the search would then be wider than requested.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { lazyByKey } from "../../scheduling/lazy.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { analyzeWords } from "../../spec/analyzer.ts";
import { catalogLookup, cnaeDigits, punctuateCnae } from "../../spec/catalog.ts";
import { LEAD_LIMITS } from "../../spec/leadschema.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { shown } from "../../spec/reader.ts";
import { findActivities } from "../activities/activities.ts";
import { Notes } from "../notes.ts";
import { joins } from "../words/phrases.ts";
import { Sentence } from "../words/sentence.ts";
import { type LeadReader, type LeadText, suggestion } from "./leadreader.ts";

const CODE = /^(?:\d{2,5}|\d{7}|\d{4}-\d\/\d{2}|[A-Za-z])$/;
/** A name with a lower certainty is an error with suggestions. */
const CERTAIN = 0.7;
const SUGGESTED_MAX = 3;

/** Returns the activities, sorted and without repeats; reports errors to the reader. */
export function readActivities(
  value: unknown,
  pointer: string,
  reader: LeadReader,
  segment: Segment,
): string[] {
  const lookup = catalogLookup(segment.catalog);
  const codes = new Set<string>();
  const texts: LeadText[] = [];
  reader.eachText(value, pointer, ({ text, place }) => {
    texts.push({ text: text.trim(), place });
  });
  const names = texts.filter(({ text }) => !CODE.test(text));
  if (names.length > LEAD_LIMITS.activityNamesMax) {
    const { activityNamesMax } = LEAD_LIMITS;
    const detail = `May hold ${activityNamesMax} names, not ${names.length}; send codes instead.`;
    reader.mistake(pointer, "too_many", detail);
    return [];
  }
  for (const { text, place } of texts) {
    const known = CODE.test(text)
      ? lookup.cnae(text.toUpperCase())
      : named(text, place, reader, segment);
    for (const code of known) codes.add(code);
    if (known.length > 0 || !CODE.test(text)) continue;
    const detail = () => `No activity of the snapshot has the code ${shown(text)}.`;
    reader.mistake(place, "unknown_activity", detail);
  }
  if (codes.size <= SPEC_LIMITS.cnaeCodesMax) return [...codes].sort();
  const detail = `Stands for ${codes.size} subclasses; at most ${SPEC_LIMITS.cnaeCodesMax}.`;
  reader.mistake(pointer, "too_many", detail);
  return [];
}

/** Subclasses of a name. */
function named(text: string, place: string, reader: LeadReader, segment: Segment): string[] {
  const official = officialNames(segment).get(analyzeWords(text).join(" "));
  if (official !== undefined) return [official];
  const sentence = new Sentence(text);
  const found = findActivities({ segment, sentence, notes: new Notes("pt") });
  const lookup = catalogLookup(segment.catalog);
  const subclasses = (codes: readonly string[]) => codes.flatMap((code) => lookup.cnae(code));
  const whole = sentence.tokens.every(
    (token, at) => token.kind === "mark" || joins(token) || sentence.owner(at) === "activity",
  );
  const sure = found.every(({ certainty, excluded }) => certainty >= CERTAIN && !excluded);
  if (found.length > 0 && whole && sure) return subclasses(found.flatMap(({ codes }) => codes));
  reader.unknown(place, "unknown_activity", () => {
    const near = subclasses(found.flatMap(({ codes, also }) => [...codes, ...also]));
    const list = [...new Set(near)].slice(0, SUGGESTED_MAX);
    const names = list.map((code) => `${code} (${nameOf(segment, code)})`);
    const fix = "write a trade, an official name or a code such as 5611-2/01.";
    return `There is no activity ${shown(text)}; ${suggestion(names, fix)}`;
  });
  return [];
}

function nameOf(segment: Segment, code: string): string {
  const at = segment.codeOf("cnae_primary", cnaeDigits(code));
  return guarded(() => segment.native.table(TABLES.indexOf("cnae_description")))[at] ?? "";
}

/** Maps each official name, as analyzed words, to its subclass. Built on first use. */
export const officialNames = lazyByKey((segment: Segment): ReadonlyMap<string, string> => {
  const names = guarded(() => segment.native.table(TABLES.indexOf("cnae_description")));
  const { cnaeCodes } = segment.catalog;
  const made = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const code = cnaeCodes[at];
    if (code === undefined || name === "") continue;
    made.set(analyzeWords(name).join(" "), punctuateCnae(code));
  }
  return made;
});
