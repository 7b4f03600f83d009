/**
 * Drains a stopping server. Input: the traffic, sampled repeatedly. Output: the time at which port
 * and connections can be closed without losing a request; at the latest, the deadline.
 * Invariant: a request that has arrived is answered unless the deadline passes. An idle connection
 * stays open for a while, because its next request may be in flight. The kernel resets the
 * connections that are queued at a port when it closes, so the queue is emptied first. If the
 * kernel can block new connections, none is reset.
 */

import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { queuedConnections, refuseNewConnections } from "../../../../native-index/napi/engine.ts";

/** Max wait for the port to become idle, in milliseconds. */
const REST_MS_MAX = 300;
/**
 * Max wait for the queue of a blocked port to empty, in milliseconds. The queue holds 512
 * connections, and a busy server accepts 400 a second.
 */
const EMPTY_MS_MAX = 2_500;
/** Milliseconds for handshakes that had begun when the port was blocked. */
const HANDSHAKE_MS = 50;
/** Max milliseconds of an idle turn of the event loop. After a longer one, events may wait. */
const TURN_MS_MAX = 0.5;
/** Sampling interval of a stopping server, in milliseconds. */
const CHECK_MS = 10;
/** Idle time after which open connections are closed, in milliseconds. */
const QUIET_MS = 500;

/** Traffic of a transport. */
export interface Traffic {
  /** Requests that have arrived and are not fully answered. */
  readonly requests: number;
  readonly sockets: number;
  /** When a connection, request, or answer last came or ended, by `performance.now()`. */
  readonly activeMs: number;
}

/**
 * Resolves when the port can be closed. On Linux, the port then accepts no connection and its queue
 * is empty. A client that tries to connect meanwhile gets no reply and retries after a second. By
 * then, the port's next process accepts the client, or the closed port refuses it. On other
 * systems, connections may be reset.
 */
export async function portEmptied(port: number, look: () => Traffic): Promise<void> {
  if (refuseNewConnections(port)) await queueEmptied(() => queuedConnections(port));
  else await atRest(look);
}

/** Clock of a drain; replaced in tests. */
interface Time {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const TIME: Time = { nowMs: () => performance.now(), sleep };

/** Resolves right after a check finds the blocked queue empty. */
export async function queueEmptied(waiting: () => number, time: Time = TIME): Promise<void> {
  const beganMs = time.nowMs();
  for (;;) {
    await time.sleep(CHECK_MS);
    const passedMs = time.nowMs() - beganMs;
    if (passedMs >= EMPTY_MS_MAX || (passedMs >= HANDSHAKE_MS && waiting() === 0)) return;
  }
}

/**
 * Resolves right after a check finds no new traffic: the best moment to close a port that cannot be
 * blocked. Connections that arrive between check and close are reset.
 */
async function atRest(look: () => Traffic): Promise<void> {
  const beganMs = performance.now();
  for (let turnMs = beganMs; turnMs - beganMs < REST_MS_MAX; ) {
    const { activeMs } = look();
    // Runs right after the event-loop phase that accepts connections and requests.
    await setImmediate();
    const nowMs = performance.now();
    if (look().activeMs === activeMs && nowMs - turnMs < TURN_MS_MAX) return;
    turnMs = nowMs;
  }
}

/** Resolves when all connections can be closed, after at most `deadlineMs` milliseconds. */
export async function drained(look: () => Traffic, deadlineMs: number): Promise<void> {
  const beganMs = performance.now();
  for (;;) {
    const nowMs = performance.now();
    const { requests, sockets, activeMs } = look();
    const quiet = sockets === 0 || nowMs - Math.max(activeMs, beganMs) >= QUIET_MS;
    if ((requests === 0 && quiet) || nowMs - beganMs >= deadlineMs) return;
    await sleep(CHECK_MS);
  }
}
