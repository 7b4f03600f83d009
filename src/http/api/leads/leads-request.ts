/**
 * Lead requests: converts a body with a sentence or a lead query to the account query that runs,
 * with the notes that the answer shows.
 * Invariant: the account query is normalized like any other and shown in the answer, so an account
 * search with it finds the same accounts.
 */
import type { Plan } from "../../../access/plans.ts";
import { AppError } from "../../../errors.ts";
import type { Segment } from "../../../search/segment.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import { leadResultHash, normalizeSpec, tooBroad } from "../../../spec/normalize.ts";
import { shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { isUncertain } from "../../../translate/confidence.ts";
import { assumeContact, readLeadQuery } from "../../../translate/leads/leadquery.ts";
import { type Language, languageOf, Notes } from "../../../translate/notes.ts";
import { type CountedDoubt, doubtsOf } from "../../../translate/suggestions.ts";
import { type Part, translate } from "../../../translate/translate.ts";
import { tokenize } from "../../../translate/words/tokens.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  whenReady,
  withBodyMistakes,
} from "../../server/body.ts";
import { weakTag } from "../../server/respond.ts";
import type { QueryContext } from "../../server/service.ts";
import { prefixText } from "../search/page-answer.ts";
import {
  bindLists,
  pageOf,
  readCursor,
  SEARCH_LIMIT_DEFAULT,
  type SearchRequest,
  searchContext,
} from "../search/search-request.ts";
import { checkText, readSentence, type SentenceTask } from "../spec/translate.ts";

/** A parsed lead request. */
export interface LeadsRequest extends SearchRequest {
  readonly onePerCompany: boolean;
  /** Language of the leads' wording. */
  readonly language: Language;
  /** Error for a sentence that was hardly understood, or null. */
  readonly refusal: AppError | null;
  /** False if the sentence may name a list, because another list may get this name later. */
  readonly cacheable: boolean;
  /** Pointer of the sentence, for errors about a missing activity or place. */
  readonly place?: string;
}

/** Translation of a sentence as the answer shows it; `spec` is the spec of the sentence alone. */
interface ShownTranslation {
  readonly spec: AccountQuerySpec;
  readonly explain: AccountQuerySpec["explain"];
  readonly parts: readonly Part[];
  /** Other possible meanings of the sentence's words. Empty if the sentence names lists. */
  readonly doubts: readonly CountedDoubt[];
}

/** An account query with its origin. */
interface Wanted {
  readonly spec: AccountQuerySpec;
  readonly onePerCompany: boolean;
  readonly language: Language;
  readonly translation: ShownTranslation | null;
}

const MEMBERS = ["query_text", "spec", "limit", "output_format", "cursor", "one_per_company"];

/** Members of a lead query of which at least one is required. */
const NARROWING = ["activities", "name_contains", "cities", "states", "regions"];

/** Matches every sentence that names a list. */
const NAMING_LISTS = /list/i;

/** A lead request before its lists are bound. */
interface ReadLeads extends Wanted {
  readonly cost: number;
  readonly cursor: string | null;
  readonly prefix: Uint8Array;
  readonly bySentence: boolean;
  readonly cacheable: boolean;
}

/** Parses and charges a lead request. Throws `AppError` with every mistake in it. */
export const LEADS: Computation<SentenceTask, ReadLeads> = {
  name: "leads",
  run(task, segment, payer) {
    const body = readBody(task.body, MEMBERS);
    const { members } = body;
    const { spec: input, query_text: text } = members;
    const cost = costOf({ spec: input, text, limit: pageOf(members.limit, input, task.plan) });
    payer.spend(cost);
    const cursor = readCursor(body, []);
    checkMembers(body);
    const bySentence = text !== undefined;
    const wanted = bySentence ? ofSentence(task, body, segment) : ofQuery(task, body, segment);
    const { spec, onePerCompany, translation } = wanted;
    const shownMembers = {
      spec,
      one_per_company: onePerCompany,
      ...(translation === null ? {} : { translation }),
    };
    const prefix = Buffer.from(prefixText(segment, shownMembers, "leads"));
    const cacheable = !(bySentence && NAMING_LISTS.test(text as string));
    return { ...wanted, cost, cursor, prefix, bySentence, cacheable };
  },
};

/**
 * Parses and charges a lead request, and replaces the ids of lists in its spec by their current
 * revisions. Names in the request are looked up on the compute thread.
 */
export function prepareLeads(
  call: QueryContext<ReadPart>,
  segment: Segment,
): LeadsRequest | Promise<LeadsRequest> {
  return whenReady(readSentence(call, segment, LEADS), (read) =>
    whenReady(bindLists(call, segment, read.spec), (bound) => requestOf(segment, read, bound)),
  );
}

