/**
 * One request over uWebSockets.js and its answer. Input: request and response of the library's
 * handler. Output: an exchange.
 * Invariant: everything read from the request is copied before the callback returns, because the
 * request object expires then. The abort handler is attached first, and every write is corked.
 * Synchronous answers are sent inside the callback, which enables pipelining. The library parses
 * nothing after an answer that closes the connection. If another parser could find the end of a
 * body at a different byte, the answer is the last. It then waits until the library has parsed all
 * bytes that came with the body.
 */
import type { AppError } from "../../../errors.ts";
import type { Budget } from "../admission.ts";
import { later } from "../background-tasks.ts";
import { type BodyRequest, IncomingBody } from "../body.ts";
import {
  type AnswerBody,
  copyIfShared,
  isStreamed,
  pull,
  SharedBytes,
  type StreamedContent,
  UNSTREAMED_BYTES_MAX,
} from "./answer-body.ts";
import type { ReadSpeedWatch } from "./readspeed.ts";
import type { DelayedAnswers } from "./transport.ts";
import {
  type AwaitsEnd,
  type Exchange,
  HeaderBlock,
  type HeaderList,
  HeadHeaders,
  type ListNode,
  type ReadHeader,
  refusalOf,
  startOfLine,
  statusLine,
} from "./transport.ts";
import { UwsChunks } from "./uws-chunks.ts";
import type { UwsConnection, UwsRequest, UwsResponse } from "./uws-connection.ts";
import { type Sending, UwsStream } from "./uws-stream.ts";

/**
 * Blanks written after an answer that closes its connection. The library collects the answers to
 * one received chunk in a buffer of this size, and closes only after sending them. Until then, it
 * would answer the rest of the chunk: thousands of requests, or garbage after a framing error. The
 * blanks fill the buffer, so the library sends and closes immediately.
 */
const FLUSH = " ".repeat(16 * 1024);

/** Context that the transport shares among all exchanges. */
export interface UwsContext extends ReadSpeedWatch {
  readonly bodies: Budget;
  readonly held: DelayedAnswers;
  /** True if connections close after their next answer. */
  readonly leaving: () => boolean;
  /** Called when the answer is sent or the client is gone. */
  readonly settled: (exchange: UwsExchange) => void;
}

const NO_BYTES = new Uint8Array(0);

/**
 * Bytes of an upload that extend its time limit by one millisecond. A large upload may thus take
 * hours, as long as its client keeps sending. The library itself closes slower uploads.
 */
const UPLOAD_PACE = 16;

/** Headers being read. */
let reading = new HeadHeaders();

function readLine(name: string, value: string): void {
  reading.add(name, value);
}

/**
 * The finished answer that is being written. The object is reused, because a closure for each
 * answer would be garbage.
 */
const writing = {
  exchange: null as UwsExchange | null,
  status: 0,
  headers: [] as HeaderList,
  body: "" as Uint8Array | string | SharedBytes,
};

/** A request whose head the library has parsed. */
export class UwsExchange implements Exchange, ListNode<UwsExchange> {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  before: ListNode<UwsExchange>["before"] = undefined;
  after: ListNode<UwsExchange>["after"] = undefined;
  readonly #headers = new HeadHeaders();
  /**
   * The body, if parsers could disagree about its end, else null. If it is set, the answer is the
   * connection's last.
   */
  readonly #open: OpenBody | null;
  readonly #response: UwsResponse;
  readonly #connection: UwsConnection;
  readonly #context: UwsContext;
  #incoming: IncomingBody | null = null;
  /** Chunks that arrived before `body` was called; null if they are not being buffered. */
  #chunks: HeldChunk[] | null = null;
  /** Time spent waiting for the body, in milliseconds. */
  #waitedMs = 0;
  #stream: UwsStream | UwsChunks | null = null;
  #aborted = false;
  /** True once the library has the whole answer; the response is then invalid. */
  #whole = false;
  /** Notified when the answer is sent or the client has left. */
  #whenOver: AwaitsEnd | null = null;

