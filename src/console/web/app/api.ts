/**
 * Requests to the server, the session that they belong to, and the sentences for those that failed.
 * Input: a path below /v1/console and a body. Output: the answer's JSON, or an ApiError with the
 * problem document; for a failure, a sentence in the language of the page.
 * Invariant: the cookie belongs to the browser, the CSRF token to the session's answer. A session
 * that ends during work does not clear the user: `ended` asks for the password over the view. A
 * request that finds the session ended waits until the user has signed in again and is then sent
 * once more with the same Idempotency-Key, so no view has to know about it; aborting works all the
 * while. Every code of the server has a sentence in each language. The server's own sentence is
 * English: a page in another language shows it second, and never alone.
 */
import { effect, signal } from "@preact/signals";
import type { ErrorCode } from "../../../errors.ts";
import type { Problems } from "../strings/en/shell.ts";
import type { SessionAnswer, SignedInUser } from "./answers.ts";
import { language } from "./format.ts";
import { words } from "./words.ts";

/** The last answer about the session; null until the first one. */
export const session = signal<SessionAnswer | null>(null);

/** Whether the session ended under a user who has not signed in again yet. */
export const ended = signal(false);

/** Who is signed in, or was until the session ended; null for nobody. */
export function user(): SignedInUser | null {
  return session.value?.user ?? null;
}

/** What a request may carry. */
interface RequestOptions {
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
}

/** One mistake in what was sent. */
export interface ApiMistake {
  pointer: string;
  code: string;
  detail: string;
}

/** A request that did not succeed; status 0 and code `unreachable` when nothing answered. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: ApiMistake[];
  /** The problem document as it came. */
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

/** Whether the server answered the last request at all. */
export const reachable = signal(true);

/** When the last answer of a session came, in ms since the epoch; renewal reads it. */
export const lastAnswer = { at: 0 };

const BASE = "/v1/console";

/** Reads. */
export function get<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>("GET", path, undefined, options);
}

/** Sends a body of JSON. */
export function post<T>(path: string, body: unknown, options: RequestOptions = {}): Promise<T> {
  return request<T>("POST", path, body, options);
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

/** Whether it makes sense to send the request once more: the session is good (again). */
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
  // Another tab signed in anew: this one's token is of a session that is gone.
  if (error.code !== "csrf_invalid") return false;
  const before = session.value;
  const now = await send<SessionAnswer>("GET", "/session", undefined, {});
  if (!now.user || now.user.id !== before?.user?.id || now.csrf_token === before.csrf_token) {
    return false;
  }
  session.value = now;
  return true;
}

/** Settles when the user has signed in again, or with the abort's reason; then nothing listens. */
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
  const headers: Record<string, string> = { Accept: "application/json" };
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

/** A sentence in the language of the page, and what the server said where that says more. */
export interface Said {
  text: string;
  /** In English, as all sentences of the server. */
  detail: string | null;
}

/** Puts a failure into words: every code of the server has a sentence in each language. */
export function saidOf(error: unknown): Said {
  const { shell, problems } = words.value;
  const whole = (text: string): Said => ({ text, detail: null });
  if (!(error instanceof ApiError)) return whole(shell.bug);
  if (error.code === "unreachable") return whole(shell.unreachable);
  if (error.code === "rate_limited") return whole(shell.rateLimited(error.retryAfterSeconds ?? 1));
  const known: Readonly<Record<string, Problems[ErrorCode]>> = problems;
  const text = known[error.code] ?? shell.answered(error.status);
  if (typeof text !== "string") return whole(text[0]);
  if (error.detail === "") return whole(text);
  return language.value === "en" ? whole(error.detail) : { text, detail: error.detail };
}

/** The same in one line, for places that have no more room. */
export function errorText(error: unknown): string {
  const { text, detail } = saidOf(error);
  return detail === null ? text : `${text} (${detail})`;
}

/** A sentence for one mistake of what was sent. */
export function mistakeText(mistake: ApiMistake): string {
  const known: Record<string, string> = words.value.shell.mistakes;
  return known[mistake.code] ?? mistake.detail;
}

/** True if a mistake has words in the language of the page. */
export function isKnownMistake({ code }: ApiMistake): boolean {
  return Object.hasOwn(words.value.shell.mistakes, code);
}
