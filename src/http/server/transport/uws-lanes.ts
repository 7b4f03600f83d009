/**
 * Which connection a request came on, over uWebSockets.js. What comes in: descriptors of
 * connections. What goes out: each on a lane of its own, with everything that comes on it.
 * Invariant: a lane has one connection at a time; what is closed is never touched again.
 * Why so: the library tells no connection from another, neither when a request comes nor when one
 * is closed. It does adopt a connection that somebody else accepted into an app; so each connection
 * gets an app that has no other, and that app's handlers know whose they are.
 */
import type { UwsRequest, UwsResponse } from "./uws-exchange.ts";

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
