/**
 * How sure a translation is. What comes in: a few counts of what was and was not understood. What
 * goes out: a number from 0 to 1 with two decimals, and whether running the spec would mislead.
 * Invariant: deterministic; more that was not understood never makes a translation surer.
 */

/** What the confidence is made from. */
export interface ConfidenceFeatures {
  /** Words that ask for something; 0 for a text of fillers. */
  readonly tellingWords: number;
  /** Certainty of the weakest activity, 0-1; null where none was found. */
  readonly weakestActivity: number | null;
  /** Whether a legal nature or words of the name say who is sought. */
  readonly subject?: boolean;
  /** Whether a place was found. */
  readonly placed: boolean;
  /** Whether a place was named that nobody knows. */
  readonly unknownPlace: boolean;
  /** Words that nobody understood, in wishes of their own and elsewhere. */
  readonly unknownWords: number;
  /** Of these the words that no "com", "que" or "sem" makes a wish of its own. */
  readonly strayWords: number;
  /** Of the stray words those next to an activity, which may be a part of it. */
  readonly nearWords?: number;
  /** Of the others those that may be the name of a place or of a company. */
  readonly namedWords?: number;
  /** Of the rest those that the general vocabulary has. */
  readonly commonWords?: number;
  /** Wishes of their own that nobody understood: "com estacionamento". */
  readonly unknownWishes: number;
  /** Wishes that were understood and have no filter, such as revenue. */
  readonly unmappedWishes: number;
  /** Names of places that stand for several, of which nothing says which is meant. */
  readonly homonyms: number;
  /** Names of several municipalities of which one outweighs the others, and was taken. */
  readonly outweighed?: number;
  /** Countries that a place was named in. */
  readonly abroad: number;
  /** Lists of who asks, without which more is found than was asked for. */
  readonly lists?: number;
  /** Words whose spelling was mended. */
  readonly corrections: number;
  /** Kinds of activities that the registry does not separate. */
  readonly kinds?: number;
  /** Words that are shown with another reading. */
  readonly doubts?: number;
  /** Wishes that exclude each other, and dates that do not exist. */
  readonly contradictions: number;
}

/**
 * Translations below this should not be run before a person has looked at them: running them would
 * mislead, because nothing was understood, an activity or a place that was asked for is not known,
 * or wishes contradict each other. A wish that was understood and has no filter does not bring a
 * translation below: it is named in `unmapped_constraints`, and the rest is right.
 */
export const UNCERTAIN_BELOW = 0.4;

/** What a translation is measured by, each between 0 and a small number. */
const MEASURES = {
  /** What the certainty of the weakest activity lacks. */
  doubtful: ({ weakestActivity }) => Math.max(0, CERTAIN - (weakestActivity ?? CERTAIN)) * 10,
  nothing: ({ weakestActivity, subject }) => (weakestActivity === null && !subject ? 1 : 0),
  /** Unknown words next to an activity, which may be a part of what is sought. */
  near: ({ nearWords }) => Math.min(1, nearWords ?? 0),
  /** Unknown words that are written as names, or that stand where places do. */
  named: ({ namedWords }) => Math.min(1, namedWords ?? 0),
  /** Other unknown words: of the general vocabulary, and of none. */
  common: ({ commonWords }) => Math.min(3, commonWords ?? 0),
  rare: ({ strayWords, nearWords = 0, namedWords = 0, commonWords = 0 }) =>
    Math.min(3, Math.max(0, strayWords - nearWords - namedWords - commonWords)),
  wishes: ({ unknownWishes }) => Math.min(3, unknownWishes),
  unmapped: ({ unmappedWishes, kinds = 0 }) => Math.min(3, unmappedWishes + kinds),
  several: ({ homonyms }) => Math.min(2, homonyms),
  outweighed: ({ outweighed = 0 }) => Math.min(2, outweighed),
  corrected: ({ corrections }) => Math.min(2, corrections),
  doubts: ({ doubts = 0 }) => Math.min(2, doubts),
} as const satisfies Readonly<Record<string, (features: ConfidenceFeatures) => number>>;

/** The name of a measure. */
type MeasureName = keyof typeof MEASURES;

/** The names of all measures, in the order of their weights. */
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** The certainty of an activity that is named by its name. */
const CERTAIN = 0.95;

/*
 * A logistic regression, fitted by `npm run bench -- translate --confidence --fit` with sentences
 * that are not held out, one half of the generated requests, and words put in next to activities.
 * Of unknown words elsewhere these have too few; there the trials of strangers are the prior. The
 * held-out half and the other half of the requests had no part in it; docs/translate.md has what
 * the confidence is worth there. No weight is positive, so that less that is understood is never
 * surer.
 */
const BIAS = 4.4;
const WEIGHTS: Readonly<Record<MeasureName, number>> = {
  doubtful: -0.6,
  nothing: -1.4,
  near: -7,
  named: -4.9,
  common: -1.1,
  rare: -2.6,
  wishes: -0.3,
  unmapped: -1.2,
  several: -2.5,
  outweighed: -0.1,
  corrected: -0.3,
  doubts: -1.5,
};
/** Nothing is surer: what was meant may always be something else. */
const SUREST = 0.99;
/** From this many unknown words on little of a text is understood. */
const UNKNOWN_WORDS_MAX = 8;
/** What makes any translation uncertain. */
const MISLEADING = 0.3;

/** The measures of a translation, in the order of `MEASURE_NAMES`. */
export function measuresOf(features: ConfidenceFeatures): readonly number[] {
  return MEASURE_NAMES.map((name) => MEASURES[name](features));
}

/** The confidence of a translation. */
export function confidenceOf(features: ConfidenceFeatures): number {
  const { unknownPlace, tellingWords, weakestActivity, unknownWords } = features;
  if (unknownPlace || tellingWords === 0 || weakestActivity === 0) return 0;
  // Without an activity and a place nothing bounds a search.
  const isLost = weakestActivity === null && (unknownWords > 0 || !features.placed);
  const other = features.contradictions + features.abroad + (features.lists ?? 0);
  const isMisled = other > 0 || isLost || unknownWords > UNKNOWN_WORDS_MAX;
  const sum = MEASURE_NAMES.reduce(
    (all, name) => all + WEIGHTS[name] * MEASURES[name](features),
    BIAS,
  );
  const value = Math.min(SUREST, 1 / (1 + Math.exp(-sum)));
  return Math.round(value * (isMisled ? MISLEADING : 1) * 100) / 100;
}

/** Whether running a spec of this confidence blindly would mislead. */
export function isUncertain(confidence: number): boolean {
  return confidence < UNCERTAIN_BELOW;
}
