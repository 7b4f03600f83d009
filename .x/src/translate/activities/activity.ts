/**
 * The form of an activity found in a sentence, and the context of the stages that find them.
 * Invariant: main and possible codes are separate; possible codes are never searched.
 */
import type { Segment } from "../../search/segment.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";

/** Activities at one position, likeliest first. */
export interface FoundActivity extends Words {
  /** Main codes, as in a spec: `NNNN-N/NN`, a prefix, or a section; empty if unknown. */
  readonly codes: readonly string[];
  /** Possible codes, only suggested. */
  readonly also: readonly string[];
  readonly excluded: boolean;
  /** Requested as a secondary activity. */
  readonly secondary?: true;
  /** Certainty of the codes, 0-1. */
  readonly certainty: number;
}

/** Context of a stage of activities. */
export interface ActivityContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly notes: Notes;
}
