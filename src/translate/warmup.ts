/**
 * Makes the translator ready for its first sentences. What comes in: a segment. What goes out:
 * nothing; lexicon, gazetteer and the indexes of official names and of cities are made.
 * Invariant: changes no answer; gives way to other work between its steps.
 */
import { setImmediate } from "node:timers/promises";
import { AppError } from "../errors.ts";
import type { Segment } from "../search/segment.ts";
import { lexicon } from "./activities/lexicon.ts";
import { readLeadQuery } from "./leads/leadquery.ts";
import { gazetteerOf } from "./places/gazetteer.ts";
import { spellWords } from "./spelling/spellwords.ts";
import { translate } from "./translate.ts";

/** Sentences that go through every stage, the official names and the unknown words included. */
const SENTENCES = [
  "padarias em MG abertas desde 2020 com e-mail, exceto MEI",
  "fabricação de aditivos de uso industrial em São Paulo",
  "lojas de roupaz e calçados no Recife, mais novas primeiro",
  "empresas de xyz",
];

/** Names that nobody knows, of each kind that the nearest ones are looked for. */
const NAMES = { kind: "lead_query", activities: ["xyz"], cities: ["xyz"], states: ["xyz"] };

/** Looking for what was meant by a name needs an index of all of them. */
function refuseNames(segment: Segment): void {
  try {
    readLeadQuery(NAMES, { segment, limitDefault: 1, limitCap: 1 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Warms the translator for a segment; ends early when `ended` says so. */
export async function warmTranslation(
  segment: Segment,
  ended: () => boolean = () => false,
): Promise<void> {
  const steps = [
    () => lexicon(),
    () => gazetteerOf(segment),
    () => spellWords(gazetteerOf(segment)),
    ...SENTENCES.map((sentence) => () => translate(sentence, segment)),
    () => refuseNames(segment),
  ];
  for (const step of steps) {
    if (ended()) return;
    step();
    await setImmediate();
  }
}
