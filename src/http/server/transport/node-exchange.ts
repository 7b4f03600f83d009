/**
 * One request over node:http and its answer. Also handles request targets of HTTP/1.1 that are not
 * paths (RFC 9112, section 3.2). Input: a message of Node's parser. Output: an exchange.
 * Invariant: one chunk of an answer is in memory at a time. A client that reads nothing is cut off
 * after the write timeout. Resources are released when the answer is sent or the socket closes. The
 * authority of an absolute target replaces the Host header, so no two parts of a request name
 * different servers. uWebSockets.js answers such targets with 505.
 */
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { AppError } from "../../../errors.ts";
import type { Budget } from "../admission.ts";
import { type BodyRequest, IncomingBody } from "../body.ts";
import {
  type AnswerBody,
  copyIfShared,
  isStreamed,
  type PulledBody,
  pull,
  type StreamedContent,
  UNSTREAMED_BYTES_MAX,
} from "./answer-body.ts";
import type { NodeConnection } from "./node-connection.ts";
import { type ReadSpeedWatch, SocketReadWatch } from "./readspeed.ts";
import {
  type AwaitsEnd,
  type DelayedAnswers,
  type Exchange,
  HeaderBlock,
  type HeaderList,
  HeadHeaders,
  type ReadHeader,
  statusLine,
} from "./transport.ts";

/** Bytes of a refused body to read and discard so that the client can read the answer. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

interface NodeMessage extends Readable {
  readonly socket: Socket;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  /** True once its whole body has been parsed. */
  readonly complete: boolean;
}

interface NodeResponse extends Writable {
  writeHead(status: number, reason: string, headers: string[]): unknown;
}

/** Context that the transport provides. */
interface NodeContext extends ReadSpeedWatch {
  readonly connection: NodeConnection;
  readonly bodies: Budget;
  readonly held: DelayedAnswers;
  /** True if connections close after their next answer. */
  readonly leaving: () => boolean;
}

