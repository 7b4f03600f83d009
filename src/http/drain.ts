/**
 * When a stopping server may close its connections. What comes in: what is going on, looked at
 * again and again. What goes out: the moment at which nobody loses anything, or the deadline.
 * Invariant: a request that has arrived is answered unless the deadline passes; a connection
 * without one is left open for a while, because its next request may be on the way already.
 */

import { setImmediate } from "node:timers/promises";

/** Longest time for the port to come to rest, in milliseconds. */
const REST_MS_MAX = 300;
/** A turn of the event loop that took longer than this was interrupted, so that news may wait. */
const TURN_MS_MAX = 0.5;
/** How often a stopping server looks, in milliseconds. */
const LOOK_MS = 10;
/** Time without any request after which connections that are still open are closed. */
const QUIET_MS = 500;

/** Answers that are held back while the port comes to rest: an answered client may come again. */
export class HeldAnswers {
  #held: (() => void)[] | null = null;

  /** Begins to hold back. */
  begin(): void {
    this.#held ??= [];
  }

  /** Keeps an answer for later and says so; false when it can be sent now. */
  keep(send: () => void): boolean {
    this.#held?.push(send);
    return this.#held !== null;
  }

  /** Sends what was held back. */
  end(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const send of held) send();
  }
}

/** What goes on in a transport. */
export interface Traffic {
  /** Requests that have arrived and whose answers are not out. */
  readonly requests: number;
  /** Open connections. */
  readonly sockets: number;
  /** When a connection or request last came or an answer went out, by `performance.now()`. */
  readonly activeMs: number;
}

/**
 * Resolves just after a look at the port that found nothing new: the moment to close it. What the
 * system has accepted and this process has not yet seen would be reset otherwise.
 */
export async function atRest(look: () => Traffic): Promise<void> {
  const beganMs = performance.now();
  for (let turnMs = beganMs; turnMs - beganMs < REST_MS_MAX; ) {
    const { activeMs } = look();
    // This comes right behind the phase of the event loop that takes connections and requests.
    await setImmediate();
    const nowMs = performance.now();
    if (look().activeMs === activeMs && nowMs - turnMs < TURN_MS_MAX) return;
    turnMs = nowMs;
  }
}

/** Resolves when every connection can be closed, after `deadlineMs` milliseconds at the latest. */
export async function drained(look: () => Traffic, deadlineMs: number): Promise<void> {
  const beganMs = performance.now();
  for (;;) {
    const nowMs = performance.now();
    const { requests, sockets, activeMs } = look();
    const quiet = sockets === 0 || nowMs - Math.max(activeMs, beganMs) >= QUIET_MS;
    if ((requests === 0 && quiet) || nowMs - beganMs >= deadlineMs) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
