/**
 * The slow reference implementation of the addon's rate limits and of the amounts that owners hold:
 * the same rules in plain JavaScript, for one thread. Every number in the addon's decisions must
 * equal the number here.
 * Invariant: written independently of the addon. The rates keep names in order of arrival.
 */
import type { RatePolicy } from "../../../src/access/limits.ts";
import type { Shortage } from "../../../src/process/ledger.ts";

const ROUNDING_MS = 1e-6;
const NAMES_MAX = 10_000;
const AT_REST_MAX = 1_000;

/** One attempt to spend units of a rate limit. */
export interface Attempt {
  readonly policy: RatePolicy;
  readonly cost: number;
  readonly paid: number;
  readonly now: number;
}

/** The generic cell rate algorithm, by name. */
export class RateTwin {
  /** Time at which the burst of each name is full again. */
  readonly #wholeAt = new Map<string, number>();

  /** Number of tracked names. */
  get size(): number {
    return this.#wholeAt.size;
  }

  /** Spends the cost if the burst allows it. Returns the decision and the state of the limit. */
  take(name: string, { policy, cost, paid, now }: Attempt) {
    const unitMs = 1000 / policy.perSecond;
    const burstMs = policy.burst * unitMs;
    const before = Math.min(paid, policy.burst) * unitMs;
    const wholeAt = Math.max(now, (this.#wholeAt.get(name) ?? now) - before);
    const paidAt = wholeAt + Math.min(cost, policy.burst) * unitMs;
    const missingMs = paidAt - now - burstMs;
    const allowed = missingMs <= ROUNDING_MS;
    if (allowed || paid > 0) this.#remember(name, allowed ? paidAt : wholeAt, now);
    const owedMs = (allowed ? paidAt : wholeAt) - now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((burstMs - owedMs) / unitMs + 1e-9)),
      resetSeconds: Math.ceil(owedMs / 1000),
      retrySeconds: allowed ? 0 : Math.max(1, Math.ceil(missingMs / 1000)),
      // Leases exist only in a fleet of servers.
      waits: false,
    };
  }

  #remember(name: string, wholeAt: number, now: number): void {
    if (wholeAt <= now && this.#wholeAt.size > AT_REST_MAX) {
      this.#wholeAt.delete(name);
      return;
    }
    if (this.#wholeAt.size >= NAMES_MAX && !this.#wholeAt.has(name)) this.#forget(now);
    this.#wholeAt.set(name, wholeAt);
  }

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
 * Amounts of a resource that owners hold, such as memory. The sum of all amounts is limited. An
 * owner may hold only a share of the amount that the others leave.
 */
export class HoldTwin {
  readonly #most: number;
  readonly #share: number;
  readonly #ownerMost: number;
  readonly #taken: { readonly owner: string; readonly slot: number; readonly amount: number }[] =
    [];

  constructor(most: number, share: number, ownerMost: number) {
    this.#most = most;
    this.#share = share;
    this.#ownerMost = ownerMost;
  }

  /** Returns the amount that an owner holds, or that all owners hold together. */
  held(owner?: string): number {
    const counted = this.#taken.filter((one) => owner === undefined || one.owner === owner);
    return counted.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Returns the reason why an amount cannot be taken, or null if it can. */
  shortage(amount: number, owner: string, reserve: number): Shortage | null {
    const held = this.held(owner);
    const wanted = held + amount;
    if (wanted > this.#ownerMost) return "share";
    const left = this.#most - (this.held() - held);
    if (wanted <= Math.ceil(this.#share * left)) {
      return reserve > 0 && this.held() + amount + reserve > this.#most ? "all" : null;
    }
    return this.#share < 1 && wanted > Math.ceil(this.#share * this.#most) ? "share" : "all";
  }

  /** Takes an amount, which must be available. */
  take(amount: number, owner: string, slot: number): void {
    this.#taken.push({ owner, slot, amount });
  }

  /** Releases one of the amounts; returns it. */
  give(at: number) {
    return this.#taken.splice(at % this.#taken.length, 1)[0];
  }

  /** Releases all amounts that a thread held. */
  release(slot: number): void {
    for (let at = this.#taken.length - 1; at >= 0; at--) {
      if (this.#taken[at]?.slot === slot) this.#taken.splice(at, 1);
    }
  }
}
