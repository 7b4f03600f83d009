/**
 * Counters shared by all threads of a process: rates of requests, amounts in use, usage of keys,
 * and log lines. One ledger is one set of counters. A process has one ledger, a test may have
 * several.
 * Invariant: the counters are in the addon and exact across threads. A call waits only while
 * another thread updates a counter. Each amount in use is recorded with the number of its thread
 * (slot), so it can be released if the thread dies.
 */
import { ledgers } from "../../native-index/napi/engine.ts";
import {
  FLEET_COUNTS,
  HOLD,
  type NativeLeaseRequests,
  type NativeLedgers,
  type NativeUses,
  RATE,
  SHORTAGES,
  USE,
} from "../../native-index/napi/ledgers.ts";

export { GRANT, HOLD, LEASE, RATE, USE } from "../../native-index/napi/ledgers.ts";

/**
 * Numbers of the addon's tables of rates. Each table has its own names, so a name in both tables
 * means two different rates.
 */
const RATE_TABLES = { keys: 0, guesses: 1 } as const;

const HOLD_KINDS = { inFlight: 0, streams: 1, bodies: 2, files: 3 } as const;

/** The kinds of resources that threads hold amounts of, such as open streams or bytes of bodies. */
export type HoldKind = keyof typeof HOLD_KINDS;

/**
 * The limit that refuses an amount: the limit of its owner (`share`), or the limit of all owners
 * together (`all`).
 */
export type Shortage = "share" | "all";

/** Slot of the thread that opens a ledger. */
const FIRST_SLOT = 0;

/** Usage of a key on a day (UTC). */
export interface Use {
  readonly tenantId: string;
  readonly keyId: string;
  readonly day: number;
  readonly requests: number;
  readonly accounts: number;
}

/** A thread's handle of a ledger. */
export class Ledger {
  readonly slot: number;
  #id: number | null;
  #addon: NativeLedgers | null = null;

  private constructor(id: number | null, slot: number) {
    this.#id = id;
    this.slot = slot;
  }

  /**
   * Returns a new ledger. It is created in the addon only when it is first used, because the addon
   * is loaded only then.
   */
  static open(): Ledger {
    return new Ledger(null, FIRST_SLOT);
  }

  /** Returns the ledger `id`, which another thread opened. `slot`: this thread's unique number. */
  static join(id: number, slot: number): Ledger {
    return new Ledger(id, slot);
  }

  /** Number of the ledger, for `join` in other threads. */
  get id(): number {
    this.#id ??= this.#native.openLedger();
    return this.#id;
  }

