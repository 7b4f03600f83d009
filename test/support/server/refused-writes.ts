/**
 * Makes a state refuse writes, as on a failing disk or a read-only server. Input: an open state of
 * either engine. Output: a function that ends the refusal.
 */
import { isSqlite } from "../../../src/store/state.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

/** Refuses writes of this connection until the returned function is called. */
export function refuseWrites(database: StateDatabase): () => void {
  const set = (isOn: boolean) => {
    if (isSqlite(database)) database.pragma(`query_only = ${isOn ? "ON" : "OFF"}`);
    else database.exec(`SET default_transaction_read_only = ${isOn ? "on" : "off"}`);
  };
  set(true);
  return () => set(false);
}
