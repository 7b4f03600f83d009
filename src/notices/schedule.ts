/**
 * Calculates the times of deliveries, with pure functions. Input: the state of a delivery and of
 * its webhook, and the outcome of an attempt. Output: both states after the attempt.
 * Invariant: the caller passes the time. The last attempt takes place at the end of the retry
 * period, so a delivery has then been delivered or has failed. If a receiver demands a pause that
 * extends beyond the period, the last attempt still takes place at its end, and the error names
 * both times. A webhook is disabled for failures only after three warnings. Each warning comes at
 * least 12 hours after the previous counted failure.
 */
import type { DeliveryRow, WebhookHealth } from "../store/webhookstore.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between attempts; the last delay repeats until the retry period ends. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Fraction by which a delay varies randomly, so that retries after one outage are spread. */
const JITTER = 0.1;

/** Min milliseconds between two counted failures. A failure that comes sooner is not counted. */
export const STRIKE_GAP_MS = 12 * HOUR_MS;
/** Min time without success before a webhook is disabled, in milliseconds. */
export const FAILING_MS = 5 * 24 * HOUR_MS;
/** Warnings before a webhook is disabled. */
export const WARNINGS = 3;

/** Outcome of one attempt. */
export interface DeliveryAttempt {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly tookMs: number;
  /** Status code of the answer; null if there was none. */
  readonly status: number | null;
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null;
  /** Time before which the receiver accepts no other attempt, or null. */
  readonly retryAt: number | null;
  /**
   * The reason why an e-mail failed, where the code alone does not tell. `gone`: the address does
   * not exist. `rejected`: the message is refused permanently. `server`: the operator's mail server
   * failed, which is not the receiver's fault.
   */
  readonly verdict?: "gone" | "rejected" | "server";
}

interface ScheduleOptions {
  readonly retryMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** Returns a delivery after an attempt. */
export function afterAttempt(
  row: DeliveryRow,
  attempt: DeliveryAttempt,
  options: ScheduleOptions,
): DeliveryRow {
  const attempts = row.attempts + 1;
  const firstAt = row.firstAt ?? attempt.startedAt;
  const tried = {
    ...row,
    ...{ attempts, firstAt, lastAt: attempt.startedAt, lastMs: Math.round(attempt.tookMs) },
    ...{ lastStatus: attempt.status, lastError: attempt.error },
  };
  if (attempt.error === null) return { ...tried, state: "delivered", nextAt: null };
  const lastAt = firstAt + options.retryMs;
  // An attempt that begins up to a second before the end of the period counts as the last, because
  // another one would be too late.
  const isLast = attempt.startedAt >= lastAt - SECOND_MS || attempt.verdict === "rejected";
  if (isLast) return { ...tried, state: "failed", nextAt: null };
  if (attempt.retryAt !== null && attempt.retryAt > lastAt) {
    return { ...tried, nextAt: lastAt, lastError: beyondPeriod(attempt.error, attempt.retryAt) };
  }
  return { ...tried, nextAt: Math.min(nextTime(attempts, attempt, options), lastAt) };
}

/**
 * Returns the text of an error, extended by a sentence: the receiver demands a longer pause, but
 * the next attempt comes earlier, because the retry period ends.
 */
function beyondPeriod(error: string, retryAt: number): string {
  const time = new Date(retryAt).toISOString();
  return (
    `${error} It wants no attempt before ${time}, but the retry period ends earlier, so the last ` +
    "attempt is then."
  );
}

function nextTime(attempts: number, attempt: DeliveryAttempt, { random }: ScheduleOptions): number {
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] as number;
  const varied = delay * (1 + JITTER * (2 * random() - 1));
  const next = attempt.endedAt + Math.round(varied);
  return Math.max(next, attempt.retryAt ?? 0);
}

/** A change of a webhook's state about which its owners must be informed. */
export type HealthEvent = "none" | "warned" | "disabled";

/** Returns the health of a webhook after an attempt, and the event for its owners. */
export function healthAfter(
  health: WebhookHealth,
  { endedAt, status, error, verdict }: DeliveryAttempt,
): { readonly health: WebhookHealth; readonly event: HealthEvent } {
  if (error === null) {
    const well = { failingSince: null, struckAt: null, strikes: 0, warnings: 0 };
    return { health: { ...health, ...well, succeededAt: endedAt }, event: "none" };
  }
  if (verdict === "server") return { health, event: "none" };
  const failingSince = health.failingSince ?? endedAt;
  if (status === 410 || verdict === "gone") {
    const gone = { disabledAt: endedAt, disabledReason: "gone" } as const;
    return { health: { ...health, failingSince, ...gone }, event: "disabled" };
  }
  const counts = health.struckAt === null || endedAt - health.struckAt >= STRIKE_GAP_MS;
  if (!counts) return { health: { ...health, failingSince }, event: "none" };
  const struck = { ...health, failingSince, struckAt: endedAt, strikes: health.strikes + 1 };
  if (struck.strikes === 1) return { health: struck, event: "none" };
  if (health.warnings < WARNINGS) {
    return { health: { ...struck, warnings: health.warnings + 1 }, event: "warned" };
  }
  if (endedAt - failingSince < FAILING_MS) return { health: struck, event: "none" };
  const failing = { disabledAt: endedAt, disabledReason: "failing" } as const;
  return { health: { ...struck, ...failing }, event: "disabled" };
}
