/**
 * Handlers for saved searches. Input: names, specs, and options of notices. Output: searches as
 * JSON, pages of them, and the changes of one.
 * Invariant: the console uses the same database rows. Another tenant's search is reported as
 * missing. A search is counted, then stored. The answer is sent once it is durable. Lists of
 * searches omit the specs, which may be large.
 */
import { randomBytes } from "node:crypto";
import { refuseBeyondBytes } from "../../../access/quota.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { FEED_LANGUAGES } from "../../../notices/feed.ts";
import type { SavedExport } from "../../../notices/noticeexports.ts";
import { rolledSpec } from "../../../notices/rolling.ts";
import { currentSegment, type Segment } from "../../../search/segment.ts";
import { isJsonObject } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { NoticeOptions, SearchRow } from "../../../store/searchstore.ts";
import { type BodyObject, computed, isSmall, type ReadPart, readTask } from "../../server/body.ts";
import { queryMistake, readWhole, refuseQueryMistakes } from "../../server/query.ts";
import {
  type EmptyAnswer,
  type HttpAnswer,
  noContent,
  type ShapedAnswer,
} from "../../server/respond.ts";
import { calledWith, type Reply } from "../../server/routetable.ts";
import type { Call, KeyCall } from "../../server/service.ts";
import { answerChanges } from "../changes/changepage.ts";
import { changesSince } from "../changes/changepair.ts";
import { placedInQuery } from "../changes/changes.ts";
import { noticeJson } from "../notices/noticeanswers.ts";
import { answerWith } from "../search/search.ts";
import { bindLists, matchesOf } from "../search/search-request.ts";
import { answer, type Shape } from "../typed-answer.ts";
import { type ReadSearchBody, SEARCH_BODY } from "./searchbody.ts";
import {
  decodeSearchCursor,
  encodeSearchCursor,
  SEARCHES_MAX,
  searchesFull,
} from "./searchcursor.ts";

const FEED_NAME = /^([A-Za-z0-9_-]{32})\.atom$/;
const FEED_TYPE = "application/atom+xml; charset=utf-8";
const PAGE = 50;
const PAGE_MAX = 200;

type SearchPart = "clock" | "engine" | "retain" | "notices" | "searches" | "segment" | ReadPart;
type SearchCall = KeyCall<SearchPart>;

/** `POST /v1/searches`. */
export function createSearch(call: SearchCall): Reply<ShapedAnswer<"SavedSearchAnswer">> {
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readSent(call, segment, null), (read) =>
    create(call, segment, read),
  );
}

async function create(
  call: SearchCall,
  segment: Segment,
  read: ReadSearchBody,
): Promise<ShapedAnswer<"SavedSearchAnswer">> {
  const { service, identity, plan } = call;
  const { tenantId } = identity;
  const { name = "", spec, feed, paused, ...options } = read;
  const nowMs = service.clock.nowMs();
  const text = JSON.stringify(spec);
  const total = await totalOf(call, segment, spec as AccountQuerySpec);
  refuseBytes(call, Buffer.byteLength(text + name));
  const row = {
    ...{ id: `sch_${randomBytes(16).toString("hex")}`, tenantId, userId: null, text: null },
    ...{ plan: plan.name, keyId: identity.keyId, name, spec: text, ...options },
    ...{ feed: feed === true ? newFeed() : null, snapshot: segment.label, total },
    ...{ specDate: segment.snapshotDate, pausedAt: paused === true ? nowMs : null },
    createdAt: nowMs,
  };
  if (!service.searches.insert(row, SEARCHES_MAX)) throw searchesFull();
  const headers = { Location: `/v1/searches/${row.id}` };
  return answer("SavedSearchAnswer", bodyOf(call, find(call, row.id)), { status: 201, headers });
}

/** `GET /v1/searches`: the tenant's searches, newest first. */
export function listSearches(
  call: KeyCall<"notices" | "searches" | "secrets">,
): ShapedAnswer<"SavedSearches"> {
  const { searches: store, secrets } = call.service;
  const { tenantId } = call.identity;
  const mistakes: Mistake[] = [];
  const limit = readWhole(call.query, "limit", [1, PAGE_MAX], mistakes) ?? PAGE;
  refuseQueryMistakes(mistakes);
  const cursor = call.query.get("cursor");
  const after =
    cursor === undefined ? undefined : decodeSearchCursor(cursor, tenantId, secrets.cursor);
  const rows = store.list(tenantId, limit + 1, after);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? null : encodeSearchCursor(last, tenantId, secrets.cursor);
  const shown = rows.slice(0, limit).map((row) => entryJson(call, row));
  const page = { searches: shown, next_cursor: next, has_more: next !== null };
  if (next === null) return answer("SavedSearches", page);
  const link = `</v1/searches?limit=${limit}&cursor=${next}>; rel="next"`;
  return answer("SavedSearches", page, { headers: { Link: link } });
}

