/**
 * A connection of node:http. What comes in: chunks as the system delivers them, and that requests
 * begin and end. What goes out: slices for Node's parser, each when the one before has been worked
 * off, and whether there is room for a request.
 * Invariant: bytes reach the parser in order, or not at all behind the last answer. Node answers
 * all requests of a chunk at once, and a chunk of 64 KiB holds thousands: between two slices it is
 * looked whether Node waits for the client to read, and whether the connection has had its turn.
 */
import type { Socket } from "node:net";
import type { AppError } from "../../../errors.ts";
import { later } from "../background-tasks.ts";
import { Pipeline, type Seat } from "./sockets.ts";

/** What ends a head: no slice reaches beyond it, so that it brings one request. */
const HEAD_END = "\r\n\r\n";
/** Bytes that are parsed at once where no head ends. */
const SLICE_BYTES = 2_048;

/**
 * Requests of one connection that are answered in one turn; the others share what `later` gives
 * them of the next turns. Waiting costs nobody anything here, so these are few.
 */
const TURN_REQUESTS_MAX = 4;

/** Bytes behind a last answer that are read away, so that the client can read that answer. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

/** A byte that Node's parser takes no header with, and where it may stand. */
const DELETE = 0x7f;
const HEADER_VALUES = /(\r\n[^:\r\n]+:)([^\r\n]*\x7f[^\r\n]*)/g;

const NOTHING: Buffer = Buffer.alloc(0);

/** What is looked at of the request that came last. */
interface LastMessage {
  /** Whether all of its body has been parsed. */
  readonly complete: boolean;
  /** Whether somebody reads its body, and whether that reader has been told of the end. */
  readonly readableFlowing: boolean | null;
  readonly readableEnded: boolean;
  once(event: "end", told: () => void): unknown;
}

/** What is known of a request when it begins. */
interface Beginning {
  /** Length of its body; null if it does not say. */
  readonly bodyBytes: number | null;
  readonly path: string;
  /** True if the client wants the connection to end with the answer. */
  readonly closes: boolean;
}

/** Takes Node's listeners off a socket; returns a function that calls them. */
function takenListeners(socket: Socket, event: "data" | "end"): (slice?: Buffer) => void {
  const listeners = socket.listeners(event) as ((slice?: Buffer) => void)[];
  for (const listener of listeners) socket.off(event, listener);
  return (slice) => {
    for (const listener of listeners) listener.call(socket, slice);
  };
}

