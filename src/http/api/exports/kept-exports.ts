/**
 * Reading, listing, downloading and deleting exports. What comes in: an id or a place in the list.
 * What goes out: records, the signed link of a file, or the state that stands in the way.
 * Invariant: an id of a wrong shape, an unknown one, a deleted one and another tenant's one are
 * answered by the same bytes; an expired export is 410 whatever else is asked.
 */

import type { Mistake } from "../../../errors.ts";
import { signLink } from "../../../export/files/links.ts";
import {
  decodeListCursor,
  encodeListCursor,
  LIST_LIMIT_MAX,
  type ListPosition,
} from "../../../export/listcursor.ts";
import { EXPORT_ID, type ExportRecord, exportNotFound } from "../../../export/record.ts";
import { queryMistake, readWhole, refuseQueryMistakes } from "../../server/query.ts";
import {
  type BareAnswer,
  bare,
  type HttpAnswer,
  noContent,
  type ShapedAnswer,
} from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { recordJson, refuseExpired, refuseUnfinished } from "./export-record.ts";

/** Exports of a page where no limit is given. */
const LIST_LIMIT_DEFAULT = 50;
/** Longest time that a read waits for the end of an export, in seconds. */
const WAIT_SECONDS_MAX = 60;
/** How often a read that waits looks whether somebody still waits for it, in milliseconds. */
const WAIT_TURN_MS = 2_000;

/** `GET /v1/exports/{id}`: the record, on request only once it has come to its end. */
export function readExport(
  call: KeyCall<"clock" | "exporter" | "stopping" | "waits">,
): Reply<ShapedAnswer<"ExportRecord">> {
  const options = readOptions(call.query);
  return readWith(call, options.waitMs, (record) => {
    refuseExpired(record);
    if (options.done) refuseUnfinished(record);
    return answer("ExportRecord", recordJson(record));
  });
}

/** Reads the export of a path as it is now, or when it has come to its end or `wait` is over. */
export function readAs(
  call: KeyCall<"clock" | "exporter" | "stopping" | "waits">,
  show: (record: ExportRecord) => HttpAnswer,
): Reply {
  return readWith(call, readOptions(call.query).waitMs, show);
}

function readWith<Answer extends HttpAnswer>(
  call: KeyCall<"clock" | "exporter" | "stopping" | "waits">,
  waitMs: number,
  show: (record: ExportRecord) => Answer,
): Reply<Answer> {
  const id = idOf(call);
  const { tenantId } = call.identity;
  const record = call.service.exporter.read(tenantId, id);
  if (waitMs === 0 || ended(record)) return show(record);
  return call.service.waits.run(tenantId, () => waitFor(call, id, waitMs)).then(show);
}

function ended({ state }: ExportRecord): boolean {
  return state === "done" || state === "failed";
}

/** Waits in turns, so that a client that is gone holds nothing for longer than one of them. */
async function waitFor(
  call: KeyCall<"clock" | "exporter" | "stopping">,
  id: string,
  waitMs: number,
): Promise<ExportRecord> {
  const { service, identity } = call;
  const untilMs = service.clock.monotonicMs() + waitMs;
  for (;;) {
    const leftMs = untilMs - service.clock.monotonicMs();
    const turnMs = Math.max(0, Math.min(leftMs, WAIT_TURN_MS));
    const record = await service.exporter.settled(identity.tenantId, id, turnMs);
    if (ended(record) || leftMs <= turnMs || service.stopping() || call.finished()) return record;
  }
}

/** `GET /v1/exports/{id}/download`: leads to the file, which then needs no key. */
export function downloadExport(call: KeyCall<"clock" | "exporter" | "secrets">): BareAnswer {
  const { exporter, secrets, clock } = call.service;
  const record = exporter.read(call.identity.tenantId, idOf(call));
  refuseExpired(record);
  refuseUnfinished(record);
  // Relative, so that no Host header can lead it elsewhere.
  const link = signLink(record, { nowMs: clock.nowMs(), secrets: secrets.link });
  return bare({ status: 303, headers: { Location: link } });
}

/** `DELETE /v1/exports/{id}`: cancels or deletes. */
export function deleteExport(call: KeyCall<"exporter">): BareAnswer {
  call.service.exporter.remove(call.identity.tenantId, idOf(call));
  return noContent();
}

/** `GET /v1/exports`: the tenant's exports, newest first. */
export function listExports(call: KeyCall<"exporter" | "secrets">): ShapedAnswer<"ExportList"> {
  const { records, limit, next } = pageOf(call);
  const page = { exports: records.map(recordJson), next_cursor: next, has_more: next !== null };
  if (next === null) return answer("ExportList", page);
  // A cursor is base64url and needs no encoding.
  const link = `</v1/exports?limit=${limit}&cursor=${next}>; rel="next"`;
  return answer("ExportList", page, { headers: { Link: link } });
}

/** Part of a tenant's list; `next` is the cursor of the part behind it, or null. */
interface ListedExports {
  readonly records: readonly ExportRecord[];
  readonly limit: number;
  readonly next: string | null;
}

/** Reads the part of the list that the query asks for. */
export function pageOf(call: KeyCall<"exporter" | "secrets">): ListedExports {
  const { exporter, secrets } = call.service;
  const { tenantId } = call.identity;
  const { limit, before } = readPage(call);
  const { records, more } = exporter.list(tenantId, { limit, before });
  const last = more ? records.at(-1) : undefined;
  const position = last === undefined ? null : { before: last.sequence, limit };
  const next = position === null ? null : encodeListCursor(position, tenantId, secrets.cursor);
  return { records, limit, next };
}

/** The id in the path of one export; one of a wrong shape is that of no export. */
export function idOf({ params }: KeyCall): string {
  const { id } = params;
  if (id === undefined || !EXPORT_ID.test(id)) throw exportNotFound();
  return id;
}

/** What a read asks for beyond the record. */
interface ReadOptions {
  readonly waitMs: number;
  readonly done: boolean;
}

function readOptions(query: ReadonlyMap<string, string>): ReadOptions {
  const mistakes: Mistake[] = [];
  const seconds = readWhole(query, "wait", [0, WAIT_SECONDS_MAX], mistakes) ?? 0;
  const wanted = query.get("require");
  if (wanted !== undefined && wanted !== "done") {
    const detail = "The query parameter require can only be done.";
    mistakes.push(queryMistake("require", "unknown_value", detail));
  }
  refuseQueryMistakes(mistakes);
  return { waitMs: seconds * 1000, done: wanted === "done" };
}

/** Reads limit and cursor; without a limit a page is as long as the one before it. */
function readPage({ query, identity, service }: KeyCall<"secrets">): {
  readonly limit: number;
  readonly before: number | null;
} {
  const mistakes: Mistake[] = [];
  const limit = readWhole(query, "limit", [1, LIST_LIMIT_MAX], mistakes);
  refuseQueryMistakes(mistakes);
  const cursor = query.get("cursor");
  if (cursor === undefined) return { limit: limit ?? LIST_LIMIT_DEFAULT, before: null };
  const position = decodeListCursor(cursor, identity.tenantId, service.secrets.cursor);
  refuseLargerPage(limit, position);
  return { limit: limit ?? position.limit, before: position.before };
}

function refuseLargerPage(limit: number | undefined, { limit: earlier }: ListPosition): void {
  if (limit === undefined || limit <= earlier) return;
  const detail = `Send a limit of at most ${earlier}, that of the page before, or none.`;
  refuseQueryMistakes([queryMistake("limit", "above_earlier_limit", detail)]);
}
