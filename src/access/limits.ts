/**
 * Rate limits, concurrency limits, and usage of senders. Input: keys with the cost of their
 * requests, requests as they begin and end, and addresses that sent wrong keys. Output: nothing, or
 * a refusal with the time to wait; header fields with the remaining quota; counts by UTC day.
 * Invariant: each request is charged once, by the generic cell rate algorithm. In any period, a key
 * spends at most its burst plus the units restored in this period. A request is in flight from its
 * beginning to its end. A valid key is never refused because of wrong keys from its address, so
 * clients of one proxy cannot lock each other out. Counting takes a few additions in memory. Counts
 * are written in one commit every few seconds and at the end. A crash loses the counts of a few
 * seconds, and a busy database loses none. The quota of export rows is exact, because only export
 * transactions change it.
 */
import { AppError } from "../errors.ts";
import { type Clock, systemClock, utcDay } from "../process/clock.ts";
import { HOLD, holdNumbers, Ledger, RATE, rateNumbers, USE, type Use } from "../process/ledger.ts";
import type { QuotaStore, UsageStore, Used, UsedByKey } from "../store/usagestore.ts";
import { wordFor } from "../text/amounts.ts";
import type { LeaseSignals } from "./fleet/signals.ts";
import type { Identity } from "./keyring.ts";
import type { Plan } from "./plans.ts";
import { networkOf } from "./signins.ts";

/** Max wrong keys of one address: a burst of ten, then one every two seconds. */
export const GUESS_POLICY: RatePolicy = { perSecond: 0.5, burst: 10 };

/** Limits of a sender. They come from a plan, or from `CONSOLE_LIMIT` for a console user. */
export interface Limited extends ConcurrencyLimited {
  readonly limits: ConcurrencyLimited["limits"] & {
    readonly requests_per_second: number;
    readonly burst: number;
  };
}

/**
 * Limits of a console user under any plan. They allow fast scrolling, and waiting for exports in
 * several windows.
 */
export const CONSOLE_LIMIT: Limited = {
  limits: { requests_per_second: 20, burst: 60, concurrent_requests: 32 },
};
/**
 * Cost of a request that hashes a password. Few hashes run in parallel for all tenants, so one
 * signed-in user must not keep others from signing in.
 */
export const PASSWORD_UNITS = 10;

type RateFields = Readonly<Record<string, string>>;

/**
 * Refuses a request for which this server has no units now, although the fleet's database may grant
 * some in a moment. The `paid` units were refunded.
 */
export class LeaseAwaited extends AppError {
  readonly paid: number;

  constructor(refusal: AppError, paid: number) {
    super("rate_limited", refusal.message, { headers: refusal.headers });
    this.paid = paid;
  }
}

const NO_FIELDS: RateFields = {};
const NOTHING_LEFT = { remaining: Number.NaN, resetSeconds: Number.NaN };

/** Rate limits of keys by plan, and of wrong keys by address. */
export class RateLimits {
  readonly #keys: RateLimiter;
  readonly #guesses: RateLimiter;
  readonly #guessPolicy: RatePolicy;
  readonly #inFlight: ConcurrencyLimit;
  /** The latest header fields and their values, cached because most requests repeat them. */
  #lastFields = { ...NOTHING_LEFT, policy: GUESS_POLICY, fields: NO_FIELDS };

  /** Signals of the fleet's leases, or null without a fleet. */
  readonly leases: LeaseSignals | null;

  constructor(
    clock: Clock,
    guessPolicy = GUESS_POLICY,
    ledger = Ledger.open(),
    leases: LeaseSignals | null = null,
  ) {
    this.leases = leases;
    this.#keys = new RateLimiter(clock, ledger);
    this.#guesses = new RateLimiter(clock, ledger, "guesses");
    this.#inFlight = new ConcurrencyLimit(ledger);
    this.#guessPolicy = guessPolicy;
  }

  /**
   * Charges a key `cost` units. Throws `rate_limited` if the plan does not allow that now. A key is
   * first charged 1 unit, and later the whole cost with `paid` = 1. If the whole cost is refused,
   * the first unit is refunded, so that a client that waits the stated time can pay.
   */
  spend(keyId: string, plan: Limited, cost: number, paid = 0): void {
    const { allowed, retrySeconds, waits } = this.#keys.take(keyId, policyOf(plan), cost, paid);
    if (allowed) return;
    const { requests_per_second: perSecond } = plan.limits;
    const refusal = tooMany(
      `The key may send ${perSecond} ${wordFor(perSecond, "request")} a second, ` +
        `and this one counts for ${cost}. Wait ${retrySeconds} s. Large pages, long lists, ` +
        "several facets, long texts and large bodies count for several requests.",
      retrySeconds,
    );
    if (!waits || this.leases === null) throw refusal;
    this.leases.request();
    throw new LeaseAwaited(refusal, paid);
  }

