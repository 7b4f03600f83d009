/**
 * Bounds of queues for work off the main thread.
 * Invariant: one task runs at a time, so that the thread pool has room for files and passwords;
 * tenants take turns, and what waits is bounded for each of them and for all.
 */
import type { QueueBounds } from "../fairqueue.ts";

/** Bounds of a queue for one kind of work, so that quick work does not wait for slow work. */
export const ASIDE: QueueBounds = {
  running: 1,
  waiting: 256,
  waitingOfOwner: 63,
  what: "Dear questions",
};
