/**
 * Handlers for the e-mail receivers of notices. Input: addresses, ids, and options. Output:
 * receivers as JSON, and outcomes of tests.
 * Invariant: foreign, unknown, and malformed ids get byte-identical answers. No answer contains the
 * unsubscribe link, because only the reader may use it.
 */
import { addressOf } from "../../../notices/addresses.ts";
import type { WebhookRow } from "../../../store/webhookstore.ts";
import { readBody, readPatch } from "../../server/body.ts";
import { type EmptyAnswer, noContent, type ShapedAnswer } from "../../server/respond.ts";
import type { KeyCall } from "../../server/service.ts";
import { answer, type Shape } from "../typed-answer.ts";
import {
  bodyOf,
  type ChangePart,
  limitedOwner,
  linked,
  ownerOf,
  pageOf,
  placeOf,
  refused,
  timeOf,
} from "./noticeanswers.ts";

const MEMBERS = ["searches", "language", "contacts"];

/** `POST /v1/emails`. */
export function createEmail(call: KeyCall<ChangePart>): ShapedAnswer<"EmailAnswer"> {
  const { members } = refused(readBody(call.body, ["address", ...MEMBERS]));
  const { emails } = call.service.notices;
  const row = emails.create(limitedOwner(call), members, call.plan.limits.emails);
  return answered(call, row, { status: 201, headers: { Location: `/v1/emails/${row.id}` } });
}

/** `GET /v1/emails`: newest first. */
export function listEmails(call: KeyCall<"notices" | "secrets">): ShapedAnswer<"Emails"> {
  const { before, limit } = placeOf(call, "emails");
  const rows = call.service.notices.emails.page(call.identity.tenantId, before, limit + 1);
  const { shown, next } = pageOf(call, rows, limit, "emails");
  const page = { emails: shown.map(emailJson), next_cursor: next, has_more: next !== null };
  return answer("Emails", page, linked("/v1/emails?", next, limit));
}

/** `GET /v1/emails/{id}`. */
export function readEmailReceiver(call: KeyCall<"notices">): ShapedAnswer<"EmailAnswer"> {
  return answered(call, find(call));
}

/** `PATCH /v1/emails/{id}`. */
export function changeEmail(call: KeyCall<ChangePart>): ShapedAnswer<"EmailAnswer"> {
  const { id } = find(call);
  const { members } = refused(readPatch(call.body, [...MEMBERS, "enabled"]));
  return answered(call, call.service.notices.emails.change(limitedOwner(call), id, members));
}

/** `DELETE /v1/emails/{id}`: removes a receiver and its queued e-mails. */
export function deleteEmail(call: KeyCall<"notices">): EmptyAnswer {
  call.service.notices.emails.remove(ownerOf(call), call.params.id ?? "");
  return noContent();
}

/** `POST /v1/emails/{id}/test`: sends a test, and waits for its outcome. */
export async function testEmail(call: KeyCall<"notices">): Promise<ShapedAnswer<"EmailTest">> {
  const { id } = find(call);
  refused(bodyOf(call, []));
  const sent = await call.service.notices.emails.test(call.identity.tenantId, id);
  const { status, tookMs, error } = sent.outcome;
  const test = { id: sent.id, delivered: error === null, status };
  const duration_ms = Math.round(tookMs);
  return answer("EmailTest", {
    request_id: call.requestId,
    test: { ...test, duration_ms, error },
  });
}

function emailJson(row: WebhookRow): Shape<"Email"> {
  return {
    id: row.id,
    address: addressOf(row),
    searches: row.searches === null ? null : (JSON.parse(row.searches) as string[]),
    language: row.language,
    contacts: row.contacts === 1,
    enabled: row.disabledAt === null,
    disabled_reason: row.unsubscribedAt === null ? row.disabledReason : "unsubscribed",
    disabled_at: timeOf(row.disabledAt),
    failing_since: timeOf(row.failingSince),
    warnings: row.warnings,
    last_success_at: timeOf(row.succeededAt),
    created_at: new Date(row.createdAt).toISOString(),
    changed_at: new Date(row.changedAt).toISOString(),
  };
}

/** Returns the receiver in the path. Throws `not_found`, also for another tenant's. */
function find({ service, identity, params }: KeyCall<"notices">): WebhookRow {
  return service.notices.emails.find(identity.tenantId, params.id ?? "");
}

function answered(
  call: KeyCall,
  row: WebhookRow,
  more: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): ShapedAnswer<"EmailAnswer"> {
  return answer("EmailAnswer", { request_id: call.requestId, email: emailJson(row) }, more);
}
