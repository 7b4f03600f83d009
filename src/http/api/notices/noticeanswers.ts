/**
 * Handlers for notices and webhooks. Input: addresses, ids, and options. Output: webhooks as JSON,
 * the log of notices with their deliveries, and outcomes of tests.
 * Invariant: foreign, unknown, and malformed ids get byte-identical answers. A secret is shown only
 * in the answer to the request that creates it.
 */
import { AppError, type Mistake } from "../../../errors.ts";
import { decodeListCursor, encodeListCursor, LIST_LIMIT_MAX } from "../../../export/listcursor.ts";
import { knownSearch, type NoticeWithDeliveries } from "../../../notices/history.ts";
import { countsOf, exportProblem } from "../../../notices/payload.ts";
import type { ReceiverOwner } from "../../../notices/receivers.ts";
import { publicKeyOf, secretOf } from "../../../notices/signing.ts";
import type { DeliveryRow, WebhookRow } from "../../../store/webhookstore.ts";
import { type BodyObject, readBody, readPatch } from "../../server/body.ts";
import { readWhole, refuseQueryMistakes } from "../../server/query.ts";
import { type EmptyAnswer, noContent, type ShapedAnswer } from "../../server/respond.ts";
import type { KeyCall } from "../../server/service.ts";
import { answer, type Shape } from "../typed-answer.ts";

const PAGE = 50;
const WEBHOOK_MEMBERS = ["url", "searches", "signature"];
const REPLAY_MEMBERS = ["through", "webhook", "only_failed"];

type Listed = "webhooks" | "emails" | "notices";

/** Parts of the service that a limited change needs. */
export type ChangePart = "audit" | "notices";

/** `POST /v1/webhooks`. */
export function createWebhook(call: KeyCall<ChangePart>): ShapedAnswer<"WebhookSecret"> {
  const { members } = refused(readBody(call.body, WEBHOOK_MEMBERS));
  const { webhooks } = call.service.notices;
  const row = webhooks.create(limitedOwner(call), members, call.plan.limits.webhooks);
  return withSecret(call, row, { status: 201, headers: { Location: `/v1/webhooks/${row.id}` } });
}

/** `GET /v1/webhooks`: newest first. */
export function listWebhooks(call: KeyCall<"notices" | "secrets">): ShapedAnswer<"Webhooks"> {
  const { before, limit } = placeOf(call, "webhooks");
  const rows = call.service.notices.webhooks.page(call.identity.tenantId, before, limit + 1);
  const { shown, next } = pageOf(call, rows, limit, "webhooks");
  const page = { webhooks: shown.map(webhookJson), next_cursor: next, has_more: next !== null };
  return answer("Webhooks", page, linked("/v1/webhooks?", next, limit));
}

/** `GET /v1/webhooks/{id}`. */
export function readWebhook(call: KeyCall<"notices">): ShapedAnswer<"WebhookAnswer"> {
  return answered(call, find(call));
}

/** `PATCH /v1/webhooks/{id}`. */
export function changeWebhook(call: KeyCall<ChangePart>): ShapedAnswer<"WebhookAnswer"> {
  const { id } = find(call);
  const { members } = refused(readPatch(call.body, [...WEBHOOK_MEMBERS, "enabled"]));
  return answered(call, call.service.notices.webhooks.change(limitedOwner(call), id, members));
}

/** `DELETE /v1/webhooks/{id}`: removes a webhook and its queued deliveries. */
export function deleteWebhook(call: KeyCall<"notices">): EmptyAnswer {
  call.service.notices.webhooks.remove(ownerOf(call), call.params.id ?? "");
  return noContent();
}

/** `POST /v1/webhooks/{id}/rotate`. */
export function rotateWebhook(call: KeyCall<ChangePart>): ShapedAnswer<"WebhookSecret"> {
  const { id } = find(call);
  refused(bodyOf(call, []));
  return withSecret(call, call.service.notices.webhooks.rotate(limitedOwner(call), id));
}

