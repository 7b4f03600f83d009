/**
 * Limits how often something may happen. What comes in: a name (of a key, of an address), its
 * policy, and the cost of what is wanted. What goes out: whether it may happen now, what is left,
 * and when to try again.
 * Invariant: the generic cell rate algorithm: within any time a name spends at most its burst and
 * what its rate has given back since. One number per name is kept, and of names that are at rest
 * those of some. Time is monotonic, so a clock that is set changes nothing.
 */
import type { Clock } from "../process/clock.ts";

/** How much may be spent: `burst` units at once, `perSecond` given back. */
export interface RatePolicy {
  readonly perSecond: number;
  readonly burst: number;
}

/** The answer to one attempt. */
interface RateDecision {
  allowed: boolean;
  /** Whole units that could be spent now. */
  remaining: number;
  /** Seconds until the burst is whole again. */
  resetSeconds: number;
  /** Seconds after which the same attempt would be allowed; 0 when it was. */
  retrySeconds: number;
}

/** Rounding of sums of milliseconds must not cost a client its last unit. */
const ROUNDING_MS = 1e-6;

/** Names kept before those at rest are forgotten. */
const NAMES_MAX = 10_000;
/** Names kept at rest: a map whose entry comes and goes makes its memory anew each time. */
const AT_REST_MAX = 1_000;

/** Limits per name, in memory: a restart forgives. */
export class RateLimiter {
  /** Per name the moment at which its burst is whole again, in monotonic milliseconds. */
  readonly #wholeAt = new Map<string, number>();
  readonly #clock: Clock;
  /** What was said last; one of its own for each request would be garbage at once. */
  readonly #said: RateDecision = { allowed: true, remaining: 0, resetSeconds: 0, retrySeconds: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of names that are remembered. */
  get size(): number {
    return this.#wholeAt.size;
  }

  /**
   * Spends `cost` units if they are there. A cost above the burst is taken for the burst, for it
   * could otherwise never be paid. `paid` units of the cost were spent before, when less of it was
   * known: they are part of it, and are given back where the whole is refused. What it says is
   * true until the next call.
   */
  take(name: string, policy: RatePolicy, cost = 1, paid = 0): Readonly<RateDecision> {
    const now = this.#clock.monotonicMs();
    const unitMs = 1000 / policy.perSecond;
    const burstMs = policy.burst * unitMs;
    const before = Math.min(paid, policy.burst) * unitMs;
    const wholeAt = Math.max(now, (this.#wholeAt.get(name) ?? now) - before);
    const paidAt = wholeAt + Math.min(cost, policy.burst) * unitMs;
    const missingMs = paidAt - now - burstMs;
    const allowed = missingMs <= ROUNDING_MS;
    if (allowed || paid > 0) this.#remember(name, allowed ? paidAt : wholeAt, now);
    const owedMs = (allowed ? paidAt : wholeAt) - now;
    const said = this.#said;
    said.allowed = allowed;
    said.remaining = Math.max(0, Math.floor((burstMs - owedMs) / unitMs + 1e-9));
    said.resetSeconds = Math.ceil(owedMs / 1000);
    said.retrySeconds = allowed ? 0 : Math.max(1, Math.ceil(missingMs / 1000));
    return said;
  }

  /** Tells what `take` would say without spending anything. */
  look(name: string, policy: RatePolicy): Readonly<RateDecision> {
    return this.take(name, policy, 0);
  }

  #remember(name: string, wholeAt: number, now: number): void {
    if (wholeAt <= now && this.#wholeAt.size > AT_REST_MAX) {
      this.#wholeAt.delete(name);
      return;
    }
    if (this.#wholeAt.size >= NAMES_MAX && !this.#wholeAt.has(name)) this.#forget(now);
    this.#wholeAt.set(name, wholeAt);
  }

  /** Names at rest are as good as unknown; if none is, the one that rests first goes. */
  #forget(now: number): void {
    let soonest: { name: string; at: number } | undefined;
    for (const [name, at] of this.#wholeAt) {
      if (at <= now) this.#wholeAt.delete(name);
      else if (soonest === undefined || at < soonest.at) soonest = { name, at };
    }
    if (this.#wholeAt.size >= NAMES_MAX && soonest !== undefined) {
      this.#wholeAt.delete(soonest.name);
    }
  }
}

/**
 * The fields `RateLimit-Policy` and `RateLimit` of an answer, as draft-ietf-httpapi-ratelimit-
 * headers writes them: quota and window of the policy, then what is left and until when.
 */
export function rateFields(
  policy: RatePolicy,
  { remaining, resetSeconds }: Pick<RateDecision, "remaining" | "resetSeconds">,
): Readonly<Record<string, string>> {
  const windowSeconds = Math.max(1, Math.ceil(policy.burst / policy.perSecond));
  return {
    "RateLimit-Policy": `"requests";q=${Math.floor(policy.burst)};w=${windowSeconds}`,
    RateLimit: `"requests";r=${remaining};t=${resetSeconds}`,
  };
}
