/**
 * A forwarded request at the main thread, which has the state open. It is an exchange whose
 * connection belongs to another thread. Input: messages of that thread. Output: messages to it.
 * Invariant: it behaves like the original exchange. The resources of an answer are released once,
 * even if the thread ends.
 */

import type { BodyRequest } from "../body.ts";
import {
  type AnswerBody,
  type FileSlice,
  isStreamed,
  type PulledBody,
  pull,
  SharedBytes,
} from "../transport/answer-body.ts";
import {
  type AwaitsEnd,
  type Exchange,
  HeaderBlock,
  type HeaderList,
  type ReadHeader,
} from "../transport/transport.ts";
import {
  bytesToSend,
  copyForTransfer,
  type ForwardedRequest,
  type Post,
  type ToOwner,
  type ToThread,
} from "./wire.ts";

/** A request that another thread received. */
export class ForwardedExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly address: string;
  /** Always null: the thread itself refuses unsafe requests. */
  readonly framing = null;
  readonly #id: number;
  readonly #headers: ReadonlyMap<ReadHeader, string>;
  readonly #post: Post<ToThread>;
  #wanted: BodyRequest | null = null;
  #source: PulledBody | null = null;
  #file: FileSlice | null = null;
  #awaiting: AwaitsEnd | null = null;
  #isOver = false;
  #isGone = false;

  constructor(request: ForwardedRequest, post: Post<ToThread>) {
    this.#id = request.id;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.address = request.address;
    this.#headers = new Map(request.headers);
    this.#post = post;
  }

  get aborted(): boolean {
    return this.#isGone;
  }

  get finished(): boolean {
    return this.#isGone;
  }

  header(name: ReadHeader): string | undefined {
    return this.#headers.get(name);
  }

  body(wanted: BodyRequest): void {
    this.#wanted = wanted;
    const { limitBytes, sender, taker } = wanted;
    this.#post({ kind: "read", id: this.#id, limitBytes, sender, inChunks: taker !== undefined });
  }

  /** Does nothing, because the receiving thread buffers the body. */
  keepBody(): void {}

  whenOver(awaiting: AwaitsEnd): void {
    if (this.#isOver) awaiting.over();
    else this.#awaiting = awaiting;
  }

  send(status: number, headers: HeaderList, body: AnswerBody): void {
    if (this.#isGone) {
      if (isStreamed(body)) pull(body).end();
      return;
    }
    const answer = { kind: "answer", id: this.#id, status, headers: linesOf(headers) } as const;
    if (!isStreamed(body)) {
      const bytes = body instanceof SharedBytes ? body.bytes : body;
      this.#post({ ...answer, body: typeof bytes === "string" ? bytes : bytesToSend(bytes) });
    } else if ("descriptor" in body) {
      const { descriptor, offset, length } = body;
      this.#file = body;
      this.#post({ ...answer, body: { descriptor, offset, length } });
    } else {
      this.#source = pull(body);
      const { length } = this.#source;
      this.#post({ ...answer, body: length === null ? null : { chunkBytes: length } });
    }
  }

  cut(): void {
    this.#post({ kind: "cut", id: this.#id });
  }

  /** Processes a message of the thread. Returns true if it was the request's last message. */
  take(message: Exclude<ToOwner, ForwardedRequest>): boolean {
    if (message.kind === "chunk") this.#wanted?.taker?.add(message.bytes);
    else if (message.kind === "body") this.#handOver(message.body);
    else if (message.kind === "dropped") this.#wanted?.taker?.drop?.();
    else if (message.kind === "more") this.#more();
    else if (message.kind === "ended") this.#endSource(message.failure);
    else this.#end(message.gone);
    // If the answer is a file, the request ends when the thread has closed the file.
    return this.#isOver && this.#source === null && this.#file === null;
  }

  /**
   * Ends the exchange after its thread has ended. Does not close the file of an answer: the thread
   * may have closed it, and the descriptor number may already belong to another file.
   */
  lost(): void {
    this.#wanted?.taker?.drop?.();
    this.#endSource(null);
    this.#end(true);
  }

  #handOver(body: Parameters<BodyRequest["read"]>[0]): void {
    const wanted = this.#wanted;
    this.#wanted = null;
    wanted?.read(body);
  }

  #more(): void {
    const source = this.#source;
    if (source === null) return;
    source.next((chunk) => {
      const bytes = chunk === null ? null : copyForTransfer(chunk);
      const isLast = source.left === 0;
      this.#post(
        { kind: "piece", id: this.#id, bytes, isLast },
        bytes === null ? [] : [bytes.buffer],
      );
    });
  }

  #endSource(failure: string | null): void {
    this.#source?.end();
    this.#source = null;
    const file = this.#file;
    this.#file = null;
    if (failure !== null) file?.failed?.(new Error(failure));
    file?.done?.();
  }

  #end(isGone: boolean): void {
    this.#isGone ||= isGone;
    this.#isOver = true;
    this.#awaiting?.over();
    this.#awaiting = null;
  }
}

/** Returns the headers as a flat list in which names and values alternate. */
function linesOf(headers: HeaderList): string[] {
  return headers.flatMap((entry) => {
    if (typeof entry === "string") return [entry];
    return entry instanceof HeaderBlock ? entry.lines.flat() : [...entry];
  });
}
