/**
 * Interface of a transport: it listens, turns each HTTP request into an Exchange, and passes the
 * exchange to one handler. Input: bytes on a socket. Output: one answer per exchange.
 * Invariant: the two implementations, transport-uws.ts and transport-node.ts, behave identically
 * above this interface. A request that a parser refuses (400, 408, 431, 505) is answered by the
 * transport itself, which then closes the connection. A `HeaderBlock` never contains text from a
 * client. An exchange is in at most one linked list, which removes it in O(1).
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
import type { ReadSpeedLimits } from "./readspeed.ts";
import type { SocketLimits, Sockets } from "./sockets.ts";

/** Limits of a transport, from the settings `http.*`. */
export interface TransportLimits extends SocketLimits, ReadSpeedLimits {
  /** Max bytes of request line and headers together; larger heads get 431. */
  readonly headBytesMax: number;
  /** Timeouts for the headers, and for the whole request, in milliseconds. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Timeout of an idle socket, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Maximum bytes of all incoming request bodies. */
  readonly bodiesBytesMax: number;
  /** One client may use at most this share of the memory that is free for bodies. */
  readonly senderShareMax: number;
  /** Counts body bytes for the whole process. If undefined, only this transport counts its own. */
  readonly ledger?: Ledger | undefined;
}

/** Max header lines; more get 431. uWebSockets.js has room for 100 and uses two of them itself. */
export const HEADER_COUNT_MAX = 98;
/**
 * Response headers in order. An entry is a line, a block of lines, or a header's name. After a
 * name, the next entry is its value. Such pairs spare the allocation of an object for each header.
 */
export type HeaderList = readonly (HeaderLine | HeaderBlock | string)[];

/** An object that is notified when an exchange ends. */
export interface AwaitsEnd {
  over(): void;
}

/** A request and its answer. All values are copies that stay valid. */
export interface Exchange {
  /** Method as sent, in the same case. */
  readonly method: string;
  /** Raw path without the query; percent escapes are not decoded. */
  readonly path: string;
  /** Raw query without the question mark; empty if there is none. */
  readonly query: string;
  /**
   * Error if the request exceeds a limit, or if a proxy could find its end at another byte; else
   * null. The answer then closes the connection, and later requests on it are not answered.
   */
  readonly framing: AppError | null;
  /** Returns a known header (lower-case name); undefined if it was not sent. */
  header(name: ReadHeader): string | undefined;
  /**
   * Client address without a port. It may be read only in the turn of the event loop in which the
   * request arrived.
   */
  readonly address: string;
  /** True once the client is gone; its answer is discarded. */
  readonly aborted: boolean;
  /**
   * True once the client has left or closed its side of the connection. The answer is still sent,
   * but nothing should wait for it.
   */
  readonly finished: boolean;
  /**
   * Reads the whole body and passes it to `wanted` once. Calls `wanted` immediately if the body has
   * arrived or is refused. Never calls it if the client leaves or exceeds the request timeout.
   */
  body(wanted: BodyRequest): void;
  /** Buffers the body until `body` is called, which may never happen. May be called again. */
  keepBody(): void;
  /**
   * Notifies an observer when the exchange ends: the answer was sent, or the client has left. A
   * large answer counts as sent once the client has read it. If the exchange is already over,
   * notifies immediately.
   */
  whenOver(awaiting: AwaitsEnd): void;
  /**
   * Sends the answer. HEAD gets the same headers without a body; 204 and 304 have no body. Must be
   * called exactly once. Always releases files and streams.
   */
  send(status: number, headers: HeaderList, body: AnswerBody): void;
  /**
   * Closes the connection after sending has failed. Never throws. If the answer is already
   * complete, leaves it intact where possible.
   */
  cut(): void;
}

/** Answers exchanges; must never throw and must call `send` or `cut` exactly once. */
export type ExchangeHandler = (exchange: Exchange) => void;

