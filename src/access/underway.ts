/**
 * How many requests of each key are under way. What comes in: requests as they begin and end. What
 * goes out: nothing, or the refusal of one too many.
 * Invariant: what has begun is counted until it ends, exactly once each, whatever happened to it;
 * of keys that have nothing under way no more than some are remembered. Apart because it counts
 * requests and the rate counts their costs.
 */

import { AppError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";

/** What limits the requests that a sender may have under way. */
export interface Crowded {
  readonly limits: { readonly concurrent_requests: number };
}

/** Seconds after which it is worth while to ask again: one of them may have ended by then. */
const RETRY_AFTER_SECONDS = 1;

/** Keys that are kept at rest: a map whose entry comes and goes makes its memory anew each time. */
const AT_REST_MAX = 1_000;

/** A request that has begun. */
class Begun {
  readonly #all: UnderWay;
  readonly #keyId: string;
  #isUnder = true;

  constructor(all: UnderWay, keyId: string) {
    this.#all = all;
    this.#keyId = keyId;
  }

  /** Ends it; may be called again. */
  over(): void {
    if (this.#isUnder) this.#all.end(this.#keyId);
    this.#isUnder = false;
  }
}

/** Counts requests by key. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** Requests of a key that are under way. */
  of(keyId: string): number {
    return this.#counts.get(keyId) ?? 0;
  }

  /** Begins a request. Throws `rate_limited` where the key has as many under way as it may. */
  begin(keyId: string, { limits }: Crowded): Begun {
    const most = limits.concurrent_requests;
    if (this.of(keyId) >= most) throw tooMany(most);
    this.#counts.set(keyId, this.of(keyId) + 1);
    return new Begun(this, keyId);
  }

  /** Ends a request of a key that has one; for those that have begun. */
  end(keyId: string): void {
    const left = this.of(keyId) - 1;
    if (left > 0 || this.#counts.size <= AT_REST_MAX) this.#counts.set(keyId, left);
    else this.#counts.delete(keyId);
  }
}

function tooMany(most: number): AppError {
  return new AppError(
    "rate_limited",
    `${most} ${wordFor(most, "request of the key is", "requests of the key are")} under way, as ` +
      "many as it may have at the same time, however slowly they come. Wait until " +
      "one of them is answered and its answer is read.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}
