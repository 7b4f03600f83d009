/**
 * What the stages of activities share. What comes in: nothing. What goes out: the form of an
 * activity that was found, and what such a stage works on.
 * Invariant: what is meant and what only may be meant are kept apart; nothing is searched for
 * because it may be meant.
 */
import type { Segment } from "../../search/segment.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";

/** Activities of one place in the sentence, likeliest first. */
export interface FoundActivity extends Words {
  /** Meant, as a spec takes them: `NNNN-N/NN`, a prefix or a section; none where nobody knows. */
  readonly codes: readonly string[];
  /** Perhaps meant as well; these are only suggested. */
  readonly also: readonly string[];
  readonly excluded: boolean;
  /** Asked for as a secondary activity. */
  readonly secondary?: true;
  /** How sure it is that these are meant, 0-1. */
  readonly certainty: number;
}

/** What a stage of activities works on. */
export interface ActivityContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly notes: Notes;
}