function requestOf(segment: Segment, read: ReadLeads, bound: AccountQuerySpec): LeadsRequest {
  const { spec, cost, cursor, prefix, onePerCompany, language, bySentence, cacheable } = read;
  const lists = JSON.stringify(bound.filters.lists ?? {});
  const text = Buffer.from(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const tag = weakTag(["leads", segment.snapshotId, text, cursor ?? "", language, lists]);
  return {
    ...{ spec: bound, unbound: spec, cost, cursor, prefix, onePerCompany, language, cacheable },
    resultHash: leadResultHash(bound, onePerCompany),
    missing: tooBroad(spec) === null ? null : NARROWING,
    ...(bySentence ? { place: "/query_text" } : {}),
    facets: null,
    headers: { ETag: tag },
    refusal: bySentence ? refusalOf(read) : null,
  };
}

/** Adds the mistakes in the body's own members, outside the sentence and the spec. */
function checkMembers({ members, mistakes }: BodyObject): void {
  const note = (pointer: string, code: string, detail: string) =>
    mistakes.push({ pointer, code, detail });
  const { query_text: text, spec, limit, output_format: format, one_per_company: one } = members;
  if (text === undefined && spec === undefined) {
    note("", "missing", "Send query_text, a sentence, or spec, a lead_query.");
  } else if (text !== undefined && spec !== undefined) {
    note("/spec", "not_together", "Send either query_text or spec, not both.");
  }
  const max = SPEC_LIMITS.searchLimitMax;
  if (limit !== undefined && !Number.isInteger(limit)) {
    note("/limit", "wrong_type", `Must be an integer from 1 to ${max}, not ${shown(limit)}.`);
  } else if (limit !== undefined && ((limit as number) < 1 || (limit as number) > max)) {
    note("/limit", "out_of_range", `Must be from 1 to ${max}, not ${shown(limit)}.`);
  }
  if (format !== undefined && format !== "json") {
    note("/output_format", "unknown_value", `Must be "json", not ${shown(format)}.`);
  }
  if (one === undefined) return;
  if (typeof one !== "boolean") {
    note("/one_per_company", "wrong_type", `Must be true or false, not ${shown(one)}.`);
  } else if (spec !== undefined) {
    note("/one_per_company", "not_together", "Put one_per_company into the spec.");
  }
}

function ofQuery({ plan }: ReadTask, body: BodyObject, segment: Segment): Wanted {
  const { members, mistakes } = body;
  const { searchLimitMax } = SPEC_LIMITS;
  return withBodyMistakes(body, () => {
    const limitDefault = Math.min(SEARCH_LIMIT_DEFAULT, plan.limits.search_limit);
    // The limit of the lead query is not capped here. The plan's cap is applied to the compiled
    // account query, with a warning.
    const limits = { limitDefault, limitCap: searchLimitMax };
    // A missing spec was already noted with the members.
    const input = members.spec === undefined && mistakes.length > 0 ? {} : members.spec;
    const { query, compiled } = readLeadQuery(input, { segment, ...limits });
    const { spec } = normalizeSpec(compiled, contextOf(body, segment, plan));
    const { one_per_company: onePerCompany } = query;
    return { spec, onePerCompany, language: "pt" as const, translation: null };
  });
}

function ofSentence(task: SentenceTask, body: BodyObject, segment: Segment): Wanted {
  const { members } = body;
  checkText(body);
  return withBodyMistakes(body, () => {
    // With mistakes, the text may not even be a string, so nothing is translated.
    const text = body.mistakes.length > 0 ? "" : (members.query_text as string);
    const language = languageOf(tokenize(text).map(({ folded }) => folded));
    const { listsKnown } = task;
    const lists = listsKnown ? () => task.lists : undefined;
    const read = (sentence: string) => translate(sentence, segment, { lists });
    const translated = read(text);
    const { spec: input, parts } = translated;
    const context = { ...contextOf(body, segment, task.plan), listsKnown };
    const alone = normalizeSpec(input, context).spec;
    const other = (sentence: string) => normalizeSpec(read(sentence).spec, context).spec;
    const isBound = alone.filters.lists === undefined;
    const doubts = isBound ? doubtsOf(segment, translated, alone, other) : [];
    const spoken = parts.some(({ role }) => role === "contact") || leavesContact(alone);
    const spec = spoken ? alone : withContact(alone, language);
    const onePerCompany = members.one_per_company !== false;
    const translation = { spec: alone, explain: alone.explain, parts, doubts };
    return { spec, onePerCompany, language, translation };
  });
}

/** Returns the normalization context of a search. An invalid limit was reported before. */
function contextOf({ members, mistakes }: BodyObject, segment: Segment, plan: Plan) {
  const bodyLimit = mistakes.length > 0 ? undefined : members.limit;
  return { ...searchContext(segment, plan), bodyLimit };
}

/** True if the sentence requests companies without a contact, which no filter can express. */
function leavesContact({ explain }: AccountQuerySpec): boolean {
  return explain.unmapped_constraints.some(
    (note) => (note as { readonly code?: unknown }).code === "without_contact",
  );
}

/** If the sentence does not mention contact, adds a filter that requires any contact. */
function withContact(spec: AccountQuerySpec, language: Language): AccountQuerySpec {
  const { contact } = spec.filters;
  const notes = new Notes(language);
  assumeContact(notes);
  const { explain, filters } = spec;
  const assumed = notes.assumptions.map((note) => ({ ...note }));
  return {
    ...spec,
    filters: { ...filters, contact: { ...contact, require_any_contact: true } },
    explain: { ...explain, assumptions: [...explain.assumptions, ...assumed] },
  };
}

/** Returns the error for a sentence that is too unclear, with the spec, or null. */
function refusalOf({ spec }: Wanted): AppError | null {
  const { explain } = spec;
  if (!isUncertain(explain.confidence)) return null;
  // A spec that is only too broad gets another error, which names the missing filters.
  const understood = explain.confidence > 0 && explain.unmapped_constraints.length === 0;
  if (understood && tooBroad(spec) !== null) return null;
  const detail =
    "Too little of query_text was understood to search with it. Check the spec in this answer, " +
    "correct it and search with it, or write the sentence with a known activity and place.";
  const errors = [{ pointer: "/query_text", code: "translation_uncertain", detail }];
  return new AppError("translation_uncertain", detail, { errors, members: { spec, explain } });
}