  constructor(
    response: UwsResponse,
    request: UwsRequest,
    connection: UwsConnection,
    context: UwsContext,
  ) {
    this.#response = response;
    this.#connection = connection;
    this.#context = context;
    response.onAborted(() => this.#abort());
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? "";
    reading = this.#headers;
    request.forEach(readLine);
    const crowded = connection.begin(this.path);
    this.framing = this.#headers.framing(this.method) ?? crowded;
    this.#open = this.framing === null ? this.#openBody() : null;
  }

  #openBody(): OpenBody | null {
    const coding = this.header("transfer-encoding");
    if (!endIsUnsure(this.method, coding, this.header("content-length"))) return null;
    return new OpenBody(coding !== undefined, () => this.#aborted);
  }

  #abort(): void {
    this.#aborted = true;
    this.#incoming?.drop();
    this.#open?.cut();
    this.#stream?.end();
    this.#end();
  }

  /** Records that the library has the whole answer. */
  #settled(): void {
    this.#whole = true;
    // A stream ends only after all earlier bytes are sent, so the kernel has taken all bytes of the
    // connection.
    if (this.#stream instanceof UwsStream) this.#connection.taken();
    if (this.#connection.closesAfter) {
      // The streamed bytes are no longer in the library's buffer, so none are lost if the next
      // request closes the connection.
      if (this.#stream !== null) this.#connection.over = true;
      this.#connection.closeSoon();
    }
    this.#end();
  }

  #end(): void {
    this.#report();
    this.#connection.done();
    this.#context.settled(this);
  }

  get address(): string {
    return this.#connection.address;
  }

  /** True if the answer is sent or the client is gone. */
  get settled(): boolean {
    return this.#whole || this.#aborted;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** True once the client has left. After a half-close, the library closes the connection too. */
  get finished(): boolean {
    return this.#aborted;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  whenOver(awaiting: AwaitsEnd): void {
    if (this.#aborted || this.#whole) awaiting.over();
    else this.#whenOver = awaiting;
  }

  #report(): void {
    this.#whenOver?.over();
    this.#whenOver = null;
  }

  body(wanted: BodyRequest): void {
    const incoming = new IncomingBody(wanted, this.#context.bodies);
    this.#incoming = incoming;
    // If the head arrived in several parts, the library never reports the end of an empty body.
    if (this.#open?.chunked === false) {
      this.#open.end(() => incoming.addLast(NO_BYTES));
      return;
    }
    if (Number(this.header("content-length") ?? Number.NaN) === 0) {
      incoming.addLast(NO_BYTES);
      return;
    }
    const chunks = this.#chunks;
    if (chunks === null) {
      this.#response.onData((chunk, isLast) => this.#receive(new Uint8Array(chunk), isLast));
      return;
    }
    this.#chunks = null;
    for (const { bytes, isLast } of chunks) this.#receive(bytes, isLast);
    if (isPaused(chunks)) this.#response.resume();
  }

  keepBody(): void {
    // `keepBody` may be called several times, but the library delivers arrived bytes only once.
    if (this.#chunks !== null) return;
    const chunks: HeldChunk[] = [];
    this.#chunks = chunks;
    this.#response.onData((chunk, isLast) => {
      if (this.#chunks === null) {
        this.#receive(new Uint8Array(chunk), isLast);
        return;
      }
      const wasPaused = isPaused(chunks);
      chunks.push({ bytes: Buffer.from(new Uint8Array(chunk)), isLast });
      // Pauses only after the first chunk. A resume starts a timeout of 10 s in the library, which
      // only the end of the body cancels. Arrived bytes are delivered even while paused.
      if (!wasPaused && !isLast) this.#response.pause();
    });
  }

  /** Takes a chunk, whose memory is valid only during the call. */
  #receive(shared: Uint8Array, isLast: boolean): void {
    const incoming = this.#incoming;
    if (isLast && this.#open !== null) {
      const last = Buffer.from(shared);
      this.#open.end(() => incoming?.addLast(last));
      return;
    }
    if (incoming?.waiting !== true) return;
    if (incoming.handsOn) this.#waitedMs -= Math.min(this.#waitedMs, shared.length / UPLOAD_PACE);
    const bytes = incoming.handsOn ? shared : Buffer.from(shared);
    if (isLast) incoming.addLast(bytes);
    else incoming.add(bytes);
  }

