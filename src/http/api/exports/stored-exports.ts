/**
 * Reads, lists, downloads, and deletes exports. Input: an id or a position in the list. Output:
 * records, the signed link of a file, or the error of an export's state.
 * Invariant: malformed, unknown, deleted, and foreign ids get byte-identical answers. An expired
 * export gets the status 410.
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
  type EmptyAnswer,
  emptyAnswer,
  type HttpAnswer,
  noContent,
  type ShapedAnswer,
} from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { answer } from "../typed-answer.ts";
import { recordJson, refuseExpired, refuseUnfinished } from "./export-record.ts";

const LIST_LIMIT_DEFAULT = 50;
/** Maximum time that a read waits for an export to end, in seconds. */
const WAIT_SECONDS_MAX = 60;
/** Milliseconds between checks that the client of a waiting request is still connected. */
const WAIT_TURN_MS = 2_000;

/** `GET /v1/exports/{id}`: the record. With `wait`, answers only once the export has ended. */
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

/** Reads the export in the path immediately, or once it has ended or `wait` has elapsed. */
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

/** Waits in short intervals, to notice a client that disconnects. */
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

/** `GET /v1/exports/{id}/download`: redirects to the file, which needs no key. */
export function downloadExport(call: KeyCall<"clock" | "exporter" | "secrets">): EmptyAnswer {
  const { exporter, secrets, clock } = call.service;
  const record = exporter.read(call.identity.tenantId, idOf(call));
  refuseExpired(record);
  refuseUnfinished(record);
  // The link is relative, so that a forged Host header cannot point it to another server.
  const link = signLink(record, { nowMs: clock.nowMs(), secrets: secrets.link });
  return emptyAnswer({ status: 303, headers: { Location: link } });
}

/** `DELETE /v1/exports/{id}`: cancels the export if it is unfinished. Otherwise deletes it. */
export function deleteExport(call: KeyCall<"exporter">): EmptyAnswer {
  call.service.exporter.remove(call.identity.tenantId, idOf(call));
  return noContent();
}

/** `GET /v1/exports`: the tenant's exports, newest first. */
export function listExports(call: KeyCall<"exporter" | "secrets">): ShapedAnswer<"ExportList"> {
  const { records, limit, next } = pageOf(call);
  const page = { exports: records.map(recordJson), next_cursor: next, has_more: next !== null };
  if (next === null) return answer("ExportList", page);
  // Base64url cursors need no encoding.
  const link = `</v1/exports?limit=${limit}&cursor=${next}>; rel="next"`;
  return answer("ExportList", page, { headers: { Link: link } });
}

/** Page of a tenant's list; `next` is the cursor of the next page, or null. */
interface ListedExports {
  readonly records: readonly ExportRecord[];
  readonly limit: number;
  readonly next: string | null;
}

/** Reads the requested page of the list. */
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

/** Returns the export id in the path. A malformed id is answered as not found. */
export function idOf({ params }: KeyCall): string {
  const { id } = params;
  if (id === undefined || !EXPORT_ID.test(id)) throw exportNotFound();
  return id;
}

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

/** Reads limit and cursor. Without a limit, a page is as long as the previous page. */
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
