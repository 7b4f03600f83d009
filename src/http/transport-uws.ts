/**
 * The transport over uWebSockets.js, and its only importer. What comes in: requests as the C++
 * parser delivers them. What goes out: exchanges, and their answers on the wire.
 * Invariant: everything read from the request is copied before the callback returns (the request
 * object expires there), the abort handler is attached first, and every write is corked. Answers
 * that come at once are sent inside the callback, which is what lets requests be pipelined.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js";
import { type AppError, CommandError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { drained, HeldAnswers, portEmptied } from "./drain.ts";
import { type BodyReader, IncomingBody } from "./incoming.ts";
import { isPulled, pull } from "./pulled.ts";
import type { FileSlice, Pieces } from "./respond.ts";
import { later } from "./sidework.ts";
import {
  type AnswerBody,
  cannotListen,
  type Exchange,
  type ExchangeHandler,
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
import { UwsChunks } from "./uws-chunks.ts";
import { UwsStream } from "./uws-stream.ts";

type Uws = typeof import("uWebSockets.js");

/** Without it a second server on the same port would take half of the connections. */
const EXCLUSIVE_PORT = 1;

/** The form with host and options, which the package's own declarations leave out. */
type ListenExclusively = (
  host: string,
  port: number,
  options: typeof EXCLUSIVE_PORT,
  done: (socket: us_listen_socket | false) => void,
) => void;

/** The switch for the header with the library's name and version; not in its declarations. */
type Configured = Uws & { readonly _cfg?: (name: "silent") => void };

/** Called with +1 and -1 as sockets come and go; the package declares the count as an object. */
type WatchSockets = (changed: (response: HttpResponse, change: number) => void) => unknown;

/** Larger bodies are handed over piece by piece as the client reads, and are never copied. */
const WHOLE_BYTES_MAX = 64 * 1024;

/** How often requests are looked for whose bodies take too long, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Loads the addon and makes the transport. Its time limits for heads and for idle sockets are built
 * in (about 10 s), as is that for bodies which come at less than 16 kB a second; and it takes the
 * size of the head once per process. Throws `CommandError` where it cannot be loaded: the other
 * transport is a decision of the operator, never a silent fallback.
 */
export async function openUwsTransport(limits: TransportLimits): Promise<Transport> {
  return new UwsTransport(await loadUws(limits.headBytesMax), limits);
}

