/**
 * Defines an activity found in a sentence, and the context that every step of finding activities
 * receives.
 * Invariant: main and possible codes are separate; possible codes are never searched.
 */
import type { Segment } from "../../search/segment.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";

/** The activities that the words at one position can mean, likeliest first. */
export interface FoundActivity extends Words {
  /** Main codes, as in a spec: `NNNN-N/NN`, a prefix, or a section; empty if unknown. */
  readonly codes: readonly string[];
  /** Codes that the words might also mean; they are only suggested. */
  readonly also: readonly string[];
  readonly excluded: boolean;
  /** Requested as a secondary activity. */
  readonly secondary?: true;
  /** Certainty of the codes, 0-1. */
  readonly certainty: number;
}

/** Input that every step of finding activities receives. */
export interface ActivityContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly notes: Notes;
}
