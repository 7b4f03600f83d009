/**
 * Why rendering ended badly. What comes in: whatever rendering threw. What goes out: the reason
 * that its tenant reads, or null where another attempt may succeed.
 * Invariant: what no attempt can mend fails at once, so that the disk's space is given back and
 * nobody waits; what is unknown is tried again. Apart because a worker file acts as soon as it is
 * loaded, also by a test.
 */
import { AppError, CommandError } from "../../errors.ts";
import { describeError } from "../../process/log.ts";
import { isStateDamage } from "../../store/damage.ts";
import type { ExportFailure } from "../record.ts";
import type { RenderOutcome } from "./rendertask.ts";

/** No space: of the disk, of a quota, or of what a file may hold. */
const DISK_FULL = ["ENOSPC", "EDQUOT", "EFBIG"];

/** The file cannot be written here, however often it is tried. */
const WRITE_FAILED = [
  ...["EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP"],
  ...["EISDIR", "ENXIO", "ENODEV", "ENAMETOOLONG"],
];

/** Returns how a run ended that threw: for good, or so that another attempt may succeed. */
export function endOf(
  error: unknown,
): Extract<RenderOutcome, { readonly kind: "threw" | "failed" }> {
  const failure = failureOf(error);
  const described = describeError(error);
  return failure === null
    ? { kind: "threw", error: described }
    : { kind: "failed", failure, error: described };
}

/** The reason for which an export has failed for good, or null. */
export function failureOf(error: unknown): ExportFailure | null {
  if (isStateDamage(error)) return "state_damaged";
  // A refusal of the spec is the same at every attempt.
  if (error instanceof AppError) {
    const { code } = error;
    const told = code === "snapshot_unavailable" || code === "quota_exceeded";
    return told ? code : "render_failed";
  }
  // Opening a snapshot refuses a damaged or foreign file with a CommandError.
  if (error instanceof CommandError) return "snapshot_unavailable";
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined) return null;
  if (code === "SNAPSHOT_DAMAGED") return "snapshot_unavailable";
  if (DISK_FULL.includes(code)) return "disk_full";
  return WRITE_FAILED.includes(code) ? "write_failed" : null;
}
