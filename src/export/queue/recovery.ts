/**
 * Restores the state of exports after a stop or a crash. Input: the rows and files that exist when
 * the server starts. Output: rows that are queued, done with their file, or failed; no other files.
 * Invariant: runs before this server renders or serves anything, and does not touch the exports of
 * other servers. If it stops at any point, it can run again with the same result. Row changes are
 * committed before files are removed. List blocks that an ended server wrote, but that no list
 * refers to, are deleted.
 */
import type { Clock } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Log } from "../../process/log.ts";
import type { ExportStore } from "../../store/exportstore.ts";
import type { ExportFiles } from "../files/exportfiles.ts";
import type { ExportFolder } from "../files/folder.ts";
import { TAKEOVERS_MAX } from "../record.ts";

interface Recovered {
  /** Exports that were being rendered and are queued again. */
  readonly requeued: number;
  /** Number of done exports whose file was missing or had another size. They are queued again. */
  readonly lost: number;
  /** Number of exports that failed because their server ended too often while rendering them. */
  readonly given_up: number;
  /** Number of removed files that belonged to no done export. */
  readonly removed: number;
}

/** Repairs rows, then files. Throws errors of the database and the folder unchanged. */
export function recover(parts: {
  readonly store: ExportStore;
  readonly folder: ExportFolder;
  readonly files: ExportFiles;
  readonly clock: Clock;
  readonly log: Log;
}): Recovered {
  const { store, folder, log } = parts;
  faultPoint("recover.begin");
  const rows = store.atomically(() => {
    const nowMs = parts.clock.nowMs();
    const repaired = {
      ...releaseOrphans(store, nowMs),
      lost: requeueLost(store, parts.files, nowMs),
    };
    faultPoint("recover.before_commit");
    return repaired;
  });
  faultPoint("recover.before_cleanup");
  store.lists.exported.dropStaged();
  const inUse = new Set(store.inState("done").map((row) => folder.nameOf(row)));
  const left = folder.names().filter((name) => !inUse.has(name));
  for (const name of left) folder.remove(name);
  folder.cleanSent((id) => store.find(id)?.expiredAt === null, true);
  faultPoint("recover.after_cleanup");
  const recovered = { ...rows, removed: left.length };
  if (Object.values(recovered).some((count) => count > 0)) log.info(recovered, "recovered exports");
  return recovered;
}

/**
 * Queues the exports of ended servers again. A server's end does not count as a failed attempt,
 * because the export is rarely its cause. But if too many servers ended while rendering an export,
 * the export may be the cause, so it fails. Call this inside a transaction.
 */
export function releaseOrphans(
  store: ExportStore,
  nowMs: number,
): Pick<Recovered, "requeued" | "given_up"> {
  let requeued = 0;
  let givenUp = 0;
  for (const row of store.orphans()) {
    // `token` counts all claims of the export. Claims that were not failed attempts ended because
    // their server crashed or was stopped.
    const failedAttempts = Math.max(0, row.attempts - 1);
    if (row.token - failedAttempts < TAKEOVERS_MAX) {
      store.requeue(row, failedAttempts);
      requeued++;
    } else {
      store.fail(row, "too_many_attempts", nowMs);
      givenUp++;
    }
  }
  return { requeued, given_up: givenUp };
}

/**
 * Queues done exports again if their file is missing. The new file will have the same bytes,
 * because snapshot and spec are the same. Skips expired exports.
 */
function requeueLost(store: ExportStore, files: ExportFiles, nowMs: number): number {
  let lost = 0;
  for (const row of store.inState("done")) {
    const { expiresAt } = row;
    if (expiresAt !== null && expiresAt <= nowMs) continue;
    if (!files.isLost(row)) continue;
    store.requeue(row, 0);
    lost++;
  }
  return lost;
}