/** An HTTP implementation. */
export interface Transport {
  readonly name: TransportName;
  /** Limits the memory of incoming request bodies. */
  readonly bodies: Budget;
  readonly sockets: Sockets;
  /** Starts accepting and returns the port. Fails if the address is in use. */
  listen(address: ListenAddress, handler: ExchangeHandler): Promise<number>;
  /** Passes requests to another handler from now on. */
  answerWith(handler: ExchangeHandler): void;
  /** Makes every answer from now on close its connection. */
  leave(): void;
  /** Stops accepting, waits up to `deadlineMs` for open requests, and closes all sockets. */
  close(deadlineMs: number): Promise<void>;
}

/** The two implementations. */
export type TransportName = "uws" | "node";

/** The request headers that this program reads. The transports copy no others. */
export const READ_HEADERS = [
  // The most frequent headers come first, because only the first `ROOM` values are preallocated.
  "host",
  "authorization",
  "content-length",
  "content-type",
  "transfer-encoding",
  "accept-encoding",
  "if-none-match",
  "x-request-id",
  "accept",
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
  "accept",
] as const;
/** Number of preallocated header values. One for each known header would waste memory. */
const ROOM = 8;

/** Name of a known header. */
export type ReadHeader = (typeof READ_HEADERS)[number];

/** Maps each header to the index of its value. */
const PLACES: ReadonlyMap<string, number> = new Map(READ_HEADERS.map((name, at) => [name, at]));

/** Methods that may have a chunked body. */
const CHUNKED_METHODS = new Set(["POST", "PATCH"]);
/** A Content-Length that all parsers read alike. */
const LENGTH = /^\d{1,15}$/;
/** A method that is an HTTP token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function isToken(method: string): boolean {
  return method === "POST" || method === "GET" || TOKEN.test(method);
}

/**
 * Headers with a list as value. They may be repeated, because every proxy may add a line (RFC 9110,
 * section 5.3).
 */
const LIST_HEADERS = ["x-forwarded-for", "accept"];

/** This header may be a list. Only its member `close` matters (RFC 9112, section 9.6). */
const CONNECTION = "connection";

/** True if a Connection header has the member `close`. */
function isClose(value: string): boolean {
  // Handles the usual value without creating garbage.
  if (value === "keep-alive") return false;
  return value.split(",").some((member) => member.trim().toLowerCase() === "close");
}

/**
 * The headers of one request that this program reads. A repeated header (other than a list) is an
 * error, because a proxy could use a different line than this server.
 */
export class HeadHeaders {
  readonly #values: (string | undefined)[] = new Array(ROOM).fill(undefined);
  #repeated: Set<string> | null = null;
  #closes = false;

  /** True if the client wants the connection closed after the answer. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Adds a header line; `name` in lower case. */
  add(name: string, value: string): void {
    const at = PLACES.get(name);
    if (at === undefined) {
      if (name === CONNECTION && isClose(value)) this.#closes = true;
      return;
    }
    const before = this.#values[at];
    if (before === undefined) {
      this.#values[at] = value;
    } else if (LIST_HEADERS.includes(name)) {
      this.#values[at] = `${before}, ${value}`;
    } else {
      this.#repeated ??= new Set();
      this.#repeated.add(name);
    }
  }

  /** Returns a header's value, or undefined. */
  get(name: ReadHeader): string | undefined {
    return this.#values[PLACES.get(name) as number];
  }

  /** Replaces Host by the authority of an absolute request target. */
  replaceHost(authority: string): void {
    this.#values[PLACES.get("host") as number] = authority;
  }