  /**
   * Begins a charged request of a key and returns an object that ends it. Throws `rate_limited` if
   * the key has too many requests in flight.
   */
  begin(keyId: string, plan: Limited): ReturnType<ConcurrencyLimit["begin"]> {
    return this.#inFlight.begin(keyId, plan);
  }

  /** Returns a key's requests in flight. */
  inFlight(keyId: string): number {
    return this.#inFlight.of(keyId);
  }

  /** Returns the current fields `RateLimit-Policy` and `RateLimit`. */
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

  /** Counts a wrong key. Throws `rate_limited` if the network sent too many. */
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

/** A sender can spend up to `burst` units, and regains `perSecond` units each second. */
export interface RatePolicy {
  readonly perSecond: number;
  readonly burst: number;
}

interface RateDecision {
  allowed: boolean;
  /** Whole units available now. */
  remaining: number;
  /** Seconds until the burst is full again. */
  resetSeconds: number;
  /** Seconds until the same attempt would be allowed. 0 if it was allowed. */
  retrySeconds: number;
  /** True if this server has no units left, but the fleet's database may grant some in a moment. */
  waits: boolean;
}

/** Limits the rate of each key id or network. The counters are in memory (the ledger). */
export class RateLimiter {
  readonly #ledger: Ledger;
  /** Null for the ledger's clock, which all threads share. */
  readonly #clock: Clock | null;
  readonly #numbers: Float64Array;
  /** The last decision. The object is reused, so that each request does not allocate one. */
  readonly #decision: RateDecision = {
    allowed: true,
    remaining: 0,
    resetSeconds: 0,
    retrySeconds: 0,
    waits: false,
  };

  constructor(clock: Clock, ledger = Ledger.open(), table: "keys" | "guesses" = "keys") {
    this.#clock = clock === systemClock ? null : clock;
    this.#ledger = ledger;
    this.#numbers = rateNumbers(table);
  }

  /** Number of names stored after the last attempt. */
  get size(): number {
    return this.#numbers[RATE.names] as number;
  }

  /**
   * Spends `cost` units if available. A cost above the burst counts as the burst, because it could
   * otherwise never be paid. `paid` is the part of the cost that was spent before. If the cost is
   * refused, this part is refunded. The result is valid until the next call.
   */
  take(name: string, policy: RatePolicy, cost = 1, paid = 0): Readonly<RateDecision> {
    const numbers = this.#numbers;
    numbers[RATE.perSecond] = policy.perSecond;
    numbers[RATE.burst] = policy.burst;
    numbers[RATE.cost] = cost;
    numbers[RATE.paid] = paid;
    if (this.#clock !== null) numbers[RATE.now] = this.#clock.monotonicMs();
    const decision = this.#decision;
    decision.allowed = this.#ledger.takeRate(name, numbers);
    decision.remaining = numbers[RATE.remaining] as number;
    decision.resetSeconds = numbers[RATE.resetSeconds] as number;
    decision.retrySeconds = numbers[RATE.retrySeconds] as number;
    decision.waits = numbers[RATE.waits] === 1;
    return decision;
  }

  /** Returns the result of `take` without spending anything. */
  look(name: string, policy: RatePolicy): Readonly<RateDecision> {
    return this.take(name, policy, 0);
  }
}

/**
 * Returns `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers: quota and
 * window of the policy, then the remaining quota and the time to its reset.
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

/** Maximum requests of a sender in flight. */
interface ConcurrencyLimited {
  readonly limits: { readonly concurrent_requests: number };
}

/** Retry-After in seconds. A request of the key has probably ended by then. */
const RETRY_AFTER_SECONDS = 1;

/** A request in flight. */
class Begun {
  readonly #all: ConcurrencyLimit;
  readonly #keyId: string;
  #isUnder = true;

  constructor(all: ConcurrencyLimit, keyId: string) {
    this.#all = all;
    this.#keyId = keyId;
  }