/** `GET /v1/searches/{id}`. */
export function readSearch(
  call: KeyCall<"notices" | "searches">,
): ShapedAnswer<"SavedSearchAnswer"> {
  return answer("SavedSearchAnswer", bodyOf(call, find(call)));
}

/** `PATCH /v1/searches/{id}`. */
export function changeSearch(call: SearchCall): Reply<ShapedAnswer<"SavedSearchAnswer">> {
  const row = find(call);
  const segment = currentSegment(call.service);
  const saved = call.service.searches.specOf(row.tenantId, row.id) ?? null;
  return answerWith(call, segment, readSent(call, segment, saved), (read) =>
    change(call, segment, { row, read, saved: saved ?? "" }),
  );
}

async function change(
  call: SearchCall,
  segment: Segment,
  { row, read, saved }: { row: SearchRow; read: ReadSearchBody; saved: string },
): Promise<ShapedAnswer<"SavedSearchAnswer">> {
  const { searches } = call.service;
  const { id, tenantId } = row;
  const { name, spec } = read;
  if (spec !== undefined) {
    const text = JSON.stringify(spec);
    const total = await totalOf(call, segment, spec);
    refuseBytes(call, Math.max(0, Buffer.byteLength(text) - Buffer.byteLength(saved)));
    const { label: snapshot, snapshotDate: specDate } = segment;
    searches.respecify(tenantId, id, { spec: text, specDate, snapshot, total });
  }
  if (name !== undefined) searches.rename(tenantId, id, name);
  const specDate = searches.dateOf(row.snapshot) ?? segment.snapshotDate;
  const options = optionsOf(row, read, call.service.clock.nowMs());
  searches.setOptions(tenantId, id, { ...options, specDate });
  return answer("SavedSearchAnswer", bodyOf(call, find(call)));
}

/** `DELETE /v1/searches/{id}`: removes a search, its notices, and their queued deliveries. */
export function deleteSearch(call: KeyCall<"searches">): EmptyAnswer {
  const { id, tenantId } = find(call);
  call.service.searches.remove(tenantId, id);
  return noContent();
}

/** `GET /v1/searches/{id}/changes`: like `/v1/changes` for the search's spec. */
export async function searchChanges(
  call: Parameters<typeof answerChanges>[0] & KeyCall<"notices" | "searches">,
): Promise<ShapedAnswer<"ChangesAnswer">> {
  const row = find(call);
  const text = call.service.searches.specOf(row.tenantId, row.id) ?? "{}";
  const daysFrom = row.rolling === 1 ? row.specDate : null;
  const { snapshotDate } = currentSegment(call.service);
  const saved = rolledSpec(JSON.parse(text), daysFrom, snapshotDate);
  const { explain: _, limit: __, sort: ___, ...spec } = isJsonObject(saved) ? saved : {};
  const names = (name: string) => call.query.get(name)?.split(",");
  const limit = call.query.get("limit");
  const fields = names("fields");
  const members = {
    since: call.query.get("since") ?? sinceOf(call, row),
    spec,
    kinds: names("kinds"),
    watch: names("watch") ?? row.watch?.split(","),
    limit: limit !== undefined && /^\d{1,9}$/.test(limit) ? Number(limit) : limit,
    cursor: call.query.get("cursor"),
    ...(fields === undefined ? {} : { output: { fields } }),
  };
  const body: BodyObject = { members, mistakes: [] };
  try {
    // The length of the body decides which thread parses it, so the saved spec replaces it.
    return await answerChanges(calledWith(call, { body: Buffer.from(text) }), body);
  } catch (error) {
    throw error instanceof AppError ? placedInQuery(error) : error;
  }
}

/** Returns the newest month up to the last counted one, or else the latest month. */
function sinceOf(call: KeyCall<"months" | "segment">, row: SearchRow): string | undefined {
  const months = changesSince(call.service);
  return months.find((label) => label <= row.snapshot) ?? months[0];
}