/** `POST /v1/webhooks/{id}/test`: sends a sample, and waits for its outcome. */
export async function testWebhook(call: KeyCall<"notices">): Promise<ShapedAnswer<"WebhookTest">> {
  const { id } = find(call);
  refused(bodyOf(call, []));
  const sent = await call.service.notices.webhooks.test(call.identity.tenantId, id);
  const { status, tookMs, error } = sent.outcome;
  const test = { id: sent.id, delivered: error === null, status };
  const duration_ms = Math.round(tookMs);
  return answer("WebhookTest", {
    request_id: call.requestId,
    test: { ...test, duration_ms, error },
  });
}

/** `GET /v1/notices`: the tenant's notices with their deliveries, newest first. */
export function listNotices(
  call: KeyCall<"notices" | "searches" | "secrets">,
): ShapedAnswer<"Notices"> {
  const { before, limit } = placeOf(call, "notices");
  const searchId = call.query.get("search");
  if (searchId !== undefined) knownSearch(call.service.searches, call.identity.tenantId, searchId);
  const wanted = { before, limit: limit + 1, ...(searchId === undefined ? {} : { searchId }) };
  const found = call.service.notices.history.page(call.identity.tenantId, wanted);
  const rows = found.map((one) => ({ ...one, sequence: one.row.sequence }));
  const { shown, next } = pageOf(call, rows, limit, "notices");
  const page = { notices: shown.map(noticeJson), next_cursor: next, has_more: next !== null };
  const search = searchId === undefined ? "" : `search=${encodeURIComponent(searchId)}&`;
  return answer("Notices", page, linked(`/v1/notices?${search}`, next, limit));
}

/** `POST /v1/notices/{id}/replay`: sends one notice or a range again. */
export async function replayNotices(call: KeyCall<"notices">): Promise<ShapedAnswer<"Replayed">> {
  const body = bodyOf(call, REPLAY_MEMBERS);
  const through = readId(body, "through");
  const webhook = readId(body, "webhook");
  const { only_failed: failed = false } = body.members;
  if (typeof failed !== "boolean") {
    const detail = "only_failed must be true or false.";
    body.mistakes.push({ pointer: "/only_failed", code: "wrong_type", detail });
  }
  refused(body);
  const queued = await call.service.notices.history.replay({
    ...{ tenantId: call.identity.tenantId, id: call.params.id ?? "", through, webhook },
    onlyFailed: failed === true,
  });
  call.service.notices.tick();
  return answer("Replayed", { request_id: call.requestId, queued });
}

/** Returns a notice as JSON. */
export function noticeJson({ row, deliveries }: NoticeWithDeliveries): Shape<"Notice"> {
  const counts = countsOf(row);
  return {
    notice_id: row.id,
    search_id: row.searchId,
    search_name: row.searchName,
    sequence: row.number,
    snapshot: row.snapshot,
    snapshot_date: row.snapshotDate,
    since: row.since,
    state: row.state,
    entered: counts?.entered ?? null,
    left: counts?.left ?? null,
    changed: counts?.changed ?? null,
    changed_fields: counts?.changed_fields ?? null,
    export_id: row.exportId,
    problem: row.failure ?? exportProblem(counts),
    created_at: new Date(row.createdAt).toISOString(),
    counted_at: timeOf(row.countedAt),
    deliveries: deliveries.map(deliveryJson),
  };
}

function deliveryJson(row: DeliveryRow): Shape<"Notice">["deliveries"][number] {
  return {
    webhook_id: isEmail(row) ? null : row.webhook,
    email_id: isEmail(row) ? row.webhook : null,
    state: row.state,
    attempts: row.attempts,
    last_attempt_at: timeOf(row.lastAt),
    last_status: row.lastStatus,
    last_duration_ms: row.lastMs,
    last_error: row.lastError,
    next_attempt_at: timeOf(row.nextAt),
  };
}

function isEmail({ webhook }: DeliveryRow): boolean {
  return webhook.startsWith("eml_");
}

function webhookJson(row: WebhookRow): Shape<"Webhook"> {
  return {
    id: row.id,
    url: row.url,
    searches: row.searches === null ? null : (JSON.parse(row.searches) as string[]),
    signature: row.signature,
    public_key: keyOf(row),
    enabled: row.disabledAt === null,
    disabled_reason: row.disabledReason,
    disabled_at: timeOf(row.disabledAt),
    failing_since: timeOf(row.failingSince),
    warnings: row.warnings,
    last_success_at: timeOf(row.succeededAt),
    old_secret_until: timeOf(row.oldUntil),
    created_at: new Date(row.createdAt).toISOString(),
    changed_at: new Date(row.changedAt).toISOString(),
  };
}