/** The addon reads its limit from the environment at load, so that comes first. */
async function loadUws(headBytesMax: number): Promise<Uws> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headBytesMax);
  try {
    const loaded = (await import("uWebSockets.js")) as Uws & { readonly default?: Uws };
    const uws = loaded.default ?? loaded;
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

class UwsTransport implements Transport {
  readonly name = "uws";
  readonly bodies: Budget;
  readonly #uws: Uws;
  readonly #app: TemplatedApp;
  readonly #limits: TransportLimits;
  readonly #open = new Set<UwsExchange>();
  #checking: NodeJS.Timeout | null = null;
  #sockets = 0;
  /** When a connection or request last came or went. */
  #activeMs = 0;
  #leaving = false;
  readonly #held = new HeldAnswers();
  #listening: us_listen_socket | null = null;
  #port = 0;

  constructor(uws: Uws, limits: TransportLimits) {
    this.#uws = uws;
    this.#app = uws.App();
    this.#limits = limits;
    this.bodies = new Budget(limits.bodiesBytesMax);
  }

  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    const countSocket = (response: HttpResponse, change: number): void => {
      this.#sockets += change;
      this.#activeMs = performance.now();
      if (change > 0 && this.#sockets > SOCKETS_MAX) response.close();
    };
    const watch = this.#app.filter.bind(this.#app) as WatchSockets;
    watch(countSocket);
    this.#checkBodies();
    this.#app.any("/*", (response, request) => {
      const exchange = new UwsExchange(response, request, {
        writeTimeoutMs: this.#limits.writeTimeoutMs,
        bodies: this.bodies,
        held: this.#held,
        leaving: () => this.#leaving,
        settled: () => {
          this.#open.delete(exchange);
          this.#activeMs = performance.now();
        },
      });
      this.#open.add(exchange);
      this.#activeMs = performance.now();
      handler(exchange);
    });
    return new Promise((resolve, reject) => {
      const listen = this.#app.listen.bind(this.#app) as unknown as ListenExclusively;
      listen(address.host, address.port, EXCLUSIVE_PORT, (socket) => {
        if (!socket) {
          reject(new CommandError(cannotListen(address)));
          return;
        }
        this.#listening = socket;
        this.#port = this.#uws.us_socket_local_port(socket);
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
      requests: this.#open.size,
      sockets: this.#sockets,
      activeMs: this.#activeMs,
    });
    if (this.#listening !== null) {
      this.#held.begin();
      await portEmptied(this.#port, traffic);
      this.#uws.us_listen_socket_close(this.#listening);
      this.#listening = null;
      this.#held.end();
    }
    if (this.#checking !== null) clearInterval(this.#checking);
    await drained(traffic, deadlineMs);
    this.#app.close();
  }

  /** Ends requests whose bodies take longer than a request may. */
  #checkBodies(): void {
    const limitMs = this.#limits.requestTimeoutMs;
    const every = Math.min(CHECK_INTERVAL_MS, limitMs / 4);
    this.#checking = setInterval(() => {
      for (const exchange of this.#open) exchange.passed(every, limitMs);
    }, every).unref();
  }
}

/** What an exchange gets from its transport. */
interface Surroundings {
  readonly writeTimeoutMs: number;
  readonly bodies: Budget;
  readonly held: HeldAnswers;
  /** Whether connections are to end with their next answer. */
  readonly leaving: () => boolean;
  /** Called when the answer is out or the client gone. */
  readonly settled: () => void;
}

class UwsExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  readonly #headers = new HeadHeaders();
  readonly #response: HttpResponse;
  readonly #around: Surroundings;
  #incoming: IncomingBody | null = null;
  /** Time for which the body has been waited for, in milliseconds. */
  #waitedMs = 0;
  #stream: UwsStream | UwsChunks | null = null;
  #aborted = false;
  /** True once the library has the whole answer; the response must not be touched then. */
  #whole = false;

  constructor(response: HttpResponse, request: HttpRequest, around: Surroundings) {
    this.#response = response;
    this.#around = {
      ...around,
      settled: () => {
        this.#whole = true;
        around.settled();
      },
    };
    response.onAborted(() => {
      this.#aborted = true;
      this.#incoming?.drop();
      this.#stream?.end();
      around.settled();
    });
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? "";
    request.forEach((name, value) => {
      this.#headers.add(name, value);
    });
    this.framing = this.#headers.framing();
  }

  get address(): string {
    if (this.#aborted) return "";
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString("latin1");
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  body(limitBytes: number, done: BodyReader): void {
    const incoming = new IncomingBody({ limitBytes, budget: this.#around.bodies, done });
    this.#incoming = incoming;
    this.#response.onData((chunk, isLast) => {
      if (!incoming.waiting) return;
      // The chunk's memory is taken back when this callback returns.
      incoming.add(new Uint8Array(chunk.slice(0)));
      if (isLast) incoming.finish();
    });
  }

  /** Time went by; a body that is still not whole after the limit ends the request. */
  passed(ms: number, limitMs: number): void {
    if (this.#incoming?.waiting !== true) return;
    this.#waitedMs += ms;
    if (this.#waitedMs < limitMs) return;
    this.#incoming.drop();
    // A crowd of clients is often too late at once.
    later(() => this.#refuseLate());
  }

  #refuseLate(): void {
    if (this.#aborted || this.#whole) return;
    const { headers, body } = refusalOf(408);
    this.#response.cork(() => {
      this.#head(408, headers);
      this.#response.end(body, true);
    });
    this.#around.settled();
  }

  cut(): void {
    this.#incoming?.drop();
    this.#stream?.end();
    // The library then says that the request was aborted, which settles it.
    if (!this.#aborted && !this.#whole) this.#response.close();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const send = () => this.send(status, headers, body);
    if (this.#around.held.keep({ send, cut: () => this.cut() })) return;
    if (isPulled(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.#aborted) {
      this.#response.cork(() => {
        this.#head(status, headers);
        this.#sendBytes(status, body);
      });
    }
  }

  #head(status: number, headers: HeaderList): void {
    this.#response.writeStatus(statusLine(status));
    for (const [name, value] of headers) this.#response.writeHeader(name, value);
  }

  #sendBytes(status: number, body: Uint8Array | string): void {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    // After a framing error nobody knows where the next request begins.
    const broken = this.framing !== null;
    if (status === 204 || status === 304) {
      // Without a length, which neither of them may have, or has to have.
      this.#sayLeaving();
      this.#response.endWithoutBody();
    } else if (this.method === "HEAD") {
      if (!broken) this.#sayLeaving();
      this.#endHead(length, broken);
    } else if (typeof body === "string" || length <= WHOLE_BYTES_MAX) {
      this.#response.end(body, broken || this.#around.leaving());
    } else {
      this.#sayLeaving();
      const stream = new UwsStream(this.#response, length, this.#around);
      this.#stream = stream;
      stream.offer(body);
      return;
    }
    this.#around.settled();
  }

  /**
   * Ends an answer that says how long its body would be. The library, told of a length, would wait
   * for that body and take the socket's next request for a violation.
   */
  #endHead(length: number, mustClose: boolean): void {
    if (mustClose) {
      this.#response.endWithoutBody(0, mustClose);
    } else {
      this.#response.writeHeader("Content-Length", String(length));
      this.#response.endWithoutBody();
    }
  }

  /** Leaves the closing to the client where the library cannot close behind the answer. */
  #sayLeaving(): void {
    if (this.#around.leaving()) this.#response.writeHeader("Connection", "close");
  }

  /** The head leaves with the first bytes of the body. */
  #sendPulled(status: number, headers: HeaderList, body: FileSlice | Pieces): void {
    const source = pull(body);
    const { length } = source;
    const head = () => {
      this.#head(status, headers);
      this.#sayLeaving();
    };
    if (this.#aborted || this.method === "HEAD" || length === 0) {
      source.end();
      if (this.#aborted) return;
      this.#response.cork(() => {
        head();
        if (length === null) this.#response.endWithoutBody();
        else this.#endHead(length, false);
      });
      this.#around.settled();
    } else if (length === null) {
      const chunks = new UwsChunks(this.#response, source, this.#around);
      this.#stream = chunks;
      chunks.begin(head);
    } else {
      const stream = new UwsStream(this.#response, length, this.#around);
      this.#stream = stream;
      stream.pump(source, head);
    }
  }
}
