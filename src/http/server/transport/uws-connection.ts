/**
 * A connection of uWebSockets.js. What comes in: that requests begin and end, and what answers
 * them. What goes out: whether there is room for a request, and whether its answer may be copied.
 * Invariant: the library copies every answer that the client does not take at once and never says
 * how much that is. So all that was copied counts as not taken until an answer that is not copied
 * (uws-stream.ts) went out whole, which shows that nothing is before it.
 */
import { AppError } from "../../../errors.ts";
import { BYTES_AT_ONCE_MAX, Pipeline, REQUESTS_AT_ONCE_MAX, type Seat } from "./sockets.ts";

/** Time for which a client that asked to close may take its last bytes, in milliseconds. */
const CLOSE_MS = 1_000;

/** One connection. */
export class UwsConnection {
  readonly #close: () => void;
  #closing: NodeJS.Timeout | undefined;
  #left = false;
  /** Address of the other end. */
  readonly address: string;
  readonly #seat: Seat;
  readonly #pipeline = new Pipeline();
  /** Whether it got its last answer. */
  over = false;
  /** True if it ends with the answer that is being sent, and the library does not close it. */
  closesAfter = false;
  /** Bytes that the library may hold. */
  #copied = 0;

  constructor(address: string, seat: Seat, close: () => void) {
    this.address = address;
    this.#seat = seat;
    this.#close = close;
  }

  /** A request begins; gives why it cannot be answered, or null. `done` must follow. */
  begin(path: string): AppError | null {
    const refused = this.#pipeline.turnOver ? tooManyAtOnce() : null;
    this.#pipeline.begin();
    return this.#seat.begin(path) ?? refused;
  }

  /** An answer is out, or given up. */
  done(): void {
    this.#pipeline.end();
    this.#seat.end();
  }

  /**
   * Whether an answer may be copied, and counts it then. Not where the client has yet to take what
   * it was given in earlier turns; in this turn `begin` sees to it.
   */
  copies(bytes: number): boolean {
    if (this.#copied >= BYTES_AT_ONCE_MAX && this.#pipeline.requests <= 1) return false;
    this.#pipeline.answered(bytes);
    this.#copied += bytes;
    return true;
  }

  /** The system has taken all that was answered. */
  taken(): void {
    this.#copied = 0;
  }

  /**
   * Closes the connection after an answer that the library cannot close it with. The answer has
   * told the client, which mostly closes first; the library may hold a last piece of the answer, so
   * the client has a while to take it.
   */
  closeSoon(): void {
    // What came in one chunk with the request may have its answer in the library's buffer.
    setImmediate(() => {
      if (this.#left) return;
      this.over = true;
      this.#closing = setTimeout(this.#close, CLOSE_MS).unref();
    });
  }

  /** The connection is closed. */
  leave(): void {
    this.#left = true;
    clearTimeout(this.#closing);
    this.#seat.leave();
  }
}

/** The library would answer whatever has arrived in one go, and nobody else meanwhile. */
function tooManyAtOnce(): AppError {
  return new AppError(
    "overloaded",
    `More than ${REQUESTS_AT_ONCE_MAX} requests, or answers of ${BYTES_AT_ONCE_MAX / 1024} KiB, ` +
      "came at once on this connection. Wait for answers before you send more.",
    { headers: { "Retry-After": "1" } },
  );
}