function keyOf({ signature, seed }: WebhookRow): string | null {
  return signature === "v1" ? null : publicKeyOf(seed);
}

/** Returns a time as JSON. */
export function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** Returns the webhook in the path. Throws `not_found`, also for another tenant's. */
function find({ service, identity, params }: KeyCall<"notices">): WebhookRow {
  return service.notices.webhooks.find(identity.tenantId, params.id ?? "");
}

/**
 * Returns the author of a change. Throws `rate_limited` after too many changes. Deletions need no
 * limit, because each needs a creation.
 */
export function limitedOwner(call: KeyCall<"audit">): ReceiverOwner {
  const owner = ownerOf(call);
  const actors = owner.actor.startsWith("user:") ? "user:" : "key:";
  call.service.audit.refuseTooMany(owner.tenantId, actors);
  return owner;
}

/** Returns the author of a change: a key, or for calls from the console a user. */
export function ownerOf({ identity }: KeyCall): ReceiverOwner {
  const { tenantId, keyId } = identity;
  const isUser = /^user:./.test(keyId);
  return { tenantId, actor: isUser ? (keyId as `user:${string}`) : `key:${keyId}` };
}

function answered(call: KeyCall, row: WebhookRow): ShapedAnswer<"WebhookAnswer"> {
  return answer("WebhookAnswer", { request_id: call.requestId, webhook: webhookJson(row) });
}

function withSecret(
  call: KeyCall,
  row: WebhookRow,
  more: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): ShapedAnswer<"WebhookSecret"> {
  const shown = { secret: secretOf(row.seed), public_key: keyOf(row) };
  const value = { request_id: call.requestId, webhook: webhookJson(row), ...shown };
  return answer("WebhookSecret", value, more);
}

/** Reads the start and the length of a page of a list. */
export function placeOf(call: KeyCall<"secrets">, list: Listed) {
  const { query, identity, service } = call;
  const mistakes: Mistake[] = [];
  const sent = readWhole(query, "limit", [1, LIST_LIMIT_MAX], mistakes);
  refuseQueryMistakes(mistakes);
  const cursor = query.get("cursor");
  const place =
    cursor === undefined
      ? null
      : decodeListCursor(cursor, identity.tenantId, service.secrets.cursor, list);
  const limit = sent ?? place?.limit ?? PAGE;
  return { before: place?.before ?? Number.MAX_SAFE_INTEGER, limit };
}

/** Truncates the rows to a page, and returns the cursor of the next page. */
export function pageOf<Row extends { readonly sequence: number }>(
  { identity, service }: KeyCall<"secrets">,
  rows: readonly Row[],
  limit: number,
  list: Listed,
): { readonly shown: readonly Row[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  if (last === undefined) return { shown, next: null };
  const place = { before: last.sequence, limit };
  return {
    shown,
    next: encodeListCursor(place, identity.tenantId, service.secrets.cursor, list),
  };
}

/** Returns the Link header for the next page. */
export function linked(start: string, next: string | null, limit: number) {
  if (next === null) return {};
  return { headers: { Link: `<${start}limit=${limit}&cursor=${next}>; rel="next"` } };
}

function readId({ members, mistakes }: BodyObject, name: "through" | "webhook"): string | null {
  const value = members[name];
  if (value === undefined) return null;
  if (typeof value === "string") return value;
  const detail = `${name} must be the id of a ${name === "through" ? "notice" : "webhook"}.`;
  mistakes.push({ pointer: `/${name}`, code: "wrong_type", detail });
  return null;
}

/** Reads an optional body. */
export function bodyOf({ body }: KeyCall, known: readonly string[]): BodyObject {
  return body.byteLength === 0 ? { members: {}, mistakes: [] } : readBody(body, known);
}

/** Throws `invalid_request` with all mistakes of a body, if there are any. */
export function refused(body: BodyObject): BodyObject {
  const [first] = body.mistakes;
  if (first === undefined) return body;
  throw new AppError("invalid_request", first.detail, { errors: body.mistakes });
}
