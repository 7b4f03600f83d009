/**
 * A connection of node:http. Input: chunks from the kernel, and the begin and end of requests.
 * Output: slices for Node's parser, each passed on after the previous one was processed; admission
 * of requests.
 * Invariant: bytes reach the parser in order, and never after the last answer. Node answers all
 * requests of a chunk in one turn, and a 64 KiB chunk holds thousands. So between slices, this
 * class checks whether Node waits for the client to read and whether the turn is used up.
 */
import type { Socket } from "node:net";
import type { AppError } from "../../../errors.ts";
import { later } from "../background-tasks.ts";
import { type ConnectionSlot, Pipeline } from "./sockets.ts";

/** The end of a request's head. A slice ends there, so it completes at most one request. */
const HEAD_END = "\r\n\r\n";
/** Bytes per slice if it contains no end of a head. */
const SLICE_BYTES = 2_048;

/**
 * Max requests per connection and turn of the event loop. Later turns process the rest. The limit
 * is low because deferring a request costs nothing.
 */
const TURN_REQUESTS_MAX = 4;

/** Max bytes to discard after a connection's last answer, so that the client can read it. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

/** A byte that Node's parser rejects in headers. */
const DELETE = 0x7f;
const HEADER_VALUES = /(\r\n[^:\r\n]+:)([^\r\n]*\x7f[^\r\n]*)/g;

const NOTHING: Buffer = Buffer.alloc(0);

interface LastMessage {
  /** True once the request's whole body has been parsed. */
  readonly complete: boolean;
  /** Members that show whether the body has a reader, and whether the reader got its end. */
  readonly readableFlowing: boolean | null;
  readonly readableEnded: boolean;
  once(event: "end", callback: () => void): unknown;
}

/** Properties of a new request. */
interface Beginning {
  /** Length of the request's body, or null if it is not stated. */
  readonly bodyBytes: number | null;
  readonly path: string;
  /** True if the client wants the connection closed after the answer. */
  readonly closes: boolean;
}

/** Removes Node's listeners from a socket. Returns a function that calls them. */
function takenListeners(socket: Socket, event: "data" | "end"): (slice?: Buffer) => void {
  const listeners = socket.listeners(event) as ((slice?: Buffer) => void)[];
  for (const listener of listeners) socket.off(event, listener);
  return (slice) => {
    for (const listener of listeners) listener.call(socket, slice);
  };
}

