/**
 * The audit trail as the server keeps it. What comes in: requests to read a tenant's lines, the
 * passing of time. What goes out: lines, and the refusal of a tenant that changes without end.
 * Invariant: a line is kept for the retention at least, also when the clock leaps ahead: it has to
 * be that much older than the newest line too. Lines are written by whoever makes the change.
 */

import { AppError } from "../errors.ts";
import { type Clock, DAY_MS } from "../process/clock.ts";
import type { AuditRow, AuditStore } from "../store/auditstore.ts";

/**
 * Changes of keys and members that the users of one tenant may make in 24 hours. Every one leaves
 * a line that is kept for years, so without an end one owner could fill the disk of all.
 */
export const CHANGES_PER_DAY_MAX = 1_000;

/** Lines that are read at once, and for how long they are kept. */
export class AuditTrail {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(store: AuditStore, clock: Clock, retentionSeconds: number) {
    this.#store = store;
    this.#clock = clock;
    this.#retentionMs = retentionSeconds * 1000;
  }

  /** The newest lines of a tenant, before a sequence where one is given, and if there are more. */
  page(
    tenantId: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): { readonly rows: AuditRow[]; readonly more: boolean } {
    const rows = this.#store.list({ tenantId, before, limit: limit + 1 });
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }

  /** Throws `rate_limited` where the users of a tenant have changed too much since a day. */
  refuseTooMany(tenantId: string): void {
    const since = this.#clock.nowMs() - DAY_MS;
    const back = this.#store.changeBack(tenantId, CHANGES_PER_DAY_MAX, since);
    if (back === undefined) return;
    const seconds = Math.max(1, Math.ceil((back - since) / 1000));
    throw new AppError(
      "rate_limited",
      `Up to ${CHANGES_PER_DAY_MAX} changes of keys and members are taken in 24 hours. ` +
        `Wait ${seconds} s, or ask the operator to use commands.`,
      { headers: { "Retry-After": String(seconds) } },
    );
  }

  /** Forgets what is older than the retention, once a day; call it outside requests. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptMs < DAY_MS) return;
    const newest = this.#store.newest();
    if (newest !== undefined) {
      this.#store.forget(Math.min(this.#clock.nowMs(), newest) - this.#retentionMs);
    }
    this.#sweptMs = nowMs;
  }
}
