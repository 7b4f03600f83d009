/**
 * What tenants use, day by day (UTC). What comes in: each answered request of a key. What goes
 * out: the counts of today, and what is left of the quota of export rows.
 * Invariant: counting is a few additions in memory; what was counted is written in one commit every
 * few seconds and at the end, so a crash loses seconds at most, and a database that is busy loses
 * nothing. The quota is exact: it changes in the transactions of the exports alone.
 */
import { type Clock, utcDay } from "../process/clock.ts";
import { Ledger, USE, type Use } from "../process/ledger.ts";
import type { QuotaStore, UsageStore, Used, UsedByKey } from "../store/usagestore.ts";
import type { Identity } from "./keyring.ts";
import type { Plan } from "./plans.ts";

/** Days that counts are kept. */
export const USAGE_DAYS = 400;

/** Counts requests and accounts, on any thread. */
export class UseCounter {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #ledger: Ledger;
  readonly #numbers = new Float64Array(Object.keys(USE).length);

  constructor(ledger: Ledger, clock: Pick<Clock, "nowMs">) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Counts a request, whatever it was answered, and the accounts in its answer. */
  count({ keyId, tenantId }: Omit<Identity, "plan">, accounts: number): void {
    const day = utcDay(this.#clock.nowMs());
    this.add({ tenantId, keyId, day, requests: 1, accounts });
  }

  /** Adds counts of a day. */
  add({ tenantId, keyId, day, requests, accounts }: Use): void {
    this.#numbers[USE.day] = day;
    this.#numbers[USE.requests] = requests;
    this.#numbers[USE.accounts] = accounts;
    this.#ledger.countUse(tenantId, keyId, this.#numbers);
  }
}

/** Counts requests and accounts; looks sums up. */
export class Usage {
  readonly #store: UsageStore;
  readonly #quota: QuotaStore;
  readonly #clock: Clock;
  /** Has the counts that are not written yet, of all threads. */
  readonly #ledger: Ledger;
  readonly #counter: UseCounter;
  /** The day on which old days were forgotten last. */
  #forgottenOn = Number.NaN;

  constructor(store: UsageStore, quota: QuotaStore, clock: Clock, ledger = Ledger.open()) {
    this.#store = store;
    this.#quota = quota;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#counter = new UseCounter(ledger, clock);
  }

  /** Counts a request, whatever it was answered, and the accounts in its answer. */
  count(identity: Omit<Identity, "plan">, accounts: number): void {
    this.#counter.count(identity, accounts);
  }

  /** Writes what was counted; call it now and then, outside requests. */
  flush(): void {
    const counted = this.#ledger.takeUses();
    try {
      if (counted.length > 0) this.#store.add(counted.map(asStored));
    } catch (error) {
      for (const use of counted) this.#counter.add(use);
      throw error;
    }
    const today = this.#day;
    if (this.#forgottenOn === today) return;
    this.#store.forgetBefore(today - USAGE_DAYS + 1);
    this.#quota.forgetBefore(today - USAGE_DAYS + 1);
    this.#forgottenOn = today;
  }

  /** What a tenant has used today, up to this moment. */
  today(tenantId: string): Used {
    const today = this.#day;
    let { requests, accounts, exportRows } = this.#store.ofDay(tenantId, today);
    for (const use of this.#ledger.usesOf(tenantId)) {
      if (use.day !== today) continue;
      requests += use.requests;
      accounts += use.accounts;
    }
    return { requests, accounts, exportRows };
  }

  /**
   * What the senders of a tenant used on the last `days` days up to this moment, today included; a
   * day and sender may have several rows.
   */
  ofTenant(tenantId: string, days: number): { readonly today: number; readonly rows: UsedByKey[] } {
    const today = this.#day;
    const since = today - days + 1;
    const counted = this.#ledger.usesOf(tenantId).filter(({ day }) => day >= since);
    const rows = [...this.#store.ofTenant(tenantId, since), ...counted.map(asStored)];
    return { today, rows: rows.filter(({ day }) => day <= today) };
  }

  /** Rows that a tenant may still export today; null where its plan sets no quota. */
  exportRowsLeft(tenantId: string, plan: Plan): number | null {
    const { export_rows_per_day: quota } = plan.limits;
    if (quota === 0) return null;
    const charged = this.#quota.charged(tenantId, utcDay(this.#clock.nowMs()));
    return Math.max(0, quota - charged);
  }

  /** The UTC day; the clock may also have been set back. */
  get #day(): number {
    return utcDay(this.#clock.nowMs());
  }
}

/** Rows of exports are counted where exports are. */
function asStored(use: Use): UsedByKey {
  return { ...use, exportRows: 0 };
}