/** A connection. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #slot: ConnectionSlot;
  readonly #pipeline = new Pipeline();
  readonly #parse: (slice: Buffer) => void;
  /** Tells Node that the client has half-closed the connection. */
  readonly #finish: () => void;
  #rest: Buffer = NOTHING;
  /** The latest request. */
  #message: LastMessage | null = null;
  #lastAnswered = false;
  /** Remaining bytes of the request's body; infinite if the length is not stated. */
  #bodyLeft = 0;
  /** Called when the socket closes. */
  readonly #whenClosed = new Set<() => void>();
  /** The request whose reader has not yet received the end of the body. */
  #awaited: LastMessage | null = null;
  #feeding = false;
  /** True if reading was paused by this class and not by Node. */
  #holding = false;
  #over = false;
  /** True if the client wants the connection closed after its last request's answer. */
  #closes = false;
  #finished = false;
  #finishReported = false;
  #discarded = 0;

  /** Replaces the parser's listener on a connection that Node has just prepared. */
  constructor(socket: Socket, slot: ConnectionSlot) {
    this.#socket = socket;
    this.#slot = slot;
    this.#parse = takenListeners(socket, "data");
    this.#finish = takenListeners(socket, "end");
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => {
      this.#finished = true;
      this.#goOn();
    });
    socket.on("resume", () => this.#resumed());
    this.#pipeline.onRoom = () => this.#goOn();
  }

  /** True once the connection has got its last answer. */
  get over(): boolean {
    return this.#over;
  }

  /** True once the client has closed its writing half, or the whole connection. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Begins a request. Returns a refusal, or null. After null, the caller must call `done`. */
  begin(message: LastMessage, { bodyBytes, path, closes }: Beginning): AppError | null {
    this.#message = message;
    this.#closes ||= closes;
    this.#lastAnswered = false;
    this.#bodyLeft = bodyBytes ?? Number.POSITIVE_INFINITY;
    this.#pipeline.begin();
    return this.#slot.begin(path);
  }

  /** Counts the bytes of a sent answer. */
  answered(message: LastMessage, bytes: number): void {
    if (message === this.#message) this.#lastAnswered = true;
    this.#pipeline.answered(bytes);
  }

  /** True if malformed bytes may be refused: their request, and no earlier one, lacks an answer. */
  get refusable(): boolean {
    if (!this.#inBody) return this.#pipeline.open === 0;
    return !this.#lastAnswered && this.#pipeline.open === 1;
  }

  /** Records that an answer was sent or dropped. */
  done(): void {
    this.#slot.end();
    this.#pipeline.end();
  }

  /** Marks the last answer. No further bytes are parsed. */
  end(): void {
    this.#over = true;
  }

  /** Registers a callback for when the socket closes. Returns a function that removes it. */
  whenClosed(callback: () => void): () => void {
    this.#whenClosed.add(callback);
    return () => this.#whenClosed.delete(callback);
  }

  /** Records that the socket has closed. */
  closed(): void {
    this.#slot.leave();
    for (const callback of this.#whenClosed) callback();
    this.#whenClosed.clear();
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#resumed();
  }

  /** Pauses again if needed, because Node resumes reading after each message. */
  #resumed(): void {
    if (this.#holding) this.#socket.pause();
    else this.#goOn();
  }

  #goOn(): void {
    if (this.#feeding) return;
    this.#feeding = true;
    while (this.#rest.byteLength > 0 && this.#mayGoOn()) {
      const inBody = this.#inBody;
      const slice = this.#rest.subarray(0, inBody ? this.#bodyBytes() : this.#headBytes());
      this.#rest = this.#rest.subarray(slice.byteLength);
      if (inBody) this.#bodyLeft -= slice.byteLength;
      this.#parse(inBody ? slice : withoutDelete(slice));
    }
    this.#feeding = false;
    if (this.#finished && !this.#finishReported && this.#rest.byteLength === 0) {
      this.#finishReported = true;
      this.#finish();
    }
  }

  #headBytes(): number {
    const end = this.#rest.indexOf(HEAD_END) + HEAD_END.length;
    return end < HEAD_END.length ? SLICE_BYTES : Math.min(end, SLICE_BYTES);
  }

  /** Returns the length of a slice in a body. A body of unknown length is searched for its end. */
  #bodyBytes(): number {
    const known = this.#bodyLeft > 0 && Number.isFinite(this.#bodyLeft);
    return known ? this.#bodyLeft : this.#headBytes();
  }

  get #inBody(): boolean {
    return this.#message !== null && !this.#message.complete;
  }

  /** True while a body has arrived but its reader has not yet received Node's `end` event. */
  #waitsForReader(): boolean {
    const message = this.#message;
    if (message === null || message.readableFlowing !== true || !message.complete) return false;
    if (message.readableEnded) return false;
    if (this.#awaited !== message) message.once("end", () => this.#goOn());
    this.#awaited = message;
    return true;
  }

  #mayGoOn(): boolean {
    const socket = this.#socket;
    // In these cases, the parser may already serve another connection.
    const broken = socket.destroyed || socket.errored !== null;
    const last = this.#closes && !this.#inBody;
    if (this.#over || last || socket.writableEnded || broken) return this.#discard();
    const { requests, turnOver, crowded } = this.#pipeline;
    const full = requests >= TURN_REQUESTS_MAX || turnOver || crowded;
    if (this.#waitsForReader()) return false;
    // Never pauses within a body, whose timeout could expire although the body has arrived.
    if (full && !this.#inBody) return this.#hold();
    if (this.#holding) {
      this.#holding = false;
      socket.resume();
    }
    // If Node has paused the socket, the client must first read its answers.
    return !socket.isPaused();
  }

  #discard(): boolean {
    this.#discarded += this.#rest.byteLength;
    this.#rest = NOTHING;
    if (this.#discarded > DISCARD_BYTES_MAX) this.#socket.destroy();
    return false;
  }

  /** Pauses reading until the next turn, or until an answer is sent. Returns false. */
  #hold(): boolean {
    // If Node has paused the socket, Node will also resume it.
    if (!this.#holding && this.#socket.isPaused()) return false;
    this.#holding = true;
    this.#socket.pause();
    if (!this.#pipeline.crowded) later(() => this.#goOn());
    return false;
  }
}

/**
 * Replaces DELETE in a head by another byte that no known header may contain. Then only the
 * header's consumer refuses the value, instead of Node refusing the whole request as malformed.
 * uWebSockets.js does the same.
 */
function withoutDelete(head: Buffer): Buffer {
  if (!head.includes(DELETE)) return head;
  const normalize = (_line: string, name: string, value: string) =>
    name + value.replaceAll("\x7f", "\x80");
  return Buffer.from(head.toString("latin1").replace(HEADER_VALUES, normalize), "latin1");
}
