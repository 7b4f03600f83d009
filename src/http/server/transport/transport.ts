/**
 * What a transport is: something that listens, turns each HTTP request into an Exchange and hands
 * it to one handler. What comes in: bytes on a socket (the two implementations are in
 * transport-uws.ts and transport-node.ts). What goes out: one answer per exchange.
 * Invariant: both implementations behave the same above this interface. What a parser refuses
 * below it (400, 408, 431, 505) is answered by the transport itself and closes the connection. A
 * block of headers holds words of the program only; an exchange is in one list at most, and taking
 * it out costs the same however many wait.
 */

import { strict as assert } from "node:assert";
import { randomBytes } from "node:crypto";
import { AppError } from "../../../errors.ts";
import type { Ledger } from "../../../process/ledger.ts";
import { type ListenAddress, listenText } from "../../../settings/settings.ts";
import type { Budget } from "../admission.ts";
import type { BodyRequest } from "../body.ts";
import { headerMistake } from "../query.ts";
import type { AnswerBody } from "./answer-body.ts";
import type { PaceLimits } from "./pace.ts";
import type { SocketLimits, Sockets } from "./sockets.ts";

/** Limits of a transport; the settings `http.*` set them. */
export interface TransportLimits extends SocketLimits, PaceLimits {
  /** Most bytes of request line and headers together; more is answered 431. */
  readonly headBytesMax: number;
  /** Time for the headers, and for the whole request, in milliseconds. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Time after which a socket without a request is closed, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Most bytes of request bodies that are on their way at the same time. */
  readonly bodiesBytesMax: number;
  /** Share of them that one sender may have, of what the others leave. */
  readonly senderShareMax: number;
  /** Where these bytes are counted; without one, those of this transport alone. */
  readonly ledger?: Ledger | undefined;
}

/**
 * Most header lines of one request; more is answered 431. uWebSockets.js has room for a hundred,
 * two of which it needs itself.
 */
export const HEADER_COUNT_MAX = 98;
/**
 * Response headers in the order in which they are sent: lines and blocks, or of a line its name
 * with its value behind it, for every answer would leave its pairs to the collector of garbage.
 */
export type HeaderList = readonly (HeaderLine | HeaderBlock | string)[];

/** Who is told that an exchange is over. */
export interface AwaitsEnd {
  over(): void;
}

/** One request and the way to answer it. Everything here is a copy; nothing of it expires. */
export interface Exchange {
  /** As sent, case kept. */
  readonly method: string;
  /** Raw path, not percent-decoded, without the query. */
  readonly path: string;
  /** Raw query without the question mark; empty when there is none. */
  readonly query: string;
  /**
   * What makes this request unsafe to read, or one too many, or null. Its answer closes the
   * connection, and nothing that came behind it is answered.
   */
  readonly framing: AppError | null;
  /** Value of one of the read headers (lower case name); undefined when it was not sent. */
  header(name: ReadHeader): string | undefined;
  /** Address of the other end, without a port; only until the first wait. */
  readonly address: string;
  /** True once the client is gone; an answer is then thrown away. */
  readonly aborted: boolean;
  /**
   * True once the client sends nothing more. It may be gone, or may have closed its writing half
   * only: its answer is sent, but nothing is waited for on its behalf.
   */
  readonly finished: boolean;
  /**
   * Reads the whole body and hands it over once, at once where the body has already arrived, or as
   * soon as it is clear that it will not be read. Never calls it when the client goes away or
   * takes longer than the request timeout.
   */
  body(wanted: BodyRequest): void;
  /**
   * Keeps what arrives of the body until `body` is called, for a caller that is going to call it in
   * another turn, or to answer without it.
   */
  keepBody(): void;
  /**
   * Tells once when the answer is out of hand (a large one: taken by the client) or the client
   * gone, whatever happened; at once where that is so already. For one caller.
   */
  whenOver(awaiting: AwaitsEnd): void;
  /**
   * Answers; a HEAD request gets the same headers and no body, 204 and 304 have none. Must be
   * called exactly once. A file is closed and pieces are done with here, whatever happens.
   */
  send(status: number, headers: HeaderList, body: AnswerBody): void;
  /**
   * Closes the connection, for an answer that went wrong while it was sent. Never throws; a whole
   * answer is left alone where it can be told.
   */
  cut(): void;
}

