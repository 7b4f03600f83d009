/**
 * The thread's side of requests that it forwards to the owner (the main thread, which has the state
 * open). Input: the thread's exchanges, and messages of the owner. Output: messages to the owner,
 * and the owner's answers on the exchanges.
 * Invariant: the owner receives each request, and the message of its end, exactly once. The first
 * part of the body may be forwarded with the request. The rest stays in the client's connection
 * until the owner requests it.
 */
import { close } from "node:fs";
import type { PulledBody } from "../transport/answer-body.ts";
import { type Exchange, READ_HEADERS } from "../transport/transport.ts";
import {
  copyForTransfer,
  type ForwardedRequest,
  type Post,
  type ToOwner,
  type ToThread,
  type WireBody,
} from "./wire.ts";

/** Forwards a request to the owner. `body` is null if the body has not been read yet. */
export type Forward = (exchange: Exchange, requestId: string, body: Uint8Array | null) => void;

/** Thrown if a handler finds that only the owner can answer the request. */
export class OwnerRequired extends Error {}

/** Requests that this thread has received and the owner answers. */
export class Forwarder {
  readonly #post: Post<ToOwner>;
  readonly #open = new Map<number, ForwardedCall>();
  #last = 0;

  constructor(post: Post<ToOwner>) {
    this.#post = post;
  }

  readonly forward: Forward = (exchange, requestId, body) => {
    const id = ++this.#last;
    const over = () => this.#open.delete(id);
    const forwarded = new ForwardedCall({ id, exchange, body, post: this.#post, over });
    this.#open.set(id, forwarded);
    // The request is registered first, because `begin` ends it immediately if the client has left.
    forwarded.begin(requestId);
  };

  /** Number of requests that the owner has not finished answering. */
  get size(): number {
    return this.#open.size;
  }

  /** Processes a message of the owner. */
  take(message: ToThread): void {
    const forwarded = this.#open.get(message.id);
    if (forwarded !== undefined) forwarded.take(message);
    else if (message.kind === "answer") this.#refuseLate(message);
  }

  /** Releases the resources of an answer whose client has left. */
  #refuseLate({ id, body }: Extract<ToThread, { kind: "answer" }>): void {
    if (typeof body === "string" || body instanceof Uint8Array) return;
    if (body !== null && "descriptor" in body) close(body.descriptor, () => {});
    this.#post({ kind: "ended", id, failure: null });
  }
}

interface ForwardInput {
  readonly id: number;
  readonly exchange: Exchange;
  readonly body: Uint8Array | null;
  readonly post: Post<ToOwner>;
  /** Called when the request has ended. */
  readonly over: () => void;
}

class ForwardedCall {
  readonly #forwarded: ForwardInput;
  #pieces: OwnerBody | null = null;

  constructor(forwarded: ForwardInput) {
    this.#forwarded = forwarded;
  }

  /** Sends the request to the owner. */
  begin(requestId: string): void {
    const { exchange, body, post } = this.#forwarded;
    if (body === null && hasBody(exchange.method)) exchange.keepBody();
    post(requestOf(this.#forwarded, requestId));
    exchange.whenOver({ over: () => this.#over() });
  }

  take(message: ToThread): void {
    const { exchange } = this.#forwarded;
    if (message.kind === "read") this.#read(message);
    else if (message.kind === "piece") this.#pieces?.come(message.bytes, message.isLast);
    else if (message.kind === "cut") exchange.cut();
    else exchange.send(message.status, message.headers, this.#bodyOf(message.body));
  }

  #read({ limitBytes, sender, inChunks }: Extract<ToThread, { kind: "read" }>): void {
    const { id, exchange, body, post } = this.#forwarded;
    if (body !== null) {
      post({ kind: "body", id, body: copyForTransfer(body) });
      return;
    }
    const taker = {
      add: (chunk: Uint8Array) => post({ kind: "chunk", id, bytes: copyForTransfer(chunk) }),
      drop: () => post({ kind: "dropped", id }),
    };
    exchange.body({
      ...{ limitBytes, sender, taker: inChunks ? taker : undefined },
      read: (read) => {
        post({ kind: "body", id, body: typeof read === "string" ? read : copyForTransfer(read) });
      },
    });
  }

  #bodyOf(body: WireBody) {
    const { id, post } = this.#forwarded;
    if (typeof body === "string" || body instanceof Uint8Array) return body;
    if (body === null || "chunkBytes" in body) {
      this.#pieces = new OwnerBody(id, post, body?.chunkBytes ?? null);
      return { forwarded: this.#pieces };
    }
    let failure: string | null = null;
    return {
      ...body,
      failed: (error: Error) => {
        failure = error.message;
      },
      done: () => post({ kind: "ended", id, failure }),
    };
  }

  #over(): void {
    const { id, exchange, post, over } = this.#forwarded;
    over();
    post({ kind: "over", id, gone: exchange.aborted });
  }
}

function hasBody(method: string): boolean {
  return method === "POST" || method === "PATCH";
}

function requestOf({ id, exchange }: ForwardInput, requestId: string): ForwardedRequest {
  const headers: (readonly [(typeof READ_HEADERS)[number], string])[] = [];
  for (const name of READ_HEADERS) {
    const value = name === "x-request-id" ? requestId : exchange.header(name);
    if (value !== undefined) headers.push([name, value]);
  }
  const { method, path, query, address } = exchange;
  return { kind: "request", id, method, path, query, address, headers };
}

class OwnerBody implements PulledBody {
  readonly length: number | null;
  readonly #id: number;
  readonly #post: Post<ToOwner>;
  /** Bytes left; infinite if the length is unknown. */
  #left: number;
  #done: ((chunk: Uint8Array | null) => void) | null = null;
  #isWhole = false;
  #isEnded = false;

  constructor(id: number, post: Post<ToOwner>, length: number | null) {
    this.#id = id;
    this.#post = post;
    this.length = length;
    this.#left = length ?? Number.POSITIVE_INFINITY;
  }

  get left(): number {
    return this.#isWhole ? 0 : this.#left;
  }

  next(done: (chunk: Uint8Array | null) => void): void {
    this.#done = done;
    this.#post({ kind: "more", id: this.#id });
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#done = null;
    this.#post({ kind: "ended", id: this.#id, failure: null });
  }

  /** Receives the chunk that `next` requested. */
  come(bytes: Uint8Array | null, isLast: boolean): void {
    const done = this.#done;
    this.#done = null;
    this.#isWhole = isLast;
    this.#left -= bytes?.byteLength ?? 0;
    done?.(bytes);
  }
}
