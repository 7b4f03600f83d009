/**
 * Messages for failed requests, in the language of the page.
 * Invariant: every error code of the server has a sentence in each language. The server's own
 * sentence is English, so in another language it is shown second and never alone.
 */
import type { ErrorCode } from "../../../errors.ts";
import type { Problems } from "../strings/en/shell.ts";
import { ApiError, type ApiMistake } from "./api.ts";
import { language } from "./language.ts";
import { words } from "./words.ts";

/** A sentence in the page's language, and the server's own if it adds detail. */
export interface ErrorMessage {
  text: string;
  /** The server's sentence, in English like all its messages. */
  detail: string | null;
}

/** Returns the message for a failure; every server code has one per language. */
export function errorMessageOf(error: unknown): ErrorMessage {
  const { shell, problems } = words.value;
  const whole = (text: string): ErrorMessage => ({ text, detail: null });
  if (!(error instanceof ApiError)) return whole(shell.bug);
  if (error.code === "unreachable") return whole(shell.unreachable);
  if (error.code === "rate_limited") return whole(shell.rateLimited(error.retryAfterSeconds ?? 1));
  const known: Readonly<Record<string, Problems[ErrorCode]>> = problems;
  const text = known[error.code] ?? shell.answered(error.status);
  if (typeof text !== "string") return whole(text[0]);
  if (error.detail === "") return whole(text);
  return language.value === "en" ? whole(error.detail) : { text, detail: error.detail };
}

/** Returns the message in one line, where space is short. */
export function errorText(error: unknown): string {
  const { text, detail } = errorMessageOf(error);
  return detail === null ? text : `${text} (${detail})`;
}

/** Returns a sentence for one mistake. */
export function mistakeText(mistake: ApiMistake): string {
  const known: Record<string, string> = words.value.shell.mistakes;
  return known[mistake.code] ?? mistake.detail;
}

/** True if the page's language has a text for a mistake. */
export function isKnownMistake({ code }: ApiMistake): boolean {
  return Object.hasOwn(words.value.shell.mistakes, code);
}
