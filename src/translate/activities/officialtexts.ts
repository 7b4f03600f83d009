/**
 * Official texts of activities, word for word. What comes in: the table of the snapshot and
 * descriptors where they are in use, and a place in a sentence. What goes out: the activity of
 * which somebody wrote an official text that begins there.
 * Invariant: only whole texts of two words or more count, also as IBGE turns them round ("ARROZ;
 * CULTIVO DE"); a text that many activities have names none.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import type { Descriptor } from "../../dump/activitytexts.ts";
import type { Segment } from "../../search/segment.ts";
import { CNAE_NOT_INFORMED } from "../../spec/catalog.ts";
import { GradualByKey, inSteps, type Steps } from "../../steps.ts";
import { Phrases } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { descriptorsInUse } from "./descriptors.ts";
import type { GoodsReading } from "./goods.ts";

type Texts = Phrases<readonly string[]>;

/** A text of more activities than these tells none of them. */
const CODES_MAX = 4;
/** One word is a matter of the lexicon, which knows how people use it. */
const WORDS_MIN = 2;
/** Texts that are taken in in one step: about a millisecond of work. */
const STEP_TEXTS = 32;

/** By what is in use beside the official names. */
const made = new WeakMap<readonly Descriptor[], GradualByKey<Segment, Texts>>();

/** Makes the texts of a segment, in steps. */
export function officialTextSteps(segment: Segment): Steps<unknown> {
  return textsInUse().of(segment).steps();
}

/** The activity whose official text begins at a token; null where none does. */
export function readOfficial(
  segment: Segment,
  sentence: Sentence,
  at: number,
): GoodsReading | null {
  const texts = textsInUse().of(segment).now();
  const match = texts.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null || match.words < WORDS_MIN || match.value.length > CODES_MAX) return null;
  const certainty = match.value.length > 1 ? 0.9 : 0.95;
  return { codes: match.value, also: [], to: match.to, certainty };
}

function textsInUse(): GradualByKey<Segment, Texts> {
  const descriptors = descriptorsInUse();
  const known = made.get(descriptors);
  if (known !== undefined) return known;
  const begun = new GradualByKey((segment: Segment) => makeTexts(segment, descriptors));
  made.set(descriptors, begun);
  return begun;
}

function* makeTexts(segment: Segment, descriptors: readonly Descriptor[]): Steps<Texts> {
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const names = segment.native.table(TABLES.indexOf("cnae_description"));
  const known = new Set(codes.filter((code) => code !== CNAE_NOT_INFORMED));
  const own = codes.map((code, at) => ({ code, texts: [names[at] ?? ""] }));
  const each = [...own, ...descriptors]
    .filter(({ code }) => known.has(code))
    .flatMap(({ code, texts }) => texts.map((text) => ({ code, text })));
  const phrases: Texts = new Phrases();
  yield;
  yield* inSteps(each, STEP_TEXTS, ({ code, text }) => {
    for (const written of new Set([text.replaceAll(";", " "), turned(text)])) {
      phrases.add(written, [code], (old) => (old.includes(code) ? old : [...old, code]));
    }
  });
  return phrases;
}

/** "ARROZ; CULTIVO DE" as it is said. */
function turned(text: string): string {
  const at = text.lastIndexOf(";");
  return at < 0 ? text : `${text.slice(at + 1)} ${text.slice(0, at)}`;
}
