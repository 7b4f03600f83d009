/**
 * Sends one request to a receiver. Input: its address, headers, and a body. Output: the outcome.
 * Invariant: nothing that a receiver does makes the call reject. Redirects are not followed. At
 * most 64 KiB of an answer are read, within 15 s from the start. Only the answer's status decides,
 * so a body that is slow, cut, or broken does not change the outcome. The text of the outcome
 * contains nothing that the receiver has sent, and not the IP address behind its name.
 */
import type { Fetcher } from "../download/proxy.ts";
import type { Clock } from "../process/clock.ts";
import { EgressRefusal } from "./egress.ts";
import type { DeliveryAttempt } from "./schedule.ts";

/** Time for one attempt, in milliseconds. */
export const ATTEMPT_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
/** Latest time that a Date can hold, in milliseconds. */
const TIME_MAX_MS = 8.64e15;

/** A request to a receiver. */
interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request. Rejects only if `ended` is aborted, with its reason. */
export async function attempt(
  fetcher: Fetcher,
  { url, headers, body }: Outgoing,
  clock: Clock,
  ended: AbortSignal,
): Promise<DeliveryAttempt> {
  const startedAt = clock.nowMs();
  const beganMs = clock.monotonicMs();
  const late = AbortSignal.timeout(ATTEMPT_MS);
  const outcome = (
    status: number | null,
    error: string | null,
    retryAt: number | null = null,
  ): DeliveryAttempt => {
    const tookMs = clock.monotonicMs() - beganMs;
    return { startedAt, endedAt: clock.nowMs(), tookMs, status, error, retryAt };
  };
  try {
    const response = await fetcher.fetch(new URL(url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.any([late, ended]),
    });
    const { status } = response;
    await readSome(response.body).catch(() => ended.throwIfAborted());
    if (status >= 200 && status < 300) return outcome(status, null);
    const retryAt = retryTime(response.headers.get("retry-after"), clock.nowMs());
    const words =
      status >= 300 && status < 400 ? "a redirect, which is not followed" : "no success";
    return outcome(status, `The receiver answered ${status}: ${words}.`, retryAt);
  } catch (error) {
    ended.throwIfAborted();
    return outcome(null, late.aborted ? LATE : wordsOf(error));
  }
}

const LATE = `There was no answer within ${ATTEMPT_MS / 1000} s.`;

/** Reads the beginning of an answer, so that the connection can be reused. */
async function readSome(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) return;
  }
}

/** Returns the time in a Retry-After header (seconds or a date), or null without a header. */
export function retryTime(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const atMs = /^\d+$/.test(text) ? nowMs + Number(text) * 1_000 : Date.parse(text);
  if (Number.isNaN(atMs) || atMs <= nowMs) return null;
  return Math.min(atMs, TIME_MAX_MS);
}

/** Messages for the codes of failed connections. */
const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The receiver refuses connections.",
  ECONNRESET: "The receiver closed the connection.",
  UND_ERR_SOCKET: "The receiver closed the connection.",
  EAI_AGAIN: "The receiver's name could not be looked up (DNS).",
  EHOSTUNREACH: "The receiver cannot be reached.",
  ENETUNREACH: "The receiver cannot be reached.",
  ETIMEDOUT: "The receiver did not accept a connection in time.",
  UND_ERR_CONNECT_TIMEOUT: "The receiver did not accept a connection in time.",
};

/** Prefixes of codes for refused certificates and failed handshakes, which are too many to list. */
export const TLS_CODES =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/;

function wordsOf(error: unknown): string {
  let found: unknown = error;
  for (let depth = 0; depth < 5 && found instanceof Error; depth++) {
    if (found instanceof EgressRefusal) return found.message;
    const { code = "", errors } = found as NodeJS.ErrnoException & { readonly errors?: Error[] };
    const known = TLS_CODES.test(code) ? "The receiver's certificate is refused." : CODES[code];
    if (known !== undefined) return known;
    found = errors?.[0] ?? found.cause;
  }
  return "The receiver's answer could not be read.";
}
