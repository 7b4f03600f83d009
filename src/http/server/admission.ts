/**
 * The price of a request, and refusals of requests that the server has no time or place for.
 * Input: a request as it was sent, the clock, and amounts (bytes, answers that are sent piece by
 * piece) that are taken and given back. Output: units of the key's rate limit, 1 for an ordinary
 * request; nothing, or the refusal.
 * Invariant: the price is a pure count over unchecked values, which reads each value of a list at
 * most once; one unit is about one or two milliseconds of the processor at a million accounts
 * (docs/limits.md has the table). Checking for overload costs a comparison; it is about the work
 * that has gathered before this request, never about the request itself. An amount is given back
 * once, the sum never passes the limit, and no owner takes more than its share of what others
 * leave.
 * Why: all requests that have arrived are answered in one turn of the event loop, and timers run
 * only between turns. So the time since the timer last ran is how long the requests of this turn
 * have waited. Expensive requests and those that can wait (large pages, facets, translations,
 * documents) are refused after half of the limit: the other half is a reserve for small searches
 * and signing in. The probes are always answered, so that a busy server is not ended.
 */
import { AppError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { HOLD, type HoldKind, holdNumbers, Ledger, type Shortage } from "../../process/ledger.ts";
import { isJsonObject, type JsonObject } from "../../spec/reader.ts";
import { wordFor } from "../../text/amounts.ts";

const TICK_MS = 10;

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER_SECONDS = 1;

/** The refusal of a request that there is no room for at the moment. */
export function overloaded(): AppError {
  return new AppError(
    "overloaded",
    `The server is overloaded. Try again in ${RETRY_AFTER_SECONDS} s.`,
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}

/** When requests of a route are refused while there is too much to do; never where it has none. */
export type Shedding = "first" | "last";

/** Part of the time limit after which a class is refused. */
const PARTS: Readonly<Record<Shedding, number>> = { first: 0.5, last: 1 };

/** Watches the turns of the event loop. */
export class Pressure {
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<Shedding, number>>;
  readonly #timer: NodeJS.Timeout;
  #tickMs: number;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limits = { first: limitMs * PARTS.first, last: limitMs * PARTS.last };
    this.#tickMs = clock.monotonicMs();
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** A turn is over. */
  tick(): void {
    this.#tickMs = this.#clock.monotonicMs();
  }

  /** Throws `overloaded` for a request that has waited too long already. */
  refuse(shedding: Shedding): void {
    if (this.#clock.monotonicMs() - this.#tickMs <= this.#limits[shedding]) return;
    throw overloaded();
  }

  /** Ends the watching. */
  close(): void {
    clearInterval(this.#timer);
  }
}

/** A limited amount of something: bytes, answers. What of it is held is in the ledger. */
export class Budget {
  readonly most: number;
  readonly #kind: HoldKind;
  readonly #ledger: Ledger;
  readonly #numbers: Float64Array;

  /**
   * `share` is what one owner may hold of what the others leave; 1: everything. Budgets of the same
   * kind and ledger are one, whichever thread made them.
   */
  constructor(most: number, share = 1, kind: HoldKind = "streams", ledger = Ledger.open()) {
    this.most = most;
    this.#kind = kind;
    this.#ledger = ledger;
    this.#numbers = holdNumbers(ledger);
    this.#numbers[HOLD.most] = most;
    this.#numbers[HOLD.share] = share;
  }

  /** What is taken at the moment. */
  get used(): number {
    return this.#ledger.heldIn(this.#kind);
  }

  /**
   * What stands in the way of taking an amount at the moment; null where nothing does. `reserve` is
   * an amount that must be left for others.
   */
  shortage(amount: number, owner: string, reserve = 0): Shortage | null {
    return this.#ledger.shortageOf(this.#kind, owner, this.#numbersOf(amount, reserve));
  }

  /** Takes an amount; false where there is no room, and then nothing is taken. */
  take(amount: number, owner: string): boolean {
    return this.takeUnless(amount, owner) === null;
  }

  /** Takes an amount, or returns the shortage because of which nothing is taken. */
  takeUnless(amount: number, owner: string, reserve = 0): Shortage | null {
    return this.#ledger.takeHold(this.#kind, owner, this.#numbersOf(amount, reserve));
  }

  /** Gives back what was taken. */
  giveBack(amount: number, owner: string): void {
    this.#ledger.giveHold(this.#kind, owner, this.#numbersOf(amount, 0));
  }

  #numbersOf(amount: number, reserve: number): Float64Array {
    this.#numbers[HOLD.amount] = amount;
    this.#numbers[HOLD.reserve] = reserve;
    return this.#numbers;
  }
}

/** Throws where a tenant gets no place at the moment. */
export function refuseWithoutPlace(streams: Budget, tenantId: string): void {
  refuseFor(streams.shortage(1, tenantId));
}

/** Takes a place; gives the way to give it back. Throws where there is none. */
export function takePlace(streams: Budget, tenantId: string): () => void {
  refuseFor(streams.takeUnless(1, tenantId));
  let taken = true;
  return () => {
    if (taken) streams.giveBack(1, tenantId);
    taken = false;
  };
}

function refuseFor(shortage: Shortage | null): void {
  if (shortage === "all") throw overloaded();
  if (shortage === "share") throw shareUsed();
}

function shareUsed(): AppError {
  return new AppError(
    "rate_limited",
    "Your tenant has reached its limit of large pages and files that are being sent. Read them " +
      "to their end, or request smaller pages.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}

/** How much of each one further unit pays for. */
export const PER_UNIT = {
  /** Accounts of the limit. */
  accounts: 1_000,
  /** Values in the lists of a spec. */
  values: 500,
  facets: 3,
  /** Characters of a sentence, and of names of activities. */
  characters: 200,
  /** Characters of names of places, which are looked up, not understood. */
  places: 8_000,
  /** Bytes of a body. */
  bytes: 65_536,
} as const;

/** What is asked; whatever is missing costs nothing. */
interface AskedWork {
  /** Accounts of a page. */
  readonly limit?: number;
  readonly spec?: unknown;
  readonly facets?: unknown;
  readonly text?: unknown;
}

/** What a request costs, its body aside. */
export function costOf({ limit = 0, spec, facets, text }: AskedWork): number {
  return (
    1 +
    Math.floor(limit / PER_UNIT.accounts) +
    Math.floor(valuesOf(spec) / PER_UNIT.values) +
    Math.floor((Array.isArray(facets) ? facets.length : 0) / PER_UNIT.facets) +
    Math.floor((lengthOf(text) + activityNames(spec)) / PER_UNIT.characters) +
    Math.floor(placeNames(spec) / PER_UNIT.places)
  );
}

/** What a body costs beyond the request, whatever is in it. */
export function bodyCost(byteLength: number): number {
  return Math.floor(byteLength / PER_UNIT.bytes);
}

/** The limit that a request will have, as far as that can be told before it is read. */
export function limitOf(sent: readonly unknown[], cap: number): number {
  const limit = sent.find((one) => one !== undefined);
  return typeof limit === "number" && limit > 0 ? Math.min(Math.floor(limit), cap) : 0;
}

/** Groups of filters lie in `filters`, which lies in the spec; a lead query is flat. */
const LEVELS = 3;
/** What no query depends on; its bytes are paid for. */
const ASIDE = new Set(["explain", "output"]);

/** Values in the lists of a spec. */
function valuesOf(value: unknown, levels = LEVELS): number {
  if (Array.isArray(value)) return value.length;
  if (!isJsonObject(value) || levels === 0) return 0;
  let values = 0;
  for (const name of Object.keys(value)) {
    if (!ASIDE.has(name)) values += valuesOf(value[name], levels - 1);
  }
  return values;
}

/** Longer texts are no codes of activities: "5611-2/01". */
const CODE_LENGTH_MAX = 9;

/** Characters of the names of activities in a lead query. */
function activityNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.activities, spec.exclude_activities]) : 0;
}

/** Characters of the names of places in a lead query. */
function placeNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.cities, spec.states, spec.regions, spec.districts]) : 0;
}

/** Characters of the names in lists. */
function namesIn(lists: readonly JsonObject[string][]): number {
  let sum = 0;
  for (const list of lists) {
    if (Array.isArray(list)) for (const name of list) sum += nameLength(name);
    else sum += nameLength(list);
  }
  return sum;
}

/** Characters of a name; a code has none. */
function nameLength(name: unknown): number {
  const length = lengthOf(name);
  return length > CODE_LENGTH_MAX ? length : 0;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

/** Seconds after which there may be room again. */
const WAIT_AGAIN_SECONDS = 5;

/**
 * Requests that wait for an export to end, by tenant. A tenant has a maximum of them, because each
 * holds a connection for up to a minute.
 */
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
        `for exports already. Send no wait, or retry in ${WAIT_AGAIN_SECONDS} s.`,
      { headers: { "Retry-After": String(WAIT_AGAIN_SECONDS) } },
    );
  }
}
