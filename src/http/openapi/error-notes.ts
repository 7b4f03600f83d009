/**
 * Notes for the page of errors: the meaning and the fix of each error code, with examples.
 * Invariant: every code has a note. The type enforces it.
 */
import { ERROR_CODES, type ErrorCode } from "../../errors.ts";
import { EXAMPLE_REQUEST } from "./examples.ts";

/** Notes by code: when it happens, and how to fix it. */
export const ERROR_NOTES: Readonly<Record<ErrorCode, string>> = {
  authentication_required:
    "The Authorization header is missing or of another kind. Send `Authorization: Bearer <key>`.",
  session_required:
    "Console only: nobody is signed in, or the session has ended. Sign in again. API keys do not " +
    "work there, and cookies work nowhere else.",
  sign_in_failed:
    "Console only: e-mail and password do not match, or the user was disabled. The answer does " +
    "not reveal which.",
  authentication_invalid:
    "The server does not know this key. Check every character, or create a key.",
  authentication_disabled:
    "The key or its tenant was disabled, or the key has expired. Use another key.",
  csrf_invalid:
    "Console only: the X-CSRF-Token of the session is missing or old, or another site sent the " +
    "request. Load the page again.",
  origin_not_allowed:
    "A browser page sent this to /mcp, which is for programs. Send no Origin header.",
  role_not_allowed: "Console only: this is for owners. Ask one of them.",
  link_invalid: "The link of a file was changed or truncated. Get a new one with …/download.",
  link_expired:
    "A link of …/download is valid for five minutes, and one of a notice until its file expires. " +
    "Get a new one with …/download.",
  not_found:
    "There is nothing at this path, or no account, search, notice, or receiver with this id. " +
    "Check the spelling.",
  list_not_found: "The list does not exist, was deleted, or belongs to another tenant.",
  export_not_found: "The export does not exist, was deleted, or belongs to another tenant.",
  method_not_allowed:
    "The path exists, but not with this method. The header Allow lists the right ones.",
  EXPORT_NOT_READY:
    "The export is queued or running. Wait for the time in Retry-After, or send wait=60.",
  EXPORT_FAILED: "The export failed; its record says why. Create another one.",
  export_expired: "The file was removed when the export expired. Create another one.",
  payload_too_large: "The body is larger than the limit. Send a smaller one.",
  unsupported_media_type:
    "The path does not take a body of this type, or the body is compressed. Most paths take only " +
    "UTF-8 JSON with `Content-Type: application/json`; `detail` names the types of this one.",
  range_not_satisfiable:
    "The Range header is beyond the end. Content-Range reports the length of the file.",
  invalid_request:
    "A member, parameter, or header outside the spec is wrong; the spec may be wrong too. " +
    "`errors` names each mistake.",
  invalid_spec: "The spec has mistakes. `errors` names each with its place and its fix.",
  query_too_broad:
    "The spec names no activity, name, place, list, owner, phone, or e-mail. Add one; `matches` " +
    "is the number of accounts that match.",
  invalid_cursor: "The cursor was changed, or comes from another server. Begin at the first page.",
  cursor_mismatch:
    "The cursor belongs to another spec, or a list of the spec has changed. Send it with the " +
    "spec of the search that returned it, or begin at the first page.",
  cursor_expired: "The cursor belongs to a snapshot that is no longer loaded. Start again.",
  since_not_available:
    "The server has no snapshot of the month in `since`. `changes_since` of the answer, and " +
    "of GET /v1/status, lists the available months. The operator can add a snapshot to the " +
    "folder.",
  translation_uncertain:
    "The sentence could not be translated safely. The answer holds its spec: check it and send " +
    "it as a spec.",
  idempotency_key_required:
    "Send the header Idempotency-Key with a value of your choice, so that a retry cannot make " +
    "two exports.",
  idempotency_key_reused: "The key was used with another request within 24 hours. Send a new one.",
  plan_not_allowed:
    "The plan of the key does not include this feature. GET /v1/status lists its features.",
  field_not_allowed: "The plan does not include a field. GET /v1/status lists the included ones.",
  secondary_cnae_mode_not_allowed:
    "The request may not use this secondary_cnae_mode. Searches accept only off. Exports also " +
    "accept fallback, and full if the plan and exports.secondary_cnae_full allow it.",
  rate_limited:
    "Too many requests, too many concurrent ones, too many waiting exports, too many requests " +
    "that wait for them, or too many changes of webhooks and e-mail receivers in a day; " +
    "`detail` says which. Retry after the time in Retry-After.",
  quota_exceeded:
    "The tenant has used up a quota of its plan: rows of a day, or stored bytes. `detail` has " +
    "the used and the allowed amount, and the fix; Retry-After says when to retry.",
  internal_error:
    "A bug in the server. Send the request_id to the operator, who finds the log line with it.",
  state_damaged:
    "The disk returned other bytes than were written to the server's state. Inform the operator, " +
    "who restores a backup (peneira restore). Damaged data is never used for an answer.",
  snapshot_unavailable:
    "No usable snapshot is loaded, or the server is about to stop. Retry after the time in " +
    "Retry-After, or use another server.",
  changes_preparing:
    "The server is comparing the two snapshots, which it does once. `progress` reports how far " +
    "it has got. Retry after the time in Retry-After.",
  storage_unavailable:
    "The server cannot write to its disk: it is read-only, or fails. Nothing was changed, and " +
    "searches continue. Retry after the time in Retry-After, or inform the operator.",
  files_unavailable:
    "The store that keeps the files of exports does not answer. Searches continue, and the file " +
    "is not lost. Retry after the time in Retry-After.",
  overloaded:
    "The server is overloaded, or one connection or address sends too many requests; `detail` " +
    "says which. Retry after the time in Retry-After.",
  storage_full:
    "The server's disk is full, or has less free space than the operator reserves. Nothing new " +
    "is written. Searches continue. Retry after the time in Retry-After, or ask the operator.",
};

/** Returns an example error of a code. */
export function problemExample(code: ErrorCode): unknown {
  const { status, title } = ERROR_CODES[code];
  const detail = ERROR_NOTES[code];
  const errors = status === 422 ? { errors: [{ pointer: "", code, detail }] } : {};
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    code,
    detail,
    ...EXAMPLE_REQUEST,
    ...errors,
  };
}
