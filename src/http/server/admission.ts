/**
 * Admission control: the price of a request, and refusals if the server lacks time or capacity.
 * Input: a request as sent, the clock, and amounts (bytes, streams) that are acquired and released.
 * Output: units of the key's rate limit (1 for an ordinary request), and a refusal if there is one.
 * Invariant: the price depends only on counts of unchecked values, and each list value is read at
 * most once. One unit is about 1 to 2 ms of CPU at a million accounts (docs/limits.md). An overload
 * check costs a comparison and considers only the work queued before this request. An amount is
 * released once, the sum never exceeds the limit, and no owner holds more than its share of the
 * unused amount.
 * Why: all requests that have arrived are answered in one turn of the event loop, and timers run
 * only between turns. So the time since the timer last ran is how long the requests of this turn
 * have waited. Expensive and deferrable requests (large pages, facets, translations, documents) are
 * refused after half of the time limit. The other half is reserved for small searches and signing
 * in. Probes are always answered, so that supervisors do not kill a busy server.
 */
import { AppError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { HOLD, type HoldKind, holdNumbers, Ledger, type Shortage } from "../../process/ledger.ts";
import { isJsonObject, type JsonObject } from "../../spec/reader.ts";
import { wordFor } from "../../text/amounts.ts";

const TICK_MS = 10;

const RETRY_AFTER_SECONDS = 1;

/** Returns the error for a request that the overloaded server refuses. */
export function overloaded(): AppError {
  return new AppError(
    "overloaded",
    `The server is overloaded. Try again in ${RETRY_AFTER_SECONDS} s.`,
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}

/** Load-shedding class of a route. Undefined means never shed. */
export type Shedding = "first" | "last";

/** Fraction of the time limit after which a class is shed. */
const PARTS: Readonly<Record<Shedding, number>> = { first: 0.5, last: 1 };

/** Detects overload of the event loop. */
export class OverloadGuard {
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

  /** Records the time at which a turn of the event loop ends. */
  tick(): void {
    this.#tickMs = this.#clock.monotonicMs();
  }

  /** Throws `overloaded` if the request has waited too long. */
  refuse(shedding: Shedding): void {
    if (this.#clock.monotonicMs() - this.#tickMs <= this.#limits[shedding]) return;
    throw overloaded();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** A limit of bytes or streams for all threads, which count in shared memory (the ledger). */
export class Budget {
  readonly most: number;
  readonly #kind: HoldKind;
  readonly #ledger: Ledger;
  readonly #numbers: Float64Array;

  /**
   * `share` is the max fraction of the unused amount that one owner may hold, where 1 allows all of
   * it. Budgets with the same kind and ledger share one amount, even in different threads.
   */
  constructor(most: number, share = 1, kind: HoldKind = "streams", ledger = Ledger.open()) {
    this.most = most;
    this.#kind = kind;
    this.#ledger = ledger;
    this.#numbers = holdNumbers(ledger);
    this.#numbers[HOLD.most] = most;
    this.#numbers[HOLD.share] = share;
  }

  get used(): number {
    return this.#ledger.amountInUse(this.#kind);
  }

  /**
   * Returns the shortage of an amount, or null if it is available. `reserve` remains for others.
   */
  shortage(amount: number, owner: string, reserve = 0): Shortage | null {
    return this.#ledger.shortageOf(this.#kind, owner, this.#numbersOf(amount, reserve));
  }

  /** Acquires an amount and returns true. Returns false if it is not available. */
  take(amount: number, owner: string): boolean {
    return this.takeUnless(amount, owner) === null;
  }

  /** Acquires an amount and returns null, or returns the shortage that prevents it. */
  takeUnless(amount: number, owner: string, reserve = 0): Shortage | null {
    return this.#ledger.acquireHold(this.#kind, owner, this.#numbersOf(amount, reserve));
  }

  /** Releases an amount. */
  giveBack(amount: number, owner: string): void {
    this.#ledger.releaseHold(this.#kind, owner, this.#numbersOf(amount, 0));
  }

  #numbersOf(amount: number, reserve: number): Float64Array {
    this.#numbers[HOLD.amount] = amount;
    this.#numbers[HOLD.reserve] = reserve;
    return this.#numbers;
  }
}

/** Throws if no stream slot is free for a tenant. */
export function refuseWithoutStreamSlot(streams: Budget, tenantId: string): void {
  refuseFor(streams.shortage(1, tenantId));
}

/** Acquires a stream slot. Returns its release function. Throws if none is free. */
export function acquireStreamSlot(streams: Budget, tenantId: string): () => void {
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

/** Amounts that one additional unit covers. */
export const PER_UNIT = {
  /** Accounts of the limit. */
  accounts: 1_000,
  /** Number of CNPJs to look up. Each CNPJ is parsed, and its result is built in JavaScript. */
  cnpjs: 100,
  /** Values in the lists of a spec. */
  values: 500,
  facets: 3,
  /** Characters of a sentence, and of activity names. */
  characters: 200,
  /** Characters of place names, which are only looked up. */
  places: 8_000,
  /** Bytes of a body. */
  bytes: 65_536,
} as const;

/** Inputs of the price. A missing input costs nothing. */
interface CostInput {
  /** Accounts per page. */
  readonly limit?: number;
  /** Number of CNPJs. */
  readonly cnpjs?: number;
  readonly spec?: unknown;
  readonly facets?: unknown;
  readonly text?: unknown;
}

/** Returns the cost of a request without its body. */
export function costOf({ limit = 0, cnpjs = 0, spec, facets, text }: CostInput): number {
  return (
    1 +
    Math.floor(limit / PER_UNIT.accounts) +
    Math.floor(cnpjs / PER_UNIT.cnpjs) +
    Math.floor(valuesOf(spec) / PER_UNIT.values) +
    Math.floor((Array.isArray(facets) ? facets.length : 0) / PER_UNIT.facets) +
    Math.floor((lengthOf(text) + activityNames(spec)) / PER_UNIT.characters) +
    Math.floor(placeNames(spec) / PER_UNIT.places)
  );
}

/** Returns the extra cost of a body, by size alone. */
export function bodyCost(byteLength: number): number {
  return Math.floor(byteLength / PER_UNIT.bytes);
}

/** Returns the probable number of rows of an unchecked request, from the first value in `sent`. */
export function limitOf(sent: readonly unknown[], cap: number): number {
  const limit = sent.find((one) => one !== undefined);
  return typeof limit === "number" && limit > 0 ? Math.min(Math.floor(limit), cap) : 0;
}

/** Nesting depth of filter values: spec, `filters`, group of filters. A lead query is flat. */
const LEVELS = 3;
/** Members that do not affect the query. Only their bytes are charged. */
const UNPRICED_MEMBERS = new Set(["explain", "output"]);

/** Counts values in the lists of a spec. */
function valuesOf(value: unknown, levels = LEVELS): number {
  if (Array.isArray(value)) return value.length;
  if (!isJsonObject(value) || levels === 0) return 0;
  let values = 0;
  for (const name of Object.keys(value)) {
    if (!UNPRICED_MEMBERS.has(name)) values += valuesOf(value[name], levels - 1);
  }
  return values;
}

/** Maximum length of an activity code: "5611-2/01". */
const CODE_LENGTH_MAX = 9;

/** Counts characters of activity names in a lead query. */
function activityNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.activities, spec.exclude_activities]) : 0;
}

/** Counts characters of place names in a lead query. */
function placeNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.cities, spec.states, spec.regions, spec.districts]) : 0;
}

/** Counts characters of the names in lists. */
function namesIn(lists: readonly JsonObject[string][]): number {
  let sum = 0;
  for (const list of lists) {
    if (Array.isArray(list)) for (const name of list) sum += nameLength(name);
    else sum += nameLength(list);
  }
  return sum;
}

/** Returns the length of a name; 0 for a code. */
function nameLength(name: unknown): number {
  const length = lengthOf(name);
  return length > CODE_LENGTH_MAX ? length : 0;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

/** Retry-After in seconds if too many of a tenant's requests wait. */
const WAIT_AGAIN_SECONDS = 5;

/** Limits a tenant's requests that wait for exports, each on a connection for up to 1 min. */
export class ExportWaits {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `wait` for a tenant. Throws `rate_limited` if too many of its requests wait. */
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
