/**
 * `POST /v1/leads/translate`. What comes in: a sentence. What goes out: the spec it means, what was
 * assumed, what could not be expressed, how many accounts it matches, and what to choose among.
 * Invariant: nothing is executed but counts; the spec is normalized like any other, so that a
 * search takes it as it is.
 */

import { AppError } from "../../../errors.ts";
import type { Steps } from "../../../scheduling/steps.ts";
import type { Segment } from "../../../search/segment.ts";
import { normalizeSpec } from "../../../spec/normalize.ts";
import { shown } from "../../../spec/reader.ts";
import { LANGUAGES, type Language } from "../../../translate/notes.ts";
import { suggestionSteps } from "../../../translate/suggestions.ts";
import { translateSteps } from "../../../translate/translate.ts";
import { readBody } from "../../server/body.ts";
import { costOf } from "../../server/cost.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import { currentSegment, type Question } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { answerSteps } from "../search/search.ts";
import { boundSteps, listNamesOf, searchContext } from "../search/search-request.ts";
import { checkText } from "./querytext.ts";

/** Translates without searching. */
export function translateLeads(
  call: Question<"engine" | "hold" | "listed" | "segment">,
): Reply<ShapedAnswer<"TranslateAnswer">> {
  const segment = currentSegment(call.service);
  return answerSteps(call, segment, translationSteps(call, segment));
}

function* translationSteps(
  call: Question<"engine" | "listed">,
  segment: Segment,
): Steps<ShapedAnswer<"TranslateAnswer">> {
  const { service, plan, body, requestId } = call;
  const { text, language } = readRequest(body);
  call.spend(costOf({ text }));
  const lists = listNamesOf(call);
  const translation = yield* translateSteps(text, segment, { language, lists });
  const context = searchContext(segment, plan, { listsKnown: lists !== undefined });
  const { spec } = normalizeSpec(translation.spec, context);
  const bound = yield* boundSteps(call, segment, spec);
  const matches = service.engine.countMatches(segment, bound);
  const suggestions = yield* suggestionSteps(segment, translation, bound);
  return answer("TranslateAnswer", {
    request_id: requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    spec,
    explain: spec.explain,
    parts: translation.parts,
    matches,
    suggestions,
  });
}

/** The sentence in a body; throws `invalid_request` with every mistake. */
function readRequest(bytes: Uint8Array): { text: string; language: Language | undefined } {
  const body = readBody(bytes, ["query_text", "language"]);
  const { members, mistakes } = body;
  checkText(body);
  const language = LANGUAGES.find((one) => one === members.language);
  if (members.language !== undefined && language === undefined) {
    const detail = `language must be ${LANGUAGES.join(" or ")}, not ${shown(members.language)}.`;
    mistakes.push({ pointer: "/language", code: "unknown_value", detail });
  }
  const [first] = mistakes;
  if (first === undefined) return { text: members.query_text as string, language };
  throw new AppError("invalid_request", first.detail, { errors: mistakes });
}
