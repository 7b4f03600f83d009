/**
 * Refuses what the server has no time or place for. What comes in: the clock, the class of a
 * request, and amounts (bytes, answers that are sent piece by piece) that are taken and given back.
 * What goes out: nothing, or the refusal: now, or until the tenant gives something back.
 * Invariant: the look at the time costs a comparison; it is about the work that has gathered before
 * this request, never about the request itself. What is taken is given back once, the sum never
 * passes the limit, and nobody takes more than the share of what the others leave.
 * Requests that have arrived are worked off in one turn of the event loop, and timers run between
 * turns only. So the time since the timer last ran is how long the requests of this turn have been
 * waiting, and those that waited too long are told to come back. What is expensive or can wait
 * (large pages, facets, translations, documents) is refused after half of that time: the other half
 * is a reserve for what people and programs cannot do without (small searches, signing in). The
 * probes are always answered, so that nobody ends a server because it is busy.
 */

import { AppError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { HOLD, type HoldKind, holdNumbers, Ledger, type Shortage } from "../../process/ledger.ts";

const TICK_MS = 10;

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER_SECONDS = 1;

/** The refusal of a request that there is no room for at the moment. */
export function overloaded(): AppError {
  return new AppError(
    "overloaded",
    `The server has more to do than it can. Try again in ${RETRY_AFTER_SECONDS} s.`,
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
    "As many large pages and files are being sent to your tenant as it may have at a time. Read " +
      "them to their end, or ask for smaller pages.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}
