/**
 * How fast one client takes its answer from a socket of Node. What comes in: a socket, and word of
 * bytes that were given to it. What goes out: the end of the connection of a client that is late.
 * Invariant: what counts is what the other end has taken, not what buffers on the way hold; time in
 * which nothing waits in the socket, such as that of an answer behind another one that is still
 * made, does not count.
 */
import type { Socket } from "node:net";
import { unsentBytes } from "../../../../native-index/napi/engine.ts";
import { later } from "../background-tasks.ts";
import { Pace, type PaceWatch } from "./pace.ts";

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
