/**
 * The transport over node:http, and its only importer. What comes in: requests as Node's parser
 * delivers them. What goes out: exchanges, and their answers on the wire.
 * Invariant: it accepts and refuses what the other transport does. Node's own time limits would
 * let slow clients hold sockets for minutes, and it takes HTTP/1.0, absolute addresses and any
 * number of headers: all of that is set or refused here.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type AppError, CommandError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { drained, HeldAnswers, portEmptied } from "./drain.ts";
import { type BodyReader, IncomingBody } from "./incoming.ts";
import { isPulled, type PulledBody, pull } from "./pulled.ts";
import type { FileSlice, Pieces } from "./respond.ts";
import { later } from "./sidework.ts";
import {
  type AnswerBody,
  cannotListen,
  type Exchange,
  type ExchangeHandler,
  HEADER_COUNT_MAX,
  type HeaderList,
  HeadHeaders,
  type ListenAddress,
  type ReadHeader,
  refusalOf,
  SOCKETS_MAX,
  statusLine,
  type Transport,
  type TransportLimits,
} from "./transport.ts";

/** How often Node looks for sockets that are too slow, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/** How often a socket that takes nothing is looked at before it is closed. */
const WRITE_LOOKS = 4;

/** Bytes of a refused body that are read away so that the client can read the answer. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

/** Makes the transport. */
export function openNodeTransport(limits: TransportLimits): Transport {
  return new NodeTransport(limits);
}

class NodeTransport implements Transport {
  readonly name = "node";
  readonly bodies: Budget;
  readonly #server: Server;
  readonly #limits: TransportLimits;
  #port = 0;
  #open = 0;
  #sockets = 0;
  /** When a connection or request last came or went. */
  #activeMs = 0;
  #leaving = false;
  readonly #held = new HeldAnswers();

