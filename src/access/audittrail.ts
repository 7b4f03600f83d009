/**
 * The server's audit trail. Input: requests to read a tenant's entries, and elapsed time. Output:
 * entries, and an error for tenants that make too many changes.
 * Invariant: an entry is deleted only if it is older than the retention by the clock and also by
 * the time of the newest entry. So a clock that jumps ahead deletes nothing early. The code that
 * makes a change writes its entry.
 */

import { AppError } from "../errors.ts";
import { type Clock, DAY_MS } from "../process/clock.ts";
import type { AuditRow, AuditStore, LimitedActors } from "../store/auditstore.ts";

/**
 * Changes that the users of a tenant may make in 24 hours; as many are allowed to its keys, and to
 * the readers of its e-mails. Each adds a line that is retained for years, so without a limit one
 * owner, key, or link could fill the shared disk.
 */
export const CHANGES_PER_DAY_MAX = 1_000;

/** Changes that have a limit of their own, by their actors, for the refusal. */
const CHANGES: Readonly<Record<LimitedActors, string>> = {
  "user:": "changes by users of the console",
  "key:": "changes of webhooks and e-mail receivers by keys",
  server: "changes by readers of e-mails",
};

/** Reads the audit trail and removes expired lines. */
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

  /**
   * Returns a tenant's newest lines, optionally before a sequence number, and if there are more.
   */
  page(
    tenantId: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): { readonly rows: AuditRow[]; readonly more: boolean } {
    const rows = this.#store.list({ tenantId, before, limit: limit + 1 });
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }

  /**
   * Throws `rate_limited` if these actors made too many changes of a tenant within 24 hours. Keys
   * have their own limit, so that owners can disable a key that changes too much.
   */
  refuseTooMany(tenantId: string, actors: LimitedActors): void {
    const since = this.#clock.nowMs() - DAY_MS;
    const back = this.#store.changeBack({ tenantId, actors, since }, CHANGES_PER_DAY_MAX);
    if (back === undefined) return;
    const seconds = Math.max(1, Math.ceil((back - since) / 1000));
    throw new AppError(
      "rate_limited",
      `Up to ${CHANGES_PER_DAY_MAX} ${CHANGES[actors]} are taken in 24 hours. ` +
        `Wait ${seconds} s, or ask the operator to use commands.`,
      { headers: { "Retry-After": String(seconds) } },
    );
  }

  /** Deletes lines older than the retention, once a day; call it outside requests. */
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
