/**
 * The transport over node:http, and its only importer. Input: requests from Node's parser. Output:
 * exchanges, and their answers on the wire.
 * Invariant: it accepts and refuses the same requests as the other transport, except for targets
 * (node-exchange.ts) and bytes that Node's parser misreads. Node's timeouts would let slow clients
 * hold sockets for minutes, and Node accepts HTTP/1.0 and any number of headers. This file corrects
 * all of that.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { CommandError } from "../../../errors.ts";
import type { ListenAddress } from "../../../settings/settings.ts";
import { Budget } from "../admission.ts";
import { drained, portEmptied } from "./drain.ts";
import { NodeConnection } from "./node-connection.ts";
import { isTarget, NodeExchange } from "./node-exchange.ts";
import { Sockets } from "./sockets.ts";
import {
  cannotListen,
  DelayedAnswers,
  type ExchangeHandler,
  HEADER_COUNT_MAX,
  refusalOf,
  statusLine,
  type Transport,
  type TransportLimits,
} from "./transport.ts";

/** Interval of Node's check for slow sockets, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/** Milliseconds for a client that sent CONNECT to read earlier answers and the refusal. */
const TUNNEL_MS = 1_000;

/** Server with the half-open option, which Node's declarations lack. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/** Opens the transport. */
export function openNodeTransport(limits: TransportLimits): Transport {
  return new NodeTransport(limits);
}

class NodeTransport implements Transport {
  readonly name = "node";
  readonly bodies: Budget;
  readonly sockets: Sockets;
  readonly #server: Server;
  readonly #limits: TransportLimits;
  #port = 0;
  #open = 0;
  /** Time at which a connection was last accepted, or a request last began or ended. */
  #activeMs = 0;
  #leaving = false;
  readonly #held = new DelayedAnswers();
  #handler: ExchangeHandler = () => {};

  constructor(limits: TransportLimits) {
    const { bodiesBytesMax, senderShareMax } = limits;
    this.bodies = new Budget(bodiesBytesMax, senderShareMax, "bodies", limits.ledger);
    this.sockets = new Sockets(limits);
    this.#limits = limits;
    this.#server = createServer({
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersTimeoutMs / 2),
      // Requests without Host are refused here, so that they are answered once, like all mistakes.
      requireHostHeader: false,
    });
    // Half-open sockets are allowed. Otherwise Node would drop answers on a half-closed connection.
    (this.#server as HalfOpenServer).httpAllowHalfOpen = true;
    this.#server.maxHeadersCount = 0;
    this.#server.timeout = limits.writeTimeoutMs;
    this.#server.on("connection", (socket: Socket) => this.#accept(socket));
    this.#server.on("clientError", refuse);
    this.#server.on("connect", (_message, socket) => {
      connections.get(socket)?.end();
      refuseTunnel(socket);
    });
  }

  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    const limits = this.#limits;
    this.#handler = handler;
    const answer = (message: IncomingMessage, response: ServerResponse) => {
      const connection = connections.get(message.socket);
      if (connection === undefined || connection.over) return;
      const status = unsupported(message, limits.headBytesMax);
      if (status !== null) {
        connection.end();
        refuseRequest(response, status);
        return;
      }
      this.#open++;
      this.#activeMs = performance.now();
      const { writeTimeoutMs, minReadBytesPerSecond } = limits;
      const leaving = () => this.#leaving;
      const tooSlow = () => this.sockets.cutSlow();
      const shared = { connection, bodies: this.bodies, held: this.#held, leaving };
      const around = { ...shared, writeTimeoutMs, minReadBytesPerSecond, tooSlow };
      const exchange = new NodeExchange(message, response, around);
      whenGone(connection, response, () => {
        this.#open--;
        this.#activeMs = performance.now();
        exchange.gone();
      });
      this.#handler(exchange);
    };
    this.#server.on("request", answer);
    // Without this listener, Node would answer 417 to unknown Expect values.
    this.#server.on("checkExpectation", answer);
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) => {
        reject(new CommandError(cannotListen(address), 1, error));
      });
      this.#server.listen(address.port, address.host, () => {
        const bound = this.#server.address();
        this.#port = typeof bound === "object" && bound !== null ? bound.port : address.port;
        resolve(this.#port);
      });
    });
  }

  answerWith(handler: ExchangeHandler): void {
    this.#handler = handler;
  }

  /** Takes over a connection for which Node has prepared its parser. */
  #accept(socket: Socket): void {
    this.#activeMs = performance.now();
    const slot = this.sockets.enter(socket.remoteAddress ?? "", () => socket.destroy());
    if (slot === null) {
      socket.destroy();
      return;
    }
    const connection = new NodeConnection(socket, slot);
    connections.set(socket, connection);
    socket.once("close", () => connection.closed());
  }

  leave(): void {
    this.#leaving = true;
  }

  async close(deadlineMs: number): Promise<void> {
    this.leave();
    const traffic = () => ({
      requests: this.#open,
      sockets: this.sockets.open,
      activeMs: this.#activeMs,
    });
    this.#held.begin();
    if (this.#server.listening) await portEmptied(this.#port, traffic);
    // `Server.close` of node:http would destroy sockets whose answer is written but not sent. The
    // method of the base class does not.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    this.#held.end();
    await drained(traffic, deadlineMs);
    this.#server.closeAllConnections();
    await closed;
    // `Server.close` of node:http also stops the timer that checks for slow requests. No socket is
    // left for it to destroy.
    this.#server.close();
  }
}

