/**
 * Saved searches. What comes in: specs with names, ids of those that were saved. What goes out:
 * each with the count of then and the exact one of now.
 * Invariant: what is saved is a normalized spec that was counted; a spec that means nothing to the
 * present snapshot is kept and has no count; another tenant's search does not exist.
 */
import { randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import { type BodyObject, readBody, withBodyMistakes } from "../http/body.ts";
import { eitherContext } from "../http/normalize.ts";
import { type Answer, json, noContent } from "../http/respond.ts";
import {
  currentSegment,
  type KeyCall,
  loadedSegment,
  type SessionCall,
  timed,
} from "../http/service.ts";
import { laterResult } from "../http/sidework.ts";
import type { Segment } from "../search/segment.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { SearchRow } from "../store/searchstore.ts";
import { Counts } from "./counts.ts";
import { readName } from "./wish.ts";

/** Most searches of a tenant. */
export const SEARCHES_MAX = 500;
/** Most characters of the sentence a search began with. */
const TEXT_MAX = 2_000;

/** Line ends and tabs are part of what people type into a box of several lines. */
const CONTROL_BUT_WHITE = /[^\P{Cc}\t\n\r]/u;

/** `GET /searches`: all of the tenant's, newest first; counted in turns with other work. */
export async function listSearches(call: KeyCall): Promise<Answer> {
  const rows = call.service.searches.list(call.identity.tenantId);
  const segment = loadedSegment(call.service);
  const release = segment === null ? () => {} : call.service.hold(segment);
  try {
    const searches: object[] = [];
    for (const row of rows) {
      if (call.gone()) break;
      searches.push(await laterResult(() => searchJson(call, segment, row)));
    }
    return json({ searches });
  } finally {
    release();
  }
}

/** `POST /searches`: saves a spec under a name. */
export function saveSearch(call: SessionCall): Answer {
  const segment = currentSegment(call.service);
  const body = readBody(call.body, ["name", "text", "spec"]);
  const name = readName(body, "name");
  const text = readText(body);
  const spec = withBodyMistakes(body, () => specOf(call, segment, body.members.spec));
  const { tenantId } = call.identity;
  const row = {
    ...{ id: `sch_${randomBytes(16).toString("hex")}`, tenantId, name, text },
    userId: call.session.user.id,
    spec: JSON.stringify(spec),
    snapshot: segment.label,
    total: countOf(call, segment, spec),
    createdAt: call.service.clock.nowMs(),
  };
  if (!call.service.searches.insert(row, SEARCHES_MAX)) throw full();
  return json({ search: searchJson(call, segment, find(call, row.id)) }, 201);
}

/** `POST /searches/{id}`: counts it anew with `refresh`, gives it another name. */
export function changeSearch(call: KeyCall): Answer {
  const { tenantId } = call.identity;
  const row = find(call);
  const { name, refresh } = readChange(call);
  const segment = refresh ? currentSegment(call.service) : loadedSegment(call.service);
  if (refresh) {
    const current = segment as Segment;
    const total = countOf(call, current, specOf(call, current, JSON.parse(row.spec)));
    call.service.searches.recount(tenantId, row.id, { snapshot: current.label, total });
  }
  if (name !== null) call.service.searches.rename(tenantId, row.id, name);
  return json({ search: searchJson(call, segment, find(call)) });
}

/** `DELETE /searches/{id}`. */
export function deleteSearch(call: KeyCall): Answer {
  const { id } = find(call);
  call.service.searches.remove(call.identity.tenantId, id);
  return noContent();
}

function find({ service, identity, params }: KeyCall, id = params.id ?? ""): SearchRow {
  const row = service.searches.find(identity.tenantId, id);
  if (row !== undefined) return row;
  throw new AppError("not_found", "There is no such saved search. It may have been deleted.");
}

/** The spec of a search as the present snapshot reads it; throws where that does not. */
function specOf(call: KeyCall, segment: Segment, spec: unknown): AccountQuerySpec {
  return normalizeSpec(spec, eitherContext(call, segment, spec)).spec;
}

function countOf(call: KeyCall, segment: Segment, spec: AccountQuerySpec): number {
  const counts = new Counts(call.service.engine, segment);
  return timed(call, "count", () => counts.total(spec));
}

function searchJson(call: KeyCall, segment: Segment | null, row: SearchRow): object {
  const spec = JSON.parse(row.spec) as unknown;
  return {
    id: row.id,
    name: row.name,
    text: row.text,
    spec,
    created_at: new Date(row.createdAt).toISOString(),
    created_by: row.email,
    saved: { snapshot: row.snapshot, total: row.total },
    now: segment === null ? null : countNow(call, segment, spec),
  };
}

/** Null where the spec means nothing to the snapshot, such as a code that is gone. */
function countNow(call: KeyCall, segment: Segment, spec: unknown): object | null {
  try {
    const total = countOf(call, segment, specOf(call, segment, spec));
    return { snapshot: segment.label, total };
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return null;
    throw error;
  }
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
