/**
 * Computes the confidence of a translation. Input: counts of the words and requests that were and
 * were not understood. Output: a number from 0 to 1 with two decimals. A second function returns
 * true if the confidence is too low to run the spec unchecked.
 * Invariant: deterministic; a text with more unknown words never has a higher confidence.
 */

/** Counts that the confidence is computed from. */
export interface ConfidenceFeatures {
  /** Number of words that set a filter or name an activity; 0 if the text consists of fillers. */
  readonly tellingWords: number;
  /** Certainty of the weakest activity, 0-1; null if none was found. */
  readonly weakestActivity: number | null;
  /** True if a legal nature or words of a company name say which companies are meant. */
  readonly subject?: boolean;
  /** True if a place was found. */
  readonly placed: boolean;
  /** True if the text names a place that the snapshot does not have. */
  readonly unknownPlace: boolean;
  /** Number of all unknown words, also those in separate conditions. */
  readonly unknownWords: number;
  /**
   * Number of stray words: unknown words outside conditions that "com", "que", or "sem" introduces.
   */
  readonly strayWords: number;
  /** Stray words next to an activity, which may be a part of its name. */
  readonly nearWords?: number;
  /** Number of stray words that may be the name of a place or of a company. */
  readonly namedWords?: number;
  /** Number of the other stray words that are in the general vocabulary. */
  readonly commonWords?: number;
  /**
   * Number of activities that were read from goods without a role, such as "roupas" without "loja
   * de", and that stand next to another activity.
   */
  readonly assumedGoods?: number;
  /** Number of pairs of activities in which one describes the other. */
  readonly adjacent?: number;
  /** Conditions that were not understood, such as "com estacionamento". */
  readonly unknownRequests: number;
  /** Conditions that were understood but have no filter, such as revenue. */
  readonly unmappedRequests: number;
  /**
   * Number of place names that several places share, if the text does not say which place is meant.
   */
  readonly homonyms: number;
  /** Number of place names that several municipalities share, if the much larger one was chosen. */
  readonly outweighed?: number;
  /** Places abroad. */
  readonly abroad: number;
  /**
   * Lists of the client that the text mentions but the search does not apply. Without them the
   * result is wider.
   */
  readonly lists?: number;
  /** Words whose spelling was corrected. */
  readonly corrections: number;
  /** Kinds of activities that the registry does not distinguish. */
  readonly kinds?: number;
  /** Words that are returned with an alternative reading. */
  readonly doubts?: number;
  /** Conditions that exclude each other, and dates that do not exist. */
  readonly contradictions: number;
}

/**
 * Below this confidence, a person should check a translation before a client runs it. The text was
 * then not understood, names an unknown activity or place, or contradicts itself. A condition that
 * was understood but has no filter never lowers the confidence below this threshold, because
 * `unmapped_constraints` names the condition.
 */
export const UNCERTAIN_BELOW = 0.4;

/** Features of a translation. Each is a number from 0 to at most about 10. */
const MEASURES = {
  /** Measures how far the certainty of the weakest activity is below `CERTAIN`. */
  doubtful: ({ weakestActivity }) => Math.max(0, CERTAIN - (weakestActivity ?? CERTAIN)) * 10,
  nothing: ({ weakestActivity, subject }) => (weakestActivity === null && !subject ? 1 : 0),
  /** Goods without a role next to another activity. */
  assumed: ({ assumedGoods = 0 }) => Math.min(1, assumedGoods),
  near: ({ nearWords }) => Math.min(1, nearWords ?? 0),
  /** Unknown words that are written as names or follow a preposition of place. */
  named: ({ namedWords }) => Math.min(1, namedWords ?? 0),
  /** Counts of other unknown words: `common` inside and `rare` outside the general vocabulary. */
  common: ({ commonWords }) => Math.min(3, commonWords ?? 0),
  rare: ({ strayWords, nearWords = 0, namedWords = 0, commonWords = 0 }) =>
    Math.min(3, Math.max(0, strayWords - nearWords - namedWords - commonWords)),
  adjacent: ({ adjacent = 0 }) => Math.min(1, adjacent),
  requests: ({ unknownRequests }) => Math.min(3, unknownRequests),
  unmapped: ({ unmappedRequests, kinds = 0 }) => Math.min(3, unmappedRequests + kinds),
  several: ({ homonyms }) => Math.min(2, homonyms),
  outweighed: ({ outweighed = 0 }) => Math.min(2, outweighed),
  corrected: ({ corrections }) => Math.min(2, corrections),
  doubts: ({ doubts = 0 }) => Math.min(2, doubts),
} as const satisfies Readonly<Record<string, (features: ConfidenceFeatures) => number>>;

type MeasureName = keyof typeof MEASURES;

/** The names of all measures, in the order of their weights. */
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** Certainty of an activity that the text names exactly. */
const CERTAIN = 0.95;

/**
 * Weights of a logistic function, set by hand close to a statistical fit. `npm run bench --
 * translate --confidence --fit` prints that fit. Few sentences of the fit have unknown words away
 * from activities, so the weights of such words come from trials with outside users.
 * docs/translate.md shows the reliability on held-out sentences. No weight is positive, because
 * more unknown words must never raise the confidence.
 */
const BIAS = 4.4;
const WEIGHTS: Readonly<Record<MeasureName, number>> = {
  doubtful: -1.4,
  nothing: -1.4,
  assumed: -3.5,
  near: -7,
  named: -4.9,
  common: -2,
  rare: -4,
  adjacent: -5,
  requests: -0.8,
  unmapped: -1.2,
  several: -2.5,
  outweighed: -0.1,
  corrected: -0.3,
  doubts: -1.5,
};
/** Upper bound, because a user may always have meant something else. */
const SUREST = 0.99;
/** A text with more unknown words than this is mostly not understood. */
const UNKNOWN_WORDS_MAX = 8;
/** Factor that lowers the confidence of a misleading translation below `UNCERTAIN_BELOW`. */
const MISLEADING = 0.3;

/** Returns the features of a translation in the order of `MEASURE_NAMES`. */
export function measuresOf(features: ConfidenceFeatures): readonly number[] {
  return MEASURE_NAMES.map((name) => MEASURES[name](features));
}

/** Returns the confidence of a translation. */
export function confidenceOf(features: ConfidenceFeatures): number {
  const { unknownPlace, tellingWords, weakestActivity, unknownWords } = features;
  if (unknownPlace || tellingWords === 0 || weakestActivity === 0) return 0;
  // True if the text names no activity and also has unknown words or names no place. Without an
  // activity and a place, almost nothing restricts the search.
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

/** Returns true if a client should not run a spec of this confidence unchecked. */
export function isUncertain(confidence: number): boolean {
  return confidence < UNCERTAIN_BELOW;
}