/** One connection. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #seat: Seat;
  readonly #pipeline = new Pipeline();
  readonly #parse: (slice: Buffer) => void;
  /** Tells Node that the client has closed its writing half. */
  readonly #finish: () => void;
  #rest: Buffer = NOTHING;
  /** The request that came last. */
  #message: LastMessage | null = null;
  #lastAnswered = false;
  /** Bytes of its body that are still to come; as many as there may be where it does not say. */
  #bodyLeft = 0;
  /** Whom to tell that the socket closed. */
  readonly #whenClosed = new Set<() => void>();
  /** The request whose reader is waited for. */
  #awaited: LastMessage | null = null;
  #feeding = false;
  /** True while this, and not Node, has stopped the reading. */
  #holding = false;
  #over = false;
  /** True if the client wants the connection to end with the answer to its last request. */
  #closes = false;
  #finished = false;
  #finishTold = false;
  #discarded = 0;

  /** Takes the place of the parser's listener on a connection that Node has just prepared. */
  constructor(socket: Socket, seat: Seat) {
    this.#socket = socket;
    this.#seat = seat;
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

  /** Whether it got its last answer. */
  get over(): boolean {
    return this.#over;
  }

  /** True once the client has closed its writing half, or the whole connection. */
  get finished(): boolean {
    return this.#finished;
  }

  /** A request begins; gives why it cannot be answered, or null. `done` must follow. */
  begin(message: LastMessage, { bodyBytes, path, closes }: Beginning): AppError | null {
    this.#message = message;
    this.#closes ||= closes;
    this.#lastAnswered = false;
    this.#bodyLeft = bodyBytes ?? Number.POSITIVE_INFINITY;
    this.#pipeline.begin();
    return this.#seat.begin(path);
  }

  /** Bytes are handed over that answer a request. */
  answered(message: LastMessage, bytes: number): void {
    if (message === this.#message) this.#lastAnswered = true;
    this.#pipeline.answered(bytes);
  }

  /**
   * Whether bytes that the parser refused may be answered. Not if they belong to a request that
   * has its answer, and not before the answers to earlier requests.
   */
  get refusable(): boolean {
    if (!this.#inBody) return this.#pipeline.open === 0;
    return !this.#lastAnswered && this.#pipeline.open === 1;
  }

  /** An answer is out, or given up. */
  done(): void {
    this.#seat.end();
    this.#pipeline.end();
  }

  /** It gets its last answer: nothing that comes is parsed any more. */
  end(): void {
    this.#over = true;
  }

  /** Asks to be told when the socket closes; gives the way to take that back. */
  whenClosed(told: () => void): () => void {
    this.#whenClosed.add(told);
    return () => this.#whenClosed.delete(told);
  }

  /** The socket has closed. */
  closed(): void {
    this.#seat.leave();
    for (const told of this.#whenClosed) told();
    this.#whenClosed.clear();
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#resumed();
  }

  /** Node reads on when a message is done with, whoever it was that had stopped. */
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
    if (this.#finished && !this.#finishTold && this.#rest.byteLength === 0) {
      this.#finishTold = true;
      this.#finish();
    }
  }

  #headBytes(): number {
    const end = this.#rest.indexOf(HEAD_END) + HEAD_END.length;
    return end < HEAD_END.length ? SLICE_BYTES : Math.min(end, SLICE_BYTES);
  }

  /** A body that does not say its length ends where a head would. */
  #bodyBytes(): number {
    const known = this.#bodyLeft > 0 && Number.isFinite(this.#bodyLeft);
    return known ? this.#bodyLeft : this.#headBytes();
  }

  get #inBody(): boolean {
    return this.#message !== null && !this.#message.complete;
  }

  /** Waits for the reader of a body, which Node tells of its end a little later. */
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
    // A parser that Node has taken back may be that of another connection by now.
    const broken = socket.destroyed || socket.errored !== null;
    const last = this.#closes && !this.#inBody;
    if (this.#over || last || socket.writableEnded || broken) return this.#discard();
    const { requests, turnOver, crowded } = this.#pipeline;
    const full = requests >= TURN_REQUESTS_MAX || turnOver || crowded;
    if (this.#waitsForReader()) return false;
    // Never in a body: its time would run while it is here already.
    if (full && !this.#inBody) return this.#hold();
    if (this.#holding) {
      this.#holding = false;
      socket.resume();
    }
    // Node has stopped: the client is to take its answers first.
    return !socket.isPaused();
  }

  #discard(): boolean {
    this.#discarded += this.#rest.byteLength;
    this.#rest = NOTHING;
    if (this.#discarded > DISCARD_BYTES_MAX) this.#socket.destroy();
    return false;
  }

  /** Comes back in the next turn, or when an answer is out. */
  #hold(): boolean {
    // Where Node has stopped, it also goes on.
    if (!this.#holding && this.#socket.isPaused()) return false;
    this.#holding = true;
    this.#socket.pause();
    if (!this.#pipeline.crowded) later(() => this.#goOn());
    return false;
  }
}

/**
 * A head in which another byte stands for that one, which no header that is read may have either:
 * so the value is refused by whoever knows what it is for, and not the whole request as no proper
 * one. The other transport does the same by itself.
 */
function withoutDelete(head: Buffer): Buffer {
  if (!head.includes(DELETE)) return head;
  const mend = (_line: string, name: string, value: string) =>
    name + value.replaceAll("\x7f", "\x80");
  return Buffer.from(head.toString("latin1").replace(HEADER_VALUES, mend), "latin1");
}
