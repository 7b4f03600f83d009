/**
 * The right to work on notices. Input: the lease of this work, which one server of a fleet holds.
 * Output: `isHeld`, and changes that only the holder can make.
 * Invariant: without a lease, this server is the only one and always has the right.
 */
import type { WorkLease } from "../store/fleet/lease.ts";
import type { NoticeStore } from "../store/noticestore.ts";

/** The lease on this work, as seen by the classes that work on notices. */
export interface NoticeWork {
  /** Fencing token of this server's lease; null if it does not hold the lease. */
  readonly token: number | null;
  /** True if this server holds the lease, and no other server can have taken it over. */
  readonly isHeld: boolean;
  /** Makes a change in one transaction. Throws `LeaseLost` if another server has taken over. */
  fenced<Result>(change: () => Result): Result;
}

/** Returns the right to work that belongs to a lease. */
export function workOf(store: NoticeStore, lease: WorkLease | undefined): NoticeWork {
  return {
    get token() {
      return lease === undefined ? 0 : lease.token;
    },
    get isHeld() {
      return lease?.isHeld ?? true;
    },
    fenced: (change) =>
      store.atomically(() => {
        lease?.fence();
        return change();
      }),
  };
}
