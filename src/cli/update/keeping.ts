/**
 * The months that an update keeps. What comes in: the snapshots of a folder, and how many of them
 * are to stay. What goes out: what was removed, and what stayed although it is older, with why.
 * Invariant: a file goes only when it is a valid snapshot under the name of its month and nobody
 * has it mapped: no server that serves it or answers its cursors and changes, no export, no
 * comparison. Each goes in one step. (Exports that wait hold links of their own.)
 * Apart because it removes files, which nothing else of an update does.
 */
import { basename } from "node:path";
import { removeUnread } from "../../../native-index/napi/engine.ts";
import { type KnownSnapshot, snapshotName } from "../serving/snapshots.ts";

/** What became of the older snapshots. */
export interface Keeping {
  /** Paths of what is gone. */
  readonly removed: readonly string[];
  readonly kept: readonly { readonly snapshot: string; readonly why: string }[];
}

const WHY = {
  read: "a server or a command still reads it; the next update removes it",
  unknown: "this file system does not tell whether it is read; remove it yourself",
} as const;

/**
 * Removes all but the newest snapshots, and says which; `snapshots` stand in that order. Without a
 * number all of them stay.
 */
export function keepNewest(
  snapshots: readonly KnownSnapshot[],
  keep: number | null,
  say: (text: string) => void,
): Keeping {
  const removed: string[] = [];
  const kept: { snapshot: string; why: string }[] = [];
  const ours = snapshots.filter(({ path, label }) => basename(path) === snapshotName(label));
  for (const { path: snapshot } of keep === null ? [] : ours.slice(keep)) {
    const why = whyNotRemoved(snapshot);
    const became = why === null ? "removed" : "not removed";
    say(`${snapshot}: ${became} (--keep ${keep})${why === null ? "" : `: ${why}`}`);
    if (why === null) removed.push(snapshot);
    else kept.push({ snapshot, why });
  }
  return { removed, kept };
}

/** Removes a file; gives the reason where it stays. */
function whyNotRemoved(path: string): string | null {
  try {
    const became = removeUnread(path);
    return became === "removed" ? null : WHY[became];
  } catch (error) {
    return (error as Error).message;
  }
}
