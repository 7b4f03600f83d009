/**
 * Quotas of export rows and of stored bytes. Input: the plan's quota, the amount used, and the
 * amount requested. Output: nothing, or a refusal with the time to wait.
 * Invariant: days are UTC days. 0 means no quota. An export without rows is never refused.
 */

import { AppError } from "../errors.ts";
import { DAY_MS, utcDay } from "../process/clock.ts";
import { wordFor } from "../text/amounts.ts";
import type { Plan } from "./plans.ts";

/** True if a plan has an export quota. */
export function hasQuota(plan: Plan): boolean {
  return plan.limits.export_rows_per_day > 0;
}

/** Throws `quota_exceeded` if `wanted` rows exceed the rest of the day's quota. */
export function refuseBeyondQuota(
  plan: Plan,
  rows: {
    readonly used: number;
    readonly wanted: number;
    /** Word for the request in the error message. Without it, the request is an export. */
    readonly of?: "request" | "file";
  },
  nowMs: number,
): void {
  const { export_rows_per_day: quota } = plan.limits;
  const { used, wanted, of = "export" } = rows;
  if (quota === 0 || wanted === 0 || used + wanted <= quota) return;
  const left = Math.max(0, quota - used);
  const fewer =
    of === "export"
      ? `Lower the limit to ${left}`
      : `Send ${left} ${of === "file" ? "rows" : "CNPJs"} at most`;
  const lower = left > 0 ? fewer : "Nothing is left";
  const later = wanted > quota ? "" : left > 0 ? ", or try again then" : ": try again then";
  const nextMs = (utcDay(nowMs) + 1) * DAY_MS;
  const seconds = Math.max(1, Math.ceil((nextMs - nowMs) / 1000));
  throw new AppError(
    "quota_exceeded",
    `The plan ${plan.name} allows ${quota} export ${wordFor(quota, "row")} a day. ${used} ` +
      `${wordFor(used, "is", "are")} used or reserved, and this ${of} has ${wanted}. ` +
      `The next day begins at ${clockText(nextMs)} UTC, ` +
      `in ${spanText(seconds)}. ${lower}${later}.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}

/** Retry-After in seconds if a tenant stores too much. Files may expire within an hour. */
const BYTES_RETRY_S = 3_600;

/** Kinds of stored bytes, and how to free some. */
const STORED = {
  export_bytes: ["files of exports", "Delete exports, or wait until some expire."],
  saved_bytes: ["specs of exports and saved searches", "Delete some of them, or send less."],
} as const;

/** Throws `quota_exceeded` if `wanted` additional bytes exceed the quota of a tenant's plan. */
export function refuseBeyondBytes(
  plan: Plan,
  limit: keyof typeof STORED,
  bytes: { readonly retained: number; readonly wanted: number },
): void {
  const most = plan.limits[limit];
  const { retained, wanted } = bytes;
  if (most === 0 || retained + wanted <= most) return;
  const [what, fix] = STORED[limit];
  throw new AppError(
    "quota_exceeded",
    `The plan ${plan.name} keeps up to ${most} ${wordFor(most, "byte")} of ${what} (${limit}). ` +
      `${retained} ${wordFor(retained, "is", "are")} kept, and this needs ` +
      `${limit === "export_bytes" ? "more" : wanted}. ${fix}`,
    { headers: { "Retry-After": String(BYTES_RETRY_S) } },
  );
}

/** `2026-11-22 00:00` */
function clockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
}

/** `12 h 41 min`, in whole minutes, rounded up. */
function spanText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
