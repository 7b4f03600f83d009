/**
 * The transport over uWebSockets.js, and its only importer. What comes in: requests as the C++
 * parser delivers them. What goes out: exchanges, and their answers on the wire.
 * Invariant: everything read from the request is copied before the callback returns (the request
 * object expires there), the abort handler is attached first, and every write is corked. Answers
 * that come at once are sent inside the callback, which is what lets requests be pipelined.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js";
import { CommandError } from "../errors.ts";
import { FileBody, isFile } from "./filebody.ts";
import type { FileSlice } from "./respond.ts";
import {
  type AnswerBody,
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

/** Called with +1 and -1 as sockets come and go; the package declares the count as an object. */
type WatchSockets = (changed: (response: HttpResponse, change: number) => void) => unknown;

/** Larger bodies are handed over piece by piece as the client reads, and are never copied. */
const WHOLE_BYTES_MAX = 64 * 1024;

/**
 * Loads the addon and makes the transport; its time limits for requests are built in (about 10 s),
 * and it takes the size of the head once per process. Throws `CommandError` where it cannot be
 * loaded: the other transport is a decision of the operator, never a silent fallback.
 */
export async function openUwsTransport(limits: TransportLimits): Promise<Transport> {
  return new UwsTransport(await loadUws(limits.headBytesMax), limits.writeTimeoutMs);
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
  readonly #writeTimeoutMs: number;
  readonly #open = new Set<UwsExchange>();
  #sockets = 0;
  #listening: us_listen_socket | null = null;

  constructor(uws: Uws, writeTimeoutMs: number) {
    this.#uws = uws;
    this.#app = uws.App();
    this.#writeTimeoutMs = writeTimeoutMs;
  }

  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number> {
    const countSocket = (response: HttpResponse, change: number): void => {
      this.#sockets += change;
      if (change > 0 && this.#sockets > SOCKETS_MAX) response.close();
    };
    const watch = this.#app.filter.bind(this.#app) as WatchSockets;
    watch(countSocket);
    this.#app.any("/*", (response, request) => {
      const exchange = new UwsExchange(response, request, {
        writeTimeoutMs: this.#writeTimeoutMs,
        settled: () => this.#open.delete(exchange),
      });
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

/** What an exchange gets from its transport. */
interface Surroundings {
  readonly writeTimeoutMs: number;
  /** Called when the answer is out or the client gone. */
  readonly settled: () => void;
}

class UwsExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: string | null;
  readonly #headers = new HeadHeaders();
  readonly #response: HttpResponse;
  readonly #around: Surroundings;
  #stream: UwsStream | null = null;
  #aborted = false;

  constructor(response: HttpResponse, request: HttpRequest, around: Surroundings) {
    this.#response = response;
    this.#around = around;
    response.onAborted(() => {
      this.#aborted = true;
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

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    if (isFile(body)) {
      this.#sendFile(status, headers, body);
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
    const mustClose = this.framing !== null;
    if (status === 204 || status === 304) {
      // Without a length, which neither of them may have, or has to have.
      this.#response.endWithoutBody();
    } else if (this.method === "HEAD") {
      this.#endHead(length, mustClose);
    } else if (typeof body === "string" || length <= WHOLE_BYTES_MAX) {
      this.#response.end(body, mustClose);
    } else {
      this.#stream = new UwsStream(this.#response, length, this.#around);
      this.#stream.offer(body);
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

  /** The head leaves with the first bytes of the file. */
  #sendFile(status: number, headers: HeaderList, slice: FileSlice): void {
    const file = new FileBody(slice);
    if (this.#aborted || this.method === "HEAD" || slice.length === 0) {
      file.end();
      if (this.#aborted) return;
      this.#response.cork(() => {
        this.#head(status, headers);
        this.#endHead(slice.length, false);
      });
      this.#around.settled();
      return;
    }
    this.#stream = new UwsStream(this.#response, slice.length, this.#around);
    this.#stream.pump(file, () => this.#head(status, headers));
  }
}