/** Answers exchanges; must never throw and must call `send` exactly once, or `cut`. */
export type ExchangeHandler = (exchange: Exchange) => void;

/** One HTTP implementation. */
export interface Transport {
  readonly name: TransportName;
  /** Bytes of request bodies that are on their way. */
  readonly bodies: Budget;
  /** The connections. */
  readonly sockets: Sockets;
  /** Starts to accept connections and gives the port. Fails when the address is taken. */
  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number>;
  /** Hands requests to another handler from now on. */
  answerWith(handler: ExchangeHandler): void;
  /** From now on every answer tells its client that the connection ends with it. */
  leave(): void;
  /**
   * Stops accepting, answers what still comes on open connections until there is nothing more (see
   * drain.ts) or `deadlineMs` has passed, and closes all sockets.
   */
  close(deadlineMs: number): Promise<void>;
}

/** The two implementations. */
export type TransportName = "uws" | "node";

/** The only request headers that are ever read; a transport copies these and no others. */
export const READ_HEADERS = [
  // First what programs send with most requests; see ROOM.
  "host",
  "authorization",
  "content-length",
  "content-type",
  "transfer-encoding",
  "accept-encoding",
  "if-none-match",
  "x-request-id",
  "origin",
  "sec-fetch-site",
  "content-encoding",
  "cookie",
  "idempotency-key",
  "mcp-protocol-version",
  "if-range",
  "range",
  "x-csrf-token",
  "x-forwarded-for",
  "access-control-request-method",
] as const;
/** So many of them have their place from the start; a list of all would be garbage mostly. */
const ROOM = 8;

/** Name of a header that is read. */
export type ReadHeader = (typeof READ_HEADERS)[number];

/** Where the value of each header is kept. */
const PLACES: ReadonlyMap<string, number> = new Map(READ_HEADERS.map((name, at) => [name, at]));

/** Methods whose requests may have a body in chunks: those that read one. */
const CHUNKED_METHODS = new Set(["POST", "PATCH"]);
/** A Content-Length that every parser reads alike. */
const LENGTH = /^\d{1,15}$/;
/** A method that is one word of HTTP (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function isToken(method: string): boolean {
  return method === "POST" || method === "GET" || TOKEN.test(method);
}

/** A list, to which every proxy on the way may add a line (RFC 9110, section 5.3). */
const LIST_HEADER = "x-forwarded-for";

/** A list too, of which only one member matters (RFC 9112, section 9.6). */
const CONNECTION = "connection";

/** True if a Connection header has the member `close`. */
function saysClose(value: string): boolean {
  // What nearly all clients send, without garbage.
  if (value === "keep-alive") return false;
  return value.split(",").some((member) => member.trim().toLowerCase() === "close");
}

/**
 * The read headers of one request. Each decides who asks, where the body ends or what it is, so
 * none may come twice: two parsers on the way could each believe another one.
 */
export class HeadHeaders {
  readonly #values: (string | undefined)[] = new Array(ROOM).fill(undefined);
  /** Names that came again. */
  #repeated: Set<string> | null = null;
  #closes = false;

  /** True if the client wants the connection to end with the answer. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Takes one header line; `name` in lower case. */
  add(name: string, value: string): void {
    const at = PLACES.get(name);
    if (at === undefined) {
      if (name === CONNECTION && saysClose(value)) this.#closes = true;
      return;
    }
    const before = this.#values[at];
    if (before === undefined) {
      this.#values[at] = value;
    } else if (name === LIST_HEADER) {
      this.#values[at] = `${before}, ${value}`;
    } else {
      this.#repeated ??= new Set();
      this.#repeated.add(name);
    }
  }

  /** Value of a header, or undefined. */
  get(name: ReadHeader): string | undefined {
    return this.#values[PLACES.get(name) as number];
  }

  /** Replaces the Host header by the authority of a request target in absolute form. */
  replaceHost(authority: string): void {
    this.#values[PLACES.get("host") as number] = authority;
  }