/** `GET /feeds/{name}`: the Atom feed at a secret address. */
export function readFeed(call: Call<"notices" | "searches">): HttpAnswer {
  const [, secret = ""] = FEED_NAME.exec(call.params.name ?? "") ?? [];
  const row = secret === "" ? undefined : call.service.searches.byFeed(secret);
  if (row === undefined) throw new AppError("not_found", "There is no such feed, or no longer.");
  const wanted = call.query.get("lang");
  const language = wanted === undefined ? "pt" : FEED_LANGUAGES.find((one) => one === wanted);
  if (language === undefined) {
    const detail = `lang must be ${FEED_LANGUAGES.join(" or ")}.`;
    refuseQueryMistakes([queryMistake("lang", "unknown_value", detail)]);
  }
  const body = call.service.notices.history.feed(row, language ?? "pt");
  return { status: 200, type: FEED_TYPE, body };
}

function readSent(
  call: SearchCall,
  segment: Segment,
  saved: string | null,
): ReadSearchBody | Promise<ReadSearchBody> {
  if (isSmall(call.body)) {
    return SEARCH_BODY.run(
      { ...readTask(call, call.body), saved },
      segment,
      call,
    ) as ReadSearchBody;
  }
  return computed(call, SEARCH_BODY, { ...readTask(call), saved }, { segment });
}

async function totalOf(
  call: SearchCall,
  segment: Segment,
  spec: AccountQuerySpec,
): Promise<number> {
  return matchesOf(call, segment, await bindLists(call, segment, spec));
}

function refuseBytes({ plan, service, identity }: KeyCall<"searches">, wanted: number): void {
  const { specs: retained } = service.searches.storedBytes.of(identity.tenantId);
  refuseBeyondBytes(plan, "saved_bytes", { retained, wanted });
}

function optionsOf(row: SearchRow, read: ReadSearchBody, nowMs: number): NoticeOptions {
  const {
    watch = row.watch,
    onlyChanges = row.onlyChanges,
    export: exportOptions = row.export,
  } = read;
  const feed = read.feed === undefined ? row.feed : read.feed ? newFeed() : null;
  const { rolling = row.rolling, paused = row.pausedAt !== null } = read;
  const pausedAt = paused ? (row.pausedAt ?? nowMs) : null;
  return { watch, onlyChanges, export: exportOptions, feed, rolling, pausedAt };
}

/** Returns a secret of a feed: 192 random bits. */
function newFeed(): string {
  return randomBytes(24).toString("base64url");
}

/** Returns the search in the path. Throws `not_found`, also for another tenant's. */
function find({ service, identity, params }: KeyCall<"searches">, id = params.id ?? ""): SearchRow {
  const row = service.searches.find(identity.tenantId, id);
  if (row !== undefined) return row;
  throw new AppError("not_found", "There is no such saved search. It may have been deleted.");
}

function bodyOf(call: KeyCall<"notices" | "searches">, row: SearchRow): Shape<"SavedSearchAnswer"> {
  return { request_id: call.requestId, search: searchJson(call, row) };
}

function entryJson(
  { service: { notices } }: KeyCall<"notices">,
  row: SearchRow,
): Shape<"SearchEntry"> {
  const last = notices.history.last(row.tenantId, row.id);
  return {
    id: row.id,
    name: row.name,
    saved: { snapshot: row.snapshot, total: row.total },
    created_at: new Date(row.createdAt).toISOString(),
    paused: row.pausedAt !== null,
    last_notice: last === null ? null : noticeJson(notices.history.find(row.tenantId, last.id)),
  };
}

function searchJson(call: KeyCall<"notices" | "searches">, row: SearchRow): Shape<"SavedSearch"> {
  const text = call.service.searches.specOf(row.tenantId, row.id) ?? "{}";
  const savedExport = row.export === null ? null : (JSON.parse(row.export) as SavedExport);
  const { limit, ...rest } = savedExport ?? { limit: null };
  return {
    ...entryJson(call, row),
    spec: JSON.parse(text) as never,
    watch: row.watch?.split(",") ?? null,
    only_changes: row.onlyChanges === 1,
    export: savedExport === null ? null : { ...rest, ...(limit === null ? {} : { limit }) },
    feed: row.feed === null ? null : `/feeds/${row.feed}.atom`,
    rolling_days: row.rolling === 1,
  };
}