  /** Closes the ledger for all threads. Idempotent. */
  close(): void {
    if (this.#id !== null) this.#native.closeLedger(this.#id);
  }

  /**
   * Takes units from a named rate, and returns true if they were available. `numbers` holds the
   * limits and receives the results; `RATE` names its indexes.
   */
  takeRate(name: string, numbers: Float64Array): boolean {
    return this.#native.takeRate(this.id, name, numbers);
  }

  /**
   * Sets the number of servers in the fleet, which share limits. From the first call on, this
   * server must lease parts of each rate from the fleet.
   */
  setMembers(members: number): void {
    this.#native.setFleet(this.id, members);
  }

  /** While the database is away, this server uses a fixed share of each rate, without leases. */
  setAway(isAway: boolean, nowMs = Number.NaN): void {
    this.#native.setFleetAway(this.id, isAway, nowMs);
  }

  /**
   * Returns up to `most` leases to request from the fleet. If `all` is true, returns all leases,
   * so that the fleet gets their units back.
   */
  collectLeases(most: number, all = false, nowMs = Number.NaN): NativeLeaseRequests {
    return this.#native.collectLeases(this.id, nowMs, most, all);
  }

  /** Adds the granted units (`GRANT`) to the leases that were requested. */
  settleLeases({ names, nowMs }: NativeLeaseRequests, grants: Float64Array, now = Number.NaN) {
    this.#native.settleLeases(this.id, names, grants, Float64Array.of(nowMs, now));
  }

  /** Returns the fleet's counters by name, such as the refusals for each reason. */
  fleetCounts(): Readonly<Record<keyof typeof FLEET_COUNTS, number>> {
    const counts = this.#native.fleetCounts(this.id);
    const named = Object.entries(FLEET_COUNTS).map(([name, at]) => [name, counts[at] as number]);
    return Object.fromEntries(named);
  }

  /** Acquires an amount. Returns null if it was available, else why it is refused. */
  acquireHold(kind: HoldKind, owner: string, numbers: Float64Array): Shortage | null {
    const { id } = this;
    return SHORTAGES[this.#native.acquireHold(id, HOLD_KINDS[kind], owner, numbers)] ?? null;
  }

  /** Returns the result of `acquireHold` without acquiring anything. */
  shortageOf(kind: HoldKind, owner: string, numbers: Float64Array): Shortage | null {
    const { id } = this;
    return SHORTAGES[this.#native.shortageOf(id, HOLD_KINDS[kind], owner, numbers)] ?? null;
  }

  /** Releases an amount of this thread. Throws if it holds less. */
  releaseHold(kind: HoldKind, owner: string, numbers: Float64Array): void {
    this.#native.releaseHold(this.id, HOLD_KINDS[kind], owner, numbers);
  }

  /** Releases all amounts that an ended thread held. */
  releaseSlot(slot: number): void {
    this.#native.releaseSlot(this.id, slot);
  }

  /** Returns the amount that all owners hold. */
  amountInUse(kind: HoldKind): number {
    return this.#native.amountInUse(this.id, HOLD_KINDS[kind]);
  }

  /** Returns the amount that one owner holds in all threads. */
  amountOfOwner(kind: HoldKind, owner: string): number {
    return this.#native.amountOfOwner(this.id, HOLD_KINDS[kind], owner);
  }

  /** Adds to a key's usage of a day. `numbers` holds day and amounts; `USE` names its indexes. */
  countUse(tenantId: string, keyId: string, numbers: Float64Array): void {
    this.#native.countUse(this.id, tenantId, keyId, numbers);
  }

  /** Returns a tenant's usage that `drainUses` has not returned yet. */
  usesOf(tenantId: string): Use[] {
    return usesIn(this.#native.usesOf(this.id, tenantId));
  }

  /** Returns the usage of all keys and removes it. */
  drainUses(): Use[] {
    return usesIn(this.#native.drainUses(this.id));
  }

  /** Records the time of a key's use, in milliseconds since the epoch; only the latest is kept. */
  recordLastUse(keyId: string, atMs: number): void {
    this.#native.recordLastUse(this.id, keyId, atMs);
  }

  /** Returns when each key was last used, and removes these times. */
  drainLastUses(): Map<string, number> {
    const { keys, times } = this.#native.drainLastUses(this.id);
    return new Map(keys.map((key, at) => [key, times[at] as number]));
  }

  /** Appends a log line. The number of lines is not limited here, so the reader must limit it. */
  appendLine(atMs: number, level: number, text: string): void {
    this.#native.appendLine(this.id, atMs, level, text);
  }

  /** Removes and returns the lines up to a time, in chronological order. */
  drainLines(upToMs: number): { readonly levels: Uint32Array; readonly texts: readonly string[] } {
    return this.#native.drainLines(this.id, upToMs);
  }

  get #native(): NativeLedgers {
    this.#addon ??= ledgers();
    return this.#addon;
  }
}

/**
 * Returns a new array for `takeRate` with the number of the table. Callers reuse it for all calls
 * to avoid garbage.
 */
export function rateNumbers(table: keyof typeof RATE_TABLES): Float64Array {
  const numbers = new Float64Array(Object.keys(RATE).length);
  numbers[RATE.now] = Number.NaN;
  numbers[RATE.table] = RATE_TABLES[table];
  return numbers;
}

/**
 * Returns a new array for calls about amounts of this thread: one unit, without a limit. Callers
 * change these values.
 */
export function holdNumbers(ledger: Ledger): Float64Array {
  const numbers = new Float64Array(Object.keys(HOLD).length);
  numbers[HOLD.amount] = 1;
  numbers[HOLD.slot] = ledger.slot;
  numbers[HOLD.ownerMost] = Number.POSITIVE_INFINITY;
  numbers[HOLD.most] = Number.POSITIVE_INFINITY;
  numbers[HOLD.share] = 1;
  return numbers;
}

function usesIn({ tenants, keys, numbers }: NativeUses): Use[] {
  return keys.map((keyId, at) => {
    const of = (member: keyof typeof USE) => numbers[3 * at + USE[member]] as number;
    return {
      ...{ tenantId: tenants[at] as string, keyId },
      ...{ day: of("day"), requests: of("requests"), accounts: of("accounts") },
    };
  });
}
