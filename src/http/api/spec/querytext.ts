/**
 * Checks the sentence in a body; notes a mistake if it is not a sentence.
 * Invariant: the limits are the translator's, in UTF-16 units; white space alone is not a sentence.
 */
import { shown } from "../../../spec/reader.ts";
import { TEXT_MAX } from "../../../spec/schema.ts";
import type { BodyObject } from "../../server/body.ts";

/** Notes mistakes in `query_text`. */
export function checkText({ members, mistakes }: BodyObject): void {
  const text = members.query_text;
  const pointer = "/query_text";
  if (typeof text !== "string") {
    const detail = `query_text must be a sentence, not ${shown(text)}.`;
    mistakes.push({ pointer, code: text === undefined ? "missing" : "wrong_type", detail });
  } else if (text.trim() === "" || text.length > TEXT_MAX) {
    const detail = `query_text must have 1 to ${TEXT_MAX} characters.`;
    mistakes.push({ pointer, code: text.trim() === "" ? "too_short" : "too_long", detail });
  }
}
