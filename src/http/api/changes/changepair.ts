/**
 * The two snapshots of a change query. Input: the month in `since`, and the cursor of a further
 * page. Output: both snapshots, open and retained.
 * Invariant: without a cursor, the newer snapshot is the served one. A further page uses the same
 * snapshots as the first page while both exist. The error for a missing month lists the available
 * months.
 */

import { CHANGE_LIST_VERSION } from "../../../changes/list.ts";
import type { ChangePair } from "../../../changes/lists.ts";
import type { Month } from "../../../changes/months.ts";
import type { Mistake } from "../../../errors.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import { claimsSnapshot } from "../../../spec/cursor.ts";
import type { Service } from "../../server/service.ts";

/** Two snapshots that stay open until `release`, which is idempotent. */
export interface RetainedPair extends ChangePair {
  release(): void;
}

/** Returns the id of a pair for cursors, with the list version, on which positions depend. */
export function pairId(olderId: string, newerId: string): string {
  return `changes ${CHANGE_LIST_VERSION} ${olderId} ${newerId}`;
}

/** Finds and opens the pair. Returns null if the month does not exist. */
export async function openPair(
  service: Pick<Service, "retain" | "months" | "replaced" | "segment">,
  since: string,
  cursor: string | null,
): Promise<RetainedPair | null> {
  const begun = cursor === null ? null : begunPair(service, since, cursor);
  const newer = begun?.newer ?? currentSegment(service);
  // Retain the query's snapshot across the awaits below.
  const release = service.retain(newer);
  try {
    const month = begun?.month ?? (await findMonth(service, since, newer));
    if (month === null) {
      release();
      return null;
    }
    const older = await service.months.open(month);
    const letGo = service.months.retain(older);
    return {
      ...{ older, newer },
      release: () => {
        release();
        letGo();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the mistake for a missing month. Names the available months and how to add some. */
export function noSuchMonth(service: Pick<Service, "months" | "segment">, since: string): Mistake {
  const labels = changesSince(service);
  const served = service.segment()?.label;
  const detail = !service.months.inFolder
    ? "This server serves a single file. Serve a folder with the snapshots of several months to " +
      "ask what changed between them."
    : since === served
      ? `${since} is the month that is served. ${olderOnes(labels)}`
      : labels.length === 0
        ? olderOnes(labels)
        : `There is no older snapshot of ${since} in the served folder; there is ` +
          `${labels.join(", ")}. Name one of these, or put the file of that month into the folder.`;
  return { pointer: "/since", code: "since_not_available", detail };
}

/** Returns the labels that `since` may name, newest first. */
export function changesSince({ months, segment }: Pick<Service, "months" | "segment">): string[] {
  const served = segment();
  return served === null ? [] : months.before(served).map(({ label }) => label);
}

function olderOnes(labels: readonly string[]): string {
  return labels.length === 0
    ? "The served folder has no older month. Put the snapshot of one into the folder."
    : `Name an older one: ${labels.join(", ")}.`;
}

/** Finds the older month with a label; rescans the folder before it returns null. */
export async function findMonth(
  service: Pick<Service, "months">,
  since: string,
  newer: Segment,
): Promise<Month | null> {
  const find = () => service.months.before(newer).find(({ label }) => label === since) ?? null;
  const known = find();
  if (known !== null) return known;
  await service.months.look();
  return find();
}

/** Returns the pair that a cursor names, if both snapshots still exist. */
function begunPair(
  service: Pick<Service, "months" | "replaced" | "segment">,
  since: string,
  cursor: string,
): { readonly month: Month; readonly newer: Segment } | null {
  const olders = service.months.known().filter(({ label }) => label === since);
  const monthFor = (newerId: string) =>
    olders.find(({ snapshotId }) => claimsSnapshot(cursor, pairId(snapshotId, newerId)));
  const belongs = (newerId: string) => monthFor(newerId) !== undefined;
  const current = currentSegment(service);
  const newer = belongs(current.snapshotId) ? current : service.replaced(belongs);
  if (newer === null || newer.native.poisoned()) return null;
  const month = monthFor(newer.snapshotId);
  return month === undefined ? null : { month, newer };
}
