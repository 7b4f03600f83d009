/**
 * What all threads of a process count together: rates, amounts that are held, uses of keys, and
 * lines of a log. One ledger is one set of counts; a process has one, a test may have several.
 * Invariant: counts are kept in the addon and are exact across threads; a call never waits for
 * another thread longer than for one count. What a thread holds is noted under its slot.
 */
import { ledgers } from "../../native-index/napi/engine.ts";
import {
  HOLD,
  type NativeLedgers,
  type NativeUses,
  RATE,
  SHORTAGES,
  USE,
} from "../../native-index/napi/handles.ts";

export { HOLD, RATE, USE } from "../../native-index/napi/handles.ts";

/** Tables of rates; the names of one are not those of another. */
const RATE_TABLES = { keys: 0, guesses: 1 } as const;

/** Kinds of amounts that are held. */
const HOLD_KINDS = { underWay: 0, streams: 1, bodies: 2, files: 3 } as const;

/** Names of the kinds. */
export type HoldKind = keyof typeof HOLD_KINDS;

/** Why an amount cannot be taken: the owner holds what it may, or all together do. */
export type Shortage = "share" | "all";

/** Slot of the thread that opens a ledger. */
const FIRST_SLOT = 0;

/** What a key used on a day (UTC). */
export interface Use {
  readonly tenantId: string;
  readonly keyId: string;
  readonly day: number;
  readonly requests: number;
  readonly accounts: number;
}

/** One thread's way to a ledger. */
export class Ledger {
  readonly slot: number;
  #id: number | null;
  #addon: NativeLedgers | null = null;

  private constructor(id: number | null, slot: number) {
    this.#id = id;
    this.slot = slot;
  }

  /** Returns a new ledger. It is opened when it is first needed, as the addon is loaded. */
  static open(): Ledger {
    return new Ledger(null, FIRST_SLOT);
  }

  /** Returns the ledger that another thread opened; `slot` is that of this thread alone. */
  static join(id: number, slot: number): Ledger {
    return new Ledger(id, slot);
  }

  /** Number of the ledger, for `join` in other threads. */
  get id(): number {
    this.#id ??= this.#native.openLedger();
    return this.#id;
  }

  /** Closes the ledger for all threads. May be called again. */
  close(): void {
    if (this.#id !== null) this.#native.closeLedger(this.#id);
  }

  /** Spends units of a name; true if they were there. `RATE` has the places of the numbers. */
  takeRate(name: string, numbers: Float64Array): boolean {
    return this.#native.takeRate(this.id, name, numbers);
  }

  /** Takes an amount. Returns why it cannot be taken, or null. */
  takeHold(kind: HoldKind, owner: string, numbers: Float64Array): Shortage | null {
    const { id } = this;
    return SHORTAGES[this.#native.takeHold(id, HOLD_KINDS[kind], owner, numbers)] ?? null;
  }

  /** Returns what `takeHold` would return, and takes nothing. */
  shortageOf(kind: HoldKind, owner: string, numbers: Float64Array): Shortage | null {
    const { id } = this;
    return SHORTAGES[this.#native.shortageOf(id, HOLD_KINDS[kind], owner, numbers)] ?? null;
  }

  /** Gives back an amount that this thread took. Throws if that is more than it holds. */
  giveHold(kind: HoldKind, owner: string, numbers: Float64Array): void {
    this.#native.giveHold(this.id, HOLD_KINDS[kind], owner, numbers);
  }

  /** Gives back everything that a thread held; for a thread that has ended. */
  releaseSlot(slot: number): void {
    this.#native.releaseSlot(this.id, slot);
  }

  /** Amount that all owners hold. */
  heldIn(kind: HoldKind): number {
    return this.#native.heldIn(this.id, HOLD_KINDS[kind]);
  }

  /** Amount that one owner holds, in all threads. */
  heldBy(kind: HoldKind, owner: string): number {
    return this.#native.heldBy(this.id, HOLD_KINDS[kind], owner);
  }

  /** Adds to what a key used on a day; `USE` has the places of the numbers. */
  countUse(tenantId: string, keyId: string, numbers: Float64Array): void {
    this.#native.countUse(this.id, tenantId, keyId, numbers);
  }

  /** What the keys of a tenant used and `takeUses` has not returned yet. */
  usesOf(tenantId: string): Use[] {
    return usesIn(this.#native.usesOf(this.id, tenantId));
  }

  /** Removes and returns all uses. */
  takeUses(): Use[] {
    return usesIn(this.#native.takeUses(this.id));
  }

  /** Notes when a key was used, in milliseconds since 1970; the latest time counts. */
  noteUsed(keyId: string, atMs: number): void {
    this.#native.noteUsed(this.id, keyId, atMs);
  }

  /** Removes and returns the times at which keys were last used. */
  takeUsed(): Map<string, number> {
    const { keys, times } = this.#native.takeUsed(this.id);
    return new Map(keys.map((key, at) => [key, times[at] as number]));
  }

  /** Adds a line of a log; the reader decides when there are too many. */
  appendLine(atMs: number, level: number, text: string): void {
    this.#native.appendLine(this.id, atMs, level, text);
  }

  /** Removes and returns the lines up to a time, in the order of their times. */
  takeLines(upToMs: number): { readonly levels: Uint32Array; readonly texts: readonly string[] } {
    return this.#native.takeLines(this.id, upToMs);
  }

  get #native(): NativeLedgers {
    this.#addon ??= ledgers();
    return this.#addon;
  }
}

/** Returns the numbers of a caller of `takeRate`: one array for all calls, which is no garbage. */
export function rateNumbers(table: keyof typeof RATE_TABLES): Float64Array {
  const numbers = new Float64Array(Object.keys(RATE).length);
  numbers[RATE.now] = Number.NaN;
  numbers[RATE.table] = RATE_TABLES[table];
  return numbers;
}

/** Returns numbers for holds of this thread: one unit, without a limit. The caller sets limits. */
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
