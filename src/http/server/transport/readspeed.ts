/**
 * Detects clients that read their answers too slowly. Input: the times when bytes wait for a
 * client, and how many bytes it has taken; or a Node socket, from which these are read. Output:
 * true if the client is late, and the end of its connection.
 * Invariant: time counts only while bytes wait that the client could take, not while the server
 * renders more or is busy elsewhere. A client that keeps the minimum pace is never late. Bytes
 * count when the other end has taken them, not while buffers on the way hold them. How: a client
 * has a credit equal to the write timeout. Waiting time uses up the credit; taken bytes restore the
 * time that they would need at the minimum pace. So a client that reads nothing is late after the
 * write timeout, and a slow one later. The credit is capped, so no client can read fast first and
 * then stop.
 */
import type { Socket } from "node:net";
import { unsentBytes } from "../../../../native-index/napi/engine.ts";
import { later } from "../background-tasks.ts";

/** The minimum pace at which a client must read. */
export interface ReadSpeedLimits {
  /** Time after which a client that reads nothing is late, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Bytes per second that a client must take, averaged over the write timeout. */
  readonly minReadBytesPerSecond: number;
}

/** Limits and callback of a watch. */
export interface ReadSpeedWatch extends ReadSpeedLimits {
  /** Called when a late client is cut off. */
  readonly tooSlow: () => void;
}

/**
 * Check interval for a client with waiting bytes, in milliseconds. It must be clearly below 10 s,
 * because uWebSockets.js closes a socket about 10 s after the last failed write.
 */
const CHECK_MS = 2_000;

/** The credit of one client. */
export class ReadCredit {
  /** Check interval, in milliseconds. */
  readonly checkMs: number;
  readonly #mostMs: number;
  readonly #bytesPerMs: number;
  #creditMs: number;
  /** Time up to which waiting has been counted, or null while no bytes wait. */
  #countedMs: number | null = null;

  constructor({ writeTimeoutMs, minReadBytesPerSecond }: ReadSpeedLimits) {
    this.checkMs = Math.min(CHECK_MS, writeTimeoutMs / 4);
    this.#mostMs = writeTimeoutMs;
    this.#bytesPerMs = minReadBytesPerSecond / 1_000;
    this.#creditMs = writeTimeoutMs;
  }

  /** Records that bytes wait for the client. */
  offered(nowMs: number): void {
    this.#countedMs ??= nowMs;
  }

  /** Records that no more bytes wait. */
  drained(nowMs: number): void {
    this.#count(nowMs);
    this.#countedMs = null;
  }

  /** Records that the client took bytes. */
  took(bytes: number, nowMs: number): void {
    this.#count(nowMs);
    this.#creditMs = Math.min(this.#mostMs, this.#creditMs + bytes / this.#bytesPerMs);
  }

  /** True if the client has used up its credit. */
  late(nowMs: number): boolean {
    this.#count(nowMs);
    return this.#creditMs <= 0;
  }

  /** Counts elapsed time, up to one check interval: a longer delay is not the client's fault. */
  #count(nowMs: number): void {
    if (this.#countedMs === null) return;
    this.#creditMs -= Math.min(nowMs - this.#countedMs, this.checkMs);
    this.#countedMs = nowMs;
  }
}

/** A Node socket with its internal state, which Node's declarations lack. */
interface Handled {
  readonly _handle?: {
    readonly fd: number;
    /** Bytes given to Node, and those of them (`writeQueueSize`) not yet given to the kernel. */
    readonly bytesWritten: number;
    readonly writeQueueSize: number;
  } | null;
}

/** Watches how fast the client reads one answer. */
export class SocketReadWatch {
  readonly #socket: Socket;
  readonly #credit: ReadCredit;
  readonly #tooSlow: () => void;
  readonly #watch: NodeJS.Timeout;
  #taken: number;

  constructor(socket: Socket, watch: ReadSpeedWatch) {
    this.#socket = socket;
    this.#credit = new ReadCredit(watch);
    this.#tooSlow = watch.tooSlow;
    this.#taken = takenFrom(socket);
    this.#watch = setInterval(() => this.#look(), this.#credit.checkMs);
  }

  /** Counts time and bytes since the last call. Call this after the socket's buffer has changed. */
  note(): void {
    const nowMs = performance.now();
    if (this.#socket.writableLength > 0) this.#credit.offered(nowMs);
    else this.#credit.drained(nowMs);
  }

  /** Ends the watch. Idempotent. */
  end(): void {
    clearInterval(this.#watch);
  }

  #look(): void {
    const nowMs = performance.now();
    const taken = takenFrom(this.#socket);
    this.#credit.took(taken - this.#taken, nowMs);
    this.#taken = taken;
    this.note();
    if (!this.#credit.late(nowMs)) return;
    this.end();
    // Closing is deferred, because it frees megabytes in the kernel, often for many clients.
    later(() => {
      if (this.#socket.destroyed) return;
      this.#tooSlow();
      reset(this.#socket);
    });
  }
}

/**
 * Computes from the kernel's buffer how many bytes the other end has taken. Node's own count grows
 * in steps of a third of that buffer, a megabyte or more, because Node writes only when so much is
 * free.
 */
function takenFrom(socket: Socket): number {
  const handle = (socket as Handled)._handle;
  if (handle === undefined || handle === null) return 0;
  return handle.bytesWritten - handle.writeQueueSize - unsentBytes(handle.fd);
}

/**
 * Closes a socket whose client does not read. A reset frees its kernel memory immediately.
 * Otherwise the kernel retries for minutes. After the last answer, no reset is possible.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
