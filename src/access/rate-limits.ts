/**
 * Who may go on. What comes in: keys with what their requests cost, and addresses whose keys were
 * wrong. What goes out: nothing, or the refusal with the time to wait; and the fields that tell a
 * client how much it has left.
 * Invariant: a request is charged once; a right key is never refused for the wrong ones that came
 * from its address, so that clients behind one proxy cannot lock each other out.
 */

import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { wordFor } from "../text/amounts.ts";
import { RateLimiter, type RatePolicy, rateFields } from "./ratelimit.ts";
import { networkOf } from "./signins.ts";
import { type Crowded, UnderWay } from "./underway.ts";

/** Wrong keys that one address may try: ten at once, then one every two seconds. */
export const GUESS_POLICY: RatePolicy = { perSecond: 0.5, burst: 10 };

/** What limits a sender: a plan, or the rate of the console. */
export interface Limited extends Crowded {
  readonly limits: Crowded["limits"] & {
    readonly requests_per_second: number;
    readonly burst: number;
  };
}

/**
 * Requests of one user of the console, whatever the plan: a person who scrolls quickly, in several
 * windows that each wait for exports.
 */
export const CONSOLE_LIMIT: Limited = {
  limits: { requests_per_second: 20, burst: 60, concurrent_requests: 32 },
};
/**
 * What a request that hashes a password costs: few hashes are made at once, and all tenants share
 * them, so that nobody who is signed in may keep the others from signing in.
 */
export const PASSWORD_UNITS = 10;

/** Header fields by their names. */
type RateFields = Readonly<Record<string, string>>;

const NO_FIELDS: RateFields = {};
const NOTHING_LEFT = { remaining: Number.NaN, resetSeconds: Number.NaN };

/** Limits of keys by their plans, and of guesses by address. */
export class RateLimits {
  readonly #keys: RateLimiter;
  readonly #guesses: RateLimiter;
  readonly #guessPolicy: RatePolicy;
  readonly #underWay = new UnderWay();
  /** The fields that were asked for last, and what they say; mostly the next ones are the same. */
  #lastFields = { ...NOTHING_LEFT, policy: GUESS_POLICY, fields: NO_FIELDS };

  constructor(clock: Clock, guessPolicy = GUESS_POLICY) {
    this.#keys = new RateLimiter(clock);
    this.#guesses = new RateLimiter(clock);
    this.#guessPolicy = guessPolicy;
  }

  /**
   * Charges a key; throws `rate_limited` where its plan does not give that much now. A request is
   * charged 1 when its key is known, and its whole cost, of which 1 is `paid`, when that is known:
   * a refusal then gives the 1 back, so that whoever waits as long as it says can pay.
   */
  spend(keyId: string, plan: Limited, cost: number, paid = 0): void {
    const { allowed, retrySeconds } = this.#keys.take(keyId, policyOf(plan), cost, paid);
    if (allowed) return;
    const { requests_per_second: perSecond } = plan.limits;
    throw tooMany(
      `The key may send ${perSecond} ${wordFor(perSecond, "request")} a second, ` +
        `and this one counts for ${cost}. Wait ${retrySeconds} s. Large pages, long lists, ` +
        "several facets, long texts and large bodies count for several requests.",
      retrySeconds,
    );
  }

  /** Begins a request of a key that is charged; gives what ends it. Throws `rate_limited`. */
  begin(keyId: string, plan: Limited): ReturnType<UnderWay["begin"]> {
    return this.#underWay.begin(keyId, plan);
  }

  /** Requests of a key that are under way. */
  underWay(keyId: string): number {
    return this.#underWay.of(keyId);
  }

  /** The fields `RateLimit-Policy` and `RateLimit` as they stand now. */
  fields(keyId: string, plan: Limited): RateFields {
    const policy = policyOf(plan);
    const { remaining, resetSeconds } = this.#keys.look(keyId, policy);
    const last = this.#lastFields;
    const same = last.remaining === remaining && last.resetSeconds === resetSeconds;
    if (same && last.policy === policy) return last.fields;
    const fields = rateFields(policy, { remaining, resetSeconds });
    this.#lastFields = { policy, remaining, resetSeconds, fields };
    return fields;
  }

  /** Notes a wrong key; throws `rate_limited` where there were too many from the network. */
  noteGuess(address: string): void {
    const { allowed, retrySeconds } = this.#guesses.take(networkOf(address), this.#guessPolicy);
    if (allowed) return;
    throw tooMany(
      `Too many wrong API keys came from this address. Wait ${retrySeconds} s and check the key.`,
      retrySeconds,
    );
  }
}

const policies = new WeakMap<Limited, RatePolicy>();

function policyOf(plan: Limited): RatePolicy {
  const known = policies.get(plan);
  if (known !== undefined) return known;
  const { requests_per_second: perSecond, burst } = plan.limits;
  const policy = { perSecond, burst };
  policies.set(plan, policy);
  return policy;
}

function tooMany(detail: string, retrySeconds: number): AppError {
  return new AppError("rate_limited", detail, { headers: { "Retry-After": String(retrySeconds) } });
}