/** A request whose head Node has parsed. */
export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  readonly #headers = new HeadHeaders();
  readonly #message: NodeMessage;
  readonly #response: NodeResponse;
  readonly #context: NodeContext;
  #incoming: IncomingBody | null = null;
  #source: PulledBody | null = null;
  #answered = false;
  #credit: SocketReadWatch | null = null;
  /** True once the answer is sent or the client is gone; `#whenOver` observes this. */
  #over = false;
  #whenOver: AwaitsEnd | null = null;

  constructor(message: NodeMessage, response: NodeResponse, context: NodeContext) {
    this.#message = message;
    this.#response = response;
    this.#context = context;
    const { url, authority } = originForm(message.url ?? "/");
    const mark = url.indexOf("?");
    this.method = message.method ?? "";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    const raw = message.rawHeaders;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      this.#headers.add((raw[at] as string).toLowerCase(), raw[at + 1] as string);
    }
    if (authority !== null) this.#headers.replaceHost(authority);
    const length = this.#headers.get("content-length");
    const chunked = this.#headers.get("transfer-encoding") !== undefined;
    const bodyBytes = chunked ? null : Number(length ?? 0);
    const { closes } = this.#headers;
    const crowded = context.connection.begin(message, { bodyBytes, path: this.path, closes });
    this.framing = this.#headers.framing(this.method) ?? crowded;
    // Without a listener, this error would crash the process. The close event reports it too.
    response.on("error", () => {});
    message.on("error", () => {});
    // Only writing has a time limit, because a handler may take longer to answer.
    response.on("timeout", () => {
      if (this.#answered) this.#watch();
    });
  }

  get address(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  get aborted(): boolean {
    return this.#response.destroyed || this.#message.socket.destroyed;
  }

  get finished(): boolean {
    return this.aborted || this.#context.connection.finished;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  whenOver(awaiting: AwaitsEnd): void {
    if (this.#over) awaiting.over();
    else this.#whenOver = awaiting;
  }

  #report(): void {
    this.#over = true;
    this.#whenOver?.over();
    this.#whenOver = null;
  }

  #watch(): void {
    if (this.aborted) return;
    this.#credit ??= new SocketReadWatch(this.#message.socket, this.#context);
    this.#credit.note();
  }

  /** Ends the exchange, because the answer is sent or the socket has closed. */
  gone(): void {
    this.#end();
    this.#context.connection.done();
  }

  /** Does nothing: Node buffers an unread body. */
  keepBody(): void {}

  body(wanted: BodyRequest): void {
    const { limitBytes } = wanted;
    const incoming = new IncomingBody(wanted, this.#context.bodies);
    this.#incoming = incoming;
    let received = 0;
    this.#message.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (incoming.waiting) incoming.add(chunk);
      else if (received > limitBytes + DISCARD_BYTES_MAX) this.#message.destroy();
    });
    this.#message.on("end", () => incoming.finish());
  }

  #end(): void {
    this.#incoming?.drop();
    this.#source?.end();
    this.#credit?.end();
    this.#report();
  }

  cut(): void {
    this.#end();
    this.#message.socket.destroy();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const { held } = this.#context;
    if (held.holding) {
      const copy = copyIfShared(body);
      held.keep({ send: () => this.send(status, headers, copy), cut: () => this.cut() });
      return;
    }
    this.#answered = true;
    if (isStreamed(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.aborted) {
      // Node buffers the bytes that the client does not take immediately.
      const bytes = typeof body === "string" ? Buffer.from(body) : copyIfShared(body);
      this.#head(status, headers, bytes.byteLength);
      if (this.method === "HEAD") this.#response.end();
      else this.#response.end(bytes);
      // If the kernel has taken all bytes, the client's reading speed need not be watched.
      if (this.#message.socket.writableLength > 0) this.#watch();
      // A small answer counts as sent now, as in the other transport, whose library copies it.
      if (typeof body === "string" || bytes.byteLength <= UNSTREAMED_BYTES_MAX) this.#report();
    }
  }

  #head(status: number, headers: HeaderList, length: number | null): void {
    const flat: string[] = [];
    for (const entry of headers) {
      if (typeof entry === "string") flat.push(entry);
      else if (entry instanceof HeaderBlock) flat.push(...entry.lines.flat());
      else flat.push(entry[0], entry[1]);
    }
    this.#context.connection.answered(this.#message, length ?? 0);
    const hasLength = length !== null && status !== 204 && status !== 304;
    if (hasLength) flat.push("Content-Length", String(length));
    // After a framing error, the start of the next request is unknown.
    if (this.framing !== null || this.#context.leaving()) flat.push("Connection", "close");
    if (this.framing !== null) this.#context.connection.end();
    this.#response.writeHead(status, statusLine(status).slice(4), flat);
  }

  /** Sends streamed content. Only one chunk is in memory, until the kernel has taken it. */
  #sendPulled(status: number, headers: HeaderList, body: StreamedContent): void {
    const source = pull(body);
    this.#source = source;
    const { length } = source;
    if (this.aborted || this.method === "HEAD" || length === 0) {
      source.end();
      if (this.aborted) return;
      this.#head(status, headers, length);
      this.#response.end();
      this.#report();
      return;
    }
    this.#head(status, headers, length);
    const give = (chunk: Uint8Array | null): void => {
      // Half of the answer may be sent, so only closing the connection can signal the error.
      if (chunk === null) this.#message.socket.destroy();
      else this.#response.write(chunk, taken);
      this.#watch();
    };
    const taken = (error?: Error | null): void => {
      if (error) return;
      this.#watch();
      if (source.left > 0) source.next(give);
      else this.#response.end();
    };
    source.next(give);
  }
}

/** An absolute target: scheme, authority without a user, and the path with the query. */
const ABSOLUTE = /^https?:\/\/([A-Za-z0-9.:[\]_~%!$&'()*+,;=-]+)((?:[/?][^#]*)?)$/i;

/** A normalized request target. */
interface OriginForm {
  /** Path and query, or `*` for the whole server. */
  readonly url: string;
  /** Authority of an absolute target; otherwise null. */
  readonly authority: string | null;
}

/** Returns true for supported targets: a path, an absolute address, `*` with OPTIONS. */
export function isTarget(method: string, target: string): boolean {
  return (
    target.startsWith("/") || (target === "*" && method === "OPTIONS") || ABSOLUTE.test(target)
  );
}

/** Returns the path and query of a target, and the authority of an absolute target. */
function originForm(target: string): OriginForm {
  const match = target.startsWith("/") ? null : ABSOLUTE.exec(target);
  if (match === null) return { url: target, authority: null };
  const [, authority = "", rest = ""] = match;
  return { url: rest.startsWith("/") ? rest : `/${rest}`, authority };
}
