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

import { strict as assert } from "node:assert";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";

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

/** Why an amount cannot be taken: the owner holds what it may, or all together do. */
export type Shortage = "share" | "all";

/** A limited amount of something: bytes, answers. */
export class Budget {
  readonly most: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `share` is what one owner may hold of what the others leave; 1: everything. */
  constructor(most: number, share = 1) {
    this.most = most;
    this.#share = share;
  }

  /** What is taken at the moment. */
  get used(): number {
    return this.#used;
  }

  /** What stands in the way of taking an amount at the moment; null where nothing does. */
  shortage(amount: number, owner: string): Shortage | null {
    const held = this.#held.get(owner) ?? 0;
    const wanted = held + amount;
    const left = this.most - (this.#used - held);
    // Rounded up, so that whoever holds nothing gets the last one of a few.
    if (wanted <= Math.ceil(this.#share * left)) return null;
    const alone = this.#share < 1 && wanted > Math.ceil(this.#share * this.most);
    return alone ? "share" : "all";
  }

  /** Takes an amount; false where there is no room, and then nothing is taken. */
  take(amount: number, owner: string): boolean {
    if (this.shortage(amount, owner) !== null) return false;
    this.#used += amount;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + amount);
    return true;
  }

  /** Gives back what was taken. */
  giveBack(amount: number, owner: string): void {
    const left = (this.#held.get(owner) ?? 0) - amount;
    assert(left >= 0, "more was given back than taken");
    this.#used -= amount;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}

/** Throws where a tenant gets no place at the moment. */
export function refuseWithoutPlace(streams: Budget, tenantId: string): void {
  const shortage = streams.shortage(1, tenantId);
  if (shortage === "all") throw overloaded();
  if (shortage === "share") throw shareUsed();
}

/** Takes a place; gives the way to give it back. Throws where there is none. */
export function takePlace(streams: Budget, tenantId: string): () => void {
  refuseWithoutPlace(streams, tenantId);
  streams.take(1, tenantId);
  let taken = true;
  return () => {
    if (taken) streams.giveBack(1, tenantId);
    taken = false;
  };
}

function shareUsed(): AppError {
  return new AppError(
    "rate_limited",
    "As many large pages and files are being sent to your tenant as it may have at a time. Read " +
      "them to their end, or ask for smaller pages.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}
