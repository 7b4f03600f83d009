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
  /** Words that nobody understood. */
  readonly unknownWords: number;
  /** Wishes that were understood and have no filter, such as revenue. */
  readonly unmappedWishes: number;
  /** Place names that stand for several municipalities. */
  readonly homonyms: number;
  /** Countries that a place was named in. */
  readonly abroad: number;
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
 * Shares of right translations in the development half of its sentences (302 sentences), smoothed
 * by Laplace's rule (k + 1) / (n + 2) and rounded. Each stands for one thing that was not fully
 * understood; those seen together are multiplied. The held-out half had no part in this.
 */
/** Nothing but activities found with certainty, places and wishes: 212 of 212. */
const CLEAN = 0.99;
/** What the certainty of an activity lacks to this is lost: at 0.9 34 of 36 were right. */
const CERTAIN = 0.95;
/** Each wish that is named and has no filter: 19 of 19. */
const UNMAPPED_WISH = 0.95;
/** Unknown words beside what is known: 29 of 57, with those of fresh sentences of two kinds. */
const UNKNOWN_WORDS = 0.62;
const UNKNOWN_SHARE = 0.15;
/** From this many unknown words on little of a text is understood. */
const UNKNOWN_WORDS_MANY = 5;
const UNKNOWN_WORDS_MORE = 0.04;
/** A name of several municipalities: 9 of 10. */
const HOMONYM = 0.85;
/** A word that was read as another: 7 of 7. */
const CORRECTION = 0.9;
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
  const misled = features.contradictions + features.abroad > 0 || lost;
  const value =
    CLEAN *
    (weakestActivity === null
      ? features.subject
        ? CERTAIN
        : NO_ACTIVITY
      : Math.min(1, weakestActivity + 1 - CERTAIN)) *
    knownShareOf(features) *
    UNMAPPED_WISH ** features.unmappedWishes *
    HOMONYM ** features.homonyms *
    CORRECTION ** features.corrections *
    UNMAPPED_WISH ** (features.kinds ?? 0) *
    (misled ? MISLEADING : 1);
  return Math.round(value * 100) / 100;
}

/** The factor for words that nobody understood. */
function knownShareOf({ unknownWords, tellingWords }: ConfidenceFeatures): number {
  if (unknownWords === 0) return 1;
  const share = Math.min(1, unknownWords / tellingWords);
  const many = Math.max(0, unknownWords - UNKNOWN_WORDS_MANY) * UNKNOWN_WORDS_MORE;
  return Math.max(0, UNKNOWN_WORDS - UNKNOWN_SHARE * share - many);
}

/** Whether running a spec of this confidence blindly would mislead. */
export function isUncertain(confidence: number): boolean {
  return confidence < UNCERTAIN_BELOW;
}
