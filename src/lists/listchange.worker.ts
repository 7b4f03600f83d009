/**
 * The thread that makes large changes of lists. What comes in: orders, one at a time. What goes
 * out: what came of each, as plain values.
 * Invariant: a change is durable when its outcome is told; the thread works below the priority of
 * the requests, over a connection of its own that is open for one order only.
 */
import { sortEntriesAside } from "../../native-index/napi/engine.ts";
import { stepBack, worker } from "../process/tasks.ts";
import { openBeside } from "../store/database.ts";
import { ListStore } from "../store/liststore.ts";
import {
  type ChangeOutcome,
  changeEntries,
  type EntryTask,
  type ListTask,
  removeList,
} from "./listchange.ts";

/** Something to be done in a data directory. */
interface InState<Order extends ListTask> {
  readonly dataDir: string;
  readonly order: Order;
}

/** Entries in any order, and where they go in order; there is room for all of them. */
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

stepBack();

/** Entry point for the thread pool. */
export const run = worker<ChangeWork>({ sort, change, remove });

/** Puts entries in order, each once; gives how many bytes they are. */
async function sort({ sent, sorted }: SentEntries): Promise<number> {
  const entries = await sortEntriesAside(Buffer.concat(sent));
  new Uint8Array(sorted).set(entries);
  return entries.byteLength;
}

/** Adds entries to a list, or takes them away. */
function change({ dataDir, order }: InState<EntryTask>): ChangeOutcome {
  return withStore(dataDir, (store) => changeEntries(store, order));
}

/** Removes a list. */
function remove({ dataDir, order }: InState<ListTask>): ChangeOutcome {
  return withStore(dataDir, (store) => removeList(store, order));
}

function withStore(dataDir: string, act: (store: ListStore) => ChangeOutcome): ChangeOutcome {
  const database = openBeside(dataDir, "FULL");
  try {
    return act(new ListStore(database));
  } finally {
    database.close();
  }
}
