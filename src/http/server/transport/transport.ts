/**
 * What a transport is: something that listens, turns each HTTP request into an Exchange and hands
 * it to one handler. What comes in: bytes on a socket (the two implementations are in
 * transport-uws.ts and transport-node.ts). What goes out: one answer per exchange.
 * Invariant: both implementations behave the same above this interface. What a parser refuses
 * below it (400, 408, 431, 505) is answered by the transport itself and closes the connection.
 */

import { AppError } from "../../../errors.ts";
import type { ListenAddress } from "../../../settings/settings.ts";
import type { Budget } from "../budget.ts";
import { headerMistake } from "../query.ts";
import { requestIdOf } from "../requestid.ts";
import type { AnswerBody } from "./body-stream.ts";
import type { HeaderBlock, HeaderLine } from "./headerblock.ts";
import type { BodyRequest } from "./incoming.ts";
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
   * Reads the whole body and hands it over once, at once where the body has already arrived, or as
   * soon as it is clear that it will not be read. Never calls it when the client goes away or
   * takes longer than the request timeout.
   */
  body(wanted: BodyRequest): void;
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
const READ_HEADERS = [
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

/**
 * The read headers of one request. Each decides who asks, where the body ends or what it is, so
 * none may come twice: two parsers on the way could each believe another one.
 */
export class HeadHeaders {
  readonly #values: (string | undefined)[] = new Array(ROOM).fill(undefined);
  /** Names that came again. */
  #repeated: Set<string> | null = null;

  /** Takes one header line; `name` in lower case. */
  add(name: string, value: string): void {
    const at = PLACES.get(name);
    if (at === undefined) return;
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
        "The method is no token of HTTP, such as GET or POST.",
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
  400: "These bytes are no proper request of HTTP 1.1.",
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
export function cannotListen({ host, port }: ListenAddress): string {
  return (
    `Cannot listen at ${host}:${port}. Another process may use that port, or the address is not ` +
    "one of this machine: choose another with --listen HOST:PORT (port 0 takes a free one)."
  );
}
