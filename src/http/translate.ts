/**
 * `POST /v1/leads/translate`. What comes in: a sentence. What goes out: the spec it means, what was
 * assumed, what could not be expressed, how many accounts it matches, and what to choose among.
 * Invariant: nothing is executed but counts; the spec is normalized like any other, so that a
 * search takes it as it is.
 */
import { AppError } from "../errors.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { suggestionsOf } from "../translate/suggestions.ts";
import { translate } from "../translate/translate.ts";
import { readBody } from "./body.ts";
import { searchContext } from "./prepared.ts";
import { checkText } from "./querytext.ts";
import { type Answer, json } from "./respond.ts";
import { currentSegment, type Question } from "./service.ts";

/** Translates without searching. */
export function translateLeads({ service, plan, body, requestId }: Question): Answer {
  const segment = currentSegment(service);
  const text = readText(body);
  const translation = translate(text, segment);
  const { spec } = normalizeSpec(translation.spec, searchContext(segment, plan));
  return json({
    request_id: requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    spec,
    explain: spec.explain,
    parts: translation.parts,
    matches: service.engine.countMatches(segment, spec),
    suggestions: suggestionsOf(segment, translation, spec),
  });
}

/** The sentence in a body; throws `invalid_request` with every mistake. */
function readText(bytes: Uint8Array): string {
  const body = readBody(bytes, ["query_text"]);
  checkText(body);
  const [first] = body.mistakes;
  if (first === undefined) return body.members.query_text as string;
  throw new AppError("invalid_request", first.detail, { errors: body.mistakes });
}
