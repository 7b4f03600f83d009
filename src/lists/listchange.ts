/**
 * One change of what a list holds. What comes in: which list, and what is added to it or taken
 * away, as plain values. What goes out: what came of it, as plain values.
 * Invariant: all of it is done at once or nothing of it, in whichever thread; others who write wait
 * for short steps only, for what is long is read, computed and written before it counts. Words are
 * found by whoever asked. Apart because a thread does the same over a connection of its own.
 */
import type { StagedBlock } from "../store/blocktable.ts";
import { isStateDamage } from "../store/failures.ts";
import type { ListRow, ListStore } from "../store/liststore.ts";
import { isStateFailure } from "../store/sqlite.ts";
import { type BlockVerb, changeBlocks } from "./blocks.ts";

/** Blocks that are written in one transaction, half a megabyte: others wait for it. */
const STEP_BLOCKS = 16;

/** Which list, and when. */
export interface ListTask {
  readonly tenantId: string;
  readonly id: string;
  readonly nowMs: number;
  /** Whether requests wait meanwhile: then what may be deleted later is. */
  readonly hurried: boolean;
}

/** Entries to add to a list or to take away: ascending, each once. */
export interface EntryTask extends ListTask {
  readonly entries: Uint8Array;
  readonly verb: BlockVerb;
  /** Entries that the list may have afterwards. */
  readonly most: number;
}

/** What came of it. */
export type ChangeOutcome =
  | { readonly kind: "changed"; readonly entries: number }
  /** The tenant has no such list, or has it no more. */
  | { readonly kind: "missing" }
  | { readonly kind: "too_many"; readonly entries: number; readonly most: number }
  /** The database cannot be written at the moment. */
  | { readonly kind: "unwritable"; readonly why: string; readonly code: string | undefined }
  /** Entries that the list had are damaged; nothing was changed. */
  | { readonly kind: "damaged"; readonly why: string };

/** What is to be written, of a list as it was read. */
interface Plan {
  readonly kind: "plan";
  readonly row: ListRow;
  readonly count: number;
  readonly blocks: ReturnType<typeof changeBlocks>;
}

/** Adds entries to a list, or takes them away. Throws what is a mistake of ours. */
export function changeEntries(store: ListStore, order: EntryTask): ChangeOutcome {
  return orFailure(() => {
    for (;;) {
      const planned = store.atOneMoment(() => plan(store, order));
      if (planned.kind !== "plan") return planned;
      // Where somebody else has changed the list meanwhile, all of it is done again.
      const isWritten = write(store, planned, order.nowMs);
      forget(store, order);
      if (isWritten) return { kind: "changed", entries: planned.blocks.changed };
    }
  });
}

/** Removes a list. Throws as `changeEntries`. */
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
 * Writes a change; false where it does not fit the list any more. Blocks are written before, some
 * at a time; what fits into one step is written in that of the change.
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

/** Leaves the database to others for as long as a step took: who waits for it looks seldom. */
function giveWay(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Deletes what nobody needs any more; what is not deleted now is by the next change. */
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

/** Returns failures of the state as outcomes, because an error loses its class between threads. */
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
