/**
 * Requests that wait for an export to end, by tenant. What comes in: that one begins and ends to
 * wait. What goes out: whether it may.
 * Invariant: a tenant has at most so many at once, because each of them holds a connection for up
 * to a minute; whoever has begun to wait is counted until its end, whatever that is.
 */

import { AppError } from "../../errors.ts";
import { wordFor } from "../../text/amounts.ts";

/** Seconds after which there may be room again. */
const RETRY_AFTER_SECONDS = 5;

/** Who waits at the moment. */
export class Waits {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs what waits for a tenant; throws `rate_limited` where too many of its requests wait. */
  async run<Value>(tenantId: string, wait: () => Promise<Value>): Promise<Value> {
    const before = this.#counts.get(tenantId) ?? 0;
    if (before >= this.#most) throw this.#tooMany();
    this.#counts.set(tenantId, before + 1);
    try {
      return await wait();
    } finally {
      this.#giveBack(tenantId);
    }
  }

  #giveBack(tenantId: string): void {
    const left = (this.#counts.get(tenantId) ?? 0) - 1;
    if (left > 0) this.#counts.set(tenantId, left);
    else this.#counts.delete(tenantId);
  }

  #tooMany(): AppError {
    return new AppError(
      "rate_limited",
      `${this.#most} ${wordFor(this.#most, "request of yours waits", "requests of yours wait")} ` +
        `for exports already. Ask without wait, or again in ${RETRY_AFTER_SECONDS} s.`,
      { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
    );
  }
}
