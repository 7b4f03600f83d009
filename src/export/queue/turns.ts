/**
 * Whose turn it is. What comes in: the tenants that have something to do, in the order of their
 * ids, and the one that had the last turn. What goes out: the next one that can take it.
 * Invariant: between two turns of a tenant every other that waits all the while has one. Apart
 * because tests hold its fairness without a queue.
 */
import type { Candidate } from "../../store/exportstore.ts";

/**
 * Asks the tenants in turn, beginning behind the last one, until `take` gives something.
 * `candidates` ascend by tenant.
 */
export function nextTurn<Taken>(
  candidates: readonly Candidate[],
  last: string,
  take: (candidate: Candidate) => Taken | null,
): Taken | null {
  const after = candidates.findIndex(({ tenantId }) => tenantId > last);
  const begin = Math.max(after, 0);
  for (const candidate of [...candidates.slice(begin), ...candidates.slice(0, begin)]) {
    const taken = take(candidate);
    if (taken !== null) return taken;
  }
  return null;
}
