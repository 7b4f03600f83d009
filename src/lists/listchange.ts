/**
 * Applies one change to a list, on any thread. Input and output are plain values.
 * Invariant: a change is atomic. Other writers wait only for short steps, because long reads,
 * computing, and writes precede the commit. Callers write the error messages.
 * Separate from the lists because a thread does the same on its own connection.
 */
import type { StagedBlock } from "../store/blocktable.ts";
import { isStateDamage } from "../store/failures.ts";
import type { ListRow, ListStore } from "../store/liststore.ts";
import { isStateFailure } from "../store/sqlite.ts";
import { type BlockVerb, changeBlocks } from "./blocks.ts";

/** Blocks (half a megabyte) per transaction. It blocks other writers, so it must be short. */
const STEP_BLOCKS = 16;

/** The list to change, and the time of the change. */
export interface ListTask {
  readonly tenantId: string;
  readonly id: string;
  readonly nowMs: number;
  /** True if requests are waiting. Deleting unused blocks is then left to the next change. */
  readonly hurried: boolean;
}

/** Entries to add to a list or to remove: ascending, without repeats. */
export interface EntryTask extends ListTask {
  readonly entries: Uint8Array;
  readonly verb: BlockVerb;
  /** Max entries of the list after the change. */
  readonly most: number;
}

/** Outcome of a change. */
export type ChangeOutcome =
  | { readonly kind: "changed"; readonly entries: number }
  /** The tenant has no such list. */
  | { readonly kind: "missing" }
  | { readonly kind: "too_many"; readonly entries: number; readonly most: number }
  /** The database cannot be written now. */
  | { readonly kind: "unwritable"; readonly why: string; readonly code: string | undefined }
  /** Stored entries of the list are damaged; nothing was changed. */
  | { readonly kind: "damaged"; readonly why: string };

/** Planned writes, based on the list as it was read. */
interface Plan {
  readonly kind: "plan";
  readonly row: ListRow;
  readonly count: number;
  readonly blocks: ReturnType<typeof changeBlocks>;
}

/** Adds entries to a list, or removes them. Throws programming errors. */
export function changeEntries(store: ListStore, order: EntryTask): ChangeOutcome {
  return orFailure(() => {
    for (;;) {
      const planned = store.atOneMoment(() => plan(store, order));
      if (planned.kind !== "plan") return planned;
      // If another writer has changed the list in the meantime, starts again.
      const isWritten = write(store, planned, order.nowMs);
      forget(store, order);
      if (isWritten) return { kind: "changed", entries: planned.blocks.changed };
    }
  });
}

/** Removes a list. Throws like `changeEntries`. */
export function removeList(store: ListStore, order: ListTask): ChangeOutcome {
  const { tenantId, id, nowMs } = order;
  return orFailure(() => {
    if (!store.atomically(() => store.remove(tenantId, id, nowMs))) return { kind: "missing" };
    forget(store, order);
    return { kind: "changed", entries: 0 };
  });
}

function plan(store: ListStore, order: EntryTask): Plan | ChangeOutcome {
  const { entries, verb, most } = order;
  const row = store.find(order.tenantId, order.id);
  if (row === undefined) return { kind: "missing" };
  const pin = { list: row.sequence, revision: row.revision };
  const blocks = changeBlocks(store.blocks(pin), entries, verb);
  const count = row.entries + (verb === "add" ? blocks.changed : -blocks.changed);
  if (verb === "add" && count > most) return { kind: "too_many", entries: count, most };
  if (blocks.changed === 0) return { kind: "changed", entries: 0 };
  return { kind: "plan", row, count, blocks };
}

/**
 * Writes a change; returns false if the list has changed. The last blocks are written in the
 * transaction of the change, any others in earlier transactions.
 */
function write(store: ListStore, { row, count, blocks }: Plan, nowMs: number): boolean {
  const { made } = blocks;
  const staged: StagedBlock[] = [];
  for (let at = 0; made.length - at > STEP_BLOCKS; at += STEP_BLOCKS) {
    const some = made.slice(at, at + STEP_BLOCKS);
    const begun = performance.now();
    staged.push(...store.atomically(() => store.stage(some, nowMs)));
    giveWay(performance.now() - begun);
  }
  return store.atomically(() => {
    staged.push(...store.stage(made.slice(staged.length), nowMs));
    const change = { ...blocks, made: staged, entries: count, changedAt: nowMs };
    if (store.change(row, change)) return true;
    store.drop(staged);
    return false;
  });
}

/** Waits as long as the last step took, so that another writer can use the database. */
function giveWay(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Deletes unused blocks. If requests wait, leaves the rest to the next change. */
function forget(store: ListStore, { nowMs, hurried }: ListTask): void {
  try {
    for (;;) {
      const begun = performance.now();
      if (store.forget(nowMs) === 0 || hurried) return;
      giveWay(performance.now() - begun);
    }
  } catch (error) {
    if (!isStateFailure(error)) throw error;
  }
}

/** Returns a database failure as an outcome, because an error sent to a thread loses its class. */
function orFailure(act: () => ChangeOutcome): ChangeOutcome {
  try {
    return act();
  } catch (error) {
    const { message: why, code } = error as NodeJS.ErrnoException;
    if (isStateDamage(error)) return { kind: "damaged", why };
    if (isStateFailure(error)) return { kind: "unwritable", why, code };
    throw error;
  }
}
