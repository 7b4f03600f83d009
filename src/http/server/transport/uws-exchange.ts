/**
 * One request over uWebSockets.js and its answer. What comes in: what the library gives to a
 * handler. What goes out: an exchange.
 * Invariant: everything read from the request is copied before the callback returns (the request
 * object expires there), the abort handler is attached first, and every write is corked. Answers
 * that come at once are sent inside the callback, which is what lets requests be pipelined; behind
 * an answer that closes nothing is parsed. A body whose end another parser may see elsewhere is
 * answered after the library has parsed all bytes that came with it, as the last of its connection.
 */
import type { AppError } from "../../../errors.ts";
import type { Budget } from "../admission.ts";
import { later } from "../background-tasks.ts";
import { type BodyRequest, IncomingBody } from "../body.ts";
import {
  type AnswerBody,
  isPulled,
  LentBytes,
  owned,
  type Pulled,
  pull,
  WHOLE_BYTES_MAX,
} from "./answer-body.ts";
import type { PaceWatch } from "./pace.ts";
import type { HeldAnswers } from "./transport.ts";
import {
  type AwaitsEnd,
  type Exchange,
  HeaderBlock,
  type HeaderList,
  HeadHeaders,
  type Listed,
  type ReadHeader,
  refusalOf,
  startOfLine,
  statusLine,
} from "./transport.ts";
import { UwsChunks } from "./uws-chunks.ts";
import type { UwsConnection, UwsRequest, UwsResponse } from "./uws-connection.ts";
import { type Sending, UwsStream } from "./uws-stream.ts";

/**
 * Blanks behind an answer that closes. The library gathers what is answered to one chunk of bytes,
 * up to so much, and closes only what has left; until then it would parse on and have the rest of
 * the chunk answered, thousands of requests or what a mistake has made of them.
 */
const FLUSH = " ".repeat(16 * 1024);

/** What exchanges get from their transport, the same for all of them. */
export interface UwsSurroundings extends PaceWatch {
  readonly bodies: Budget;
  readonly held: HeldAnswers;
  /** Whether connections are to end with their next answer. */
  readonly leaving: () => boolean;
  /** Called when the answer is out or the client gone. */
  readonly settled: (exchange: UwsExchange) => void;
}

const NO_BYTES = new Uint8Array(0);

/** The headers that are being read. */
let reading = new HeadHeaders();

function readLine(name: string, value: string): void {
  reading.add(name, value);
}

/** The answer that is being written, whose bytes are there; others would be garbage at once. */
const writing = {
  exchange: null as UwsExchange | null,
  status: 0,
  headers: [] as HeaderList,
  body: "" as Uint8Array | string | LentBytes,
};

/** A request that the library has read the head of. */
export class UwsExchange implements Exchange, Listed<UwsExchange> {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly framing: AppError | null;
  before: Listed<UwsExchange>["before"] = undefined;
  behind: Listed<UwsExchange>["behind"] = undefined;
  readonly #headers = new HeadHeaders();
  /** The body, if its end is unsure; the answer is then the last of its connection. */
  readonly #open: OpenBody | null;
  readonly #response: UwsResponse;
  readonly #connection: UwsConnection;
  readonly #around: UwsSurroundings;
  #incoming: IncomingBody | null = null;
  /** Chunks that came before anybody wanted the body; null while they are not kept. */
  #kept: KeptChunk[] | null = null;
  /** Time for which the body has been waited for, in milliseconds. */
  #waitedMs = 0;
  #stream: UwsStream | UwsChunks | null = null;
  #aborted = false;
  /** True once the library has the whole answer; the response must not be touched then. */
  #whole = false;
  /** Who wants to know when the answer is out of hand or the client gone. */
  #whenOver: AwaitsEnd | null = null;

