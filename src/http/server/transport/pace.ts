/**
 * Finds clients that take their answers too slowly. Input: when bytes wait for a client, how many
 * it has taken, and the time; or a socket of Node, of which this reads them. Output: whether the
 * client is late; the end of its connection.
 * Invariant: time counts only while bytes wait that the client could take, never while the server
 * makes the next ones or is busy elsewhere. A client that keeps the minimum pace is never late.
 * Bytes count when the other end has taken them, not while buffers on the way hold them.
 * How: a client has credit for the write timeout. Time in which it could take bytes uses the credit
 * up, and bytes that it takes give back as much time as they may take at the minimum pace. So a
 * client that takes nothing is late after the write timeout, and a slower one some time after it.
 * The credit has a maximum, so that no client takes much at first in order to stop then.
 */
import type { Socket } from "node:net";
import { unsentBytes } from "../../../../native-index/napi/engine.ts";
import { later } from "../background-tasks.ts";

/** What a client has to keep to. */
export interface PaceLimits {
  /** Time after which a client that takes nothing is late, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Bytes a second that a client has to take, averaged over that time. */
  readonly writePaceBytes: number;
}

/** What whoever watches a client keeps to. */
export interface PaceWatch extends PaceLimits {
  /** Called when a client is cut off because it is late. */
  readonly tooSlow: () => void;
}

/**
 * How often a client that owes something is looked at, in milliseconds. uWebSockets.js closes a
 * socket about 10 s after the last write that failed, so this has to be clearly less.
 */
const LOOK_MS = 2_000;

/** The credit of one client. */
export class Pace {
  /** How often to look, in milliseconds. */
  readonly lookMs: number;
  readonly #mostMs: number;
  readonly #bytesPerMs: number;
  #creditMs: number;
  /** Until when time was counted; null while nothing waits for the client. */
  #countedMs: number | null = null;

  constructor({ writeTimeoutMs, writePaceBytes }: PaceLimits) {
    this.lookMs = Math.min(LOOK_MS, writeTimeoutMs / 4);
    this.#mostMs = writeTimeoutMs;
    this.#bytesPerMs = writePaceBytes / 1_000;
    this.#creditMs = writeTimeoutMs;
  }

  /** From now on bytes wait for the client, if they did not before. */
  offered(nowMs: number): void {
    this.#countedMs ??= nowMs;
  }

  /** Nothing waits any more. */
  drained(nowMs: number): void {
    this.#count(nowMs);
    this.#countedMs = null;
  }

  /** The client took bytes. */
  took(bytes: number, nowMs: number): void {
    this.#count(nowMs);
    this.#creditMs = Math.min(this.#mostMs, this.#creditMs + bytes / this.#bytesPerMs);
  }

  /** Whether the client has used up its credit. */
  late(nowMs: number): boolean {
    this.#count(nowMs);
    return this.#creditMs <= 0;
  }

  /** Counts what went by; more than the time between two looks was not the client's doing. */
  #count(nowMs: number): void {
    if (this.#countedMs === null) return;
    this.#creditMs -= Math.min(nowMs - this.#countedMs, this.lookMs);
    this.#countedMs = nowMs;
  }
}

/** What Node keeps of a socket; not in its declarations, as it is not for everybody. */
interface Handled {
  readonly _handle?: {
    readonly fd: number;
    /** Bytes that Node was given, and those of them that the system was not given yet. */
    readonly bytesWritten: number;
    readonly writeQueueSize: number;
  } | null;
}

/** Watches one answer. */
export class SocketPace {
  readonly #socket: Socket;
  readonly #pace: Pace;
  readonly #tooSlow: () => void;
  readonly #watch: NodeJS.Timeout;
  #taken: number;

  constructor(socket: Socket, watch: PaceWatch) {
    this.#socket = socket;
    this.#pace = new Pace(watch);
    this.#tooSlow = watch.tooSlow;
    this.#taken = takenFrom(socket);
    this.#watch = setInterval(() => this.#look(), this.#pace.lookMs);
  }

  /** Bytes were given to the socket or taken from it: whether some wait may have changed. */
  note(): void {
    const nowMs = performance.now();
    if (this.#socket.writableLength > 0) this.#pace.offered(nowMs);
    else this.#pace.drained(nowMs);
  }

  /** The answer is out, or the client gone. May be called again. */
  end(): void {
    clearInterval(this.#watch);
  }

  #look(): void {
    const nowMs = performance.now();
    const taken = takenFrom(this.#socket);
    this.#pace.took(taken - this.#taken, nowMs);
    this.#taken = taken;
    this.note();
    if (!this.#pace.late(nowMs)) return;
    this.end();
    // Megabytes of the system are freed there, and a crowd of clients is often cut at once.
    later(() => {
      if (this.#socket.destroyed) return;
      this.#tooSlow();
      reset(this.#socket);
    });
  }
}

/**
 * Bytes that the other end has taken so far. Without the look at the system's buffer they would
 * come in steps of a third of it, a megabyte and more, because Node writes only then.
 */
function takenFrom(socket: Socket): number {
  const handle = (socket as Handled)._handle;
  if (handle === undefined || handle === null) return 0;
  return handle.bytesWritten - handle.writeQueueSize - unsentBytes(handle.fd);
}

/**
 * Closes a socket whose client does not read. A reset frees what the system keeps for it at once;
 * else it goes on for minutes to offer bytes that nobody takes. After the end of the answers there
 * can be no reset any more.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
