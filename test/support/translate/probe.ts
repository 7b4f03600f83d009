/**
 * Opens a small snapshot with the translator, translates texts, and returns their specs. For the
 * suites of translation.
 * Invariant: specs are normalized as `POST /v1/leads/translate` does on a plan with every field.
 */
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { type NormalizedSpec, normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { type Translation, translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot } from "../sample/snapshot.ts";

/** A note of a translation about some words of the text, with the position of these words. */
export interface SpannedNote {
  readonly code: string;
  readonly detail?: string;
  readonly words?: string;
  readonly start?: number;
  readonly end?: number;
}

/** The members of `explain` that contain notes. */
export const NOTE_LISTS = ["assumptions", "warnings", "unmapped_constraints"] as const;

/** A segment of 3,000 accounts, and functions that translate texts for it. */
export interface Probe {
  readonly segment: Segment;
  translate(text: string): Translation;
  normalize(input: unknown): NormalizedSpec;
  spec(text: string): AccountQuerySpec;
  /** Returns the words of the requests for which no filter exists, in order. */
  unmapped(text: string): string[];
  close(): void;
}

/** Makes the snapshot and opens it; its date is 2026-10-10. */
export async function openProbe(): Promise<Probe> {
  const sample = await makeSampleSnapshot(3_000, 5);
  const segment = await openSegment(sample.snapshot);
  const normalize = (input: unknown) =>
    normalizeSpec(input, {
      catalog: segment.catalog,
      limitDefault: 100,
      limitCap: 50_000,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    });
  const spec = (text: string) => normalize(translate(text, segment).spec).spec;
  return {
    segment,
    translate: (text) => translate(text, segment),
    normalize,
    spec,
    unmapped: (text) => notesOf(spec(text), "unmapped_constraints").map(({ words = "" }) => words),
    close: () => {
      segment.close();
      sample.dispose();
    },
  };
}

/** Returns the notes of a spec without warnings of normalization, which are sentences. */
export function notesOf(
  { explain }: AccountQuerySpec,
  list: (typeof NOTE_LISTS)[number],
): SpannedNote[] {
  return explain[list].filter((note) => typeof note === "object") as unknown as SpannedNote[];
}
