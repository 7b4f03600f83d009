/**
 * English words for the problems that a server answers with, by code.
 * Invariant: every code has a sentence, by the type of the table. Where the server's own sentence
 * says more (parts/notice.tsx), it is shown in place of this one.
 */
import type { ErrorCode } from "../../../../errors.ts";

/** Sentences by code; one in brackets says all there is to know. */
export type Problems = Readonly<Record<ErrorCode, string | readonly [whole: string]>>;

// Codes that differ for programs only have one sentence.
const key = "The API key was not accepted.";
const link = "The link is not valid or has expired.";
const page = "The next page was not found. Search again.";
const again = "The request was not accepted. Reload the page.";
const plan = "Your plan does not include this.";

/** Words of this area. */
export const problems: Problems = {
  authentication_required: key,
  session_required: ["You are not signed in."],
  sign_in_failed: "Signing in failed.",
  authentication_invalid: key,
  authentication_disabled: key,
  csrf_invalid: ["This page is out of date. Reload it and try again."],
  origin_not_allowed: again,
  role_not_allowed: ["Only an owner may do this."],
  link_invalid: link,
  link_expired: link,
  not_found: ["This no longer exists."],
  list_not_found: ["The list no longer exists."],
  export_not_found: "There is no such export.",
  method_not_allowed: again,
  EXPORT_NOT_READY: "The export is not finished yet.",
  EXPORT_FAILED: "The export failed.",
  export_expired: "The export has expired.",
  payload_too_large: "This is larger than the server takes.",
  unsupported_media_type: "The server cannot read this kind of file.",
  range_not_satisfiable: again,
  invalid_request: "The request is not valid.",
  invalid_spec: "The filters are not valid.",
  query_too_broad: "The search is too broad. Add filters.",
  invalid_cursor: page,
  cursor_mismatch: page,
  cursor_expired: page,
  since_not_available: "The server does not have this older month.",
  translation_uncertain: "The sentence was not understood well enough.",
  idempotency_key_required: again,
  idempotency_key_reused: again,
  plan_not_allowed: plan,
  field_not_allowed: plan,
  secondary_cnae_mode_not_allowed: plan,
  rate_limited: "Too many requests. Try again shortly.",
  quota_exceeded: ["Your plan has no room for more. Delete what is no longer needed."],
  internal_error: ["The server made a mistake. It is in its log; try again."],
  state_damaged: ["The server's data is damaged. Whoever runs it must restore a backup."],
  snapshot_unavailable: ["The server has no data loaded yet."],
  changes_preparing: "The changes are still being listed. Try again shortly.",
  storage_unavailable: ["The server cannot write to its disk. Nothing was changed."],
  overloaded: ["The server has too much to do at the moment. Try again shortly."],
  storage_full: ["The server has no room left. Nothing was changed; searches still work."],
};
