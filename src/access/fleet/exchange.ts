/**
 * Exchanges leases of rate limits between a process and the database that the servers of a fleet
 * share. A lease lets a process spend a number of units without a request to the database. The
 * ledger is the process's shared memory of rate limits. Input: the keys and addresses in the
 * ledger that need a new lease. Output: granted leases in the ledger. While the database is
 * unreachable, the ledger gets this server's share of each limit.
 * Invariant: one request at a time. An answer that comes too late is never used. The threads that
 * answer requests never wait for this one. Separate from its thread (leases.worker.ts), because
 * tests run it without a database.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Ledger } from "../../process/ledger.ts";
import type { LeaseSignals } from "./signals.ts";

/** Max names in one exchange. */
const BATCH_MAX = 200;
/** Time without an answer after which the database counts as unreachable, in milliseconds. */
export const ANSWER_MS = 500;
/**
 * Milliseconds between exchanges while limits are in use. Otherwise, a request wakes the thread.
 */
const TICK_MS = 5;
const IDLE_MS = 250;
/** Interval between attempts to reach a database that is unreachable. */
const RETRY_MS = 250;
const COUNT_MS = 1_000;
const SWEEP_MS = 60_000;

/** A connection to the shared buckets. */
export interface RateBank {
  /** Returns a granted lease for each request, in order. `GRANT` describes their layout. */
  lease(requests: ReturnType<Ledger["collectLeases"]>): Promise<Float64Array>;
  /** Returns the number of members. */
  members(): Promise<number>;
  /** Removes buckets that are not in use. */
  sweep(): Promise<unknown>;
  close(): void;
}

interface ExchangeParts {
  readonly ledger: Ledger;
  readonly signals: LeaseSignals;
  open(): Promise<RateBank>;
  /** Receives the error when the database becomes unreachable, and null when it is reachable. */
  report(failure: unknown): void;
}

/** The exchange of one process. */
export class LeaseExchange {
  readonly #parts: ExchangeParts;
  #isStopped = false;
  /** Null before the first connection. */
  #isAway: boolean | null = null;
  #countedMs = Number.NEGATIVE_INFINITY;
  #sweptMs = performance.now();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Exchanges leases until `stop` is called, and then returns all leases. Never rejects. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#whileOpen(await this.#parts.open());
      } catch (error) {
        this.#lose(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** Ends `run` soon. */
  stop(): void {
    this.#isStopped = true;
    this.#parts.signals.request();
  }

  async #whileOpen(bank: RateBank): Promise<void> {
    const { ledger, signals } = this.#parts;
    try {
      await this.#count(bank);
      this.#regain();
      while (!this.#isStopped) {
        const { requested } = signals;
        const isFull = (await this.#exchange(bank, false)) === BATCH_MAX;
        await this.#keepHouse(bank);
        const ms = ledger.fleetCounts().names > 0 ? TICK_MS : IDLE_MS;
        if (!isFull) await signals.untilRequested(requested, ms);
      }
      while ((await this.#exchange(bank, true)) === BATCH_MAX);
    } finally {
      bank.close();
    }
  }

  /** Makes one exchange with the database. Returns the number of names in it. */
  async #exchange(bank: RateBank, all: boolean): Promise<number> {
    const { ledger, signals } = this.#parts;
    const requests = ledger.collectLeases(BATCH_MAX, all);
    if (requests.names.length > 0) {
      ledger.settleLeases(requests, await inTime(bank.lease(requests)));
      signals.settle();
    }
    return requests.names.length;
  }

  async #keepHouse(bank: RateBank): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#countedMs >= COUNT_MS) await this.#count(bank);
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    await inTime(bank.sweep());
  }

  async #count(bank: RateBank): Promise<void> {
    this.#countedMs = performance.now();
    this.#parts.ledger.setMembers(Math.max(1, await inTime(bank.members())));
  }

  #lose(error: unknown): void {
    const { ledger, signals, report } = this.#parts;
    ledger.setAway(true);
    signals.settle();
    if (this.#isAway !== true) report(error);
    this.#isAway = true;
  }

  #regain(): void {
    this.#parts.ledger.setAway(false);
    if (this.#isAway !== false) this.#parts.report(null);
    this.#isAway = false;
  }
}

/** Returns the answer. Throws if it is late. */
async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = new AbortController();
  const timer = sleep(ANSWER_MS, null, { signal: late.signal }).catch(() => null);
  try {
    const first = await Promise.race([answer.then((value) => ({ value })), timer]);
    if (first === null) throw new Error(`the database did not answer in ${ANSWER_MS} ms`);
    return first.value;
  } finally {
    late.abort();
    answer.catch(() => {});
  }
}
