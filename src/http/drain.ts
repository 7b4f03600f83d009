/**
 * When a stopping server may close its connections. What comes in: what is going on, looked at
 * again and again. What goes out: the moment at which nobody loses anything, or the deadline.
 * Invariant: a request that has arrived is answered unless the deadline passes; a connection
 * without one is left open for a while, because its next request may be on the way already.
 */

/** How often a stopping server looks, in milliseconds. */
const LOOK_MS = 10;
/** Time without any request after which connections that are still open are closed. */
const QUIET_MS = 500;

/** What goes on in a transport. */
export interface Traffic {
  /** Requests that have arrived and whose answers are not out. */
  readonly requests: number;
  /** Open connections. */
  readonly sockets: number;
  /** When a request last came or an answer went out, as `performance.now()` tells it. */
  readonly activeMs: number;
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
