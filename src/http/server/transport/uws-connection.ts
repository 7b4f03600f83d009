/**
 * Connections of uWebSockets.js and their limits. Input: file descriptors of connections, the begin
 * and end of requests, and their answers. Output: the connection of each request, and decisions:
 * may it be answered, and may the library copy the answer.
 * Invariant: a closed connection is never used again. The library does not say which connection a
 * request belongs to, nor which one closes. Therefore each connection has a lane: an app object of
 * the library that adopts one connection at a time, so the app's handlers know it.
 * The library copies each answer that the client does not take immediately, and never reports how
 * many bytes it holds. All copied bytes count as unread until uws-stream.ts has sent a whole
 * answer. Such an answer is never copied, so no earlier bytes are left then.
 */
import { AppError } from "../../../errors.ts";
import { type ConnectionSlot, PIPELINED_BYTES_MAX, PIPELINED_MAX, Pipeline } from "./sockets.ts";
import type { ChunkedResponse } from "./uws-chunks.ts";
import type { StreamedResponse } from "./uws-stream.ts";

/** The members of the library's request that this program uses. Valid only during its callback. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(each: (name: string, value: string) => void): void;
}

/**
 * The members of the library's response that this program uses. The response is invalid once the
 * answer is complete or aborted.
 */
export interface UwsResponse extends StreamedResponse, ChunkedResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): unknown;
  cork(write: () => void): unknown;
  close(): unknown;
  /** Pause and resume reading from the connection. */
  pause(): unknown;
  resume(): unknown;
}

/** Time, in milliseconds, for a client that sent `Connection: close` to take its last bytes. */
const CLOSE_MS = 1_000;

/** A connection. */
export class UwsConnection {
  readonly #close: () => void;
  #closing: NodeJS.Timeout | undefined;
  #left = false;
  readonly address: string;
  readonly #slot: ConnectionSlot;
  readonly #pipeline = new Pipeline();
  /** True once the connection has got its last answer. */
  over = false;
  /** True if the connection must close after the current answer, but the library cannot do so. */
  closesAfter = false;
  /** Bytes that the library may still buffer. */
  #copied = 0;

  constructor(address: string, slot: ConnectionSlot, close: () => void) {
    this.address = address;
    this.#slot = slot;
    this.#close = close;
  }

  /**
   * Begins a request. Returns null if it can be answered, else the error to answer with. The caller
   * must call `done` in both cases, once the answer was sent or dropped.
   */
  begin(path: string): AppError | null {
    const refused = this.#pipeline.turnOver ? tooManyInFlight() : null;
    this.#pipeline.begin();
    return this.#slot.begin(path) ?? refused;
  }

  /** Records that an answer was sent or dropped. */
  done(): void {
    this.#pipeline.end();
    this.#slot.end();
  }

  /**
   * Returns true if the library may copy an answer of this many bytes, and counts them. Returns
   * false if too many bytes from earlier turns of the event loop are still unread. `begin` limits
   * the bytes of the current turn.
   */
  copies(bytes: number): boolean {
    if (this.#copied >= PIPELINED_BYTES_MAX && this.#pipeline.requests <= 1) return false;
    this.#pipeline.answered(bytes);
    this.#copied += bytes;
    return true;
  }

  /** Records that the kernel has taken all answers. */
  taken(): void {
    this.#copied = 0;
  }

  /**
   * Closes the connection after an answer with `Connection: close`, if the library cannot do so.
   * The client gets `CLOSE_MS` to take a last chunk that the library buffers. Most clients close
   * first.
   */
  closeSoon(): void {
    // Waits for a later turn, because the library may still buffer answers to other requests that
    // arrived in the same chunk.
    setImmediate(() => {
      if (this.#left) return;
      this.over = true;
      this.#closing = setTimeout(this.#close, CLOSE_MS).unref();
    });
  }

  /** Records that the connection has closed. */
  leave(): void {
    this.#left = true;
    clearTimeout(this.#closing);
    this.#slot.leave();
  }
}

/**
 * Returns the error for a request that exceeds the limit of one turn of the event loop. The limit
 * is needed because the library answers all requests of a received chunk in the same turn.
 */
function tooManyInFlight(): AppError {
  return new AppError(
    "overloaded",
    `More than ${PIPELINED_MAX} requests, or answers of ${PIPELINED_BYTES_MAX / 1024} KiB, ` +
      "are in flight on this connection. Wait for answers before you send more.",
    { headers: { "Retry-After": "1" } },
  );
}

/** Receives the events of a lane. */
interface AppOwner {
  opened(lane: ConnectionApp): void;
  requested(lane: ConnectionApp, response: UwsResponse, request: UwsRequest): void;
  closed(lane: ConnectionApp): void;
}

/** The members of the library's app that this file uses. Its declarations lack `adoptSocket`. */
export interface UwsApp {
  /** Adopts a connection by its descriptor, which the app then owns and closes. */
  adoptSocket(descriptor: number): unknown;
  /** Calls `changed` with +1 for each connection that comes and -1 for each that goes. */
  filter(changed: (connection: AppConnection, change: number) => void): unknown;
  any(path: string, handler: (response: UwsResponse, request: UwsRequest) => void): unknown;
}

/** The members of a connection that this file uses. A closed connection is invalid. */
interface AppConnection {
  getRemoteAddressAsText(): ArrayBuffer;
  close(): unknown;
}

/**
 * Idle lanes. A lane is an app of the library that serves one connection at a time. All servers of
 * a process share the idle lanes.
 */
const resting: ConnectionApp[] = [];

/** A lane: an app of the library, and its connection. */
export class ConnectionApp {
  /** The connection; null while there is none. */
  connection: AppConnection | null = null;
  /** Receives the events of the connection; null while there is none. */
  use: AppOwner | null = null;
  readonly #app: UwsApp;

  constructor(app: UwsApp) {
    this.#app = app;
    const watch = app.filter.bind(app);
    watch((connection, change) => {
      if (change > 0) this.#opened(connection);
      else this.#closed();
    });
    app.any("/*", (response, request) => this.use?.requested(this, response, request));
  }

  /** Adopts a connection. The lane must be idle. */
  adopt(descriptor: number): void {
    this.#app.adoptSocket(descriptor);
  }

  close(): void {
    this.connection?.close();
  }

  #opened(connection: AppConnection): void {
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

/** Lanes of one server. */
export class ConnectionApps {
  readonly #makeApp: () => UwsApp;
  readonly #use: AppOwner;
  readonly #lanes = new Set<ConnectionApp>();

  constructor(makeApp: () => UwsApp, use: AppOwner) {
    this.#makeApp = makeApp;
    this.#use = {
      ...use,
      closed: (lane) => {
        this.#lanes.delete(lane);
        use.closed(lane);
      },
    };
  }

  /** Passes a connection to an idle lane (an app of the library), or to a new one. */
  add(descriptor: number): void {
    const lane = resting.pop() ?? new ConnectionApp(this.#makeApp());
    lane.use = this.#use;
    this.#lanes.add(lane);
    lane.adopt(descriptor);
  }

  close(): void {
    for (const lane of [...this.#lanes]) lane.close();
  }
}
