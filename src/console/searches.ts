/**
 * Saved searches: named specs, each listed with its count when saved and its exact count now. Specs
 * may be large, so they are returned one at a time.
 * Invariant: a saved spec is normalized and was counted. A spec that is invalid for the current
 * snapshot is retained without a count. Another tenant's searches are treated as nonexistent.
 */
import { randomBytes } from "node:crypto";
import { refuseBeyondBytes } from "../access/quota.ts";
import { AppError } from "../errors.ts";
import { noticeJson } from "../http/api/notices/noticeanswers.ts";
import { answerWith, withRetainedSegment } from "../http/api/search/search.ts";
import { anySpecContext, bindLists, readAnySpec } from "../http/api/search/search-request.ts";
import {
  decodeSearchCursor,
  encodeSearchCursor,
  SEARCHES_MAX,
  searchesFull,
} from "../http/api/searches/searchcursor.ts";
import { statusOf } from "../http/api/service/status.ts";
import { costOf } from "../http/server/admission.ts";
import { TimeSlices } from "../http/server/background-tasks.ts";
import {
  type BodyObject,
  type Computation,
  computed,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  readTask,
  withBodyMistakes,
} from "../http/server/body.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import { type HttpAnswer, noContent } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall, ServicePart, SessionCall } from "../http/server/service.ts";
import { rolledSpec } from "../notices/rolling.ts";
import { currentSegment, loadedSegment, type Segment } from "../search/segment.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { presetsWithin } from "../spec/presets.ts";
import { isJsonObject, shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { SearchRow } from "../store/searchstore.ts";
import { readName } from "./bodymembers.ts";
import { Counts } from "./counts.ts";
import { type TypedAnswer, typedAnswer } from "./typedanswer.ts";
import type { OpenedSearch, SavedSearch, SearchList, Status } from "./web/app/answers.ts";

/** Default and maximum number of searches per page. */
const PAGE = 50;
const PAGE_MAX = 200;
/** Maximum characters of the original sentence. */
const TEXT_MAX = 2_000;

/** Services that counting a saved search needs. */
type CountPart = "clock" | "engine" | "notices" | "searches" | "telemetry" | ReadPart;
type SearchCall<More extends ServicePart = never> = KeyCall<CountPart | More>;

/** Maximum UTF-16 units of a saved spec that is parsed on this thread, as for request bodies. */
const QUICK_LENGTH_MAX = 8 * 1024;
const NO_BODY = new Uint8Array(0);

/** Control characters except line ends and tabs, which users type into multi-line boxes. */
const CONTROL_BUT_WHITE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** `GET /searches`: a page of the tenant's searches, newest first; yields between counts. */
export async function listSearches(
  call: KeyCall<CountPart | "retain" | "secrets" | "segment">,
): Promise<HttpAnswer> {
  const { searches: store, secrets } = call.service;
  const { tenantId } = call.identity;
  const limit = readLimit(call.query.get("limit"));
  const cursor = call.query.get("cursor");
  const after =
    cursor === undefined ? undefined : decodeSearchCursor(cursor, tenantId, secrets.cursor);
  const rows = store.list(tenantId, limit + 1, after);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? null : encodeSearchCursor(last, tenantId, secrets.cursor);
  const segment = loadedSegment(call.service);
  const release = segment === null ? () => {} : call.service.retain(segment);
  try {
    const searches: TypedAnswer<SavedSearch>[] = [];
    const turns = new TimeSlices();
    for (const row of rows.slice(0, limit)) {
      if (call.gone()) break;
      await turns.taken();
      searches.push(await searchOf(call, segment, row));
    }
    return typedAnswer<SearchList>({ searches, next_cursor: next, has_more: next !== null });
  } finally {
    release();
  }
}

/** `GET /searches/{id}`: one search with its spec. */
export function readSearch(call: SearchCall<"retain" | "segment">): Reply {
  const segment = loadedSegment(call.service);
  return answerWhole(call, segment, whole(call, segment, find(call)));
}

/** A search to be saved. */
interface NewSearch {
  readonly name: string;
  readonly text: string | null;
  readonly spec: AccountQuerySpec;
}

/** Reads and charges a search to be saved. Throws `AppError` with every mistake in it. */
export const SAVE_SEARCH: Computation<ReadTask, NewSearch> = {
  name: "saveSearch",
  run(task, segment, payer) {
    const body = readBody(task.body, ["name", "text", "spec"]);
    payer.spend(costOf({ spec: body.members.spec }));
    const name = readName(body, "name");
    const text = readText(body);
    return { name, text, spec: readAnySpec(task, segment, body).spec };
  },
};

/** `POST /searches`: saves a spec under a name. */
export function saveSearch(call: SessionCall<CountPart | "retain" | "segment">): Reply {
  const segment = currentSegment(call.service);
  const read = readRequest(call, segment, SAVE_SEARCH);
  return answerWith(call, segment, read, (search) => save(call, segment, search));
}

async function save(
  call: SessionCall<CountPart>,
  segment: Segment,
  { name, text, spec }: NewSearch,
): Promise<HttpAnswer> {
  const bound = await bindLists(call, segment, spec);
  const total = await new Counts(call.service.engine, segment, call.identity.tenantId).total(bound);
  const { tenantId } = call.identity;
  const { searches } = call.service;
  const row = {
    ...{ id: `sch_${randomBytes(16).toString("hex")}`, tenantId, name, text },
    userId: call.session.user.id,
    plan: call.plan.name,
    spec: JSON.stringify(spec),
    snapshot: segment.label,
    specDate: segment.snapshotDate,
    total,
    createdAt: call.service.clock.nowMs(),
  };
  const wanted = Buffer.byteLength(`${row.spec}${name}${text ?? ""}`);
  refuseBeyondBytes(call.plan, "saved_bytes", {
    retained: searches.storedBytes.of(tenantId).specs,
    wanted,
  });
  if (!searches.insert(row, SEARCHES_MAX)) throw searchesFull();
  const search = await whole(call, segment, find(call, row.id));
  return typedAnswer<{ search: OpenedSearch }>({ search }, 201);
}

/** `POST /searches/{id}`: with `refresh`, recounts it; with `name`, renames it. */
export function changeSearch(call: SearchCall<"retain" | "segment">): Reply {
  const row = find(call);
  const { name, refresh } = readChange(call);
  const segment = refresh ? currentSegment(call.service) : loadedSegment(call.service);
  return answerWhole(call, segment, change(call, segment, { row, name, refresh }));
}

async function change(
  call: SearchCall,
  segment: Segment | null,
  { row, name, refresh }: { row: SearchRow; name: string | null; refresh: boolean },
): Promise<TypedAnswer<OpenedSearch>> {
  const { tenantId } = call.identity;
  const { searches } = call.service;
  if (refresh && segment !== null) {
    const total = await countOf(call, segment, row.id);
    searches.recount(tenantId, row.id, { snapshot: segment.label, total });
  }
  if (name !== null) searches.rename(tenantId, row.id, name);
  return whole(call, segment, find(call));
}

/** Answers with one search. The segment stays open until the matches of the search are counted. */
function answerWhole(
  call: SearchCall<"retain">,
  segment: Segment | null,
  opened: Promise<TypedAnswer<OpenedSearch>>,
): Reply {
  const answers = opened.then((search) => typedAnswer<{ search: OpenedSearch }>({ search }));
  return segment === null ? answers : withRetainedSegment(call, segment, answers);
}

/** `DELETE /searches/{id}`. */
export function deleteSearch(call: KeyCall<"searches">): HttpAnswer {
  const { id } = find(call);
  call.service.searches.remove(call.identity.tenantId, id);
  return noContent();
}

/** `GET /status`: the public status, the number of searches with news, and `sends_emails`. */
export function readStatus(
  call: KeyCall<
    | "months"
    | "notices"
    | "plans"
    | "scrubbed"
    | "searches"
    | "secondaryCnaeFull"
    | "segment"
    | "usage"
    | "version"
  >,
): HttpAnswer {
  const label = loadedSegment(call.service)?.label;
  const { searches, notices } = call.service;
  const unseen = label === undefined ? 0 : searches.countOlder(call.identity.tenantId, label);
  const { provenance, ...known } = statusOf(call);
  const origin = provenance === null ? null : { ...provenance };
  const presets = presetsWithin(call.plan.fields);
  const own = { unseen_searches: unseen, sends_emails: notices.emails.ready, presets };
  return typedAnswer<Status>({ ...known, provenance: origin, ...own });
}

function find({ service, identity, params }: KeyCall<"searches">, id = params.id ?? ""): SearchRow {
  const row = service.searches.find(identity.tenantId, id);
  if (row !== undefined) return row;
  throw notFound();
}

function notFound(): AppError {
  const detail = "There is no such saved search. It may have been deleted.";
  return new AppError("not_found", detail);
}

/** A saved spec to be read again. */
interface SavedTask extends Omit<ReadTask, "body"> {
  /** The search as JSON, or null if it was deleted. */
  readonly saved: string | null;
}

/** Parses a saved spec against a snapshot. Throws if it is invalid for the snapshot. */
export const SAVED: Computation<SavedTask, AccountQuerySpec> = {
  name: "savedSearch",
  run({ saved, ...task }, segment) {
    const sent: unknown = saved === null ? null : JSON.parse(saved);
    // `explain` does not affect a count. It is dropped, because earlier versions stored members in
    // it that are invalid now.
    const { explain: _, ...counted } = isJsonObject(sent) ? sent : {};
    const input = isJsonObject(sent) ? counted : sent;
    return normalizeSpec(input, { ...anySpecContext(task, segment, input), listsKnown: true }).spec;
  },
};

/** Returns the exact count of a saved spec, with the current entries of its lists. */
async function countOf(call: KeyCall<CountPart>, segment: Segment, id: string): Promise<number> {
  const { body: _, ...task } = readTask(call, NO_BODY);
  const saved = rolledText(call, segment, id) ?? null;
  const sent = { ...task, saved };
  const isQuick = saved === null || saved.length <= QUICK_LENGTH_MAX;
  const spec = await (isQuick
    ? SAVED.run(sent, segment, call)
    : computed(call, SAVED, sent, { segment }));
  const bound = await bindLists(call, segment, spec);
  const startMs = call.service.clock.monotonicMs();
  const counts = new Counts(call.service.engine, segment, call.identity.tenantId);
  const total = await counts.total(bound);
  call.service.telemetry.engine("count", call.service.clock.monotonicMs() - startMs);
  return total;
}

/** Returns a saved spec as JSON. Relative days are replaced by dates for the snapshot. */
function rolledText(
  { service: { searches }, identity: { tenantId } }: KeyCall<"searches">,
  segment: Segment | null,
  id: string,
): string | undefined {
  const text = searches.specOf(tenantId, id);
  const row = searches.find(tenantId, id);
  if (text === undefined || row?.rolling !== 1 || segment === null) return text;
  return JSON.stringify(rolledSpec(JSON.parse(text), row.specDate, segment.snapshotDate));
}

async function whole(
  call: SearchCall,
  segment: Segment | null,
  row: SearchRow,
): Promise<TypedAnswer<OpenedSearch>> {
  const text = rolledText(call, segment, row.id);
  const spec: unknown = text === undefined ? null : JSON.parse(text);
  if (!isJsonObject(spec)) throw notFound();
  return { ...(await searchOf(call, segment, row)), spec };
}

async function searchOf(
  call: SearchCall,
  segment: Segment | null,
  row: SearchRow,
): Promise<TypedAnswer<SavedSearch>> {
  const { history } = call.service.notices;
  const last = history.last(row.tenantId, row.id);
  return {
    id: row.id,
    name: row.name,
    text: row.text,
    created_at: new Date(row.createdAt).toISOString(),
    created_by: row.email,
    paused: row.pausedAt !== null,
    saved: { snapshot: row.snapshot, total: row.total },
    now: segment === null ? null : await nowOf(call, segment, row.id),
    last_notice: last === null ? null : noticeJson(history.find(row.tenantId, last.id)),
  };
}

/** Returns the current count of a saved search, or null if its spec has become invalid. */
async function nowOf(
  call: KeyCall<CountPart>,
  segment: Segment,
  id: string,
): Promise<TypedAnswer<SavedSearch["now"]>> {
  try {
    return { snapshot: segment.label, total: await countOf(call, segment, id) };
  } catch (error) {
    const means = !(error instanceof AppError) || ![404, 422].includes(error.status);
    if (means) throw error;
    return null;
  }
}

function readLimit(sent: string | undefined): number {
  if (sent === undefined) return PAGE;
  const limit = /^[1-9]\d{0,2}$/.test(sent) ? Number(sent) : 0;
  if (limit >= 1 && limit <= PAGE_MAX) return limit;
  const detail = `The query parameter limit must be a whole number from 1 to ${PAGE_MAX}.`;
  refuseQueryMistakes([queryMistake("limit", "out_of_range", detail)]);
  return PAGE;
}

function readText({ members, mistakes }: BodyObject): string | null {
  const { text } = members;
  if (text === undefined || text === null) return null;
  const fits = typeof text === "string" && text.length <= TEXT_MAX && !CONTROL_BUT_WHITE.test(text);
  if (fits) return text.trim() === "" ? null : text;
  const code = typeof text === "string" ? "wrong_format" : "wrong_type";
  const detail = `text must be null or up to ${TEXT_MAX} characters without control characters.`;
  mistakes.push({ pointer: "/text", code, detail });
  return null;
}

function readChange(call: KeyCall): { readonly name: string | null; readonly refresh: boolean } {
  const body = readBody(call.body, ["name", "refresh"]);
  const { members, mistakes } = body;
  const name = members.name === undefined ? null : readName(body, "name");
  if (members.refresh !== undefined && members.refresh !== true) {
    const detail = `refresh must be true or be left out, not ${shown(members.refresh)}.`;
    mistakes.push({ pointer: "/refresh", code: "wrong_type", detail });
  }
  if (members.name === undefined && members.refresh === undefined) {
    const detail = "Say what is to change: name, refresh, or both.";
    mistakes.push({ pointer: "", code: "missing", detail });
  }
  return withBodyMistakes(body, () => ({ name, refresh: members.refresh === true }));
}
