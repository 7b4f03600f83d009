/**
 * The functions of the addon that count for all threads of a process, and the places of their
 * numbers; the counterpart of napi/threads/ledger.cc.
 * Invariant: a ledger is a number that every thread of the process may use. A closed ledger makes
 * each call fail with an `Error` whose `code` is "LEDGER_CLOSED".
 */

/** Places in the numbers of `takeRate`; those from `remaining` on are written by it. */
export const RATE = {
  ...{ perSecond: 0, burst: 1, cost: 2, paid: 3 },
  /** Milliseconds of a monotonic clock; NaN for that of the ledger, which all threads share. */
  now: 4,
  /** Table of names, from 0 to 3; tables know nothing of each other. */
  table: 5,
  ...{ remaining: 6, resetSeconds: 7, retrySeconds: 8 },
  /** Names that the table remembers. */
  names: 9,
} as const;

/** Places in the numbers of a hold. */
export const HOLD = {
  amount: 0,
  /** Number of the thread that takes the amount. */
  slot: 1,
  /** Limit of one owner, and of all owners together. */
  ...{ ownerMost: 2, most: 3 },
  /** Part of what the others leave that one owner may hold. */
  share: 4,
  /** Amount that must be left for other requests. */
  reserve: 5,
} as const;

/** Results of a hold, in the addon's order: taken, over the owner's limit, over that of all. */
export const SHORTAGES = [null, "share", "all"] as const;

/** Places in the numbers of `countUse`, and of each use that is returned. */
export const USE = { day: 0, requests: 1, accounts: 2 } as const;

/** Uses of keys: tenant and key of each, and three numbers (`USE`). */
export interface NativeUses {
  readonly tenants: string[];
  readonly keys: string[];
  readonly numbers: Float64Array;
}

/** The functions of the addon about ledgers. */
export interface NativeLedgers {
  openLedger(): number;
  closeLedger(ledger: number): void;
  takeRate(ledger: number, name: string, numbers: Float64Array): boolean;
  takeHold(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  shortageOf(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  giveHold(ledger: number, kind: number, owner: string, numbers: Float64Array): void;
  releaseSlot(ledger: number, slot: number): void;
  heldIn(ledger: number, kind: number): number;
  heldBy(ledger: number, kind: number, owner: string): number;
  countUse(ledger: number, tenant: string, key: string, numbers: Float64Array): void;
  usesOf(ledger: number, tenant: string): NativeUses;
  takeUses(ledger: number): NativeUses;
  noteUsed(ledger: number, key: string, atMs: number): void;
  takeUsed(ledger: number): { readonly keys: string[]; readonly times: Float64Array };
  appendLine(ledger: number, atMs: number, level: number, text: string): void;
  takeLines(
    ledger: number,
    upToMs: number,
  ): { readonly levels: Uint32Array; readonly texts: string[] };
}