  /** Adds waiting time; ends the request if the body is incomplete after the limit. */
  passed(ms: number, limitMs: number): void {
    if (this.#incoming?.waiting !== true) return;
    this.#waitedMs += ms;
    if (this.#waitedMs < limitMs) return;
    this.#incoming.drop();
    // Deferred: often many clients are late together.
    later(() => this.#refuseLate());
  }

  #refuseLate(): void {
    if (this.#aborted || this.#whole) return;
    const { headers, body } = refusalOf(408);
    this.#response.cork(() => {
      this.#head(408, headers);
      this.#response.end(body, true);
    });
    this.#settled();
  }

  cut(): void {
    this.#incoming?.drop();
    this.#stream?.end();
    // `close` makes the library report an abort, which ends the exchange.
    if (!this.#aborted && !this.#whole) this.#response.close();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const { held } = this.#context;
    if (held.holding) {
      const copy = copyIfShared(body);
      held.keep({ send: () => this.send(status, headers, copy), cut: () => this.cut() });
      return;
    }
    if (this.#chunks !== null) this.#dropChunks(this.#chunks);
    if (this.#open?.over === false && !this.#aborted) {
      this.#keepBack(this.#open, status, headers, copyIfShared(body));
    } else if (isStreamed(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.#aborted) {
      writing.exchange = this;
      writing.status = status;
      writing.headers = headers;
      writing.body = body;
      this.#response.cork(UwsExchange.#write);
    }
  }

  /** Drops buffered chunks after an answer that did not need the body. Resumes reading. */
  #dropChunks(chunks: readonly HeldChunk[]): void {
    this.#chunks = null;
    if (this.#aborted) return;
    if (isPaused(chunks)) this.#response.resume();
    else if (chunks.length > 0) this.#open?.end(() => {});
  }

  /** Delays an answer until the body has ended. Bytes after this body are never parsed. */
  #keepBack(open: OpenBody, status: number, headers: HeaderList, body: AnswerBody): void {
    const cut = () => void (isStreamed(body) && pull(body).end());
    open.keep({ send: () => this.send(status, headers, body), cut });
    if (!open.chunked) open.end(() => {});
    else if (this.#incoming === null) {
      this.#response.onData((_chunk, isLast) => isLast && open.end(() => {}));
    }
  }

  /** Writes the current answer; the library calls it synchronously. */
  static #write(this: void): void {
    const exchange = writing.exchange as UwsExchange;
    const { status, headers, body } = writing;
    // Releases the exchange, which otherwise would stay in memory until the next answer.
    writing.exchange = null;
    writing.body = "";
    if (exchange.#open !== null) exchange.#connection.over = true;
    exchange.#head(status, headers);
    exchange.#sendBytes(status, body);
  }

  /**
   * Writes status and headers. A library call takes as long as writing the text itself, so one call
   * writes all lines: the value of the first header contains the other lines (`HeaderBlock`).
   * respond.ts has checked the values. The library sends status 200 by default.
   */
  #head(status: number, headers: HeaderList): void {
    if (status !== 200) this.#response.writeStatus(statusLine(status));
    let first = "";
    let text = "";
    // An iterator would create garbage for each line.
    for (let at = 0; at < headers.length; at++) {
      const entry = headers[at] as HeaderList[number];
      const isBlock = entry instanceof HeaderBlock;
      if (isBlock && first !== "") {
        text += entry.text;
        continue;
      }
      const paired = typeof entry === "string";
      const name = paired ? entry : isBlock ? entry.name : entry[0];
      const value = paired ? (headers[++at] as string) : isBlock ? entry.value : entry[1];
      if (first === "") {
        first = name;
        text = value;
      } else {
        text += startOfLine(name) + value;
      }
    }
    if (first !== "") this.#response.writeHeader(first, text);
  }

  /**
   * Options for streams. The callbacks are bound functions, because streams do not call methods of
   * an exchange.
   */
  get #sending(): Sending {
    const { writeTimeoutMs, minReadBytesPerSecond, tooSlow } = this.#context;
    return { writeTimeoutMs, minReadBytesPerSecond, tooSlow, settled: () => this.#settled() };
  }

  #sendBytes(status: number, given: Uint8Array | string | SharedBytes): void {
    const body = given instanceof SharedBytes ? given.bytes : given;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    // After a framing error, the start of the next request is unknown.
    const broken = this.framing !== null;
    if (broken) this.#connection.over = true;
    if (status === 204 || status === 304) {
      // Sends no Content-Length, which is forbidden or optional for this answer.
      this.#printDisconnected();
      this.#response.endWithoutBody();
    } else if (this.method === "HEAD") {
      if (!broken) this.#printDisconnected();
      this.#endHead(length, broken);
    } else if (broken) {
      this.#response.end(`${Buffer.from(body)}${FLUSH}`, true);
    } else if (length <= UNSTREAMED_BYTES_MAX && this.#connection.copies(length)) {
      this.#response.end(body, this.#leaving);
    } else {
      this.#printDisconnected();
      const stream = new UwsStream(this.#response, length, this.#sending);
      this.#stream = stream;
      // The stream retains what the client does not take immediately.
      stream.offer(
        typeof body === "string" ? Buffer.from(body) : (copyIfShared(given) as Uint8Array),
      );
      return;
    }
    this.#settled();
  }

  /**
   * Ends an answer that states the length of a body but has none (the answer to HEAD). The length
   * is written as a plain header. If the library knew it, it would wait for the body and treat the
   * next request on the socket as a violation.
   */
  #endHead(length: number, mustClose: boolean): void {
    if (mustClose) {
      this.#response.endWithoutBody(0, mustClose);
    } else {
      this.#response.writeHeader("Content-Length", String(length));
      this.#response.endWithoutBody();
    }
  }

  get #leaving(): boolean {
    return this.#open !== null || this.#headers.closes || this.#context.leaving();
  }

