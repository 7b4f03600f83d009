/**
 * Connections of uWebSockets.js: the lane of each one, and its limits. Input: descriptors of
 * connections, requests as they begin and end, and their answers. Output: requests with their
 * connection; whether a request may be answered, and whether its answer may be copied.
 * Invariant: a lane has one connection at a time, and a closed connection is never used again. The
 * library copies every answer that the client does not take immediately, and never reports how
 * much. So all copied bytes count as not taken until an answer that is not copied (uws-stream.ts)
 * is out completely, which proves that nothing is before it.
 * Why lanes: the library tells no connection from another, neither when a request comes nor when a
 * connection is closed. It does adopt a connection that another socket accepted into an app. So
 * each connection gets an app of its own, whose handlers know it.
 */
import { AppError } from "../../../errors.ts";
import { BYTES_AT_ONCE_MAX, Pipeline, REQUESTS_AT_ONCE_MAX, type Seat } from "./sockets.ts";
import type { ChunkedResponse } from "./uws-chunks.ts";
import type { StreamedResponse } from "./uws-stream.ts";

/** What an exchange needs of the library's request, which expires when its callback returns. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(each: (name: string, value: string) => void): void;
}

/** What it needs of the library's response; of no use once the answer is whole or aborted. */
export interface UwsResponse extends StreamedResponse, ChunkedResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): unknown;
  cork(write: () => void): unknown;
  close(): unknown;
  /** Stops and goes on to read from the connection. */
  pause(): unknown;
  resume(): unknown;
}

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
      "are in flight on this connection. Wait for answers before you send more.",
    { headers: { "Retry-After": "1" } },
  );
}

/** Told of what happens on a lane. */
interface LaneUse {
  opened(lane: Lane): void;
  asked(lane: Lane, response: UwsResponse, request: UwsRequest): void;
  closed(lane: Lane): void;
}

/** What lanes need of the library's apps; `adoptSocket` is not in the package's declarations. */
export interface LaneApp {
  /** Takes over a connection by its descriptor, and closes that with it. */
  adoptSocket(descriptor: number): unknown;
  /** Calls with +1 and -1 as connections come and go. */
  filter(changed: (connection: LaneConnection, change: number) => void): unknown;
  any(path: string, asked: (response: UwsResponse, request: UwsRequest) => void): unknown;
}

/** What there is to do with a connection; not after it was told to be gone. */
interface LaneConnection {
  getRemoteAddressAsText(): ArrayBuffer;
  close(): unknown;
}

/** Lanes without a connection; a process that opens several servers uses them for all. */
const resting: Lane[] = [];

/** An app, and the connection on it. */
export class Lane {
  /** What was told when the connection came; null while there is none. */
  connection: LaneConnection | null = null;
  /** Where its connection belongs; null while there is none. */
  use: LaneUse | null = null;
  readonly #app: LaneApp;

  constructor(app: LaneApp) {
    this.#app = app;
    const watch = app.filter.bind(app);
    watch((connection, change) => {
      if (change > 0) this.#opened(connection);
      else this.#closed();
    });
    app.any("/*", (response, request) => this.use?.asked(this, response, request));
  }

  /** Takes a connection over, for the lane that rests. */
  adopt(descriptor: number): void {
    this.#app.adoptSocket(descriptor);
  }

  /** Closes the connection, if there is one. */
  close(): void {
    this.connection?.close();
  }

  #opened(connection: LaneConnection): void {
    this.connection = connection;
    this.use?.opened(this);
  }

  #closed(): void {
    const { use } = this;
    this.connection = null;
    this.use = null;
    use?.closed(this);
    resting.push(this);
  }
}

/** The lanes of one server. */
export class Lanes {
  readonly #makeApp: () => LaneApp;
  readonly #use: LaneUse;
  readonly #lanes = new Set<Lane>();

  constructor(makeApp: () => LaneApp, use: LaneUse) {
    this.#makeApp = makeApp;
    this.#use = {
      ...use,
      closed: (lane) => {
        this.#lanes.delete(lane);
        use.closed(lane);
      },
    };
  }

  /** Puts a connection on a lane. */
  add(descriptor: number): void {
    const lane = resting.pop() ?? new Lane(this.#makeApp());
    lane.use = this.#use;
    this.#lanes.add(lane);
    lane.adopt(descriptor);
  }

  /** Closes all connections. */
  close(): void {
    for (const lane of [...this.#lanes]) lane.close();
  }
}
