/**
 * The thread that leases rate limits from the database of a fleet (exchange.ts).
 * Input: the address of the database, the ledger (the shared memory of rate limits), and the
 * signals between threads. Output: leases in the ledger, and messages when the database becomes
 * reachable or unreachable.
 */
import { randomBytes } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { Ledger } from "../../process/ledger.ts";
import type { StateAddress } from "../../store/postgres/address.ts";
import { openRateBank } from "../../store/postgres/ratebank.ts";
import { LeaseExchange } from "./exchange.ts";
import { LeaseSignals } from "./signals.ts";

/** Start data of the thread. */
export interface LeaseThreadStart {
  readonly address: StateAddress;
  readonly ledger: number;
  readonly signals: Int32Array;
}

/** Length of a lease. The ledger ends it after the same time (napi/threads/leases.h). */
const LEASE_MS = 1_000;

/**
 * Index of this thread in the ledger. The thread has no counters there, so it needs no index of its
 * own.
 */
const SLOT = 0;

const { address, ledger, signals } = workerData as LeaseThreadStart;
// A random id of this process, because an earlier process may still have leases.
const member = randomBytes(8).toString("hex");
const exchange = new LeaseExchange({
  ledger: Ledger.join(ledger, SLOT),
  signals: new LeaseSignals(signals),
  open: () => openRateBank(address, { member, leaseMs: LEASE_MS }),
  report: (failure) => {
    parentPort?.postMessage(failure instanceof Error ? failure.message : null);
  },
});
parentPort?.on("message", () => exchange.stop());
void exchange.run().then(() => parentPort?.close());
