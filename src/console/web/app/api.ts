/**
 * Requests to the server: functions that take a path below /v1/console and a body. They return the
 * answer's JSON or throw an ApiError with the problem document.
 * Invariant: the cookie is in the browser, the CSRF token in the session's answer. If the session
 * has ended, a request waits until the user signs in again. It is then resent with the same
 * Idempotency-Key, so views need not handle this. Requests can be aborted at any time.
 */
import { effect, signal } from "@preact/signals";
import type { SessionAnswer } from "./answers.ts";
import { ended, session } from "./session.ts";

/** Options of a request. */
interface RequestOptions {
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
  /** Media type of the answer; JSON if missing. */
  accept?: string;
}

/** A mistake in a request. */
export interface ApiMistake {
  pointer: string;
  code: string;
  detail: string;
}

/** A failed request. If the server did not answer, status is 0 and code is `unreachable`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: ApiMistake[];
  /** The members of the problem document. */
  readonly members: Record<string, unknown>;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, members: Record<string, unknown>, retryAfter: string | null = null) {
    const code = typeof members.code === "string" ? members.code : "unreachable";
    const detail =
      typeof members.detail === "string" ? members.detail : String(members.title ?? "");
    super(`${status} ${code} ${detail}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = Array.isArray(members.errors) ? (members.errors as ApiMistake[]) : [];
    this.members = members;
    const seconds = Number(retryAfter);
    this.retryAfterSeconds = retryAfter !== null && seconds >= 0 ? seconds : null;
  }
}

/** True if the server answered the last request. */
export const reachable = signal(true);

/** Time of the last answer with a session, in ms since the epoch, for its renewal. */
export const lastAnswer = { at: 0 };

const BASE = "/v1/console";

/** Reads. */
export function get<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>("GET", path, undefined, options);
}

/** Sends a JSON body. */
export function post<T>(path: string, body: unknown, options: RequestOptions = {}): Promise<T> {
  return request<T>("POST", path, body, options);
}

/** Sends a JSON body and returns the answer's bytes, of the type in `options`. */
export function postForFile(
  path: string,
  body: unknown,
  options: RequestOptions & { accept: string },
): Promise<Blob> {
  return request<Blob>("POST", path, body, options);
}

/** Sends a file as it is. */
export function upload<T>(path: string, file: Blob, options: RequestOptions = {}): Promise<T> {
  return request<T>("POST", path, file, options);
}

/** Deletes. */
export function remove<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>("DELETE", path, undefined, options);
}

type Method = "GET" | "POST" | "DELETE";

async function request<T>(
  method: Method,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<T> {
  try {
    return await send<T>(method, path, body, options);
  } catch (error) {
    if (!(error instanceof ApiError) || !(await renewed(error, path, options))) throw error;
    return send<T>(method, path, body, options);
  }
}

/** Returns true if the request should be resent, because the session is valid again. */
async function renewed(error: ApiError, path: string, options: RequestOptions): Promise<boolean> {
  if (path === "/session") return false;
  if (error.code === "session_required") {
    if (!session.value?.user) {
      session.value = { user: null };
      return false;
    }
    ended.value = true;
    await signedInAgain(options.signal);
    return true;
  }
  // The user signed in again in another tab, so the token of this tab belongs to a session that has
  // ended.
  if (error.code !== "csrf_invalid") return false;
  const before = session.value;
  const now = await send<SessionAnswer>("GET", "/session", undefined, {});
  if (!now.user || now.user.id !== before?.user?.id || now.csrf_token === before.csrf_token) {
    return false;
  }
  session.value = now;
  return true;
}

/** Resolves when the user has signed in again, or rejects on abort. */
async function signedInAgain(abort: AbortSignal | undefined): Promise<void> {
  abort?.throwIfAborted();
  let stop = () => {};
  let giveUp = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      giveUp = () => reject(abort?.reason);
      abort?.addEventListener("abort", giveUp);
      stop = effect(() => {
        if (!ended.value) resolve();
      });
    });
  } finally {
    abort?.removeEventListener("abort", giveUp);
    stop();
  }
}

async function send<T>(
  method: Method,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<T> {
  const headers: Record<string, string> = {
    Accept: options.accept ?? "application/json",
  };
  if (method !== "GET") headers["X-CSRF-Token"] = session.value?.csrf_token ?? "";
  const sent = body instanceof Blob ? body : JSON.stringify(body);
  if (body !== undefined) {
    headers["Content-Type"] = body instanceof Blob ? body.type : "application/json";
  }
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  const response = await fetch(BASE + path, {
    method,
    headers,
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: sent }),
    ...(options.signal ? { signal: options.signal } : {}),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    reachable.value = false;
    throw new ApiError(0, {});
  });
  reachable.value = true;
  if (response.ok) lastAnswer.at = Date.now();
  if (options.accept !== undefined && response.ok) return (await response.blob()) as T;
  return answerOf<T>(response);
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  const members = text === "" ? {} : parsed(text);
  if (response.ok && members !== undefined) return members as T;
  const problem = (members ?? {}) as Record<string, unknown>;
  const fallback = { code: `http_${response.status}`, detail: response.statusText };
  const retryAfter = response.headers.get("Retry-After");
  throw new ApiError(response.status, { ...fallback, ...problem }, retryAfter);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
