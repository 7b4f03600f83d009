/**
 * The sentence in a body. What comes in: the members of a body. What goes out: a mistake for what
 * is no sentence.
 * Invariant: the limits are the translator's, in UTF-16 units; white space alone is no sentence.
 */
import { shown } from "../../../spec/reader.ts";
import { TEXT_MAX } from "../../../spec/schema.ts";
import type { BodyObject } from "../../server/body.ts";

/** Notes what is wrong with `query_text`. */
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