  /** Ends the request. Idempotent. */
  over(): void {
    if (this.#isUnder) this.#all.end(this.#keyId);
    this.#isUnder = false;
  }
}

/** Counts requests by key. */
export class ConcurrencyLimit {
  readonly #ledger: Ledger;
  readonly #numbers: Float64Array;

  constructor(ledger = Ledger.open()) {
    this.#ledger = ledger;
    this.#numbers = holdNumbers(ledger);
  }

  /** Returns a key's requests in flight. */
  of(keyId: string): number {
    return this.#ledger.amountOfOwner("inFlight", keyId);
  }

  /** Begins a request. Throws `rate_limited` if the key is at its limit. */
  begin(keyId: string, { limits }: ConcurrencyLimited): Begun {
    const most = limits.concurrent_requests;
    this.#numbers[HOLD.ownerMost] = most;
    const shortage = this.#ledger.acquireHold("inFlight", keyId, this.#numbers);
    if (shortage !== null) throw tooManyInFlight(most);
    return new Begun(this, keyId);
  }

  /** Ends a request of a key; only after `begin`. */
  end(keyId: string): void {
    this.#ledger.releaseHold("inFlight", keyId, this.#numbers);
  }
}

function tooManyInFlight(most: number): AppError {
  return new AppError(
    "rate_limited",
    `${most} ${wordFor(most, "request of the key is", "requests of the key are")} in flight, ` +
      "which is its limit. Wait until one of them is answered and its answer is read.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}

/** Retention of counts, in days. */
export const USAGE_DAYS = 400;

/** Counts requests and accounts on any thread. */
export class UseCounter {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #ledger: Ledger;
  readonly #numbers = new Float64Array(Object.keys(USE).length);

  constructor(ledger: Ledger, clock: Pick<Clock, "nowMs">) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Counts a request with any result, and the accounts in its answer. */
  count({ keyId, tenantId }: Omit<Identity, "plan">, accounts: number): void {
    const day = utcDay(this.#clock.nowMs());
    this.add({ tenantId, keyId, day, requests: 1, accounts });
  }

  add({ tenantId, keyId, day, requests, accounts }: Use): void {
    this.#numbers[USE.day] = day;
    this.#numbers[USE.requests] = requests;
    this.#numbers[USE.accounts] = accounts;
    this.#ledger.countUse(tenantId, keyId, this.#numbers);
  }
}

/** Counts requests and accounts; returns sums. */
export class Usage {
  readonly #store: UsageStore;
  readonly #quota: QuotaStore;
  readonly #clock: Clock;
  /** The unwritten counts of all threads. */
  readonly #ledger: Ledger;
  readonly #counter: UseCounter;
  /** Day of the last deletion of old days. */
  #forgottenOn = Number.NaN;

  constructor(store: UsageStore, quota: QuotaStore, clock: Clock, ledger = Ledger.open()) {
    this.#store = store;
    this.#quota = quota;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#counter = new UseCounter(ledger, clock);
  }

  /** Counts a request with any result, and the accounts in its answer. */
  count(identity: Omit<Identity, "plan">, accounts: number): void {
    this.#counter.count(identity, accounts);
  }

  /** Writes the counts; call it periodically, outside requests. */
  flush(): void {
    const counted = this.#ledger.drainUses();
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

  /** Returns a tenant's usage of today so far. */
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
   * Returns the usage of a tenant's senders in the last `days` days, including today. A day and
   * sender may have several rows.
   */
  ofTenant(tenantId: string, days: number): { readonly today: number; readonly rows: UsedByKey[] } {
    const today = this.#day;
    const since = today - days + 1;
    const counted = this.#ledger.usesOf(tenantId).filter(({ day }) => day >= since);
    const rows = [...this.#store.ofTenant(tenantId, since), ...counted.map(asStored)];
    return { today, rows: rows.filter(({ day }) => day <= today) };
  }

  /** Returns the rows that a tenant may still export today, or null without a quota. */
  exportRowsLeft(tenantId: string, plan: Plan): number | null {
    const { export_rows_per_day: quota } = plan.limits;
    if (quota === 0) return null;
    const charged = this.#quota.charged(tenantId, utcDay(this.#clock.nowMs()));
    return Math.max(0, quota - charged);
  }

  /** The current UTC day. It may be earlier than before, if the clock was set back. */
  get #day(): number {
    return utcDay(this.#clock.nowMs());
  }
}

/** Returns use as a database row. `exportRows` is 0, because export transactions count it. */
function asStored(use: Use): UsedByKey {
  return { ...use, exportRows: 0 };
}
