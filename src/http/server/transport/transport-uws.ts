/**
 * The transport over uWebSockets.js, and its loader. Input: connections and requests from the
 * library. Output: exchanges for a handler.
 * Invariant: no other process shares the port; each connection counts against the limits; each
 * request is mapped to its connection.
 */

import { setImmediate } from "node:timers/promises";
import {
  acceptConnections,
  closePort,
  limitReceiveBuffer,
  type OpenPort,
  openPort,
} from "../../../../native-index/napi/engine.ts";
import { CommandError } from "../../../errors.ts";
import { packageOf } from "../../../process/latepackage.ts";
import type { ListenAddress } from "../../../settings/settings.ts";
import { Budget } from "../admission.ts";
import { drained, portEmptied, type Traffic } from "./drain.ts";
import { Sockets } from "./sockets.ts";
import {
  cannotListen,
  DelayedAnswers,
  type ExchangeHandler,
  OpenExchanges,
  type Transport,
  type TransportLimits,
} from "./transport.ts";
import {
  type ConnectionApp,
  ConnectionApps,
  type UwsApp,
  UwsConnection,
  type UwsRequest,
  type UwsResponse,
} from "./uws-connection.ts";
import { type UwsContext, UwsExchange } from "./uws-exchange.ts";

type Uws = typeof import("uWebSockets.js");

/** The library with an undeclared option that omits its name from the response headers. */
type Configured = Uws & { readonly _cfg?: (name: "silent") => void };

/**
 * Size of a connection's receive buffer, in bytes. Each time the library's own buffer of 512 KiB is
 * full, the library reads again before it serves another connection. With the kernel's default
 * size, a fast sender of 16 MB therefore blocked all other connections for 60 to 95 ms. Twice this
 * value is below 512 KiB, and enough for 4 MB/s at a latency of 50 ms.
 */
const RECEIVED_BYTES = 204_800;

const CHECK_INTERVAL_MS = 1_000;

/**
 * Loads the library and returns a transport over it. The library's own timeouts cannot be changed:
 * about 10 s for request heads and idle sockets, and a minimum of 16 kB/s for bodies. It reads the
 * maximum size of a head only once per process.
 * @throws CommandError if the library cannot be loaded. The operator must then choose the other
 * transport. There is no silent fallback.
 */
export async function openUwsTransport(limits: TransportLimits): Promise<UwsTransport> {
  return new UwsTransport(await loadUws(limits.headBytesMax), limits);
}

/**
 * Loads the library. It reads its head limit from the environment on the first load, so the
 * variable is set first. Throws `CommandError` like `openUwsTransport`.
 */
export async function loadUws(headBytesMax: number): Promise<Uws> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headBytesMax);
  try {
    const uws: Uws = packageOf(await import("uWebSockets.js"));
    (uws as Configured)._cfg?.("silent");
    return uws;
  } catch (error) {
    throw new CommandError(
      "uWebSockets.js cannot be loaded on this machine. Start again with --transport node.",
      1,
      error,
    );
  }
}

/** Opens a port, whose connections several threads may accept. Throws `CommandError`. */
export function openUwsPort(address: ListenAddress): OpenPort {
  const port = openPort(address.host, address.port);
  if (port === null) throw new CommandError(cannotListen(address));
  limitReceiveBuffer(port.number, RECEIVED_BYTES);
  return port;
}

/** Answers with uWebSockets.js on one thread. */
export class UwsTransport implements Transport {
  readonly name = "uws";
  readonly bodies: Budget;
  readonly sockets: Sockets;
  readonly #uws: Uws;
  readonly #limits: TransportLimits;
  readonly #open = new OpenExchanges<UwsExchange>();
  #checking: NodeJS.Timeout | null = null;
  readonly #connections = new Map<ConnectionApp, UwsConnection>();
  #lanes: ConnectionApps | null = null;
  /** Time at which a connection was last accepted, or a request last began or ended. */
  #activeMs = 0;
  #leaving = false;
  readonly #held = new DelayedAnswers();
  readonly #context: UwsContext;
  #handler: ExchangeHandler = () => {};
  #port: OpenPort | null = null;
  /** Resolves when every connection accepted so far has been given to the library. */
  #taken: Promise<void> = Promise.resolve();
  #takenCount = 0;