  /** Returns the error for `Exchange.framing`, with every mistake, or null. */
  framing(method: string): AppError | null {
    const coding = this.get("transfer-encoding");
    const length = this.get("content-length");
    const plain = this.#repeated === null && coding === undefined;
    if (plain && (length === undefined || LENGTH.test(length)) && isToken(method)) return null;
    return this.#mistakes(method, coding, length);
  }

  #mistakes(method: string, coding?: string, length?: string): AppError | null {
    if (!isToken(method)) {
      return new AppError(
        "invalid_request",
        "The method is not an HTTP token, such as GET or POST.",
      );
    }
    const names = [...(this.#repeated ?? [])];
    const errors = names.map((name) =>
      headerMistake(name, "duplicate", `The header ${name} is there twice. Send it once.`),
    );
    if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
      const detail = "The only Transfer-Encoding understood here is chunked.";
      errors.push(headerMistake("transfer-encoding", "unknown_value", detail));
    } else if (coding !== undefined && !CHUNKED_METHODS.has(method)) {
      const detail = `A ${method} request has no body here. Send it without Transfer-Encoding.`;
      errors.push(headerMistake("transfer-encoding", "not_allowed", detail));
    }
    if (length !== undefined && !LENGTH.test(length)) {
      const detail = "Content-Length is the number of bytes in the body, digits only.";
      errors.push(headerMistake("content-length", "malformed", detail));
    }
    if (length !== undefined && coding !== undefined) {
      const detail = "Content-Length and Transfer-Encoding contradict each other. Send one.";
      errors.push(headerMistake("content-length", "contradiction", detail));
    }
    const [first] = errors;
    if (first === undefined) return null;
    const repeated = `Send each of these headers only once: ${names.join(", ")}.`;
    const detail = names.length > 0 ? repeated : first.detail;
    return new AppError("invalid_request", detail, { errors });
  }
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  507: "Insufficient Storage",
};

/** Status and reason as they stand in the status line, such as `200 OK`. */
export function statusLine(status: number): string {
  return `${status} ${STATUS_TEXT[status] ?? "Unknown"}`;
}

/** What was wrong with bytes that are no request which is read here, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: "These bytes are not a valid HTTP/1.1 request.",
  408: "The request did not come in time.",
  431: "The request line and the headers are too large, or too many.",
  505: "Send the request as HTTP/1.1, with a path as its address.",
};

/**
 * The answer to bytes that never became an exchange: a problem document without a code, because
 * there is nothing more to tell apart than statuses (`about:blank`, RFC 9457, section 4.2.1).
 */
export function refusalOf(status: number): {
  readonly headers: readonly HeaderLine[];
  readonly body: string;
} {
  const id = requestIdOf(undefined);
  const [, title] = /^\d+ (.*)$/.exec(statusLine(status)) ?? [];
  const detail = REFUSALS[status] ?? "";
  const problem = { type: "about:blank", title, status, detail, request_id: id };
  const headers: HeaderLine[] = [
    ["Content-Type", "application/problem+json"],
    ["X-Request-Id", id],
    ["Cache-Control", "no-store"],
  ];
  return { headers, body: JSON.stringify(problem) };
}

/** The sentence for an address that cannot be taken; uWebSockets.js does not say why. */
export function cannotListen(address: ListenAddress): string {
  return (
    `Cannot listen at ${listenText(address)}. Another process may use that port, or the address ` +
    "is not one of this machine: choose another with --listen HOST:PORT (port 0 takes a free one)."
  );
}

/** What can stand in the list. */
export interface Listed<Member> {
  /** The one before and behind it; null at the ends, undefined where it is in no list. */
  before: Member | null | undefined;
  behind: Member | null | undefined;
}