  constructor(limits: TransportLimits) {
    this.bodies = new Budget(limits.bodiesBytesMax);
    this.#limits = limits;
    this.#server = createServer({
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersTimeoutMs / 2),
      // Refused here instead, so that it is answered as every other mistake, and once.
      requireHostHeader: false,
    });
    this.#server.maxHeadersCount = 0;
    this.#server.maxConnections = SOCKETS_MAX;
    this.#server.timeout = limits.writeTimeoutMs;
    this.#server.on("connection", (socket: Duplex) => {
      this.#sockets++;
      this.#activeMs = performance.now();
      socket.once("close", () => this.#sockets--);
    });
    this.#server.on("clientError", refuse);
    this.#server.on("connect", (_message, socket) => socket.end(plainRefusal(505)));
  }

  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    const limits = this.#limits;
    const answer = (message: IncomingMessage, response: ServerResponse) => {
      const status = unsupported(message, limits.headBytesMax);
      if (status !== null) {
        ended.add(message.socket);
        refuseRequest(response, status);
        return;
      }
      this.#open++;
      this.#activeMs = performance.now();
      const { writeTimeoutMs } = limits;
      const leaving = () => this.#leaving;
      const around = { bodies: this.bodies, held: this.#held, leaving, writeTimeoutMs };
      const exchange = new NodeExchange(message, response, around);
      whenGone(message, response, () => {
        this.#open--;
        this.#activeMs = performance.now();
        exchange.gone();
      });
      handler(exchange);
    };
    this.#server.on("request", answer);
    // Node would answer 417 to what it does not know in Expect; the field may as well be ignored.
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

  leave(): void {
    this.#leaving = true;
  }

  async close(deadlineMs: number): Promise<void> {
    this.leave();
    const traffic = () => ({
      requests: this.#open,
      sockets: this.#sockets,
      activeMs: this.#activeMs,
    });
    this.#held.begin();
    if (this.#server.listening) await portEmptied(this.#port, traffic);
    // The server's own close would at once destroy sockets whose answer is written but not sent.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    this.#held.end();
    await drained(traffic, deadlineMs);
    this.#server.closeAllConnections();
    await closed;
    // This one only ends the timer that looks for slow sockets.
    this.#server.close();
  }
}

/**
 * Calls back once the answer is out or the socket closed. The answer alone would not do: that of a
 * pipelined request behind another one is never told that its socket is gone.
 */
function whenGone(message: IncomingMessage, response: ServerResponse, gone: () => void): void {
  const { socket } = message;
  const once = () => {
    socket.off("close", once);
    response.off("close", once);
    gone();
  };
  socket.on("close", once);
  response.on("close", once);
}

/** Status for a well-formed request of a kind that is not served here, or null. */
function unsupported(message: IncomingMessage, headBytesMax: number): number | null {
  if (message.httpVersion !== "1.1") return 505;
  if (!message.url?.startsWith("/")) return 505;
  if (message.headers.host === undefined) return 400;
  if (message.rawHeaders.length > 2 * HEADER_COUNT_MAX) return 431;
  return headBytes(message) > headBytesMax ? 431 : null;
}

/** Bytes of the head as it is usually written; Node's own limit leaves some of them out. */
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

/** A whole answer for a socket whose request could not be read. */
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

/** Sockets that got their last answer; what else comes on them is not answered. */
const ended = new WeakSet<Duplex>();

/** Answers what the parser refused and closes the socket. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET" || ended.has(socket)) {
    socket.destroy();
    return;
  }
  socket.end(plainRefusal(PARSER_STATUS[error.code ?? ""] ?? 400), () => socket.destroy());
}

/**
 * Closes a socket whose client does not read. A reset frees what the system keeps for it at once;
 * else it goes on for minutes to offer bytes that nobody takes. After the end of the answers there
 * can be no reset any more.
 */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** What an exchange gets from its transport. */
interface Surroundings {
  readonly writeTimeoutMs: number;
  readonly bodies: Budget;
  readonly held: HeldAnswers;
  /** Whether connections are to end with their next answer. */
  readonly leaving: () => boolean;
}

class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  readonly #headers = new HeadHeaders();
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #around: Surroundings;
  #incoming: IncomingBody | null = null;
  #source: PulledBody | null = null;
  #answered = false;
  /** When Node last found that nothing was taken, and for how long that has been so. */
  #lookMs = 0;
  #stalledMs = 0;

  constructor(message: IncomingMessage, response: ServerResponse, around: Surroundings) {
    this.#message = message;
    this.#response = response;
    this.#around = around;
    const url = message.url ?? "/";
    const mark = url.indexOf("?");
    this.method = message.method ?? "";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    const raw = message.rawHeaders;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      this.#headers.add((raw[at] as string).toLowerCase(), raw[at + 1] as string);
    }
    this.framing = this.#headers.framing();
    // A socket that breaks while it is written is told by the close event; nothing else to do.
    response.on("error", () => {});
    message.on("error", () => {});
    // The time limit is one of writing: a handler may take longer to come to its answer.
    response.on("timeout", () => {
      if (this.#answered) this.#stalled();
    });
  }

  get address(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  get aborted(): boolean {
    return this.#response.destroyed || this.#message.socket.destroyed;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  /** Has Node look at the socket often enough while a client takes its time. */
  #watch(): void {
    const { socket } = this.#message;
    const { writeTimeoutMs } = this.#around;
    if (!socket.destroyed) socket.setTimeout(writeTimeoutMs / WRITE_LOOKS);
  }

  /**
   * The client took nothing for the time between two looks, or took something and Node, which does
   * not tell, waited for one more; the time that went by shows which.
   */
  #stalled(): void {
    const { socket } = this.#message;
    const { writeTimeoutMs } = this.#around;
    const nowMs = performance.now();
    const sinceMs = nowMs - this.#lookMs;
    const lookMs = writeTimeoutMs / WRITE_LOOKS;
    const moved = sinceMs > 1.5 * lookMs || socket.writableLength === 0;
    this.#stalledMs = moved ? lookMs : this.#stalledMs + sinceMs;
    this.#lookMs = nowMs;
    if (this.#stalledMs < writeTimeoutMs) this.#watch();
    // Megabytes of the system are freed there, and a crowd of clients is often cut at once.
    else later(() => reset(socket));
  }

  /** The answer is out, or the socket closed before it was. */
  gone(): void {
    this.#incoming?.drop();
    this.#source?.end();
  }

  body(limitBytes: number, done: BodyReader): void {
    const incoming = new IncomingBody({ limitBytes, budget: this.#around.bodies, done });
    this.#incoming = incoming;
    let received = 0;
    this.#message.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (incoming.waiting) incoming.add(chunk);
      else if (received > limitBytes + DISCARD_BYTES_MAX) this.#message.destroy();
    });
    this.#message.on("end", () => incoming.finish());
  }

  cut(): void {
    this.gone();
    this.#message.socket.destroy();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const send = () => this.send(status, headers, body);
    if (this.#around.held.keep({ send, cut: () => this.cut() })) return;
    this.#answered = true;
    if (isPulled(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.aborted) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      this.#head(status, headers, bytes.byteLength);
      if (this.method === "HEAD") this.#response.end();
      else this.#response.end(bytes);
      // What the system took at once needs no watching.
      if (this.#message.socket.writableLength > 0) this.#watch();
    }
  }

  #head(status: number, headers: HeaderList, length: number | null): void {
    const flat: string[] = [];
    for (const [name, value] of headers) flat.push(name, value);
    const told = length !== null && status !== 204 && status !== 304;
    if (told) flat.push("Content-Length", String(length));
    // After a framing error nobody knows where the next request begins.
    if (this.framing !== null || this.#around.leaving()) flat.push("Connection", "close");
    if (this.framing !== null) ended.add(this.#message.socket);
    this.#response.writeHead(status, statusLine(status).slice(4), flat);
  }

  /** Asks for more when the kernel has taken what there was, so that one piece is in memory. */
  #sendPulled(status: number, headers: HeaderList, body: FileSlice | Pieces): void {
    const source = pull(body);
    this.#source = source;
    const { length } = source;
    if (this.aborted || this.method === "HEAD" || length === 0) {
      source.end();
      if (this.aborted) return;
      this.#head(status, headers, length);
      this.#response.end();
      return;
    }
    this.#head(status, headers, length);
    this.#watch();
    const give = (chunk: Uint8Array | null): void => {
      // Half of the answer may be out, so that nothing but the end of the connection tells it.
      if (chunk === null) this.#message.socket.destroy();
      else this.#response.write(chunk, taken);
    };
    const taken = (error?: Error | null): void => {
      if (error) return;
      if (source.left > 0) source.next(give);
      else this.#response.end();
    };
    source.next(give);
  }
}
