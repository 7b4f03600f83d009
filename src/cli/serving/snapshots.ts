/**
 * The snapshots of a folder, for whoever keeps it up to date.
 * What comes in: a folder. What goes out: its valid snapshots with their months, the newest first.
 * Invariant: the month is what a file's metadata say, not its name; what cannot be opened is named
 * and left alone. Apart because it looks at files and never at the share.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";

/** One valid snapshot. */
export interface KnownSnapshot {
  readonly path: string;
  readonly label: string;
  readonly date: string;
  readonly accounts: number;
  readonly bytes: number;
}

/** Looks at every file that a server would look at. */
export async function listSnapshots(
  folder: string,
  say: (text: string) => void,
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
      say(`${path} is no valid snapshot and is left alone: ${(error as Error).message}`);
    }
  }
  const order = ({ label, date }: KnownSnapshot) => `${label} ${date}`;
  return found.sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

/** The name under which `update` puts the snapshot of a month. */
export function snapshotName(label: string): string {
  return `${label}.peneira`;
}
