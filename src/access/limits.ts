/**
 * How much senders may ask, and how much they have asked. Input: keys with the cost of their
 * requests, requests as they begin and end, and addresses whose keys were wrong. Output: nothing,
 * or a refusal with the time to wait; the fields that show a client its rest; counts by UTC day.
 * Invariant: a request is charged once, by the generic cell rate algorithm: within any time a name
 * spends at most its burst and what its rate has given back since. A request counts as under way
 * from its beginning to its end, once. A right key is never refused for wrong ones from its
 * address, so that clients behind one proxy cannot lock each other out. Counting is a few additions
 * in memory. Counts are written in one commit every few seconds and at the end: a crash loses
 * seconds, and a busy database loses nothing. The quota of export rows is exact, because only the
 * transactions of exports change it.
 */
import { AppError } from "../errors.ts";
import { type Clock, systemClock, utcDay } from "../process/clock.ts";
import { HOLD, holdNumbers, Ledger, RATE, rateNumbers, USE, type Use } from "../process/ledger.ts";
import type { QuotaStore, UsageStore, Used, UsedByKey } from "../store/usagestore.ts";
import { wordFor } from "../text/amounts.ts";
import type { Identity } from "./keyring.ts";
import type { Plan } from "./plans.ts";
import { networkOf } from "./signins.ts";

/** Wrong keys that one address may try: ten at once, then one every two seconds. */
export const GUESS_POLICY: RatePolicy = { perSecond: 0.5, burst: 10 };

/** Limits of a sender: those of a plan, or of the console. */
export interface Limited extends Crowded {
  readonly limits: Crowded["limits"] & {
    readonly requests_per_second: number;
    readonly burst: number;
  };
}

/**
 * Limit of one console user, under every plan: a person who scrolls quickly, in several windows
 * that each wait for exports.
 */
export const CONSOLE_LIMIT: Limited = {
  limits: { requests_per_second: 20, burst: 60, concurrent_requests: 32 },
};
/**
 * Cost of a request that hashes a password. All tenants share the few hashes that run in parallel,
 * so one signed-in user must not keep the others from signing in.
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
  readonly #underWay: UnderWay;
  /** The fields that were asked for last, and what they say; mostly the next ones are the same. */
  #lastFields = { ...NOTHING_LEFT, policy: GUESS_POLICY, fields: NO_FIELDS };

  constructor(clock: Clock, guessPolicy = GUESS_POLICY, ledger = Ledger.open()) {
    this.#keys = new RateLimiter(clock, ledger);
    this.#guesses = new RateLimiter(clock, ledger, "guesses");
    this.#underWay = new UnderWay(ledger);
    this.#guessPolicy = guessPolicy;
  }

  /**
   * Charges a key; throws `rate_limited` where its plan does not give that much now. A request is
   * charged 1 when its key is known, and its whole cost, of which 1 is `paid`, when that is known:
   * a refusal then gives the 1 back, so that a client that waits for the stated time can pay.
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

/** Limits per name, in the ledger; a restart forgives. */
export class RateLimiter {
  readonly #ledger: Ledger;
  /** Null for the clock of the ledger, which all threads share. */
  readonly #clock: Clock | null;
  readonly #numbers: Float64Array;
  /** The last decision, reused: a new object for each request would be garbage. */
  readonly #said: RateDecision = { allowed: true, remaining: 0, resetSeconds: 0, retrySeconds: 0 };

  constructor(clock: Clock, ledger = Ledger.open(), table: "keys" | "guesses" = "keys") {
    this.#clock = clock === systemClock ? null : clock;
    this.#ledger = ledger;
    this.#numbers = rateNumbers(table);
  }

  /** Number of names that were remembered after the last attempt. */
  get size(): number {
    return this.#numbers[RATE.names] as number;
  }

  /**
   * Spends `cost` units if they are there. A cost above the burst is taken for the burst, for it
   * could otherwise never be paid. `paid` units of the cost were spent before, when less of it was
   * known: they are part of it, and are given back where the whole is refused. What it says is
   * true until the next call.
   */
  take(name: string, policy: RatePolicy, cost = 1, paid = 0): Readonly<RateDecision> {
    const numbers = this.#numbers;
    numbers[RATE.perSecond] = policy.perSecond;
    numbers[RATE.burst] = policy.burst;
    numbers[RATE.cost] = cost;
    numbers[RATE.paid] = paid;
    if (this.#clock !== null) numbers[RATE.now] = this.#clock.monotonicMs();
    const said = this.#said;
    said.allowed = this.#ledger.takeRate(name, numbers);
    said.remaining = numbers[RATE.remaining] as number;
    said.resetSeconds = numbers[RATE.resetSeconds] as number;
    said.retrySeconds = numbers[RATE.retrySeconds] as number;
    return said;
  }

  /** Tells what `take` would say without spending anything. */
  look(name: string, policy: RatePolicy): Readonly<RateDecision> {
    return this.take(name, policy, 0);
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

/** Limits the requests that a sender may have in flight. */
interface Crowded {
  readonly limits: { readonly concurrent_requests: number };
}

/** Seconds after which it is worth while to ask again: one of them may have ended by then. */
const RETRY_AFTER_SECONDS = 1;

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
  readonly #ledger: Ledger;
  readonly #numbers: Float64Array;

  constructor(ledger = Ledger.open()) {
    this.#ledger = ledger;
    this.#numbers = holdNumbers(ledger);
  }

  /** Requests of a key that are under way. */
  of(keyId: string): number {
    return this.#ledger.heldBy("underWay", keyId);
  }

  /** Begins a request. Throws `rate_limited` where the key has as many under way as it may. */
  begin(keyId: string, { limits }: Crowded): Begun {
    const most = limits.concurrent_requests;
    this.#numbers[HOLD.ownerMost] = most;
    const shortage = this.#ledger.takeHold("underWay", keyId, this.#numbers);
    if (shortage !== null) throw tooManyAtOnce(most);
    return new Begun(this, keyId);
  }

  /** Ends a request of a key that has one; for those that have begun. */
  end(keyId: string): void {
    this.#ledger.giveHold("underWay", keyId, this.#numbers);
  }
}

function tooManyAtOnce(most: number): AppError {
  return new AppError(
    "rate_limited",
    `${most} ${wordFor(most, "request of the key is", "requests of the key are")} in flight, ` +
      "which is its limit. Wait until one of them is answered and its answer is read.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}

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