  constructor(
    response: UwsResponse,
    request: UwsRequest,
    connection: UwsConnection,
    around: UwsSurroundings,
  ) {
    this.#response = response;
    this.#connection = connection;
    this.#around = around;
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

  /** The library has the whole answer. */
  #settled(): void {
    this.#whole = true;
    // A stream comes to its end when nothing is before its last bytes.
    if (this.#stream instanceof UwsStream) this.#connection.taken();
    if (this.#connection.closesAfter) {
      // A stream has left the library's buffer, so that nothing is lost if the next request closes.
      if (this.#stream !== null) this.#connection.over = true;
      this.#connection.closeSoon();
    }
    this.#end();
  }

  #end(): void {
    this.#told();
    this.#connection.done();
    this.#around.settled(this);
  }

  get address(): string {
    return this.#connection.address;
  }

  /** Whether the answer is out, or the client gone. */
  get settled(): boolean {
    return this.#whole || this.#aborted;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** The library closes a connection whose client has closed its writing half. */
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

  #told(): void {
    this.#whenOver?.over();
    this.#whenOver = null;
  }

  body(wanted: BodyRequest): void {
    const incoming = new IncomingBody(wanted, this.#around.bodies);
    this.#incoming = incoming;
    // Of a head that came in pieces the library never says that nothing follows it.
    if (this.#open?.chunked === false) {
      this.#open.end(() => incoming.addLast(NO_BYTES));
      return;
    }
    if (Number(this.header("content-length") ?? Number.NaN) === 0) {
      incoming.addLast(NO_BYTES);
      return;
    }
    const kept = this.#kept;
    if (kept === null) {
      this.#response.onData((chunk, isLast) => this.#receive(new Uint8Array(chunk), isLast));
      return;
    }
    this.#kept = null;
    for (const { bytes, isLast } of kept) this.#receive(bytes, isLast);
    if (isPaused(kept)) this.#response.resume();
  }

  keepBody(): void {
    const kept: KeptChunk[] = [];
    this.#kept = kept;
    this.#response.onData((chunk, isLast) => {
      if (this.#kept === null) {
        this.#receive(new Uint8Array(chunk), isLast);
        return;
      }
      const wasPaused = isPaused(kept);
      kept.push({ bytes: Buffer.from(new Uint8Array(chunk)), isLast });
      // Not before: when the library goes on it gives a client ten seconds, and takes that back
      // with the end of the body only. Of what has arrived the rest comes all the same.
      if (!wasPaused && !isLast) this.#response.pause();
    });
  }

