/**
 * When a stopping server may close its port and its connections. What comes in: what is going on,
 * looked at again and again. What goes out: the moment at which nobody loses anything, or the
 * deadline.
 * Invariant: a request that has arrived is answered unless the deadline passes; a connection
 * without one is left open for a while, because its next request may be on the way already. The
 * system resets what waits in the queue of a port that is closed, so the queue is emptied first:
 * where the system can keep new connections out of it there are none that are reset.
 */

import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { shutPort, waitingAt } from "../../../../native-index/napi/engine.ts";

/** Longest time for the port to come to rest, in milliseconds. */
const REST_MS_MAX = 300;
/** And for the queue of one that is shut: it holds 512, and a busy server takes 400 a second. */
const EMPTY_MS_MAX = 2_500;
/** Time for connections that are being made when their port is shut, in milliseconds. */
const HANDSHAKE_MS = 50;
/** A turn of the event loop that took longer than this was interrupted, so that news may wait. */
const TURN_MS_MAX = 0.5;
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
  /** When a connection or request last came or an answer went out, by `performance.now()`. */
  readonly activeMs: number;
}

/**
 * Resolves at the moment to close a port. On Linux no connection comes any more by then and none
 * waits: a client that asks for one in between is not told anything, asks again a second later and
 * is refused then, or taken by whoever has the port by then. Elsewhere it is the best moment there
 * is.
 */
export async function portEmptied(port: number, look: () => Traffic): Promise<void> {
  if (shutPort(port)) await queueEmptied(() => waitingAt(port));
  else await atRest(look);
}

/** How time passes while a server drains; tests have a time of their own. */
interface Time {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const TIME: Time = { nowMs: () => performance.now(), sleep };

/** Resolves just after a look at a queue that has no more arrivals and was empty. */
export async function queueEmptied(waiting: () => number, time: Time = TIME): Promise<void> {
  const beganMs = time.nowMs();
  for (;;) {
    await time.sleep(LOOK_MS);
    const passedMs = time.nowMs() - beganMs;
    if (passedMs >= EMPTY_MS_MAX || (passedMs >= HANDSHAKE_MS && waiting() === 0)) return;
  }
}

/**
 * Resolves just after a look at the port that found nothing new: the best moment to close it where
 * it cannot be shut. What comes between the look and the closing is reset.
 */
async function atRest(look: () => Traffic): Promise<void> {
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
    await sleep(LOOK_MS);
  }
}
