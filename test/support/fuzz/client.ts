/**
 * A fast client for the fuzzer. It sends sequences of requests as bytes and reads their answers
 * completely, in order.
 * Invariant: a connection is used until it ends. The caller decides if its end or a missing answer
 * is a fault.
 */
import { connect, type Socket } from "node:net";

/** One answer on the wire; names of headers in lower case. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answers to a run of requests, and whether the connection then ended. */
export interface WireRun {
  readonly answers: readonly WireAnswer[];
  readonly ended: boolean;
}

/** Milliseconds to wait for the answers to one sequence. */
const RUN_MS_MAX = 20_000;

/** One keep-alive connection; replaced when it has ended. */
export class WireConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends requests without waiting for answers between them, and reads all answers. `heads` is true
   * for each request whose answer has no body. With `last`, closes the sending side afterwards,
   * so that even an unfinished request ends.
   */
  run(bytes: Buffer, heads: readonly boolean[], last = false): Promise<WireRun> {
    const socket = this.#socket ?? connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = last ? null : socket;
    return new Promise((resolve) => {
      const reader = new AnswerReader(heads);
      const finish = (ended: boolean) => {
        clearTimeout(timer);
        socket.removeAllListeners();
        socket.on("error", () => {});
        if (ended || last) this.#drop(socket);
        resolve({ answers: reader.answers, ended });
      };
      const timer = setTimeout(() => finish(true), RUN_MS_MAX);
      socket.on("data", (chunk: Buffer) => {
        if (reader.take(chunk) && !last) finish(reader.closing);
      });
      socket.on("error", () => {});
      socket.on("close", () => finish(true));
      if (last) socket.end(bytes);
      else socket.write(bytes);
    });
  }

  /** Sends bytes on a separate connection and resets it immediately afterwards. */
  reset(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true }, () => {
        socket.write(bytes, () => socket.resetAndDestroy());
      });
      socket.on("error", () => {});
      socket.once("close", () => resolve());
    });
  }

  /** Ends the connection. */
  close(): void {
    if (this.#socket !== null) this.#drop(this.#socket);
  }

  #drop(socket: Socket): void {
    socket.destroy();
    if (this.#socket === socket) this.#socket = null;
  }
}

/** Cuts a stream of bytes into answers. */
class AnswerReader {
  readonly answers: WireAnswer[] = [];
  /** True once an answer announced the end of the connection. */
  closing = false;
  readonly #heads: readonly boolean[];
  #rest: Buffer = Buffer.alloc(0);

  constructor(heads: readonly boolean[]) {
    this.#heads = heads;
  }

  /** Parses bytes. Returns true when all answers are complete or no more can come. */
  take(chunk: Buffer): boolean {
    // After the last answer only the end of its chunked body can follow.
    if (this.closing) return true;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#cut());
    return this.closing || this.answers.length === this.#heads.length;
  }

  #cut(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const [first = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    const status = Number(first.slice(9, 12));
    if (status === 100) {
      this.#rest = this.#rest.subarray(end + 4);
      return true;
    }
    const headers = Object.fromEntries(lines.map(field));
    const bare = this.#heads[this.answers.length] === true || status === 204 || status === 304;
    const length = bare ? 0 : Number(headers["content-length"] ?? 0);
    const from = end + 4;
    if (this.#rest.length < from + length) return false;
    const body = this.#rest.toString("utf8", from, from + length);
    this.#rest = this.#rest.subarray(from + length);
    this.answers.push({ status, headers, body });
    this.closing = /close/i.test(headers.connection ?? "");
    return !this.closing;
  }
}

function field(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
