/**
 * Saved searches. What comes in: specs with names, ids of those that were saved. What goes out:
 * each with the count of then and the exact one of now, page by page; the spec of one at a time,
 * because specs may be large.
 * Invariant: what is saved is a normalized spec that was counted; a spec that means nothing to the
 * present snapshot is kept and has no count; another tenant's search does not exist.
 */
import { randomBytes } from "node:crypto";
import { refuseBeyondBytes } from "../access/quota.ts";
import { AppError } from "../errors.ts";
import { answerSteps } from "../http/api/search/search.ts";
import { boundSteps, isSmall } from "../http/api/search/search-request.ts";
import { statusOf } from "../http/api/service/status.ts";
import { eitherContext } from "../http/api/spec/normalize.ts";
import { laterResult, stepwise } from "../http/server/background-tasks.ts";
import { type BodyObject, readBody, withBodyMistakes } from "../http/server/body.ts";
import { costOf } from "../http/server/cost.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import { type HttpAnswer, noContent } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import {
  currentSegment,
  type KeyCall,
  loadedSegment,
  type ServicePart,
  type SessionCall,
  timed,
} from "../http/server/service.ts";
import type { Steps } from "../scheduling/steps.ts";
import type { Segment } from "../search/segment.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { isJsonObject, shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { SearchRow } from "../store/searchstore.ts";
import { type Answered, answered } from "./answered.ts";
import { readName } from "./bodymembers.ts";
import { Counts } from "./counts.ts";
import { decodeSearchCursor, encodeSearchCursor } from "./searchcursor.ts";
import type { OpenedSearch, SavedSearch, SearchList, Status } from "./web/app/answers.ts";

/** Most searches of a tenant. */
export const SEARCHES_MAX = 500;
/** Searches of a page where no limit is given, and most of them. */
const PAGE = 50;
const PAGE_MAX = 200;
/** Most characters of the sentence a search began with. */
const TEXT_MAX = 2_000;

/** What counting a saved search takes. */
type CountPart = "clock" | "engine" | "listed" | "searches" | "secondaryCnaeFull" | "telemetry";
type SearchCall<More extends ServicePart = never> = KeyCall<CountPart | More>;

/** Line ends and tabs are part of what people type into a box of several lines. */
const CONTROL_BUT_WHITE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** `GET /searches`: a page of the tenant's, newest first; counted in turns with other work. */
export async function listSearches(
  call: KeyCall<
    | "clock"
    | "engine"
    | "hold"
    | "listed"
    | "searches"
    | "secondaryCnaeFull"
    | "secrets"
    | "segment"
    | "telemetry"
  >,
): Promise<HttpAnswer> {
  const { searches: store, secrets } = call.service;
  const { tenantId } = call.identity;
  const limit = readLimit(call.query.get("limit"));
  const cursor = call.query.get("cursor");
  const behind =
    cursor === undefined ? undefined : decodeSearchCursor(cursor, tenantId, secrets.cursor);
  const rows = store.list(tenantId, limit + 1, behind);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? null : encodeSearchCursor(last, tenantId, secrets.cursor);
  const segment = loadedSegment(call.service);
  const release = segment === null ? () => {} : call.service.hold(segment);
  try {
    const searches: Answered<SavedSearch>[] = [];
    for (const row of rows.slice(0, limit)) {
      if (call.gone()) break;
      searches.push(await laterResult(() => stepwise(searchSteps(call, segment, row))));
    }
    return answered<SearchList>({ searches, next_cursor: next, has_more: next !== null });
  } finally {
    release();
  }
}

/** `GET /searches/{id}`: one of them with its spec. */
export function readSearch(call: SearchCall<"hold" | "segment">): Reply {
  const segment = loadedSegment(call.service);
  return answerWhole(call, segment, wholeSteps(call, segment, find(call)));
}

/** `POST /searches`: saves a spec under a name. */
export function saveSearch(call: SessionCall<CountPart | "hold" | "segment">): Reply {
  const segment = currentSegment(call.service);
  return answerSteps(call, segment, saveSteps(call, segment));
}

function* saveSteps(call: SessionCall<CountPart>, segment: Segment): Steps<HttpAnswer> {
  const body = readBody(call.body, ["name", "text", "spec"]);
  call.spend(costOf({ spec: body.members.spec }));
  if (!isSmall(call.body)) yield;
  const name = readName(body, "name");
  const text = readText(body);
  const spec = withBodyMistakes(body, () => specOf(call, segment, body.members.spec));
  if (!isSmall(call.body)) yield;
  const bound = yield* boundSteps(call, segment, spec);
  const total = yield* new Counts(call.service.engine, segment, call.identity.tenantId).totalSteps(
    bound,
  );
  const { tenantId } = call.identity;
  const { searches } = call.service;
  const row = {
    ...{ id: `sch_${randomBytes(16).toString("hex")}`, tenantId, name, text },
    userId: call.session.user.id,
    spec: JSON.stringify(spec),
    snapshot: segment.label,
    total,
    createdAt: call.service.clock.nowMs(),
  };
  const wanted = Buffer.byteLength(`${row.spec}${name}${text ?? ""}`);
  refuseBeyondBytes(call.plan, "saved_bytes", { kept: searches.kept.of(tenantId).specs, wanted });
  if (!searches.insert(row, SEARCHES_MAX)) throw full();
  if (!isSmall(call.body)) yield;
  const search = yield* wholeSteps(call, segment, find(call, row.id));
  return answered<{ search: OpenedSearch }>({ search }, 201);
}

