/**
 * What tenants use, day by day (UTC). What comes in: each answered request of a key. What goes
 * out: the counts of today, and what is left of the quota of export rows.
 * Invariant: counting is a few additions in memory; what was counted is written in one commit every
 * few seconds and at the end, so a crash loses seconds at most, and a database that is busy loses
 * nothing. The quota is exact: it changes in the transactions of the exports alone.
 */
import { type Clock, DAY_MS, utcDay } from "../process/clock.ts";
import type { QuotaStore } from "../store/quotastore.ts";
import type { UsageStore, Used, UsedByKey } from "../store/usagestore.ts";
import type { Identity } from "./keyring.ts";
import type { Plan } from "./plans.ts";

/** Days that counts are kept. */
export const USAGE_DAYS = 400;

/** A count that grows. */
type Counting = { -readonly [Member in keyof UsedByKey]: UsedByKey[Member] };

/** Counts requests and accounts; looks sums up. */
export class Usage {
  readonly #store: UsageStore;
  readonly #quota: QuotaStore;
  readonly #clock: Clock;
  /** Counts of the day `#day` that are not written yet, by key. */
  readonly #open = new Map<string, Counting>();
  /** The same of days before. */
  #closed: Counting[] = [];
  #day = Number.NaN;
  /** The day on which old days were forgotten last. */
  #forgottenOn = Number.NaN;

  constructor(store: UsageStore, quota: QuotaStore, clock: Clock) {
    this.#store = store;
    this.#quota = quota;
    this.#clock = clock;
  }

  /** Counts a request, whatever it was answered, and the accounts in its answer. */
  count({ keyId, tenantId }: Omit<Identity, "plan">, accounts: number): void {
    this.#turn();
    let counting = this.#open.get(keyId);
    if (counting === undefined) {
      const none = { requests: 0, accounts: 0, exportRows: 0 };
      counting = { tenantId, keyId, day: this.#day, ...none };
      this.#open.set(keyId, counting);
    }
    counting.requests++;
    counting.accounts += accounts;
  }

  /** Writes what was counted; call it now and then, outside requests. */
  flush(): void {
    this.#turn();
    const counted = [...this.#closed, ...this.#open.values()];
    if (counted.length > 0) this.#store.add(counted);
    this.#closed = [];
    this.#open.clear();
    if (this.#forgottenOn === this.#day) return;
    this.#store.forgetBefore(this.#day - USAGE_DAYS + 1);
    this.#quota.forgetBefore(this.#day - USAGE_DAYS + 1);
    this.#forgottenOn = this.#day;
  }

  /** What a tenant has used today, up to this moment. */
  today(tenantId: string): Used {
    this.#turn();
    let { requests, accounts, exportRows } = this.#store.ofDay(tenantId, this.#day);
    for (const counting of [...this.#closed, ...this.#open.values()]) {
      if (counting.tenantId !== tenantId || counting.day !== this.#day) continue;
      requests += counting.requests;
      accounts += counting.accounts;
    }
    return { requests, accounts, exportRows };
  }

  /**
   * What the senders of a tenant used on the last `days` days up to this moment, today included; a
   * day and sender may have several rows.
   */
  ofTenant(tenantId: string, days: number): { readonly today: number; readonly rows: UsedByKey[] } {
    this.#turn();
    const since = this.#day - days + 1;
    const counted = [...this.#closed, ...this.#open.values()].filter(
      (counting) => counting.tenantId === tenantId && counting.day >= since,
    );
    const rows = [...this.#store.ofTenant(tenantId, since), ...counted];
    return { today: this.#day, rows: rows.filter(({ day }) => day <= this.#day) };
  }

  /** Rows that a tenant may still export today; null where its plan sets no quota. */
  exportRowsLeft(tenantId: string, plan: Plan): number | null {
    const { export_rows_per_day: quota } = plan.limits;
    if (quota === 0) return null;
    const charged = this.#quota.charged(tenantId, utcDay(this.#clock.nowMs()));
    return Math.max(0, quota - charged);
  }

  /** Begins a new day when there is one; the clock may also have been set back. */
  #turn(): void {
    const nowMs = this.#clock.nowMs();
    const startMs = this.#day * DAY_MS;
    if (nowMs >= startMs && nowMs < startMs + DAY_MS) return;
    this.#closed.push(...this.#open.values());
    this.#open.clear();
    this.#day = utcDay(nowMs);
  }
}
