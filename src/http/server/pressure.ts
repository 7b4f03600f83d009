/**
 * Whether there is too much to do. What comes in: the clock, and the class of a request. What goes
 * out: yes or no.
 * Invariant: asked thousands of times a second it costs a comparison; it is about the work that
 * has gathered before this request, never about the request itself; what is shed first is refused
 * whenever what is shed last is.
 * Why so: requests that have arrived are worked off in one turn of the event loop, and timers run
 * between turns only. So the time since the timer last ran is how long the requests of this turn
 * have been waiting, and those that waited too long are told to come back, at once. What is dear
 * or can wait (large pages, facets, translations, documents) is refused after half of that time:
 * the other half is a reserve for what people and programs cannot do without (small searches,
 * signing in), whose own work would have to fill it before one of them is refused. Whether the
 * server is up and ready is always answered, so that nobody ends it because it is busy.
 */

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
