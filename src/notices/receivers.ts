/**
 * Code shared by webhooks and e-mail receivers: their searches, their state, and refusals.
 * Invariant: a receiver names only searches of its tenant. Every mistake of a request is reported.
 */
import { AppError, type Mistake } from "../errors.ts";
import type { Actor } from "../store/auditstore.ts";
import { stateUnwritable } from "../store/failures.ts";
import type { SearchStore } from "../store/searchstore.ts";
import { isStateFailure } from "../store/sqlite.ts";
import type { ReceiverKind, WebhookRow } from "../store/webhookstore.ts";

/** Max searches that a receiver may name. To get more, it must receive all searches' notices. */
const SEARCHES_MAX = 500;

/** The author of a change: the tenant, and the name for the audit trail. */
export interface ReceiverOwner {
  readonly tenantId: string;
  readonly actor: Actor;
}

/** Returns the searches that a receiver names, as JSON; null if it receives all of the tenant's. */
export function readSearches(
  searches: Pick<SearchStore, "known">,
  tenantId: string,
  sent: unknown,
  mistakes: Mistake[],
): string | null {
  if (sent === null) return null;
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > SEARCHES_MAX) {
    const detail =
      `searches must be a list of 1 to ${SEARCHES_MAX} ids of saved searches, or null for all ` +
      "of the tenant.";
    mistakes.push({ pointer: "/searches", code: "wrong_type", detail });
    return null;
  }
  const known = new Set(searches.known(tenantId, sent.map(String)));
  for (const [at, id] of sent.entries()) {
    if (typeof id === "string" && known.has(id)) continue;
    const detail = "There is no such saved search. GET /v1/searches lists them.";
    mistakes.push({ pointer: `/searches/${at}`, code: "unknown_value", detail });
  }
  return JSON.stringify([...known]);
}

/**
 * Returns the members of a receiver's row that say whether and why it is disabled after a change. A
 * receiver that stays disabled keeps the reason.
 */
export function stateAfter(
  before: WebhookRow,
  enabled: boolean,
  nowMs: number,
): Pick<WebhookRow, "disabledAt" | "disabledReason"> {
  if (enabled) return { disabledAt: null, disabledReason: null };
  const { disabledAt, disabledReason } = before;
  if (disabledAt !== null) return { disabledAt, disabledReason };
  return { disabledAt: nowMs, disabledReason: "owner" };
}

/** Throws `invalid_request` with all mistakes, if there are any. */
export function refuseMistakes(errors: readonly Mistake[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const rest = errors.length > 1 ? ` There are ${errors.length} mistakes; see errors.` : "";
  throw new AppError("invalid_request", `${first.detail}${rest}`, { errors });
}

/** Returns the error for a receiver beyond the plan's maximum. */
export function receiversFull(kind: ReceiverKind, most: number): AppError {
  const kinds = kind === "email" ? "e-mail receivers" : "webhooks";
  const detail =
    most === 0
      ? `The plan includes no ${kinds}.`
      : `The plan allows ${most} ${kinds}. Delete one first.`;
  return new AppError("plan_not_allowed", detail);
}

/** Runs an action on the database. Converts its errors and those of the disk to public errors. */
export function stored<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    if (!isStateFailure(error)) throw error;
    throw stateUnwritable(error);
  }
}