/** `POST /searches/{id}`: counts it anew with `refresh`, gives it another name. */
export function changeSearch(call: SearchCall<"hold" | "segment">): Reply {
  const row = find(call);
  const { name, refresh } = readChange(call);
  const segment = refresh ? currentSegment(call.service) : loadedSegment(call.service);
  return answerWhole(call, segment, changeSteps(call, segment, { row, name, refresh }));
}

function* changeSteps(
  call: SearchCall,
  segment: Segment | null,
  { row, name, refresh }: { row: SearchRow; name: string | null; refresh: boolean },
): Steps<Answered<OpenedSearch>> {
  const { tenantId } = call.identity;
  const { searches } = call.service;
  if (refresh && segment !== null) {
    const total = yield* countSteps(call, segment, meantSpec(call, row.id));
    searches.recount(tenantId, row.id, { snapshot: segment.label, total });
  }
  if (name !== null) searches.rename(tenantId, row.id, name);
  return yield* wholeSteps(call, segment, find(call));
}

/** Answers with one search; the segment it is counted in stays open until it is. */
function answerWhole(
  call: SearchCall<"hold">,
  segment: Segment | null,
  steps: Steps<Answered<OpenedSearch>>,
): Reply {
  const answers = (function* () {
    return answered<{ search: OpenedSearch }>({ search: yield* steps });
  })();
  return segment === null ? stepwise(answers) : answerSteps(call, segment, answers);
}

/** `DELETE /searches/{id}`. */
export function deleteSearch(call: KeyCall<"searches">): HttpAnswer {
  const { id } = find(call);
  call.service.searches.remove(call.identity.tenantId, id);
  return noContent();
}

/** `GET /status`: the public one, and how many searches nobody has looked at since this month. */
export function readStatus(
  call: KeyCall<
    | "months"
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
  const { searches } = call.service;
  const unseen = label === undefined ? 0 : searches.countOlder(call.identity.tenantId, label);
  const { provenance, ...known } = statusOf(call);
  const origin = provenance === null ? null : { ...provenance };
  return answered<Status>({ ...known, provenance: origin, unseen_searches: unseen });
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

/** The spec of a search as the present snapshot reads it; throws where that does not. */
function specOf(
  call: KeyCall<"secondaryCnaeFull">,
  segment: Segment,
  spec: unknown,
): AccountQuerySpec {
  const context = { ...eitherContext(call, segment, spec), listsKnown: true };
  return normalizeSpec(spec, context).spec;
}

/** The exact count of a spec as it was saved, with its lists as they are now. */
function* countSteps(call: KeyCall<CountPart>, segment: Segment, spec: unknown): Steps<number> {
  const bound = yield* boundSteps(call, segment, specOf(call, segment, spec));
  const counts = new Counts(call.service.engine, segment, call.identity.tenantId);
  return timed(call, "count", () => counts.total(bound));
}

/** The spec of a search as it was saved; null where it was deleted meanwhile. */
function savedSpec({ service, identity }: KeyCall<"searches">, id: string): unknown {
  const text = service.searches.specOf(identity.tenantId, id);
  return text === undefined ? null : JSON.parse(text);
}

/** What is counted of it: `explain` means nothing, and earlier versions kept more than is read. */
function meantSpec(call: KeyCall<"searches">, id: string): unknown {
  const spec = savedSpec(call, id);
  if (!isJsonObject(spec)) return spec;
  const { explain: _, ...meant } = spec;
  return meant;
}

function* wholeSteps(
  call: SearchCall,
  segment: Segment | null,
  row: SearchRow,
): Steps<Answered<OpenedSearch>> {
  const spec = savedSpec(call, row.id);
  if (!isJsonObject(spec)) throw notFound();
  return { ...(yield* searchSteps(call, segment, row)), spec };
}

function* searchSteps(
  call: SearchCall,
  segment: Segment | null,
  row: SearchRow,
): Steps<Answered<SavedSearch>> {
  return {
    id: row.id,
    name: row.name,
    text: row.text,
    created_at: new Date(row.createdAt).toISOString(),
    created_by: row.email,
    saved: { snapshot: row.snapshot, total: row.total },
    now: segment === null ? null : yield* nowSteps(call, segment, meantSpec(call, row.id)),
  };
}

/** Null where the spec means nothing to the snapshot, such as a code or a list that is gone. */
function* nowSteps(
  call: KeyCall<CountPart>,
  segment: Segment,
  spec: unknown,
): Steps<Answered<SavedSearch["now"]>> {
  try {
    return { snapshot: segment.label, total: yield* countSteps(call, segment, spec) };
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

function full(): AppError {
  const detail = `There are ${SEARCHES_MAX} saved searches, which is all. Delete one first.`;
  const errors = [{ pointer: "", code: "too_many", detail }];
  return new AppError("invalid_request", detail, { errors });
}