  /** Returns the error for `Exchange.framing`, with all mistakes; null if the headers are valid. */
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

/** Returns the text of a status line, such as `200 OK`. */
export function statusLine(status: number): string {
  return `${status} ${STATUS_TEXT[status] ?? "Unknown"}`;
}

/** Details for unparsable requests, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: "These bytes are not a valid HTTP/1.1 request.",
  408: "The request did not come in time.",
  431: "The request line and the headers are too large, or too many.",
  505: "Send the request as HTTP/1.1, with a path as its address.",
};

/**
 * Returns the answer to a request that the parser could not read. It is a problem document without
 * a code, because only the status matters (`about:blank`, RFC 9457, section 4.2.1).
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

/**
 * Returns the message for an address that cannot be bound. It names no reason, because
 * uWebSockets.js reports none.
 */
export function cannotListen(address: ListenAddress): string {
  return (
    `Cannot listen at ${listenText(address)}. Another process may use that port, or the address ` +
    "is not one of this machine: choose another with --listen HOST:PORT (port 0 takes a free one)."
  );
}

/** An object that can be a member of the linked list. */
export interface ListNode<Member> {
  /** Neighbors; null at the ends, undefined if the member is in no list. */
  before: Member | null | undefined;
  after: Member | null | undefined;
}

/** A doubly linked list. */
export class OpenExchanges<Member extends ListNode<Member>> {
  #first: Member | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a member that is in no list. */
  add(member: Member): void {
    member.before = null;
    member.after = this.#first;
    if (this.#first !== null) this.#first.before = member;
    this.#first = member;
    this.#size++;
  }

  /** Removes a member if it is in the list. */
  delete(member: Member): void {
    const { before, after } = member;
    if (before === undefined || after === undefined) return;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after !== null) after.before = before;
    member.before = undefined;
    member.after = undefined;
    this.#size--;
  }

  /** Iterates, newest first; the loop may remove the yielded member. */
  *[Symbol.iterator](): Generator<Member> {
    for (let member = this.#first; member !== null; ) {
      const { after = null } = member;
      yield member;
      member = after;
    }
  }
}

interface DelayedAnswer {
  send(): void;
  cut(): void;
}

/** Answers that wait while the port is drained: an answered client may send another request. */
export class DelayedAnswers {
  #held: DelayedAnswer[] | null = null;

  begin(): void {
    this.#held ??= [];
  }

  get holding(): boolean {
    return this.#held !== null;
  }

  /** Delays an answer and returns true; returns false if it can be sent now. */
  keep(answer: DelayedAnswer): boolean {
    this.#held?.push(answer);
    return this.#held !== null;
  }

  /** Sends the delayed answers; if one fails, the others are still sent. */
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

/** Allowed header values. The two transports treat all other values differently. */
export const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Consecutive header lines. */
export class HeaderBlock {
  readonly lines: readonly HeaderLine[];
  /** Name of the first line. */
  readonly name: string;
  /**
   * Value of the first line, followed by all other lines. A caller that writes this text as the
   * value of the header `name` therefore sends all lines.
   */
  readonly value: string;
  /** All lines, each after a line break. */
  readonly text: string;

  /** `lines` must have at least one line. */
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

/**
 * The start of a header line for each name, such as "\r\nContent-Type: ". The map stays small,
 * because it contains only header names that this program sends.
 */
const starts = new Map<string, string>();

/** Returns the line break, name, and colon that start a header line. */
export function startOfLine(name: string): string {
  let start = starts.get(name);
  if (start === undefined) {
    start = `\r\n${name}: `;
    starts.set(name, start);
  }
  return start;
}

/** Valid X-Request-Id of a client: safe in a header and in a log. */
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
const RUN = randomBytes(6).toString("hex");
/** Counter that makes ids unique; RUN distinguishes runs of the server. */
let made = 0;

/** Base of the digits of a number. */
const BASE = 36;
const DIGITS = 7;
/** All pairs of base-36 digits. From one id to the next, usually only the last pair changes. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, pair) =>
  pair.toString(BASE).padStart(2, "0"),
);
/**
 * The latest id, as bytes. Each answer reads its id four times. If the id were a concatenated
 * string, V8 would have to flatten it first.
 */
const ID = Buffer.from(`req_${RUN}${"0".repeat(DIGITS)}`);
const LAST_AT = ID.byteLength - 2;
/** Number that the leading digits of `ID` encode. */
let standing = 0;

/** Returns the client's id if it is valid, else a new id. */
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
