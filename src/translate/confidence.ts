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

/*
 * Shares of right translations in sentences of people (the development half of ours, the 200
 * further ones, the 61 fresh ones as they first ran) and in one half of the generated requests,
 * smoothed by Laplace's rule (k + 1) / (n + 2) and rounded. Each stands for one thing that was not
 * fully understood; those seen together are multiplied. The held-out half, and the other half of
 * the requests, had no part in this.
 */
/** Nothing but activities found with certainty, places and wishes: 1,867 of 1,876. */
const CLEAN = 0.99;
/** What the certainty of an activity lacks to this is lost: at 0.9 179 of 183 were right. */
const CERTAIN = 0.93;
/** Each wish that is named and has no filter: 104 of 111, of people's sentences 26 of 26. */
const UNMAPPED_WISH = 0.96;
/** A wish of its own that is named and was not understood: 113 of 113. */
const UNKNOWN_WISH = 0.98;
/** Words beside what is known that may change what is sought: 4 of 13 of people's sentences. */
const STRAY_WORDS = 0.36;
const STRAY_SHARE = 0.1;
/** From this many unknown words on little of a text is understood. */
const UNKNOWN_WORDS_MANY = 5;
const UNKNOWN_WORDS_MORE = 0.05;
/**
 * A name of several municipalities that are all taken: 1 of 3 of people's sentences, too few to say
 * less of than was said before.
 */
const HOMONYM = 0.9;
/**
 * One of which one municipality outweighs the others: 16 of 17 of people's sentences, 101 of 103 in
 * halves of three times 10,000 generated requests.
 */
const OUTWEIGHED = 0.97;
/** A word that was read as another: 120 of 120. */
const CORRECTION = 0.98;
/** No activity at all, which some want; the half has no such sentence. */
const NO_ACTIVITY = 0.8;
/** What makes any translation uncertain. */
const MISLEADING = 0.3;

/** The confidence of a translation. */
export function confidenceOf(features: ConfidenceFeatures): number {
  const { unknownPlace, tellingWords, weakestActivity, unknownWords } = features;
  if (unknownPlace || tellingWords === 0 || weakestActivity === 0) return 0;
  // Without an activity and a place nothing bounds a search.
  const lost = weakestActivity === null && (unknownWords > 0 || !features.placed);
  const other = features.contradictions + features.abroad + (features.lists ?? 0);
  const misled = other > 0 || lost;
  const value =
    CLEAN *
    (weakestActivity === null
      ? features.subject
        ? CERTAIN
        : NO_ACTIVITY
      : Math.min(1, weakestActivity + 1 - CERTAIN)) *
    knownShareOf(features) *
    UNMAPPED_WISH ** features.unmappedWishes *
    UNKNOWN_WISH ** features.unknownWishes *
    HOMONYM ** features.homonyms *
    OUTWEIGHED ** (features.outweighed ?? 0) *
    CORRECTION ** features.corrections *
    UNMAPPED_WISH ** (features.kinds ?? 0) *
    (misled ? MISLEADING : 1);
  return Math.round(value * 100) / 100;
}

/** The factor for words that nobody understood. */
function knownShareOf({ unknownWords, strayWords, tellingWords }: ConfidenceFeatures): number {
  if (unknownWords === 0) return 1;
  const many = Math.max(0, unknownWords - UNKNOWN_WORDS_MANY) * UNKNOWN_WORDS_MORE;
  const share = Math.min(1, strayWords / tellingWords);
  const known = strayWords === 0 ? 1 : STRAY_WORDS - STRAY_SHARE * share;
  return Math.max(0, known - many);
}

/** Whether running a spec of this confidence blindly would mislead. */
export function isUncertain(confidence: number): boolean {
  return confidence < UNCERTAIN_BELOW;
}
