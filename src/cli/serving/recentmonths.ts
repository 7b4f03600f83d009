/**
 * Opens at a server's start the snapshots for which other servers still issue cursors. Input: the
 * folder of snapshots, and the state that the servers share. Output: opened segments.
 * Invariant: a starting server never refuses a cursor that others accept, if its folder has the
 * file. The previously served snapshot is retained as if it had been replaced now. Separate because
 * only servers of a fleet need it.
 */
import type { Months } from "../../changes/months.ts";
import { describeError, type Log } from "../../process/log.ts";
import { openSegment, type Segment, type SegmentRegistry } from "../../search/segment.ts";
import type { Config } from "../../settings/config.ts";
import type { FleetMonth } from "../../store/fleet/fleetmonth.ts";

interface RecentParts {
  readonly config: Config;
  /** Null if no other server shares the state. Then no snapshot is opened. */
  readonly fleetMonth: FleetMonth | null;
  readonly registry: SegmentRegistry;
  readonly changes: { readonly months: Months };
  /** Opens a segment on all threads that answer. */
  readonly prepare: (segment: Segment) => Promise<void>;
  readonly log: Log;
}

/**
 * Opens recent snapshots other than `first`. Returns the one that the other servers serve. Returns
 * null if that is `first`, or not in the folder. Throws the errors of the database.
 */
export async function openRecent(
  first: Segment | null,
  parts: RecentParts,
): Promise<Segment | null> {
  const { config, fleetMonth, registry } = parts;
  if (fleetMonth === null) return null;
  const ids = fleetMonth.recent(config.get("snapshots.keep") * 1_000);
  let current: Segment | null = null;
  for (const [at, id] of ids.entries()) {
    const segment = id === first?.snapshotId ? null : await openById(id, parts);
    if (at === ids.length - 1) current = segment;
    else if (segment !== null) registry.keep(segment);
  }
  return current;
}

/** Opens the snapshot with this id. Returns null if the folder has no readable file of it. */
async function openById(id: string, parts: RecentParts): Promise<Segment | null> {
  const { months } = parts.changes;
  await months.look();
  const found = months.known().find(({ snapshotId }) => snapshotId === id);
  if (found === undefined) return null;
  try {
    const segment = await openSegment(found.path);
    await parts.prepare(segment);
    return segment;
  } catch (error) {
    const known = { file: found.path, ...describeError(error) };
    parts.log.warn(known, "a snapshot of the other servers cannot be read here");
    return null;
  }
}
