/**
 * The snapshots of a folder that an update maintains. Input: the folder, and how many months to
 * retain. Output: valid snapshots with their months, newest first; removed snapshots; and retained
 * older ones with the reasons.
 * Invariant: the month comes from a file's metadata, not from its name. A file that cannot be
 * opened is reported and not touched. A file is removed, in one step, only if it is a valid
 * snapshot with the name of its month and no process has mapped it. A server maps a snapshot while
 * it serves it or needs it for cursors and changes. Exports and comparisons map it too. (Waiting
 * exports have their own links.) Separate because it reads files and never the share.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { removeIfUnused } from "../../../native-index/napi/engine.ts";

/** A valid snapshot. */
export interface KnownSnapshot {
  readonly path: string;
  readonly label: string;
  readonly date: string;
  readonly accounts: number;
  readonly bytes: number;
}

/** Opens every file that a server would open, and returns the valid snapshots. */
export async function listSnapshots(
  folder: string,
  report: (text: string) => void,
): Promise<KnownSnapshot[]> {
  const found: KnownSnapshot[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (/^\.|\.tmp$/.test(name) || !statSync(path).isFile()) continue;
    try {
      const { meta, rowCount, bytes } = await openSnapshot(path);
      const { label, snapshot_date: date } = meta;
      found.push({ path, label, date, accounts: rowCount, bytes });
    } catch (error) {
      report(`${path} is not a valid snapshot and is skipped: ${(error as Error).message}`);
    }
  }
  const order = ({ label, date }: KnownSnapshot) => `${label} ${date}`;
  return found.sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

/** Returns the name that `update` gives to the snapshot of a month. */
export function snapshotName(label: string): string {
  return `${label}.peneira`;
}

/** Outcome for the older snapshots. */
export interface Retention {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly snapshot: string; readonly why: string }[];
}

const WHY = {
  read: "a server or a command still reads it; the next update removes it",
  unknown: "this file system does not tell whether it is read; remove it yourself",
} as const;

/** Removes all but the `keep` newest snapshots. `snapshots` are newest first. Null removes none. */
export function keepNewest(
  snapshots: readonly KnownSnapshot[],
  keep: number | null,
  report: (text: string) => void,
): Retention {
  const removed: string[] = [];
  const kept: { snapshot: string; why: string }[] = [];
  const ours = snapshots.filter(({ path, label }) => basename(path) === snapshotName(label));
  for (const { path: snapshot } of keep === null ? [] : ours.slice(keep)) {
    const why = whyNotRemoved(snapshot);
    const became = why === null ? "removed" : "not removed";
    report(`${snapshot}: ${became} (--keep ${keep})${why === null ? "" : `: ${why}`}`);
    if (why === null) removed.push(snapshot);
    else kept.push({ snapshot, why });
  }
  return { removed, kept };
}

/** Removes a file. Returns the reason if it stays. */
function whyNotRemoved(path: string): string | null {
  try {
    const became = removeIfUnused(path);
    return became === "removed" ? null : WHY[became];
  } catch (error) {
    return (error as Error).message;
  }
}
