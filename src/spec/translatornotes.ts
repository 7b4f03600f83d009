/**
 * What comes in: the `explain` object of a spec, as a translator made it or a client sent it back,
 * and the warnings of this normalization. What goes out: the same object, verbatim, with defaults
 * for missing members and with the warnings that it does not hold yet.
 * Invariant: `explain` never changes what a spec means or how it is identified; appending is
 * idempotent, and the result is always small enough to be accepted again. Its objects are free, so
 * that all of it is bounded in bytes: it is kept with every spec that is.
 */

import { SPEC_LIMITS } from "./limits.ts";
import { isJsonObject, type SpecReader } from "./reader.ts";
import type { AccountQuerySpec } from "./schema.ts";

type Explain = AccountQuerySpec["explain"];

const MEMBERS = ["assumptions", "warnings", "unmapped_constraints", "confidence"];

/** Reads an `explain` object; mistakes go to the reader's log. */
export function readExplain(value: unknown, pointer: string, reader: SpecReader): Explain {
  const members = reader.object(value, pointer, MEMBERS);
  const items = (name: string) => readItems(members[name], `${pointer}/${name}`, reader);
  return {
    assumptions: items("assumptions"),
    warnings: items("warnings"),
    unmapped_constraints: items("unmapped_constraints"),
    confidence: readConfidence(members.confidence, `${pointer}/confidence`, reader),
  };
}

/** Adds the warnings that are not there yet, in order. */
export function appendWarnings(
  explain: Explain,
  warnings: readonly string[],
  pointer: string,
  reader: SpecReader,
): Explain {
  const missing = warnings.filter((warning) => !explain.warnings.includes(warning));
  const all = missing.length === 0 ? explain.warnings : [...explain.warnings, ...missing];
  const whole = { ...explain, warnings: all };
  refuseLarge(whole, pointer, reader);
  if (all.length > SPEC_LIMITS.explainItemsMax) {
    const detail = `Leaves no room for ${missing.length} warnings of this spec; send fewer.`;
    reader.mistake(`${pointer}/warnings`, "too_many", detail);
  }
  return whole;
}

/** Logs that there are too many bytes, the added warnings included. */
function refuseLarge(explain: Explain, pointer: string, reader: SpecReader): void {
  const { assumptions, warnings, unmapped_constraints: unmapped } = explain;
  if (assumptions.length + warnings.length + unmapped.length === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(explain));
  const most = SPEC_LIMITS.explainBytesMax;
  if (bytes <= most) return;
  const detail = `May be ${most} bytes of JSON, not ${bytes}; send less of it, or leave it out.`;
  reader.mistake(pointer, "too_long", detail);
}

/** Reads one of the arrays: sentences or objects, kept as they are. */
function readItems(value: unknown, pointer: string, reader: SpecReader): Explain["warnings"] {
  const elements = reader.array(value, pointer, SPEC_LIMITS.explainItemsMax);
  const items: Explain["warnings"] = [];
  for (const [position, element] of elements.entries()) {
    const place = `${pointer}/${position}`;
    if (typeof element === "string") {
      if (element.length > SPEC_LIMITS.explainStringMax) {
        const detail = `May be ${SPEC_LIMITS.explainStringMax} characters long.`;
        reader.mistake(place, "too_long", detail);
      }
      items.push(element);
    } else if (isJsonObject(element)) {
      items.push(element);
    } else {
      reader.wrongType(place, element, "a string or an object");
    }
  }
  return items;
}

/** Reads the confidence; a spec that no translator made is certain. */
function readConfidence(value: unknown, pointer: string, reader: SpecReader): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && value >= 0 && value <= 1) return value === 0 ? 0 : value;
  reader.wrongType(pointer, value, "a number from 0 to 1");
  return 0;
}
