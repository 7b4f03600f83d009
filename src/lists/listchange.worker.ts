/**
 * The thread that makes large changes of lists. What comes in: orders, one at a time. What goes
 * out: what came of each, as plain values.
 * Invariant: a change is durable when its outcome is told; the thread works below the priority of
 * the requests, over a connection of its own that is open for one order only.
 */
import { stepBack } from "../priority.ts";
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
export interface InState<Order extends ListTask> {
  readonly dataDir: string;
  readonly order: Order;
}

/** Functions of the worker. */
export interface ChangeWork {
  readonly change: readonly [InState<EntryTask>, ChangeOutcome];
  readonly remove: readonly [InState<ListTask>, ChangeOutcome];
}

stepBack();

/** Adds entries to a list, or takes them away. */
export function change({ dataDir, order }: InState<EntryTask>): ChangeOutcome {
  return withStore(dataDir, (store) => changeEntries(store, order));
}

/** Removes a list. */
export function remove({ dataDir, order }: InState<ListTask>): ChangeOutcome {
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
