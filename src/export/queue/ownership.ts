/**
 * This server's part of the queue that it shares with the other servers of its fleet. Input: the
 * renders of this server, and the state. Output: the renders that other servers have taken over,
 * and the exports of ended servers, queued again.
 * Invariant: a render is lost if, in the state, its export is claimed by another server or by none.
 * A lost render changes nothing any more. Progress is stored with the token of the claim. The
 * answer to a commit may be lost. Therefore, an export that the state assigns to this server is
 * queued again if this server does not render it. If the state already has the end of an export,
 * its render is not lost.
 */
import { type Clock, DAY_MS } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import type { Membership } from "../../store/fleet/membership.ts";
import { releaseOrphans } from "./recovery.ts";

/** Milliseconds for which a server that lacks an export's snapshot leaves the export to others. */
const LEAVE_MS = DAY_MS / 24;

/** A render of this server. */
interface OwnedRun {
  readonly row: ExportRow;
  readonly progress: { readonly rowsWritten: number; readonly rowCount: number };
  /** Set once the render has ended and its outcome waits to be committed. */
  readonly commit: (() => void) | null;
}

interface OwnershipParts {
  readonly store: ExportStore;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for a render whose export was deleted or taken over by another server. */
  readonly ended: (id: string, why: "removed" | "lost") => void;
}

/** The exports of this member. */
export class OwnedExports {
  readonly #parts: OwnershipParts;
  /** Exports whose snapshot this server lacks, with the time at which it left them to others. */
  readonly #left = new Map<string, number>();
  /** Rows last stored as progress, by export. */
  readonly #stored = new Map<string, number>();

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /** Compares the renders of this server with the state. Throws the errors of the database. */
  look(runs: Iterable<OwnedRun>): void {
    const { store, membership } = this.#parts;
    if (!membership.isShared) return;
    this.releaseOrphans();
    const own = [...runs];
    const held = new Map(store.heldBy(membership.id).map(({ id, token }) => [id, token]));
    this.#releaseUnknown(held, new Set(own.map(({ row }) => row.id)));
    for (const run of own) {
      if (held.get(run.row.id) === run.row.token) this.#storeProgress(run);
      else this.#ended(run.row);
    }
  }

  /** Requeues exports that the state assigns to this server but that it does not render. */
  #releaseUnknown(held: ReadonlyMap<string, number>, known: ReadonlySet<string>): void {
    const { store, log } = this.#parts;
    for (const [id, token] of held) {
      if (known.has(id)) continue;
      const attempts = (store.find(id)?.attempts ?? 1) - 1;
      store.atomically(() => store.requeue({ id, token }, attempts));
      log.warn({ export_id: id }, "the answer to a claim was lost; the export was queued again");
    }
  }

  /** Queues the exports of ended members again. */
  releaseOrphans(): void {
    const { store, clock, log } = this.#parts;
    // Usually no export is orphaned. Then this read outside a transaction blocks no other writer.
    if (store.orphans().length === 0) return;
    const released = store.atomically(() => releaseOrphans(store, clock.nowMs()));
    log.warn(released, "exports of a server that has ended were queued again");
  }

  /** True if this server leaves an export, whose snapshot it lacks, to other servers. */
  leaves(id: string): boolean {
    const since = this.#left.get(id);
    return since !== undefined && this.#parts.clock.monotonicMs() - since < LEAVE_MS;
  }

  /**
   * Leaves an export to other servers, because this server cannot read its snapshot. Returns false
   * if there is no other server, or if the export was left before.
   */
  leave(id: string): boolean {
    const { membership, clock, log } = this.#parts;
    if (this.#left.has(id) || !hasOthers(membership, log)) return false;
    this.#left.set(id, clock.monotonicMs());
    return true;
  }

  /** Forgets an export that has ended here. */
  forget(id: string): void {
    this.#stored.delete(id);
  }

  #storeProgress({ row, progress, commit }: OwnedRun): void {
    const { rowsWritten, rowCount: rowsExpected } = progress;
    if (commit !== null || this.#stored.get(row.id) === rowsWritten) return;
    this.#stored.set(row.id, rowsWritten);
    const { id, token } = row;
    if (!this.#parts.store.progress({ id, token, rowsWritten, rowsExpected })) this.#ended(row);
  }

  #ended(row: ExportRow): void {
    const { store, log, ended } = this.#parts;
    const { id } = row;
    if (store.isDoneBy(row)) return;
    const why = store.find(id) === undefined ? "removed" : "lost";
    if (why === "lost") log.warn({ export_id: id }, "another server has taken over an export");
    ended(id, why);
  }
}

/** True if other servers may render the export, or if the state cannot be reached. */
function hasOthers(membership: Membership, log: Log): boolean {
  if (!membership.isShared) return false;
  try {
    return membership.members.live().some(({ id }) => id !== membership.id);
  } catch (error) {
    log.warn(describeError(error), "the members of the state are not known");
    return true;
  }
}