  /**
   * Writes `Connection: close` if the connection must close, because the library cannot close it
   * after this answer. A client that requested the close may wait for the server to close, so
   * `closesAfter` is then set.
   */
  #printDisconnected(): void {
    if (!this.#leaving) return;
    this.#response.writeHeader("Connection", "close");
    if (this.#headers.closes) this.#connection.closesAfter = true;
  }

  /** Sends a pulled body. The head is sent together with the first bytes of the body. */
  #sendPulled(status: number, headers: HeaderList, body: StreamedContent): void {
    const source = pull(body);
    const { length } = source;
    const head = () => {
      if (this.#open !== null) this.#connection.over = true;
      this.#head(status, headers);
      this.#printDisconnected();
    };
    if (this.#aborted || this.method === "HEAD" || length === 0) {
      source.end();
      if (this.#aborted) return;
      this.#response.cork(() => {
        head();
        if (length === null) this.#response.endWithoutBody();
        else this.#endHead(length, false);
      });
      this.#settled();
    } else if (length === null) {
      const chunks = new UwsChunks(this.#response, source, this.#sending);
      this.#stream = chunks;
      chunks.begin(head);
    } else {
      const stream = new UwsStream(this.#response, length, this.#sending);
      this.#stream = stream;
      stream.pump(source, head);
    }
  }
}

interface HeldChunk {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

function isPaused(chunks: readonly HeldChunk[]): boolean {
  return chunks.at(-1)?.isLast === false;
}

/** Max time that an error answer waits for the end of the body, in milliseconds. */
const REFUSAL_MS = 1_000;

interface HeldAnswer {
  send(): void;
  cut(): void;
}

/** True if a proxy could find another end of the body. Nothing after the body may then be read. */
function endIsUnsure(method: string, coding?: string, length?: string): boolean {
  const hasBody = method === "POST" || method === "PATCH";
  return coding !== undefined || (hasBody && length === undefined);
}

/** Waits for the end of a body of unknown length, after which nothing may be read. */
class OpenBody {
  /** True if the body is chunked; false if it has neither Transfer-Encoding nor Content-Length. */
  readonly chunked: boolean;
  readonly #gone: () => boolean;
  #over = false;
  #refusal: HeldAnswer | null = null;
  #late: NodeJS.Timeout | undefined;

  constructor(chunked: boolean, isGone: () => boolean) {
    this.chunked = chunked;
    this.#gone = isGone;
  }

  /** True once the body has ended or timed out, so that answers may be sent. */
  get over(): boolean {
    return this.#over;
  }

  /**
   * Holds an error answer back until the end of the body, up to a time limit. A client that is
   * still sending when its connection closes may be unable to read the answer.
   */
  keep(refusal: HeldAnswer): void {
    this.#refusal = refusal;
    this.#late = setTimeout(() => this.#finish(() => {}), REFUSAL_MS);
  }

  /** Records that the body has ended. Sends the waiting answer; without one, calls `whole`. */
  end(whole: () => void): void {
    setImmediate(() => this.#finish(whole));
  }

  /** Drops the answer that waits, because the client has left. */
  cut(): void {
    clearTimeout(this.#late);
    if (!this.#over) this.#refusal?.cut();
  }

  #finish(whole: () => void): void {
    if (this.#gone() || this.#over) return;
    this.#over = true;
    clearTimeout(this.#late);
    if (this.#refusal === null) whole();
    else this.#refusal.send();
  }
}
