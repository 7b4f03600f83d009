/**
 * The error type of the product, and the table of error codes with HTTP status and title. An error
 * has a code, and a sentence for the person who caused it.
 * Invariant: every failure that a client can cause has a code here. Any other thrown error is a
 * bug, answered as `internal_error` (500).
 */

/** Status and title of every error code; codes are part of the public contract. */
export const ERROR_CODES = {
  authentication_required: { status: 401, title: "An API key is required" },
  session_required: { status: 401, title: "A session is required" },
  sign_in_failed: { status: 401, title: "Signing in failed" },
  authentication_invalid: { status: 403, title: "The API key is not valid" },
  authentication_disabled: { status: 403, title: "The API key is disabled" },
  csrf_invalid: { status: 403, title: "The request did not come from the console" },
  origin_not_allowed: { status: 403, title: "Pages of this origin are not allowed" },
  role_not_allowed: { status: 403, title: "The role does not allow this" },
  link_invalid: { status: 403, title: "The link is not valid" },
  link_expired: { status: 403, title: "The link has expired" },
  not_found: { status: 404, title: "There is nothing at this address" },
  list_not_found: { status: 404, title: "There is no such list" },
  export_not_found: { status: 404, title: "There is no such export" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  EXPORT_NOT_READY: { status: 409, title: "The export is not finished" },
  EXPORT_FAILED: { status: 409, title: "The export failed" },
  export_expired: { status: 410, title: "The export has expired" },
  payload_too_large: { status: 413, title: "The request body is too large" },
  unsupported_media_type: {
    status: 415,
    title: "The media type of the request body is not supported",
  },
  range_not_satisfiable: { status: 416, title: "The range is beyond the end of the file" },
  invalid_request: { status: 422, title: "The request is not valid" },
  invalid_spec: { status: 422, title: "The spec is not valid" },
  query_too_broad: { status: 422, title: "The query is too broad" },
  invalid_cursor: { status: 422, title: "The cursor is not valid" },
  cursor_mismatch: { status: 422, title: "The cursor does not belong to this spec" },
  cursor_expired: { status: 422, title: "The cursor belongs to another snapshot" },
  since_not_available: { status: 422, title: "There is no such older snapshot" },
  translation_uncertain: { status: 422, title: "The sentence could not be translated safely" },
  idempotency_key_required: { status: 422, title: "An Idempotency-Key header is required" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used before" },
  plan_not_allowed: { status: 422, title: "The plan does not allow this" },
  field_not_allowed: { status: 422, title: "The plan does not allow these fields" },
  secondary_cnae_mode_not_allowed: {
    status: 422,
    title: "This secondary_cnae_mode is not allowed here",
  },
  rate_limited: { status: 429, title: "Too many requests" },
  quota_exceeded: { status: 429, title: "The quota is not sufficient" },
  internal_error: { status: 500, title: "An unexpected error occurred" },
  state_damaged: { status: 500, title: "The server's state is damaged" },
  snapshot_unavailable: { status: 503, title: "The server is not ready to answer" },
  changes_preparing: { status: 503, title: "The changes are still being listed" },
  files_unavailable: { status: 503, title: "The store of files does not answer" },
  storage_unavailable: { status: 503, title: "The server cannot use its disk" },
  overloaded: { status: 503, title: "The server is overloaded" },
  storage_full: { status: 507, title: "The disk of the server is full" },
} as const;

/** One of the stable, machine-readable error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** One mistake in a request: where it is (RFC 6901 pointer), its code, and what to change. */
export interface Mistake {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  /** Only for CNPJs: why the CNPJ is invalid, and the CNPJ with its lost zeros. */
  readonly reason?: string;
  readonly offered?: string;
}

interface AppErrorDetails {
  /** Every mistake found, at most 50. */
  readonly errors?: readonly Mistake[];
  /** Further public members of the problem body, such as `matches`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the error, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error; logged, never shown. */
  readonly cause?: unknown;
}

/** A failure with a code; `message` is the public `detail` sentence and says what to change. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly Mistake[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, details: AppErrorDetails = {}) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.errors = (details.errors ?? []).slice(0, 50);
    this.members = details.members ?? {};
    this.headers = details.headers ?? {};
  }

  /** HTTP status of the code. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/**
 * A failure of a command on this machine (a damaged file, a missing folder, wrong usage).
 * `exitCode` is 1 (failed) or 2 (wrong usage). `message` states the fault, its place, and the fix.
 */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
