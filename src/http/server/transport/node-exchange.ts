/**
 * One request over node:http and its answer, and request targets of HTTP/1.1 that are no path
 * (RFC 9112, section 3.2). Input: a message of Node's parser. Output: an exchange.
 * Invariant: one piece of an answer is in memory at a time; a client that takes nothing for the
 * write timeout is cut off, and not before; what the exchange holds is given back when the answer
 * is out or the socket closed. The authority of an absolute target replaces the Host header, so
 * that no two parts of a request name different servers. uWebSockets.js answers such targets with
 * 505 before any code here runs.
 */
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { AppError } from "../../../errors.ts";
import type { Budget } from "../admission.ts";
import { type BodyRequest, IncomingBody } from "../body.ts";
import {
  type AnswerBody,
  isPulled,
  owned,
  type Pulled,
  type PulledBody,
  pull,
  WHOLE_BYTES_MAX,
} from "./answer-body.ts";
import type { NodeConnection } from "./node-connection.ts";
import { type PaceWatch, SocketPace } from "./pace.ts";
import {
  type AwaitsEnd,
  type Exchange,
  HeaderBlock,
  type HeaderList,
  HeadHeaders,
  type HeldAnswers,
  type ReadHeader,
  statusLine,
} from "./transport.ts";

/** Bytes of a refused body that are read away so that the client can read the answer. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

/** What an exchange needs of Node's message. */
interface NodeMessage extends Readable {
  readonly socket: Socket;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  /** Whether all of its body has been parsed. */
  readonly complete: boolean;
}

/** What it needs of Node's response. */
interface NodeResponse extends Writable {
  writeHead(status: number, reason: string, headers: string[]): unknown;
}

/** What an exchange gets from its transport. */
interface NodeSurroundings extends PaceWatch {
  readonly connection: NodeConnection;
  readonly bodies: Budget;
  readonly held: HeldAnswers;
  /** Whether connections are to end with their next answer. */
  readonly leaving: () => boolean;
}

/** A request that Node has read the head of. */
export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  readonly #headers = new HeadHeaders();
  readonly #message: NodeMessage;
  readonly #response: NodeResponse;
  readonly #around: NodeSurroundings;
  #incoming: IncomingBody | null = null;
  #source: PulledBody | null = null;
  #answered = false;
  #pace: SocketPace | null = null;
  /** Whether the answer is out of hand or the client gone, and who wants to know. */
  #over = false;
  #whenOver: AwaitsEnd | null = null;

  constructor(message: NodeMessage, response: NodeResponse, around: NodeSurroundings) {
    this.#message = message;
    this.#response = response;
    this.#around = around;
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
    const crowded = around.connection.begin(message, { bodyBytes, path: this.path, closes });
    this.framing = this.#headers.framing(this.method) ?? crowded;
    // A socket that breaks while it is written is told by the close event; nothing else to do.
    response.on("error", () => {});
    message.on("error", () => {});
    // The time limit is one of writing: a handler may take longer to come to its answer.
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
    return this.aborted || this.#around.connection.finished;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  whenOver(awaiting: AwaitsEnd): void {
    if (this.#over) awaiting.over();
    else this.#whenOver = awaiting;
  }

  #told(): void {
    this.#over = true;
    this.#whenOver?.over();
    this.#whenOver = null;
  }

  #watch(): void {
    if (this.aborted) return;
    this.#pace ??= new SocketPace(this.#message.socket, this.#around);
    this.#pace.note();
  }

  /** The answer is out, or the socket closed before it was. */
  gone(): void {
    this.#end();
    this.#around.connection.done();
  }

  /** Node keeps what nobody has read. */
  keepBody(): void {}

  body(wanted: BodyRequest): void {
    const { limitBytes } = wanted;
    const incoming = new IncomingBody(wanted, this.#around.bodies);
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
    this.#pace?.end();
    this.#told();
  }

  cut(): void {
    this.#end();
    this.#message.socket.destroy();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const { held } = this.#around;
    if (held.holding) {
      const kept = owned(body);
      held.keep({ send: () => this.send(status, headers, kept), cut: () => this.cut() });
      return;
    }
    this.#answered = true;
    if (isPulled(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.aborted) {
      // Node keeps what the client does not take at once.
      const bytes = typeof body === "string" ? Buffer.from(body) : owned(body);
      this.#head(status, headers, bytes.byteLength);
      if (this.method === "HEAD") this.#response.end();
      else this.#response.end(bytes);
      // What the system took at once needs no watching.
      if (this.#message.socket.writableLength > 0) this.#watch();
      // As with the other transport, which takes these bytes off our hands.
      if (typeof body === "string" || bytes.byteLength <= WHOLE_BYTES_MAX) this.#told();
    }
  }

  #head(status: number, headers: HeaderList, length: number | null): void {
    const flat: string[] = [];
    for (const entry of headers) {
      if (typeof entry === "string") flat.push(entry);
      else if (entry instanceof HeaderBlock) flat.push(...entry.lines.flat());
      else flat.push(entry[0], entry[1]);
    }
    this.#around.connection.answered(this.#message, length ?? 0);
    const told = length !== null && status !== 204 && status !== 304;
    if (told) flat.push("Content-Length", String(length));
    // After a framing error nobody knows where the next request begins.
    if (this.framing !== null || this.#around.leaving()) flat.push("Connection", "close");
    if (this.framing !== null) this.#around.connection.end();
    this.#response.writeHead(status, statusLine(status).slice(4), flat);
  }

  /** Asks for more when the kernel has taken what there was, so that one piece is in memory. */
  #sendPulled(status: number, headers: HeaderList, body: Pulled): void {
    const source = pull(body);
    this.#source = source;
    const { length } = source;
    if (this.aborted || this.method === "HEAD" || length === 0) {
      source.end();
      if (this.aborted) return;
      this.#head(status, headers, length);
      this.#response.end();
      this.#told();
      return;
    }
    this.#head(status, headers, length);
    const give = (chunk: Uint8Array | null): void => {
      // Half of the answer may be out, so that nothing but the end of the connection tells it.
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

/** Scheme, authority without a user, and the path with the query. */
const ABSOLUTE = /^https?:\/\/([A-Za-z0-9.:[\]_~%!$&'()*+,;=-]+)((?:[/?][^#]*)?)$/i;

/** A request target as the server reads it. */
interface OriginForm {
  /** Path and query, or `*` for the server as a whole. */
  readonly url: string;
  /** Authority of an absolute target; null for any other. */
  readonly authority: string | null;
}

/** Returns true for a target that is answered: a path, an absolute address, `*` of OPTIONS. */
export function isTarget(method: string, target: string): boolean {
  return (
    target.startsWith("/") || (target === "*" && method === "OPTIONS") || ABSOLUTE.test(target)
  );
}

/** Reduces a target to path and query. */
function originForm(target: string): OriginForm {
  const match = target.startsWith("/") ? null : ABSOLUTE.exec(target);
  if (match === null) return { url: target, authority: null };
  const [, authority = "", rest = ""] = match;
  return { url: rest.startsWith("/") ? rest : `/${rest}`, authority };
}
