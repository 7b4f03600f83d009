/**
 * The right to work on notices. Input: the lease of the work that one server of a fleet does.
 * Output: whether this server has it, and changes that only its holder can make.
 * Invariant: without a lease, this server is the only one, and always has the work.
 */
import type { WorkLease } from "../store/fleet/lease.ts";
import type { NoticeStore } from "../store/noticestore.ts";

/** Lease of the notices, as the parts that work use it. */
export interface NoticeWork {
  /** Number of the server's turn; null if it has none. */
  readonly token: number | null;
  /** True if the server has the work, and no other one can have taken it over. */
  readonly isHeld: boolean;
  /** Makes a change in one transaction. Throws `LeaseLost` if another server has taken over. */
  fenced<Result>(change: () => Result): Result;
}

/** Returns the right to work that a lease gives. */
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
