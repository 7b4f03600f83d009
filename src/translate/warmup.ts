/**
 * Makes the translator ready for its first sentences: the lexicon, the gazetteer, and the indexes
 * of official names and of cities. It takes about half a second, so it runs in the thread that
 * translates.
 * Invariant: changes no result.
 */
import { AppError } from "../errors.ts";
import type { Segment } from "../search/segment.ts";
import { speedUpLexicon } from "./activities/lexicon.ts";
import { makeDescriptions, speedUpTexts } from "./activities/officialtexts.ts";
import { FILTER_PHRASES } from "./filters/table.ts";
import { officialNames } from "./leads/leadactivities.ts";
import { cityIndexOf } from "./leads/leadplaces.ts";
import { readLeadQuery } from "./leads/leadquery.ts";
import { gazetteerOf, speedUpPlaces } from "./places/gazetteer.ts";
import { countCities } from "./places/snapshotcities.ts";
import { spellWords, tradeWords } from "./spelling/spellwords.ts";
import { translate } from "./translate.ts";

/** Sentences that together run every stage. They contain official names and unknown words. */
const SENTENCES = [
  "padarias em MG abertas desde 2020 com e-mail, exceto MEI",
  "fabricação industrial de aditivos em São Paulo",
  "lojas de roupaz e calçados no Recife, mais novas primeiro",
  "empresas de xyz",
];

/**
 * A lead query with an unknown activity, city, and state. The error suggests names of each kind.
 */
const NAMES = { kind: "lead_query", activities: ["xyz"], cities: ["xyz"], states: ["xyz"] };

/**
 * The steps of the preparation. Each takes at most a few tenths of a second, and requests are
 * served between two steps.
 */
const PARTS: readonly ((segment: Segment) => unknown)[] = [
  countCities,
  (segment) => speedUpPlaces(gazetteerOf(segment)),
  speedUpLexicon,
  () => FILTER_PHRASES.speedUp(),
  (segment) => spellWords(gazetteerOf(segment)),
  speedUpTexts,
  makeDescriptions,
  tradeWords,
  (segment) => cityIndexOf(gazetteerOf(segment)),
  officialNames,
  (segment) => {
    for (const sentence of SENTENCES) translate(sentence, segment);
  },
  refuseNames,
];

/** Runs one step of the work for a segment. Returns true if more steps follow. */
export async function warmPart(segment: Segment, part: number): Promise<boolean> {
  await PARTS[part]?.(segment);
  return part + 1 < PARTS.length;
}

/** Prepares everything that translating a sentence or lead query of a segment needs. */
export async function warmTranslation(segment: Segment): Promise<void> {
  for (let part = 0; await warmPart(segment, part); ) part++;
}

/** Looks up unknown names, because this builds the indexes that suggest names. */
function refuseNames(segment: Segment): void {
  try {
    readLeadQuery(NAMES, { segment, limitDefault: 1, limitCap: 1 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
