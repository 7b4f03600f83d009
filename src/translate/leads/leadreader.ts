/**
 * Reads the lists of a lead query. What comes in: one value or a list of values, as sent. What goes
 * out: texts with the place of each, and mistakes that name what was probably meant.
 * Invariant: that of SpecReader; looking for the nearest names costs, so it is done for the first
 * mistakes only, and the others are shown without.
 */

import { LEAD_LIMITS } from "../../spec/leadschema.ts";
import { SpecReader } from "../../spec/reader.ts";

/** Mistakes that suggestions are looked for. */
const SUGGESTED_MISTAKES_MAX = 20;

/** An element of a list. */
export interface LeadText {
  readonly text: string;
  /** Pointer of it. */
  readonly place: string;
}

/** Reads a lead query. */
export class LeadReader extends SpecReader {
  #unknown = 0;

  /** One value or a list, as pairs of value and pointer; null and other types are mistakes. */
  elements(
    value: unknown,
    pointer: string,
    max: number = LEAD_LIMITS.listMax,
  ): readonly { readonly element: unknown; readonly place: string }[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [{ element: value, place: pointer }];
    return this.array(value, pointer, max).map((element, at) => ({
      element,
      place: `${pointer}/${at}`,
    }));
  }

  /**
   * Passes the texts of one value or a list to `read`, each once. With `numbers`, whole numbers
   * count as texts.
   */
  eachText(value: unknown, pointer: string, read: (text: LeadText) => void, numbers = false): void {
    const seen = new Set<string>();
    for (const { element, place } of this.elements(value, pointer)) {
      const whole = numbers && Number.isSafeInteger(element) && (element as number) >= 0;
      const text = this.string(whole ? String(element) : element, place);
      if (text === undefined || seen.has(text)) continue;
      seen.add(text);
      read({ text, place });
    }
  }

  /** Logs a name that nobody knows; `detail` looks for the nearest ones. */
  unknown(place: string, code: string, detail: () => string): void {
    const told = this.#unknown++ < SUGGESTED_MISTAKES_MAX;
    this.mistake(place, code, told ? detail : "This is not known either.");
  }
}

/** "did you mean …?", or how to mend it where nothing is near. */
export function suggestion(names: readonly string[], mend: string): string {
  if (names.length === 0) return mend;
  const last = names[names.length - 1];
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
  return `did you mean ${list}?`;
}
