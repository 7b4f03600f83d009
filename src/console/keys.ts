/**
 * The API keys of a tenant in the console. A new key is shown in full once, when it is created.
 * Invariant: another tenant's keys are treated as nonexistent. A new key gets the plan of the
 * console, so that users cannot give themselves a better one.
 */
import { type KeyState, stateOf } from "../access/keyring.ts";
import { AppError } from "../errors.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import { calledWith } from "../http/server/routetable.ts";
import type { SessionCall } from "../http/server/service.ts";
import { DAY_MS } from "../process/clock.ts";
import type { KeyRow } from "../store/keystore.ts";
import { onBehalfOf } from "./audit.ts";
import { membersOf, readName, readWhole, refuseMistakes } from "./bodymembers.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { ApiKey, CreatedKeyAnswer, KeyList } from "./web/app/answers.ts";

const EXPIRES_DAYS_MAX = 3_650;
const OVERLAP_SECONDS_MAX = 2_592_000;

/** `GET /keys`: oldest first. */
export function listKeys(call: SessionCall<"keyring">): HttpAnswer {
  const { service, requestId, identity } = call;
  const keys = service.keyring.list(identity.tenantId);
  return typedAnswer<KeyList>({
    request_id: requestId,
    keys: keys.map((row) => shown(row, row.state)),
  });
}

/** `POST /keys` with `{name, expires_in_days?}`. */
export function createKey(call: SessionCall<"audit" | "clock" | "keyring" | "users">): HttpAnswer {
  const { service, identity, session } = call;
  const body = membersOf(call, ["name", "expires_in_days"]);
  const name = readName(body, "name");
  const days = readWhole(body, "expires_in_days", { min: 1, max: EXPIRES_DAYS_MAX });
  refuseMistakes(body);
  const expiresAt = days === null ? undefined : service.clock.nowMs() + days * DAY_MS;
  const { tenant } = session.user;
  const wanted = { tenant, plan: identity.plan, name, expiresAt };
  const { key, keyId } = onBehalfOf(call).keyring.createFor(identity.tenantId, wanted);
  return typedAnswer<CreatedKeyAnswer>({ ...answerOf(call, keyId), key }, 201);
}

/** `POST /keys/{id}` with `{name}`. */
export function renameKey(call: SessionCall<"audit" | "clock" | "keyring" | "users">): HttpAnswer {
  const row = keyOf(call);
  const body = membersOf(call, ["name"]);
  const name = readName(body, "name");
  refuseMistakes(body);
  onBehalfOf(call).keyring.rename(row, name);
  return typedAnswer<ApiKey>(answerOf(call, row.id));
}

/** `POST /keys/{id}/disable`. */
export function disableKey(call: SessionCall<"audit" | "clock" | "keyring" | "users">): HttpAnswer {
  const row = keyOf(call);
  refuseMistakes(membersOf(call, []));
  onBehalfOf(call).keyring.disable(row);
  return typedAnswer<ApiKey>(answerOf(call, row.id));
}

/** `POST /keys/{id}/enable`. */
export function enableKey(call: SessionCall<"audit" | "clock" | "keyring" | "users">): HttpAnswer {
  const row = keyOf(call);
  refuseMistakes(membersOf(call, []));
  if (row.expiresAt !== null && row.expiresAt <= call.service.clock.nowMs()) {
    throw new AppError("invalid_request", "The key has expired. Create a new one.");
  }
  onBehalfOf(call).keyring.enable(row);
  return typedAnswer<ApiKey>(answerOf(call, row.id));
}

/** `POST /keys/{id}/rotate` with `{overlap_seconds?}`. */
export function rotateKey(call: SessionCall<"audit" | "clock" | "keyring" | "users">): HttpAnswer {
  const row = keyOf(call);
  const body = membersOf(call, ["overlap_seconds"]);
  const overlap = readWhole(body, "overlap_seconds", { min: 0, max: OVERLAP_SECONDS_MAX });
  refuseMistakes(body);
  const state = stateOf(row, call.service.clock.nowMs());
  if (state !== "active") {
    const detail = `The key is ${state}; only an active one can be rotated. Create a new one.`;
    throw new AppError("invalid_request", detail);
  }
  const { keyring } = onBehalfOf(call);
  const { key, keyId, oldExpiresAt } = keyring.rotate(row, (overlap ?? 0) * 1000);
  const replaced = { replaces: row.id, old_expires_at: time(oldExpiresAt) };
  return typedAnswer<CreatedKeyAnswer>({ ...answerOf(call, keyId), key, ...replaced }, 201);
}

/** Returns the key in the path. Throws `not_found` also for keys of other tenants. */
function keyOf({ service, params, identity }: SessionCall<"keyring">): KeyRow {
  const row = service.keyring.list(identity.tenantId).find(({ id }) => id === params.id);
  if (row !== undefined) return row;
  throw new AppError("not_found", "There is no such key.");
}

/** Answers with a key in its current state. */
function answerOf(call: SessionCall<"clock" | "keyring">, id: string) {
  const row = keyOf(calledWith(call, { params: { id } }));
  return { request_id: call.requestId, ...shown(row, stateOf(row, call.service.clock.nowMs())) };
}

function shown(row: KeyRow, state: KeyState) {
  return {
    key_id: row.id,
    name: row.name,
    plan: row.plan,
    state,
    created_at: time(row.createdAt),
    expires_at: time(row.expiresAt),
    last_used_at: time(row.lastUsedAt),
  };
}

function time(atMs: number): string;
function time(atMs: number | null): string | null;
function time(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
