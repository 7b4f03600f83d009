/**
 * Shows the audit trail in the console: pages of the tenant's lines with readable names. Also
 * returns the keyring and the users with which the signed-in user makes changes, so that the trail
 * names that user.
 * Invariant: lines of other tenants and of the state store are never shown. Names are the current
 * ones, because the trail itself holds only ids. A webhook is named by its host, because its path
 * may be a secret.
 */
import type { Keyring } from "../access/keyring.ts";
import type { Users } from "../access/users.ts";
import {
  decodeListCursor,
  encodeListCursor,
  LIST_LIMIT_MAX,
  type ListPosition,
} from "../export/listcursor.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { SessionCall } from "../http/server/service.ts";
import { addressOf } from "../notices/addresses.ts";
import type { AuditRow } from "../store/auditstore.ts";
import { type TypedAnswer, typedAnswer } from "./typedanswer.ts";
import { namesOf } from "./usage.ts";
import type { AuditLine, AuditPage } from "./web/app/answers.ts";

const LIMIT_DEFAULT = 50;

/** `GET /audit`: newest first. */
export function listAudit(
  call: SessionCall<"audit" | "keyring" | "notices" | "secrets" | "users">,
): HttpAnswer {
  const { service, requestId, identity } = call;
  const { tenantId } = identity;
  const { before, limit } = readPlace(call);
  const { rows, more } = service.audit.page(tenantId, { before, limit });
  const last = more ? rows.at(-1) : undefined;
  const next =
    last === undefined
      ? null
      : encodeListCursor(
          { before: last.sequence, limit },
          tenantId,
          service.secrets.cursor,
          "audit",
        );
  const names = new Map([...namesOf(call), ...receiverNames(call)]);
  const lines = rows.map((row) => lineOf(call, row, names));
  return typedAnswer<AuditPage>({
    request_id: requestId,
    lines,
    next_cursor: next,
    has_more: more,
  });
}

/**
 * Returns the tenant's keyring and users. Changes through them are recorded as made by the
 * signed-in user. Throws `rate_limited` if the tenant's users recently made too many changes.
 */
export function onBehalfOf(call: SessionCall<"audit" | "keyring" | "users">): {
  readonly keyring: Keyring;
  readonly users: Users;
} {
  const { keyring, users, audit } = call.service;
  audit.refuseTooMany(call.identity.tenantId, "user:");
  const actor = `user:${call.session.user.id}` as const;
  return { keyring: keyring.by(actor), users: users.by(actor) };
}

/** Reads position and limit of a page. Without a limit, it is as long as the previous one. */
function readPlace({ query, identity, service }: SessionCall<"secrets">): Partial<ListPosition> & {
  readonly limit: number;
} {
  const sent = query.get("limit");
  const limit = sent !== undefined && /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
  if (sent !== undefined && (limit < 1 || limit > LIST_LIMIT_MAX)) {
    const detail = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}.`;
    refuseQueryMistakes([queryMistake("limit", "invalid_value", detail)]);
  }
  const cursor = query.get("cursor");
  const wanted = sent === undefined ? null : limit;
  if (cursor === undefined) return { limit: wanted ?? LIMIT_DEFAULT };
  const place = decodeListCursor(cursor, identity.tenantId, service.secrets.cursor, "audit");
  return { before: place.before, limit: wanted ?? place.limit };
}

/** Returns a line as the console shows it, without `name` for deleted subjects and commands. */
function lineOf(
  call: SessionCall,
  row: AuditRow,
  names: ReadonlyMap<string, string>,
): TypedAnswer<AuditLine> {
  const [kind = "", id = null] = row.actor.split(":");
  const subject = row.action.split(".")[0] ?? "";
  const named = subject === "user" ? `user:${row.subject}` : row.subject;
  return {
    at: new Date(row.at).toISOString(),
    action: row.action,
    actor: {
      kind,
      id,
      name: names.get(kind === "user" ? row.actor : (id ?? "")) ?? null,
      you: row.actor === `user:${call.session.user.id}`,
    },
    subject: { kind: subject, id: row.subject, name: names.get(named ?? "") || null },
    facts: namedFacts(row, names),
  };
}

/** Replaces the id of a key by the name of the key; null if the key has no name. */
function namedFacts({ facts }: AuditRow, names: ReadonlyMap<string, string>): AuditRow["facts"] {
  const { replaced_by: id } = facts;
  return typeof id === "string" ? { ...facts, replaced_by: names.get(id) || null } : facts;
}

/** Maps the tenant's webhooks to their hosts, and its e-mail receivers to their addresses. */
function receiverNames({ service, identity }: SessionCall<"notices">): [string, string][] {
  const { webhooks, emails } = service.notices;
  const all = [identity.tenantId, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;
  return [
    ...webhooks.page(...all).map(({ id, url }): [string, string] => [id, new URL(url).host]),
    ...emails.page(...all).map((row): [string, string] => [row.id, addressOf(row)]),
  ];
}