  constructor(uws: Uws, limits: TransportLimits) {
    this.#uws = uws;
    this.#limits = limits;
    const { bodiesBytesMax, senderShareMax } = limits;
    this.bodies = new Budget(bodiesBytesMax, senderShareMax, "bodies", limits.ledger);
    this.sockets = new Sockets(limits);
    this.#context = {
      writeTimeoutMs: limits.writeTimeoutMs,
      minReadBytesPerSecond: limits.minReadBytesPerSecond,
      tooSlow: () => this.sockets.cutSlow(),
      bodies: this.bodies,
      held: this.#held,
      leaving: () => this.#leaving,
      settled: (exchange) => this.#settled(exchange),
    };
  }

  async listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    this.#port = openUwsPort(address);
    this.take(this.#port, handler);
    return this.#port.number;
  }

  /** Number of accepted connections. */
  get taken(): number {
    return this.#takenCount;
  }

  /** Takes this thread's share of the connections at an open port. */
  take(port: OpenPort, handler: ExchangeHandler): void {
    this.#handler = handler;
    const makeApp = () => this.#uws.App() as unknown as UwsApp;
    const lanes = new ConnectionApps(makeApp, {
      opened: (app) => this.#accept(app),
      requested: (app, response, request) => {
        const exchange = this.#begin(app, response, request);
        if (exchange === null) return;
        this.#handler(exchange);
        // Requests without a body are usually answered already.
        if (!exchange.settled) this.#open.add(exchange);
      },
      closed: (app) => this.#forget(app),
    });
    this.#lanes = lanes;
    this.#checkBodies();
    this.#taken = new Promise((resolve) => {
      acceptConnections(port.id, (descriptor) => {
        if (descriptor < 0) {
          resolve();
          return;
        }
        this.#takenCount++;
        lanes.add(descriptor);
      });
    });
  }

  answerWith(handler: ExchangeHandler): void {
    this.#handler = handler;
  }

  #accept(app: ConnectionApp): void {
    this.#activeMs = performance.now();
    const text = app.connection?.getRemoteAddressAsText() ?? new ArrayBuffer(0);
    const address = Buffer.from(text).toString("latin1");
    const slot = this.sockets.enter(address, () => app.close());
    if (slot === null) app.close();
    else this.#connections.set(app, new UwsConnection(address, slot, () => app.close()));
  }

  #forget(app: ConnectionApp): void {
    this.#activeMs = performance.now();
    this.#connections.get(app)?.leave();
    this.#connections.delete(app);
  }

  #begin(app: ConnectionApp, response: UwsResponse, request: UwsRequest): UwsExchange | null {
    const connection = this.#connections.get(app);
    // `over` means that the connection has got its last answer, so further requests are dropped.
    if (connection === undefined || connection.over) {
      response.close();
      return null;
    }
    const exchange = new UwsExchange(response, request, connection, this.#context);
    this.#activeMs = performance.now();
    return exchange;
  }

  #settled(exchange: UwsExchange): void {
    this.#open.delete(exchange);
    this.#activeMs = performance.now();
  }

  leave(): void {
    this.#leaving = true;
  }

  async close(deadlineMs: number): Promise<void> {
    this.leave();
    if (this.#port !== null) {
      this.holdBack();
      await portEmptied(this.#port.number, () => this.#traffic);
      closePort(this.#port.id);
      this.#port = null;
    }
    await this.finish(deadlineMs);
  }

  get #traffic(): Traffic {
    const { open: sockets } = this.sockets;
    return { requests: this.#open.size, sockets, activeMs: this.#activeMs };
  }

  /** Holds back all answers until `finish` is called, because the port is being drained. */
  holdBack(): void {
    this.#held.begin();
  }

  /** Closes all connections immediately, for a thread that has failed. */
  cut(): void {
    this.#lanes?.close();
  }

  /** Answers the requests that arrive on open connections, then closes all sockets. */
  async finish(deadlineMs: number): Promise<void> {
    await this.#taken;
    // An accepted connection becomes visible to the library only in a later turn.
    await setImmediate();
    this.#held.end();
    if (this.#checking !== null) clearInterval(this.#checking);
    await drained(() => this.#traffic, deadlineMs);
    this.#lanes?.close();
  }

  /** Ends requests whose bodies take longer than the request timeout. */
  #checkBodies(): void {
    const limitMs = this.#limits.requestTimeoutMs;
    const every = Math.min(CHECK_INTERVAL_MS, limitMs / 4);
    this.#checking = setInterval(() => {
      for (const exchange of this.#open) exchange.passed(every, limitMs);
    }, every).unref();
  }
}
