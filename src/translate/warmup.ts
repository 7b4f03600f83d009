/**
 * Makes the translator ready for its first sentences. What comes in: a segment. What goes out:
 * nothing; lexicon, gazetteer and the indexes of official names and of cities are made.
 * Invariant: changes no answer; gives way to other work between its steps.
 */
import { AppError } from "../errors.ts";
import type { Steps } from "../scheduling/steps.ts";
import { inTurns } from "../scheduling/turns.ts";
import type { Segment } from "../search/segment.ts";
import { descriptionSteps } from "./activities/descriptions.ts";
import { lexiconSteps, quickLexiconSteps } from "./activities/lexicon.ts";
import { officialTextSteps, quickTextSteps } from "./activities/officialtexts.ts";
import { FILTER_PHRASES } from "./filters/table.ts";
import { officialNamesSteps } from "./leads/leadactivities.ts";
import { cityIndexSteps } from "./leads/leadplaces.ts";
import { leadQuerySteps } from "./leads/leadquery.ts";
import { gazetteerSteps, quickPlacesSteps } from "./places/gazetteer.ts";
import { countCities } from "./places/snapshotcities.ts";
import { nearestTradesSteps } from "./spelling/nearest.ts";
import { spellWordsSteps } from "./spelling/spellwords.ts";
import { translateSteps } from "./translate.ts";

/** Sentences that go through every stage, the official names and the unknown words included. */
const SENTENCES = [
  "padarias em MG abertas desde 2020 com e-mail, exceto MEI",
  "fabricação industrial de aditivos em São Paulo",
  "lojas de roupaz e calçados no Recife, mais novas primeiro",
  "empresas de xyz",
];

/** Names that nobody knows, of each kind that the nearest ones are looked for. */
const NAMES = { kind: "lead_query", activities: ["xyz"], cities: ["xyz"], states: ["xyz"] };

/** Makes what every sentence needs, a step a turn: little, so that a first one need not wait. */
export async function warmFirstSentence(
  segment: Segment,
  ended: () => boolean = () => false,
): Promise<void> {
  await inTurns(firstSentenceSteps(segment), ended);
}

function* firstSentenceSteps(segment: Segment): Steps<void> {
  yield* lexiconSteps();
  yield* officialTextSteps(segment);
  yield* gazetteerSteps(segment);
}

/** Warms the translator for a segment, a step a turn; ends early when `ended` says so. */
export async function warmTranslation(
  segment: Segment,
  ended: () => boolean = () => false,
): Promise<void> {
  await inTurns(warmTranslationSteps(segment), ended);
}

/** The steps of it, each a millisecond or two of work; what reads all of a registry waits aside. */
export function* warmTranslationSteps(segment: Segment): Steps<void> {
  yield countCities(segment);
  yield* lexiconSteps();
  const gazetteer = yield* gazetteerSteps(segment);
  yield* quickPlacesSteps(gazetteer);
  yield* quickLexiconSteps();
  yield* FILTER_PHRASES.steps();
  yield* spellWordsSteps(gazetteer);
  yield* quickTextSteps(segment);
  yield* descriptionSteps(segment);
  yield* nearestTradesSteps();
  yield* cityIndexSteps(gazetteer);
  yield* officialNamesSteps(segment);
  for (const sentence of SENTENCES) {
    yield* translateSteps(sentence, segment, { long: true });
    yield;
  }
  yield* refuseNames(segment);
}

/** Names that nobody knows are looked for among all that there are. */
function* refuseNames(segment: Segment): Steps<void> {
  try {
    yield* leadQuerySteps(NAMES, { segment, limitDefault: 1, limitCap: 1 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