  /** Takes a chunk, whose memory is taken back when this returns. */
  #receive(lent: Uint8Array, isLast: boolean): void {
    const incoming = this.#incoming;
    if (isLast && this.#open !== null) {
      const last = Buffer.from(lent);
      this.#open.end(() => incoming?.addLast(last));
      return;
    }
    if (incoming?.waiting !== true) return;
    const bytes = incoming.handsOn ? lent : Buffer.from(lent);
    if (isLast) incoming.addLast(bytes);
    else incoming.add(bytes);
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
    this.#settled();
  }

  cut(): void {
    this.#incoming?.drop();
    this.#stream?.end();
    // The library then says that the request was aborted, which settles it.
    if (!this.#aborted && !this.#whole) this.#response.close();
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    const { held } = this.#around;
    if (held.holding) {
      const kept = owned(body);
      held.keep({ send: () => this.send(status, headers, kept), cut: () => this.cut() });
      return;
    }
    if (this.#kept !== null) this.#forgetKept(this.#kept);
    if (this.#open?.over === false && !this.#aborted) {
      this.#keepBack(this.#open, status, headers, owned(body));
    } else if (isPulled(body)) {
      this.#sendPulled(status, headers, body);
    } else if (!this.#aborted) {
      writing.exchange = this;
      writing.status = status;
      writing.headers = headers;
      writing.body = body;
      this.#response.cork(UwsExchange.#write);
    }
  }

  /** Reads on behind a body that is answered unread. */
  #forgetKept(kept: readonly KeptChunk[]): void {
    this.#kept = null;
    if (this.#aborted) return;
    if (isPaused(kept)) this.#response.resume();
    else if (kept.length > 0) this.#open?.end(() => {});
  }

  /** Keeps a refusal until its body has ended, of which nothing is parsed after that. */
  #keepBack(open: OpenBody, status: number, headers: HeaderList, body: AnswerBody): void {
    const cut = () => void (isPulled(body) && pull(body).end());
    open.keep({ send: () => this.send(status, headers, body), cut });
    if (!open.chunked) open.end(() => {});
    else if (this.#incoming === null) {
      this.#response.onData((_chunk, isLast) => isLast && open.end(() => {}));
    }
  }

  /** Writes what is to be written; the library calls it at once. */
  static #write(this: void): void {
    const exchange = writing.exchange as UwsExchange;
    const { status, headers, body } = writing;
    // What is kept of it would live until the next answer.
    writing.exchange = null;
    writing.body = "";
    if (exchange.#open !== null) exchange.#connection.over = true;
    exchange.#head(status, headers);
    exchange.#sendBytes(status, body);
  }

  /**
   * Status and headers. Each call of the library costs as much as all that is in it, so the lines
   * go into one: as the value of the first (`HeaderBlock`). What is in them was looked at before
   * (respond.ts), and it says itself that an answer is well.
   */
  #head(status: number, headers: HeaderList): void {
    if (status !== 200) this.#response.writeStatus(statusLine(status));
    let first = "";
    let text = "";
    // An iterator would leave garbage for each line.
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

  /** What streams get; they take functions, not methods. */
  get #sending(): Sending {
    const { writeTimeoutMs, writePaceBytes, tooSlow } = this.#around;
    return { writeTimeoutMs, writePaceBytes, tooSlow, settled: () => this.#settled() };
  }

  #sendBytes(status: number, given: Uint8Array | string | LentBytes): void {
    const body = given instanceof LentBytes ? given.bytes : given;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    // After a framing error nobody knows where the next request begins.
    const broken = this.framing !== null;
    if (broken) this.#connection.over = true;
    if (status === 204 || status === 304) {
      // Without a length, which neither of them may have, or has to have.
      this.#sayLeaving();
      this.#response.endWithoutBody();
    } else if (this.method === "HEAD") {
      if (!broken) this.#sayLeaving();
      this.#endHead(length, broken);
    } else if (broken) {
      this.#response.end(`${Buffer.from(body)}${FLUSH}`, true);
    } else if (length <= WHOLE_BYTES_MAX && this.#connection.copies(length)) {
      this.#response.end(body, this.#leaving);
    } else {
      this.#sayLeaving();
      const stream = new UwsStream(this.#response, length, this.#sending);
      this.#stream = stream;
      // The stream keeps what the client does not take at once.
      stream.offer(typeof body === "string" ? Buffer.from(body) : (owned(given) as Uint8Array));
      return;
    }
    this.#settled();
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

  get #leaving(): boolean {
    return this.#open !== null || this.#headers.closes || this.#around.leaving();
  }

  /**
   * Leaves the closing to the client where the library cannot close behind the answer. A client
   * that asked for it may wait for the server to close, and does not wait long.
   */
  #sayLeaving(): void {
    if (!this.#leaving) return;
    this.#response.writeHeader("Connection", "close");
    if (this.#headers.closes) this.#connection.closesAfter = true;
  }

  /** The head leaves with the first bytes of the body. */
  #sendPulled(status: number, headers: HeaderList, body: Pulled): void {
    const source = pull(body);
    const { length } = source;
    const head = () => {
      if (this.#open !== null) this.#connection.over = true;
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

/** A part of a body that nobody has asked for yet. */
interface KeptChunk {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

function isPaused(kept: readonly KeptChunk[]): boolean {
  return kept.at(-1)?.isLast === false;
}

/** How long a refusal waits for the end of the body, in milliseconds. */
const REFUSAL_MS = 1_000;

/** An answer that waits, and the way to drop it. */
interface KeptAnswer {
  send(): void;
  cut(): void;
}

/** Returns true if nothing may be read on the connection after the body of such a request. */
function endIsUnsure(method: string, coding?: string, length?: string): boolean {
  const hasBody = method === "POST" || method === "PATCH";
  return coding !== undefined || (hasBody && length === undefined);
}

/** The end of one such body. */
class OpenBody {
  /** True if the body comes in chunks; otherwise nothing says that there is one. */
  readonly chunked: boolean;
  readonly #gone: () => boolean;
  #over = false;
  #refusal: KeptAnswer | null = null;
  #late: NodeJS.Timeout | undefined;

  constructor(chunked: boolean, gone: () => boolean) {
    this.chunked = chunked;
    this.#gone = gone;
  }

  /** True once the body has ended, or was waited for long enough: answers may leave. */
  get over(): boolean {
    return this.#over;
  }

  /**
   * Keeps a refusal until the end of the body, or for a while: a client that is still sending when
   * its connection closes may not get to read why.
   */
  keep(refusal: KeptAnswer): void {
    this.#refusal = refusal;
    this.#late = setTimeout(() => this.#finish(() => {}), REFUSAL_MS);
  }

  /** Marks the end of the body; then sends the refusal, or calls `whole` if there is none. */
  end(whole: () => void): void {
    setImmediate(() => this.#finish(whole));
  }

  /** Drops the refusal of a client that is gone. */
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
