/**
 * The thread that makes large changes of lists. What comes in: orders, one at a time. What goes
 * out: what came of each, as plain values.
 * Invariant: a change is durable when its outcome is told; the thread works below the priority of
 * the requests, over a connection of its own that is open for one order only.
 */
import { sortEntriesAside } from "../../native-index/napi/engine.ts";
import { stepBack } from "../priority.ts";
import { openBeside } from "../store/database.ts";
import { ListStore } from "../store/liststore.ts";
import { ENTRY_BYTES } from "./entries.ts";
import {
  type ChangeOutcome,
  changeEntries,
  type ListTask,
  removeList,
  type SentTask,
} from "./listchange.ts";

/** Something to be done in a data directory. */
interface InState<Order extends ListTask> {
  readonly dataDir: string;
  readonly order: Order;
}

/** A change, and where its entries go once they are in order; there is room for all of them. */
interface SentChange extends InState<SentTask> {
  readonly sent: readonly Uint8Array[];
  readonly sorted: SharedArrayBuffer;
}

/** What came of a change, and how many different entries were sent. */
interface DoneChange {
  readonly outcome: ChangeOutcome;
  readonly distinct: number;
}

/** Functions of the worker. */
export interface ChangeWork {
  readonly change: readonly [SentChange, DoneChange];
  readonly remove: readonly [InState<ListTask>, ChangeOutcome];
}

stepBack();

/** Adds entries to a list, or takes them away. */
export async function change({ dataDir, order, sent, sorted }: SentChange): Promise<DoneChange> {
  const entries = await sortEntriesAside(Buffer.concat(sent));
  new Uint8Array(sorted).set(entries);
  const outcome = withStore(dataDir, (store) => changeEntries(store, { ...order, entries }));
  return { outcome, distinct: entries.byteLength / ENTRY_BYTES };
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
