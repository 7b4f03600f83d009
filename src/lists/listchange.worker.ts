/**
 * The thread that makes large changes of lists, one task at a time.
 * Invariant: a change is durable before its outcome is returned. The thread has a lower priority
 * than requests, and opens a connection for each task.
 */
import { sortEntriesAsync } from "../../native-index/napi/engine.ts";
import { lowerPriority, worker } from "../process/tasks.ts";
import { ListStore } from "../store/liststore.ts";
import { openStateOfWorker } from "../store/state.ts";
import {
  type ChangeOutcome,
  changeEntries,
  type EntryTask,
  type ListTask,
  removeList,
} from "./listchange.ts";

/** A change to make in a data directory. */
interface InState<Order extends ListTask> {
  readonly dataDir: string;
  readonly order: Order;
}

/** Entries in any order, and a buffer large enough for the sorted ones. */
interface SentEntries {
  readonly sent: readonly Uint8Array[];
  readonly sorted: SharedArrayBuffer;
}

/** Functions of the worker. */
export interface ChangeWork {
  readonly sort: readonly [SentEntries, number];
  readonly change: readonly [InState<EntryTask>, ChangeOutcome];
  readonly remove: readonly [InState<ListTask>, ChangeOutcome];
}

lowerPriority();

/** Entry point for the thread pool. */
export const run = worker<ChangeWork>({ sort, change, remove });

/** Sorts entries and removes repeats. Returns the number of bytes of the sorted entries. */
async function sort({ sent, sorted }: SentEntries): Promise<number> {
  const entries = await sortEntriesAsync(Buffer.concat(sent));
  new Uint8Array(sorted).set(entries);
  return entries.byteLength;
}

function change({ dataDir, order }: InState<EntryTask>): ChangeOutcome {
  return withStore(dataDir, (store) => changeEntries(store, order));
}

function remove({ dataDir, order }: InState<ListTask>): ChangeOutcome {
  return withStore(dataDir, (store) => removeList(store, order));
}

function withStore(dataDir: string, act: (store: ListStore) => ChangeOutcome): ChangeOutcome {
  const database = openStateOfWorker(dataDir, "FULL");
  try {
    return act(new ListStore(database));
  } finally {
    database.close();
  }
}
