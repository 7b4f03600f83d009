/**
 * Types of the addon's functions that count across threads (napi/threads/ledger.cc), and the
 * indexes of their numbers.
 * Invariant: mirrors the addon and changes with it. A ledger is a number that all threads of the
 * process may use. Calls on a closed ledger throw an `Error` with `code` "LEDGER_CLOSED".
 */

/** Indexes of the numbers of `takeRate`, which writes `remaining` and the numbers after it. */
export const RATE = {
  ...{ perSecond: 0, burst: 1, cost: 2, paid: 3 },
  /** Milliseconds of a monotonic clock; NaN to use the ledger's clock, which all threads share. */
  now: 4,
  /** Table of names, from 0 to 3; tables are independent. */
  table: 5,
  ...{ remaining: 6, resetSeconds: 7, retrySeconds: 8 },
  /** Number of names in the table. */
  names: 9,
  /** 1 if the attempt should wait, because a lease requested with it may soon allow it. */
  waits: 10,
} as const;

/** Indexes of the numbers of one requested lease; amounts are units. */
export const LEASE = {
  ...{ perSecond: 0, burst: 1 },
  /** Units to keep, units wanted in addition, and units given back. */
  ...{ held: 2, wanted: 3, back: 4 },
  /** Units spent without a lease while the database was unreachable. */
  debt: 5,
} as const;

/** Indexes of the numbers of one granted lease. */
export const GRANT = {
  granted: 0,
  /** Units left in the bucket, and units in the leases of other members. */
  ...{ level: 1, others: 2 },
} as const;

/** Indexes of the counts of a fleet's ledger. */
export const FLEET_COUNTS = {
  /** Refusals: by the limit, by units that others had, by the share without the database. */
  ...{ limit: 0, early: 1, share: 2 },
  ...{ waits: 3, names: 4, away: 5 },
} as const;

/** Leases to request. */
export interface NativeLeaseRequests {
  readonly names: string[];
  /** Numbers of each name, see `LEASE`. */
  readonly numbers: Float64Array;
  /** Time of the ledger's clock. */
  readonly nowMs: number;
}

/** Indexes of the numbers of a hold. */
export const HOLD = {
  amount: 0,
  /** Number of the thread that takes the amount. */
  slot: 1,
  /** Limit of one owner, and of all owners together. */
  ...{ ownerMost: 2, most: 3 },
  /** Maximum share of the remaining amount that one owner may hold. */
  share: 4,
  /** Amount reserved for other requests. */
  reserve: 5,
} as const;

/**
 * Results of a hold, in the addon's order: success, over the owner's limit, over the total limit.
 */
export const SHORTAGES = [null, "share", "all"] as const;

/** Indexes of the numbers of `countUse`, and of each returned use. */
export const USE = { day: 0, requests: 1, accounts: 2 } as const;

/** Usage of keys: tenant and key of each, and three numbers (`USE`). */
export interface NativeUses {
  readonly tenants: string[];
  readonly keys: string[];
  readonly numbers: Float64Array;
}

/** The addon's functions on ledgers. */
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