/** A list whose members know their neighbours. */
export class OpenExchanges<Member extends Listed<Member>> {
  #first: Member | null = null;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Puts one into it that is in none. */
  add(member: Member): void {
    member.before = null;
    member.behind = this.#first;
    if (this.#first !== null) this.#first.before = member;
    this.#first = member;
    this.#size++;
  }

  /** Takes one out, if it is in. */
  delete(member: Member): void {
    const { before, behind } = member;
    if (before === undefined || behind === undefined) return;
    if (before === null) this.#first = behind;
    else before.behind = behind;
    if (behind !== null) behind.before = before;
    member.before = undefined;
    member.behind = undefined;
    this.#size--;
  }

  /** Each of them, the youngest first; the one that is handed out may end meanwhile. */
  *[Symbol.iterator](): Generator<Member> {
    for (let member = this.#first; member !== null; ) {
      const { behind = null } = member;
      yield member;
      member = behind;
    }
  }
}

/** An answer that can be sent later, or given up where even that goes wrong. */
interface HeldAnswer {
  send(): void;
  cut(): void;
}

/** Answers that are held back while the port comes to rest: an answered client may come again. */
export class HeldAnswers {
  #held: HeldAnswer[] | null = null;

  /** Begins to hold back. */
  begin(): void {
    this.#held ??= [];
  }

  /** Whether answers are held back now. */
  get holding(): boolean {
    return this.#held !== null;
  }

  /** Keeps an answer for later and says so; false when it can be sent now. */
  keep(answer: HeldAnswer): boolean {
    this.#held?.push(answer);
    return this.#held !== null;
  }

  /** Sends what was held back; one that cannot be sent must not keep the others. */
  end(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) {
      try {
        answer.send();
      } catch {
        answer.cut();
      }
    }
  }
}

/** Name and value of a response header. */
export type HeaderLine = readonly [name: string, value: string];

/** What the value of a header may hold. One transport would send anything else, one would not. */
export const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Lines that are sent one behind the other. */
export class HeaderBlock {
  readonly lines: readonly HeaderLine[];
  /** Name of the first line. */
  readonly name: string;
  /** Value of the first line, and the other lines behind it. */
  readonly value: string;
  /** All lines, with the end of a line before each. */
  readonly text: string;

  /** Of one line at least. */
  constructor(lines: readonly HeaderLine[]) {
    for (const [name, value] of lines) {
      assert(/^[A-Za-z-]+$/.test(name) && HEADER_VALUE.test(value), `${name} is a plain header`);
    }
    const [first] = lines;
    assert(first !== undefined, "a block has lines");
    this.lines = lines;
    this.name = first[0];
    this.text = lines.map(([name, value]) => startOfLine(name) + value).join("");
    this.value = this.text.slice(startOfLine(first[0]).length);
  }
}

/** How lines begin behind others, by name; names are words of the program. */
const starts = new Map<string, string>();

/** The end of the line before, and the name of a header. */
export function startOfLine(name: string): string {
  let start = starts.get(name);
  if (start === undefined) {
    start = `\r\n${name}: `;
    starts.set(name, start);
  }
  return start;
}

/** What a client may send as X-Request-Id, which is safe in a header and in a log. */
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
const RUN = randomBytes(6).toString("hex");
/** Ids made here differ from each other and from those of other runs of the server. */
let made = 0;

/** Digits of a number are of this base. */
const BASE = 36;
const DIGITS = 7;
/** All pairs of digits: the last two change with each id, the others seldom. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, pair) =>
  pair.toString(BASE).padStart(2, "0"),
);
/**
 * The id that was made last. As bytes, because a text that two others are joined to is put together
 * again by whoever looks into it, and every answer does so four times.
 */
const ID = Buffer.from(`req_${RUN}${"0".repeat(DIGITS)}`);
const LAST_AT = ID.byteLength - 2;
/** For how many pairs of last digits its others stand. */
let standing = 0;

/** Keeps the client's id where it is acceptable, else makes one. */
export function requestIdOf(sent: string | undefined): string {
  if (sent !== undefined && CLIENT_ID.test(sent)) return sent;
  made++;
  const pairs = Math.floor(made / PAIRS.length);
  if (standing !== pairs) {
    const digits = pairs.toString(BASE).padStart(DIGITS - 2, "0");
    ID.write(digits, LAST_AT - digits.length);
    standing = pairs;
  }
  const pair = PAIRS[made % PAIRS.length] as string;
  ID[LAST_AT] = pair.charCodeAt(0);
  ID[LAST_AT + 1] = pair.charCodeAt(1);
  return ID.toString("latin1");
}