/**
 * Calls back once the answer is sent or the socket has closed. It also listens to the socket: an
 * answer that waits for an earlier answer on the same connection gets no event when the socket
 * closes.
 */
function whenGone(
  connection: NodeConnection,
  response: ServerResponse,
  callback: () => void,
): void {
  const once = () => {
    forget();
    response.off("close", once);
    callback();
  };
  const forget = connection.whenClosed(once);
  response.on("close", once);
}

/** Returns the status for a well-formed but unsupported request, or null. */
function unsupported(message: IncomingMessage, headBytesMax: number): number | null {
  if (message.httpVersion !== "1.1") return 505;
  if (!isTarget(message.method ?? "", message.url ?? "")) return 400;
  if (message.headers.host === undefined) return 400;
  if (message.rawHeaders.length > 2 * HEADER_COUNT_MAX) return 431;
  return headBytes(message) > headBytesMax ? 431 : null;
}

/**
 * Returns the bytes of a request head in the form that most clients send it: one blank after each
 * colon, two bytes for each line break. Node's own limit does not count all of these bytes.
 */
function headBytes({ method = "", url = "", rawHeaders }: IncomingMessage): number {
  const lines = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  return `${method} ${url} HTTP/1.1\r\n`.length + lines + 2;
}

function refuseRequest(response: ServerResponse, status: number): void {
  const { headers, body } = refusalOf(status);
  response.shouldKeepAlive = false;
  const length = Buffer.byteLength(body);
  const fields = { ...Object.fromEntries(headers), connection: "close", "content-length": length };
  response.writeHead(status, fields);
  response.end(body);
}

/** Returns a complete answer for a socket whose request could not be read. */
function plainRefusal(status: number): string {
  const { headers, body } = refusalOf(status);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${statusLine(status)}\r\n${lines}Connection: close\r\n${length}\r\n${body}`;
}

const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_INVALID_VERSION: 505,
};

const connections = new WeakMap<Duplex, NodeConnection>();

/**
 * Refuses bytes that Node's parser could not read, and closes the socket. Sends no refusal if their
 * request already has an answer, or if an earlier request is still unanswered.
 */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  const connection = connections.get(socket);
  if (!socket.writable || error.code === "ECONNRESET" || connection?.over) {
    socket.destroy();
    return;
  }
  if (connection?.refusable === false) {
    // `end` still sends the answers that are already written.
    connection.end();
    socket.end(() => socket.destroy());
    return;
  }
  socket.end(plainRefusal(PARSER_STATUS[error.code ?? ""] ?? 400), () => socket.destroy());
}

/**
 * Refuses a CONNECT request. The bare socket has no timeout and no error listener, and without a
 * listener a reset would crash the process.
 */
function refuseTunnel(socket: Duplex): void {
  const close = () => socket.destroy();
  const late = setTimeout(close, TUNNEL_MS);
  socket.once("close", () => clearTimeout(late));
  socket.on("error", close);
  socket.end(plainRefusal(505), close);
}
