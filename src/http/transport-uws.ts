/**
 * The transport over uWebSockets.js, and its only importer. What comes in: requests as the C++
 * parser delivers them. What goes out: exchanges, and their answers on the wire.
 * Invariant: everything read from the request is copied before the callback returns (the request
 * object expires there), the abort handler is attached first, and every write is corked. Answers
 * that come at once are sent inside the callback, which is what lets requests be pipelined.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js";
import { CommandError } from "../errors.ts";
import {
  cannotListen,
  DRAIN_POLL_MS,
  type Exchange,
  type ExchangeHandler,
  type HeaderList,
  HeadHeaders,
  type ListenAddress,
  type ReadHeader,
  SOCKETS_MAX,
  statusLine,
  type Transport,
  type TransportLimits,
} from "./transport.ts";

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

/** Called with +1 and -1 as sockets come and go; the package declares the count as an object. */
type WatchSockets = (changed: (response: HttpResponse, change: number) => void) => unknown;

/** Larger bodies are handed over piece by piece as the client reads, and are never copied. */
const WHOLE_BYTES_MAX = 64 * 1024;

/**
 * Loads the addon and makes the transport; its time limits are built in (about 10 s), so of the
 * limits it takes the size of the head, and that once per process. Throws `CommandError` where it
 * cannot be loaded: the other transport is a decision of the operator, never a silent fallback.
 */
export async function openUwsTransport(limits: TransportLimits): Promise<Transport> {
  return new UwsTransport(await loadUws(limits.headBytesMax));
}

/** The addon reads its limit from the environment at load, so that comes first. */
async function loadUws(headBytesMax: number): Promise<Uws> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headBytesMax);
  try {
    const loaded = (await import("uWebSockets.js")) as Uws & { readonly default?: Uws };
    return loaded.default ?? loaded;
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
  readonly #uws: Uws;
  readonly #app: TemplatedApp;
  readonly #open = new Set<UwsExchange>();
  #sockets = 0;
  #listening: us_listen_socket | null = null;

  constructor(uws: Uws) {
    this.#uws = uws;
    this.#app = uws.App();
  }

  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    const countSocket = (response: HttpResponse, change: number): void => {
      this.#sockets += change;
      if (change > 0 && this.#sockets > SOCKETS_MAX) response.close();
    };
    const watch = this.#app.filter.bind(this.#app) as WatchSockets;
    watch(countSocket);
    this.#app.any("/*", (response, request) => {
      const exchange = new UwsExchange(response, request, () => this.#open.delete(exchange));
      this.#open.add(exchange);
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
        resolve(this.#uws.us_socket_local_port(socket));
      });
    });
  }

  async close(deadlineMs: number): Promise<void> {
    if (this.#listening !== null) this.#uws.us_listen_socket_close(this.#listening);
    this.#listening = null;
    const rounds = Math.ceil(deadlineMs / DRAIN_POLL_MS);
    for (let round = 0; round < rounds && this.#open.size > 0; round++) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    this.#app.close();
  }
}

class UwsExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: string | null;
  readonly #headers = new HeadHeaders();
  readonly #response: HttpResponse;
  readonly #settled: () => void;
  #aborted = false;

  constructor(response: HttpResponse, request: HttpRequest, settled: () => void) {
    this.#response = response;
    this.#settled = settled;
    response.onAborted(() => {
      this.#aborted = true;
      settled();
    });
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? "";
    request.forEach((name, value) => {
      this.#headers.add(name, value);
    });
    this.framing = this.#headers.framing();
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  body(limitBytes: number, done: (bytes: Uint8Array | null) => void): void {
    const chunks: Uint8Array[] = [];
    let received = 0;
    let over = false;
    this.#response.onData((chunk, isLast) => {
      if (over) return;
      received += chunk.byteLength;
      if (received > limitBytes) {
        over = true;
        done(null);
      } else {
        // The chunk's memory is taken back when this callback returns.
        chunks.push(new Uint8Array(chunk.slice(0)));
        if (isLast) done(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
      }
    });
  }

  send(status: number, headers: HeaderList, body: Uint8Array | string): void {
    if (this.#aborted) return;
    this.#response.cork(() => {
      this.#response.writeStatus(statusLine(status));
      for (const [name, value] of headers) this.#response.writeHeader(name, value);
      this.#sendBody(body);
    });
  }

  #sendBody(body: Uint8Array | string): void {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    // After a framing error nobody knows where the next request begins.
    const mustClose = this.framing !== null;
    if (this.method === "HEAD") {
      this.#response.endWithoutBody(length, mustClose);
    } else if (typeof body === "string" || length <= WHOLE_BYTES_MAX) {
      this.#response.end(body, mustClose);
    } else {
      this.#stream(body);
      return;
    }
    this.#settled();
  }

  /** Gives the kernel what it takes and goes on when it can take more. */
  #stream(body: Uint8Array): void {
    const response = this.#response;
    const [, done] = response.tryEnd(body, body.byteLength);
    if (done) {
      this.#settled();
      return;
    }
    response.onWritable((offset) => {
      const [ok, ended] = response.tryEnd(body.subarray(offset), body.byteLength);
      if (ended) this.#settled();
      return ok;
    });
  }
}
