/**
 * Applies rate limits over all servers of a fleet. Input: the address of the shared database, the
 * ledger (the shared memory of rate limits), and the signals between threads. Output: leases in the
 * ledger until it is closed (exchange.ts).
 * Invariant: a failed thread is replaced. Until then, this server uses its share of each limit.
 */
import { Worker } from "node:worker_threads";
import { workerArguments, workerFile } from "../../location.ts";
import type { Ledger } from "../../process/ledger.ts";
import type { Log } from "../../process/log.ts";
import type { StateAddress } from "../../store/postgres/address.ts";
import type { LeaseThreadStart } from "./leases.worker.ts";
import type { LeaseSignals } from "./signals.ts";

interface FleetParts {
  readonly address: StateAddress;
  readonly ledger: Ledger;
  readonly signals: LeaseSignals;
  readonly log: Pick<Log, "warn" | "info">;
}

/** Numbers of refusals by cause, and of requests that waited for a lease. */
export interface FleetNumbers {
  readonly refused: Readonly<Record<"limit" | "early" | "share", number>>;
  readonly waits: number;
  readonly away: boolean;
}

/** Max time for returning the leases at the end, in milliseconds. */
const CLOSE_MS = 1_000;
const RESTART_MS = 1_000;
/**
 * Max time that a server waits at start for the thread's first connection, in milliseconds. After
 * this time, the server starts with its share of each limit.
 */
const READY_MS = 5_000;

/** Runs the thread that leases units, and receives its reports. */
export class FleetRates {
  readonly #parts: FleetParts;
  #worker: Worker;
  #isClosed = false;
  #opened: () => void = () => {};
  /** Resolves when the first leases are available, or after a timeout. */
  readonly ready: Promise<void>;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    parts.ledger.setMembers(1);
    this.ready = new Promise((resolve) => {
      const late = setTimeout(() => {
        parts.ledger.setAway(true);
        resolve();
      }, READY_MS).unref();
      this.#opened = () => {
        clearTimeout(late);
        resolve();
      };
    });
    this.#worker = this.#start();
  }

  /** Returns the counts of refused and waiting requests so far. */
  numbers(): FleetNumbers {
    const { limit, early, share, waits, away } = this.#parts.ledger.fleetCounts();
    const { impatient } = this.#parts.signals;
    return { refused: { limit, early: early + impatient, share }, waits, away: away === 1 };
  }

  /** Returns all leases to the database. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const worker = this.#worker;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
    worker.postMessage("stop");
    await ended;
    clearTimeout(late);
  }

  #start(): Worker {
    const { address, ledger, signals, log } = this.#parts;
    const start: LeaseThreadStart = { address, ledger: ledger.id, signals: signals.memory };
    const worker = new Worker(workerFile("access/fleet/leases.worker.ts"), {
      workerData: start,
      execArgv: workerArguments(),
    });
    worker.unref();
    worker.on("message", (failure: string | null) => {
      if (failure === null) log.info("rate limits are leased from the database");
      else log.warn({ error: failure }, "rate limits: the database is away, shares are used");
      this.#opened();
    });
    worker.on("error", (error) => {
      log.warn({ error: error.message }, "the thread that leases rate limits is replaced");
      ledger.setAway(true);
    });
    worker.on("exit", () => {
      if (this.#isClosed) return;
      setTimeout(() => {
        if (!this.#isClosed) this.#worker = this.#start();
      }, RESTART_MS).unref();
    });
    return worker;
  }
}
