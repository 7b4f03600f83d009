/**
 * A small snapshot with the translator, for the suites of translation: translates texts and returns
 * their specs.
 * Invariant: specs are normalized as `POST /v1/leads/translate` does for a plan with every field.
 */
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { type NormalizedSpec, normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { type Translation, translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot } from "../sample/snapshot.ts";

/** Words of a text with their position, as in notes. */
export interface SpannedNote {
  readonly code: string;
  readonly detail?: string;
  readonly words?: string;
  readonly start?: number;
  readonly end?: number;
}

/** The lists of `explain` that hold notes. */
export const NOTE_LISTS = ["assumptions", "warnings", "unmapped_constraints"] as const;

/** A segment of 3,000 accounts, and translations of texts on it. */
export interface Probe {
  readonly segment: Segment;
  translate(text: string): Translation;
  normalize(input: unknown): NormalizedSpec;
  spec(text: string): AccountQuerySpec;
  /** Words of the requests without a filter, in order. */
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

/** The notes of a spec; normalization's own warnings are plain sentences and omitted. */
export function notesOf(
  { explain }: AccountQuerySpec,
  list: (typeof NOTE_LISTS)[number],
): SpannedNote[] {
  return explain[list].filter((note) => typeof note === "object") as unknown as SpannedNote[];
}
