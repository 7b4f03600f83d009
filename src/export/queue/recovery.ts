/**
 * The state of exports after a stop or a crash. What comes in: rows and files as they were left.
 * What goes out: rows that are queued, done with their file, or failed; and no other files.
 * Invariant: runs before anything is rendered or served; stopped at any point, it can begin again
 * and comes to the same end. What the rows need is committed before files are removed. Blocks that
 * were written for a list, and whose export did not come to its end, are deleted.
 */
import type { Clock } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Log } from "../../process/log.ts";
import type { ExportStore } from "../../store/exportstore.ts";
import type { ExportFolder } from "../files/folder.ts";
import { ATTEMPTS_MAX } from "../record.ts";

/** What was found and mended. */
interface Recovered {
  /** Exports that were being rendered and wait again. */
  readonly requeued: number;
  /** Done exports whose file was missing or of another size, and wait again. */
  readonly lost: number;
  /** Exports that were begun too often and have failed now. */
  readonly given_up: number;
  /** Files that belonged to no done export. */
  readonly removed: number;
}

/** Mends rows, then files. Throws the errors of the database and of the folder as they are. */
export function recover(parts: {
  readonly store: ExportStore;
  readonly folder: ExportFolder;
  readonly clock: Clock;
  readonly log: Log;
}): Recovered {
  const { store, folder, log } = parts;
  faultPoint("recover.begin");
  const rows = store.atomically(() => {
    const nowMs = parts.clock.nowMs();
    const mended = { ...mendRunning(store, nowMs), lost: mendDone(store, folder, nowMs) };
    faultPoint("recover.before_commit");
    return mended;
  });
  faultPoint("recover.before_cleanup");
  store.lists.exported.dropStaged();
  const kept = new Set(store.inState("done").map((row) => folder.nameOf(row)));
  const left = folder.names().filter((name) => !kept.has(name));
  for (const name of left) folder.remove(name);
  folder.cleanSent((id) => store.find(id)?.expiredAt === null, true);
  faultPoint("recover.after_cleanup");
  const recovered = { ...rows, removed: left.length };
  if (Object.values(recovered).some((count) => count > 0)) log.info(recovered, "recovered exports");
  return recovered;
}

/** What was being rendered waits again, unless it was begun too often. */
function mendRunning(store: ExportStore, nowMs: number) {
  let requeued = 0;
  let givenUp = 0;
  for (const { id, attempts } of store.inState("running")) {
    if (attempts < ATTEMPTS_MAX) {
      store.requeue(id, attempts);
      requeued++;
    } else {
      store.fail(id, "too_many_attempts", nowMs);
      givenUp++;
    }
  }
  return { requeued, given_up: givenUp };
}

/**
 * A done export without its file is rendered again: same snapshot, same spec, same bytes. One
 * whose time is over stays as it is, because what has expired stays so.
 */
function mendDone(store: ExportStore, folder: ExportFolder, nowMs: number): number {
  let lost = 0;
  for (const row of store.inState("done")) {
    const { id, sizeBytes, expiresAt } = row;
    if (expiresAt !== null && expiresAt <= nowMs) continue;
    if (folder.sizeOf(folder.nameOf(row)) === sizeBytes) continue;
    store.requeue(id, 0);
    lost++;
  }
  return lost;
}
