/**
 * `POST /v1/leads/translate`. Input: a sentence. Output: the spec it means, assumptions,
 * constraints that cannot be expressed, the number of matches, and suggestions.
 * Invariant: only counts of matches are computed, and no search runs. The spec is normalized like
 * any other, so searches accept it.
 */

import { AppError } from "../../../errors.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import { normalizeSpec } from "../../../spec/normalize.ts";
import { shown } from "../../../spec/reader.ts";
import { type AccountQuerySpec, TEXT_MAX } from "../../../spec/schema.ts";
import type { NamedList } from "../../../translate/lists/listnames.ts";
import { LANGUAGES, type Language } from "../../../translate/notes.ts";
import {
  type CountedDoubt,
  doubtsOf,
  type Suggestion,
  suggestionsOf,
} from "../../../translate/suggestions.ts";
import { type Translation, translate } from "../../../translate/translate.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  computed,
  isSmall,
  mayContainWord,
  type ReadPart,
  type ReadTask,
  readBody,
  readTask,
  whenReady,
} from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { answerWith } from "../search/search.ts";
import { bindLists, searchContext } from "../search/search-request.ts";
import { answer } from "../typed-answer.ts";

/** A sentence to parse, with the lists that it may name. */
export interface SentenceTask extends ReadTask {
  /** Lists of the tenant. Empty if the text cannot name one. */
  readonly lists: readonly NamedList[];
}

function sentenceTask(call: QueryContext<"listed" | "secondaryCnaeFull">): SentenceTask {
  const { listed } = call.service;
  const names = listed !== null && mayContainWord(call.body, "list");
  return { ...readTask(call), lists: names ? listed.names(call.identity.tenantId) : [] };
}

interface ReadSentence extends Pick<Translation, "parts" | "activities"> {
  readonly spec: AccountQuerySpec;
  /** Suggestions. Null if the spec names lists, whose entries only the main thread has. */
  readonly suggestions: readonly Suggestion[] | null;
  /** Other readings of the sentence. Empty if the spec names lists. */
  readonly doubts: readonly CountedDoubt[];
}

/** Parses, charges, and translates a sentence. */
export const TRANSLATE: Computation<SentenceTask, ReadSentence> = {
  name: "translate",
  run({ body, plan, listsKnown, lists }, segment, payer) {
    const { text, language } = readRequest(body);
    payer.spend(costOf({ text }));
    const names = listsKnown ? () => lists : undefined;
    const read = (sentence: string) => translate(sentence, segment, { language, lists: names });
    const translation = read(text);
    const context = searchContext(segment, plan, { listsKnown });
    const { spec } = normalizeSpec(translation.spec, context);
    const isBound = spec.filters.lists === undefined;
    const suggestions = isBound ? suggestionsOf(segment, translation, spec) : null;
    const other = (sentence: string) => normalizeSpec(read(sentence).spec, context).spec;
    const doubts = isBound ? doubtsOf(segment, translation, spec, other) : [];
    const { parts, activities } = translation;
    return { spec, parts, activities, suggestions, doubts };
  },
};

type TranslateCall = QueryContext<"engine" | "retain" | "segment" | ReadPart>;

/** Matches members that need a lookup (a sentence or names), and backslashes that may hide one. */
const LOOKS_UP = /query_text|activit|cit(?:y|ies)|state|region|district|name|list|\\/;

/** Reads a body, inline if it is small and has neither a sentence nor names. */
export function readSentence<Value>(
  call: QueryContext<ReadPart>,
  segment: Segment,
  work: Computation<SentenceTask, Value>,
): Value | Promise<Value> {
  const task = sentenceTask(call);
  const isQuick = isSmall(call.body) && !LOOKS_UP.test(Buffer.from(call.body).toString("latin1"));
  return isQuick ? work.run(task, segment, call) : computed(call, work, task, { segment });
}

/** Translates without a search. */
export function translateLeads(call: TranslateCall): Reply<ShapedAnswer<"TranslateAnswer">> {
  const segment = currentSegment(call.service);
  const read = readSentence(call, segment, TRANSLATE);
  return answerWith(call, segment, read, (translation) =>
    whenReady(bindLists(call, segment, translation.spec), (bound) =>
      answerTranslation(call, segment, translation, bound),
    ),
  );
}

function answerTranslation(
  { service, requestId }: TranslateCall,
  segment: Segment,
  translation: ReadSentence,
  bound: AccountQuerySpec,
): ShapedAnswer<"TranslateAnswer"> {
  const { spec, parts } = translation;
  return answer("TranslateAnswer", {
    request_id: requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    spec,
    explain: spec.explain,
    parts,
    matches: service.engine.countMatches(segment, bound),
    suggestions: translation.suggestions ?? suggestionsOf(segment, translation, bound),
    doubts: translation.doubts,
  });
}

/** Reads the sentence in a body. Throws `invalid_request` with every mistake. */
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

/** Notes the mistakes in `query_text`. */
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
