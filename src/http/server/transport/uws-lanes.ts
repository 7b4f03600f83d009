/**
 * Which connection a request came on, over uWebSockets.js. What comes in: connections, from the app
 * that listens. What goes out: each on a lane of its own, with everything that comes on it.
 * Invariant: a lane has one connection at a time; what is closed is never touched again.
 * Why so: the library tells no connection from another, neither when a request comes nor when one
 * is closed. It does hand connections on to child apps, by turns; so each connection gets a child
 * app that has no other, and that app's handlers know whose they are.
 */
import type { UwsRequest, UwsResponse } from "./uws-exchange.ts";

/** Told of what happens on a lane. */
interface LaneUse {
  opened(lane: Lane): void;
  asked(lane: Lane, response: UwsResponse, request: UwsRequest): void;
  closed(lane: Lane): void;
}

/** Names an app among the child apps of another. */
type Descriptor = unknown;

/** What lanes need of the library's apps; some of it is not in the package's declarations. */
export interface LaneApp {
  addChildAppDescriptor(child: Descriptor): unknown;
  removeChildAppDescriptor(child: Descriptor): unknown;
  getDescriptor(): Descriptor;
  /** Calls with +1 and -1 as connections come and go. */
  filter(changed: (connection: LaneConnection, change: number) => void): unknown;
  any(path: string, asked: (response: UwsResponse, request: UwsRequest) => void): unknown;
}

/** What there is to do with a connection; not after it was told to be gone. */
interface LaneConnection {
  getRemoteAddressAsText(): ArrayBuffer;
  close(): unknown;
}

/**
 * Lanes that are free while connections come: some more than the 513 that the system lets wait at
 * the port, for the library takes all that wait, and those that come meanwhile, before it says so.
 */
const FREE_LANES = 640;

/** Lanes whose server has closed; a process that opens several servers uses them again. */
const resting: Lane[] = [];

/** A child app, and the connection on it. */
export class Lane {
  readonly descriptor: Descriptor;
  /** What was told when the connection came; null while there is none. */
  connection: LaneConnection | null = null;
  /** Where this lane's connections belong; null while its server is closed. */
  use: LaneUse | null = null;
  #refusing = false;

  constructor(app: LaneApp) {
    this.descriptor = app.getDescriptor();
    const watch = app.filter.bind(app);
    watch((connection, change) => {
      if (change > 0) this.#opened(connection);
      else if (!this.#refusing) this.#closed();
    });
    app.any("/*", (response, request) => this.use?.asked(this, response, request));
  }

  /** Closes the connection, if there is one. */
  close(): void {
    this.connection?.close();
  }

  #opened(connection: LaneConnection): void {
    if (this.use !== null && this.connection === null) {
      this.connection = connection;
      this.use.opened(this);
      return;
    }
    // More came at once than there are lanes, or the server is closed.
    this.#refusing = true;
    connection.close();
    this.#refusing = false;
  }

  #closed(): void {
    this.connection = null;
    this.use?.closed(this);
  }
}

/** The lanes of one app. */
export class Lanes {
  readonly #makeApp: () => LaneApp;
  readonly #parent: LaneApp;
  readonly #use: LaneUse;
  readonly #lanes = new Set<Lane>();
  #free = 0;
  #closed = false;

  constructor(makeApp: () => LaneApp, parent: LaneApp, use: LaneUse) {
    this.#makeApp = makeApp;
    this.#parent = parent;
    this.#use = {
      opened: (lane) => {
        this.#take(lane);
        use.opened(lane);
      },
      asked: use.asked,
      closed: (lane) => {
        this.#offer(lane);
        use.closed(lane);
      },
    };
    // All before the port is opened (some 40 ms): the first clients after a start come in a crowd.
    while (this.#free < FREE_LANES) this.#add();
  }

  /** Closes all connections. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes) {
      lane.close();
      lane.use = null;
      resting.push(lane);
    }
    this.#lanes.clear();
  }

  #take(lane: Lane): void {
    this.#parent.removeChildAppDescriptor(lane.descriptor);
    this.#free--;
    if (this.#free < FREE_LANES) this.#add();
  }

  #offer(lane: Lane): void {
    this.#free++;
    if (!this.#closed) this.#parent.addChildAppDescriptor(lane.descriptor);
  }

  #add(): void {
    const lane = resting.pop() ?? new Lane(this.#makeApp());
    lane.use = this.#use;
    this.#lanes.add(lane);
    this.#offer(lane);
  }
}
