/**
 * Types of the addon's functions that count across threads (napi/threads/ledger.cc), and the
 * indexes of their numbers.
 * Invariant: mirrors the addon and changes with it. A ledger is a number that all threads of the
 * process may use. Calls on a closed ledger throw an `Error` with `code` "LEDGER_CLOSED".
 */

/** Indexes in the numbers passed to `takeRate`, which writes `remaining` and all after it. */
export const RATE = {
  ...{ perSecond: 0, burst: 1, cost: 2, paid: 3 },
  /** Milliseconds of a monotonic clock; NaN to use the ledger's clock, which all threads share. */
  now: 4,
  /** Number of a table of names, from 0 to 3. The tables are independent of each other. */
  table: 5,
  ...{ remaining: 6, resetSeconds: 7, retrySeconds: 8 },
  /** Number of names in the table. */
  names: 9,
  /** 1 if the attempt should wait. A lease was requested for it and may soon allow it. */
  waits: 10,
} as const;

/**
 * Indexes in the numbers that describe a requested lease, which reserves units of a rate limit for
 * this process. Amounts are in units.
 */
export const LEASE = {
  ...{ perSecond: 0, burst: 1 },
  /** Units to keep, units wanted in addition, and units given back. */
  ...{ held: 2, wanted: 3, back: 4 },
  /** Units spent without a lease while the database was unreachable. */
  debt: 5,
} as const;

/** Indexes in the numbers that describe a granted lease. */
export const GRANT = {
  granted: 0,
  /** Units left in the database's bucket, and units that other processes hold in leases. */
  ...{ level: 1, others: 2 },
} as const;

/** Indexes in the counts of a ledger that shares its limits with other processes (a fleet). */
export const FLEET_COUNTS = {
  /**
   * Refusals by reason: the limit itself, units that other processes held, or the share that
   * applies while the database is unreachable.
   */
  ...{ limit: 0, early: 1, share: 2 },
  ...{ waits: 3, names: 4, away: 5 },
} as const;

/** Leases to request. */
export interface NativeLeaseRequests {
  readonly names: string[];
  /** The numbers of each name, with the indexes in `LEASE`. */
  readonly numbers: Float64Array;
  /** Time of the ledger's clock. */
  readonly nowMs: number;
}

/** Indexes in the numbers of a hold, an amount taken from a shared limit until its release. */
export const HOLD = {
  amount: 0,
  /** Number of the thread that takes the amount. */
  slot: 1,
  /** Maximum amount for one owner, and maximum for all owners together. */
  ...{ ownerMost: 2, most: 3 },
  /** Maximum share of the remaining amount that one owner may hold. */
  share: 4,
  /** Amount that must stay free for other requests. */
  reserve: 5,
} as const;

/**
 * Results of a hold, in the order of the addon's numbers: success, the owner's limit would be
 * exceeded, the total limit would be exceeded.
 */
export const SHORTAGES = [null, "share", "all"] as const;

/** Indexes in the numbers of `countUse`, and in the numbers of each use that is returned. */
export const USE = { day: 0, requests: 1, accounts: 2 } as const;

/** Usage by API key: for each key its tenant, its name, and the three numbers of `USE`. */
export interface NativeUses {
  readonly tenants: string[];
  readonly keys: string[];
  readonly numbers: Float64Array;
}

/** The addon's functions that work on ledgers. */
export interface NativeLedgers {
  openLedger(): number;
  closeLedger(ledger: number): void;
  takeRate(ledger: number, name: string, numbers: Float64Array): boolean;
  setFleet(ledger: number, members: number): void;
  setFleetAway(ledger: number, isAway: boolean, nowMs: number): void;
  collectLeases(ledger: number, nowMs: number, most: number, all: boolean): NativeLeaseRequests;
  settleLeases(
    ledger: number,
    names: readonly string[],
    numbers: Float64Array,
    times: Float64Array,
  ): void;
  fleetCounts(ledger: number): Float64Array;
  acquireHold(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  shortageOf(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  releaseHold(ledger: number, kind: number, owner: string, numbers: Float64Array): void;
  releaseSlot(ledger: number, slot: number): void;
  amountInUse(ledger: number, kind: number): number;
  amountOfOwner(ledger: number, kind: number, owner: string): number;
  countUse(ledger: number, tenant: string, key: string, numbers: Float64Array): void;
  usesOf(ledger: number, tenant: string): NativeUses;
  drainUses(ledger: number): NativeUses;
  recordLastUse(ledger: number, key: string, atMs: number): void;
  drainLastUses(ledger: number): { readonly keys: string[]; readonly times: Float64Array };
  appendLine(ledger: number, atMs: number, level: number, text: string): void;
  drainLines(
    ledger: number,
    upToMs: number,
  ): { readonly levels: Uint32Array; readonly texts: string[] };
}
